"""Fine-tuning with --positions: the longer table is pretrain's to the bit, whichever way its new rows are made; rows up to that length
are read whole, in training, by classify, and by transformers, which loads RUN/best and cuts at as many tokens."""

import json
import pathlib
import tempfile
import unittest

import numpy
import safetensors.numpy
import summand_testing
import torch
import transformers

import finetuning
import head_models
import training
from windows_test import verb

POSITIONS = 300
TABLE = "bert.embeddings.position_embeddings.weight"
NEAR = 2e-6


def long_rows(count, seed):
    """Rows of which every third has its text again and again, up to 85 words, if it has four words or more: more tokens than the 80
    that the model has positions for, and fewer than 300."""
    words = [row["text"].split() for row in finetuning.rows("classify", count, seed)]
    longer = [" ".join((text * 85)[: 85 if index % 3 == 0 and len(text) > 3 else 10]) for index, text in enumerate(words)]
    return [row | {"text": text} for row, text in zip(finetuning.rows("classify", count, seed), longer)]


class Positions(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.model, _ = head_models.head_directory(self.folder / "model", "masked-lm")
        self.test = long_rows(60, "test")
        self.train = finetuning.write(self.folder / "train.tsv", long_rows(80, "train"))
        finetuning.write(self.folder / "test.tsv", self.test)

    def words(self, run, *more, **options):
        return ["--task", "classify", "--model", self.model, "--train", self.train, "--test", self.folder / "test.tsv", "-o", self.folder / run,
                *finetuning.words_of(epochs=1, batch_size=16, threads=1, learning_rate=1e-3, **options), *more]  # fmt: skip

    def enlarged_by_pretrain(self, rows):
        texts = self.folder / "texts.txt"
        texts.write_text("the film was good\nit was a story\n\n" * 40)
        run = self.folder / f"pretrain-{rows}"
        training.pretrain(texts, "--valid", texts, "--init", self.model, "--positions", POSITIONS, "--new-rows", rows, "-o", run, "--steps", 1, "--warmup", 0,
                          "--keep", 0, "--batch-tokens", 128, "--length", 32, "--valid-sequences", 1, "--threads", 1)  # fmt: skip
        return safetensors.numpy.load_file(run / "checkpoints" / "step-00000000" / "model.safetensors")[TABLE]

    def test_the_table_is_pretrains(self):
        for rows in ("tiled", "copied", "hierarchical"):
            run = self.folder / rows
            finetuning.finetune(*self.words(rows, positions=POSITIONS, new_rows=rows, freeze=0))
            table = safetensors.numpy.load_file(run / "best" / "model.safetensors")[TABLE]
            self.assertEqual(table.shape[0], POSITIONS)
            numpy.testing.assert_array_equal(table, self.enlarged_by_pretrain(rows))

    def test_long_rows_are_read_whole(self):
        told = finetuning.finetune(*self.words("run", positions=POSITIONS, new_rows="hierarchical")).stderr
        self.assertNotIn("are cut", told)
        self.assertIn("are cut to 80 tokens", finetuning.finetune(*self.words("short")).stderr)
        best = self.folder / "run" / "best"
        config = json.loads((best / "config.json").read_text())
        self.assertEqual((config["max_position_embeddings"], "summand" in config), (POSITIONS, False))
        self.assertEqual(json.loads((best / "tokenizer_config.json").read_text())["model_max_length"], POSITIONS)
        texts = finetuning.write(self.folder / "texts.jsonl", [{"text": row["text"]} for row in self.test])
        made, told = verb("classify", "--model", best, texts, "--json", "--top", 3)
        self.assertNotIn("cut", told)
        own = [line for line in finetuning.lines_of(self.folder / "run" / "predictions.jsonl") if line["from"] == "test"]
        tokenizer = transformers.AutoTokenizer.from_pretrained(best)
        model = transformers.AutoModelForSequenceClassification.from_pretrained(best)
        lengths = []
        for row, line, labels in zip(self.test, own, made, strict=True):
            self.assertEqual(line["label"], labels["labels"][0]["label"])
            self.assertAlmostEqual(line["probability"], labels["labels"][0]["score"], delta=NEAR)
            given = tokenizer(row["text"], truncation=True, return_tensors="pt")
            lengths.append(given["input_ids"].shape[1])
            with torch.no_grad():
                theirs = model(**given).logits.softmax(-1)[0]
            for one in labels["labels"]:
                self.assertAlmostEqual(one["score"], theirs[model.config.label2id[one["label"]]].item(), delta=1e-5)
        print(f"{sum(length > 80 for length in lengths)} of {len(lengths)} rows have more than 80 tokens, the longest {max(lengths)}")
        self.assertGreater(sum(length > 80 for length in lengths), 5)
        self.assertLessEqual(max(lengths), POSITIONS)

    def test_a_resumed_run_has_the_same_table(self):
        words = self.words("run", positions=100)
        finetuning.finetune(*words)
        before = (self.folder / "run/last/model.safetensors").read_bytes()
        finetuning.finetune(*words, "--resume")
        self.assertEqual((self.folder / "run/last/model.safetensors").read_bytes(), before)
        process = finetuning.finetune(*self.words("run", "--resume", positions=101), check=False)
        self.assertEqual(process.returncode, 2)
        self.assertIn("expected", process.stderr)

    def test_what_is_wrong_is_one_line(self):
        for said, status, more in (
            ("--new-rows requires --positions", 2, ("--new-rows", "copied")),
            ("[--positions] expected at least the 80 that the checkpoint has, got 79", 1, ("--positions", 79)),
            ("[--max-length] expected at most 100, the positions that the model has, got 101", 2, ("--positions", 100, "--max-length", 101)),
            ("[--positions] ", 1, ("--positions", 6401, "--new-rows", "hierarchical")),
        ):
            process = finetuning.finetune(*self.words("none", *more), check=False)
            self.assertEqual((process.returncode, process.stderr.count("\n")), (status, 1), process.stderr)
            self.assertIn(said, process.stderr)


if __name__ == "__main__":
    summand_testing.run_cases()
