"""studies/downstream: the rows are the plan's, its report and its intervals follow from them, and rows are had again by --only."""

import csv
import json
import os
import pathlib
import shutil
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
COMPARISONS = json.loads((STUDY / "verdicts.json").read_text())["comparisons"]
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
            self.assertEqual([name_of(row) for row in rows_of(name)], [one.name for one in ones])
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

    def test_rows_that_cannot_be_used_are_named(self):
        good = (STUDY / "pretraining.csv").read_text().splitlines(keepends=True)
        twice, line = [*good, good[1]], len(good) + 1
        for lines, said in ((twice, f"pretraining.csv:{line}] expected each run once, got sum/1"), ([*good, "sum,9\n"], f":{line}] expected 9 values, got another number"),
                            ([*good, good[1].replace("sum", "sun")], f":{line}] expected a run of the plan, got sun/1"),
                            ([good[0].replace("arm", "arn"), *good[1:]], "pretraining.csv] expected a column 'arm', got arn, seed")):  # fmt: skip
            with tempfile.TemporaryDirectory() as folder:
                (pathlib.Path(folder) / "plan.json").write_text(PLAN.text)
                (pathlib.Path(folder) / "pretraining.csv").write_text("".join(lines))
                for script in (("write_downstream",), ("run_downstream", folder, folder)):
                    done = subprocess.run([sys.executable, SCRIPTS / script[0], *script[1:], "--study", folder], capture_output=True, text=True)
                    self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
                    self.assertIn(said, done.stderr)
                self.assertEqual(len(list(pathlib.Path(folder).iterdir())), 2)

    def test_a_number_changed_in_the_report_is_noticed(self):
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(STUDY, folder, dirs_exist_ok=True)
            report = pathlib.Path(folder) / "index.html"
            report.write_text(report.read_text().replace("<td class=number>5.176</td>", "<td class=number>9.999</td>"))
            checked = subprocess.run([sys.executable, SCRIPTS / "write_downstream", "--study", folder, "--check"], capture_output=True, text=True)
            self.assertEqual((checked.returncode, checked.stderr), (1, "expected index.html as the rows have it, got another: scripts/write_downstream writes it\n"))

    def test_intervals_are_those_of_a_paired_t_test(self):
        """SciPy's, from the rows alone."""
        for block, of_block in PLAN.json["blocks"].items():
            scores = self.scores(of_block)
            comparisons = [one for one in COMPARISONS if one["family"].startswith(f"{block}, ")]
            self.assertEqual(len(comparisons), 16 if "rivals" in of_block else 6 * (len(of_block["arms"]) - 1), block)
            for one in comparisons:
                both = [scores[one["task"], name] for name in (one["arm"], one["against"])]
                seeds = [str(seed) for seed in PLAN.seeds(block)]
                self.paired(one, *([statistics.mean(its[seed]) for seed in seeds] for its in both))

    def test_intervals_of_what_was_asked_for_afterwards(self):
        """At the seeds that both arms have."""
        scores = self.scores(PLAN.first_block())
        comparisons = [one for one in COMPARISONS if one["family"] == "afterwards"]
        self.assertEqual(len(comparisons), 9)
        for one in comparisons:
            both = [scores[one["task"], name] for name in (one["arm"], one["against"])]
            self.paired(one, *([statistics.mean(its[seed]) for seed in both[0] if seed in both[1]] for its in both))

    def test_ways_to_read_are_compared_text_by_text(self):
        answers = rows_of("long_answers")
        comparisons = [one for one in COMPARISONS if one["task"] == "long texts"]
        self.assertEqual(len(comparisons), 21)  # each of seven with each
        for one in comparisons:
            self.paired(one, *([100 * int(row[way]) for row in answers] for way in (one["arm"], one["against"])))

    def scores(self, of_block):
        """{(measure, arm): {seed of pre-training: values}}"""
        scores = {}
        for row in rows_of("finetuning"):
            if int(row["finetuning_seed"]) in of_block["seeds"]:
                of_curve = f"{row['task']} of {'all' if row['examples'] == '0' else row['examples']}"
                name = of_curve if "rivals" in of_block else row["task"] if row["examples"] == "0" else None
                scores.setdefault((name, row["arm"]), {}).setdefault(row["seed"], []).append(100 * float(row["score"]))
        for row in rows_of("pretraining"):
            scores.setdefault(("masked loss", row["arm"]), {})[row["seed"]] = [float(row["masked_loss"])]
            scores.setdefault(("next sentence", row["arm"]), {})[row["seed"]] = [100 * float(row["pair_accuracy"])]
        return scores

    def paired(self, comparison, arm, against):
        theirs = scipy.stats.ttest_rel(arm, against)
        np.testing.assert_allclose(comparison["p_difference"], theirs.pvalue, rtol=1e-6)
        np.testing.assert_allclose(comparison["interval"], theirs.confidence_interval(), rtol=1e-6, atol=1e-9)

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
