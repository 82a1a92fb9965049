"""Groups in the order in which MySQL gives them: as their first rows come, also where what they are sorted by is equal.

SQLite sorts rows to group them, and takes the direction of that from ORDER BY.
"""

from __future__ import annotations

from sqlglot import exp

from intercode.worlds.sql.databases.sqlite.table_shapes import Shapes, named_tables


def order_groups(tree: exp.Expr, shapes: Shapes) -> None:
    """Have the groups of every query in *tree* come in the order of their first rows, if nothing else is said.

    Rows are read in the order of the key of the first table. Where an index is there for the groups of one table, their
    order is that of the index, as it is to SQLite.
    """
    for query in list(tree.find_all(exp.Select)):
        first = None if isinstance(query.parent, exp.SetOperation) else _first_row(query, shapes)
        if first is not None:
            ordered = query.args.get("order")
            terms = [*(ordered.expressions if ordered else ()), exp.Ordered(this=first)]
            query.set("order", exp.Order(expressions=terms))


def _first_row(query: exp.Select, shapes: Shapes) -> exp.Expr | None:
    """Return what tells the first row of each group; None where that is not known, or their order is another."""
    group, tables = query.args.get("group"), named_tables(query)
    if group is None or not tables or query.args.get("distinct"):
        return None
    alias, table = next(iter(tables.items()))
    shape = shapes(table) if table else None
    if shape is None or (len(tables) == 1 and any(key.name.lower() in shape.indexed for key in group.expressions)):
        return None
    return exp.Anonymous(this="min", expressions=[exp.column(shape.key[0], table=alias, quoted=True)])
