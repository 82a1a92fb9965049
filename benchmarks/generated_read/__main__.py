"""Plays them all: `python -m benchmarks.generated_read`."""

from __future__ import annotations

import argparse

from benchmarks.generated_read.replay import KINDS, play, readings
from intercode.report.statistics import wilson


def main() -> None:
    """Play, and print the share that scores 1 with its 95 % interval, and the requests whose reading scores less."""
    parser = argparse.ArgumentParser(description="Replay the golds that were written from the text alone.")
    parser.add_argument("kinds", nargs="*", default=KINDS, metavar="KIND", help=f"of {', '.join(KINDS)}; all of them")
    for kind in parser.parse_args().kinds:
        verdicts = list(play(kind, readings(kind)))
        values = [each.value for each in verdicts if each.value is not None]
        good, within = values.count(1.0), wilson(values.count(1.0), len(values))
        print(f"{kind}: {good} of {len(values)} score 1 (95 % interval {within.low:.1%} to {within.high:.1%})")
        print(f"  {len(verdicts) - len(values)} requests are not made any more")
        for each in verdicts:
            if each.value is not None and each.value < 1:
                print(f"  {each.value:.2f} {each.reading.split} {each.reading.index}: {each.reading.query}")


if __name__ == "__main__":
    main()
