"""Bad input gets one clear line, exit status 1 (2 for bad usage), and leaves nothing behind."""

import json
import os
import pathlib
import resource
import shutil
import struct
import sys
import tempfile
import unittest

import numpy as np
import sentence_models
import summand_testing
from command_line import summand
from safetensors.numpy import load_file, save_file


class BadInput(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.good = sentence_models.transformer_directory(pathlib.Path(cls.keep.name) / "good", vocab_size=30522)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.model = self.folder / "model"
        shutil.copytree(self.good, self.model)
        self.weights = self.model / "model.safetensors"
        self.out = self.folder / "out" / "vectors.npy"
        self.out.parent.mkdir()

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    def embed(self, *arguments, out=None, stdin="a text\n", **options):
        out = self.out if out is None else out
        return summand("embed", "--model", self.model, "-", "--format", "txt", "-o", out, *arguments, stdin=stdin, **options)

    def refused(self, result, *fragments, status=1):
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertTrue(result.stderr.startswith("summand: ["), result.stderr)
        for fragment in fragments:
            self.assertIn(fragment, result.stderr)
        self.assertEqual(list(self.out.parent.iterdir()), [], "nothing may be left behind")

    def change_config(self, **changes):
        path = self.model / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))

    def change_tensors(self, change):
        tensors = load_file(self.weights)
        change(tensors)
        save_file(tensors, self.weights)

    def test_a_good_directory_works(self):
        result = self.embed()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(np.load(self.out).shape, (1, 24))

    def test_a_truncated_checkpoint(self):
        content = self.weights.read_bytes()
        for length in (0, 7, 8, 100, len(content) // 2, len(content) - 1):
            self.weights.write_bytes(content[:length])
            self.refused(self.embed(), "model.safetensors", "expected", "got")

    def test_a_corrupt_header(self):
        content = self.weights.read_bytes()
        self.weights.write_bytes(struct.pack("<Q", 1 << 62) + content[8:])
        self.refused(self.embed(), "model.safetensors", "header")
        self.weights.write_bytes(content[:8] + b"[" + content[9:])
        self.refused(self.embed(), "model.safetensors")

    def test_a_wrong_shape(self):
        self.change_tensors(lambda t: t.update({"pooler.dense.bias": np.zeros(23, np.float32)}))
        self.refused(self.embed(), "'pooler.dense.bias': expected F32, F16 or BF16 [24], got F32 [23]")

    def test_all_missing_tensors_are_named(self):
        names = ["embeddings.LayerNorm.weight", "encoder.layer.4.output.dense.bias", "encoder.layer.0.attention.self.key.weight"]
        self.change_tensors(lambda t: [t.pop(name) for name in names])
        self.refused(self.embed(), *names)

    def test_a_weight_that_is_not_a_number(self):
        for value in (np.nan, np.inf, -np.inf):
            def spoil(tensors):
                tensors["encoder.layer.2.output.dense.weight"][3, 5] = value

            self.change_tensors(spoil)
            self.refused(self.embed(), "encoder.layer.2.output.dense.weight")

    def test_another_model_type_is_named(self):
        self.change_config(model_type="roberta")
        self.refused(self.embed(), "model_type 'roberta' is not supported")

    def test_settings_that_cannot_be_honoured_are_named(self):
        for key, value in {"is_decoder": True, "add_cross_attention": True, "pruned_heads": {"0": [1]},
                           "position_embedding_type": "relative", "hidden_act": "gelu_fast2"}.items():
            with self.subTest(key):
                shutil.copy(self.good / "config.json", self.model)
                self.change_config(**{key: value})
                self.refused(self.embed(), key)

    def test_a_number_is_not_taken_for_false_unless_it_is_zero(self):
        for key, meaning in {"is_decoder": "a causal decoder", "add_cross_attention": "cross attention", "is_encoder_decoder": "an encoder-decoder"}.items():
            for value, shown in {1: "1", 0.5: "0.5", "yes": '"yes"'}.items():
                with self.subTest(key, value=value):
                    shutil.copy(self.good / "config.json", self.model)
                    self.change_config(**{key: value})
                    self.refused(self.embed(), f"config.json] {key}: {meaning} is not supported, expected false, got {shown}\n")
            for value in (False, 0, None):
                self.change_config(**{key: value})
                result = self.embed("--overwrite")
                self.assertEqual(result.returncode, 0, result.stderr)
            self.out.unlink()

    def test_only_weights_of_other_programs(self):
        self.weights.rename(self.model / "tf_model.h5")
        self.refused(self.embed(), "expected model.safetensors or pytorch_model.bin, got only tf_model.h5")

    def test_a_bin_file_that_is_none(self):
        self.weights.rename(self.model / "pytorch_model.bin")
        self.refused(self.embed(), "pytorch_model.bin] expected a zip archive, as torch.save writes it, got a file that begins with")

    def test_no_config(self):
        (self.model / "config.json").unlink()
        self.refused(self.embed(), "expected a config.json, got none")

    def test_a_folder_one_level_too_high_says_where_the_checkpoint_lies(self):
        clone = self.folder / "models--org--name"
        shutil.copytree(self.model, clone / "snapshots" / "0123abc")
        self.model = clone
        self.refused(self.embed(), "expected a config.json, got none; one lies in", "snapshots/0123abc")

    def test_a_model_that_is_not_in_the_cache_says_where_was_looked_and_what_fetches_it(self):
        self.model = "org/name"
        result = self.embed(env=os.environ | {"HF_HUB_CACHE": str(self.folder)})
        self.refused(result, f"{self.folder}/models--org--name", "'hf download org/name'")

    def test_git_lfs_pointers_are_said_for_what_they_are(self):
        pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:53aa51172d142c89d9012cce15ae4d6c\nsize 90868376\n"
        for name in ("model.safetensors", "config.json", "tokenizer.json", "tokenizer_config.json"):
            with self.subTest(name):
                shutil.copytree(self.good, self.model, dirs_exist_ok=True)
                (self.model / name).write_text(pointer)
                self.refused(self.embed(), name, "a git-lfs pointer", "run 'git lfs pull'")
        (self.folder / "vocab.txt").write_text(pointer)
        result = summand("tokenize", "--vocab", self.folder / "vocab.txt", "--lowercase", "true", "--text", "a")
        self.refused(result, "vocab.txt", "a git-lfs pointer", "run 'git lfs pull'")

    def test_a_download_that_was_cut_says_how_much_is_there(self):
        content = self.weights.read_bytes()
        for length in (100, len(content) // 2, len(content) - 1):
            self.weights.write_bytes(content[:length])
            self.refused(self.embed(), "the file ends early: expected ", f" bytes, got {length}\n")
        self.refused(self.embed(), f"expected {len(content)} bytes")

    def test_json_is_no_vocabulary(self):
        path = self.model / "tokenizer.json"
        self.refused(summand("tokenize", "--vocab", path, "--lowercase", "true", "--text", "a"), "tokenizer.json", "vocab.txt", "got JSON")

    def test_a_setting_that_changes_nothing_is_named(self):
        for own, fragment in {
            '{"compositon": "multiplicative"}': "got another key; did you mean 'composition'?",
            '{"position_scale": 5}': "summand.position_scale: expected with position_kind 'sinusoidal', 'sinusoidal_powers', 'sinusoidal_trained', got it with 'learned'",
        }.items():
            with self.subTest(own):
                self.change_config(summand=json.loads(own))
                self.refused(self.embed(), "config.json", fragment)

    def test_no_tokenizer(self):
        for name in ("tokenizer.json", "vocab.txt"):
            (self.model / name).unlink(missing_ok=True)
        self.refused(self.embed(), "tokenizer.json", "vocab.txt")

    def test_a_broken_tokenizer(self):
        (self.model / "tokenizer.json").write_text('{"model": {"type": "BPE"}')
        self.refused(self.embed(), "tokenizer.json")

    def test_json_nested_without_end(self):
        refused = "expected JSON of at most 100 levels, got more"
        for name in ("config.json", "tokenizer.json", "tokenizer_config.json", "modules.json"):
            for deep in ("[" * 1_000_000, '{"a":' * 1_000_000, "[" * 1_000_000 + "]" * 1_000_000):
                with self.subTest(name, deep=deep[:2]):
                    path = self.model / name
                    before = path.read_bytes() if path.exists() else None
                    path.write_text(deep)
                    self.refused(self.embed(), f"{name}:1", refused)
                    path.unlink() if before is None else path.write_bytes(before)
        path = self.folder / "in.jsonl"
        path.write_text('{"text": "fine"}\n' + "[" * 1_000_000 + "\n")
        self.refused(summand("embed", "--model", self.model, path, "-o", self.out), "in.jsonl:2", refused)

    def test_a_directory_that_is_not_there(self):
        self.model = self.folder / "nowhere"
        self.refused(self.embed(), "nowhere")

    def test_a_text_too_long_for_truncation_none(self):
        self.refused(self.embed("--truncation", "none", stdin="word " * 100), "64")

    def test_an_input_that_cannot_be_read(self):
        for path, reason in (("nowhere.txt", "No such file or directory"), (".", "directory")):
            result = summand("embed", "--model", self.model, self.folder / path, "--format", "txt", "-o", self.out)
            self.refused(result, reason)

    def test_an_output_that_cannot_be_written(self):
        for out in (self.folder / "none" / "x.npy", "/proc/none.npy"):
            self.refused(self.embed(out=out), str(out))
        (self.folder / "directory.npy").mkdir()
        self.refused(self.embed(out=self.folder / "directory.npy"), "directory")

    def test_a_full_disk(self):
        def small_files():
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))

        self.out.write_bytes(b"what was there before")
        result = self.embed("--overwrite", stdin="text\n" * 50, preexec_fn=small_files)
        self.assertEqual(self.out.read_bytes(), b"what was there before")
        self.out.unlink()
        self.refused(result, str(self.out), "File too large")

    def test_a_full_device(self):
        for verb in ("hidden", "tokenize"):
            result = summand(verb, "--model", self.model, "--text", "a", "-o", "/dev/full")
            self.refused(result, "/dev/full", "No space left on device")

    def test_json_lines_that_are_wrong_are_named_by_line(self):
        lines = '{"text": "fine"}\n'
        cases = [
            "{\n", '{"text": 3}\n', '{"other": "x"}\n', '{"text": "\\ud800"}\n', "[]\n", '{"text": "a", "text_pair": 1}\n',
            '{"tokens": ["a", 1]}\n',
        ]  # fmt: skip
        for case in cases:
            with self.subTest(case):
                path = self.folder / "in.jsonl"
                path.write_text(lines + case + lines)
                self.refused(summand("embed", "--model", self.model, path, "-o", self.out), "in.jsonl:2")
        path.write_bytes(b'{"text": "\xff"}\n')
        self.refused(summand("embed", "--model", self.model, path, "-o", self.out), "in.jsonl:1")

    def test_mistyped_verbs_and_options_are_named_with_the_nearest(self):
        model = ("--model", self.model)
        for words, fragment in {
            ("embde",): "no verb 'embde'; did you mean 'embed'?; see summand --help",
            ("help", "embde"): "no verb 'embde'; did you mean 'embed'?",
            ("frobnicate", *model): "no verb 'frobnicate'; see summand --help",
            (): "expected a verb, got none; see summand --help",
            ("--modle", "x", "embed"): "expected a verb first, got '--modle'",
            ("embed", "-m", "DIR", "x.txt"): "embed: no option '-m'; did you mean '--model'?; see summand embed --help",
            ("embed", "--modle=DIR", "x.txt", "-o", "x"): "embed: no option '--modle'; did you mean '--model'?",
            ("embed", *model, "--outptu", "x", "x.txt"): "embed: no option '--outptu'; did you mean '--output'?",
            ("embed", *model, "-o", self.out, "x.txt", "--frobnicate"): "embed: no option '--frobnicate'; see summand embed --help",
            ("hidden", *model, "x.txt"): "hidden: --output is required; see summand hidden --help",
            ("info", "more"): "info: expected no more words, got 'more'; see summand info --help",
        }.items():
            with self.subTest(words):
                self.refused(summand(*words), fragment, status=2)

    def test_no_bound_is_named_that_only_a_computer_knows(self):
        model = ("--model", self.model, "--text", "a [MASK]")
        out = ("-o", self.folder / "x.npy")
        options = [
            ("embed", "--dimensions", 1), ("embed", "--max-length", 1), ("embed", "--batch-tokens", 1), ("embed", "--overlap", 0),
            ("hidden", "--layers", 0), ("fill-mask", "--top", 1), ("classify", "--top", 1), ("rerank", "--top", 1), ("bench", "--rounds", None),
            ("embed", "--threads", None),
        ]  # fmt: skip
        for verb, option, least in options:
            for value in ("-1", "1.5", "x", "99999999999999999999", *(["0"] if least == 1 else [])):
                with self.subTest(verb=verb, option=option, value=value):
                    result = summand(verb, *model, *(out if verb in ("embed", "hidden") else ()), option, value)
                    self.refused(result, option, status=2)
                    if least is not None:
                        smaller = "smaller " if len(value) == 20 else ""
                        self.refused(result, f"{option}: expected a {smaller}whole number of at least {least}, got {value}", status=2)
                    self.assertNotRegex(result.stderr.replace("9" * 20, ""), r"\d{8}")

    def test_bad_usage_has_status_2(self):
        self.refused(summand("embed"), status=2)
        self.refused(summand("nothing"), status=2)
        self.refused(summand(), status=2)
        self.refused(self.embed("--dimensions", "25"), "dimensions", "expected 1 to 24, got 25", status=2)
        self.refused(self.embed("--pooling", "median"), status=2)
        plain = os.environ | {"SUMMAND_ISA": "generic"}
        for precision, needed in {"bf16": "avx512_bf16", "int8": "avx512_vnni", "fp16": "avx512_fp16"}.items():
            self.refused(self.embed("--precision", precision, env=plain), precision, needed, "this run has generic", status=2)
        self.refused(self.embed("--precision", "fp8"), "fp8", status=2)
        self.refused(self.embed("--max-length", "81"), "expected at most 80", status=2)
        for length in ("1", "2"):
            refusal = f"max-length] expected more than 2 for windows, of which special tokens take 2, got {length}\n"
            self.refused(self.embed("--windows", "mean", "--max-length", length), refusal, status=2)
        refusal = "overlap] expected less than 4, the tokens of a window without special ones, got 4\n"
        self.refused(self.embed("--windows", "mean", "--max-length", "6", "--overlap", "4"), refusal, status=2)
        self.refused(self.embed(out=self.folder / "x.txt"), ".npy, .jsonl or .csv", status=2)
        self.refused(summand("tokenize", "--text", "a"), status=2)
        self.refused(summand("hidden", "--model", self.model, "--text", "a", "--layers", "6", "-o", self.folder / "h.safetensors"), "0 to 5, got 6", status=2)
        self.refused(summand("similarity", "--model", self.model), "neither", status=2)
        self.refused(summand("info", env=os.environ | {"SUMMAND_ISA": "sse9"}), "sse9", status=2)

    def test_a_token_without_a_row(self):
        self.change_config(vocab_size=2000)
        self.change_tensors(lambda t: t.update({"embeddings.word_embeddings.weight": t["embeddings.word_embeddings.weight"][:2000]}))
        self.refused(self.embed(), "token 'text' has id 3793, expected an id below vocab_size (2000)")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
