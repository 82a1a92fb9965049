import unittest

from bookings import Calendar, Span


class CalendarTest(unittest.TestCase):
    def setUp(self):
        self.calendar = Calendar()

    def test_a_room_cannot_be_had_twice(self):
        self.calendar.book("anna", 9, 11)
        with self.assertRaisesRegex(ValueError, "anna has it from 9 to 11"):
            self.calendar.book("ben", 10, 12)

    def test_cancelled_bookings_are_gone(self):
        self.calendar.book("anna", 9, 10)
        self.calendar.book("anna", 14, 15)
        self.assertEqual(self.calendar.cancel("anna"), 2)
        self.assertEqual(self.calendar.busy(), [])

    def test_what_is_not_booked_is_free(self):
        self.calendar.book("anna", 10, 12)
        self.assertEqual(self.calendar.free(8, 18), [Span(8, 10), Span(12, 18)])


if __name__ == "__main__":
    unittest.main()
