"""scripts/run_tests runs the tier that is asked for, prints its slowest entries, and fails where a test fails."""

import pathlib
import subprocess
import tempfile
import unittest

import summand_testing

ENTRIES = """
add_test(quick true)
set_tests_properties(quick PROPERTIES LABELS fast)
add_test(longer sleep 0.3)
set_tests_properties(longer PROPERTIES LABELS slow)
add_test(failing false)
set_tests_properties(failing PROPERTIES LABELS long)
"""


class RunTests(unittest.TestCase):
    def run_tier(self, *arguments):
        with tempfile.TemporaryDirectory() as build:
            pathlib.Path(build, "CTestTestfile.cmake").write_text(ENTRIES)
            return subprocess.run([summand_testing.ROOT / "scripts" / "run_tests", *arguments, build], capture_output=True, text=True)

    def test_short_tier_and_its_slowest_entries(self):
        ran = self.run_tier("short")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        *_, head, first, second = ran.stdout.splitlines()
        self.assertTrue(head.startswith("The slowest of 2 tests, "), head)
        self.assertRegex(first, r"^ +0\.[3-9] s  longer  slow$")
        self.assertRegex(second, r"^ +[0-9.]+ s  quick  fast$")

    def test_a_failing_test_fails_the_run(self):
        ran = self.run_tier("long")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("The slowest of 1 tests, ", ran.stdout)

    def test_an_unknown_tier_is_refused(self):
        ran = self.run_tier("medium")
        self.assertNotEqual(ran.returncode, 0)
        self.assertIn("short|long", ran.stderr)


if __name__ == "__main__":
    unittest.main()
