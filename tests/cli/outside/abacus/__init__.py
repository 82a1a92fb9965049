"""A world from outside: an abacus with named rods, and a language of its own."""

from intercode.worlds import WorldSpec

READING = ("list",)

SPEC = WorldSpec(
    "abacus",
    title="Abacus",
    language="abacus",
    tool="move_beads",
    tool_argument="moves",
    answer="the number that was asked for, or nothing where none was",
    answer_pattern=r"-?\d+",
    starter="abacus",
    about="an abacus whose rods have names",
    code="a few moves, one a line",
    rules=(
        "The moves: `put ROD NUMBER`, `add ROD OTHER`, `take ROD OTHER`, `show ROD`, and `list`, which shows all rods.",
        "You are judged by the number that you hand in (or else show last), and by what the rods hold in the end.",
    ),
    reading_words=("list", "show"),
    reading_actions=READING,
    says=lambda text: f"say {text}",
)
