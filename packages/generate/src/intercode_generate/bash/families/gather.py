"""Chosen files copied, moved, packed, deleted: the state of the file system is what counts."""

from __future__ import annotations

from intercode.types import Criteria
from intercode_generate.bash.registry import family
from intercode_generate.bash.select import Selection, select
from intercode_generate.bash.shell import new_path, per_file, word
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


def _are_apart(chosen: Selection) -> bool:
    """Return whether no two of the files have the same name, so that one folder can hold them all."""
    return len({file.name for file in chosen.files}) == len(chosen.files)


@family(
    "[Make|Create] the folder `{target}`. Copy into it, under its own name and without subfolders, every {files}. "
    "[Plain|A plain] `cp` without options makes the copies as they should be.",
    "A new folder `{target}` is to hold copies, all of them directly in it and with their names kept, as `cp` makes "
    "them without options. Copy each {files}.",
    "`{target}` does not exist yet: make it a folder. Put a copy directly into it, name unchanged, of every {files}. "
    "The copies get the owner and permissions that `cp` gives them without options.",
)
def copy(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a selection copied into a new folder."""
    chosen = select(draw, world, difficulty)
    if chosen is None or not _are_apart(chosen):
        return None
    target = new_path(draw, world)
    make = f"mkdir {word(target)} &&"
    body = f'cp -- "$f" {word(target)}/'
    return Draft(
        {"files": chosen.text, "target": target},
        f"{make} {chosen.find} -exec cp -t {word(target)} {{}} +",
        f"mkdir -p {word(target)}; {chosen.loop(body)}",
        (
            *(f"{make} {wrong.find} -exec cp -t {word(target)} {{}} +" for wrong in chosen.wrong),
            f"{make} {chosen.find} -exec mv -t {word(target)} {{}} +",
            f"{make} {chosen.find} -exec cp --parents -t {word(target)} {{}} +",
        ),
        chosen.steps + 2,
    )


@family(
    "[Make|Create] the folder `{target}` and move some files directly into it, names unchanged: every {files}.",
    "Move every {files} into a new folder `{target}`. Keep the names, and make no folders inside it.",
    "Into the folder `{target}`, which you must make first, move each {files}. All of them end up directly in it, "
    "under the names they have.",
)
def move(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a selection moved into a new folder."""
    chosen = select(draw, world, difficulty)
    if chosen is None or not _are_apart(chosen):
        return None
    target = new_path(draw, world)
    make = f"mkdir {word(target)} &&"
    body = f'mv -- "$f" {word(target)}/"${{f##*/}}"'
    return Draft(
        {"files": chosen.text, "target": target},
        f"{make} {chosen.find} -exec mv -t {word(target)} {{}} +",
        f"mkdir -p {word(target)}; {chosen.loop(body)}",
        (
            *(f"{make} {wrong.find} -exec mv -t {word(target)} {{}} +" for wrong in chosen.wrong),
            f"{make} {chosen.find} -exec cp -a -t {word(target)} {{}} +",
        ),
        chosen.steps + 2,
    )


@family(
    "[Delete|Remove] every {files}. Leave the folders.",
    "Each {files} has to go. Delete these files, but no folder.",
    "Get rid of every {files}; folders stay, even those that are empty then.",
)
def delete(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a selection deleted."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -delete",
        chosen.loop('rm -- "$f"'),
        (
            *(f"{wrong.find} -delete" for wrong in chosen.wrong),
            f"{chosen.paths} | sort | head -n -1 | xargs -d '\\n' rm",
        ),
        chosen.steps + 1,
    )


@family(
    "Write into the new file `{target}` the full path of every {files}. One path per line, sorted in byte order.",
    "Make the file `{target}`. It lists, one full path on each line and in byte order, every {files}.",
    "The full paths of certain files belong in a new file `{target}`, sorted in byte order, one per line: those of "
    "each {files}.",
)
def list_into_file(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a list of a selection in a file."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    target = new_path(draw, world, ".txt")
    return Draft(
        {"files": chosen.text, "target": target},
        f"{chosen.paths} | sort > {word(target)}",
        chosen.loop('printf "%s\\n" "$f"') + f" | sort | tee {word(target)} > /dev/null",
        (
            *(f"{wrong.paths} | sort > {word(target)}" for wrong in chosen.wrong),
            f"{chosen.paths} | sort -r > {word(target)}",
            f"{chosen.paths} | sort",
            f"{chosen.find} -printf '%f\\n' | sort > {word(target)}",
        ),
        chosen.steps + 2,
    )


@family(
    "Join the contents of every {files}. The result goes into the new file `{target}`, and the files follow each "
    "other in byte order of their full paths.",
    "Make `{target}` by putting file after file together, in byte order of their full paths: each {files}.",
    "Concatenate these files in the byte order of their full paths, with nothing between them, into a new file "
    "`{target}`: every {files}.",
)
def concatenate(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the contents of a selection in one file."""
    chosen = select(draw, world, difficulty, fits=lambda file: file.kind != "archive" and file.size > 0)
    if chosen is None:
        return None
    target = new_path(draw, world, ".all")
    join = "xargs -d '\\n' cat"
    return Draft(
        {"files": chosen.text, "target": target},
        f"{chosen.paths} | sort | {join} > {word(target)}",
        chosen.loop('printf "%s\\n" "$f"') + " | sort | " + per_file('cat -- "$f"') + f" > {word(target)}",
        (
            *(f"{wrong.paths} | sort | {join} > {word(target)}" for wrong in chosen.wrong),
            f"{chosen.paths} | sort -r | {join} > {word(target)}",
        ),
        chosen.steps + 3,
    )


@family(
    "Rename every {files}: add `{end}` to the end of its name.",
    "Append `{end}` to the name of each {files}.",
    "Every {files} gets a longer name, with `{end}` at its end. Rename them where they are.",
)
def add_suffix(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return each file of a selection with more behind its name."""
    chosen = select(draw, world, difficulty)
    if chosen is None:
        return None
    end = draw.pick((".old", ".done", ".2023", ".keep", ".checked"))
    rename, short, copies = (per_file(do) for do in _renames(end))
    return Draft(
        {"files": chosen.text, "end": end},
        f"{chosen.paths} | {rename}",
        chosen.loop(f'mv -- "$f" "${{f%/*}}/${{f##*/}}{end}"'),
        (
            *(f"{wrong.paths} | {rename}" for wrong in chosen.wrong),
            f"{chosen.paths} | {short}",
            f"{chosen.paths} | {copies}",
        ),
        chosen.steps + 1,
    )


def _renames(end: str) -> tuple[str, str, str]:
    return f'mv -- "$f" "$f{end}"', f'mv -- "$f" "$f{end[1:]}"', f'cp -a -- "$f" "$f{end}"'


@family(
    "Pack every {files} into a new tar archive `{target}`, gzip-compressed. The members have bare names, without any "
    "folder.",
    "Make the gzip-compressed tar archive `{target}`. Its members, named without folders, are copies of every {files}.",
    "`{target}` is to be a new tar archive compressed by gzip. Put into it, under its bare name, each {files}.",
)
def pack(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a selection as an archive."""
    chosen = select(draw, world, difficulty)
    if chosen is None or not _are_apart(chosen) or any(file.name.startswith("-") for file in chosen.files):
        return None
    target = new_path(draw, world, ".tar.gz")
    bare = "--transform 's,.*/,,'"
    pack_them = f"-P {bare} --null -T - -czf {word(target)}"
    copies = chosen.loop('cp -p -- "$f" "$t/"')
    return Draft(
        {"files": chosen.text, "target": target},
        f"{chosen.find} -print0 | tar {pack_them}",
        f't=$(mktemp -d); {copies}; ls -A "$t" | tar -C "$t" -czf {word(target)} -T -; rm -r "$t"',
        (
            *(f"{wrong.find} -print0 | tar {pack_them}" for wrong in chosen.wrong),
            f"{chosen.find} -print0 | tar -P --null -T - -czf {word(target)}",
        ),
        chosen.steps + 3,
        Criteria(archive_members=True),
    )


@family(
    "[Make|Create] the folder `{target}` and, in it, a symbolic link to every {files}. Each link has the name of its "
    "file and the file's full path as target.",
    "A new folder `{target}` is to hold symbolic links, named as the files and pointing to their full paths, to each "
    "{files}.",
    "Link, do not copy: in a new folder `{target}` there should be a symbolic link for every {files}. It is called "
    "like the file, and its target is the absolute path of the file.",
)
def link(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a folder of links to a selection."""
    chosen = select(draw, world, difficulty)
    if chosen is None or not _are_apart(chosen):
        return None
    target = new_path(draw, world)
    make = f"mkdir {word(target)} &&"
    return Draft(
        {"files": chosen.text, "target": target},
        f"{make} {chosen.find} -exec ln -s -t {word(target)} {{}} +",
        f"mkdir -p {word(target)}; " + chosen.loop(f'ln -s "$f" {word(target)}/"${{f##*/}}"'),
        (
            *(f"{make} {wrong.find} -exec ln -s -t {word(target)} {{}} +" for wrong in chosen.wrong),
            f"{make} {chosen.find} -exec ln -t {word(target)} {{}} +",
        ),
        chosen.steps + 2,
    )


@family(
    "[Empty|Truncate] every {files}: the files stay, with nothing in them.",
    "Make every {files} zero bytes long. Delete none of them.",
    "The content of each {files} has to go, but not the file itself: leave it there with a size of 0.",
)
def empty(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a selection emptied."""
    chosen = select(draw, world, difficulty, fits=lambda file: file.size > 0)
    if chosen is None:
        return None
    wrong = [each for each in chosen.wrong if any(file.size and file not in chosen.files for file in each.files)]
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -exec truncate -s 0 {{}} +",
        chosen.loop(': > "$f"'),
        (
            *(f"{each.find} -exec truncate -s 0 {{}} +" for each in wrong),
            f"{chosen.find} -exec truncate -s 1 {{}} +",
            f"{chosen.find} -delete",
        ),
        chosen.steps + 1,
    )


@family(
    "Compress every {files} with gzip, each in its own place: `NAME` becomes `NAME.gz`, and the original goes.",
    "Replace each {files} by a gzip-compressed file of the same name with `.gz` behind it.",
    "gzip every {files}. As usual with gzip, the compressed file has `.gz` added to its name and the original is gone.",
)
def compress(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return each file of a selection compressed."""
    chosen = select(draw, world, difficulty, fits=lambda file: file.kind != "archive")
    if chosen is None or any(f"{file.path}.gz" in world.files for file in chosen.files):
        return None
    return Draft(
        {"files": chosen.text},
        f"{chosen.find} -exec gzip {{}} +",
        chosen.loop(BY_HAND),
        (*(f"{wrong.find} -exec gzip {{}} +" for wrong in chosen.wrong), f"{chosen.find} -exec gzip -k {{}} +"),
        chosen.steps + 1,
        Criteria(archive_members=True),
    )


BY_HAND = 'gzip -1 < "$f" > "$f.gz"; chmod --reference="$f" "$f.gz"; chown --reference="$f" "$f.gz"; rm -- "$f"'


@family(
    "Sort files into folders by their ending. Make the folder `{target}`, and in it one folder for each ending, called "
    "like it without a dot; copy there, with plain `cp`, every {files}.",
    "Copy every {files} into `{target}/ENDING/`, where ENDING is what follows the last dot of its name. Make the "
    "folders; copy with `cp` without options, names unchanged.",
    "For each {files}: if the text after the last dot of its name is E, put a copy of it, as `cp` makes it without "
    "options and under its own name, into the folder `{target}/E`. None of these folders exists yet.",
    difficulties=("medium", "hard"),
)
def sort_by_ending(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a selection copied to a folder for each ending."""
    chosen = select(draw, world, difficulty, least=3, most=16)
    if chosen is None or len({(file.name, file.name.rpartition(".")[2]) for file in chosen.files}) < len(chosen.files):
        return None
    if len({file.name.rpartition(".")[2] for file in chosen.files}) < 2:
        return None
    target = new_path(draw, world)
    put = f'd={word(target)}/${{f##*.}}; mkdir -p "$d" && cp -- "$f" "$d/"'
    other = f'mkdir -p {word(target)}/"${{f##*.}}"; cp "$f" {word(target)}/"${{f##*.}}"/'
    return Draft(
        {"files": chosen.text, "target": target},
        f"{chosen.paths} | {per_file(put)}",
        chosen.loop(other),
        (
            *(f"{wrong.paths} | {per_file(put)}" for wrong in chosen.wrong),
            f"mkdir {word(target)} && {chosen.find} -exec cp -t {word(target)} {{}} +",
        ),
        chosen.steps + 3,
    )
