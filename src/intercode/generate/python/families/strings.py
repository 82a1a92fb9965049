"""Words and texts."""

from __future__ import annotations

from intercode.generate.draw import Draw
from intercode.generate.family import Difficulty
from intercode.generate.python import numbers, words
from intercode.generate.python.pieces import Piece, choice, number
from intercode.generate.python.registry import family
from intercode.generate.python.sketch import Sketch

TEXTS = (("",), ("a",), ("tea tea",))


@family(
    "Write {call}. `text` holds words of small letters with one blank between. Of each word that {keep}, take "
    "{change}; "
    "leave out the others. Return what was taken, in order, as one text with `{mark}` between.",
    "{call} gets a text of words (small letters, single blanks between). It returns a text: for each word that {keep}, "
    "{change}, in the order of the words, joined by `{mark}`. Words that do not meet this are skipped.",
    "Define a function {call} that splits `text` at its blanks (there is one between two words), drops every word but "
    "those "
    "of which each {keep}, replaces each word that is left by {change}, and joins them with `{mark}`.",
)
def sentence(draw: Draw, level: Difficulty) -> Sketch:
    """Words of a text, chosen and changed."""
    mark = draw.pick("/+,;:|&")
    return Sketch(
        "text",
        "def NAME(text):\n    return '<mark>'.join(<change:word> for word in text.split() if <keep:word>)",
        """
        def NAME(text):
            found = []
            for word in text.split(' '):
                if word and <keep:word>:
                    found.append(<change:word>)
            return '<mark>'.join(found)
        """,
        lambda it: (" ".join(it.words()),),
        TEXTS,
        {"keep": words.test(draw, level), "change": words.change(draw, level), "mark": Piece(mark, mark, mark, (" ",))},
        wrong=(
            "def NAME(text):\n    return ''.join(<change:word> + '<mark>' for word in text.split() if <keep:word>)",
            "def NAME(text):\n    return '<mark>'.join(sorted(<change:word> for word in text.split() if <keep:word>))",
        ),
        rules=("If no word is left, or the text is empty, return an empty text.",),
    )


@family(
    "Write {call}: it returns the words of the list `words` that {keep}, sorted like this: {order}.",
    "{call} takes a list of words of small letters and returns a list. In it are those words of which each {keep}, "
    "repeats "
    "included. Their order: {order}.",
    "Define {call}, which keeps from the list `words` the words that meet this: the word {keep}. It returns them in "
    "this "
    "order: {order}. A word that is there twice is kept twice.",
)
def sorted_words(draw: Draw, level: Difficulty) -> Sketch:
    """Words in an order."""
    letter = draw.pick(words.FREQUENT)
    keys = [
        ("the number of letters", "len(@)"),
        (f"how often the letter {letter} is in the word", f"@.count('{letter}')"),
        ("the last letter", "@[-1]"),
        ("the word read backwards", "@[::-1]"),
        ("the number of different letters", "len(set(@))"),
        ("the alphabetically largest letter of the word", "max(@)"),
    ]
    text, key = draw.pick(keys)
    falls, ties = draw.chance(0.5), draw.chance(0.5)
    said = f"by {text}, {'largest (or last in the alphabet)' if falls else 'smallest (or first in the alphabet)'} first"
    said += ", and where that is equal, " + ("in alphabetical order" if ties else "in the order of the list")
    base = "sorted(@)" if ties else "@"
    reverse = ", reverse=True" if falls else ""
    about = key.replace("@", "w")
    one = f"sorted({base}, key=lambda w: {about}{reverse})"
    flipped = f"sorted({base}, key=lambda w: {about}{'' if falls else ', reverse=True'})"
    blind = f"sorted({'@' if ties else 'sorted(@)'}, key=lambda w: {about}{reverse})"
    step = "sorted" if not falls else "reversed_sorted"
    other = f"[w for k in {step}({{{about} for w in @}}) for w in {base} if {about} == k]".replace(
        "reversed_sorted(", "sorted("
    )
    if falls:
        other = f"[w for k in sorted({{{about} for w in @}})[::-1] for w in {base} if {about} == k]"
    return Sketch(
        "words",
        "def NAME(words):\n    kept = [word for word in words if <keep:word>]\n    return <order:kept>",
        """
        def NAME(words):
            kept = []
            for word in words:
                if <keep:word>:
                    kept.append(word)
            return <order:kept>
        """,
        lambda it: (it.words(),),
        (([],), (["a"],), (["tea", "eat", "ate"],), (["seed", "deed", "egg", "seed"],)),
        {
            "keep": words.test(draw, level),
            "order": Piece(said, one, other, (blind, flipped, "@", "sorted(@)"), steps=2),
        },
        rules=("If there are none, return an empty list.",),
    )


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
    one, other = draw.pick(["()", "[]", "<>", "{}"])
    mark = draw.pick("*#:=x")
    forms = [
        ("its letter and then its length", "letter + str(size)", "str(size) + letter"),
        ("its length and then its letter", "str(size) + letter", "letter + str(size)"),
        (f"its letter, `{mark}` and its length", f"letter + '{mark}' + str(size)", "letter + str(size)"),
        (f"its length in `{one}{other}` and then its letter", f"'{one}' + str(size) + '{other}' + letter",
         f"letter + '{one}' + str(size) + '{other}'"),
        (f"its letter and then `{mark}`", f"letter + '{mark}'", f"'{mark}' + letter"),
    ]  # fmt: skip
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
    rules = ("An empty text stays empty.",) + ((f"Runs of the letter {exempt} are never replaced.",) if exempt else ())
    return Sketch(
        "text",
        """
        from itertools import groupby

        def NAME(text):
            found = ''
            for letter, run in groupby(text):
                size = len(list(run))
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
                found.append(<form> if <keep> and not size < <least> else text[at:end])
                at = end
            return ''.join(found)
        """,
        lambda it: (it.text(it.draw.pick(["ab", "aat", "eells", "aeit"]) + exempt * 2, 0, 14),),
        (("",), ("a",), ("aaaa",), ("aabbbbccccca",), ("eeeeetttttaab",)),
        {"least": number(draw.integer(2, 4), least=2), "form": Piece(text, form, form, (wrong,)), "keep": keep},
        rules=rules,
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
    """A cipher."""
    by = draw.integer(1, 12) * draw.pick((1, -1))
    end = "z" if by > 0 else "a"
    said = f"{abs(by)} {'place' if abs(by) == 1 else 'places'} {'forward' if by > 0 else 'back'}"
    step = Piece(said, str(by), str(by + 26), (str(-by), str(by + 1)), steps=1)
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
    extra = extras[0] if level == "easy" else draw.pick(extras[1:])
    return Sketch(
        "text",
        """
        def NAME(text):
            found = ''
            for at, c in enumerate(text, 1):
                if 'a' <= c <= 'z' and <extra>:
                    c = chr((ord(c) - ord('a') + <by>) % 26 + ord('a'))
                found += c
            return found
        """,
        """
        def NAME(text):
            letters = 'abcdefghijklmnopqrstuvwxyz'
            found = []
            for at, c in enumerate(text, 1):
                moved = c in letters and <extra>
                found.append(letters[(letters.index(c) + <by>) % 26] if moved else c)
            return ''.join(found)
        """,
        lambda it: (it.text("abcmnxyzaeiou AZ-3", 0, 14),),
        (("",), ("z",), ("a",), ("Zebra x-ray",)),
        {"by": step, "extra": extra},
        values={"end": end},
        wrong=(
            """
            def NAME(text):
                return ''.join(chr(ord(c) + <by>) if c.islower() else c for c in text)
            """,
        ),
        rules=("An empty text stays empty.",),
        steps=2,
    )


@family(
    "Write {call}: it returns how many of the words in the list `words` meet this: the word {keep}. {twice}",
    "How many words of the list `words` (small letters only) are there such that the word {keep}? Return the number. "
    "[Define|Write] it as {call}. {twice}",
    "{call} counts words. A word of the list `words` counts if it meets this condition: it {keep}. {twice}",
)
def counted(draw: Draw, level: Difficulty) -> Sketch:
    """How many words meet a condition."""
    once = draw.chance(0.5)
    texts = ("A word that occurs several times counts once.", "A word that occurs several times counts each time.")
    twice = choice(*((texts[0], "set(words)", "words") if once else (texts[1], "words", "set(words)")))
    weight = draw.pick(
        [
            Piece("", "1", "1", ("len(word)",), steps=0),
            Piece("It does not count as 1, but as much as it has letters.", "len(word)", "len(list(word))", ("1",)),
            Piece("It does not count as 1, but as 2 if its first and last letter are the same.",
                  "1 + (word[0] == word[-1])", "(2 if word[0] == word[-1] else 1)", ("1", "1 + (word == word[::-1])")),
        ]
        if level != "easy" else [Piece("", "1", "1", ("len(word)",), steps=0)]
    )  # fmt: skip
    loop = "sorted(set(words))" if once else "list(words)"
    return Sketch(
        "words",
        "def NAME(words):\n    return sum(<weight> for word in <twice> if <keep:word>)",
        f"""
        def NAME(words):
            count = 0
            for word in {loop}:
                if <keep:word>:
                    count += <weight>
            return count
        """,
        lambda it: (it.words(0, 9),),
        (([],), (["a"],), (["tea", "tea"],)),
        {"keep": words.test(draw, level), "twice": twice, "weight": weight},
        rules=(*((weight.text,) if weight.text else ()), "An empty list gives 0."),
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
    """A text read into a dict."""
    mark, equals = draw.pick(";,|/&"), draw.pick("=:~>")
    policy = draw.pick(
        [
            Piece("the first of the numbers", "@[0]", "@[:1][0]", ("@[-1]", "sum(@)")),
            Piece("the last of the numbers", "@[-1]", "@[::-1][0]", ("@[0]", "max(@)")),
            Piece("the sum of the numbers", "sum(@)", "sum(sorted(@))", ("@[-1]", "max(@)")),
            Piece("the largest of the numbers", "max(@)", "sorted(@)[-1]", ("min(@)", "@[-1]")),
            Piece("the smallest of the numbers", "min(@)", "sorted(@)[0]", ("max(@)", "@[0]")),
            Piece("the largest minus the smallest of the numbers (0 for a single one)", "max(@) - min(@)",
                  "sorted(@)[-1] - sorted(@)[0]", ("@[-1] - @[0]", "max(@)")),
        ]
    )  # fmt: skip
    keep = numbers.test(draw, level) if level != "easy" else Piece("", "True", "True", ("number",), steps=0)
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
