"""Amounts of money are whole cents."""


def parse(text):
    """Cents from an amount as people write it: `12`, `12.5`, `-0.30`. Raises ValueError."""
    whole, _, rest = text.strip().partition(".")
    if len(rest) > 2:
        raise ValueError(f"{text!r} has parts of cents")
    return int(whole) * 100 + int(rest.ljust(2, "0"))


def show(cents):
    """An amount with two digits after the point."""
    return f"{cents // 100}.{cents % 100:02d}"


def shares(cents, count):
    """An amount in `count` shares that differ by a cent at most; the larger ones come first."""
    return [round(cents / count)] * count
