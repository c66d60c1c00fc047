"""SciPy (paired.py) and the program give the same numbers and verdicts, on the rows of every study that comes with summand."""

import csv
import json
import math
import unittest

import paired
import summand_testing

STUDIES = summand_testing.ROOT / "studies"
SAME = ("family", "task", "arm", "measure")
NUMBERS = ("mean", "deviation", "p_difference", "p_equivalent")
TABLES = {"distance_share": 2, "circle_share": 3}  # places in a point of the curve
WORDS = {"larger": "hurts", "smaller": "helps"}  # of measures that are no losses


def share(row, stratum):
    """Of the gap, left unlearned: of all answers, or of those that depend on one thing most."""
    if row["diverged"] == "yes":
        return 1.0 if not stratum else None
    if not stratum:
        return float(row["excess"]) / float(row["gap"])
    for part in row["strata"].split(";"):
        name, excess, gap, _ = part.split(":")
        if name == stratum:
            return float(excess) / float(gap)


def value(row, comparison):
    if "measure" not in comparison:
        return share(row, comparison.get("stratum"))
    return float(row["curve"].split(";")[-1].split(":")[TABLES[comparison["measure"]]])


def differences(rows, comparison):
    found = []
    for (task, arm, seed), row in rows.items():
        other = rows.get((comparison.get("against_task", task), comparison["against"], seed))
        if (task, arm) == (comparison["task"], comparison["arm"]) and other:
            found.append(value(row, comparison) - value(other, comparison))
    return found


def is_close(one, other):
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)


class Paired(unittest.TestCase):
    def test_every_comparison_of_every_study(self):
        files = sorted(STUDIES.glob("*/rows.csv"))
        self.assertGreaterEqual(len(files), 7)
        for file in files:
            plan = json.loads((file.parent / "plan.json").read_text())
            rows = {(row["task"], row["arm"], row["seed"]): row for row in csv.DictReader(file.read_text().splitlines())}
            theirs = json.loads((file.parent / "verdicts.json").read_text())
            ours = [{name: one[name] for name in SAME if name in one} | paired.judged(differences(rows, one), one["margin"], theirs["level"]) for one in theirs["comparisons"]]
            paired.give_verdicts(ours, theirs["level"], [arm for arm, settings in plan["arms"].items() if settings.get("misread")])
            for one, other in zip(ours, theirs["comparisons"], strict=True):
                with self.subTest(study=theirs["study"], comparison=other["name"]):
                    self.assertEqual((one["pairs"], one["above_zero"]), (other["pairs"], other["above_zero"]))
                    self.assertEqual([name for name in NUMBERS if not is_close(one[name], other[name])], [])
                    for name in ("interval", "narrower_interval"):
                        self.assertTrue(all(map(is_close, one[name], other[name])), (one[name], other[name]))
                    self.assertEqual(one["verdict"], WORDS.get(other["verdict"], other["verdict"]))


if __name__ == "__main__":
    summand_testing.run_cases()
