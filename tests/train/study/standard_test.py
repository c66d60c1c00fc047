"""The studies that come with summand: each report follows from its plan and its rows; a row is had again by --only."""

import csv
import json
import pathlib
import random
import shutil
import subprocess
import tempfile
import unittest

import summand_testing

SUMMAND = summand_testing.BIN / "summand"
STUDIES = sorted(folder.parent for folder in (summand_testing.ROOT / "studies").glob("*/rows.csv"))
ELSEWHERE = 0.03  # of the gap: how far a run may end from its row on another processor


def report(folder, plan):
    done = subprocess.run([SUMMAND, "study", plan, "-o", folder, "--report-only"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def rows_of(study):
    return list(csv.DictReader((study / "rows.csv").open()))


def files_in(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*.svg")) + [pathlib.Path(name) for name in ("verdicts.json", "index.html")]


class Standard(unittest.TestCase):
    def test_reports_follow_from_plan_and_rows(self):
        self.assertIn("standard", [study.name for study in STUDIES])
        for study in STUDIES:
            with self.subTest(study.name), tempfile.TemporaryDirectory() as scratch:
                again = pathlib.Path(scratch)
                shutil.copy(study / "rows.csv", again)
                report(again, study / "plan.json")
                self.assertEqual(files_in(study), files_in(again))
                for name in files_in(study):
                    self.assertEqual((study / name).read_bytes(), (again / name).read_bytes(), name)

    def test_every_planned_run_has_its_row(self):
        for study in STUDIES:
            with self.subTest(study.name):
                verdicts = json.loads((study / "verdicts.json").read_text())
                self.assertEqual(verdicts["runs"], verdicts["planned"])
                self.assertEqual(len(rows_of(study)), verdicts["planned"])

    def test_arms_of_a_seed_saw_the_same_data(self):
        for study in STUDIES:
            data = {}
            for row in rows_of(study):
                data.setdefault((row["task"].removesuffix("_separated"), row["seed"]), set()).add(row["data"])
            self.assertEqual([key for key, hashes in data.items() if len(hashes) > 1], [], study.name)

    @summand_testing.long
    def test_rows_are_had_again(self):
        study = summand_testing.ROOT / "studies" / "standard"
        drawn = random.Random(1).sample(rows_of(study), 2)
        for row in drawn:
            name = f"{row['task']}/{row['arm']}/{row['seed']}"
            found = []
            with self.subTest(name), tempfile.TemporaryDirectory() as scratch:
                for folder in ("once", "again"):
                    out = pathlib.Path(scratch) / folder
                    subprocess.run([SUMMAND, "study", study / "plan.json", "--only", name, "-o", out], check=True, capture_output=True)
                    found.append((out / "runs" / name / "row.json").read_bytes())
                self.assertEqual(found[0], found[1])
                made = json.loads(found[0])
                self.assertEqual(made["data"], row["data"])
                self.assertLess(abs(made["excess"] - float(row["excess"])) / float(row["gap"]), ELSEWHERE)


if __name__ == "__main__":
    summand_testing.run_cases()
