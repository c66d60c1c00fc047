"""studies/downstream: the rows are the plan's, its report and its intervals follow from them, and rows are had again by --only."""

import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import scipy.stats
import summand_testing

SCRIPTS = summand_testing.ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))
from downstream import plan, program  # noqa: E402

STUDY = summand_testing.ROOT / "studies" / "downstream"
PLAN = plan.Plan(STUDY)
FINISHED = False  # rows are still being made
AGAIN = "sum/1/pos/1"
ELSEWHERE = {"masked_loss": 0.05, "score": 0.03}  # how far a run may end from its row on another processor


def rows_of(name):
    file = STUDY / f"{name}.csv"
    return list(csv.DictReader(file.read_text().splitlines())) if file.exists() else []


def name_of(row):
    if "way" in row:
        return f"long/{row['way']}/{row['fold']}"
    if "task" not in row:
        return f"{row['arm']}/{row['seed']}"
    examples = f"-{row['examples']}" if row["examples"] != "0" else ""
    return f"{row['arm']}/{row['seed']}/{row['task']}{examples}/{row['finetuning_seed']}"


class Rows(unittest.TestCase):
    def test_every_run_of_the_plan_has_one_row(self):
        """In the plan's order."""
        by_pretraining = PLAN.by_pretraining(PLAN.json["blocks"])
        planned = {"pretraining": list(by_pretraining), "finetuning": [one for ones in by_pretraining.values() for one in ones], "long_texts": PLAN.long_runs()}
        for name, ones in planned.items():
            names = [one.name for one in ones]
            if not FINISHED:
                made = {name_of(row) for row in rows_of(name)}
                names = [one for one in names if one in made]
            self.assertEqual([name_of(row) for row in rows_of(name)], names)
        answers = rows_of("long_answers")
        self.assertEqual(len(answers), sum(int(row["rows"]) for row in rows_of("long_texts") if row["way"] == "head"))
        for row in rows_of("long_texts"):
            of_fold = [int(one[row["way"]]) for one in answers if one["fold"] == row["fold"]]
            self.assertAlmostEqual(statistics.mean(of_fold), float(row["score"]), 12)

    def test_arms_of_a_seed_predicted_the_same_tokens(self):
        """But for what their options change: the mask rate, the number of steps."""
        seen = {}
        for row in rows_of("pretraining"):
            seen.setdefault((row["seed"], *PLAN.pretraining_options(row["arm"])), set()).add((row["steps"], row["tokens"], row["predicted"]))
        self.assertEqual([key for key, counts in seen.items() if len(counts) > 1], [])

    def test_the_report_follows_from_the_rows(self):
        checked = subprocess.run([sys.executable, SCRIPTS / "write_downstream", "--check"], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_intervals_are_those_of_a_paired_t_test(self):
        """SciPy's, from the rows alone."""
        parts, scores, losses = PLAN.json["blocks"]["parts"], {}, {}
        for row in rows_of("finetuning"):
            if row["examples"] == "0" and int(row["finetuning_seed"]) in parts["seeds"]:
                scores.setdefault((row["task"], row["arm"]), {}).setdefault(row["seed"], []).append(100 * float(row["score"]))
        for row in rows_of("pretraining"):
            losses.setdefault(("masked loss", row["arm"]), {})[row["seed"]] = [float(row["masked_loss"])]
            losses.setdefault(("next sentence", row["arm"]), {})[row["seed"]] = [100 * float(row["pair_accuracy"])]
        scores |= losses
        comparisons = [one for one in json.loads((STUDY / "verdicts.json").read_text())["comparisons"] if one["family"].startswith("parts, ")]
        self.assertEqual(len(comparisons), 6 * (len(parts["arms"]) - 1))
        for one in comparisons:
            both = [scores[one["task"], name] for name in (one["arm"], one["against"])]
            seeds = [str(seed) for seed in PLAN.seeds("parts") if all(len(its.get(str(seed), [])) == len(next(iter(its.values()))) for its in both)]
            arm, against = ([statistics.mean(its[seed]) for seed in seeds] for its in both)
            theirs = scipy.stats.ttest_rel(arm, against)
            np.testing.assert_allclose(one["p_difference"], theirs.pvalue, rtol=1e-6)
            np.testing.assert_allclose(one["interval"], theirs.confidence_interval(), rtol=1e-6, atol=1e-9)

    @summand_testing.long
    def test_two_rows_are_had_again(self):
        """To the same bits where the processor is the rows'; elsewhere the same tokens, and numbers near them."""
        data = summand_testing.shared("data")
        kept = {name_of(row): row for name in ("pretraining", "finetuning") for row in rows_of(name)}
        with tempfile.TemporaryDirectory() as work:
            made = {}
            for name in (AGAIN.rsplit("/", 2)[0], AGAIN):
                done = subprocess.run([sys.executable, SCRIPTS / "run_downstream", data, work, "--only", name], capture_output=True, text=True,
                                      env={**os.environ, "SUMMAND_BUILD": str(summand_testing.BUILD)})  # fmt: skip
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                made[name] = {key: str(value) for key, value in json.loads(done.stdout.splitlines()[-1]).items()}
        for name, row in made.items():
            if kept[name]["processor"] == program.processor():
                self.assertEqual(row, kept[name])
                continue
            print(f"{name}: made on {kept[name]['processor']}, this is {program.processor()}", file=sys.stderr)
            for key in ("arm", "seed", "steps", "tokens", "predicted", "task", "rows", "training_rows", "baseline"):
                self.assertEqual(row.get(key), kept[name].get(key))
            for key, reach in ELSEWHERE.items():
                self.assertAlmostEqual(float(row.get(key, 0)), float(kept[name].get(key, 0)), delta=reach)


if __name__ == "__main__":
    summand_testing.run_cases()
