"""Messages, one a file, with the headings From, To, Date and Subject before a blank line."""

from __future__ import annotations

from posixpath import dirname

from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import new_path, word
from intercode_generate.bash.world import BashWorld, File
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


def _field(file: File, name: str) -> str:
    return next(line.partition(": ")[2] for line in file.lines if line.startswith(f"{name}: "))


def _folder(world: BashWorld) -> str:
    return dirname(world.of_kind("mail")[0].folder)


@family(
    "Print the subjects of all messages (`*.eml`) below `{folder}` that {sender} has sent, sorted in byte order, one "
    "per line. A subject is what follows `Subject: `.",
    "Below `{folder}` each file `*.eml` is a message with a line `From: …` and a line `Subject: …`. Print, in byte "
    "order, the subjects of those from {sender}, one per line and without the word `Subject:`.",
    "What did {sender} write about? List the subject (the text after `Subject: `) of every message from this address "
    "among the `*.eml` files below `{folder}`, one per line, sorted in byte order.",
)
def subjects(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the subjects of a sender's messages."""
    messages = world.of_kind("mail")
    sender = draw.pick([_field(file, "From") for file in messages])
    sent = [_field(file, "Subject") for file in messages if _field(file, "From") == sender]
    if len(sent) < 2 or len(set(sent)) < len(sent):
        return None
    folder = word(_folder(world))
    theirs = f"grep -rlxF 'From: {sender}' {folder} | xargs -d '\\n'"
    return Draft(
        {"folder": _folder(world), "sender": sender},
        f"{theirs} sed -n 's/^Subject: //p' | sort",
        f"find {folder} -name '*.eml' -exec awk '/^From: / {{m = ($2 == \"{sender}\")}} m && /^Subject: / "
        "{print substr($0, 10)}' {} \\; | sort",
        (
            f"{theirs} sed -n 's/^Subject: //p' | sort -r",
            f"{theirs} grep -h '^Subject: ' | sort",
            f"grep -rh '^Subject: ' {folder} | sed 's/^Subject: //' | sort",
            f"grep -rlxF 'To: {sender}' {folder} | xargs -d '\\n' -r sed -n 's/^Subject: //p' | sort",
        ),
        3,
    )


@family(
    "How many messages has each sender? Look at the line `From: …` of each `*.eml` below `{folder}`, and print lines "
    "`COUNT ADDRESS`, sorted by address in byte order.",
    "Count the messages (`*.eml`) below `{folder}` by the address in their line `From: `. One line `COUNT ADDRESS`, "
    "with one blank between, for each address, in byte order of the addresses.",
    "Print for every sender (the address after `From: `) of the messages `*.eml` below `{folder}` a line `COUNT "
    "ADDRESS`; sort by the address, in byte order.",
)
def senders(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Messages by sender."""
    folder = word(_folder(world))
    lines = f"grep -rh '^From: ' {folder}"
    return Draft(
        {"folder": _folder(world)},
        f"{lines} | cut -d ' ' -f 2 | sort | uniq -c | awk '{{print $1, $2}}'",
        f"find {folder} -name '*.eml' -exec sed -n 's/^From: //p' {{}} + | "
        "awk '{n[$1]++} END {for (a in n) print n[a], a}' | sort -k 2",
        (
            f"{lines} | cut -d ' ' -f 2 | sort | uniq -c",
            f"grep -rh '^To: ' {folder} | cut -d ' ' -f 2 | sort | uniq -c | awk '{{print $1, $2}}'",
            f"{lines} | cut -d ' ' -f 2 | sort -u",
        ),
        5,
    )


@family(
    "Make the folder `{target}` and move every message from {sender} there: each `*.eml` below `{folder}` that has the "
    "line `From: {sender}`. The names stay.",
    "Move the messages that {sender} has sent (`*.eml` files below `{folder}` with the line `From: {sender}`) into a "
    "new folder `{target}`, with their names unchanged.",
    "All `*.eml` files below `{folder}` with the line `From: {sender}` belong into the folder `{target}`, which is not "
    "there yet. Make it and move them, names unchanged.",
)
def move_sender(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a sender's messages moved."""
    messages = world.of_kind("mail")
    sender = draw.pick([_field(file, "From") for file in messages])
    if sum(_field(file, "From") == sender for file in messages) < 2:
        return None
    target, folder = new_path(draw, world), word(_folder(world))
    theirs = f"grep -rlxF 'From: {sender}' {folder}"
    make = f"mkdir {word(target)}"
    loop = f'while IFS= read -r f; do mv "$f" {word(target)}/; done'
    return Draft(
        {"folder": _folder(world), "sender": sender, "target": target},
        f"{make} && {theirs} | xargs -d '\\n' mv -t {word(target)}",
        f"{make}; find {folder} -name '*.eml' -exec grep -q '^From: {sender}$' {{}} \\; -print | {loop}",
        (
            f"{make} && {theirs} | xargs -d '\\n' cp -a -t {word(target)}",
            f"{theirs} | xargs -d '\\n' mv -t {word(world.root)}",
            f"{make} && {theirs} | sort | tail -n +2 | xargs -d '\\n' mv -t {word(target)}",
        ),
        3,
    )


@family(
    "Which message below `{folder}` has the latest `Date: …` line? Print the full path of this `*.eml` file.",
    "Every `*.eml` file below `{folder}` has a line `Date: YYYY-MM-DD HH:MM:SS`. Print the full path of the one with "
    "the latest.",
    "Print the full path of the newest message: the `*.eml` file below `{folder}` whose `Date:` line is the latest. "
    "The time of the file itself does not matter.",
)
def latest(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the message with the latest heading."""
    messages = world.of_kind("mail")
    dates = sorted(_field(file, "Date") for file in messages)
    last = max(messages, key=lambda file: _field(file, "Date"))
    if dates[-1] == dates[-2] or max(messages, key=lambda file: file.mtime) is last:
        return None
    folder = word(_folder(world))
    by_date = f"grep -r '^Date: ' {folder} | sed 's/^\\(.*\\):Date: \\(.*\\)$/\\2|\\1/' | sort"
    loop = 'while IFS= read -r f; do printf \'%s\\t%s\\n\' "$(sed -n \'s/^Date: //p\' "$f")" "$f"; done'
    return Draft(
        {"folder": _folder(world)},
        f"{by_date} | tail -n 1 | cut -d '|' -f 2",
        f"find {folder} -name '*.eml' | {loop} | sort -r | head -n 1 | cut -f 2",
        (
            f"{by_date} | head -n 1 | cut -d '|' -f 2",
            f"find {folder} -name '*.eml' -printf '%T@ %p\\n' | sort -n | tail -n 1 | cut -d ' ' -f 2",
            f"{by_date} | tail -n 1",
        ),
        5,
    )
