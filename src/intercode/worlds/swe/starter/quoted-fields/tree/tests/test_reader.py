import unittest

import cells


class ParseTest(unittest.TestCase):
    def test_rows_and_fields(self):
        self.assertEqual(cells.parse("a,b\n1,2\n"), [["a", "b"], ["1", "2"]])

    def test_windows_line_ends_and_blank_lines(self):
        self.assertEqual(cells.parse("a,b\r\n\r\n1,2"), [["a", "b"], ["1", "2"]])

    def test_a_comma_in_quotes(self):
        self.assertEqual(cells.parse('"Smith, John",7\n'), [["Smith, John", "7"]])

    def test_empty_fields(self):
        self.assertEqual(cells.parse(",,\n"), [["", "", ""]])

    def test_an_open_quote_is_refused(self):
        with self.assertRaisesRegex(cells.CellError, "line 2"):
            cells.parse('a\n"b\n')


class RecordsTest(unittest.TestCase):
    def test_names_come_first(self):
        self.assertEqual(cells.records("name,price\nbread,3\n"), [{"name": "bread", "price": "3"}])

    def test_a_short_row_is_refused(self):
        with self.assertRaises(cells.CellError):
            cells.records("a,b\n1\n")


class TextTest(unittest.TestCase):
    def test_only_what_needs_quotes_gets_them(self):
        self.assertEqual(cells.text([["a b", 'say "hi"', "x,y"]]), 'a b,"say ""hi""","x,y"\n')
