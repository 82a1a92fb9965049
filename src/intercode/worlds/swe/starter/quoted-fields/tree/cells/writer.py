"""From rows to text."""


def text(rows):
    """`rows` as text, a line for each; what needs quotes gets them."""
    return "".join(",".join(_quoted(str(field)) for field in row) + "\n" for row in rows)


def _quoted(field):
    if "," in field or '"' in field or "\n" in field or "\r" in field:
        return '"' + field.replace('"', '""') + '"'
    return field
