"""docs/architecture.md's table of promises says truly which tests hold each: some in every run of `make test`, and no test of
`make test-all` is without a promise."""

import fnmatch
import re
import unittest

import summand_testing
from ctest_entries import ctest_entries

HEAD = "| promise | in `make test` | added by `make test-all` |"


def promises():
    """(promise, names in `make test`, names added) of every row; a name may hold *."""
    lines = iter((summand_testing.ROOT / "docs" / "architecture.md").read_text().splitlines())
    assert HEAD in lines
    next(lines)
    for line in lines:
        if not line.startswith("|"):
            return
        cells = re.split(r"(?<!\\)\|", line)[1:-1]
        yield cells[0].strip(), *(re.findall(r"`([^`]+)`", cell) for cell in cells[1:])


class Promises(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.labels = {name: labels for name, (_, labels) in ctest_entries(summand_testing.BUILD).items()}
        cls.rows = list(promises())
        if "train_arms" not in cls.labels:
            raise unittest.SkipTest("a build without libtorch has not all tests")

    def entries(self, pattern):
        found = fnmatch.filter(self.labels, pattern)
        self.assertTrue(found, f"{pattern}: ctest has no such entry")
        return found

    def test_make_test_holds_every_promise(self):
        self.assertGreater(len(self.rows), 40)
        for promise, every_run, _ in self.rows:
            self.assertTrue(every_run, promise)
            for pattern in every_run:
                for entry in self.entries(pattern):
                    self.assertNotIn("long", self.labels[entry], f"{promise}: {entry}")

    def test_what_make_test_all_adds_is_long(self):
        for promise, _, added in self.rows:
            for pattern in added:
                for entry in self.entries(pattern):
                    self.assertIn("long", self.labels[entry], f"{promise}: {entry}")

    def test_every_long_entry_holds_a_promise(self):
        added = {entry for _, _, names in self.rows for pattern in names for entry in self.entries(pattern)}
        self.assertEqual(sorted(name for name, labels in self.labels.items() if "long" in labels and name not in added), [])

    def test_every_entry_has_one_label_of_its_length(self):
        for name, labels in self.labels.items():
            self.assertEqual(len({"fast", "slow", "long"} & set(labels)), 1, name)


if __name__ == "__main__":
    summand_testing.run_cases()
