"""The SQL world: statements on a database."""

from pathlib import Path

from intercode.world_specs.spec import WorldSpec
from intercode.worlds.sql.first_looks import first_looks

SPEC = WorldSpec(
    "sql",
    title="SQL",
    language="sql",
    fences=("sql", "mysql", "mariadb"),
    tool="run_query",
    tool_argument="query",
    has_criteria=False,
    starter="starter-sql",
    material="databases",
    template=Path(__file__).parent / "template",
    prompts=Path(__file__).parent / "prompts",
    reading_words=("show", "desc", "describe", "explain", "use"),
    first_looks=first_looks,
    adversaries="intercode.worlds.sql.adversaries:ADVERSARIES",
)
