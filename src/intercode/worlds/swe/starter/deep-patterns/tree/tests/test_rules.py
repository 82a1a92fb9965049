import unittest

from leaveout import Rules


class RulesTest(unittest.TestCase):
    def check(self, text, out=(), kept=()):
        rules = Rules(text)
        for path in out:
            with self.subTest(out=path):
                self.assertTrue(rules.leaves_out(path.rstrip("/"), path.endswith("/")))
        for path in kept:
            with self.subTest(kept=path):
                self.assertFalse(rules.leaves_out(path.rstrip("/"), path.endswith("/")))

    def test_a_name_fits_at_any_depth(self):
        self.check("*.log", out=["a.log", "deep/down/b.log"], kept=["a.txt"])

    def test_a_slash_means_from_the_top(self):
        self.check("/todo\ndocs/build", out=["todo", "docs/build/"], kept=["old/todo", "old/docs/build/"])

    def test_a_slash_at_the_end_means_folders(self):
        self.check("cache/", out=["cache/", "deep/cache/"], kept=["cache"])

    def test_later_rules_override(self):
        self.check("*.log\n!keep.log", out=["a.log"], kept=["keep.log"])

    def test_comments_and_blank_lines_say_nothing(self):
        self.check("# *.txt\n\n   \n", kept=["a.txt"])


if __name__ == "__main__":
    unittest.main()
