"""Pieces about words of small letters: conditions on them, and what is made of them."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python.inputs import WORDS
from intercode_generate.python.numbers import joined
from intercode_generate.python.pieces import Piece

FREQUENT = "aeiltrsdnog"


def condition(draw: Draw, level: Difficulty = "easy") -> Piece:
    """Return a condition, as a phrase that follows `that`: `has at least 4 letters`."""
    if level == "easy" or (level == "medium" and draw.chance(0.4)):
        return draw.pick(_TESTS)(draw)
    first, second = (make(draw) for make in draw.sample(_TESTS, 2))
    if draw.chance(0.5):
        return joined(first, second, "and", f"{first.text} and also {second.text}")
    return joined(first, second, "or", f"{first.text}, or {second.text}, or both")


def _long(draw: Draw) -> Piece:
    least = draw.integer(3, 6)
    return Piece(f"has at least {least} letters", f"len(@) >= {least}", f"not len(@) < {least}", (f"len(@) > {least}",))


def _short(draw: Draw) -> Piece:
    most = draw.integer(2, 5)
    return Piece(f"has at most {most} letters", f"len(@) <= {most}", f"not len(@) > {most}", (f"len(@) < {most}",))


def _has(draw: Draw) -> Piece:
    letter = draw.pick(FREQUENT)
    return Piece(
        f"contains the letter {letter}",
        f"'{letter}' in @",
        f"@.count('{letter}') > 0",
        (f"'{letter}' not in @", f"@.startswith('{letter}')"),
        letters=letter,
    )


def _lacks(draw: Draw) -> Piece:
    one, other = sorted(draw.sample(FREQUENT, 2))
    return Piece(
        f"contains neither the letter {one} nor the letter {other}",
        f"'{one}' not in @ and '{other}' not in @",
        f"not set(@) & set('{one}{other}')",
        (f"('{one}' not in @ or '{other}' not in @)", f"'{one}{other}' not in @"),
        letters=one + other,
    )


def _begins(draw: Draw) -> Piece:
    low = draw.pick("bcdefghk")
    high = draw.pick("mnoprstu")
    return Piece(
        f"begins with a letter from {low} to {high} (both included)",
        f"'{low}' <= @[0] <= '{high}'",
        f"ord(@[0]) in range(ord('{low}'), ord('{high}') + 1)",
        (f"'{low}' <= @ <= '{high}'", f"'{low}' < @[0] <= '{high}'"),
        letters=low + high,
    )


def _ends(draw: Draw) -> Piece:
    letters = "".join(sorted(draw.sample("aegklmnptrwy", draw.integer(2, 3))))
    said = " or ".join(letters) if len(letters) == 2 else f"{letters[0]}, {letters[1]} or {letters[2]}"
    return Piece(
        f"ends in the letter {said}",
        f"@[-1] in '{letters}'",
        f"@.endswith({tuple(letters)!r})",
        (f"@[0] in '{letters}'", f"@[-1] in '{letters[:-1]}'"),
        letters=letters,
    )


def _vowels(draw: Draw) -> Piece:
    least = draw.integer(2, 3)
    return Piece(
        f"has at least {least} vowels (a, e, i, o, u; repeated ones count each time)",
        f"sum(letter in 'aeiou' for letter in @) >= {least}",
        f"not sum(map(@.count, 'aeiou')) < {least}",
        (f"sum(letter in 'aeiou' for letter in @) > {least}", f"sum(letter in @ for letter in 'aeiou') >= {least}"),
    )


def _before(draw: Draw) -> Piece:
    word = draw.pick(WORDS[8:-8])
    return Piece(
        f"comes before `{word}` in alphabetical order",
        f"@ < '{word}'",
        f"not @ >= '{word}'",
        (f"@ <= '{word}'", f"@ > '{word}'", f"@[0] < '{word[0]}'"),
        letters=word[0],
    )


_TESTS = (_long, _short, _has, _lacks, _begins, _ends, _vowels, _before)


def change(draw: Draw, level: Difficulty = "easy") -> Piece:
    """Return what is made of a word, as a noun: `the word in reverse`.

    Two changes, one after the other, where it is hard.
    """
    first = draw.pick(_CHANGES)(draw)
    if level != "hard":
        return Piece(first.text.replace("#", "the word"), first.one, first.other, first.wrong, letters=first.letters)
    second = draw.pick(_CHANGES)(draw)
    text = f"{second.text.replace('#', 'that result')}, where that result is {first.text.replace('#', 'the word')}"

    def of(outer: str, inner: str) -> str:
        return outer.replace("@", f"({inner})")

    wrong = (
        *(of(each, first.one) for each in second.wrong),
        *(of(second.one, each) for each in first.wrong),
        first.one,
    )
    letters = first.letters + second.letters
    return Piece(text, of(second.one, first.one), of(second.other, first.other), wrong, letters=letters, steps=2)


def _reversed(draw: Draw) -> Piece:
    mark = draw.pick("-+*!%&=~?$^")
    return Piece(
        f"# in reverse, followed by `{mark}`",
        f"@[::-1] + '{mark}'",
        f"''.join(reversed(@)) + '{mark}'",
        (f"@ + '{mark}'", f"'{mark}' + @[::-1]"),
    )


def _prefix(draw: Draw) -> Piece:
    size = draw.integer(2, 5)
    return Piece(
        f"the first {size} characters of # (all, if there are fewer)",
        f"@[:{size}]",
        f"''.join(list(@)[:{size}])",
        (f"@[:{size + 1}]", f"@[-{size}:]"),
    )


def _suffix(draw: Draw) -> Piece:
    size = draw.integer(2, 5)
    return Piece(
        f"the last {size} characters of # (all, if there are fewer)",
        f"@[-{size}:]",
        f"@[::-1][:{size}][::-1]",
        (f"@[-{size + 1}:]", f"@[:{size}]"),
    )


def _without(draw: Draw) -> Piece:
    letter = draw.pick(FREQUENT)
    return Piece(
        f"# without the letter {letter} (each one taken out)",
        f"@.replace('{letter}', '')",
        f"''.join(c for c in @ if c != '{letter}')",
        (f"@.replace('{letter}', '', 1)", f"@.strip('{letter}')"),
        letters=letter,
    )


def _replaced(draw: Draw) -> Piece:
    old, new = draw.pick(FREQUENT), draw.pick("-.*_0123456789")
    return Piece(
        f"# with each letter {old} replaced by `{new}`",
        f"@.replace('{old}', '{new}')",
        f"'{new}'.join(@.split('{old}'))",
        (f"@.replace('{old}', '{new}', 1)", f"@.replace('{old}', '')"),
        letters=old,
    )


def _rotated(draw: Draw) -> Piece:
    by = draw.integer(1, 3)
    return Piece(
        f"# with its first {by} characters moved to its end"
        if by > 1
        else "# with its first character moved to its end",
        f"@[{by}:] + @[:{by}]",
        f"(@ + @)[{by}:len(@)] + @[:{by}]",
        (f"@[{by + 1}:] + @[:{by + 1}]", f"@[-{by}:] + @[:-{by}]"),
    )


def _padded(draw: Draw) -> Piece:
    width, mark = draw.integer(5, 9), draw.pick(".-_*=~+")
    side = draw.pick(("left", "right"))
    one, wrong = ("rjust", "ljust") if side == "left" else ("ljust", "rjust")
    other = f"'{mark}' * ({width} - len(@)) + @" if side == "left" else f"@ + '{mark}' * ({width} - len(@))"
    return Piece(
        f"# filled up on its {side} with `{mark}` to {width} characters (a longer one stays as it is)",
        f"(@).{one}({width}, '{mark}')",
        f"({other})",
        (f"(@).{wrong}({width}, '{mark}')", f"(@).{one}({width + 1}, '{mark}')"),
    )


def _doubled(draw: Draw) -> Piece:
    letter = draw.pick("aeiou")
    return Piece(
        f"# with each letter {letter} doubled",
        f"@.replace('{letter}', '{letter}{letter}')",
        f"''.join(c + c if c == '{letter}' else c for c in @)",
        (f"@.replace('{letter}', '{letter}{letter}', 1)", "''.join(c + c for c in @)"),
        letters=letter,
    )


_CHANGES = (_reversed, _prefix, _suffix, _without, _replaced, _rotated, _padded, _doubled)
