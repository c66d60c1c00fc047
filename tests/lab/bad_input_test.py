"""What summand-lab does with checkpoints, tables, corpora and folders that are damaged, odd or too small."""

import gzip
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

import head_models
import numpy as np
import sentence_models
import summand_testing
from compressed import zstd
from safetensors.numpy import load_file, save_file

LAB = summand_testing.BIN / "summand-lab"
CLAIMS = 57
POSITIONS, TOKENS = "embeddings.position_embeddings.weight", "embeddings.word_embeddings.weight"
SEGMENTS = "embeddings.token_type_embeddings.weight"
# Narrow and shallow, with few words, so that all experiments together take seconds.
SMALL = dict(hidden_size=8, num_attention_heads=2, intermediate_size=8, num_hidden_layers=1, vocab_size=60)
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *(chr(97 + i % 26) * (1 + i // 26) for i in range(55))]


def lab(*options):
    return subprocess.run([LAB, "--quick", "--threads", "1", *map(str, options)], capture_output=True, text=True)


def said(result):
    """What stands on standard error beside warnings of a built-in corpus: these small vocabularies do not cover it, and it has
    pairs, which one segment row does not tell apart."""
    expected = ("[UNK]: the vocabulary does not cover it", "of the corpus' 73 texts are pairs, and the model has 1 segment row")
    return "".join(line for line in result.stderr.splitlines(True) if not any(words in line for words in expected))


def walk(rows, columns=24):
    return (np.cumsum(np.random.default_rng(1).normal(size=(rows, columns)), axis=0) / 100).astype(np.float32)


class BadInput(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.runs = 0

    def checkpoint(self, change=None, **settings):
        """A directory; `change` gets its tensors and may replace or drop some."""
        self.runs += 1
        directory = sentence_models.transformer_directory(self.folder / f"model{self.runs}", **(SMALL | settings))
        (directory / "vocab.txt").write_text("\n".join(WORDS) + "\n")
        for name in ("tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"):
            (directory / name).unlink(missing_ok=True)
        if change:
            path = directory / "model.safetensors"
            tensors = dict(load_file(path))
            change(tensors)
            save_file(tensors, path)
        return directory

    def table(self, values):
        self.runs += 1
        path = self.folder / f"table{self.runs}.npy"
        np.save(path, values)
        return path

    def report(self, *options):
        """Runs everything; every claim has a row with a reason, and no number is missing."""
        self.runs += 1
        folder = self.folder / f"report{self.runs}"
        result = lab(*options, "-o", folder)
        self.assertEqual((result.returncode, said(result)), (0, ""), options)
        rows = {row["id"]: row for row in json.loads((folder / "results.json").read_text())["claims"]}
        self.assertEqual(len(rows), CLAIMS)
        for row in rows.values():
            self.assertTrue(row["reason"], row["id"])
            for name, number in row["numbers"].items():
                self.assertIsNotNone(number["value"], f"{row['id']} {name} {options}")
                for beside in ("null", "control"):
                    if f"{beside}_of" in number:
                        self.assertIsNotNone(number[beside], f"{row['id']} {name} {beside} {options}")
        return rows

    def refused(self, message, *options, status=1):
        self.runs += 1
        folder = self.folder / f"report{self.runs}"
        result = lab(*options, "-o", folder)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(message, result.stderr)
        self.assertFalse(folder.exists())

    def test_one_segment_is_a_named_gap(self):
        rows = self.report("--model", self.checkpoint(type_vocab_size=1, hidden_size=64, vocab_size=70))
        self.assertIn("two segment rows", rows["0.2"]["reason"])

    @summand_testing.long
    def test_no_layers_are_a_named_gap(self):
        """What looks at the tables alone is measured, what looks at a layer says that there is none."""
        for segments in (1, 2):
            rows = self.report("--model", self.checkpoint(num_hidden_layers=0, type_vocab_size=segments, hidden_size=64, vocab_size=70))
            for claim in ("0.4", "0.5", "Q1", "Q4", "Q7", "Q9", "3.2", "3.3", "4.1", "4.2", "4.9"):
                self.assertEqual(rows[claim]["observation"], "not measured", claim)
                self.assertRegex(rows[claim]["reason"], "needs a (checkpoint with a )?layer", claim)
            for claim in ("0.1", "3.1", "4.8", "E1", "E3", "Q6", "Q8a"):
                self.assertNotEqual(rows[claim]["observation"], "not measured", claim)
                self.assertTrue(rows[claim]["numbers"], claim)

    def test_a_masked_language_model_of_no_layers_is_measured_around(self):
        for segments in (1, 2):
            model, _ = head_models.head_directory(self.folder / f"head{segments}", "masked-lm", num_hidden_layers=0, type_vocab_size=segments)
            self.report("--model", model, "--only", "tied_output,interventions,removed_components,long_texts,beyond_the_table")
            experiment = self.folder / "attention.json"
            halved = summand_testing.ROOT / "examples" / "experiments" / "halved-positions.json"
            experiment.write_text(halved.read_text().replace('"sentence_vector"', '"attention"'))
            self.refused("readout: 'attention' needs a layer, this model has none", "--model", model, "--experiment", experiment)

    @summand_testing.long
    def test_pairs_on_a_model_of_one_segment_row_are_read_and_it_is_said(self):
        model = self.checkpoint(type_vocab_size=1, hidden_size=64, vocab_size=70)
        corpus = self.folder / "pairs.jsonl"
        corpus.write_text("".join(json.dumps({"text": "a b c d e f g " * 4, "text_pair": f"h {chr(97 + i)} " * 9}) + "\n" for i in range(12)))
        folder = self.folder / "report"
        result = lab("--model", model, "--corpus", corpus, "-o", folder)
        self.assertEqual((result.returncode, result.stderr), (0, (
            "summand: 12 of the corpus' 12 texts are pairs, and the model has 1 segment row: their second text gets the last one; "
            "--corpus takes single texts\n")))  # fmt: skip
        rows = {row["id"]: row for row in json.loads((folder / "results.json").read_text())["claims"]}
        self.assertNotEqual(rows["4.8"]["observation"], "not measured")
        self.assertNotEqual(rows["0.4"]["observation"], "not measured")
        result = lab("--model", model, "--corpus", corpus, "-o", folder, "--only", "norms", "--language", "zh")
        self.assertIn("语料的 12 条文本中有 12 条是文本对，而模型只有 1 行句段", result.stderr)

    def test_a_corpus_of_pairs_with_other_columns_names_the_options(self):
        model, corpus = self.checkpoint(max_position_embeddings=20), self.folder / "pairs.tsv"
        corpus.write_text("sentence1\tsentence2\na b\tb a\nc d\td c\n")
        self.refused(f"[{corpus}:1] expected the column 'text', got 'sentence1', 'sentence2'; --corpus-field names another, "
                     "--corpus-pair-field that of second texts\n", "--model", model, "--corpus", corpus)  # fmt: skip
        named = ("--corpus-field", "sentence1", "--corpus-pair-field", "sentence2")
        usual = self.folder / "usual.tsv"
        usual.write_text(corpus.read_text().replace("sentence1", "text").replace("sentence2", "text_pair"))
        hashes = []
        for options in (("--corpus", corpus, *named), ("--corpus", usual), ("--corpus", corpus, *named[:2])):
            folder = self.folder / f"report{len(hashes)}"
            result = lab("--model", model, "-o", folder, "--only", "norms", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            hashes.append(json.loads((folder / "results.json").read_text())["corpus"]["hash"])
        self.assertEqual(hashes[0], hashes[1])
        self.assertNotEqual(hashes[0], hashes[2])  # which has no second texts
        for options, got in ((named, "none"), (("--corpus", "english", *named[:2]), "english")):
            self.refused(f"[--corpus-field] expected --corpus FILE beside it, got {got}", "--model", model, *options, status=2)

    def test_few_positions_are_refused_or_named_gaps(self):
        for count in (1, 2):
            self.refused(f"expected at least 3 position rows, for a pair of empty texts, got {count}", "--model",
                         self.checkpoint(max_position_embeddings=count))  # fmt: skip
        rows = self.report("--model", self.checkpoint(max_position_embeddings=3))
        self.assertEqual(rows["3.5"]["observation"], "not measured")

    def test_tables_too_small_are_named_gaps(self):
        for values in (walk(1), walk(2), walk(3), walk(40, 1), walk(200, 1), walk(2, 1), np.full((200, 24), 0.1, np.float32), np.zeros((70, 24), np.float32)):
            with self.subTest(shape=values.shape, constant=bool(values.std() == 0)):
                rows = self.report("--table", self.table(values))
                self.assertEqual(rows["3.5"]["observation"], "not measured")

    @summand_testing.long
    def test_rows_that_were_never_trained_are_measured_around(self):
        values = walk(200)
        values[128:] = 0
        self.report("--table", self.table(values))
        values = np.zeros((200, 24), np.float32)
        values[0] = 1
        self.report("--table", self.table(values))

    def test_tables_that_are_none(self):
        nan = walk(40)
        nan[7, 3] = np.nan
        self.refused("expected finite numbers", "--table", self.table(nan))
        self.refused("expected", "--table", self.table(np.zeros((4, 5, 6), np.float32)))
        self.refused("expected", "--table", self.table(np.zeros((0, 6), np.float32)))
        self.refused("expected", "--table", self.table(np.zeros((6, 0), np.float32)))

    def test_checkpoints_that_are_damaged(self):
        for name in (POSITIONS, TOKENS, "encoder.layer.0.attention.self.query.weight"):
            def spoil(tensors, name=name):
                tensors[name] = tensors[name].copy()
                tensors[name][0, 1] = np.nan
            self.refused(name, "--model", self.checkpoint(spoil))
        self.refused(SEGMENTS, "--model", self.checkpoint(lambda tensors: tensors.pop(SEGMENTS)))
        directory = self.checkpoint()
        config = json.loads((directory / "config.json").read_text())
        (directory / "config.json").write_text(json.dumps(config | {"model_type": "gpt2"}))
        self.refused("gpt2", "--model", directory)
        directory = self.checkpoint()
        path = directory / "model.safetensors"
        path.write_bytes(path.read_bytes()[:-100])
        self.refused("model.safetensors", "--model", directory)

    def test_models_that_the_claims_are_not_about(self):
        def drop_norm(tensors):
            for part in ("weight", "bias"):
                tensors.pop(f"embeddings.LayerNorm.{part}")
        for own, message, change in (
            ({"position_attention": "alibi"}, "position_attention: expected 'none', got 'alibi'", None),
            ({"attention_causal": True}, "expected attention as in BERT", None),
            ({"position_again": True}, "expected no part again at every layer", None),
            ({"normalise_input": False}, "normalise_input: expected true, got false", drop_norm),
        ):  # fmt: skip
            directory = self.checkpoint(change)
            config = json.loads((directory / "config.json").read_text())
            (directory / "config.json").write_text(json.dumps(config | {"summand": own}))
            rows = self.report("--model", directory)
            self.assertEqual({row["observation"] for row in rows.values()}, {"not measured"})
            others = {row["reason"].split(". So far")[0] for row in rows.values() if message not in row["reason"]}
            self.assertLessEqual(others, {"no checkpoint can tell; trained controls answer it"})
            experiment = summand_testing.ROOT / "examples" / "experiments" / "halved-positions.json"
            self.refused(message, "--model", directory, "--experiment", experiment)

    def test_a_vocabulary_without_a_mask_is_measured_around(self):
        directory = self.checkpoint()
        (directory / "vocab.txt").write_text("\n".join(word for word in WORDS if word != "[MASK]") + "\n[none]\n")
        self.report("--model", directory)

    def test_a_folder_that_cannot_be_written(self):
        (self.folder / "file").write_text("")
        result = lab("--table", self.table(walk(70)), "-o", self.folder / "file" / "report")
        self.assertEqual((result.returncode, result.stderr.count("\n")), (1, 1), result.stderr)
        self.assertIn(str(self.folder / "file" / "report"), result.stderr)

    def test_an_interrupted_run_says_what_is_kept_and_goes_on_where_it_was(self):
        table = self.table(walk(300, 48))
        chosen = ("--table", table, "--only", "spectrum,path,oscillation,continuity")
        folder = self.folder / "report"
        self.assertEqual(lab("--table", table, "--only", "spectrum", "-o", folder).returncode, 0)
        kept = folder / "experiments"
        # The run looks for what is kept of its second experiment and waits there, until somebody writes.
        names = [line.split()[0] for line in lab("list").stdout.splitlines() if not line.startswith(" ")]
        order = sorted(chosen[3].split(","), key=names.index)
        blocked = next(name for name in order[1:] if name != "spectrum")
        os.mkfifo(kept / f"{blocked}.quick.cbor")
        command = [LAB, "--quick", "--threads", "1", *map(str, chosen), "-o", folder]
        run = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        with (kept / f"{blocked}.quick.cbor").open("wb"):  # waits until the run is there
            run.send_signal(signal.SIGINT)
            _, said = run.communicate()
        (kept / f"{blocked}.quick.cbor").unlink()
        finished = order.index(blocked)
        self.assertEqual((run.returncode, said), (130, f"summand: interrupted; {finished} of 4 experiments are finished and kept in "
                                                       f"{folder}; the same command continues from there\n"))  # fmt: skip
        times = {path: path.stat().st_mtime_ns for path in kept.glob("*.cbor")}
        self.assertGreater(len(times), 0)
        self.assertLess(len(times), 4)
        self.assertEqual(lab(*chosen, "-o", folder).returncode, 0)
        for path, written in times.items():
            self.assertEqual(path.stat().st_mtime_ns, written)
        self.assertEqual(list(folder.rglob("*.part")), [])
        self.assertEqual(lab(*chosen, "-o", self.folder / "whole").returncode, 0)
        results = [json.loads((one / "results.json").read_text()) for one in (folder, self.folder / "whole")]
        for result in results:
            result.pop("command")
        self.assertEqual(*results)

    def test_corpora(self):
        directory = self.checkpoint(max_position_embeddings=20)
        corpus = self.folder / "corpus.txt"
        corpus.write_text("")
        self.refused("expected a corpus of at least one text, got none", "--model", directory, "--corpus", corpus)
        for lines, got in (("\n\n \n", "got 3 empty lines"), ("\n", "got 1 empty line\n")):
            corpus.write_text(lines)
            self.refused(f"[{corpus}] expected a corpus of at least one text, {got}", "--model", directory, "--corpus", corpus)
        self.refused("No such file", "--model", directory, "--corpus", self.folder / "absent.txt")
        corpus.write_bytes(b"fine\n\xff\xfe broken\n")
        self.refused("corpus.txt:2] expected UTF-8, got 0xFF at byte 1", "--model", directory, "--corpus", corpus)
        corpus.write_text("a\n")
        self.report("--model", directory, "--corpus", corpus)

    def test_a_corpus_that_the_vocabulary_does_not_cover_is_warned_of_once(self):
        directory, corpus, folder = self.checkpoint(max_position_embeddings=20), self.folder / "corpus.txt", self.folder / "report"
        for text, warned in (("a b c\n" * 9, False), ("a b c δ ε\n" * 3, True)):  # 0 of 45 tokens, 6 of 21
            corpus.write_text(text)
            for language, start in (("en", "29 % of the corpus' tokens are [UNK]: the vocabulary does not cover it; "),
                                    ("zh", "语料的词元中 29% 是 [UNK]：词表不能覆盖此语料；")):  # fmt: skip
                result = lab("--model", directory, "--corpus", corpus, "-o", folder, "--only", "norms", "--language", language)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertEqual((result.stderr.count("\n"), result.stderr.startswith(f"summand: {start}")), (int(warned),) * 2, result.stderr)
            warning = json.loads((folder / "results.json").read_text())["corpus"]["warning"]
            self.assertEqual(warning is not None, warned)
            self.assertEqual("语料的词元中 29% 是 [UNK]" in (folder / "index.html").read_text(), warned)

    def test_what_is_asked_wrongly_is_said_with_what_was_got(self):
        directory, folder = self.checkpoint(), self.folder / "report"
        for options, complaint in (
            (("--model", directory, "-o", folder, "--language", "fr"), "lab: --language: expected one of en, zh, got fr; see summand lab --help"),
            (("--model", directory, "-o", folder, "--figures", "pdf"), "lab: --figures: expected one of svg, png, got pdf; see"),
            (("--model", directory), "expected a folder for the report, -o, got none; see"),
            (("compare", directory, directory), "expected a folder for the report, -o, got none; see"),
            (("compare", directory, directory, "--language", "fr"), "lab compare: --language: expected one of en, zh, got fr; see"),
            (("-o", folder), "expected either --model or --table, got neither; see"),
            (("--model", directory, "--table", "a.npy", "-o", folder), "expected either --model or --table, got both; see"),
            (("--table", "a.npy", "--corpus", "english", "-o", folder), "expected --corpus beside --model, got it beside --table;"),
            (("--table", "a.npy", "--sentence", "b", "-o", folder), "expected --sentence beside --model, got it beside --table;"),
            (("-o", folder, "--model"), "lab: --model: expected a value, got none; see"),
        ):  # fmt: skip
            with self.subTest(options=options):
                result = subprocess.run([LAB, *map(str, options)], capture_output=True, text=True)
                self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (2, "", 1), result.stderr)
                self.assertTrue(result.stderr.startswith(f"summand: [command line] {complaint}"), result.stderr)
        self.refused("[--table] expected FILE.npy or FILE.safetensors:TENSOR, got 'nofile'", "--table", "nofile", status=2)

    def test_a_compressed_corpus_gives_the_same_digits(self):
        directory, text = self.checkpoint(max_position_embeddings=20), b"a b c\nb b\na b d e\n"
        found = []
        for name, data in (("corpus.txt", text), ("corpus.txt.gz", gzip.compress(text)), ("corpus.txt.zst", zstd(text)),
                           ("corpus.jsonl.gz", gzip.compress(b'{"text": "a b c"}\n{"text": "b b"}\n{"text": "a b d e"}\n'))):  # fmt: skip
            (self.folder / name).write_bytes(data)
            folder = self.folder / f"report-of-{name}"
            result = lab("--model", directory, "--corpus", self.folder / name, "-o", folder, "--only", "norms")
            self.assertEqual((result.returncode, result.stderr), (0, ""))
            results = json.loads((folder / "results.json").read_text())
            self.assertEqual(results["corpus"]["name"], f"{self.folder / name}, 3 texts, 15 tokens: 0.00 % [UNK], 0.0 % at positions from 256 on")
            found.append((results["corpus"]["hash"], results["claims"]))
        self.assertEqual(found, [found[0]] * 4)
        whole = gzip.compress(text)
        for name, data, message in (("cut.txt.gz", whole[:-9], "expected a whole compressed file, got one that ends early"),
                                    ("none.txt.gz", text, "expected gzip data, got other or damaged bytes"),
                                    ("empty.txt.gz", gzip.compress(b""), "expected a corpus of at least one text")):  # fmt: skip
            (self.folder / name).write_bytes(data)
            self.refused(message, "--model", directory, "--corpus", self.folder / name)
        (self.folder / "corpus.gz").write_bytes(whole)
        self.refused("expected english, chinese, or a name that ends in .txt, .jsonl, .csv or .tsv, .gz or .zst behind it or not", "--model", directory,
                     "--corpus", self.folder / "corpus.gz", status=2)  # fmt: skip

    def test_another_corpus_is_said_and_takes_nothing_away(self):
        directory, corpus, folder = self.checkpoint(max_position_embeddings=20), self.folder / "corpus.txt", self.folder / "report"
        corpus.write_text("a b c\nb b\n")
        first = ("--model", directory, "-o", folder, "--only", "norms")
        start = f"summand: [{folder}] kept there but not shown, as a report has one setting: 1 experiment that ran "
        self.assertEqual(said(lab(*first)), "")
        results = (folder / "results.json").read_bytes()
        other = ("--model", directory, "-o", folder, "--only", "spectrum", "--corpus", corpus)
        self.assertEqual(lab(*other).stderr, start + "without --corpus; the same command without --corpus shows them instead of these, which stay there\n")
        corpus.write_text("a b d\n")
        told = re.sub(r" \(hash [0-9a-f]{16}\)", "", lab(*other[:-4], "--only", "path", "--corpus", corpus).stderr)
        self.assertEqual(told, start + (
            f"with --corpus {corpus} as it was then, 1 experiment that ran without --corpus; the same command with "
            f"--corpus {corpus} as it was then shows the first of them instead of these, which stay there\n"))  # fmt: skip
        kept = folder / "experiments" / "norms.quick.cbor"
        written = kept.stat().st_mtime_ns
        self.assertEqual(lab(*first[:-2], "--only", "norms", "--corpus", corpus).returncode, 0)
        lab(*first)
        self.assertEqual((kept.stat().st_mtime_ns, (folder / "results.json").read_bytes()), (written, results))

    def test_what_is_left_out_of_a_corpus_is_said(self):
        corpus = self.folder / "corpus.txt"
        corpus.write_text("a b c " * 40 + "\n" + "a b\n" * 2000)
        folder = self.folder / "report"
        result = lab("--model", self.checkpoint(max_position_embeddings=20), "--corpus", corpus, "-o", folder, "--only", "norms")
        self.assertEqual(result.returncode, 0, result.stderr)
        name = json.loads((folder / "results.json").read_text())["corpus"]["name"]
        self.assertEqual(name, f"{corpus}, the first 2000 texts, 1 of them cut to the model's positions, "
                               "8016 tokens: 0.00 % [UNK], 0.0 % at positions from 256 on")  # fmt: skip


if __name__ == "__main__":
    summand_testing.run_cases()
