"""`summand lab calibrate`: what it writes, that it goes on where it was, and what it refuses."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import summand_testing

LAB = summand_testing.BIN / "summand-lab"
CHEAP = "norms"  # claim 4.8
TRUTHS = 10


def run(*words):
    return subprocess.run([LAB, "calibrate", *map(str, words)], capture_output=True, text=True)


class Calibrate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.done = run("-o", cls.folder, "--quick", "--only", CHEAP)

    def calibration(self):
        return json.loads((self.folder / "calibration.json").read_text(encoding="utf-8"))

    def claim(self, name):
        return next(claim for claim in self.calibration()["claims"] if claim["claim"] == name)

    def test_it_counts_every_truth_of_every_family(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        claim = self.claim("4.8")
        self.assertEqual(claim["experiment"], CHEAP)
        self.assertTrue({True, False} <= {family["true"] for family in claim["families"]})
        for family in claim["families"]:
            quick = family["quick"]
            counts = sum(quick[key] for key in ("holds", "fails", "cannot_be_told", "not_measured"))
            self.assertEqual((counts, quick["truths"]), (TRUTHS, TRUTHS), family["name"])
            self.assertEqual(quick["number"], sorted(quick["number"]))
            self.assertTrue(family["words"]["en"] and family["words"]["zh"])

    def test_rates_are_those_of_the_counts(self):
        claim = self.claim("4.8")
        for key, is_true in (("power", True), ("false_positive_rate", False)):
            families = [family["quick"] for family in claim["families"] if family["true"] == is_true]
            rate = claim["quick"][key]
            self.assertEqual(rate["seen"], sum(family["holds"] for family in families))
            self.assertEqual(rate["of"], TRUTHS * len(families))
            self.assertAlmostEqual(rate["value"], rate["seen"] / rate["of"])
            low, high = rate["interval"]
            self.assertTrue(0 <= low <= rate["value"] <= high <= 1)

    def test_counts_by_full_draws_stay_as_the_program_was_built_with_them(self):
        shipped = json.loads((summand_testing.ROOT / "lab" / "calibration" / "calibration.json").read_text(encoding="utf-8"))
        before = next(claim for claim in shipped["claims"] if claim["claim"] == "4.8")
        claim = self.claim("4.8")
        self.assertEqual([family["full"] for family in claim["families"]], [family["full"] for family in before["families"]])
        self.assertTrue(all(family["full"]["truths"] > TRUTHS for family in claim["families"]))
        self.assertEqual(claim["full"], before["full"])
        self.assertEqual({one["claim"]: one for one in self.calibration()["claims"]} | {"4.8": before},
                         {one["claim"]: one for one in shipped["claims"]})  # fmt: skip

    def test_the_rule_is_the_one_that_the_program_judges_by(self):
        listed = json.loads(subprocess.run([LAB, "list", "--json"], capture_output=True, text=True, check=True).stdout)
        rules = {rule["claim"]: rule for experiment in listed for rule in experiment["rules"]}
        self.assertEqual(self.claim("4.8")["rule"], rules["4.8"]["hash"])
        here = {each["claim"] for each in self.calibration()["without"]}
        for claim in here:
            self.assertEqual(rules[claim]["kind"], "data")

    def test_what_lies_to_be_told_is_longer_tokens(self):
        by_name = {family["name"]: family["quick"] for family in self.claim("4.8")["families"]}
        self.assertGreater(by_name["longer_tokens"]["number"][2], by_name["longer_positions"]["number"][2])
        self.assertEqual(by_name["longer_positions"]["holds"], 0)

    def test_a_second_run_takes_what_is_there_and_writes_the_same(self):
        before = (self.folder / "calibration.json").read_bytes()
        kept = sorted((self.folder / "truths").iterdir())
        self.assertTrue(kept)
        times = [path.stat().st_mtime_ns for path in kept]
        again = run("-o", self.folder, "--quick", "--only", CHEAP)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(again.stdout, self.done.stdout)
        self.assertEqual((self.folder / "calibration.json").read_bytes(), before)
        self.assertEqual([path.stat().st_mtime_ns for path in kept], times)

    def test_threads_change_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            one = run("-o", folder, "--quick", "--only", CHEAP, "--threads", 1)
            self.assertEqual(one.returncode, 0, one.stderr)
            here = json.loads((pathlib.Path(folder) / "calibration.json").read_text(encoding="utf-8"))
        self.assertEqual(here, self.calibration())

    def test_the_table_is_in_the_language_asked_for(self):
        self.assertIn("4.8", self.done.stdout)
        self.assertIn("power", self.done.stdout)
        self.assertIn("\nmeasured by this command: 4.8 (quick draws); kept as they stood: 4.8 (full draws), the rows of all other claims\n", self.done.stdout)
        chinese = run("-o", self.folder, "--quick", "--only", CHEAP, "--language", "zh")
        self.assertIn("检出率", chinese.stdout)
        self.assertIn("\n由本次命令测量：4.8（快速抽样）；保留原有：4.8（完整抽样）、其余说法的各行\n", chinese.stdout)

    def test_what_is_wrong_is_refused_by_name(self):
        for words, said in (
            (("--quick",), "--output"), (("-o", self.folder, "--only", "norm"), "norms"),
            (("-o", self.folder, "--only", "E77"), "got 'E77'"),
            (("-o", self.folder, "--language", "fr"), "--language: expected one of en, zh, got fr"),
        ):  # fmt: skip
            with self.subTest(words=words):
                refused = run(*words)
                self.assertEqual(refused.returncode, 2)
                self.assertIn(said, refused.stderr)

    def refused_folder(self, folder, said, *options):
        contents = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        refused = run("-o", folder, "--quick", "--only", CHEAP, *options)
        self.assertEqual((refused.returncode, refused.stderr), (2, f"summand: [{folder}] expected {said}\n"))
        self.assertEqual({path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}, contents)

    def test_a_calibration_of_another_seed_is_not_replaced(self):
        self.refused_folder(self.folder, "an empty folder, or one of an earlier calibration with --seed 4; it is of --seed 0", "--seed", 4)

    def test_a_folder_of_anything_else_is_not_written_to(self):
        start = "an empty folder, or one of an earlier calibration; "
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "mine.txt").write_text("mine")
            self.refused_folder(folder, start + "it holds other files")
            (folder / "run.json").write_text('{"program": "summand lab", "checkpoint_hash": "0"}')
            self.refused_folder(folder, start + "its run.json is not of this program")

    def test_a_folder_that_an_earlier_version_wrote_goes_on(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "truths").mkdir()
            (folder / "calibration.json").write_text("{}")
            self.assertEqual(run("-o", folder, "--quick", "--only", CHEAP).returncode, 0)
            self.assertEqual((folder / "calibration.json").read_bytes(), (self.folder / "calibration.json").read_bytes())


if __name__ == "__main__":
    unittest.main()
