import unittest

from bookings import Span, merge


class SpanTest(unittest.TestCase):
    def test_a_span_has_a_length(self):
        self.assertEqual(Span(3, 7).length, 4)

    def test_a_span_that_ends_before_it_begins_is_refused(self):
        for end in (3, 2):
            with self.subTest(end=end), self.assertRaises(ValueError):
                Span(3, end)

    def test_spans_that_overlap_become_one(self):
        self.assertEqual(merge([Span(5, 8), Span(1, 6)]), [Span(1, 8)])

    def test_spans_apart_stay_apart(self):
        self.assertEqual(merge([Span(5, 6), Span(1, 2)]), [Span(1, 2), Span(5, 6)])


if __name__ == "__main__":
    unittest.main()
