"""Scripts that are run: their output, their exit status, several at once."""

from __future__ import annotations

from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import new_path, word
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


@family(
    "Run `{script}` with sh and write what it prints to the new file `{target}`.",
    "What does the script `{script}` print when sh runs it? Put its output into a new file `{target}`.",
    "Execute `{script}` by `sh`, with its standard output in the new file `{target}`.",
    difficulties=("easy",),
)
def output(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a script's output in a file."""
    script = draw.pick(world.of_kind("script"))
    target = new_path(draw, world, ".out")
    run, out = f"sh {word(script.path)}", word(target)
    said = "".join(line.removeprefix("echo ") + "\\n" for line in script.lines if line.startswith("echo "))
    return Draft(
        {"script": script.path, "target": target},
        f"{run} > {out}",
        f"printf '{said}' > {out}",
        (f"cp {word(script.path)} {out}", f"{run} | sort -r | tail -n +2 > {out}", run),
        1,
    )


@family(
    "Start `{one}` and `{other}` with sh in the background at the same time, each with its output in a file of its "
    "own: "
    "`{target}.1` for the first and `{target}.2` for the second. Wait for both, and then write the word `done` to "
    "`{target}.state`.",
    "Run two scripts by sh as background jobs: `{one}`, whose output goes to `{target}.1`, and `{other}`, whose output "
    "goes to `{target}.2`. When both have ended, make the file `{target}.state` with the line `done`.",
    "The scripts `{one}` and `{other}` are to be run by sh side by side, not one after the other. Keep what the former "
    "prints in `{target}.1` and what the latter prints in `{target}.2`; after both, write `done` (one line) to "
    "`{target}.state`.",
    difficulties=("medium", "hard"),
)
def side_by_side(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Two scripts in the background."""
    scripts = world.of_kind("script")
    if len(scripts) < 2:
        return None
    one, other = draw.sample(scripts, 2)
    if one.data == other.data:
        return None
    target = new_path(draw, world)
    first, second, out = word(one.path), word(other.path), word(target)
    return Draft(
        {"one": one.path, "other": other.path, "target": target},
        f"sh {first} > {out}.1 & sh {second} > {out}.2 & wait; echo done > {out}.state",
        f'for n in 1 2; do case $n in 1) f={first};; 2) f={second};; esac; sh "$f" > {out}.$n & jobs="$jobs $!"; done; '
        f"wait $jobs; printf 'done\\n' > {out}.state",
        (
            f"sh {second} > {out}.1; sh {first} > {out}.2; echo done > {out}.state",
            f"sh {first} > {out}.1 & sh {second} > {out}.2 & wait; printf done > {out}.state",
            f"sh {first} > {out}.1 & sh {second} >> {out}.1 & wait; echo done > {out}.state",
        ),
        4,
    )


@family(
    "Run every regular file `*.sh` that is directly in `{folder}` with sh, in byte order of their names, and print all "
    "that they print.",
    "Execute the scripts `{folder}/*.sh` one after the other by sh, sorted by name in byte order. The answer is their "
    "output, in this order.",
    "What do the scripts in `{folder}` (files `*.sh` directly there) print if sh runs them in byte order of their "
    "names? "
    "Print it all.",
)
def run_all(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the output of all scripts of a folder."""
    scripts = world.of_kind("script")
    folder = scripts[0].folder
    if len(scripts) < 2 or any(file.name.startswith((".", "-")) for file in scripts):
        return None
    there = word(folder)
    return Draft(
        {"folder": folder},
        f'for f in {there}/*.sh; do sh "$f"; done',
        f"find {there} -maxdepth 1 -name '*.sh' | sort | xargs -d '\\n' -n 1 sh",
        (
            f"find {there} -maxdepth 1 -name '*.sh' | sort -r | xargs -d '\\n' -n 1 sh",
            f"cat {there}/*.sh",
            f"find {there} -maxdepth 1 -name '*.sh' | sort | tail -n +2 | xargs -d '\\n' -n 1 sh",
        ),
        2,
    )


@family(
    "Which remarks that begin with `# {mark}: ` are in the scripts (`*.sh`) below `{folder}`? Print `FILE:REMARK` for "
    "each, FILE being the full path and REMARK what follows `# {mark}: `, sorted in byte order.",
    "Search the files `*.sh` below `{folder}` for lines that begin with `# {mark}: `. Print a line for each: the full "
    "path of its file, a colon, and the text after `# {mark}: `. Sort these lines in byte order.",
    "Every line `# {mark}: TEXT` in a file `*.sh` below `{folder}` is wanted, as `PATH:TEXT` with the full path of the "
    "file. Print them in byte order.",
)
def remarks(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Remarks of one kind in scripts."""
    scripts = world.of_kind("script")
    mark = draw.pick(("TODO", "FIXME", "NOTE"))
    count = sum(line.startswith(f"# {mark}: ") for file in scripts for line in file.lines)
    if count < 2:
        return None
    folder = scripts[0].folder
    there = word(folder)
    say = f"awk '/^# {mark}: /{{print FILENAME \":\" substr($0, {len(mark) + 5})}}'"
    return Draft(
        {"folder": folder, "mark": mark},
        f"grep -r --include='*.sh' '^# {mark}: ' {there} | sed 's/:# {mark}: /:/' | sort",
        f"find {there} -name '*.sh' -exec {say} {{}} + | sort",
        (
            f"grep -r --include='*.sh' '^# {mark}: ' {there} | sort",
            f"grep -rh --include='*.sh' '^# {mark}: ' {there} | sed 's/^# {mark}: //' | sort",
            f"grep -r --include='*.sh' '^# {mark}: ' {there} | sed 's/:# {mark}: /:/' | sort -r",
        ),
        3,
    )
