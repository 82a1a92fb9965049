"""Words of a text, or of a list."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.python import words
from intercode_generate.python.pieces import Piece, choice
from intercode_generate.python.registry import family
from intercode_generate.python.sketch import Sketch

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
        {
            "keep": words.condition(draw, level),
            "change": words.change(draw, level),
            "mark": Piece(mark, mark, mark, (" ",)),
        },
        wrong=(
            "def NAME(text):\n    return ''.join(<change:word> + '<mark>' for word in text.split() if <keep:word>)",
            "def NAME(text):\n    return '<mark>'.join(sorted(<change:word> for word in text.split() if <keep:word>))",
        ),
        rules=("If no word is left, or the text is empty, return an empty text.",),
    )


@family(
    "Write {call}: it returns a list of each word in the list `words` that {keep}, as often as it is there, in this "
    "order: {order}.",
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
    turned = "[::-1]" if falls else ""
    other = f"[w for k in sorted({{{about} for w in @}}){turned} for w in {base} if {about} == k]"
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
            "keep": words.condition(draw, level),
            "order": Piece(said, one, other, (blind, flipped, "@", "sorted(@)"), steps=2),
        },
        rules=("If there are none, return an empty list.",),
    )


@family(
    "Write {call}: it returns how many of the words in the list `words` meet this: the word {keep}. {twice}",
    "How many words of the list `words` (small letters only) are there such that the word {keep}? Return the number. "
    "[Define|Write] it as {call}. {twice}",
    "{call} counts words. A word of the list `words` counts if it meets this condition: it {keep}. {twice}",
)
def counted(draw: Draw, level: Difficulty) -> Sketch:
    """Return how many words meet a condition."""
    once = draw.chance(0.5)
    texts = ("A word that occurs several times counts once.", "A word that occurs several times counts each time.")
    twice = choice(*((texts[0], "set(words)", "words") if once else (texts[1], "words", "set(words)")))
    weight = draw.pick(
        [
            Piece("", "1", "1", ("len(word)",), steps=0),
            Piece("It does not count as 1, but as much as it has letters.", "len(word)", "len(list(word))", ("1",)),
            Piece(
                "It does not count as 1, but as 2 if its first and last letter are the same.",
                "1 + (word[0] == word[-1])",
                "(2 if word[0] == word[-1] else 1)",
                ("1", "1 + (word == word[::-1])"),
            ),
        ]
        if level != "easy"
        else [Piece("", "1", "1", ("len(word)",), steps=0)]
    )
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
        {"keep": words.condition(draw, level), "twice": twice, "weight": weight},
        rules=(*((weight.text,) if weight.text else ()), "An empty list gives 0."),
    )
