"""Archives: what is in them, and getting it out. All are tar files compressed by gzip, with one folder of texts."""

from __future__ import annotations

import io
import tarfile

from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import GUESSED, new_path, word
from intercode_generate.bash.world import BashWorld, File
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


def _archive(draw: Draw, world: BashWorld) -> tuple[File, dict[str, bytes]] | None:
    """Return an archive, and its members that are files."""
    found = [file for file in world.of_kind("archive") if file.name.endswith(".tar.gz")]
    if not found:
        return None
    file = draw.pick(found)
    with tarfile.open(fileobj=io.BytesIO(file.data)) as archive:
        return file, {m.name: _content(archive, m) for m in archive.getmembers() if m.isfile()}


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    stream = archive.extractfile(member)
    return b"" if stream is None else stream.read()


@family(
    "Print the names of the regular files in the archive `{file}`, with the folder as the archive has it. One per "
    "line, "
    "in byte order; folders are not listed. Nothing may be unpacked.",
    "Which regular files are in `{file}`? Print their member names as `tar` has them, without folders of their own, "
    "one "
    "per line in byte order, and leave the file system as it is.",
    "List the members of the gzip-compressed tar archive `{file}` that are regular files, under their full names in "
    "the "
    "archive, one per line, in byte order. Do not unpack it.",
)
def members(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return what is in an archive."""
    found = _archive(draw, world)
    if found is None:
        return None
    file = word(found[0].path)
    return Draft(
        {"file": found[0].path},
        f"tar -tzf {file} | grep -v '/$' | sort",
        f"tar -tvzf {file} | awk '/^-/ {{print $NF}}' | sort",
        (
            f"tar -tzf {file} | sort",
            f"tar -tzf {file} | grep -v '/$' | sort -r",
            f"tar -tzf {file} | grep -v '/$' | sed 's,.*/,,' | sort",
        ),
        3,
    )


@family(
    "Print the content of the member `{member}` of the archive `{file}`, without changing any file.",
    "What does `{member}` say, a file inside the tar archive `{file}`? Print it, and unpack nothing.",
    "Without leaving anything behind, print the text of `{member}` from the gzip-compressed tar archive `{file}`.",
)
def show_member(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return one member's text."""
    found = _archive(draw, world)
    if found is None:
        return None
    file, inside = word(found[0].path), found[1]
    member = draw.pick(sorted(inside))
    other = draw.pick([name for name in sorted(inside) if inside[name] != inside[member]])
    return Draft(
        {"file": found[0].path, "member": member},
        f"tar -xzOf {file} {word(member)}",
        f'd=$(mktemp -d); tar -C "$d" -xzf {file}; cat "$d"/{word(member)}; rm -r "$d"',
        (f"tar -xzOf {file} {word(other)}", f"tar -xzOf {file}", f"cd /tmp && tar -xzf {file} && cat {word(member)}"),
        1,
    )


@family(
    "Unpack the archive `{file}` into the new folder `{target}`.",
    "[Make|Create] the folder `{target}`, and extract everything in `{file}` there.",
    "The contents of the gzip-compressed tar archive `{file}` belong below `{target}`, a folder that you must make "
    "first. Unpack all of it there.",
)
def unpack(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return an archive unpacked."""
    found = _archive(draw, world)
    if found is None:
        return None
    target, file = new_path(draw, world), word(found[0].path)
    there = word(target)
    return Draft(
        {"file": found[0].path, "target": target},
        f"mkdir {there} && tar -xzf {file} -C {there}",
        f"mkdir -p {there}; cd {there}; gzip -dc {file} | tar -xf -",
        (
            f"mkdir {there} && tar -xzf {file} -C {there} --strip-components 1",
            f"tar -xzf {file} -C {word(world.root)}",
            f"mkdir {there} && cp {file} {there}",
        ),
        2,
    )


@family(
    "Take the one file `{member}` out of the archive `{file}`, and put it at `{target}`, with the permissions 644.",
    "Extract only the member `{member}` of `{file}`. It should become the file `{target}`, with the permissions 644.",
    "`{file}` has a member `{member}`. Make a file `{target}` with its content and the permissions 644; unpack nothing "
    "else.",
)
def extract_one(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return one member as a file."""
    found = _archive(draw, world)
    if found is None:
        return None
    file, inside = word(found[0].path), found[1]
    member, target = draw.pick(sorted(inside)), new_path(draw, world, ".txt")
    other = draw.pick([name for name in sorted(inside) if inside[name] != inside[member]])
    there = word(target)
    return Draft(
        {"file": found[0].path, "member": member, "target": target},
        f"tar -xzOf {file} {word(member)} > {there}",
        f't=$(mktemp -d) && tar -C "$t" -xzf {file} && install -m 644 "$t"/{word(member)} {there}; rm -r "$t"',
        (
            f"tar -xzOf {file} {word(other)} > {there}",
            f"tar -xzOf {file} > {there}",
            f"tar -xzf {file} -C {word(world.root)} {word(member)}",
        ),
        2,
    )


@family(
    "How many lines do all files in the archive `{file}` have together? Print only the number, and unpack nothing.",
    "Add up the lines of every file inside `{file}`, and print the sum alone. The file system stays as it is.",
    "Print one number: the total count of lines over all members of the gzip-compressed tar archive `{file}`. Nothing "
    "may be left behind.",
    difficulties=("medium", "hard"),
)
def count_lines(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the lines inside an archive."""
    found = _archive(draw, world)
    if found is None:
        return None
    file, inside = word(found[0].path), found[1]
    lines = sum(content.count(b"\n") for content in inside.values())
    if lines in GUESSED:
        return None
    return Draft(
        {"file": found[0].path},
        f"tar -xzOf {file} | wc -l",
        f"for m in $(tar -tzf {file} | grep -v '/$'); do tar -xzOf {file} \"$m\"; done | grep -c ''",
        (f"tar -tzf {file} | wc -l", f"echo {lines + 1}", f"zcat {file} | wc -c"),
        2,
    )
