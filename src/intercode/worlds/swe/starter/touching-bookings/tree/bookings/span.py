"""Spans of time, from a start up to, but not including, an end."""

from dataclasses import dataclass


@dataclass(frozen=True, order=True)
class Span:
    start: int
    end: int

    def __post_init__(self):
        if self.end <= self.start:
            raise ValueError(f"a span ends after it begins, not {self.start} to {self.end}")

    @property
    def length(self):
        return self.end - self.start

    def meets(self, other):
        """Whether there is a moment in both."""
        return self.start <= other.end and other.start <= self.end


def merge(spans):
    """The fewest spans that cover the same moments, sorted; those that touch become one."""
    spans.sort()
    merged = []
    for span in spans:
        if merged and merged[-1].meets(span):
            merged[-1] = Span(merged[-1].start, span.end)
        else:
            merged.append(span)
    return merged
