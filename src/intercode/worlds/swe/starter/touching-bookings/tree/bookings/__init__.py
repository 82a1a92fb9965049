from bookings.calendar import Calendar
from bookings.span import Span, merge

__all__ = ["Calendar", "Span", "merge"]
