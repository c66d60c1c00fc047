"""Fine-tuning with --windows transformer beside PyTorch: transformers' BertModel makes the vectors of a row's windows, another
BertModel, whose token rows are these vectors, reads them, and the first one's pooler and classifier make the logits. Losses of
16 steps and of the last validation agree to 1e-4, in the parameters of both models and of both ends. What RUN/best gives with
classify and rerank is what the run predicted, and what PyTorch in double precision computes of its weights."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import numpy
import safetensors.numpy
import safetensors.torch
import summand_testing
import torch
import transformers
from served import Served

import finetuning
from transformers_test import Case
from windows_test import AGREE, LONGEST, NAMES, ROWS, Divided, Reference, WindowedRuns, own_losses, train, verb

PREFIX = "window_encoder."
OVERLAP = 3
MOST = 6
OPTIONS = finetuning.words_of(windows="transformer", overlap=OVERLAP, max_length=LONGEST, window_layers=2, most_windows=MOST)
WORDS = f"--max-length {LONGEST} --windows transformer --overlap {OVERLAP}"
TAKEN = f"texts are read as the model was trained: {WORDS}\n"
EXACT = 2e-5  # of logits, between single and double precision


class Windows(torch.nn.Module):
    """A checkpoint of summand in PyTorch."""

    def __init__(self, folder):
        super().__init__()
        stored = safetensors.torch.load_file(folder / "model.safetensors")
        settings = json.loads((folder / "config.json").read_text())
        encoder = settings["summand"]["window_encoder"]
        assert encoder == {"layers": 2, "most_windows": MOST}, encoder
        sizes = {key: settings[key] for key in ("hidden_size", "num_attention_heads", "intermediate_size", "hidden_act", "layer_norm_eps")}
        plain = dict(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, attn_implementation="eager", **sizes)
        self.bert = transformers.BertModel(transformers.BertConfig(
            vocab_size=settings["vocab_size"], num_hidden_layers=settings["num_hidden_layers"], type_vocab_size=settings["type_vocab_size"],
            max_position_embeddings=settings["max_position_embeddings"], **plain))  # fmt: skip
        self.windows = transformers.BertModel(transformers.BertConfig(
            vocab_size=1, num_hidden_layers=2, type_vocab_size=1, max_position_embeddings=MOST + 1, **plain), add_pooling_layer=False)  # fmt: skip
        self.classifier = torch.nn.Linear(settings["hidden_size"], stored["classifier.bias"].shape[0])
        take = lambda prefix: {name.removeprefix(prefix): tensor for name, tensor in stored.items() if name.startswith(prefix)}
        self.bert.load_state_dict(take("bert."))
        missing, unexpected = self.windows.load_state_dict(take(PREFIX), strict=False)
        assert not unexpected and set(missing) == {"embeddings.word_embeddings.weight", "embeddings.token_type_embeddings.weight"}, (missing, unexpected)
        self.classifier.load_state_dict(take("classifier."))
        for table in (self.windows.embeddings.word_embeddings, self.windows.embeddings.token_type_embeddings):
            table.weight.data.zero_()
            table.weight.requires_grad_(False)

    def parameters(self, recurse=True):
        return (one for one in super().parameters(recurse) if one.requires_grad)

    def logits(self, windows):
        """@param windows  [(ids, segments)]  @return [labels]"""
        vectors = torch.stack([self.bert(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([segments])).last_hidden_state[0, 0]
                               for ids, segments in windows])  # fmt: skip
        rows = torch.cat([vectors.mean(0, keepdim=True), vectors])
        states = self.windows(inputs_embeds=rows[None]).last_hidden_state
        return self.classifier(self.bert.pooler(states))[0]


class DividedRow(Divided):
    """A row as windows for a transformer."""

    def logits(self, model, _):
        return model.logits([self.window(begin, end) for begin, end in self.ranges[:MOST]])[None]

    def window(self, begin, end):
        ids = [*self.before, *self.ids[begin:end], self.after]
        return ids, [0] * len(self.before) + [int(len(self.before) > 1)] * (len(ids) - len(self.before))


class EncodedReference(Reference):
    """A task's rows and their losses."""

    def __init__(self, case, model, tokenizer, rows):
        super().__init__(case, model, tokenizer, [], None, OVERLAP)
        self.rows, self.divided = rows, [DividedRow(tokenizer, row, OVERLAP) for row in rows]


def weights(folder):
    return safetensors.numpy.load_file(folder / "model.safetensors")


class WindowTransformerTest(WindowedRuns):
    def drawn(self, case, tables):
        """A checkpoint with a transformer over windows as --seed draws it: a run that learns next to nothing."""
        self.finetune(case, self.start(case), tables, self.folder / "drawn", *OPTIONS, "--learning-rate", 1e-30, "--overwrite", batch_tokens=30)
        return self.folder / "drawn" / "best"

    def finetune(self, case, start, tables, run, *more, **options):
        if "--learning-rate" in more:
            files = {name: finetuning.write(self.folder / f"{name}.jsonl", rows) for name, rows in tables.items()}
            given = (word for name, path in files.items() for word in ("--" + name, path))
            return finetuning.finetune("--task", case.task, "--model", start, "-o", run, *given, *case.options(),
                                       *finetuning.words_of(epochs=1, batch_size=64, threads=1, **options), *more)  # fmt: skip
        return super().finetune(case, start, tables, run, *more, **options)

    def check(self, case, *_):
        tables = {name: case.rows(ROWS if name == "train" else 24, name) for name in NAMES}
        start = self.drawn(case, tables)
        run = self.folder / case.name
        told = self.finetune(case, start, tables, run, *OPTIONS, batch_tokens=60).stderr
        self.assertNotIn("drawn", told)  # it goes on with the transformer that it has
        losses, validations = own_losses(run)
        model = Windows(start)
        tokenizer = transformers.AutoTokenizer.from_pretrained(start)
        reference, valid = (EncodedReference(case, model, tokenizer, tables[one]) for one in ("train", "valid"))
        counts = [len(one.ranges) for one in reference.divided]
        longer = sum(count > MOST for count in counts)
        self.assertIn(f"train.jsonl: {longer} of {ROWS} rows have more than {MOST} windows and lose the rest", told)
        theirs = train(reference)
        with torch.no_grad():
            last = valid.loss(range(len(valid.rows))).item()
        worst = max(abs(a - b) for a, b in zip(losses, theirs, strict=True))
        own = Windows(run / "last").state_dict()
        apart = max(float((own[name] - tensor).abs().max()) for name, tensor in model.state_dict().items() if not name.endswith("key.bias"))
        print(f"{case.name}: rows of {min(counts)} to {max(counts)} windows; losses {losses[0]:.4f} to {losses[-1]:.4f}, {worst:.1e} apart; "
              f"validation {validations[-1]:.4f}, {abs(validations[-1] - last):.1e} apart; parameters {apart:.1e}")  # fmt: skip
        self.assertLess(worst, AGREE)
        self.assertLess(abs(validations[-1] - last), AGREE)
        self.assertLess(apart, AGREE)
        for options in ((), OPTIONS[:6]):
            self.check_verbs(case, run, tables, options, "" if options else WORDS)
        self.check_exact(case, run / "best", tables["test"], tokenizer)

    def check_exact(self, case, best, rows, tokenizer):
        """Logits of classify beside PyTorch in double precision."""
        if case.name == "rank":
            return
        out = self.folder / "logits.safetensors"
        verb("classify", "--model", best, self.texts(rows), "--logits", "-o", out, "--overwrite")
        model = Windows(best).double()
        with torch.no_grad():
            want = torch.stack([DividedRow(tokenizer, row, OVERLAP).logits(model, None)[0] for row in rows]).numpy()
        numpy.testing.assert_allclose(safetensors.numpy.load_file(out)["logits"], want, atol=EXACT)

    def test_losses_are_those_of_pytorch_and_predictions_those_of_the_verbs(self):
        for name in ("classify", "rank", "several"):
            with self.subTest(name):
                self.check(Case(name))

    def trained(self, name="classify", *more, **options):
        """A run of that task. @return (case, tables, run, what it told)"""
        case = Case(name)
        tables = {table: case.rows(32, table) for table in NAMES}
        run = self.folder / "run"
        told = self.finetune(case, self.start(case), tables, run, *OPTIONS, *more, **options).stderr
        return case, tables, run, told

    def test_it_is_drawn_by_the_seed_and_trained_beside_what_is_frozen(self):
        case, tables, run, told = self.trained("classify", "--freeze", 2, "--layer-decay", 0.5, "--dropout", 0.1)
        self.assertIn("has no transformer over windows: drawn by --seed", told)
        before, after = weights(self.folder / "start"), weights(run / "last")
        drawn = weights(self.drawn(case, tables))
        for name, tensor in after.items():
            layer = name.startswith(("bert.encoder.", "bert.embeddings."))
            self.assertEqual(numpy.array_equal(tensor, before[name] if layer else drawn[name]), layer, name)
        table = drawn[PREFIX + "embeddings.position_embeddings.weight"]
        self.assertEqual(table.shape, (MOST + 1, 24))
        self.assertAlmostEqual(float(table.std()), 0.05, delta=0.01)  # the configuration's initializer_range

    def test_bf16_learns_too(self):
        losses, _ = own_losses(self.trained("classify", "--precision", "bf16")[2])
        self.assertTrue(all(numpy.isfinite(losses)))
        single, _ = own_losses(self.trained("classify", "--overwrite")[2])
        self.assertNotEqual(losses, single)
        self.assertLess(max(abs(a - b) for a, b in zip(losses, single, strict=True)), 0.05)

    def test_others_refuse_the_checkpoint(self):
        best = self.trained()[2] / "best"
        for load in (transformers.AutoModelForSequenceClassification, transformers.BertForSequenceClassification):
            with self.assertRaises((ValueError, KeyError)):
                load.from_pretrained(best)

    def test_programs_read_it(self):
        case, tables, run, _ = self.trained()
        best = run / "best"
        program = lambda *words: subprocess.run([summand_testing.BIN / "summand", *map(str, words)], capture_output=True, text=True)
        said = program("verify", "--model", best)
        self.assertEqual((said.returncode, "window encoder" in said.stdout), (0, True), said.stderr)
        parts = json.loads(program("inspect", "--model", best, "--json").stdout)["parameters"]
        self.assertEqual(parts["window_encoder"], sum(tensor.size for name, tensor in weights(best).items() if name.startswith(PREFIX)))
        texts = self.texts(tables["test"])
        single, _ = verb("classify", "--model", best, texts, "--json")
        for more in (("--precision", "bf16"), ("--precision", "int8"), ("--threads", 3), ("--cache", self.folder / "cache"), ("--cache", self.folder / "cache")):
            said = program("classify", "--model", best, texts, "--json", *more)
            if said.returncode != 0:
                self.assertIn("precision", said.stderr)  # a machine without it
                continue
            others = [json.loads(line) for line in said.stdout.splitlines()]
            delta = 0.1 if "--precision" in more else 0
            for one, other in zip(single, others, strict=True):
                self.assertAlmostEqual(one["labels"][0]["score"], other["labels"][0]["score"], delta=delta)
        self.assertEqual(program("quantize", "--model", best, "-o", self.folder / "int8").returncode, 0)
        said = program("classify", "--model", self.folder / "int8", texts, "--precision", "fp32", "--json")
        self.assertIn(TAKEN, said.stderr)
        self.assertEqual(len(said.stdout.splitlines()), len(single))
        said = program("embed", "--model", best, texts, "-o", self.folder / "vectors.npy")
        self.assertEqual(said.returncode, 0, said.stderr)

    def test_a_server_labels_as_the_program(self):
        _, tables, run, _ = self.trained()
        lines, _ = verb("classify", "--model", run / "best", self.texts(tables["test"]), "--json", "--top", 3)
        with Served(models=[run / "best"]) as server:
            for asked in range(2):  # again from its store
                made = server.post("/predict", {"inputs": [[row["text"]] for row in tables["test"]]}).json
                for line, labels in zip(lines, made, strict=True):
                    self.assertEqual([one["label"] for one in line["labels"]], [one["label"] for one in labels])
                    numpy.testing.assert_array_equal(numpy.float32([one["score"] for one in line["labels"]]), numpy.float32([one["score"] for one in labels]))
            long = "the film was good " * 40
            self.assertEqual(server.post("/predict", {"inputs": [[long]], "truncate": True}).headers["X-Truncated-Inputs"], "1")
            refused = server.post("/predict", {"inputs": [[long]], "truncate": False})
            self.assertEqual(refused.status, 422)
            self.assertIn(f"must have at most {MOST} windows of {LONGEST} tokens", refused.json["error"])

    def test_what_is_wrong_is_one_line(self):
        case, tables, run, _ = self.trained()
        rows = finetuning.write(self.folder / "rows.jsonl", finetuning.rows("tag", 20, "tag"))
        common = ["--model", run / "best", "-o", self.folder / "none"]
        for said, status, words in (
            ("[--windows] expected mean or max with --task tag, which labels words, got transformer", 2, ["--task", "tag", "--train", rows, "--windows", "transformer"]),
            ("expected --windows transformer with --window-layers and --most-windows, got another", 2,
             ["--task", "classify", "--train", self.folder / "train.jsonl", "--windows", "mean", "--window-layers", 1]),
            ("--most-windows", 2, ["--task", "classify", "--train", self.folder / "train.jsonl", "--windows", "transformer", "--most-windows", 5000]),
        ):  # fmt: skip
            process = finetuning.finetune(*words, *common, check=False)
            self.assertEqual((process.returncode, process.stderr.count("\n")), (status, 1), process.stderr)
            self.assertIn(said, process.stderr)
        process = subprocess.run([summand_testing.BIN / "summand", "classify", "--model", run / "best", "--text", "a", "--windows", "max"], capture_output=True, text=True)
        self.assertEqual((process.returncode, process.stderr), (2, "summand: [windows] expected transformer, with which the model was trained, got another way\n"))
        long = subprocess.run([summand_testing.BIN / "summand", "classify", "--model", run / "best", "--text", "a film " * 90], capture_output=True, text=True)
        self.assertIn(f"1 of 1 text had more than {MOST} windows and lost the rest", long.stderr)

    def test_another_size_or_none_is_said(self):
        case, tables, run, _ = self.trained()
        for more, said in ((OPTIONS[:-1] + ["9"], "its transformer over windows has another size: drawn by --seed"),
                           (("--windows", "mean"), "its transformer over windows is left out")):  # fmt: skip
            told = self.finetune(case, run / "best", tables, self.folder / "next", *more, "--overwrite").stderr
            self.assertIn(said, told)
        config = json.loads((self.folder / "next/best/config.json").read_text())
        self.assertEqual(config["summand"], {"reading": {"max_length": 80, "windows": "mean", "overlap": 0}})
        self.assertFalse([name for name in weights(self.folder / "next/best") if name.startswith(PREFIX)])


if __name__ == "__main__":
    summand_testing.run_cases()
