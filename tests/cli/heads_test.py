"""The verbs of the heads, through the program, against transformers' pipelines and sentence-transformers' CrossEncoder.

Every model is random and small, with a real vocabulary; `cli_heads` compares what a user sees, `numbers` the logits."""

import copy
import json
import pathlib
import random
import sys
import tempfile
import unittest

import head_models
import numpy as np
import torch
from command_line import summand
from safetensors.numpy import load_file
from sentence_transformers import CrossEncoder
from transformers import AutoTokenizer, pipeline
from transformers.pipelines.token_classification import AggregationStrategy

# Scores are probabilities, or logits of random models that reach about 10: both sides compute in single precision.
TOLERANCE = 1e-5
LOGIT_TOLERANCE = 1e-4

TEXTS = [
    "The cat sat on the mat.", "Ünïcode straße, naïve café!", "我喜欢猫 and dogs", "unaffable electroencephalography",
    "☃ 𓀀 ꙮ unknown words", "It's 12:30 -- don't panic... (really?)", "e\u0301lan vital a\u0308", "[SEP] in the text [MASK]",
    "a", "New York\tand\nLos Angeles  ", "word " * 100,
]  # fmt: skip
TAGS = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC", "MISC", "B-x-y", "I-x-y"]
WORDS = (
    "Ada Lovelace wrote the first program , in London ! unaffable naïve café straße 我喜欢猫 ꙮ ☃ electroencephalography "
    "New York-based O'Neill 3.14 e\u0301lan don't [UNK] Åse İstanbul ﬁne ½"
).split()  # fmt: skip


def byte_places(text):
    return [len(text[:i].encode()) for i in range(len(text) + 1)]


class Heads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def model(self, kind, **changes):
        return head_models.head_directory(self.folder / "model", kind, **changes)

    def records(self, *records):
        path = self.folder / "in.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return path

    def run_ok(self, *arguments, **options):
        result = summand(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def lines(self, verb, *arguments):
        return [json.loads(line) for line in self.run_ok(verb, "--json", *arguments).stdout.splitlines()]

    def pipeline(self, task, model, **options):
        return pipeline(task, model=model, tokenizer=AutoTokenizer.from_pretrained(self.folder / "model"), device="cpu", **options)


class FillMask(Heads):
    texts = ["The capital of [MASK] is Paris.", "[MASK]", "我喜欢[MASK]。", "a [MASK] b [MASK] c [MASK]!", "Ünï [MASK] ☃"]

    def assert_same_fillings(self, ours, theirs):
        theirs = theirs if isinstance(theirs[0], list) else [theirs]
        self.assertEqual(len(ours), len(theirs))
        for mask, expected in zip(ours, theirs):
            self.assertEqual([filling["id"] for filling in mask["fillings"]], [e["token"] for e in expected])
            self.assertEqual([filling["token"] for filling in mask["fillings"]], [e["token_str"] for e in expected])
            self.assertEqual([filling["sequence"] for filling in mask["fillings"]], [e["sequence"] for e in expected])
            np.testing.assert_allclose([f["score"] for f in mask["fillings"]], [e["score"] for e in expected], atol=TOLERANCE)

    def test_the_fillings_are_those_of_the_pipeline(self):
        for kind in ("masked-lm", "untied-masked-lm", "pre-training"):
            for vocabulary in ("uncased", "cased"):
                with self.subTest(kind, vocabulary=vocabulary):
                    directory, model = self.model(kind, vocabulary=vocabulary)
                    model = head_models.CLASSES["masked-lm"].from_pretrained(directory).eval()
                    filler = self.pipeline("fill-mask", model)
                    path = self.records(*({"text": text} for text in self.texts))
                    for text, line in zip(self.texts, self.lines("fill-mask", "--model", directory, path, "--top", "9"), strict=True):
                        self.assert_same_fillings(line["masks"], filler(text, top_k=9))
                        places = byte_places(text)
                        at = [i for i in range(len(text)) if text.startswith("[MASK]", i)]
                        self.assertEqual([mask["offset"] for mask in line["masks"]], [[places[i], places[i + 6]] for i in at])

    def test_targets_are_read_as_by_the_pipeline_and_what_was_read_is_said(self):
        directory, model = self.model("masked-lm")
        filler = self.pipeline("fill-mask", model)
        targets = ["paris", "Berlin", "unaffable", "☃☃", "berlin", "cat"]
        result = self.run_ok("fill-mask", "--model", directory, "--text", self.texts[3], "--targets", ",".join(targets), "--json")
        self.assert_same_fillings(json.loads(result.stdout)["masks"], filler(self.texts[3], targets=targets))
        for fragment in ("'Berlin' is read as 'berlin'", "'unaffable' is no single token; its first piece 'una'", "'☃☃' is not in the vocabulary; [UNK]"):
            self.assertIn(fragment, result.stderr)
        self.assertNotIn("'cat'", result.stderr)

    def test_a_table_names_each_mask_once(self):
        directory, _ = self.model("masked-lm")
        shown = self.run_ok("fill-mask", "--model", directory, "--text", "a [MASK] b [MASK]", "--top", "3").stdout.splitlines()
        self.assertEqual(len(shown), 2 + 6)
        self.assertEqual([line.split()[0] for line in (shown[2], shown[5])], ["1", "2"])

    def test_raw_logits_are_those_of_every_mask(self):
        directory, model = self.model("untied-masked-lm")
        out = self.folder / "logits.safetensors"
        self.run_ok("fill-mask", "--model", directory, self.records(*({"text": t} for t in self.texts)), "--logits", "-o", out)
        tensors = load_file(out)
        self.assertEqual(tensors["offsets"].tolist(), [0, 1, 2, 3, 6, 7])
        tokenizer = AutoTokenizer.from_pretrained(directory)
        for i, text in enumerate(self.texts):
            encoding = tokenizer(text, return_tensors="pt")
            begin, end = tensors["offsets"][i : i + 2]
            masks = torch.nonzero(encoding["input_ids"][0] == tokenizer.mask_token_id)[:, 0]
            self.assertEqual(tensors["tokens"][begin:end].tolist(), masks.tolist())
            with torch.no_grad():
                expected = model(**encoding).logits[0, masks]
            np.testing.assert_allclose(tensors["logits"][begin:end], expected, atol=LOGIT_TOLERANCE)

    def test_more_masks_than_are_held_at_a_time_keep_their_order(self):
        directory, model = self.model("masked-lm")
        texts = ["[MASK] " * (1 + i % 70) for i in range(50)]
        out = self.folder / "logits.safetensors"
        self.run_ok("fill-mask", "--model", directory, self.records(*({"text": t} for t in texts)), "--logits", "-o", out)
        tensors = load_file(out)
        self.assertGreater(tensors["logits"].size, 1 << 25)  # logits_file.cpp, kMostLogits
        self.assertEqual(np.diff(tensors["offsets"]).tolist(), [1 + i % 70 for i in range(50)])
        tokenizer = AutoTokenizer.from_pretrained(directory)
        for i in (0, 17, 49):
            with torch.no_grad():
                expected = model(**tokenizer(texts[i], return_tensors="pt")).logits[0, 1:-1]
            begin, end = tensors["offsets"][i : i + 2]
            np.testing.assert_allclose(tensors["logits"][begin:end], expected, atol=LOGIT_TOLERANCE)


class NextSentence(Heads):
    pairs = [("He went to the store.", "He bought milk."), ("", "b"), ("我喜欢猫", "☃"), ("a " * 90, "b " * 50)]

    def expected(self, directory, model):
        tokenizer = AutoTokenizer.from_pretrained(directory)
        for first, second in self.pairs:
            with torch.no_grad():
                output = model(**tokenizer(first, second, truncation=True, max_length=80, return_tensors="pt"))
            yield output.logits[0] if "logits" in output else output.seq_relationship_logits[0]

    def test_scores_are_the_softmax_of_both_logits(self):
        for kind in ("next-sentence", "pre-training"):
            directory, model = self.model(kind)
            path = self.records(*({"text": a, "text_pair": b} for a, b in self.pairs))
            lines = self.lines("next-sentence", "--model", directory, path)
            for line, logits in zip(lines, self.expected(directory, model), strict=True):
                np.testing.assert_allclose(line["logits"], logits, atol=LOGIT_TOLERANCE)
                np.testing.assert_allclose([line["is_next"], line["not_next"]], logits.softmax(-1), atol=TOLERANCE)

    def test_pairs_on_the_command_line_and_cut_pairs(self):
        directory, model = self.model("next-sentence")
        arguments = [x for a, b in self.pairs for x in ("--text", a, "--text-pair", b)]
        result = self.run_ok("next-sentence", "--model", directory, *arguments)
        self.assertIn("1 of 4 texts was cut at 80 tokens", result.stderr)
        rows = result.stdout.splitlines()[1:]
        expected = [logits.softmax(-1)[0] for logits in self.expected(directory, model)]
        np.testing.assert_allclose([float(row.split()[0]) for row in rows], expected, atol=1e-4)
        self.assertIn("He went to the store. | He bought milk.", rows[0])

    def test_raw_logits(self):
        directory, model = self.model("next-sentence")
        out = self.folder / "logits.safetensors"
        path = self.records(*({"text": a, "text_pair": b} for a, b in self.pairs))
        report = json.loads(self.run_ok("next-sentence", "--model", directory, path, "--logits", "-o", out, "--json").stdout)
        self.assertEqual(report, {"out": str(out), "texts": 4, "rows": 4, "columns": 2, "texts_cut": 1})
        tensors = load_file(out)
        self.assertEqual(set(tensors), {"logits", "offsets"})
        self.assertEqual(tensors["offsets"].tolist(), [0, 1, 2, 3, 4])
        np.testing.assert_allclose(tensors["logits"], torch.stack(list(self.expected(directory, model))), atol=LOGIT_TOLERANCE)


class Classify(Heads):
    labels = {0: "bad", 1: "middling", 2: "good", 3: "très bon"}
    problems = [
        dict(id2label=labels), dict(id2label=labels, problem_type="single_label_classification"),
        dict(id2label=labels, problem_type="multi_label_classification"), dict(id2label=labels, problem_type="regression"),
        dict(num_labels=1), dict(num_labels=1, problem_type="regression"), dict(num_labels=3),
    ]  # fmt: skip

    def test_labels_and_scores_are_those_of_the_pipeline(self):
        for changes in self.problems:
            with self.subTest(changes):
                directory, model = self.model("sequence-classification", **changes)
                classifier = self.pipeline("text-classification", model, truncation=True, max_length=80)
                path = self.records(*({"text": text} for text in TEXTS), {"text": "a cat", "text_pair": "naïve"})
                inputs = TEXTS + [{"text": "a cat", "text_pair": "naïve"}]
                lines = self.lines("classify", "--model", directory, path, "--top", "9")
                for line, one in zip(lines, inputs, strict=True):
                    expected = classifier(one, top_k=9)
                    self.assertEqual([label["label"] for label in line["labels"]], [e["label"] for e in expected])
                    np.testing.assert_allclose([label["score"] for label in line["labels"]], [e["score"] for e in expected], atol=LOGIT_TOLERANCE if changes.get("problem_type") == "regression" else TOLERANCE)

    def test_without_top_the_best_label_or_all_that_hold(self):
        for changes in self.problems:
            with self.subTest(changes):
                directory, _ = self.model("sequence-classification", **changes)
                path = self.records(*({"text": text} for text in TEXTS))
                everything = self.lines("classify", "--model", directory, path, "--top", "9")
                several = changes.get("problem_type") == "multi_label_classification"
                counts = set()
                for line, all_of_text in zip(self.lines("classify", "--model", directory, path), everything, strict=True):
                    holding = [label for label in all_of_text["labels"] if label["score"] > 0.5]
                    self.assertEqual(line["labels"], holding if several else all_of_text["labels"][:1])
                    counts.add(len(line["labels"]))
                self.assertEqual(len(counts) > 1, several)

    def test_a_table_has_a_row_per_text_and_a_dash_where_no_label_holds(self):
        directory, model = self.model("sequence-classification", id2label={0: "a", 1: "b"}, problem_type="multi_label_classification")
        with torch.no_grad():
            model.classifier.weight.zero_()
            model.classifier.bias.fill_(-3)
        model.save_pretrained(directory)
        rows = self.run_ok("classify", "--model", directory, "--text", "The cat", "--text", "我").stdout.splitlines()
        self.assertEqual([row.split() for row in rows], [["label", "score", "text"], ["-", "The", "cat"], ["-", "我"]])

    def test_raw_logits_and_batches_of_any_size_agree(self):
        directory, model = self.model("sequence-classification", num_labels=3)
        out = self.folder / "logits.safetensors"
        texts = [f"text {i} " + "and more " * (i % 40) for i in range(900)]  # more than one batch of tokens
        path = self.records(*({"text": text} for text in texts))
        self.run_ok("classify", "--model", directory, path, "--logits", "-o", out)
        tensors = load_file(out)
        self.assertEqual(tensors["offsets"].tolist(), list(range(901)))
        lines = self.lines("classify", "--model", directory, path, "--top", "3")
        for line, logits in zip(lines, tensors["logits"], strict=True):
            ours = {label["label"]: label["logit"] for label in line["labels"]}
            np.testing.assert_array_equal(np.array([ours[f"LABEL_{i}"] for i in range(3)], np.float32), logits)
        tokenizer = AutoTokenizer.from_pretrained(directory)
        for i in (0, 39, 899):
            with torch.no_grad():
                expected = model(**tokenizer(texts[i], truncation=True, max_length=80, return_tensors="pt")).logits[0]
            np.testing.assert_allclose(tensors["logits"][i], expected, atol=LOGIT_TOLERANCE)
        rows = self.run_ok("classify", "--model", directory, path).stdout.splitlines()
        self.assertEqual(len(rows), 901)
        self.assertEqual({row.index("text") for row in rows}, {rows[0].index("text")})


class Windows(Heads):
    text = " ".join(f"sentence number {i} of a long text" for i in range(40))

    def windows_of(self, model, overlap, query=None):
        """Logits of each window, [windows, labels], by the library's own stride; words are single tokens."""
        tokenizer = AutoTokenizer.from_pretrained(self.folder / "model")
        texts = (self.text,) if query is None else (query, self.text)
        truncation = "only_first" if query is None else "only_second"
        encoding = tokenizer(*texts, truncation=truncation, max_length=40, stride=overlap, return_overflowing_tokens=True, padding=True, return_tensors="pt")
        encoding.pop("overflow_to_sample_mapping")
        with torch.no_grad():
            return model(**encoding).logits

    def test_the_logits_of_windows_are_combined_before_they_become_scores(self):
        directory, model = self.model("sequence-classification", num_labels=3)
        for overlap in (0, 5):
            logits = self.windows_of(model, overlap)
            self.assertGreater(len(logits), 5)
            for way, combined in (("mean", logits.mean(0)), ("max", logits.max(0).values)):
                with self.subTest(way, overlap=overlap):
                    options = ("--model", directory, "--max-length", "40", "--windows", way, "--overlap", overlap)
                    result = self.run_ok("classify", "--json", "--top", "3", "--text", self.text, "--text", "a cat", *options)
                    self.assertIn(f"1 of 2 texts took more than one window, {len(logits) + 1} windows in all", result.stderr)
                    labels = {x["label"]: x for x in json.loads(result.stdout.splitlines()[0])["labels"]}
                    ours = [labels[f"LABEL_{i}"] for i in range(3)]
                    np.testing.assert_allclose([x["logit"] for x in ours], combined, atol=LOGIT_TOLERANCE)
                    np.testing.assert_allclose([x["score"] for x in ours], combined.softmax(-1), atol=TOLERANCE)
                    out = self.folder / "logits.safetensors"
                    self.run_ok("classify", "--logits", "-o", out, "--overwrite", "--text", "a cat", "--text", self.text, *options)
                    np.testing.assert_allclose(load_file(out)["logits"][1], combined, atol=LOGIT_TOLERANCE)

    def test_a_long_passage_is_ranked_by_its_windows(self):
        directory, model = self.model("sequence-classification", num_labels=1)
        logits = self.windows_of(model, 0, query="what is it")[:, 0]
        self.assertGreater(len(logits), 5)
        for way, combined in (("mean", logits.mean()), ("max", logits.max())):
            options = ("--model", directory, "--max-length", "40", "--windows", way, "--query", "what is it")
            line = self.lines("rerank", "--text", self.text, *options)[0]
            self.assertAlmostEqual(line["logit"], combined.item(), delta=LOGIT_TOLERANCE)


class RepeatedTexts(Heads):
    def test_what_comes_again_has_the_line_of_the_first_and_is_said(self):
        for verb, kind in (("fill-mask", "masked-lm"), ("next-sentence", "next-sentence"), ("classify", "sequence-classification"), ("tag", "token-classification")):
            with self.subTest(verb):
                directory, _ = self.model(kind)
                of_pairs = {"text_pair": "an [MASK] answer"} if verb == "next-sentence" else {}
                one, other = ({"text": f"{word} [MASK] is here"} | of_pairs for word in ("What", "Nothing"))
                result = summand(verb, "--model", directory, self.records(one, other, one, one), "--json")
                self.assertEqual(result.returncode, 0, result.stderr)
                lines = result.stdout.splitlines()
                self.assertEqual(lines, [lines[0], lines[1], lines[0], lines[0]])
                self.assertNotEqual(lines[0], lines[1])
                self.assertIn("summand: 2 of 4 texts had the tokens of an earlier one and were not computed again\n", result.stderr)


class FoundByTensors(Heads):
    """Heads of folders that another class saved, or whose config.json says little."""

    def changed(self, **changes):
        path = self.folder / "model" / "config.json"
        config = json.loads(path.read_text()) | changes
        path.write_text(json.dumps({key: value for key, value in config.items() if value != "absent"}))

    def test_a_classifier_runs_whatever_the_class_is_called(self):
        for kind, verb, other in (("sequence-classification", "classify", "tag"), ("token-classification", "tag", "classify")):
            directory, model = self.model(kind, id2label={0: "a", 1: "b", 2: "c"})
            path = self.records(*({"text": text} for text in TEXTS))
            expected = self.lines(verb, "--model", directory, path)
            for architectures in (["BertForMultiLabelClassification"], ["BertModel"], ["SomebodysNet"], [], "absent", 5):
                with self.subTest(verb, architectures=architectures):
                    self.changed(architectures=architectures)
                    self.assertEqual(self.lines(verb, "--model", directory, path), expected)
                    refused = summand(other, "--model", directory, "--text", "a")
                    self.assertEqual((refused.returncode, refused.stderr.count("\n")), (1, 1), refused.stderr)
                    self.assertIn("'classifier.weight' [3, 24] is taken for a", refused.stderr)

    def test_integer_labels_are_labels_and_a_bad_one_is_named_by_the_verb_that_needs_it(self):
        directory, _ = self.model("sequence-classification", id2label={0: "a", 1: "b"})
        path = self.records(*({"text": text} for text in TEXTS))
        self.changed(id2label={"0": 0, "1": 1})
        classifier = self.pipeline("text-classification", head_models.CLASSES["sequence-classification"].from_pretrained(directory).eval())
        theirs = [str(classifier(text, truncation=True)[0]["label"]) for text in TEXTS]
        self.assertEqual([line["labels"][0]["label"] for line in self.lines("classify", "--model", directory, path)], theirs)
        self.assertEqual(set(theirs) - {"0", "1"}, set())
        embed = ("embed", "--model", directory, path, "-o", self.folder / "out.npy", "--overwrite")
        self.run_ok(*embed)
        expected = np.load(self.folder / "out.npy")
        for labels, message in (({"0": "a", "1": None}, "id2label: label 1 of 2: expected a string or a number, got null"),
                                ({"0": "a", "2": "b"}, "id2label: label 1 of 2: expected a label for every number from 0 to 1, got none"),
                                (["a", "b"], "id2label: expected an object of labels by number, got an array")):  # fmt: skip
            with self.subTest(message):
                self.changed(id2label=labels)
                self.assertIn(f"{directory}/config.json: the sequence classification head is left out, {message}", self.run_ok(*embed).stderr)
                np.testing.assert_array_equal(np.load(self.folder / "out.npy"), expected)
                refused = summand("classify", "--model", directory, "--text", "a")
                self.assertEqual((refused.returncode, refused.stdout, refused.stderr), (1, "", f"summand: [{directory}/config.json] {message}\n"))
        self.changed(id2label="absent", problem_type="ranking", initializer_range="wide", hidden_dropout_prob=None, label2id=5, task_specific_params=7)
        self.run_ok(*embed)
        self.run_ok("tokenize", "--model", directory, "--text", "a")
        self.assertIn("problem_type: expected one of", summand("classify", "--model", directory, "--text", "a").stderr)

    def test_what_only_sentence_vectors_need_closes_no_folder(self):
        directory, _ = self.model("masked-lm")
        plain = self.run_ok("fill-mask", "--model", directory, "--text", "a [MASK]").stdout
        (directory / "modules.json").write_text(json.dumps([{"type": "sentence_transformers.models.LSTM", "path": "1_LSTM"}]))
        result = self.run_ok("fill-mask", "--model", directory, "--text", "a [MASK]")
        self.assertEqual(result.stdout, plain)
        self.assertIn("sentence vectors cannot be made: ", result.stderr)
        self.assertIn("none: see the notices", self.run_ok("inspect", "--model", directory).stdout)
        refused = summand("embed", "--model", directory, "--text", "a", "-o", self.folder / "out.npy")
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (1, 1), refused.stderr)
        self.assertIn("modules.json] module type 'sentence_transformers.models.LSTM' is not supported", refused.stderr)

    def test_a_folder_with_pytorch_model_bin_alone_gives_the_same(self):
        for kind, verb in (("masked-lm", "fill-mask"), ("sequence-classification", "classify")):
            directory, model = self.model(kind)
            text = ("--text", "a cat [MASK]")
            expected = self.lines(verb, "--model", directory, *text)
            (directory / "model.safetensors").unlink()
            torch.save(model.state_dict(), directory / "pytorch_model.bin")
            self.assertEqual(self.lines(verb, "--model", directory, *text), expected)
            self.run_ok("quantize", "--model", directory, "-o", self.folder / f"{kind}-int8")
            self.assertFalse((self.folder / f"{kind}-int8" / "pytorch_model.bin").exists())
            torch.save(model.state_dict(), directory / "pytorch_model.bin", _use_new_zipfile_serialization=False)
            refused = summand(verb, "--model", directory, *text)
            self.assertEqual((refused.returncode, refused.stderr.count("\n")), (1, 1))
            self.assertIn("got the older format: torch.save(torch.load(FILE), FILE) writes it anew", refused.stderr)
            (directory / "pytorch_model.bin").unlink()


class Rerank(Heads):
    query = "What do cats eat?"

    def assert_same_ranking(self, directory, encoder):
        path = self.records(*({"text": text} for text in TEXTS))
        lines = self.lines("rerank", "--model", directory, "--query", self.query, path)
        expected = encoder.rank(self.query, TEXTS)
        logits = encoder.predict([(self.query, text) for text in TEXTS], activation_fn=torch.nn.Identity())
        self.assertEqual([line["index"] for line in lines], [e["corpus_id"] for e in expected])
        self.assertEqual([line["rank"] for line in lines], list(range(1, len(TEXTS) + 1)))
        self.assertEqual([line["text"] for line in lines], [TEXTS[e["corpus_id"]] for e in expected])
        np.testing.assert_allclose([line["score"] for line in lines], [e["score"] for e in expected], atol=LOGIT_TOLERANCE)
        np.testing.assert_allclose([line["logit"] for line in lines], [logits[e["corpus_id"]] for e in expected], atol=LOGIT_TOLERANCE)
        return lines

    def test_the_ranking_is_that_of_the_cross_encoder(self):
        directory, _ = self.model("sequence-classification", num_labels=1)
        lines = self.assert_same_ranking(directory, CrossEncoder(str(directory), device="cpu"))
        best = self.lines("rerank", "--model", directory, "--query", self.query, self.folder / "in.jsonl", "--top", "3")
        self.assertEqual(best, lines[:3])
        table = self.run_ok("rerank", "--model", directory, "--query", self.query, self.folder / "in.jsonl").stdout.splitlines()
        self.assertEqual([int(row.split()[3]) - 1 for row in table[1:]], [line["index"] for line in lines])

    def test_the_activation_is_the_one_that_the_directory_names(self):
        config = json.loads((self.model("sequence-classification", num_labels=1)[0] / "config.json").read_text())
        directory = self.folder / "model"
        identity = "torch.nn.modules.linear.Identity"
        for extra in ({"sentence_transformers": {"activation_fn": identity}}, {"sbert_ce_default_activation_function": identity},
                      {"sentence_transformers": {"activation_fn": "torch.nn.modules.activation.Sigmoid"}, "sbert_ce_default_activation_function": identity}):  # fmt: skip
            with self.subTest(extra):
                (directory / "config.json").write_text(json.dumps(config | extra))
                self.assert_same_ranking(directory, CrossEncoder(str(directory), device="cpu"))
        for name in ("Tanh", "GELU", "SiLU", "LeakyReLU", "ELU", "Softplus", "LogSigmoid"):
            with self.subTest(name):
                named = {"sentence_transformers": {"activation_fn": f"torch.nn.modules.activation.{name}"}}
                (directory / "config.json").write_text(json.dumps(config | named))
                self.assert_same_ranking(directory, CrossEncoder(str(directory), device="cpu"))
        for wrong, message in (("torch.nn.modules.activation.Softmax", "got 'torch.nn.modules.activation.Softmax'"), (5, "activation_fn: expected a string, got 5")):
            (directory / "config.json").write_text(json.dumps(config | {"sentence_transformers": {"activation_fn": wrong}}))
            refused = summand("rerank", "--model", directory, "--query", "q", "--text", "a")
            self.assertEqual(refused.returncode, 1)
            self.assertIn(message, refused.stderr)
            self.run_ok("classify", "--model", directory, "--text", "a")  # which reads no such function

    def test_a_directory_saved_by_the_cross_encoder(self):
        directory, _ = self.model("sequence-classification", num_labels=1)
        for activation in (torch.nn.Sigmoid(), torch.nn.Identity()):
            saved = self.folder / f"saved-{type(activation).__name__}"
            CrossEncoder(str(directory), device="cpu", activation_fn=activation).save_pretrained(str(saved))
            self.assert_same_ranking(saved, CrossEncoder(str(saved), device="cpu"))

    def test_raw_logits_stay_in_the_order_of_the_input(self):
        directory, _ = self.model("sequence-classification", num_labels=1)
        path, out = self.records(*({"text": text} for text in TEXTS)), self.folder / "logits.safetensors"
        self.run_ok("rerank", "--model", directory, "--query", self.query, path, "--logits", "-o", out)
        expected = CrossEncoder(str(directory), device="cpu").predict([(self.query, t) for t in TEXTS], activation_fn=torch.nn.Identity())
        np.testing.assert_allclose(load_file(out)["logits"][:, 0], expected, atol=LOGIT_TOLERANCE)


class Tag(Heads):
    strategies = ["none", "simple", "first", "average", "max"]

    def random_texts(self, seed, count):
        choose = random.Random(seed)
        for _ in range(count):
            words = choose.choices(WORDS, k=choose.randint(1, 14))
            yield words, "".join(word + choose.choice([" ", " ", " ", "  ", "", "-"]) for word in words)

    def assert_same_tags(self, ours, theirs, text):
        places = byte_places(text)
        key = "entity" if theirs and "entity" in theirs[0] else "entity_group"
        self.assertEqual([tag["label"] for tag in ours], [e[key] for e in theirs])
        self.assertEqual([tag["word"] for tag in ours], [e["word"] for e in theirs])
        self.assertEqual([tag["bytes"] for tag in ours], [[places[e["start"]], places[e["end"]]] for e in theirs])
        np.testing.assert_allclose([tag["score"] for tag in ours], [e["score"] for e in theirs], atol=TOLERANCE)
        if key == "entity":
            self.assertEqual([tag["tokens"] for tag in ours], [[e["index"], e["index"] + 1] for e in theirs])

    def compare(self, vocabulary, seed, labels, count):
        directory, model = self.model("token-classification", seed=seed, vocabulary=vocabulary, id2label=dict(enumerate(labels)))
        tagger = self.pipeline("token-classification", model)
        cases = list(self.random_texts(seed, count)) + [([text], text) for text in TEXTS]
        tags = 0
        for inputs in ([text for _, text in cases], [words for words, _ in cases]):
            split = isinstance(inputs[0], list)
            path = self.records(*({"tokens" if split else "text": one} for one in inputs))
            outputs = [[tagger.forward(chunk) for chunk in tagger.preprocess(one, is_split_into_words=split, delimiter=" ")] for one in inputs]
            for strategy in self.strategies:
                lines = self.lines("tag", "--model", directory, path, "--aggregate", strategy)
                for one, output, line in zip(inputs, outputs, lines, strict=True):
                    with self.subTest(one, strategy=strategy, vocabulary=vocabulary):
                        expected = tagger.postprocess(copy.deepcopy(output), AggregationStrategy(strategy))  # it moves the offsets it is given
                        self.assert_same_tags(line["tags"], expected, " ".join(one) if split else one)
                        tags += len(line["tags"])
                        if split:
                            self.assert_word_places(line["tags"], one)
        return tags

    def assert_word_places(self, tags, words):
        """`words` of a tag are those that its bytes touch."""
        begins = np.cumsum([0] + [len(word.encode()) + 1 for word in words])
        for tag in tags:
            begin, end = tag["bytes"]
            touched = [i for i in range(len(words)) if begins[i] <= begin < begins[i + 1] or begins[i] < end < begins[i + 1]]
            self.assertEqual(tag["words"], [touched[0], touched[-1] + 1])

    def test_tags_are_those_of_the_pipeline_for_every_aggregation(self):
        tags = self.compare("uncased", 1, TAGS, 40)
        tags += self.compare("cased", 2, TAGS, 40)
        tags += self.compare("chinese", 3, TAGS[:3], 30)
        tags += self.compare("uncased", 4, ["O", "B-A", "I-A"], 40)
        self.assertGreater(tags, 5000)

    def test_raw_logits_are_those_of_every_token(self):
        directory, model = self.model("token-classification", id2label=dict(enumerate(TAGS)))
        out = self.folder / "logits.safetensors"
        self.run_ok("tag", "--model", directory, self.records(*({"text": text} for text in TEXTS)), "--logits", "-o", out)
        tensors = load_file(out)
        tokenizer = AutoTokenizer.from_pretrained(directory)
        for i, text in enumerate(TEXTS):
            with torch.no_grad():
                expected = model(**tokenizer(text, truncation=True, max_length=80, return_tensors="pt")).logits[0]
            begin, end = tensors["offsets"][i : i + 2]
            np.testing.assert_allclose(tensors["logits"][begin:end], expected, atol=LOGIT_TOLERANCE)
            self.assertEqual(tensors["tokens"][begin:end].tolist(), list(range(len(expected))))

    def test_a_table_says_so_where_nothing_is_tagged(self):
        directory, _ = self.model("token-classification", id2label={0: "O"}, num_labels=1)
        shown = self.run_ok("tag", "--model", directory, "--text", "The cat", "--text", "").stdout
        self.assertEqual(shown, "The cat\n  no tags\n\n\n  no tags\n")


class Verify(Heads):
    def test_every_state_is_compared_and_agrees(self):
        for kind in head_models.KINDS:
            with self.subTest(kind):
                directory, _ = self.model(kind)
                report = json.loads(self.run_ok("verify", "--model", directory, "--json").stdout)
                names = {"masked-lm": ["masked language"], "untied-masked-lm": ["masked language"], "next-sentence": ["pooled", "next sentence"],
                         "sequence-classification": ["pooled", "sequence classification"], "token-classification": ["token classification"], "question-answering": ["question answering"],
                         "pre-training": ["pooled", "masked language", "next sentence"], "untied-pre-training": ["pooled", "masked language", "next sentence"]}[kind]  # fmt: skip
                self.assertEqual([state["name"] for state in report["states"]], ["hidden 0", "hidden 1", "hidden 2", *names])
                self.assertTrue(all(state["ok"] and 0 < state["engine"] <= state["allowed"] for state in report["states"]))
                self.assertTrue(report["agrees"])
                self.assertEqual(report["texts"], 6)

    def test_the_last_line_is_a_plain_verdict(self):
        directory, _ = self.model("pre-training")
        path = self.records({"text": "a cat", "text_pair": "a dog"}, {"text": ""}, {"tokens": ["我", "☃"]})
        shown = self.run_ok("verify", "--model", directory, path).stdout.splitlines()
        self.assertTrue(shown[0].startswith("3 texts, 13 tokens"), shown[0])
        self.assertRegex(shown[-1], r"^The engine agrees with the reference: largest difference \d\.\de-0\d, allowed \d\.\de-0\d\.$")


class Help(Heads):
    def test_every_verb_has_help_with_an_example_that_states_its_json(self):
        for verb in ("fill-mask", "next-sentence", "classify", "rerank", "tag", "verify"):
            text = self.run_ok(verb, "--help").stdout
            parts = ["Example:", f"summand {verb}", "--json", "--threads", "--max-length", "--truncation", "--text"]
            for part in parts + ([] if verb == "verify" else ["With --json one object per", "--logits"]):
                self.assertIn(part, text, verb)
            footer = text.rsplit("\n\n", 1)[1]
            self.assertLessEqual(max(map(len, footer.splitlines())), 120)


if __name__ == "__main__":
    unittest.main(argv=[*sys.argv, "-v"])
