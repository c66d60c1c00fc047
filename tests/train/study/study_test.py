"""summand study on a plan of seconds: what it writes, pairing of arms, runs one by one, resumption, divergence, and faults of plans."""

import collections
import concurrent.futures
import copy
import csv
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

import summand_testing

SUMMAND = summand_testing.BIN / "summand"
STEPS, EVERY, SEEDS = 6, 2, (5, 6)
PLAN = {
    "name": "small",
    "model": {
        "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0, "initializer_range": 0.1,
    },
    "training": {"steps": STEPS, "sequences": 4, "learning_rate": 0.003, "warmup": 2, "schedule": "linear"},
    "evaluation": {"sequences": 8, "every": EVERY},
    "margin": 0.02,
    "level": 0.05,
    "arms": {
        "sum": {},
        "none": {"config": {"summand": {"position_kind": "none"}}},
        "gate": {"config": {"summand": {"composition": "vector_gate"}}, "start": "sum"},
        "damaged": {"misread": 0.5},
    },
    "tasks": {"mixed": {"task": "combined", "length": 8, "masked": 2, "also_masked": [1]}, "labels": {"task": "interaction", "length": 8}},
    "cells": [
        {"block": "one", "task": "mixed", "arms": ["sum", "none", "gate", "damaged"], "first_seed": SEEDS[0], "seeds": len(SEEDS)},
        {"block": "two", "task": "labels", "arms": ["sum", "gate"], "first_seed": SEEDS[0], "seeds": len(SEEDS)},
    ],
    "contrasts": [
        {"family": "primary", "task": "mixed", "arm": "sum", "against": "gate"},
        {"family": "assay", "task": "mixed", "arm": "damaged", "against": "sum"},
        {"family": "other", "task": "mixed", "arm": "none", "against": "sum"},
        {"family": "other", "task": "labels", "arm": "sum", "against": "gate", "margin": 0.5},
    ],
}  # fmt: skip
RUNS = [f"{cell['task']}/{arm}/{seed}" for cell in PLAN["cells"] for seed in SEEDS for arm in cell["arms"]]
REPORT = ("verdicts.json", "index.html", "figures")


def start(*words):
    return subprocess.Popen([SUMMAND, "study", *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def study(*words):
    return subprocess.run([SUMMAND, "study", *map(str, words)], capture_output=True, text=True)


def changed(**changes):
    """The plan with other values: changed(arms__sum__misread=0.1)."""
    plan = copy.deepcopy(PLAN)
    for path, value in changes.items():
        *parents, key = [int(part) if part.isdigit() else part for part in path.split("__")]
        place = plan
        for parent in parents:
            place = place[parent]
        if value is None:
            del place[key]
        else:
            place[key] = value
    return plan


def contents(folder):
    """Every file's bytes by path."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def report(folder):
    """The files of the report."""
    return {name: content for name, content in contents(folder).items() if name.split(os.sep)[0] in REPORT}


def rows(folder):
    return list(csv.DictReader((folder / "rows.csv").read_text().splitlines()))


def name_of(row):
    return f"{row['task']}/{row['arm']}/{row['seed']}"


class Studies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        cls.root = pathlib.Path(keep.name)
        cls.plan = cls.write("plan.json", PLAN)
        cls.whole = cls.root / "whole"
        process = study(cls.plan, "-o", cls.whole)
        assert process.returncode == 0, (process.returncode, process.stdout, process.stderr)
        cls.printed = process.stdout

    @classmethod
    def write(cls, name, plan):
        (cls.root / name).write_text(plan if isinstance(plan, str) else json.dumps(plan, indent=1))
        return cls.root / name

    def finished(self, *words, status=0):
        process = study(*words)
        self.assertEqual(process.returncode, status, (process.stdout, process.stderr))
        return process

    def row(self, folder, run):
        return (folder / "runs" / run / "row.json").read_bytes()

    def test_a_study_runs_everything_and_reports(self):
        self.assertEqual({str(path.parent.relative_to(self.whole / "runs")) for path in self.whole.rglob("row.json")}, set(RUNS))
        self.assertEqual([name_of(row) for row in rows(self.whole)], RUNS)
        self.assertEqual((self.whole / "plan.json").read_bytes(), self.plan.read_bytes())
        verdicts = json.loads((self.whole / "verdicts.json").read_text())
        self.assertEqual((verdicts["study"], verdicts["runs"], verdicts["planned"]), ("small", len(RUNS), len(RUNS)))
        self.assertEqual([(one["family"], one["task"], one["arm"], one["against"], one["margin"], one["pairs"]) for one in verdicts["comparisons"]],
                         [(one["family"], one["task"], one["arm"], one["against"], one.get("margin", 0.02), 2) for one in PLAN["contrasts"]])  # fmt: skip
        self.assertEqual({(arm["task"], arm["arm"]) for arm in verdicts["arms"]}, {tuple(run.split("/")[:2]) for run in RUNS})
        page = (self.whole / "index.html").read_text()
        figures = {path.stem: path.read_text() for path in (self.whole / "figures").iterdir()}
        self.assertEqual(set(figures), {"primary", "assay", "other", "gap-mixed", "gap-labels", "curves-mixed", "curves-labels"})
        self.assertTrue(all(figure.startswith("<svg") and figure.rstrip().endswith("</svg>") for figure in figures.values()))
        for contrast in PLAN["contrasts"]:
            self.assertIn(f"{contrast['task']}: {contrast['arm']} − {contrast['against']}", self.printed)
        self.assertIn(str(self.whole / "index.html"), self.printed)
        self.assertIn("</html>", page)

    def test_verdicts_follow_from_the_rows(self):
        left = {name_of(row): float(row["excess"]) / float(row["gap"]) for row in rows(self.whole)}
        for one in json.loads((self.whole / "verdicts.json").read_text())["comparisons"]:
            first, second = (left[f"{one['task']}/{one['arm']}/{seed}"] - left[f"{one['task']}/{one['against']}/{seed}"] for seed in SEEDS)
            self.assertAlmostEqual(one["mean"], (first + second) / 2, delta=1e-12)
            self.assertAlmostEqual(one["deviation"], abs(first - second) / 2**0.5, delta=1e-12)
            self.assertEqual(one["above_zero"], (first > 0) + (second > 0))

    def test_a_row_is_what_its_run_ended_with(self):
        for line in rows(self.whole):
            folder = self.whole / "runs" / name_of(line)
            row = json.loads((folder / "row.json").read_text())
            metrics = [json.loads(text) for text in (folder / "metrics.jsonl").read_text().splitlines()]
            valid = {one["step"]: one["valid"] for one in metrics if "valid" in one}
            self.assertEqual([point["step"] for point in row["curve"]], list(range(EVERY, STEPS + 1, EVERY)))
            self.assertEqual([point["excess"] for point in row["curve"]], [one["excess"] for one in valid.values()])
            self.assertAlmostEqual(row["excess"], valid[STEPS]["excess"], delta=1e-12 * row["excess"])
            self.assertEqual(row["tokens"], STEPS * 4 * 10)  # with [CLS] and [SEP]
            self.assertEqual(line["diverged"], "no")
            for key in ("excess", "gap", "learning_rate", "tokens"):
                self.assertEqual(float(line[key]), row[key], key)
            fewer = row["strata"].pop("1 masked", None)
            self.assertEqual(fewer and fewer["asked"], 8 if row["task"] == "mixed" else None)
            self.assertTrue(fewer is None or 0 < fewer["excess"] < 3 * fewer["gap"], fewer)
            asked = sum(stratum["asked"] for stratum in row["strata"].values())
            self.assertEqual(asked, 8 * (2 if row["task"] == "mixed" else 8))
            mean = sum(stratum["asked"] * stratum["excess"] for stratum in row["strata"].values()) / asked
            self.assertAlmostEqual(mean, row["excess"], delta=1e-12 * row["excess"])
            self.assertEqual("hidden_boundary" in row, row["task"] == "mixed")
            has_table = row["arm"] != "none"
            self.assertTrue(all(("distance_share" in point) == has_table for point in row["curve"]))

    def test_arms_of_a_seed_share_data_and_first_values(self):
        described = {run: json.loads((self.whole / "runs" / run / "run.json").read_text()) for run in RUNS}
        data = {}
        for run, one in described.items():
            task, arm, seed = run.split("/")
            beside = described[f"{task}/sum/{seed}"]
            self.assertEqual(one["data"], beside["data"], run)
            data.setdefault((task, seed), one["data"]["task"])
            tensors, others = one["model"]["tensors"], beside["model"]["tensors"]
            shared = set(tensors) & set(others)
            self.assertEqual({name: tensors[name] for name in shared}, {name: others[name] for name in shared}, run)
            self.assertGreaterEqual(len(shared), 20, run)
            missing = {"embeddings.position_embeddings.weight"} if arm == "none" else set()
            self.assertEqual(set(others) - shared, missing, run)
        self.assertEqual(len(set(data.values())), len(data))  # of other seeds and tasks it is other data
        words = {run: one["model"]["tensors"]["embeddings.word_embeddings.weight"] for run, one in described.items()}
        self.assertNotEqual(words[f"mixed/sum/{SEEDS[0]}"], words[f"mixed/sum/{SEEDS[1]}"])

    def test_runs_one_by_one(self):
        out = self.root / "apart"
        self.finished(self.plan, "--only", RUNS[2], "-o", out)
        self.assertEqual(self.row(out, RUNS[2]), self.row(self.whole, RUNS[2]))
        listed = lambda: [shlex.split(line) for line in self.finished(self.plan, "--list-runs", "-o", out).stdout.splitlines()]
        commands = listed()
        self.assertEqual([words[words.index("--only") + 1] for words in commands], [run for run in RUNS if run != RUNS[2]])
        for place in (0, -1):
            words = commands[place]
            self.assertEqual(words[:2], ["summand", "study"])
            subprocess.run([SUMMAND, *words[1:]], capture_output=True, check=True)
            run = words[words.index("--only") + 1]
            self.assertEqual(self.row(out, run), self.row(self.whole, run))
        self.assertEqual(listed(), commands[1:-1])
        self.finished(self.plan, "--report-only", "-o", out)
        self.assertEqual([name_of(row) for row in rows(out)], [RUNS[0], RUNS[2], RUNS[-1]])
        self.assertEqual(json.loads((out / "verdicts.json").read_text())["runs"], 3)
        self.assertEqual(self.finished(self.plan, "--list-runs", "-o", self.whole).stdout, "")

    def test_a_report_needs_plan_and_rows_alone(self):
        out = self.root / "rows"
        out.mkdir()
        for name in ("plan.json", "rows.csv"):
            shutil.copy(self.whole / name, out)
        self.finished(out / "plan.json", "--report-only", "-o", out)
        self.assertEqual(report(out), report(self.whole))
        self.assertGreaterEqual(len(report(out)), 9)
        lines = (out / "rows.csv").read_text().splitlines()
        lines[2] = lines[2].replace(",no,", ",perhaps,")
        (out / "rows.csv").write_text("\n".join(lines) + "\n")
        self.refused("rows.csv:3] expected yes or no, got 'perhaps'", out / "plan.json", "--report-only", out=out)
        (out / "rows.csv").write_text(lines[0] + "\n")
        self.refused("expected a study with finished runs", out / "plan.json", "--report-only", out=out, status=2)

    def test_a_plan_with_a_question_of_its_own(self):
        plan = copy.deepcopy(PLAN) | {"question": "Which <arm>?"}
        for contrast in plan["contrasts"]:
            contrast["family"] = contrast["family"].replace("primary", "kinds")
        out = self.root / "question"
        out.mkdir()
        shutil.copy(self.whole / "rows.csv", out)
        self.finished(self.write("question.json", plan), "--report-only", "-o", out)
        page, verdicts = (out / "index.html").read_text(), json.loads((out / "verdicts.json").read_text())
        self.assertIn("<h1>Which &lt;arm>?</h1>", page)
        self.assertNotIn("Does adding hurt", page)
        answer = re.search(r'<p class="answer">(.*?)</p>', page)[1]
        said = collections.Counter(one["verdict"] for one in verdicts["comparisons"] if one["family"] != "assay")
        self.assertEqual(dict(re.findall(r"(\w+) (\d+)[,.]", answer)), {word: str(count) for word, count in said.items()})
        self.assertTrue(answer.startswith(f"Of {sum(said.values())} comparisons: "), answer)
        self.assertNotIn("simulated", verdicts)

    def test_an_interrupted_study_goes_on(self):
        plan = self.write("fewer.json", changed(cells=[{**PLAN["cells"][0], "arms": ["sum", "damaged"]}], contrasts=[PLAN["contrasts"][1]]))
        out = self.root / "interrupted"
        process = start(plan, "-o", out, "--jobs", 1)
        while process.poll() is None and not list(out.glob("runs/*/*/*/row.json")):  # rglob would trip over folders that come and go
            time.sleep(0.002)
        process.send_signal(signal.SIGINT)
        error = process.communicate()[1]
        self.assertEqual(process.returncode, 128 + signal.SIGINT, error)
        done = [name_of(row) for row in rows(out)]
        self.assertIn(f"interrupted; {len(done)} of 4 runs are finished", error)
        self.assertTrue(0 < len(done) < 4, done)
        before = contents(out)
        self.refused("where a study began: --resume goes on with it", plan, out=out, status=2)
        self.finished(plan, "-o", out, "--resume", "--jobs", 1)
        header, *lines = (self.whole / "rows.csv").read_text().splitlines()
        expected = [line for line in lines if line.startswith(("mixed,sum,", "mixed,damaged,"))]
        self.assertEqual((out / "rows.csv").read_text().splitlines(), [header, *expected])
        for run in done:  # nothing that was finished was done again
            name = f"runs/{run}/metrics.jsonl"
            self.assertEqual((out / name).read_bytes(), before[name])

    def test_a_killed_run_goes_on(self):
        run = "mixed/gate/6"
        for attempt in range(20):
            out = self.root / f"killed-{attempt}"
            process = start(self.plan, "--only", run, "-o", out)
            while process.poll() is None and not (out / "runs" / run / "last").exists():
                time.sleep(0.001)
            process.kill()
            process.communicate()
            if not (out / "runs" / run / "row.json").exists():
                break
        state = json.loads((out / "runs" / run / "last" / "state.json").read_text())
        self.assertFalse((out / "runs" / run / "row.json").exists())
        self.assertGreaterEqual(state["step"], EVERY)
        self.finished(self.plan, "--only", run, "-o", out)
        self.assertEqual(self.row(out, run), self.row(self.whole, run))

    def test_an_arm_that_diverges_is_a_row(self):
        plan = changed(arms={"sum": {}, "hasty": {"learning_rate": 1e30}}, cells=[{**PLAN["cells"][0], "arms": ["sum", "hasty"]}],
                       contrasts=[{**PLAN["contrasts"][0], "arm": "hasty", "against": "sum"}])  # fmt: skip
        path, out = self.write("hasty.json", plan), self.root / "hasty"
        process = self.finished(path, "-o", out, status=1)
        self.assertEqual([name_of(row) for row in rows(out)], [f"mixed/{arm}/{seed}" for seed in SEEDS for arm in ("sum", "hasty")])
        for seed in SEEDS:
            row = json.loads(self.row(out, f"mixed/hasty/{seed}"))
            self.assertEqual((row["diverged"], row["excess"]), (True, row["gap"]))
            self.assertEqual(self.row(out, f"mixed/sum/{seed}"), self.row(self.whole, f"mixed/sum/{seed}"))
            self.assertIn(f"mixed/hasty/{seed} failed", process.stderr)
        self.assertEqual([row["diverged"] for row in rows(out)], ["no", "yes", "no", "yes"])
        verdicts = json.loads((out / "verdicts.json").read_text())
        self.assertEqual({arm["arm"]: arm["diverged"] for arm in verdicts["arms"]}, {"sum": 0, "hasty": 2})
        self.assertEqual(verdicts["comparisons"][0]["pairs"], 2)
        self.finished(path, "-o", out, "--resume")  # nothing is left to do

    def test_quick(self):
        out = self.root / "quick"
        self.finished(self.plan, "--quick", "-o", out)
        self.assertEqual({name_of(row) for row in rows(out)}, {f"mixed/{arm}/{seed}" for arm in ("sum", "gate", "damaged") for seed in SEEDS})
        self.assertEqual({row["tokens"] for row in rows(out)}, {str(STEPS // 2 * 4 * 10)})
        verdicts = json.loads((out / "verdicts.json").read_text())
        self.assertEqual([one["family"] for one in verdicts["comparisons"]], ["primary", "assay"])
        before = contents(out)
        self.refused("expected a new folder or one of the plan small", self.plan, "--resume", out=out, status=2)
        self.refused("expected a new folder or one of the plan small", self.plan, "--quick", "--resume", out=self.whole, status=2)
        self.finished(self.plan, "--quick", "--resume", "-o", out)
        self.assertEqual(contents(out), before)
        self.finished(out / "plan.json", "--report-only", "-o", out)  # its copy of the plan is the quick one
        self.assertEqual(contents(out), before)

    def test_quick_takes_seeds_that_both_arms_have(self):
        cells = [{**PLAN["cells"][0], "arms": ["sum", "damaged"], "first_seed": 1, "seeds": 9}, {**PLAN["cells"][0], "arms": ["gate"], "first_seed": 5, "seeds": 9}]
        plan = self.write("shifted.json", changed(cells=cells, contrasts=PLAN["contrasts"][:1]))
        lines = self.finished(plan, "--quick", "--list-runs", "-o", self.root / "shifted").stdout.splitlines()
        found = sorted(words[words.index("--only") + 1] for words in map(shlex.split, lines))
        self.assertEqual(found, sorted(f"mixed/{arm}/{seed}" for arm in ("sum", "gate") for seed in (5, 6, 7)))

    def refused(self, said, *words, status=1, out=None):
        """One line on stderr, and nothing written: in a folder that is there no file changes."""
        place = out or self.root / "refused"
        before = contents(place) if place.exists() else None
        process = study(*words, "-o", place)
        self.assertEqual((process.returncode, process.stdout), (status, ""), process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn(said, process.stderr)
        self.assertEqual(contents(place) if place.exists() else None, before, f"something was written: {words}")

    def test_faults_of_plans(self):
        apart = [{**PLAN["cells"][0], "arms": ["sum"]}, {**PLAN["cells"][0], "arms": ["gate"], "first_seed": SEEDS[-1]}]
        faults = {
            "expected one of damaged, gate, none, sum, got": changed(cells__0__arms=["sum", "sun"]),
            "expected one of labels, mixed, got": changed(cells__1__task="mixt"),
            "expected one of topic, relative, segment, interaction, combined": changed(tasks__mixed__task="mix"),
            "arm: expected one of": changed(contrasts__0__arm="som"),
            "against: expected one of": changed(contrasts__0__against="gates"),
            "margin: expected": changed(margin=None),
            "family: expected comparisons of one measure": changed(contrasts__3__measure="distance_share"),
            "seeds: expected": changed(cells__0__seeds=None),
            "seeds: expected 1 to": changed(cells__0__seeds=0),
            "marjin: expected one of the keys": changed(marjin=1),
            "mis_read: expected one of the keys": changed(arms__sum__mis_read=0.1),
            "step: expected one of the keys": changed(training__step=3),
            "learning_rate: expected above 0": changed(arms__sum__learning_rate=0),
            "misread: expected a probability": changed(arms__sum__misread=1.5),
            "--learning-rate: expected": changed(training__learning_rate=-1),
            "cells: expected a run or more": changed(cells=[], contrasts=[]),
            "with two seeds or more of sum": changed(cells=apart, contrasts=PLAN["contrasts"][:1]),
            "masked: expected 1 to 7": changed(tasks__mixed__masked=8),
            "also_masked: expected whole numbers from 1 to 7": changed(tasks__mixed__also_masked=[8]),
            "a name of small letters": changed(arms={**PLAN["arms"], "../sum": {}}),
            "arm sum] start: expected a composition that begins as the sum": changed(arms__sum__start="sum"),
            "arm none] ": changed(arms__none__config={"num_attention_heads": 3}),
            "arm gate] ": changed(arms__gate__config={"summand": {"composition": "vector_gates"}}),
            "arm damaged] ": changed(arms__damaged__config={"summand": {"positon_kind": "none"}}),
            "torn.json": '{"name": "small",',
            "list.json": "[]",
            "empty.json": "",
        }
        paths = {said: self.write(said if said.endswith(".json") else f"fault-{at}.json", plan) for at, (said, plan) in enumerate(faults.items())}

        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            list(pool.map(lambda said: self.refused(said, paths[said]), faults))

    def test_faults_of_command_lines(self):
        self.refused("--only] expected a run of the plan, such as mixed/sum/5, got 'mixed/sum/7'", self.plan, "--only", "mixed/sum/7", status=2)
        self.refused("expected one of --only, --list-runs and --report-only, got more", self.plan, "--list-runs", "--report-only", status=2)
        self.refused("expected the folder of a study", self.plan, "--report-only", status=2)
        self.refused("where a study began: --resume goes on with it", self.plan, out=self.whole, status=2)
        other = self.write("other.json", changed(margin=0.03))
        for more in ((), ("--resume",), ("--report-only",), ("--only", RUNS[0]), ("--list-runs",)):
            self.refused("expected a new folder or one of the plan small", other, *more, out=self.whole, status=2)
        self.refused("absent.json", self.root / "absent.json")
        for words, said in (([self.plan], "expected -o with a plan, got none"), ([], "expected a plan or --dump, got neither")):
            process = self.finished(*words, status=2)
            self.assertEqual((process.stdout, process.stderr.count("\n")), ("", 1), process.stderr)
            self.assertIn(said, process.stderr)


if __name__ == "__main__":
    summand_testing.run_cases()
