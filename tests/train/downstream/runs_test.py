"""scripts/run_downstream on a study of a few seconds: it stops and goes on, makes one run alone, and has the same bits again."""

import csv
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import summand_testing
import training

SCRIPTS = summand_testing.ROOT / "scripts"
sys.path.insert(0, str(SCRIPTS))
from downstream.material import training_rows  # noqa: E402

TASKS = {"feeling": "classify", "relation": "pair"}
PLAN = {
    "name": "tiny", "question": "Does it run?", "margins": {"points": 2, "nats": 0.05},
    "model": {"model_type": "bert", **training.SMALL, "type_vocab_size": 2, "hidden_act": "gelu"},
    "vocabulary": 300,
    "pretraining": {"seeds": [1, 2], "steps": 4, "options": ["--batch-tokens", "256", "--length", "32", "--pairs", "next_sentence", "--warmup", "1",
                                                              "--validate-every", "2", "--checkpoint-every", "2"]},
    "arms": {"sum": {}, "redrawn": {"start": "redrawn"}, "gate": {"config": {"summand": {"composition": "vector_gate"}}, "start": "sum"},
             "half": {"options": ["--mask-rate", "0.3"], "steps_factor": 0.5}},
    "tasks": {name: {"task": task, "metric": "accuracy", "options": ["--max-length", "32", "--epochs", "1"]} for name, task in TASKS.items()},
    "options_of_examples": {"20": ["--epochs", "3", "--validate-every", "100"]},
    "blocks": {"parts": {"arms": ["sum", "redrawn", "gate"], "tasks": list(TASKS), "seeds": [1, 2]},
               "mask_rate": {"arms": ["sum", "half"], "tasks": ["feeling"], "seeds": [1],
                             "series": [{"name": "equal predictions", "rates": [15, 30], "arms": ["sum", "half"]}]},
               "curves": {"rivals": {"feeling": ["sum", "gate"]}, "arms": ["sum", "gate"], "tasks": ["feeling"], "examples": [20, 0], "seeds": [3]}},
    "long_texts": {"data": "feeling", "folds": 2, "options": ["--epochs", "1", "--valid-share", "0.2"],
                   "ways": {"head": ["--max-length", "8", "--truncation", "head"], "mean": ["--max-length", "8", "--windows", "mean"]},
                   "names": {"head": "the first 8", "mean": "windows of 8"}},
}  # fmt: skip


def material(folder):
    """Texts without and with labels; one labelled text is a document of the training texts, too."""
    bench = training.Bench(folder)
    documents = bench.texts.read_text().strip().split("\n\n")
    (folder / "english_train.txt").write_text("\n\n".join(documents[20:60]) + "\n")
    (folder / "english_valid.txt").write_text("\n\n".join(documents[:20]) + "\n")
    lines = [line for document in documents for line in document.split("\n")]
    for part, chosen in (("train", lines[:60]), ("valid", lines[60:90])):
        labelled = [{"text": text, "label": "long" if len(text) > 60 else "short"} for text in chosen]
        for name, rows in (("feeling", labelled), ("reviews", [{"text": documents[20].replace("\n", " "), "label": "x"}]),
                           ("relation", [{**row, "text_pair": row["text"][::-1]} for row in labelled])):  # fmt: skip
            (folder / f"{name}_{part}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return documents[20]


def run(name, *words, **options):
    return subprocess.run([sys.executable, SCRIPTS / name, *words], capture_output=True, text=True, **options)


def rows_of(study):
    return {path.name: list(csv.DictReader(path.read_text().splitlines())) for path in sorted(study.glob("*.csv"))}


class FewRows(unittest.TestCase):
    def test_fewer_rows_are_part_of_more_and_have_every_tag(self):
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            rows = [{"tokens": ["a", "b"], "labels": ["X", "rare" if place == 199 else "Y"]} for place in range(200)]
            (folder / "tags_train.jsonl").write_text("".join(json.dumps({**row, "place": place}) + "\n" for place, row in enumerate(rows)))
            chosen = {size: training_rows(folder, folder, "tags", size, 4).read_text().splitlines() for size in (5, 20)}
            self.assertEqual(chosen[20][:5], chosen[5])
            self.assertEqual({tag for line in chosen[5] for tag in json.loads(line)["labels"]}, {"X", "Y", "rare"})
            self.assertEqual(len(set(chosen[20])), 20)
            self.assertNotEqual(training_rows(folder, folder, "tags", 20, 5).read_text().splitlines(), chosen[20])
            self.assertEqual(training_rows(folder, folder, "tags", 0, 4), folder / "tags_train.jsonl")


class Runs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.data, self.study, self.work = (self.folder / name for name in ("data", "study", "work"))
        self.data.mkdir()
        self.study.mkdir()
        self.review = material(self.data)
        (self.study / "plan.json").write_text(json.dumps(PLAN))
        self.environment = {**os.environ, "MODEL": str(summand_testing.ROOT / "models" / "summand-mini"), "SUMMAND_BUILD": str(summand_testing.BUILD)}

    def downstream(self, *words, work=None):
        return run("run_downstream", self.data, work or self.work, "--study", self.study, *words, env=self.environment)

    def test_all_of_it(self):
        listed = self.downstream("--list").stdout.split()
        self.assertEqual(len(listed), 8 + 2 * (3 * 2 * 2 + 1 + 2 * 2) + 4)
        self.assertIn("gate/2/feeling-20/3", listed)

        # One run alone needs its pre-training, and leaves the rows of the study alone.
        alone = self.downstream("--only", "gate/1/relation/2", work=self.folder / "alone")
        self.assertEqual((alone.returncode, alone.stderr), (0, ""))
        self.assertEqual(rows_of(self.study), {})
        row = json.loads(alone.stdout.splitlines()[-1])

        # A block first; then all, killed on the way.
        self.assertEqual(self.downstream("--block", "mask_rate").returncode, 0)
        with subprocess.Popen([SCRIPTS / "run_downstream", self.data, self.work, "--study", self.study], env=self.environment, stdout=subprocess.PIPE,
                              text=True, start_new_session=True) as killed:  # fmt: skip
            for _ in range(4):
                killed.stdout.readline()
            os.killpg(killed.pid, signal.SIGKILL)
        self.assertGreater(len(self.downstream("--list").stdout.split()), 0)
        done = self.downstream()
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(self.downstream("--list").stdout.strip(), "")
        rows = rows_of(self.study)
        self.assertEqual({name: len(its) for name, its in rows.items()}, {"finetuning.csv": 34, "long_answers.csv": 90, "long_texts.csv": 4, "pretraining.csv": 8})

        again = next(one for one in rows["finetuning.csv"] if (one["arm"], one["seed"], one["task"], one["examples"], one["finetuning_seed"]) == ("gate", "1", "relation", "0", "2"))
        self.assertEqual({key: str(value) for key, value in row.items()}, again)
        self.assertEqual({one["predicted"] for one in rows["pretraining.csv"] if one["arm"] in ("sum", "redrawn", "gate") and one["seed"] == "1"}.__len__(), 1)
        redrawn, plain = (next(one for one in rows["pretraining.csv"] if (one["arm"], one["seed"]) == (arm, "1")) for arm in ("redrawn", "sum"))
        self.assertNotEqual(redrawn["masked_loss"], plain["masked_loss"])
        self.assertNotIn(self.review[:60], (self.work / "train.txt").read_text())
        few = self.work / "finetuning" / "sum" / "1" / "feeling-20" / "3" / "metrics.json"
        self.assertEqual(json.loads(few.read_text())["steps"], 3)  # the epochs that the plan has for so few rows
        for fold in (1, 2):
            texts = {part: (self.work / "long" / f"{part}-{fold}.jsonl").read_text().splitlines() for part in ("train", "test")}
            self.assertEqual((len(texts["train"]), len(texts["test"]), len(set(texts["train"]) & set(texts["test"]))), (45, 45, 0))

        # What has a row counts as finished elsewhere, too; what has none is made there, with what it needs, and all rows are as before.
        elsewhere = self.folder / "elsewhere"
        self.assertEqual(self.downstream("--list", work=elsewhere).stdout.strip(), "")
        self.assertEqual(len(self.downstream("--list", "--again", work=elsewhere).stdout.split()), len(listed))
        file = self.study / "finetuning.csv"
        whole = file.read_text()
        file.write_text("".join(line for line in whole.splitlines(keepends=True) if not line.startswith("gate,1,relation,0,2,")))
        self.assertEqual(self.downstream("--list", work=elsewhere).stdout.split(), ["gate/1/relation/2"])
        made = self.downstream(work=elsewhere)
        self.assertEqual((made.returncode, [line.split()[1] for line in made.stdout.splitlines() if "min)" in line]), (0, ["gate/1:", "gate/1/relation/2:"]))
        self.assertEqual(rows_of(self.study), rows)
        self.assertEqual(file.read_text(), whole)

        # The report follows from the rows.
        written = run("write_downstream", "--study", self.study)
        self.assertEqual((written.returncode, written.stderr), (0, ""))
        found = json.loads((self.study / "verdicts.json").read_text())
        self.assertEqual((found["runs"], found["planned"]), (46, 46))
        self.assertEqual({"feeling: gate − sum", "relation: redrawn − sum", "masked loss: half − sum", "feeling of 20: gate − sum", "long texts: mean − head"}
                         - {one["name"] for one in found["comparisons"]}, set())  # fmt: skip
        self.assertEqual(sorted(path.name for path in (self.study / "figures").iterdir()), ["learning-curves.svg", "long-texts.svg", "mask-rates.svg", "parts.svg"])
        self.assertEqual(run("write_downstream", "--study", self.study, "--check").returncode, 0)
        file.write_text(whole.replace(f",{again['score']},", ",0.123,", 1))
        changed = run("write_downstream", "--study", self.study, "--check")
        self.assertEqual(changed.returncode, 1)
        self.assertIn("expected verdicts.json", changed.stderr)

    def test_bad_input(self):
        for words, said in ((("--only", "sum/9"), "expected a run of the plan such as sum/1"), (("--block", "x"), "expected one of parts, mask_rate, curves, long_texts, got 'x'")):
            done = self.downstream(*words)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)

    def test_a_run_that_fails_is_named_and_the_others_go_on(self):
        (self.study / "plan.json").write_text(json.dumps({**PLAN, "arms": {**PLAN["arms"], "gate": {"config": {"summand": {"composition": "nothing"}}}}}))
        done = self.downstream("--block", "parts")
        self.assertEqual(done.returncode, 1)
        self.assertIn("run_downstream: gate/1: summand pretrain", done.stderr)
        self.assertEqual(len(rows_of(self.study)["pretraining.csv"]), 4)


if __name__ == "__main__":
    summand_testing.run_cases()
