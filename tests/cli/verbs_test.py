"""What each verb prints and writes, against independent computations on the same checkpoint."""

import csv
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import sentence_models
import summand_testing
import torch
from command_line import summand
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer
from transformers import AutoModel, AutoTokenizer

TEXTS = ["The cat sat.", "", "我喜欢猫", "Ünïcode straße", "word " * 100]
VERBS = ["info", "bench", "inspect", "tokenize", "embed", "similarity", "parts", "hidden"]


class Verbs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        cls.model = sentence_models.transformer_directory(pathlib.Path(cls.keep.name) / "model")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.input = self.folder / "in.txt"
        self.input.write_text("\n".join(TEXTS) + "\n")

    def run_ok(self, *arguments, **options):
        result = summand(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def test_help_and_version_are_words_too(self):
        self.assertEqual(self.run_ok("help").stdout, self.run_ok("--help").stdout)
        self.assertEqual(self.run_ok("help", "embed").stdout, self.run_ok("embed", "--help").stdout)
        self.assertEqual(self.run_ok("-V").stdout, self.run_ok("--version").stdout)

    def test_a_list_of_layers_leaves_the_next_word_to_the_input(self):
        out = self.folder / "states.safetensors"
        self.run_ok("hidden", "--model", self.model, "-o", out, "--layers", "0,2", self.input)
        self.assertEqual({name for name in load_file(out) if name.startswith("hidden.")}, {"hidden.0", "hidden.2"})

    def test_a_reader_that_goes_is_no_error(self):
        program = [str(summand_testing.BIN / "summand"), "tokenize", "--model", str(self.model), str(self.lines(*["word " * 60] * 4000))]
        for verb in (program, [*program[:1], "similarity", *program[2:4], "--pooling", "cls", "--text", "a", "--text", "b"]):
            with self.subTest(verb[1]), subprocess.Popen(verb, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                process.stdout.close()
                self.assertEqual((process.stderr.read(), process.wait()), (b"", 128 + signal.SIGPIPE))

    def test_every_verb_has_help_with_an_example(self):
        for verb in VERBS:
            text = self.run_ok(verb, "--help").stdout
            for part in ("Example:", f"summand {verb}", "--json", "--threads"):
                self.assertIn(part, text)

    def test_info_as_json_names_what_runs(self):
        info = json.loads(self.run_ok("info", "--json", "--threads", "3", env=os.environ | {"SUMMAND_ISA": "generic"}).stdout)
        self.assertEqual((info["instruction_set"], info["threads"], info["precisions"]), ("generic", 3, ["fp32"]))
        self.assertIn("generic", info["instruction_sets"])
        here = [kernels["name"] for kernels in info["kernel_sets"] if not kernels["lacks"]]
        self.assertEqual(here, info["instruction_sets"])
        plain = info["kernel_sets"][0]
        self.assertEqual((plain["name"], plain["lacks"], plain["precisions"], plain["automatic"]), ("generic", [], ["fp32"], "fp32"))
        self.assertIn("matrix_products", info)
        self.assertRegex(info["compiler"], r"^(GCC|Clang) \d+\.\d+")
        for name, value in info.items():
            self.assertNotIn(" ", name)
            if name.endswith("_bytes"):
                self.assertIsInstance(value, (int, type(None)), name)

    def test_bench_says_what_runs_and_counts_its_tokens(self):
        texts = ["--text", "The cat sat.", "--text", "我喜欢猫"]
        shown = json.loads(self.run_ok("bench", "--model", self.model, *texts, "--rounds", "2", "--threads", "1", "--json",
                                       env=os.environ | {"SUMMAND_ISA": "generic"}).stdout)
        self.assertEqual([shown["precision"], shown["instruction_set"], shown["threads"], shown["rounds"]], ["fp32", "generic", 1, 2])
        self.assertFalse([name for name in shown if " " in name])
        tokens = sum(len(AutoTokenizer.from_pretrained(self.model)(text).input_ids) for text in texts[1::2])
        work = shown["work"]
        self.assertEqual([(one["texts"], one["tokens"]) for one in work], [(2, tokens)])
        self.assertGreater(work[0]["seconds"], 0)
        own = self.run_ok("bench", "--model", self.model, "--rounds", "1").stdout
        for part in ("precision", "instruction set", "one short text", "one long text", "sentences", "paragraphs", "thousand tokens/s"):
            self.assertIn(part, own)
        self.assertNotIn("medians", own)  # of one round

    def test_inspect_shows_what_holds_of_the_positions_and_marks_it(self):
        shown = json.loads(self.run_ok("inspect", "--model", self.model, "--json").stdout)
        own = {name: row for name, row in shown["configuration"].items() if name.startswith("summand.")}
        expected = {"composition": "sum", "normalise_input": True, "position_kind": "learned", "segment_kind": "learned",
                    "position_attention": "none", "segment_attention": "none", "attention_query_key": "own",
                    "attention_value": True, "attention_scale": 0.0, "attention_causal": False, "token_again": False,
                    "position_again": False, "segment_again": False}
        self.assertEqual(own, {f"summand.{name}": {"value": value, "default": True} for name, value in expected.items()})
        self.assertFalse([notice for notice in shown["notices"] if "ignored" in notice])

    def test_inspect_marks_defaults_and_counts_parameters(self):
        json_path = self.model / "config.json"
        config = json.loads(json_path.read_text())
        shown = json.loads(self.run_ok("inspect", "--model", self.model, "--json").stdout)
        self.assertEqual(shown["configuration"]["hidden_size"], {"value": 24, "default": False})
        self.assertEqual(shown["configuration"]["position_embedding_type"]["default"], "position_embedding_type" not in config)
        torch_model = AutoModel.from_pretrained(self.model)
        self.assertEqual(shown["parameters"]["all"], torch_model.num_parameters())
        table = torch_model.embeddings.position_embeddings.weight.detach().double()
        norms = table.norm(dim=1)
        row = shown["row_norms"]["position_table"]
        np.testing.assert_allclose([row["least"], row["mean"], row["largest"]], [norms.min(), norms.mean(), norms.max()], rtol=1e-9)
        self.assertAlmostEqual(row["mean_centred"], (table - table.mean(0)).norm(dim=1).mean().item(), places=9)
        self.assertIn("configuration", self.run_ok("inspect", "--model", self.model).stdout)

    def test_tokenize_gives_ids_segments_tokens_and_byte_offsets(self):
        reference = Tokenizer.from_file(str(self.model / "tokenizer.json"))
        reference.no_truncation()
        out = self.folder / "tokens.jsonl"
        self.run_ok("tokenize", "--model", self.model, self.input, "-o", out)
        lines = [json.loads(line) for line in out.read_text().splitlines()]
        self.assertEqual(len(lines), len(TEXTS))
        for text, line in zip(TEXTS, lines):
            expected = reference.encode(text)
            self.assertEqual(line["ids"], expected.ids)
            self.assertEqual(line["tokens"], expected.tokens)
            self.assertEqual(line["segments"], expected.type_ids)
            byte = [len(text[:i].encode()) for i in range(len(text) + 1)]
            self.assertEqual(line["offsets"], [[byte[a], byte[b]] for a, b in expected.offsets])

    def test_tokenize_writes_the_same_lines_with_any_number_of_threads(self):
        pieces = ["hello", '"', "\\", "[MASK]", "我喜欢", "Ünïcode", "\x7f", "\t", "😀", "unaffable", "##ing"]
        numbers = random.Random(3)
        records = []
        for i in range(9000):  # more than are taken at a time
            words = numbers.choices(pieces, k=numbers.randint(0, 7))
            record = {} if i % 5 == 1 else {"id": numbers.choice([i, f'é"{i}', "a\\b"])}
            records.append(record | [{"text": " ".join(words)}, {"text": "a", "text_pair": " ".join(words)}, {"tokens": words}][i % 3])
        source = self.folder / "in.jsonl"
        source.write_text("".join(json.dumps(record) + "\n" for record in records))
        outputs = {self.run_ok("tokenize", "--model", self.model, source, "--decode", "--threads", threads).stdout for threads in "123"}
        self.assertEqual(len(outputs), 1)
        reference = Tokenizer.from_file(str(self.model / "tokenizer.json"))
        reference.no_truncation()
        lines = outputs.pop().splitlines()
        self.assertEqual(len(lines), len(records))
        for record, line in zip(records, lines):
            value = json.loads(line)
            self.assertEqual(line, json.dumps(value, ensure_ascii=False, separators=(",", ":")))
            self.assertEqual(list(value), [*(["id"] if "id" in record else []), "ids", "segments", "tokens", "offsets", "decoded"])
            self.assertEqual(value.get("id"), record.get("id"))
            texts = (record["text"], record.get("text_pair")) if "text" in record else (record["tokens"],)
            expected = reference.encode(*texts, is_pretokenized="tokens" in record)
            self.assertEqual((value["ids"], value["tokens"]), (expected.ids, expected.tokens))

    def test_of_a_text_that_cannot_be_taken_and_a_line_that_cannot_be_read_the_first_is_named(self):
        long, broken = json.dumps({"text": "word " * 20}) + "\n", "{broken\n"
        source = self.folder / "in.jsonl"
        for content, named in ((long + broken, "truncation"), (broken + long, "in.jsonl:1")):
            source.write_text(content)
            result = summand("tokenize", "--model", self.model, source, "--truncation", "none", "--max-length", "10")
            self.assertEqual(result.returncode, 1)
            self.assertIn(named, result.stderr)

    def test_tokenize_options(self):
        vocabulary = summand_testing.DATA / "vocab" / "bert-base-uncased.txt"
        common = ("tokenize", "--vocab", vocabulary, "--lowercase", "true", "--text", "Unaffable cats!")
        line = json.loads(self.run_ok(*common, "--no-special", "--decode").stdout)
        self.assertEqual(line["tokens"][:2], ["una", "##ffa"])
        self.assertEqual(line["decoded"], "unaffable cats!")
        cut = self.run_ok(*common, "--max-length", "4")
        self.assertEqual(len(json.loads(cut.stdout)["ids"]), 4)
        self.assertIn("1 of 1 text was cut at 4 tokens", cut.stderr)

    def test_hidden_writes_the_tensors_that_it_promises(self):
        out = self.folder / "states.safetensors"
        result = self.run_ok("hidden", "--model", self.model, self.input, "-o", out, "--json")
        self.assertEqual(json.loads(result.stdout)["texts_cut"], 1)
        self.assertIn("1 of 5 texts was cut at 80 tokens", result.stderr)
        tensors = load_file(out)
        self.assertEqual(set(tensors), {"ids", "segments", "offsets", "pooled", *(f"hidden.{i}" for i in range(6))})
        tokenizer = AutoTokenizer.from_pretrained(self.model)
        torch_model = AutoModel.from_pretrained(self.model, attn_implementation="eager").eval()
        for i, text in enumerate(TEXTS):
            encoding = tokenizer(text, truncation=True, max_length=80, return_tensors="pt")
            begin, end = tensors["offsets"][i : i + 2]
            self.assertEqual(tensors["ids"][begin:end].tolist(), encoding["input_ids"][0].tolist())
            with torch.no_grad():
                output = torch_model(**encoding, output_hidden_states=True)
            for layer, state in enumerate(output.hidden_states):
                np.testing.assert_allclose(tensors[f"hidden.{layer}"][begin:end], state[0], atol=5e-5)
            np.testing.assert_allclose(tensors["pooled"][i], output.pooler_output[0], atol=5e-5)
        self.run_ok("hidden", "--model", self.model, self.input, "-o", out, "--overwrite", "--layers", "5,0")
        self.assertEqual(set(load_file(out)), {"ids", "segments", "offsets", "pooled", "hidden.0", "hidden.5"})

    def test_pairs_and_words_in_jsonl(self):
        path, out = self.folder / "in.jsonl", self.folder / "out.jsonl"
        path.write_text('{"text": "a cat", "text_pair": "a dog"}\n{"tokens": ["un", "affable", ""]}\n')
        self.run_ok("tokenize", "--model", self.model, path, "-o", out)
        pair, words = (json.loads(line) for line in out.read_text().splitlines())
        tokenizer = AutoTokenizer.from_pretrained(self.model)
        self.assertEqual(pair["ids"], tokenizer("a cat", "a dog")["input_ids"])
        self.assertEqual(pair["segments"], tokenizer("a cat", "a dog")["token_type_ids"])
        self.assertEqual(words["ids"], tokenizer(["un", "affable", ""], is_split_into_words=True)["input_ids"])

    def test_similarity_is_the_cosine_of_the_vectors(self):
        vectors = self.embed_to("v.npy", "--no-normalize").astype(np.float64)
        shown = json.loads(self.run_ok("similarity", "--model", self.model, self.input, "--json").stdout)
        unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        np.testing.assert_allclose(shown["similarity"], unit @ unit.T, atol=1e-9)
        table = self.run_ok("similarity", "--model", self.model, self.input).stdout
        self.assertIn("我喜欢猫", table)

    def test_parts_are_shares_of_the_sum(self):
        weights = {name: value.astype(np.float64) for name, value in load_file(self.model / "model.safetensors").items()}
        token, position, segment = (weights[f"embeddings.{name}_embeddings.weight"] for name in ("word", "position", "token_type"))
        path = self.folder / "in.jsonl"
        path.write_text(json.dumps({"text": "the bank", "text_pair": "of the river"}) + "\n")
        shown = json.loads(self.run_ok("parts", "--model", self.model, path, "--json").stdout)
        encoding = AutoTokenizer.from_pretrained(self.model)("the bank", "of the river")
        ids, segments = np.array(encoding["input_ids"]), np.array(encoding["token_type_ids"])
        self.assertEqual(segments.max(), 1)
        means = [table.mean(axis=0) for table in (token, position, segment)]
        rows = [token[ids], position[: len(ids)], segment[segments]]
        parts = {"common": np.tile(sum(means), (len(ids), 1))}
        parts |= {name: row - mean for name, row, mean in zip(("token", "position", "segment"), rows, means)}
        total = sum(parts.values())
        np.testing.assert_allclose(total, sum(rows), atol=1e-12)
        for i, line in enumerate(shown["tokens"]):
            for name, row in zip(("token", "position", "segment"), rows):
                self.assertAlmostEqual(line["norm"][name], np.linalg.norm(row[i]), places=9)
                self.assertAlmostEqual(line["centred_norm"][name], np.linalg.norm(parts[name][i]), places=9)
            for name, part in parts.items():
                self.assertAlmostEqual(line["share"][name], np.cov(part[i], total[i])[0, 1] / np.var(total[i], ddof=1), places=9)
            self.assertAlmostEqual(sum(line["share"].values()), 1, places=9)
        deviation = total - total.mean(axis=0)
        for name, part in parts.items():
            share = ((part - part.mean(axis=0)) * deviation).sum() / (deviation**2).sum()
            self.assertAlmostEqual(shown["share_between_tokens"][name], share, places=9)
        inner = [i for i, id in enumerate(ids) if id not in (101, 102)]
        self.assertEqual(len(ids) - len(inner), 3)
        deviation = total[inner] - total[inner].mean(axis=0)
        for name, part in parts.items():
            share = ((part[inner] - part[inner].mean(axis=0)) * deviation).sum() / (deviation**2).sum()
            self.assertAlmostEqual(shown["share_between_tokens_without_special"][name], share, places=9)

    def test_parts_shows_shares_between_tokens_in_its_table_as_the_laboratory_s_page_names_them(self):
        command = ("parts", "--model", self.model, "--text", "a cat")
        table = self.run_ok(*command).stdout.split("\n\n")[0].splitlines()
        shown = json.loads(self.run_ok(*command, "--json").stdout)
        words = (summand_testing.ROOT / "lab/report/assets/explorer_words.js").read_text()
        name_of = lambda key: re.search(rf'^  {key}: {{ en: "(.*?)"', words, re.MULTILINE)[1]
        for key, own in (("over_tokens", "share_between_tokens"), ("over_text", "share_between_tokens_without_special")):
            row = next(line for line in table if line.split("│")[0].strip() == name_of(key))
            cells = [float(cell) for cell in re.findall(r"(-?[\d.]+) %", row)]
            expected = [100 * shown[own][part] for part in ("token", "position", "segment", "common")]
            np.testing.assert_allclose(cells, expected, atol=0.05 + 1e-9)
        for key in ("shares_of_sum", "lengths_raw", "lengths_centred"):
            self.assertIn(name_of(key).lower(), table[0])
        self.assertEqual(table[1].split()[-4:], ["token", "position", "segment", "common"])

    def lines(self, *texts):
        path = self.folder / "lines.txt"
        path.write_text("".join(text + "\n" for text in texts))
        return path

    def embed_to(self, name, *options, source=None, **more):
        out = self.folder / name
        result = self.run_ok("embed", "--model", self.model, source or self.input, "-o", out, "--overwrite", *options, **more)
        self.last = result
        return np.load(out) if name.endswith(".npy") else out

    def test_the_three_outputs_hold_the_same_numbers(self):
        vectors = self.embed_to("v.npy")
        lines = [json.loads(line) for line in self.embed_to("v.jsonl").read_text().splitlines()]
        self.assertEqual([line["index"] for line in lines], list(range(len(TEXTS))))
        np.testing.assert_array_equal(np.array([line["embedding"] for line in lines], dtype=np.float32), vectors)
        rows = list(csv.reader(self.embed_to("v.csv").open()))
        self.assertEqual(rows[0][:2], ["d0", "d1"])
        np.testing.assert_array_equal(np.array(rows[1:], dtype=np.float32), vectors)

    def test_a_text_that_comes_again_is_computed_once_and_has_the_same_bits(self):
        different = ["The cat sat.", "", "我喜欢猫", "word " * 100, "the CAT sat ."]  # the last has the first one's tokens
        numbers = random.Random(4)
        texts = [*different, *numbers.choices(different, k=60)]
        alone = {}
        for way in ((), ("--windows", "mean", "--overlap", "7"), ("--prompt", "query: ", "--max-length", "12")):
            for text in different:
                alone[text] = self.embed_to("alone.npy", *way, source=self.lines(text))[0]
            for more in ((), ("--batch-tokens", "1"), ("--threads", "1", "--batch-tokens", "300")):
                out = self.folder / "out.npy"
                result = self.run_ok("embed", "--model", self.model, self.lines(*texts), "-o", out, "--overwrite", "--json", *way, *more)
                np.testing.assert_array_equal(np.load(out), [alone[text] for text in texts])
                report = json.loads(result.stdout)
                self.assertEqual((report["texts"], report["texts_repeated"]), (65, 61))
                self.assertIn("summand: 61 of 65 texts had the tokens of an earlier one and were not computed again\n", result.stderr)
        once = self.run_ok("embed", "--model", self.model, self.lines(*different[:4]), "-o", self.folder / "once.npy", "--json")
        self.assertEqual(json.loads(once.stdout)["texts_repeated"], 0)
        self.assertNotIn("earlier", once.stderr)

    def test_threads_windows_and_order_change_no_bit(self):
        vectors = self.embed_to("a.npy", "--threads", "1")
        for options in (("--threads", "2"), ("--threads", "3", "--batch-tokens", "1"), ("--batch-tokens", "70")):
            np.testing.assert_array_equal(self.embed_to("b.npy", *options), vectors)
        backwards = self.folder / "backwards.txt"
        backwards.write_text("\n".join(TEXTS[::-1]) + "\n")
        np.testing.assert_array_equal(self.embed_to("c.npy", source=backwards)[::-1], vectors)

    def test_cut_texts_are_counted_on_standard_error(self):
        self.embed_to("v.npy")
        self.assertIn("1 of 5 texts was cut at 64 tokens", self.last.stderr)
        self.embed_to("v.npy", "--max-length", "4", source=self.lines("one two three", "a b c", "a"))
        self.assertIn("2 of 3 texts were cut at 4 tokens", self.last.stderr)
        self.embed_to("v.npy", source=self.lines("one two three"))
        self.assertNotIn("cut", self.last.stderr)

    def test_what_nobody_asked_for_is_said(self):
        self.embed_to("v.npy")
        self.assertIn("no modules.json: mean pooling", self.last.stderr)
        self.embed_to("v.npy", "--pooling", "cls")
        self.assertNotIn("modules.json", self.last.stderr)
        with tempfile.TemporaryDirectory() as folder:
            model = shutil.copytree(self.model, pathlib.Path(folder) / "model")
            tensors = load_file(model / "model.safetensors") | {"cls.predictions.bias": np.zeros(3, np.float32)}
            save_file(tensors, model / "model.safetensors")
            for verb in ("similarity", "parts"):
                self.assertIn("'cls.predictions.bias'", self.run_ok(verb, "--model", model, "--text", "a").stderr)

    def test_standard_input_and_format(self):
        vectors = self.embed_to("a.npy")
        np.testing.assert_array_equal(self.embed_to("b.npy", "--format", "txt", source="-", stdin=self.input.read_text()), vectors)

    def test_no_texts_make_an_empty_matrix(self):
        empty = self.folder / "empty.txt"
        empty.write_text("")
        self.assertEqual(self.embed_to("v.npy", source=empty).shape, (0, 24))

    def test_precision_auto_says_what_it_takes(self):
        plain = os.environ | {"SUMMAND_ISA": "generic"}
        automatic = self.embed_to("v.npy", "--precision", "auto", env=plain)
        self.assertIn("precision: fp32, chosen for this machine (generic)", self.last.stderr)
        self.assertTrue((automatic == self.embed_to("w.npy", env=plain)).all())
        self.assertNotIn("precision", self.last.stderr)

    def test_a_cache_is_written_once_and_changes_no_vector(self):
        plain, kept = self.embed_to("plain.npy"), self.folder / "kept"
        for said in ("was written", "holds the packed weights"):
            np.testing.assert_array_equal(self.embed_to("v.npy", "--cache", kept), plain)
            self.assertRegex(self.last.stderr, f"summand: cache: {kept}/.*\\.fp32\\.packed {said}\n")
        (file,) = kept.iterdir()
        whole = file.read_bytes()
        file.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
        np.testing.assert_array_equal(self.embed_to("v.npy", "--cache", kept), plain)
        self.assertIn("was written in place of what was not used: [", self.last.stderr)
        self.assertEqual(file.read_bytes(), whole)
        for verb in ("similarity", "hidden"):
            self.assertIn("--cache", summand(verb, "--help").stdout)
        for folder, said in ((self.input, "expected a folder, got something else"), ("", "expected a folder, got an empty name")):
            refused = summand("embed", "--model", self.model, "--text", "a", "--cache", folder)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn(said, refused.stderr)

    def test_every_precision_that_runs_gives_vectors_near_those_of_fp32(self):
        runs = json.loads(summand("info", "--json").stdout)["precisions"]
        exact = self.embed_to("fp32.npy")
        for precision in ("bf16", "int8"):
            if precision not in runs:
                continue
            vectors = self.embed_to(f"{precision}.npy", "--precision", precision)
            cosines = (vectors * exact).sum(1) / np.linalg.norm(vectors, axis=1) / np.linalg.norm(exact, axis=1)
            self.assertTrue((cosines > 0.99).all(), cosines)
            self.assertFalse((vectors == exact).all())
            again = self.embed_to("again.npy", "--precision", precision, "--threads", "1", "--batch-tokens", "40")
            self.assertTrue((vectors == again).all())

    def test_long_texts_are_divided_and_counted(self):
        long, short = "the river bank " * 100, "我 喜欢 a cat"
        source = self.folder / "long.txt"
        source.write_text(f"{long}\n{short}\n\n")
        vectors = self.embed_to("a.npy", "--windows", "mean", "--overlap", "8", "--json", source=source)
        report = json.loads(self.last.stdout)
        # 300 tokens of one word each, 62 to a window, 8 of them the last window's
        self.assertEqual((report["texts_divided"], report["windows"], report["texts_cut"]), (1, 6 + 2, 0))
        self.assertIn("summand: 1 of 3 texts took more than one window, 8 windows in all\n", self.last.stderr)
        self.assertNotIn("cut", self.last.stderr)
        plain = self.embed_to("b.npy", source=source)
        np.testing.assert_array_equal(vectors[1:], plain[1:])
        self.assertGreater(np.abs(vectors[0] - plain[0]).max(), 1e-3)
        similar = self.run_ok("similarity", "--model", self.model, source, "--windows", "max", "--json")
        self.assertIn("1 of 3 texts took more than one window, 7 windows in all", similar.stderr)
        for refused in (("--windows", "mean", "--truncation", "tail"), ("--overlap", "3"), ("--windows", "mean", "--overlap", "62"),
                        ("--windows", "median"), ("--windows", "mean", "--overlap", "-1")):  # fmt: skip
            result = summand("embed", "--model", self.model, source, "-o", self.folder / "c.npy", *refused)
            self.assertEqual(result.returncode, 2, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def test_head_and_tail_are_what_transformers_keeps_on_either_side(self):
        source = self.folder / "pairs.jsonl"
        records = [{"text": "unaffable cats and 我们 dogs " * 3}, {"text": "a b c", "text_pair": "the river bank rate " * 4}]
        records.append({"text": "one two three four " * 4, "text_pair": "five unaffable six seven " * 4})
        source.write_text("".join(json.dumps(record) + "\n" for record in records))
        for name, side in (("head", "right"), ("tail", "left")):
            tokenizer = AutoTokenizer.from_pretrained(self.model, truncation_side=side)
            for length in (3, 9, 14, 25):
                result = self.run_ok("tokenize", "--model", self.model, source, "--max-length", length, "--truncation", name)
                for record, line in zip(records, map(json.loads, result.stdout.splitlines()), strict=True):
                    expected = tokenizer(record["text"], record.get("text_pair"), truncation="longest_first", max_length=length)
                    self.assertEqual(line["ids"], expected["input_ids"], (name, length, record))
                    self.assertEqual(line["segments"], expected["token_type_ids"])
        refused = summand("tokenize", "--model", self.model, source, "--truncation", "tail")
        self.assertEqual((refused.returncode, refused.stderr), (2, "summand: [tokenize] --truncation tail needs --max-length\n"))

    def test_resume_refuses_other_texts_and_ignores_other_options(self):
        source, out = self.folder / "in2.jsonl", self.folder / "out.npy"
        good = [json.dumps({"text": f"text {i}"}) + "\n" for i in range(40)]
        source.write_text("".join(good) + "{broken\n")
        failed = summand("embed", "--model", self.model, source, "-o", out, "--batch-tokens", "30")
        self.assertEqual(failed.returncode, 1)
        self.assertIn("in2.jsonl:41", failed.stderr)
        self.assertRegex(failed.stderr, r"\d+ texts are finished and kept; the same command with --resume goes on from there")
        self.assertFalse(out.exists())
        changed = self.folder / "changed.jsonl"
        changed.write_text("".join(good[::-1]))
        refused = summand("embed", "--model", self.model, changed, "-o", out, "--batch-tokens", "30", "--resume")
        self.assertRegex(refused.stderr, r"expected the \d+ texts that the interrupted run finished, got others")
        source.write_text("".join(good))
        result = self.run_ok("embed", "--model", self.model, source, "-o", out, "--batch-tokens", "30", "--resume", "--json")
        self.assertGreater(json.loads(result.stdout)["texts_resumed"], 0)
        np.testing.assert_array_equal(np.load(out), self.embed_to("again.npy", source=source))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
