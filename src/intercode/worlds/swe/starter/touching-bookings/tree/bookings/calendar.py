"""One room's bookings."""

from bookings.span import Span, merge


class Calendar:
    """Bookings of one room, by who made them."""

    def __init__(self):
        self._booked = []

    def book(self, who, start, end):
        """Book the room. Raises ValueError, naming who has it, if it is taken at any moment of that time."""
        wanted = Span(start, end)
        for owner, span in self._booked:
            if span.meets(wanted):
                raise ValueError(f"{owner} has it from {span.start} to {span.end}")
        self._booked.append((who, wanted))
        return wanted

    def cancel(self, who):
        """Drop all bookings of `who`, and say how many there were."""
        kept = [(owner, span) for owner, span in self._booked if owner != who]
        dropped = len(self._booked) - len(kept)
        self._booked = kept
        return dropped

    def busy(self):
        """The times at which somebody has it."""
        return merge([span for _, span in self._booked])

    def free(self, start, end):
        """The gaps between `start` and `end`."""
        gaps, here = [], start
        for span in self.busy():
            if span.start > here:
                gaps.append(Span(here, min(span.start, end)))
            here = max(here, span.end)
            if here >= end:
                return gaps
        gaps.append(Span(here, end))
        return gaps
