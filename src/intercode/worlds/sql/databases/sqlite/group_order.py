"""Groups in the order in which MySQL gives them: as their first rows come, also where what they are sorted by is equal.

SQLite sorts rows to group them, and takes the direction of that from ORDER BY.
"""

from __future__ import annotations

from sqlglot import exp

from intercode.worlds.sql.databases.sqlite.table_shapes import Shapes, named_tables


def group_by_outer_columns(tree: exp.Expr, shapes: Shapes) -> None:
    """Have subqueries be grouped by a column of the query around them, which is one value there: SQLite finds none."""
    for query in list(tree.find_all(exp.Select)):
        group, own = query.args.get("group"), None
        if group is None or query.find_ancestor(exp.Select) is None:
            continue
        for term in [each for each in group.expressions if isinstance(each, exp.Column)]:
            if term.table:
                is_own = term.table.lower() in named_tables(query)
            else:
                own = own or _own_names(query, shapes)
                is_own = "*" in own or term.name.lower() in own
            if not is_own:
                term.replace(exp.null())


def _own_names(query: exp.Select, shapes: Shapes) -> set[str]:
    """Return by which names *query* knows columns of its own, in lower case; with `*` among them there may be more."""
    source = query.args.get("from_")
    found = {each.alias.lower() for each in query.selects if each.alias}
    for each in [*([source.this] if source else []), *(join.this for join in query.args.get("joins") or ())]:
        if isinstance(each, exp.Subquery):
            found |= {name.lower() for name in each.named_selects}
        else:
            shape = shapes(each.name.lower()) if isinstance(each, exp.Table) and not each.db else None
            found |= shape.columns if shape else {"*"}
    return found


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
