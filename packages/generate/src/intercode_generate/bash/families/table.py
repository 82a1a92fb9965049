"""CSV files with a heading: sums, counts, groups, extracts. No field is quoted or holds a comma."""

from __future__ import annotations

from collections import Counter

from intercode.types import Criteria
from intercode_generate.bash.registry import family
from intercode_generate.bash.shell import GUESSED, new_path, word
from intercode_generate.bash.tables import label_column, number_column, some_rows
from intercode_generate.bash.world import BashWorld
from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft


@family(
    "How many rows of `{file}` are there {which}, and how many in all? The first line is a heading and no row. Print "
    "only the two numbers on one line, with a blank between.",
    "Count the rows {which} in the CSV file `{file}`, whose first line is a heading, and all of its rows. Print both "
    "counts on one line, the first one first, with a blank between.",
    "`{file}` is a table with a heading line. Print two numbers on one line, with a blank between: how many of its "
    "rows there are {which}, and how many rows it has.",
)
def count_rows(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return how many rows fulfil a condition, of how many: one number alone would be guessed."""
    rows = some_rows(draw, world, difficulty)
    if rows is None:
        return None
    test, file = rows.awk, rows.file
    return Draft(
        {"file": rows.table.path, "which": rows.text},
        f"awk -F, 'NR > 1 {{all++; if ({test}) n++}} END {{print n + 0, all + 0}}' {file}",
        f"echo \"$(awk -F, 'NR > 1 && {test}' {file} | wc -l) $(tail -n +2 {file} | wc -l)\"",
        (
            f"awk -F, '{{all++; if ({test}) n++}} END {{print n + 0, all + 0}}' {file}",
            f"awk -F, 'NR > 1 {{all++; if ({test}) n++}} END {{print n + 1, all + 0}}' {file}",
            f"awk -F, 'NR > 1 && {test}' {file} | wc -l",
        ),
        2,
    )


@family(
    "Add up the column `{column}` of `{file}` over the rows {which}. Print only the sum.",
    "In the CSV file `{file}` (the first line is a heading), what is the sum of `{column}` over all rows {which}? "
    "Print the number alone.",
    "Take the rows of `{file}` {which}, and print the total of their `{column}`: one number, nothing else.",
)
def sum_column(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the sum of a column over some rows."""
    rows = some_rows(draw, world, difficulty)
    column = rows and number_column(draw, rows.table)
    if rows is None or not column:
        return None
    at = rows.table.place(column)
    total = sum(int(row[at - 1]) for row in rows.rows)
    if total in (*GUESSED, sum(map(int, rows.table.values(column)))):
        return None
    loop = f"s=0; for n in $(awk -F, 'NR > 1 && {rows.awk} {{print ${at}}}' {rows.file}); do s=$((s + n)); done"
    return Draft(
        {"file": rows.table.path, "which": rows.text, "column": column},
        f"awk -F, 'NR > 1 && {rows.awk} {{s += ${at}}} END {{print s}}' {rows.file}",
        f'{loop}; echo "$s"',
        (
            f"awk -F, 'NR > 1 {{s += ${at}}} END {{print s}}' {rows.file}",
            f"awk -F, 'NR > 2 && {rows.awk} {{s += ${at}}} END {{print s + 1}}' {rows.file}",
            f"echo {total - 1}",
        ),
        2,
    )


@family(
    "Copy the heading of `{file}` and its rows {which} into a new file `{target}`, in the order they have.",
    "Make the CSV file `{target}`. It has the heading line of `{file}` and, in the same order, the rows of that file "
    "{which}.",
    "From `{file}`, write the first line (the heading) and all rows {which} to the new file `{target}`, keeping their "
    "order.",
)
def filter_rows(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return some rows as a table of their own."""
    rows = some_rows(draw, world, difficulty)
    if rows is None:
        return None
    target = new_path(draw, world, ".csv")
    out = f"> {word(target)}"
    return Draft(
        {"file": rows.table.path, "which": rows.text, "target": target},
        f"awk -F, 'NR == 1 || ({rows.awk})' {rows.file} {out}",
        f"{{ head -n 1 {rows.file}; tail -n +2 {rows.file} | awk -F, '{rows.awk} {{print $0}}'; }} {out}",
        (
            f"awk -F, '{rows.awk}' {rows.file} {out}",
            f"awk -F, 'NR == 1 || !({rows.awk})' {rows.file} {out}",
            f"cp {rows.file} {word(target)}",
        ),
        3,
    )


@family(
    "What different values are there in the column `{column}` of `{file}`? Print each once, one per line, in byte "
    "order, without the heading.",
    "Print the distinct values of `{column}` in the CSV file `{file}`, sorted in byte order, one per line. The heading "
    "is no value.",
    "The table `{file}` has a heading line. List every value that its column `{column}` takes: once each, one per "
    "line, sorted in byte order.",
)
def distinct(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the values of a column."""
    table = draw.pick(world.tables)
    column = label_column(draw, table)
    if column is None or len(set(table.values(column))) < 3:
        return None
    at, file = table.place(column), word(table.path)
    return Draft(
        {"file": table.path, "column": column},
        f"tail -n +2 {file} | cut -d , -f {at} | sort -u",
        f"awk -F, 'NR > 1 && !seen[${at}]++ {{print ${at}}}' {file} | sort",
        (
            f"cut -d , -f {at} {file} | sort -u",
            f"tail -n +2 {file} | cut -d , -f {at} | sort",
            f"tail -n +2 {file} | cut -d , -f {at} | sort -ru",
        ),
        3,
    )


@family(
    "How many rows are there for each value of `{column}` in `{file}`? Print lines `COUNT VALUE`, the highest count "
    "first, and values with equal counts in byte order.",
    "Group the rows of the CSV file `{file}` (the first line is a heading) by `{column}`. Print `COUNT VALUE`, with "
    "one blank between, for each group: larger groups first, equal ones by value in byte order.",
    "Count how often each value stands in the column `{column}` of `{file}`; the heading does not count. One line "
    "`COUNT VALUE` each, sorted by count from high to low, then by value in byte order.",
)
def count_groups(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Rows counted by a column."""
    table = draw.pick(world.tables)
    column = label_column(draw, table)
    if column is None or len(set(Counter(table.values(column)).values())) < 2:
        return None
    at, file = table.place(column), word(table.path)
    values = f"tail -n +2 {file} | cut -d , -f {at}"
    neat = "awk '{print $1, $2}'"
    return Draft(
        {"file": table.path, "column": column},
        f"{values} | sort | uniq -c | sort -k1,1nr -k2 | {neat}",
        f"awk -F, 'NR > 1 {{n[${at}]++}} END {{for (v in n) print n[v], v}}' {file} | sort -k2 | sort -s -rn -k1,1",
        (
            f"{values} | sort | uniq -c | sort -k1,1n -k2 | {neat}",
            f"cut -d , -f {at} {file} | sort | uniq -c | sort -k1,1nr -k2 | {neat}",
            f"{values} | sort | uniq -c | sort -k1,1nr -k2",
        ),
        5,
    )


@family(
    "Which row of `{file}` has the highest `{column}`? Print the whole row as it stands there.",
    "Print the one row of the CSV file `{file}` in which the number in `{column}` is highest, unchanged.",
    "Look for the largest number in the column `{column}` of `{file}`, and print the complete line that it is in.",
)
def highest(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return the row with the highest number; no two may have it."""
    table = draw.pick(world.tables)
    column = number_column(draw, table)
    if column is None:
        return None
    numbers = sorted(map(int, table.values(column)))
    if numbers[-1] == numbers[-2] or len(table.rows) < 4:
        return None
    at, file = table.place(column), word(table.path)
    order = f"tail -n +2 {file} | sort -t , -k {at},{at}n"
    return Draft(
        {"file": table.path, "column": column},
        f"{order} | tail -n 1",
        f"awk -F, 'NR == 2 || (NR > 2 && ${at} + 0 > m) {{m = ${at} + 0; r = $0}} END {{print r}}' {file}",
        (f"{order} | head -n 1", f"{order} | tail -n 2", f"{order} | tail -n 1 | cut -d , -f {at}"),
        3,
    )


@family(
    "Sort the table `{file}` by `{column}` as a number, from high to low, in place: the heading stays the first line, "
    "and rows with equal numbers are in byte order of their lines.",
    "Rewrite `{file}` so that its rows are ordered by the number in `{column}`, highest first, and by the whole line "
    "in byte order where numbers are equal. The heading line stays on top.",
    "In the CSV file `{file}`, keep the first line where it is, and put the rows below it into descending order of "
    "`{column}` (numbers); ties are in byte order of the lines.",
    difficulties=("medium", "hard"),
)
def sort_in_place(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a table sorted below its heading."""
    table = draw.pick(world.tables)
    column = number_column(draw, table)
    if column is None:
        return None
    at, file = table.place(column), word(table.path)
    new = "/tmp/sorted"

    def sort(keys: str) -> str:
        rows = f"tail -n +2 {file} | sort -t , {keys}"
        return f"{{ head -n 1 {file}; {rows}; }} > {new} && cat {new} > {file} && rm {new}"

    by_hand = (
        f"awk -F, 'NR > 1 {{print ${at} \"\\t\" $0}}' {file} | sort -t '\t' -k 2 | sort -s -t '\t' -k 1,1nr | cut -f 2-"
    )
    return Draft(
        {"file": table.path, "column": column},
        sort(f"-k {at},{at}nr -k 1"),
        f't=$(head -n 1 {file}; {by_hand}); printf "%s\\n" "$t" > {file}',
        (sort(f"-k {at},{at}n -k 1"), f"sort -t , -k {at},{at}nr -o {file} {file}", sort(f"-k {at},{at}r")),
        4,
    )


@family(
    "Write the columns `{one}` and `{other}` of `{file}`, in this order and heading included, to a new CSV file "
    "`{target}`.",
    "Make a CSV file `{target}` with two columns of `{file}`: first `{one}`, then `{other}`. It has all lines, also "
    "the heading.",
    "From each line of the table `{file}`, the heading too, take `{one}` and `{other}` and write them in this order, "
    "with a comma between, to the new file `{target}`.",
)
def two_columns(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Two columns in another order."""
    table = draw.pick(world.tables)
    one, other = draw.sample(table.columns, 2)
    first, second = table.place(one), table.place(other)
    target, file = new_path(draw, world, ".csv"), word(table.path)
    out = f"> {word(target)}"
    return Draft(
        {"file": table.path, "one": one, "other": other, "target": target},
        f"awk -F, -v OFS=, '{{print ${first}, ${second}}}' {file} {out}",
        f"paste -d , <(cut -d , -f {first} {file}) <(cut -d , -f {second} {file}) {out}",
        (
            f"awk -F, -v OFS=, '{{print ${second}, ${first}}}' {file} {out}",
            f"awk -F, -v OFS=, 'NR > 1 {{print ${first}, ${second}}}' {file} {out}",
            f"awk -F, '{{print ${first}, ${second}}}' {file} {out}",
        ),
        2,
    )


@family(
    "For each value of `{label}` in `{file}`, add up `{column}`. Print lines `VALUE SUM`, sorted by value in byte "
    "order.",
    "Print the total of `{column}` for each `{label}` of the CSV file `{file}` (the first line is a heading), as lines "
    "`VALUE SUM` in byte order of the values.",
    "Sum `{column}` by `{label}`: one line `VALUE SUM`, with one blank between, for every value of `{label}` in "
    "`{file}`, the lines in byte order.",
    difficulties=("medium", "hard"),
)
def sum_groups(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return a column added up by another."""
    table = draw.pick(world.tables)
    label, column = label_column(draw, table), number_column(draw, table)
    if label is None or column is None:
        return None
    by, at, file = table.place(label), table.place(column), word(table.path)
    add = f"{{s[${by}] += ${at}}} END {{for (v in s) print v, s[v]}}"
    each = f"cut -d , -f {by} {file} | tail -n +2 | sort -u"
    total = f"awk -F, -v v=\"$v\" 'NR > 1 && ${by} == v {{s += ${at}}} END {{print v, s + 0}}' {file}"
    return Draft(
        {"file": table.path, "label": label, "column": column},
        f"awk -F, 'NR > 1 {add}' {file} | sort",
        f"{each} | while IFS= read -r v; do {total}; done",
        (
            f"awk -F, '{add}' {file} | sort",
            f"awk -F, 'NR > 1 {add}' {file} | sort -r",
            f"awk -F, 'NR > 1 {{s[${by}]++}} END {{for (v in s) print v, s[v]}}' {file} | sort",
        ),
        3,
    )


@family(
    "Convert the CSV file `{file}` to tab-separated text: write it to the new file `{target}` with a tab wherever "
    "there is a comma.",
    "Make `{target}` from `{file}`: the same lines, with every comma replaced by one tab.",
    "Copy `{file}` to a new file `{target}` in which each comma has become a tab character.",
    difficulties=("easy",),
)
def tabs(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Commas become tabs."""
    table = draw.pick(world.tables)
    target, file = new_path(draw, world, ".tsv"), word(table.path)
    return Draft(
        {"file": table.path, "target": target},
        f"tr , '\\t' < {file} > {word(target)}",
        f"sed 's/,/\\t/g' {file} > {word(target)}",
        (
            f"sed 's/,/\\t/' {file} > {word(target)}",
            f"tr , ' ' < {file} > {word(target)}",
            f"cp {file} {word(target)}",
        ),
        1,
    )


@family(
    "Print the rows of `{file}` {which}, without the heading, in any order.",
    "Which rows of the CSV file `{file}` are there {which}? Print them as they stand; the order does not matter.",
    "From the table `{file}`, output each row {which}, complete and unchanged. Any order will do.",
)
def show_rows(draw: Draw, world: BashWorld, difficulty: Difficulty) -> Draft | None:
    """Return some rows as they stand."""
    rows = some_rows(draw, world, difficulty)
    if rows is None:
        return None
    return Draft(
        {"file": rows.table.path, "which": rows.text},
        f"awk -F, 'NR > 1 && {rows.awk}' {rows.file}",
        f"tail -n +2 {rows.file} | sort | awk -F , '{{if ({rows.awk}) print $0}}'",
        (
            f"awk -F, 'NR == 1 || ({rows.awk})' {rows.file}",
            f"awk -F, 'NR > 1 && !({rows.awk})' {rows.file}",
            f"awk -F, 'NR > 1 && {rows.awk} {{print $1}}' {rows.file}",
        ),
        1,
        Criteria(any_order=True),
    )
