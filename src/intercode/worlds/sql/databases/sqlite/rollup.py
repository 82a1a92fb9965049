"""GROUP BY … WITH ROLLUP as one query for each length of the list of keys, from all of them to none."""

from __future__ import annotations

from sqlglot import exp

from intercode.worlds.sql.databases.sqlite.having import is_aggregated
from intercode.worlds.sql.databases.sqlite.unsupported import WAY_OUT, UnsupportedStatementError

REASON = f"GROUP BY … WITH ROLLUP of that form: {WAY_OUT}"


def roll_up(tree: exp.Expr) -> exp.Expr:
    """Return *tree* with every GROUP BY … WITH ROLLUP in it written out.

    Raises:
        UnsupportedStatementError: For columns beside groups, GROUPING, and an order that is not of selected columns.
    """
    for query in list(tree.find_all(exp.Select)):
        group = query.args.get("group")
        if group is None or not any(group.args.get(form) for form in ("rollup", "cube", "grouping_sets")):
            continue
        made = _united(query, _keys(query, group))
        if query is tree:
            tree = made
        else:
            query.replace(made)
    return tree


def _keys(query: exp.Select, group: exp.Group) -> list[exp.Expr]:
    """Return what *query* is grouped by, its names and numbers of selected columns replaced by those."""
    rolled = [key for form in group.args.get("rollup") or () for key in form.expressions]
    listed = group.expressions or rolled
    shown = {each.alias.lower(): each.this for each in query.expressions if isinstance(each, exp.Alias)}
    keys: list[exp.Expr] = []
    for key in listed:
        if key.is_int:
            raise UnsupportedStatementError(REASON)
        keys.append(shown.get(key.name.lower(), key) if isinstance(key, exp.Column) and not key.table else key)
    return keys


def _united(query: exp.Select, keys: list[exp.Expr]) -> exp.Expr:
    order, limit = query.args.get("order"), query.args.get("limit")
    names = {each.alias_or_name.lower() for each in query.expressions}
    if order and not all(each.this.name.lower() in names for each in order.expressions):
        raise UnsupportedStatementError(REASON)
    plain = query.copy()
    for part in ("order", "limit", "group"):
        plain.set(part, None)
    selects = [_part(plain, keys, count) for count in range(len(keys), -1, -1)]
    made: exp.Expr = selects[0]
    for select in selects[1:]:
        made = exp.Union(this=made, expression=select, distinct=False)
    for each in order.expressions if order else ():
        each.this.set("table", None)
    made.set("order", order)
    made.set("limit", limit)
    return made


def _part(query: exp.Select, keys: list[exp.Expr], count: int) -> exp.Select:
    """Return *query* grouped by the first *count* of its keys, in which the others are NULL."""
    made, gone = query.copy(), [key.sql() for key in keys[count:]]
    known = [*(key.sql() for key in keys), *(each.alias for each in made.expressions)]
    for part in (*made.expressions, *([made.args["having"]] if made.args.get("having") else [])):
        for node in list(part.walk(prune=lambda node: is_aggregated(node) or node.sql() in known)):
            if node.sql() in gone and not isinstance(node, exp.Alias):
                node.replace(exp.alias_(exp.null(), node.name, quoted=True) if node is part else exp.null())
            elif (isinstance(node, exp.Column) and node.sql() not in known) or node.name.lower() == "grouping":
                raise UnsupportedStatementError(REASON)
    for joined in list(made.find_all(exp.GroupConcat)):
        if not isinstance(joined.this, exp.Order):  # servers go through the rows in the order of their groups
            if len(keys) > 1:
                raise UnsupportedStatementError(REASON)
            joined.set("this", exp.Order(this=joined.this, expressions=[exp.Ordered(this=keys[0].copy())]))
    made.group_by(*(key.copy() for key in keys[:count] or [exp.null()]), copy=False)
    return made
