"""Mutants of golds."""

from intercode_generate.certify.mutation import MOST, mutants


def test_a_mutant_has_another_number_another_program_or_a_flag_less() -> None:
    found = list(mutants("ls -l /x | sort -r | head -n 5", "bash"))
    assert "ls -l /x | sort -r | tail -n 5" in found
    assert "ls -l /x | sort | head -n 5" in found
    assert "ls -l /x | sort -r | head -n 6" in found
    assert len(found) == len(set(found)) <= MOST


def test_sql_is_mutated_whatever_its_case() -> None:
    assert "SELECT a FROM t ORDER BY a DESC" in list(mutants("SELECT a FROM t ORDER BY a asc", "sql"))


def test_no_mutant_is_the_gold() -> None:
    for gold in ("true", "echo 1", "SELECT 1", "return a <= b"):
        for language in ("bash", "sql", "python"):
            assert gold not in list(mutants(gold, language))
