"""Calls whose arguments MySQL writes with words between them, as calls with commas: CAST(x AS DATE), INTERVAL 1 DAY."""

from __future__ import annotations

from collections.abc import Sequence

from intercode.databases.dialect.tokenizer import Token

UNITS = frozenset({"microsecond", "second", "minute", "hour", "day", "week", "month", "quarter", "year"})

LIKE_CALLS = frozenset({
    "adddate", "cast", "convert", "date_add", "date_sub", "extract", "mid", "position", "subdate", "substr",
    "substring", "timestampadd", "timestampdiff", "trim",
})  # fmt: skip
"""The names of such calls."""

CASTS = {
    **dict.fromkeys(("signed", "unsigned", "int", "integer", "bigint"), "CAST(mysql_integer({value}) AS INTEGER)"),
    **dict.fromkeys(("decimal", "dec", "numeric", "fixed"), "CAST(mysql_decimal({value}, {scale}) AS NUMERIC)"),
    **dict.fromkeys(("double", "real", "float"), "CAST({value} AS REAL)"),
    **dict.fromkeys(("char", "nchar", "varchar", "character", "mysql_char"), "CAST({value} AS TEXT)"),
    **dict.fromkeys(("datetime", "timestamp"), "mysql_moment({value})"),
    "date": "mysql_day({value})",
    "time": "mysql_clock({value})",
    "binary": "CAST({value} AS BLOB)",
}
"""What a cast to each type is for SQLite; CHAR(5) comes as the call that it looks like."""


def with_commas(call: str, inside: Sequence[Token]) -> str | None:
    """The call of *call* with the arguments *inside* in SQLite's words; None where it will do as it stands."""
    if call in ("cast", "convert"):
        return _cast(inside, call)
    if call in ("date_add", "adddate", "date_sub", "subdate"):
        return _shifted(call, inside)
    if call in ("timestampadd", "timestampdiff"):
        return _between(call, inside)
    if call == "extract":
        return _extract(inside)
    if call == "position":
        wanted, whole = cut(inside, "in")
        return f"locate({text(wanted)}, {text(whole)})" if whole else None
    return _trim(inside) if call == "trim" else _substring(inside)


def cut(inside: Sequence[Token], word: str) -> tuple[Sequence[Token], Sequence[Token]]:
    """What is before and after the last *word* that is in no brackets; nothing after where there is none."""
    depth, place = 0, -1
    for at, token in enumerate(inside):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth == 0 and token.lower == word and token.kind in ("word", "symbol"):
            place = at
    return (inside, ()) if place < 0 else (inside[:place], inside[place + 1 :])


def text(found: Sequence[Token]) -> str:
    """Tokens as text again."""
    return "".join(token.text for token in found).strip()


def shifted(moment: str, amount: str, unit: str, *, back: bool) -> str:
    """A moment, so many units later, or *back*."""
    return f"mysql_shift({moment}, {'-' if back else ''}({amount}), '{unit}')"


def interval(found: Sequence[Token]) -> tuple[str, str, int] | None:
    """The amount and the unit of INTERVAL, which *found* come after, and how many tokens that took."""
    depth = 0
    for at, token in enumerate(found):
        depth += {"(": 1, ")": -1}.get(token.text, 0)
        if depth < 0:
            return None
        if depth == 0 and token.kind == "word" and token.lower in UNITS and text(found[:at]):
            return text(found[:at]), token.lower, at + 1
    return None


def _cast(inside: Sequence[Token], call: str) -> str | None:
    if call == "convert" and (whole := cut(inside, "using"))[1]:
        return f"CAST({text(whole[0])} AS TEXT)"
    value, kind = cut(inside, "as" if call == "cast" else ",")
    words = [token.lower for token in kind if token.kind in ("word", "number")]
    if not words or words[0] not in CASTS:
        return None
    sizes = [word for word in words if word.isdecimal()]
    scale = int(sizes[1]) if len(sizes) > 1 else 0
    if not scale and "mysql_decimal" in CASTS[words[0]]:
        return f"CAST(mysql_decimal({text(value)}, 0) AS INTEGER)"
    made = CASTS[words[0]].format(value=text(value), scale=scale)
    return f"mysql_left({made}, {sizes[0]})" if sizes and "TEXT" in made[-6:] else made


def _shifted(call: str, inside: Sequence[Token]) -> str | None:
    moment, rest = cut(inside, ",")
    found = [token for token in rest if token.kind != "space"]
    if not found:
        return None
    back = call in ("date_sub", "subdate")
    if found[0].lower != "interval":
        return shifted(text(moment), text(rest), "day", back=back)
    said = interval(rest[list(rest).index(found[0]) + 1 :])
    return said and shifted(text(moment), *said[:2], back=back)


def _between(call: str, inside: Sequence[Token]) -> str | None:
    others, last = cut(inside, ",")
    unit, first = cut(others, ",")
    name = text(unit).lower().removeprefix("sql_tsi_")
    if not first or name not in UNITS:
        return None
    if call == "timestampadd":
        return shifted(text(last), text(first), name, back=False)
    return f"timestampdiff('{name}', {text(first)}, {text(last)})"


def _extract(inside: Sequence[Token]) -> str | None:
    unit, moment = cut(inside, "from")
    name, value = text(unit).lower(), text(moment)
    if name == "year_month":
        return f"(year({value}) * 100 + month({value}))"
    return f"{name}({value})" if name in UNITS and value else None


def _substring(inside: Sequence[Token]) -> str | None:
    whole, rest = cut(inside, "from")
    if not rest:
        return None
    start, size = cut(rest, "for")
    return f"substr({', '.join(text(part) for part in (whole, start, size) if part)})"


def _trim(inside: Sequence[Token]) -> str | None:
    unwanted, whole = cut(inside, "from")
    if not whole:
        return None
    words = [token for token in unwanted if token.kind != "space"]
    side = words[0].lower if words and words[0].lower in ("both", "leading", "trailing") else ""
    what = text(words[1:] if side else words) or "' '"
    call = {"leading": "ltrim", "trailing": "rtrim"}.get(side, "trim")
    return f"{call}({text(whole)}, {what})"
