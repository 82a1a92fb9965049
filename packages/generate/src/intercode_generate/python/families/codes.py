"""Texts in a code: packed, enciphered, with settings in them."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import numbers, words
from intercode_generate.python.pieces import Piece, number
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch
from intercode_sandbox.util.text import pluralize


@family(
    "Write {call}, which shortens a text of small letters by its runs. A run is a stretch of equal letters, as long as "
    "it can "
    "be. A run of at least {least} letters becomes {form}; shorter runs stay as they are. Return the new text.",
    "{call} packs `text`, which has small letters only: wherever the same letter stands {least} times or more in a "
    "row, the "
    "whole stretch is replaced by {form}. The rest is kept.",
    "Define a function {call} for texts of small letters. Equal letters that follow each other are one run. Replace "
    "every run "
    "with {least} or more letters by {form}, leave the other runs alone, and return the outcome.",
)
def packed(draw: Draw, level: Difficulty) -> Sketch:
    """Run-length encoding."""
    one, other = draw.pick([("(", ")"), ("[", "]"), ("<", ">"), ("{", "}")])
    mark = draw.pick("*#:=x")
    forms = [
        ("its letter and then its length", "letter + shown", "shown + letter"),
        ("its length and then its letter", "shown + letter", "letter + shown"),
        (f"its letter, `{mark}` and its length", f"letter + '{mark}' + shown", "letter + shown"),
        (
            f"its length in `{one}{other}` and then its letter",
            f"'{one}' + shown + '{other}' + letter",
            f"letter + '{one}' + shown + '{other}'",
        ),
    ]
    length = numbers.change(draw, level)
    text, form, wrong = draw.pick(forms)
    caps = level != "easy" and draw.chance(0.5)
    if caps:
        text, form, wrong = (
            f"{text}, the letter as a capital",
            *(each.replace("letter", "letter.upper()") for each in (form, wrong)),
        )
    keep = Piece("", "True", "True", ("letter in 'aeiou'",), steps=0)
    exempt = draw.pick(words.FREQUENT) if level == "hard" else ""
    if exempt:
        keep = Piece("", f"letter != '{exempt}'", f"not letter == '{exempt}'", ("True",))
    rules = [f"For the length, write {length.text}, where the number is the length.", "An empty text stays empty."]
    rules += [f"Runs of the letter {exempt} are never replaced."] if exempt else []
    return Sketch(
        "text",
        """
        from itertools import groupby

        def NAME(text):
            found = ''
            for letter, run in groupby(text):
                size = len(list(run))
                shown = str(<length:size>)
                found += <form> if size >= <least> and <keep> else letter * size
            return found
        """,
        """
        def NAME(text):
            found, at = [], 0
            while at < len(text):
                letter, end = text[at], at
                while end < len(text) and text[end] == letter:
                    end += 1
                size = end - at
                shown = str(<length:size>)
                found.append(<form> if <keep> and not size < <least> else text[at:end])
                at = end
            return ''.join(found)
        """,
        lambda it: (it.text(it.draw.pick(["ab", "aat", "eells", "aeit"]) + exempt * 2, 0, 14),),
        (("",), ("a",), ("aaaa",), ("aabbbbccccca",), ("eeeeetttttaab",)),
        {
            "least": number(draw.integer(2, 4), least=2),
            "form": Piece(text, form, form, (wrong,)),
            "keep": keep,
            "length": length,
        },
        rules=tuple(rules),
        steps=2,
    )


@family(
    "Write {call}. In `text`, each small letter from a to z is moved along the alphabet by {by}, going on at the other "
    "end "
    "after {end}; {extra}. Everything else stays as it is. Return the new text.",
    "{call} enciphers a text: every small letter (a to z) is replaced by the one that is {by} in the alphabet, which "
    "counts "
    "as a ring in which z is followed by a, at {end} as well; {extra}. Other characters are kept.",
    "Define a function {call} that returns `text` with its small letters a to z shifted by {by}; the alphabet is a "
    "ring, "
    "also at {end}, and {extra}. Whatever is no small letter does not change.",
)
def shifted(draw: Draw, level: Difficulty) -> Sketch:
    """Return a cipher."""
    by = draw.integer(1, 12) * draw.pick((1, -1))
    end = "z" if by > 0 else "a"
    move = f"{abs(by)} {'place' if abs(by) == 1 else 'places'} {'forward' if by > 0 else 'back'}"
    step = Piece(move, str(by), str(by + 26), (str(-by), str(by + 1)), steps=1)
    every = draw.integer(2, 4)
    skip = draw.pick("aeiou")
    extras = [
        Piece("no letter is left out", "True", "c.islower()", ("c not in 'aeiou'",), steps=0),
        Piece(f"but the letter {skip} is left as it is", f"c != '{skip}'", f"c not in '{skip}'", ("True",)),
        Piece(
            f"but only at the places {every}, {2 * every}, {3 * every} and so on of the text (its first character is "
            f"at "
            "place 1), and letters elsewhere stay",
            f"at % {every} == 0",
            f"not at % {every}",
            (f"at % {every} == 1", "True"),
        ),
        Piece("but vowels (a, e, i, o, u) are left as they are", "c not in 'aeiou'", "not c in 'aeiou'", ("True",)),
    ]
    extra = draw.pick(extras)
    cut, mark = draw.integer(1, 5), draw.pick("!?*+-#=~")
    ends = [
        Piece(
            f"At last, put the text in reverse and `{mark}` after it.",
            f"@[::-1] + '{mark}'",
            f"''.join(reversed(@)) + '{mark}'",
            (f"@ + '{mark}'", "@[::-1]"),
        ),
        Piece(
            f"At last, take away the first {cut} and put `{mark}` in front of the rest.",
            f"'{mark}' + @[{cut}:]",
            f"'{mark}' + ''.join(list(@)[{cut}:])",
            (f"'{mark}' + @[{cut + 1}:]", f"@[{cut}:]"),
        ),
        Piece(
            f"At last, put `{mark}` after the first {cut} (a shorter text gets it at its end).",
            f"@[:{cut}] + '{mark}' + @[{cut}:]",
            f"'{mark}'.join([@[:{cut}], @[{cut}:]])",
            (f"@[:{cut + 1}] + '{mark}' + @[{cut + 1}:]", f"'{mark}' + @"),
        ),
    ]
    last = Piece("", "@", "@", steps=0) if level == "easy" else draw.pick(ends)
    said = last.text.replace(f"first {cut} ", f"first {pluralize(cut, 'character')} ")
    return Sketch(
        "text",
        """
        def NAME(text):
            found = ''
            for at, c in enumerate(text, 1):
                if 'a' <= c <= 'z' and <extra>:
                    c = chr((ord(c) - ord('a') + <by>) % 26 + ord('a'))
                found += c
            return <last:found>
        """,
        """
        def NAME(text):
            letters = 'abcdefghijklmnopqrstuvwxyz'
            found = []
            for at, c in enumerate(text, 1):
                moved = c in letters and <extra>
                found.append(letters[(letters.index(c) + <by>) % 26] if moved else c)
            made = ''.join(found)
            return <last:made>
        """,
        lambda it: (it.text("abcmnxyzaeiou AZ-3", 0, 14),),
        (("",), ("z",), ("a",), ("Zebra x-ray",)),
        {"by": step, "extra": extra, "last": last},
        values={"end": end},
        wrong=(
            """
            def NAME(text):
                return ''.join(chr(ord(c) + <by>) if c.islower() else c for c in text)
            """,
        ),
        rules=(said, "It may be empty: then this holds as well.") if said else ("An empty text stays empty.",),
        steps=2,
    )


@family(
    "Write {call}. `text` is made of parts with `{mark}` between, each of the form KEY{equals}NUMBER: a key of small "
    "letters "
    "and an integer, perhaps with a minus sign. Return a dict from keys to integers. A key that occurs several times "
    "has "
    "{policy}. Parts of any other form are skipped.",
    "{call} reads settings. They are separated by `{mark}` in `text`; a good one is a key (small letters, at least "
    "one), "
    "`{equals}`, and a whole number (digits, perhaps a minus sign in front). The result is a dict with the integers by "
    "their "
    "keys. For a key with several good settings it has {policy}. Settings that are not good are ignored.",
    "Define {call}, which turns a text such as `a{equals}1{mark}b{equals}-2` into the dict `{'a': 1, 'b': -2}`. Parts "
    "stand "
    "between `{mark}`; a part that is not small letters, `{equals}`, and an integer in decimal digits (a minus sign "
    "may come "
    "before them) is left out. If a key is there more than once, its value is {policy}.",
)
def settings(draw: Draw, level: Difficulty) -> Sketch:
    """Return a text read into a dict."""
    mark, equals = draw.pick(";,|/&"), draw.pick("=:~>")
    policy = draw.pick(
        [
            Piece("the first of the numbers", "@[0]", "@[:1][0]", ("@[-1]", "sum(@)")),
            Piece("the last of the numbers", "@[-1]", "@[::-1][0]", ("@[0]", "max(@)")),
            Piece("the sum of the numbers", "sum(@)", "sum(sorted(@))", ("@[-1]", "max(@)")),
            Piece("the largest of the numbers", "max(@)", "sorted(@)[-1]", ("min(@)", "@[-1]")),
            Piece("the smallest of the numbers", "min(@)", "sorted(@)[0]", ("max(@)", "@[0]")),
            Piece(
                "the largest minus the smallest of the numbers (0 for a single one)",
                "max(@) - min(@)",
                "sorted(@)[-1] - sorted(@)[0]",
                ("@[-1] - @[0]", "max(@)"),
            ),
        ]
    )
    keep = numbers.condition(draw, level) if level != "easy" else Piece("", "True", "True", ("number",), steps=0)
    return Sketch(
        "text",
        f"""
        import re

        def NAME(text):
            found = {{}}
            for part in text.split('{mark}'):
                match = re.fullmatch('([a-z]+){equals}(-?[0-9]+)', part)
                if match:
                    number = int(match[2])
                    if <keep:number>:
                        found.setdefault(match[1], []).append(number)
            return {{key: <policy:numbers> for key, numbers in found.items()}}
        """,
        f"""
        def NAME(text):
            found = {{}}
            for part in text.split('{mark}'):
                key, between, value = part.partition('{equals}')
                digits = value[1:] if value.startswith('-') else value
                good = key and all('a' <= c <= 'z' for c in key) and digits and all('0' <= c <= '9' for c in digits)
                if good and between:
                    number = int(value)
                    if <keep:number>:
                        found[key] = found.get(key, []) + [number]
            result = {{}}
            for key in found:
                numbers = found[key]
                result[key] = <policy:numbers>
            return result
        """,
        lambda it: (
            mark.join(
                it.draw.pick(
                    [f"{key}{equals}{it.integer()}"] * 6
                    + [
                        f"{key}{equals}",
                        f"{equals}{it.integer()}",
                        key,
                        f"{key.upper()}{equals}5",
                        f"{key}{equals}1x",
                        "",
                    ]
                )
                for key in [it.draw.pick(["a", "b", "key", "map"]) for _ in range(it.draw.integer(0, 7))]
            ),
        ),
        (
            ("",),
            (f"a{equals}1",),
            (f"a{equals}5{mark}a{equals}-3{mark}a{equals}2",),
            (f"a{equals}{equals}1{mark}{equals}",),
        ),
        {"policy": policy, "keep": keep},
        values={"mark": mark, "equals": equals},
        wrong=(
            f"""
            def NAME(text):
                found = {{}}
                for part in text.split('{mark}'):
                    key, _, value = part.partition('{equals}')
                    if value.isdigit():
                        number = int(value)
                        if <keep:number>:
                            found.setdefault(key, []).append(number)
                return {{key: <policy:numbers> for key, numbers in found.items()}}
            """,
        ),
        rules=(
            *((f"A number counts only if it meets this: the number {keep.text}.",) if keep.text else ()),
            "A text without good parts gives an empty dict.",
        ),
        steps=3,
    )
