"""How the benchmarks that the SQL tasks come from judge an answer, on the rows that both statements show here.

- Spider's exact set match: T. Yu et al., "Spider" (EMNLP 2018). Clauses are compared as sets of their parts, without
  values. Columns that a foreign key makes equal are not taken for the same here, as they are there.
- Spider's execution accuracy: R. Zhong, T. Yu, D. Klein, "Semantic Evaluation for Text-to-SQL with Distilled Test
  Suites" (EMNLP 2020), on one database. Columns may come in any order, and rows, too, unless the gold orders them.
- BIRD's execution accuracy: J. Li et al., "Can LLM Already Serve as a Database Interface?" (NeurIPS 2023). Both
  results are the same set of rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from typing import Any

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify

from benchmarks.agreement.endings import Ending
from intercode.types import Task
from intercode.types.databases import QueryResult, Row

MOST_ORDERS = 5040
"""Orders of columns that are tried; further ones cannot be told apart by their values alone."""


def bird(ending: Ending, task: Task) -> bool:
    """Return whether both show the same set of rows."""
    mine, gold = _rows(ending.rows), _rows(ending.gold_rows)
    return mine is not None and gold is not None and set(mine) == set(gold)


def spider_execution(ending: Ending, task: Task) -> bool:
    """Return whether some order of the answer's columns shows the gold's rows."""
    mine, gold = _rows(ending.rows), _rows(ending.gold_rows)
    if mine is None or gold is None or len(mine) != len(gold):
        return False
    if not gold:
        return True
    if len(mine[0]) != len(gold[0]):
        return False
    is_ordered = "order by" in (task.gold or "").lower()
    return any(
        (shown == gold if is_ordered else Counter(shown) == Counter(gold))
        for shown in ([tuple(row[place] for place in order) for row in mine] for order in _orders(mine, gold))
    )


def _orders(mine: Sequence[Row], gold: Sequence[Row]) -> Iterator[tuple[int, ...]]:
    """Orders of the columns of *mine* in which each has the values of the one of *gold* that it stands for."""
    columns = [[Counter(row[place] for row in rows) for place in range(len(gold[0]))] for rows in (mine, gold)]
    for tried, order in enumerate(permutations(range(len(gold[0])))):
        if tried >= MOST_ORDERS:
            return
        if all(columns[0][place] == wanted for place, wanted in zip(order, columns[1], strict=True)):
            yield order


def _rows(result: QueryResult | None) -> list[Row] | None:
    if result is None or result.error is not None or result.rows is None:
        return None
    return [tuple(map(_hashable, row)) for row in result.rows]


def _hashable(value: Any) -> Any:
    """Numbers that are equal are the same, whatever their types."""
    return bytes(value) if isinstance(value, bytearray) else value


def spider_exact_match(ending: Ending, task: Task) -> bool:
    """Return whether the clauses of both statements have the same parts, values aside."""
    schema = _schema(task)
    mine, gold = _parts(ending.statement, schema), _parts(task.gold or "", schema)
    return mine is not None and mine == gold


def _schema(task: Task) -> dict[str, object]:
    """Tables with their columns, as the data set tells them."""
    found: Mapping[str, Sequence[str]] = task.extra.get("db_tables") or {}
    return {table.lower(): {column.lower(): "TEXT" for column in columns} for table, columns in found.items()}


def _parts(statement: str, schema: dict[str, object]) -> Any:
    """Return the statement's clauses as comparable values; None where it cannot be read."""
    try:
        tree = parse_one(statement.lower(), dialect="mysql")
        tree = qualify(tree, schema=schema, dialect="mysql", validate_qualify_columns=False, quote_identifiers=False)
    except (SqlglotError, RecursionError):
        return None
    return _query(tree)


def _query(tree: exp.Expr) -> Any:
    if isinstance(tree, exp.SetOperation):
        return (type(tree).__name__, _query(tree.left), _query(tree.right))
    if isinstance(tree, exp.Subquery):
        return _query(tree.this)
    if not isinstance(tree, exp.Select):
        return None
    plain = _without_values(tree)
    names = {each.alias_or_name: each.name for each in plain.find_all(exp.Table)}
    shown = frozenset(Counter(_text(each.unalias(), names) for each in plain.selects).items())
    read = frozenset(Counter(names.values()).items())
    ons = [each.args["on"] for each in plain.args.get("joins") or () if each.args.get("on")]
    clauses = [plain.args.get(name) for name in ("where", "having")]
    conditions = tuple(_conditions(clause.this if clause else None, names) for clause in clauses)
    group, order = plain.args.get("group"), plain.args.get("order")
    return (
        shown,
        read,
        frozenset(text for on in ons for text in _conditions(on, names)),
        conditions,
        frozenset(_text(each, names) for each in group.expressions) if group else frozenset(),
        tuple(_text(each, names) for each in order.expressions) if order else (),
        plain.args.get("limit") is not None,
        bool(plain.args.get("distinct")),
    )


def _without_values(tree: exp.Select) -> exp.Select:
    """Return *tree* with every value of a condition made the same; a LIMIT's number is one too."""
    found = tree.copy()
    for literal in list(found.find_all(exp.Literal)):
        literal.replace(exp.Literal.string("value"))
    return found


def _conditions(condition: exp.Expr | None, names: Mapping[str, str]) -> frozenset[str]:
    """Return the parts of a condition that AND and OR join, and those words themselves."""
    if condition is None:
        return frozenset()
    if isinstance(condition, exp.Paren):
        return _conditions(condition.this, names)
    if isinstance(condition, exp.And | exp.Or):
        joint = frozenset([type(condition).__name__])
        return joint | _conditions(condition.left, names) | _conditions(condition.right, names)
    return frozenset([_text(condition, names)])


def _text(part: exp.Expr, names: Mapping[str, str]) -> str:
    """Return a part as text with tables under their own names; the two sides of an equality in the order of letters."""
    found = part.copy()
    for column in found.find_all(exp.Column):
        column.set("table", exp.to_identifier(names.get(column.table, column.table)))
    if isinstance(found, exp.EQ):
        return " = ".join(sorted([found.left.sql("mysql"), found.right.sql("mysql")]))
    return str(found.sql("mysql"))


Metric = Callable[[Ending, Task], bool]

METRICS: Mapping[str, Metric] = {
    "Spider, exact set match": spider_exact_match,
    "Spider, execution": spider_execution,
    "BIRD, execution": bird,
}
