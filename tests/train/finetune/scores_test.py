"""metrics.json beside scikit-learn and scipy, computed from the same predictions; the bag of words beside scikit-learn's
logistic and ridge regression on the same tokens; rows that are predicted without their labels as with them; and the run's page."""

import gzip
import html
import json
import pathlib
import tempfile
import unittest

import numpy as np
import scipy.stats
import sklearn.linear_model
import sklearn.metrics
import summand_testing
import transformers

import finetuning
import head_models

EXACT = 1e-6  # predictions are written with six digits
# L-BFGS ends near the minimum; numbers that are nearly equal then change places.
RIDGE = {"pearson": 1e-5, "spearman": 1e-3, "mean_squared_error": 1e-5}


class Scores(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        cls.folder = pathlib.Path(keep.name)
        cls.model, _ = head_models.head_directory(cls.folder / "model", "masked-lm")

    def results(self, task, *more, several=False):
        """The rows of the test, their predictions and metrics.json's part about them."""
        tables = {part: finetuning.rows(task, count, part, several) for part, count in (("train", 300), ("test", 120))}
        files = {part: finetuning.write(self.folder / f"{part}.jsonl", rows) for part, rows in tables.items()}
        run = self.folder / "-".join(["run", task, *map(str, more)])
        finetuning.finetune("--task", task, "--model", self.model, "--train", files["train"], "--test", files["test"], "-o", run, *more,
                            *finetuning.words_of(epochs=2, batch_size=16, learning_rate=2e-3, max_length=32, threads=1))  # fmt: skip
        self.run_folder, self.tables = run, tables
        predictions = [line for line in finetuning.lines_of(run / "predictions.jsonl") if line["from"] == "test"]
        metrics = json.loads((run / "metrics.json").read_text())
        for part in ("validation", "test"):
            for score in metrics[part]["scores"].values():
                self.assertTrue(score["interval"][0] <= score["value"] <= score["interval"][1], score)
        return tables["test"], predictions, metrics["test"]

    def agree(self, scores, expected):
        self.assertEqual(list(scores), list(expected))
        for name, value in expected.items():
            self.assertAlmostEqual(scores[name]["value"], value, delta=EXACT, msg=name)

    def of_labels(self, truth, found):
        return {"accuracy": sklearn.metrics.accuracy_score(truth, found), "macro_f1": sklearn.metrics.f1_score(truth, found, average="macro"),
                "matthews": sklearn.metrics.matthews_corrcoef(truth, found)}  # fmt: skip

    def of_numbers(self, truth, found):
        return {"pearson": scipy.stats.pearsonr(truth, found).statistic, "spearman": scipy.stats.spearmanr(truth, found).statistic,
                "mean_squared_error": sklearn.metrics.mean_squared_error(truth, found)}  # fmt: skip

    def counts(self, rows):
        tokenizer = transformers.AutoTokenizer.from_pretrained(self.model)
        table = np.zeros((len(rows), tokenizer.vocab_size))
        for index, row in enumerate(rows):
            np.add.at(table[index], tokenizer(row["text"], truncation=True, max_length=32)["input_ids"], 1)
        return table

    def test_one_label(self):
        rows, predictions, metrics = self.results("classify", "--class-weights", "balanced")
        truth, found = [row["label"] for row in rows], [line["label"] for line in predictions]
        self.assertEqual([line["truth"] for line in predictions], truth)
        self.agree(metrics["scores"], self.of_labels(truth, found))
        labels = metrics["confusion"]["labels"]
        self.assertEqual(metrics["confusion"]["truth_by_prediction"], sklearn.metrics.confusion_matrix(truth, found, labels=labels).tolist())
        worst = metrics["mistakes"][0]
        wrong = [line for line in predictions if line["label"] != line["truth"]]
        self.assertAlmostEqual(worst["severity"], max(line["probability"] for line in wrong), delta=EXACT)

        held = {line["where"] for line in finetuning.lines_of(self.run_folder / "predictions.jsonl")}
        self.assertEqual(len(held), len(rows))
        page = (self.run_folder / "index.html").read_text()
        notes = json.loads((self.run_folder / "metrics.json").read_text())["notes"]
        self.assertRegex(notes[0], r"train.jsonl: 270 rows to train on \(even \d+, neg \d+, pos \d+\), 30 to validate on, 120 to test on")
        for note in notes:
            self.assertIn(html.escape(note, quote=False), page.replace("&quot;", '"').replace("&#39;", "'"))
        for said in ("Confusion", "The worst mistakes", "most common label", "bag of words", "accuracy, validation"):
            self.assertIn(said, page)

        # The same rows without labels; nothing is trained again.
        plain = finetuning.write(self.folder / "plain.jsonl", [{"text": row["text"]} for row in rows])
        weights = (self.run_folder / "last" / "model.safetensors").read_bytes()
        command = json.loads((self.run_folder / "run.json").read_text())["about"]["command"].split()[2:]
        finetuning.finetune(*command, "--resume", "--predict", plain)
        lines = finetuning.lines_of(self.run_folder / "predictions.jsonl")
        again = [line for line in lines if line["from"] == "predict"]
        self.assertEqual([line["label"] for line in again], found)
        self.assertEqual((self.run_folder / "last" / "model.safetensors").read_bytes(), weights)

    def test_other_ways(self):
        """Compressed rows, bf16, plain texts to predict, and patience, which ends a run that learns nothing."""
        rows = finetuning.rows("classify", 90, "other")
        packed = self.folder / "other.csv.gz"
        packed.write_bytes(gzip.compress(finetuning.write(self.folder / "other.csv", rows).read_bytes()))
        texts = self.folder / "plain.txt"
        texts.write_text("a good film\n\nbad\n")
        run = self.folder / "other-run"
        words = ["--task", "classify", "--model", self.model, "--train", packed, "--predict", texts, "-o", run, "--precision", "bf16"]
        process = finetuning.finetune(*words, *finetuning.words_of(epochs=50, patience=2, learning_rate=1e-12, valid_share=0.3, threads=1))
        self.assertIn("2 validations without a better score", process.stdout)
        lines = finetuning.lines_of(run / "predictions.jsonl")
        self.assertEqual([line["from"] for line in lines], ["predict"] * 3)
        self.assertEqual(sum(1 for line in finetuning.lines_of(run / "metrics.jsonl") if "valid" in line), 3)
        metrics = json.loads((run / "metrics.json").read_text())
        self.assertEqual(metrics["best_step"], 2)
        self.assertIn("validation: it has chosen the checkpoint, so its scores are a little too good; rows of --test choose nothing", metrics["notes"])
        self.assertAlmostEqual(metrics["validation"]["rows"], 27, delta=2)

    def baselines(self, task, keep=None):
        """The rows that are trained on, those of the test, and the latter's baselines in metrics.json. @param keep  of labels"""
        tables = {part: finetuning.rows(task, count, part) for part, count in (("train", 300), ("valid", 40), ("test", 120))}
        if keep:  # some of them in the other's place, so that there is no easy answer
            tables = {part: [{**row, "label": keep[(row["label"] == keep[1]) ^ (index % 4 == 0)]} for index, row in enumerate(rows) if row["label"] in keep]
                      for part, rows in tables.items()}  # fmt: skip
        run = self.folder / "-".join(["baselines", task, *(keep or ())])
        words = ["--task", task, "--model", self.model, "-o", run]
        for part, rows in tables.items():
            words += [f"--{part}", finetuning.write(self.folder / f"{task}-{part}.jsonl", rows)]
        finetuning.finetune(*words, *finetuning.words_of(epochs=1, max_length=32, threads=1))
        metrics = json.loads((run / "metrics.json").read_text())
        return tables["train"], tables["test"], metrics["test"]["baselines"]

    def test_baselines_of_two_labels(self):
        """Two labels have one weight vector in scikit-learn."""
        train, rows, baselines = self.baselines("classify", keep=("pos", "neg"))
        truth = [row["label"] for row in rows]
        by_strength = {}
        for strength in (1, 2):
            regression = sklearn.linear_model.LogisticRegression(C=strength, tol=1e-8, max_iter=5000)
            regression.fit(self.counts(train), [row["label"] for row in train])
            by_strength[strength] = self.of_labels(truth, regression.predict(self.counts(rows)))
        self.assertNotEqual(by_strength[1], by_strength[2])
        self.agree(baselines["bag of words"], by_strength[1])

    def test_baselines_of_labels(self):
        train, rows, baselines = self.baselines("classify")
        regression = sklearn.linear_model.LogisticRegression(C=1, tol=1e-8, max_iter=5000)
        regression.fit(self.counts(train), [row["label"] for row in train])
        truth = [row["label"] for row in rows]
        self.agree(baselines["bag of words"], self.of_labels(truth, regression.predict(self.counts(rows))))
        labels = [row["label"] for row in train]
        common = max(sorted(set(labels)), key=labels.count)
        self.assertAlmostEqual(baselines["most common label"]["accuracy"]["value"], truth.count(common) / len(truth))

    def test_baselines_of_numbers(self):
        train, rows, baselines = self.baselines("regress")
        numbers, truth = ([row["label"] for row in part] for part in (train, rows))
        found = sklearn.linear_model.Ridge(alpha=1, solver="cholesky").fit(self.counts(train), numbers).predict(self.counts(rows))
        for name, value in self.of_numbers(truth, found).items():
            self.assertAlmostEqual(baselines["bag of words"][name]["value"], value, delta=RIDGE[name], msg=name)
        error = sklearn.metrics.mean_squared_error(truth, [np.mean(numbers)] * len(truth))
        self.assertAlmostEqual(baselines["mean of the training rows"]["mean_squared_error"]["value"], error, delta=EXACT)

    def test_several_labels(self):
        rows, predictions, metrics = self.results("classify", "--multi-label", several=True)
        labels = ["down", "long", "up"]
        truth = np.array([[label in row["label"] for label in labels] for row in rows])
        found = np.array([[label in line["labels"] for label in labels] for line in predictions])
        f1 = sklearn.metrics.f1_score
        self.agree(metrics["scores"], {"accuracy": sklearn.metrics.accuracy_score(truth, found), "micro_f1": f1(truth, found, average="micro"),
                                       "macro_f1": f1(truth, found, average="macro", zero_division=0)})  # fmt: skip
        for line in predictions:
            self.assertEqual(line["labels"], [label for label in labels if line["probabilities"][label] > 0.5])

    def test_words(self):
        rows, predictions, metrics = self.results("tag")
        pairs = [(right, found) for row, line in zip(rows, predictions) for right, found in zip(row["labels"], line["labels"]) if found]
        self.assertTrue(any(None in line["labels"] for line in predictions), "no row was cut")
        self.agree(metrics["scores"], self.of_labels(*zip(*pairs)))
        self.assertGreater(metrics["baselines"]["most common label of each word"]["accuracy"]["value"], 0.99)

    def test_numbers(self):
        rows, predictions, metrics = self.results("regress")
        truth, found = [row["label"] for row in rows], [line["number"] for line in predictions]
        for name, value in self.of_numbers(truth, found).items():
            self.assertAlmostEqual(metrics["scores"][name]["value"], value, delta=1e-4, msg=name)

    def test_ranking(self):
        rows, predictions, metrics = self.results("rank")
        truth, found = [row["label"] for row in rows], [line["score"] for line in predictions]
        self.assertAlmostEqual(metrics["scores"]["average_precision"]["value"], sklearn.metrics.average_precision_score(truth, found), delta=1e-4)
        ranks = []
        for query in {row["text"] for row in rows}:
            own = sorted(((score, label) for row, label, score in zip(rows, truth, found) if row["text"] == query), key=lambda pair: -pair[0])
            if any(label for _, label in own):
                ranks.append(1 / (1 + [label for _, label in own].index(1)))
        self.assertAlmostEqual(metrics["scores"]["mean_reciprocal_rank"]["value"], np.mean(ranks), delta=1e-4)


if __name__ == "__main__":
    summand_testing.run_cases()
