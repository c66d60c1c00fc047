"""What finetune says of rows, labels and options that are wrong: one line that names the file and the line, and nothing is
written; of rows that are odd it says so with their number and goes on."""

import json
import pathlib
import shutil
import statistics
import tempfile
import unittest

import summand_testing

import finetuning
import head_models

QUICK = {"--epochs": 1, "--batch-size": 16, "--threads": 1, "--max-length": 16}


class Faults(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        cls.models = pathlib.Path(keep.name)
        cls.model, _ = head_models.head_directory(cls.models / "model", "masked-lm")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.run_folder = self.folder / "run"
        self.table = finetuning.rows("classify", 60, "faults")
        self.train = finetuning.write(self.folder / "train.tsv", self.table)

    def words(self, task, *more, model=None, train=None):
        quick = [word for name, value in QUICK.items() if name not in more for word in (name, value)]
        return ["--task", task, "--model", model or self.model, "--train", train or self.train, "-o", self.run_folder, *quick, *more]

    def refused(self, said, task, *more, status=1, **files):
        process = finetuning.finetune(*self.words(task, *more, **files), check=False)
        self.assertEqual((process.returncode, process.stdout), (status, ""), process.stderr)
        self.assertEqual(process.stderr.count("\n"), 1, process.stderr)
        self.assertIn(said, process.stderr)
        self.assertFalse(self.run_folder.exists(), "something was written")

    def told(self, task, *more, **files):
        return finetuning.finetune(*self.words(task, *more, **files)).stderr

    def file(self, name, content):
        (self.folder / name).write_text(content)
        return self.folder / name

    def jsonl(self, name, *rows):
        return self.file(name, "".join(json.dumps(row) + "\n" for row in rows))

    def test_unknown_words(self):
        rows = [{"text": "体验二维码", "label": "a"}, {"text": "老师", "label": "b"}] * 8
        said = self.told("classify", train=self.jsonl("zh.jsonl", *rows))
        self.assertIn("zh.jsonl: ", said)
        self.assertIn("are [UNK], words that the vocabulary does not have", said)

    def test_predictions_of_a_run_that_went_on_without_them(self):
        self.told("classify", "--test", self.train)
        self.assertTrue((self.run_folder / "predictions.jsonl").exists())
        self.told("classify", "--resume")
        self.assertFalse((self.run_folder / "predictions.jsonl").exists())

    def test_columns(self):
        self.refused("train.tsv:1] expected the column 'body', got 'text', 'label'; --text-column names another", "classify", "--text-column", "body")
        self.refused("train.tsv:1] expected the column 'mood', got 'text', 'label'; --label-column names another", "classify", "--label-column", "mood")
        self.refused("train.tsv:1] expected the column 'second', got 'text', 'label'", "pair", "--pair-column", "second")
        self.refused("train.tsv:2] expected two texts, got one; --pair-column names the second", "pair")
        pairs = self.file("pairs.tsv", "text\ttext_pair\tlabel\na\tb\t1\n")
        self.refused("pairs.tsv:2] expected one text, got two; --task pair reads two", "classify", train=pairs)
        self.refused("[--pair-column] expected another column than --text-column, got 'text' for both", "pair", "--pair-column", "text", status=2)
        blank = self.jsonl("blank.jsonl", *({"text": text, "text_pair": "", "label": text} for text in "ab"))
        self.refused("blank.jsonl] 'text_pair': expected second texts, got 2 empty ones; --pair-column names another column", "pair", train=blank)
        blank = self.jsonl("blank.jsonl", *({"text": "", "text_pair": text, "label": text} for text in "ab"))
        self.refused("blank.jsonl] 'text': expected texts, got 2 empty ones; --text-column names another column", "pair", train=blank)
        words = self.jsonl("words.jsonl", {"tokens": ["a"], "label": "x"})
        self.refused("words.jsonl:1] expected 'text', got 'tokens'; --task tag reads words", "classify", train=words)
        torn = self.file("torn.tsv", "text\tlabel\na\tx\nb\n")
        self.refused("torn.tsv:3] expected 2 fields as in the header line, got 1", "classify", train=torn)
        self.refused("plain.rows", "classify", train=self.file("plain.rows", "a\n"), status=2)

    def test_labels(self):
        unknown = self.file("test.tsv", "text\tlabel\na film\tpos\na story\tpositive\n")
        self.refused("test.tsv:3] expected one of the labels 'even', 'neg', 'pos', got 'positive'", "classify", "--test", unknown)
        numbers = self.file("valid.tsv", "text\tlabel\na film\t1\n")
        self.refused("valid.tsv:2] expected a label that is a word, as in the training file, got '1'", "classify", "--valid", numbers)
        self.refused("train.tsv:2] expected a number as label, got", "regress")
        large = self.file("large.tsv", "text\tlabel\na\t-1e15\nb\t1e39\n")
        self.refused("large.tsv:3] expected a number from -1e+15 to 1e+15 as label, got 1e+39", "regress", train=large)
        largest = self.jsonl("largest.jsonl", *({"text": text, "label": label} for text, label in zip("abcd" * 5, [1e15, -1e15] * 10)))
        self.assertNotIn("finite", self.told("regress", train=largest))
        shutil.rmtree(self.run_folder)
        one = self.file("one.tsv", "text\tlabel\na\tx\nb\tx\n")
        self.refused("one.tsv:2] expected two labels or more, got 'x' in all rows of the file", "classify", train=one)
        empty = self.file("empty.tsv", "text\tlabel\na\tx\nb\t\n")
        self.refused("empty.tsv:3] expected a label, got an empty one", "classify", train=empty)
        real = self.jsonl("real.jsonl", {"text": "a", "label": 0.5})
        self.refused("real.jsonl:1] expected a word or a whole number as label, got 0.5", "classify", train=real)
        several = self.jsonl("several.jsonl", {"text": "a", "label": ["x", "y"]})
        self.refused("several.jsonl:1] expected one label, got a list of 2; --multi-label reads several", "classify", train=several)
        relevance = self.file("rank.tsv", "text\ttext_pair\tlabel\na\tb\t2\n")
        self.refused("rank.tsv:2] expected a relevance from 0 to 1 as label, got 2", "rank", train=relevance)
        words = self.jsonl("words.jsonl", {"tokens": ["a", "b"], "labels": ["X", "Y"]}, {"tokens": ["a", "b"], "labels": ["X"]})
        self.refused("words.jsonl:2] expected 2 labels, one for each word, got 1", "tag", train=words)

    def test_blanks_around_labels(self):
        lines = self.train.read_text().splitlines()
        blanks = self.file("blanks.tsv", "\n".join([*lines, "a film\t pos", "a story\tneg "]) + "\n")
        self.told("classify", train=blanks)
        config = json.loads((self.run_folder / "best" / "config.json").read_text())
        self.assertEqual(sorted(config["label2id"]), ["even", "neg", "pos"])

    def test_rows_that_cannot_be_split(self):
        alone = self.file("alone.tsv", "text\tlabel\na film\tx\nof a kind\ty\n")
        self.refused("alone.tsv] none of its 2 rows can be kept apart to validate on, as no label has a second one; --valid names a file",
                     "classify", train=alone)  # fmt: skip
        query = self.file("query.tsv", "text\ttext_pair\tlabel\na\tb\t1\na\tc\t0\n")
        self.refused("query.tsv] none of its 2 rows can be kept apart to validate on, as all have the same query", "rank", train=query)

    def test_other_files_stay(self):
        self.run_folder.mkdir()
        for name in ("run.json", "index.html", "metrics.jsonl"):
            (self.run_folder / name).write_text('{"mine": 1}')
        for more in ((), ("--overwrite",), ("--resume",)):
            process = finetuning.finetune(*self.words("classify", *more), check=False)
            self.assertIn("expected a folder that is new, empty or a run's, got one with other files", process.stderr)
        self.assertEqual({path.read_text() for path in self.run_folder.iterdir() if path.suffix != ".lock" and path.stat().st_size}, {'{"mine": 1}'})

    def test_a_run_without_its_checkpoints(self):
        self.told("classify")
        for name in ("best", "last"):
            (self.run_folder / name).unlink()
        shutil.rmtree(self.run_folder / "checkpoints")
        metrics = (self.run_folder / "metrics.json").read_bytes()
        process = finetuning.finetune(*self.words("classify", "--resume"), check=False)
        self.assertIn("expected its run's checkpoints, got none; a new run wants a new folder", process.stderr)
        self.assertEqual((self.run_folder / "metrics.json").read_bytes(), metrics)
        (self.run_folder / "checkpoints" / "mine").mkdir(parents=True)
        self.told("classify", "--overwrite")
        self.assertTrue((self.run_folder / "checkpoints" / "mine").exists())

    def test_overwriting_the_model_itself(self):
        self.told("classify")
        best = self.run_folder / "best"
        process = finetuning.finetune(*self.words("classify", "--overwrite", model=best), check=False)
        self.assertIn("[--overwrite] expected a --model outside of", process.stderr)
        self.assertTrue((best / "model.safetensors").exists())

    def test_numbers_far_from_zero(self):
        """The head begins at their mean, and a wide spread is told."""
        rows = [{"text": row["text"], "label": 60 + 10 * (index % 3)} for index, row in enumerate(self.table)]
        told = self.told("regress", "--predict", self.train, train=self.jsonl("ages.jsonl", *rows))
        self.assertRegex(told, r"ages.jsonl: the labels have a standard deviation of")
        lines = [json.loads(line) for line in (self.run_folder / "predictions.jsonl").read_text().splitlines()]
        mean = statistics.fmean(row["label"] for row in rows)
        for line in lines:
            self.assertLess(abs(line["number"] - mean), 3)

    def test_of_equal_scores_the_lower_loss_is_better(self):
        """A rate too small to change a prediction: each epoch has the same score and a lower loss."""
        self.told("classify", "--epochs", 4, "--learning-rate", 1e-5, "--patience", 1)
        lines = [json.loads(line) for line in (self.run_folder / "metrics.jsonl").read_text().splitlines()]
        valid = [line["valid"] for line in lines if "valid" in line]
        self.assertEqual(len({one["accuracy"] for one in valid}), 1)
        losses = [one["loss"] for one in valid]
        best = json.loads((self.run_folder / "last" / "state.json").read_text())["best_step"]
        steps = [line["step"] for line in lines if "valid" in line]
        self.assertEqual(best, steps[losses.index(min(losses))])
        self.assertGreater(len(losses), 1)

    def test_many_labels(self):
        rows = [f"{' '.join(f'w{(7 * row + i) % 40}' for i in range(20))}\tl{row // 2:05}" for row in range(4000)]
        many = self.file("many.tsv", "\n".join(["text\tlabel", *rows]) + "\n")
        process = finetuning.finetune(*self.words("classify", "--max-length", 64, "--batch-tokens", 16384, "--batch-size", 4000, train=many))
        self.assertRegex(process.stderr, r"many.tsv:\d+: 4\d\d labels have one row to train on, as 'l\d+' has this one")
        self.assertRegex(process.stdout, r"the baseline 'bag of words' is left out: 2000 labels of \d+ tokens, \d+ different, take too long")
        validation = json.loads((self.run_folder / "metrics.json").read_text())["validation"]
        self.assertEqual(list(validation["baselines"]), ["most common label"])
        confusion = validation["confusion"]
        self.assertEqual((len(confusion["labels"]), confusion["of_labels"], len(confusion["truth_by_prediction"])), (200, 2000, 200))
        self.assertIn("The 30 most common labels of 2000.", (self.run_folder / "index.html").read_text())

    def test_empty_files(self):
        self.refused("none.tsv] expected rows, got none", "classify", train=self.file("none.tsv", "text\tlabel\n"))
        self.refused("'text': expected texts, got 2 empty ones; --text-column names another column", "classify",
                     train=self.file("blank.tsv", "text\tlabel\n \tx\n\ty\n"))  # fmt: skip
        self.refused("gone.tsv", "classify", train=self.folder / "gone.tsv")

    def test_odd_rows_are_told(self):
        lines = self.train.read_text().splitlines()
        text, label = lines[1].split("\t")
        other = "neg" if label != "neg" else "pos"
        odd = self.file("odd.tsv", "\n".join([*lines, "\tneg", lines[1], f"{text}\t{other}", "a film\tonce"]) + "\n")
        valid = self.file("valid.tsv", "\n".join([lines[0], lines[1], lines[2], "of a kind\tneg"]) + "\n")
        told = self.told("classify", "--valid", valid, train=odd)
        for said in ("odd.tsv:62: the text is empty", "odd.tsv:63: the row stands earlier in the file too, with the same label",
                     "odd.tsv:64: the row stands earlier in the file too, with another label", "odd.tsv:65: the label 'once' has one row to train on, this one",
                     "valid.tsv:2: 2 of the 3 rows of", "stand in --train too"):  # fmt: skip
            self.assertIn(said, told)

    def test_cut_labels_are_told(self):
        train = finetuning.write(self.folder / "words.jsonl", finetuning.rows("tag", 60, "cut"))
        self.assertRegex(self.told("tag", train=train), r"words.jsonl: \d+ of 60 rows are cut to 16 tokens, and the labels of \d+ words are lost")

    def test_rows_that_cannot_be_cut(self):
        long = self.file("long.tsv", "text\tlabel\na\tx\n" + "a " * 20 + "\ty\n")
        self.refused("long.tsv:3] --truncation none: expected at most 16 tokens, got 22", "classify", "--truncation", "none", train=long)
        self.refused("long.tsv:3] --truncation only_second: expected a second text to cut to 16 tokens, got one text of 22", "classify",
                     "--truncation", "only_second", train=long)  # fmt: skip
        pairs = self.file("pairs.tsv", "text\ttext_pair\tlabel\n" + "a " * 20 + "\tb\t0\na\tb\t1\n")
        self.refused("pairs.tsv:2] --truncation only_second: expected a text of more than 8 tokens to cut, got 1", "pair",
                     "--truncation", "only_second", train=pairs)  # fmt: skip

    def test_labels_that_are_all_the_same_are_told(self):
        rows = finetuning.rows("rank", 40, "same")
        for task, scores in (("regress", "Pearson's and Spearman's correlations with them are 0"),
                             ("rank", "average precision and reciprocal rank say nothing about the model")):  # fmt: skip
            train = finetuning.write(self.folder / "same.tsv", [{**row, "label": 0.5} for row in rows])
            test = finetuning.write(self.folder / "test.tsv", [{**row, "label": 1} for row in rows[:1]])
            told = self.told(task, "--test", test, "--overwrite", train=train)
            self.assertIn("same.tsv: all 36 labels to train on are 0.5: there is nothing to learn\n", told)
            self.assertIn(f"same.tsv: all 4 labels of the validation's share are 0.5, so {scores}\n", told)
            self.assertIn(f"test.tsv: the only label is 1, so {scores}\n", told)
            valid = finetuning.write(self.folder / "valid.tsv", [{**row, "label": 0.25} for row in rows[:3]])
            train = finetuning.write(self.folder / "other.tsv", [{**row, "label": index % 2} for index, row in enumerate(rows)])
            told = self.told(task, "--valid", valid, "--overwrite", train=train)
            self.assertIn(f"valid.tsv: all 3 labels are 0.25, so {scores}\n", told)
            self.assertNotIn("nothing to learn", told)

    def test_queries_with_one_row_each_are_told(self):
        rows = [{**row, "text": f"query {index}", "label": index % 2} for index, row in enumerate(finetuning.rows("rank", 40, "lone"))]
        lone = "each query has one row, so reciprocal rank says nothing about the model"
        told = self.told("rank", "--test", finetuning.write(self.folder / "test.tsv", rows[:4]),
                         train=finetuning.write(self.folder / "lone.tsv", rows))  # fmt: skip
        self.assertIn(f"the validation's share: {lone}\n", told)
        self.assertIn(f"test.tsv: {lone}\n", told)
        two = finetuning.write(self.folder / "two.tsv", [{**row, "text": f"query {index // 2}"} for index, row in enumerate(rows)])
        self.assertNotIn("each query has one row", self.told("rank", "--overwrite", train=two))

    def test_labels_without_a_row_to_test_on_are_told(self):
        rows = [{"text": f"row {index}", "label": "abc"[index % 3]} for index in range(60)]
        train = finetuning.write(self.folder / "three.tsv", rows)
        absent = "test.tsv: 1 of the 3 labels have no row here; macro_f1 counts each of them that is predicted as 0\n"
        two = finetuning.write(self.folder / "test.tsv", [{"text": f"test {index}", "label": "ab"[index % 2]} for index in range(8)])
        self.assertIn(absent, self.told("classify", "--test", two, train=train))
        three = finetuning.write(self.folder / "test.tsv", [{"text": f"test {index}", "label": "abc"[index % 3]} for index in range(9)])
        self.assertNotIn("have no row here", self.told("classify", "--test", three, "--overwrite", train=train))

    def test_a_warmup_of_all_steps_is_told(self):
        self.assertIn("--warmup 900: the learning rate rises over all ", self.told("classify", "--warmup", "900"))

    def test_an_empty_cell_of_a_pair(self):
        rows = [f"{row['text']}\t{'' if index == 3 else 'of a kind'}\t{row['label']}" for index, row in enumerate(self.table)]
        hole = self.file("hole.tsv", "\n".join(["text\ttext_pair\tlabel", *rows]) + "\n")
        self.assertIn("hole.tsv:5: the second text of two is empty", self.told("pair", train=hole))

    def test_windows(self):
        self.refused("--windows: expected one of mean, max, transformer, got sum;", "classify", "--windows", "sum", status=2)
        self.refused("--overlap requires --windows", "classify", "--overlap", 3, status=2)
        self.refused("--truncation excludes --windows", "classify", "--windows", "max", "--truncation", "head", status=2)
        self.refused("[--overlap] expected less than 14, a window's tokens without special ones, got 14", "classify", "--windows", "mean",
                     "--overlap", 14, status=2)  # fmt: skip
        pairs = self.file("pairs.tsv", "text\ttext_pair\tlabel\na\tb\t1\n" + "a " * 20 + "\tb\t0\n")
        self.refused("pairs.tsv:3] expected windows of more than 23 tokens, since the first text and special tokens take 23 of each, got 16",
                     "pair", "--windows", "mean", train=pairs)  # fmt: skip

    def test_checkpoints(self):
        bare = self.models / "bare"
        if not bare.exists():
            shutil.copytree(self.model, bare)
            for name in ("tokenizer.json", "vocab.txt", "tokenizer_config.json"):
                (bare / name).unlink(missing_ok=True)
        self.refused("bare", "classify", model=bare)
        self.refused("[--freeze] expected at most 2, the layers that the model has, got 3", "classify", "--freeze", 3, status=2)
        self.refused("[--max-length] expected at most 80, the positions that the model has, got 81", "classify", "--max-length", 81, status=2)
        told = self.told("classify")
        self.assertIn("has no pooler, sequence classification head: drawn by --seed", told)
        tuned = shutil.copytree(self.run_folder / "best", self.folder / "tuned")
        again = self.told("classify", "--overwrite", "--epochs", 2, model=tuned)
        self.assertNotIn("drawn", again)
        self.told("classify", "--overwrite")
        self.assertNotIn("drawn", self.told("classify", "--resume"))

    def test_options(self):
        self.refused("[--batch-tokens] expected at least --max-length (16), got 8", "classify", "--batch-tokens", 8, status=2)
        self.refused("[--metric] expected one of accuracy, macro_f1, matthews, loss for --task classify, got 'f1'", "classify", "--metric", "f1", status=2)
        self.refused("[--metric] expected one of pearson, spearman, mean_squared_error, loss for --task regress, got ''", "regress", "--metric", "", status=2)
        self.refused("[--multi-label] expected with --task classify or pair, got it with regress", "regress", "--multi-label", status=2)
        self.refused("[--class-weights] expected with --task classify, pair or tag, got it with rank", "rank", "--class-weights", "balanced", status=2)
        self.refused("[--warmup] expected a share below 1 or whole steps, got 1.5", "classify", "--warmup", 1.5, status=2)
        self.refused("[--layer-decay] expected more than 0, at most 1, got 0", "classify", "--layer-decay", 0, status=2)
        self.refused("[--dropout] expected at least 0, below 1, got 1", "classify", "--dropout", 1, status=2)
        weights = self.file("weights.json", json.dumps({"pos": 1, "neg": 2}))
        self.refused("weights.json] 'even': expected its weight, got none", "classify", "--class-weights", weights)
        weights.write_text(json.dumps({"pos": 1, "neg": 2, "even": 0}))
        for wrong, got in ((0, "0"), (1e300, "1e+300"), (1e-7, "1e-07")):
            weights.write_text(json.dumps({"pos": 1, "neg": 2, "even": wrong}))
            self.refused(f"weights.json] even: expected a number from 1e-06 to 1e+06, got {got}", "classify", "--class-weights", weights)
        weights.write_text(json.dumps({"pos": 1, "neg": 2, "evn": 0}))
        self.refused("expected one of the labels 'even', 'neg', 'pos', got 'evn'; did you mean 'even'?", "classify", "--class-weights", weights)

    def test_a_run_stays(self):
        self.told("classify")
        files = lambda: {path: path.read_bytes() for path in self.run_folder.rglob("*") if path.is_file()}
        before = files()
        for more, said in (
            ((), "--resume goes on with it"),
            (("--resume", "--seed", 1), "options.seed: expected 0, as the run began, got 1"),
            (("--resume", "--windows", "max"), 'options.windows: expected null, as the run began, got {"overlap":0,"pooling":"max"}'),
        ):
            process = finetuning.finetune(*self.words("classify", *more), check=False)
            self.assertEqual(process.returncode, 2, process.stderr)
            self.assertIn(said, process.stderr)
            self.assertEqual(files(), before)
        process = finetuning.finetune(*self.words("classify", "--overwrite", "--metric", "f1"), check=False)
        self.assertEqual((process.returncode, files()), (2, before))
        other = self.file("other.tsv", self.train.read_text() + "a film\tpos\n")
        process = finetuning.finetune(*self.words("classify", "--resume", train=other), check=False)
        self.assertRegex(process.stderr, "data.train: not what the run began with: expected the hash")
        self.told("classify", "--overwrite", "--seed", 1)
        self.assertNotEqual(files(), before)
        weights = self.file("weights.json", json.dumps({"pos": 1, "neg": 2, "even": 1}))
        self.told("classify", "--overwrite", "--class-weights", weights)
        weights.write_text(json.dumps({"pos": 1, "neg": 3, "even": 1}))
        process = finetuning.finetune(*self.words("classify", "--resume", "--class-weights", weights), check=False)
        self.assertEqual(process.returncode, 2, process.stderr)
        self.assertIn("data.label_weights: expected [1.0,2.0,1.0], as the run began, got [1.0,3.0,1.0]", process.stderr)


if __name__ == "__main__":
    summand_testing.run_cases()
