"""UNION, INTERSECT and EXCEPT as MySQL answers them: by the types of both sides, the first of equal rows kept."""

from __future__ import annotations

from sqlglot import exp

from intercode.worlds.sql.databases.sqlite.column_contexts import projected, read_as
from intercode.worlds.sql.databases.sqlite.expression_types import ExpressionTypes
from intercode.worlds.sql.databases.sqlite.value_types import DATETIME, TEXT


def join_columns(union: exp.SetOperation, types: ExpressionTypes) -> None:
    """Have the columns that one of *union* is made of be of its type."""
    merged, parts = [kind for _, kind in types.columns(union)], _parts(union)
    for part in parts:
        for kind, shown in zip(merged, part.selects, strict=False):
            if kind is None or kind not in (TEXT, DATETIME) or isinstance(shown, exp.Star):
                continue
            value = shown.unalias()
            made = read_as(value, kind, types)
            found = types(value)
            if kind == TEXT and found is not None and found.is_moment:
                made = exp.cast(value.copy(), exp.DType.CHAR)
                value.replace(made)
            if kind == TEXT and part is parts[0] and not isinstance(projected(made), exp.Column | exp.Collate):
                text = (
                    made  # rows are told apart by the collation of the first part's columns, and only columns have one
                )
                made = exp.Collate(this=text.copy(), expression=exp.Var(this="utf8mb4_general_ci"))
                text.replace(made)
            if made is not value and shown is value:
                made.replace(exp.alias_(made.copy(), value.name, quoted=True))


def _parts(union: exp.SetOperation) -> list[exp.Select]:
    found: list[exp.Select] = []
    for side in (union.this, union.expression):
        inner = side.unnest() if isinstance(side, exp.Subquery) else side
        if isinstance(inner, exp.SetOperation):
            found += _parts(inner)
        elif isinstance(inner, exp.Select):
            found.append(inner)
    return found


def keep_first_rows(tree: exp.Expr) -> exp.Expr:
    """Have the first of rows that are equal to MySQL be kept, and in its place, where SQLite would keep the last."""
    for union in reversed(list(tree.find_all(exp.SetOperation))):
        within = union.find_ancestor(exp.With)
        if (within is not None and within.recursive) or not union.args.get("distinct", True):
            continue
        if isinstance(union, exp.Union):
            made = _distinct(union)
            if made is not None:
                tree = made if union is tree else tree
                union.replace(made)
                made.from_(union.subquery("united"), copy=False)
        elif isinstance(union.this, exp.Select) and _names(union) and not union.this.args.get("limit"):
            first, whole = union.this, exp.select("*")
            first.replace(whole)
            whole.from_(first.distinct(copy=False).limit(-1, copy=False).subquery("first"), copy=False)
    return tree


def _names(union: exp.SetOperation) -> list[str]:
    """Return the names of the columns of *union*; nothing where two have the same, or they are not told."""
    names = [each.alias_or_name.lower() for each in union.selects]
    return [] if len(set(names)) < len(names) or "*" in names else names


def _distinct(union: exp.Union) -> exp.Select | None:
    """Return what is to select from *union*; None where its columns cannot be told by their names."""
    if not _names(union):
        return None
    made = exp.select("*").distinct()
    for part in ("with_", "order", "limit", "offset"):
        made.set(part, union.args.get(part))
        union.set(part, None)
    union.set("distinct", False)
    return made
