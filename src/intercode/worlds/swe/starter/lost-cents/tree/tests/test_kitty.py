import unittest

from kitty import Ledger, parse, shares, show


class MoneyTest(unittest.TestCase):
    def test_amounts_are_read(self):
        for text, cents in (("12", 1200), ("12.5", 1250), ("0.05", 5)):
            with self.subTest(text=text):
                self.assertEqual(parse(text), cents)

    def test_parts_of_cents_are_refused(self):
        with self.assertRaises(ValueError):
            parse("1.234")

    def test_amounts_are_shown(self):
        self.assertEqual([show(cents) for cents in (1200, 1250, 5)], ["12.00", "12.50", "0.05"])

    def test_even_shares(self):
        self.assertEqual(shares(900, 3), [300, 300, 300])


class LedgerTest(unittest.TestCase):
    def test_debts_are_settled(self):
        ledger = Ledger()
        ledger.spend("anna", 900, ["anna", "ben", "chloe"])
        self.assertEqual(sorted(ledger.settle()), [("ben", "anna", 300), ("chloe", "anna", 300)])

    def test_nobody_owes_nothing(self):
        self.assertEqual(Ledger().settle(), [])

    def test_an_expense_for_nobody_is_refused(self):
        with self.assertRaises(ValueError):
            Ledger().spend("anna", 100, [])


if __name__ == "__main__":
    unittest.main()
