"""From text to rows."""


class CellError(ValueError):
    """Text that is no table; the message names the line."""


def parse(text):
    """The rows of `text`, each a list of fields. Lines end with \\n or \\r\\n; blank lines are left out."""
    rows = []
    for number, line in enumerate(text.splitlines(), 1):
        if line:
            rows.append(_fields(line, number))
    return rows


def records(text):
    """The rows below the first as dictionaries, which the first has the names for."""
    rows = parse(text)
    if not rows:
        return []
    names = rows[0]
    found = []
    for row in rows[1:]:
        if len(row) != len(names):
            raise CellError(f"a row of {len(row)} fields, and {len(names)} names")
        found.append(dict(zip(names, row)))
    return found


def _fields(line, number):
    fields, field, quoted = [], "", False
    for character in line:
        if character == '"':
            quoted = not quoted
        elif character == "," and not quoted:
            fields.append(field)
            field = ""
        else:
            field += character
    if quoted:
        raise CellError(f"line {number}: a quote is not closed")
    return [*fields, field]
