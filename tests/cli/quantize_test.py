"""`summand quantize` against NumPy's own rounding, and its directories against transformers with the rounded weights."""

import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import sys
import tempfile
import unittest

import head_models
import numpy as np
import sentence_models
import summand_testing
import torch
from command_line import summand
from safetensors.torch import load_file
from sentence_transformers import SentenceTransformer
from transformers import AutoModel, AutoModelForTokenClassification, BertModel

TEXTS = ["A man is eating food.", "", "a", "Ünïcödé ÀCCENTS and straße", "我喜欢自然语言处理", "unaffable xqzzy🙂", "word " * 100]
LEAST_COSINE = 0.999999
LENGTH_TOLERANCE = 1e-5  # relative: fp32 sums in another order
LOGIT_TOLERANCE = 1e-4  # of logits around 1, likewise

DENSE_WEIGHT = re.compile(r"^(bert\.)?encoder\.layer\.\d+\.(.*(?:query|key|value|dense))\.weight$")


def numpy_quantised(tensor):
    """Values and scales, as the definition says: float32 throughout, ties to even."""
    weight = tensor.float().numpy()
    scales = np.abs(weight).max(axis=1) / np.float32(127)
    values = np.rint(weight / np.where(scales > 0, scales, 1)[:, None]).clip(-127, 127)
    return values.astype(np.int8), scales


def weights_of(directory):
    return {name: tensor for file in sorted(directory.glob("*.safetensors")) for name, tensor in load_file(file).items()}


def round_weights(model):
    """Puts the rounded weights into a transformers model."""
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if DENSE_WEIGHT.match(name):
                values, scales = numpy_quantised(parameter)
                parameter.copy_(torch.from_numpy(scales[:, None] * values.astype(np.float32)))
    return model


def half(directory, dtype):
    """Rewrites a directory's weights in another type, in files of at most 20 kB with an index."""
    model = AutoModel.from_pretrained(directory, dtype=dtype)
    (directory / "model.safetensors").unlink()
    model.save_pretrained(directory, max_shard_size="20KB")


def content(directory):
    return {str(path.relative_to(directory)): hashlib.sha256(path.read_bytes()).hexdigest() for path in directory.rglob("*") if path.is_file()}


class Quantize(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "int8"

    def quantise(self, directory, *options):
        result = summand("quantize", "--model", directory, "-o", self.out, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(list(self.folder.rglob("*.part")), [])
        return result

    def embed(self, directory, *options, **more):
        out = self.folder / "vectors.npy"
        lines = "".join(json.dumps({"text": text}) + "\n" for text in TEXTS)
        result = summand("embed", "--model", directory, "-", "--format", "jsonl", "-o", out, "--overwrite", *options, stdin=lines, **more)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.stderr = result.stderr
        return np.load(out).astype(np.float64)

    def check_vectors(self, ours, theirs):
        theirs = theirs.astype(np.float64)
        lengths = np.linalg.norm(ours, axis=1), np.linalg.norm(theirs, axis=1)
        self.assertGreater(lengths[1].min(), 1e-3)
        self.assertGreaterEqual(((ours * theirs).sum(axis=1) / lengths[0] / lengths[1]).min(), LEAST_COSINE)
        np.testing.assert_allclose(lengths[0], lengths[1], rtol=LENGTH_TOLERANCE)

    def check_tensors(self, directory):
        """The written tensors: the encoder's rounded as NumPy rounds them, the others to the byte."""
        before, after = weights_of(directory), load_file(self.out / "model.safetensors")
        before.pop("embeddings.position_ids", None)  # 0 … n-1, which old versions saved and nothing reads
        expected = {}
        for name, tensor in before.items():
            short = name.removeprefix("bert.")
            if DENSE_WEIGHT.match(name):
                values, scales = numpy_quantised(tensor)
                expected[short], expected[short + "_scale"] = torch.from_numpy(values), torch.from_numpy(scales)
            else:
                expected[short] = tensor
        self.assertEqual(set(after), set(expected))
        for name, tensor in expected.items():
            self.assertEqual(after[name].dtype, tensor.dtype, name)
            self.assertTrue(torch.equal(after[name], tensor), name)
        return sum(name.endswith("_scale") for name in after)

    def check_refused(self, *arguments, message, status=1, **options):
        before = content(self.folder)
        result = summand("quantize", *arguments, **options)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(message, result.stderr)
        self.assertEqual(content(self.folder), before)
        self.assertEqual(list(self.folder.rglob("*.part")), [])

    def test_minilm_is_rounded_as_numpy_rounds_it_and_embeds_as_transformers_with_these_weights(self):
        directory = summand_testing.minilm()
        self.quantise(directory)
        self.assertEqual(self.check_tensors(directory), 36)
        config = json.loads((directory / "config.json").read_text())
        written = json.loads((self.out / "config.json").read_text())
        self.assertEqual(written.pop("quantization_config"), {"format": "summand_int8"})
        self.assertEqual(written, config)
        model = SentenceTransformer(str(directory), device="cpu")
        plain = model.encode(TEXTS)
        round_weights(model[0].auto_model)
        vectors = self.embed(self.out, "--precision", "fp32")
        self.check_vectors(vectors, model.encode(TEXTS))
        self.assertLess((vectors * plain).sum(axis=1).max(), LEAST_COSINE)  # the test could tell the two apart

    def test_the_engine_in_int8_gives_the_bits_that_it_gives_with_the_original(self):
        info = json.loads(summand("info", "--json").stdout)
        if "int8" not in info["precisions"]:
            self.skipTest("this machine computes nothing in int8")
        directory = sentence_models.transformer_directory(self.folder / "model")
        self.quantise(directory)
        before, after = (self.embed(path, "--precision", "int8") for path in (directory, self.out))
        np.testing.assert_array_equal(before, after)
        self.assertTrue((before != self.embed(self.out, "--precision", "fp32")).any())

    def test_the_written_checkpoint_runs_in_int8_where_it_can_and_says_what_runs(self):
        directory = sentence_models.transformer_directory(self.folder / "model")
        self.assertIn("--precision fp32", self.quantise(directory).stdout)
        exact = self.embed(self.out, "--precision", "fp32")
        self.assertNotIn("precision", self.stderr)
        vectors = self.embed(self.out)
        if "int8" in json.loads(summand("info", "--json").stdout)["precisions"]:
            self.assertRegex(self.stderr, "precision: int8, attention in (bf16|fp32), as the checkpoint is in 8 bits; fp32 has to be asked for\n")
            np.testing.assert_array_equal(vectors, self.embed(self.out, "--precision", "int8"))
            self.assertNotIn("precision", self.stderr)
            bench = summand("bench", "--model", self.out, "--text", "a", "--rounds", "1", "--json")
            self.assertTrue(json.loads(bench.stdout)["precision"].startswith("int8"))
            self.assertIn("precision: int8", bench.stderr)
        else:
            np.testing.assert_array_equal(vectors, exact)
        plain = os.environ | {"SUMMAND_ISA": "generic"}
        without = self.embed(self.out, env=plain)
        self.assertIn("precision: fp32, as this machine (generic) has no native products in 8 bits", self.stderr)
        np.testing.assert_array_equal(without, self.embed(self.out, "--precision", "fp32", env=plain))
        self.embed(directory)
        self.assertNotIn("precision", self.stderr)

    def test_every_file_that_a_load_reads_comes_along_and_no_other_weights(self):
        _, directory = sentence_models.sentence_model(self.folder, dense=[(16, torch.nn.Tanh()), (8, torch.nn.Identity())], normalize=True)
        for name in ("pytorch_model.bin", "tf_model.h5", "onnx/model.onnx", "model.onnx", "other.safetensors"):
            (directory / name).parent.mkdir(exist_ok=True)
            (directory / name).write_bytes(b"x")
        (directory / "pytorch_model.bin.index.json").write_text("{}")
        self.quantise(directory)
        before, after = content(directory), content(self.out)
        for name in before.keys() - after.keys():
            self.assertRegex(name, r"pytorch_model|tf_model|onnx|other")
        self.assertEqual(after.keys() - before.keys(), set())
        changed = {name for name in after if after[name] != before[name]}
        self.assertLessEqual(changed, {"config.json", "model.safetensors", "2_Dense/model.safetensors", "3_Dense/model.safetensors"})
        for dense in ("2_Dense", "3_Dense"):
            for name, tensor in load_file(directory / dense / "model.safetensors").items():
                self.assertTrue(torch.equal(load_file(self.out / dense / "model.safetensors")[name], tensor))
        model = SentenceTransformer(str(directory), device="cpu")
        round_weights(model[0].auto_model)
        self.check_vectors(self.embed(self.out, "--precision", "fp32"), model.encode(TEXTS))

    def test_several_files_in_half_precision_become_one(self):
        for dtype in (torch.float16, torch.bfloat16):
            with self.subTest(dtype=dtype):
                shutil.rmtree(self.out, ignore_errors=True)
                directory = sentence_models.transformer_directory(self.folder / str(dtype))
                half(directory, dtype)
                self.assertGreater(len(list(directory.glob("model-*.safetensors"))), 1)
                self.quantise(directory)
                self.assertEqual(self.check_tensors(directory), 30)
                self.assertEqual([path.name for path in self.out.glob("*.safetensors*")], ["model.safetensors"])
                model = round_weights(AutoModel.from_pretrained(directory, dtype=torch.float32))
                shown = self.folder / "states.safetensors"
                result = summand("hidden", "--model", self.out, "--text", "A man is eating food.", "--precision", "fp32", "-o", shown, "--overwrite")
                self.assertEqual(result.returncode, 0, result.stderr)
                states = load_file(shown)
                with torch.no_grad():
                    theirs = model(states["ids"][None], output_hidden_states=True).hidden_states
                for layer, state in enumerate(theirs):
                    torch.testing.assert_close(states[f"hidden.{layer}"], state[0], rtol=0, atol=LOGIT_TOLERANCE)

    def test_heads_come_along(self):
        directory = self.folder / "tagger"
        head_models.head_directory(directory, "token-classification", num_labels=5)
        self.quantise(directory)
        self.assertEqual(self.check_tensors(directory), 12)
        logits = self.folder / "logits.safetensors"
        result = summand("tag", "--model", self.out, "--text", "Angela lives in Berlin.", "--precision", "fp32", "--logits", "-o", logits)
        self.assertEqual(result.returncode, 0, result.stderr)
        states = summand("tokenize", "--model", directory, "--text", "Angela lives in Berlin.", "--json").stdout
        ids = torch.tensor([json.loads(states)["ids"]])
        with torch.no_grad():
            theirs = round_weights(AutoModelForTokenClassification.from_pretrained(directory))(ids).logits[0]
        torch.testing.assert_close(load_file(logits)["logits"], theirs, rtol=0, atol=LOGIT_TOLERANCE)

    def test_everything_else_reads_the_rounded_weights(self):
        directory = sentence_models.transformer_directory(self.folder / "model")
        self.quantise(directory)
        result = summand("verify", "--model", self.out, "--text", "A man is eating food.")
        self.assertEqual(result.returncode, 0, result.stderr)
        shown = [json.loads(summand("inspect", "--model", path, "--json").stdout) for path in (directory, self.out)]
        for inspection, count in zip(shown, (0, 5 * (4 * 24 * 24 + 2 * 24 * 40))):
            self.assertEqual(inspection["parameters"].pop("in_8_bits"), count)
        self.assertEqual(shown[0]["parameters"], shown[1]["parameters"])
        self.assertEqual(shown[1]["configuration"].pop("quantization_config")["value"], {"format": "summand_int8"})
        self.assertEqual(shown[0]["configuration"], shown[1]["configuration"])
        self.assertIn("of these in 8 bits", summand("inspect", "--model", self.out).stdout)

    def test_other_programs_refuse_the_directory(self):
        _, directory = sentence_models.sentence_model(self.folder)
        self.quantise(directory)
        for load in (AutoModel.from_pretrained, BertModel.from_pretrained, SentenceTransformer):
            load(str(directory))
            with self.assertRaisesRegex(ValueError, "quant_method"):
                load(str(self.out))

    def test_the_report_gives_the_rounding_errors(self):
        directory = sentence_models.transformer_directory(self.folder / "model")
        report = json.loads(self.quantise(directory, "--json", "--threads", "2").stdout)
        errors, weights = {}, weights_of(directory)
        for name, tensor in weights.items():
            if match := DENSE_WEIGHT.match(name):
                values, scales = numpy_quantised(tensor)
                rounded, exact = scales[:, None].astype(np.float64) * values, tensor.double().numpy()
                errors.setdefault(match[2], []).append(np.linalg.norm(rounded - exact, axis=1) / np.linalg.norm(exact, axis=1))
        self.assertEqual({row["kind"] for row in report["layers"]}, set(errors))
        for row in report["layers"]:
            expected = np.concatenate(errors[row["kind"]])
            self.assertEqual(row["outputs"], len(expected))
            np.testing.assert_allclose([row["mean_error"], row["largest_error"]], [expected.mean(), expected.max()], rtol=1e-4)
        sizes = [sum(tensor.nbytes for tensor in weights_of(path).values()) for path in (directory, self.out)]
        self.assertEqual([report["bytes_before"], report["bytes_after"]], sizes)
        self.assertEqual(report["parameters"], sum(tensor.numel() for tensor in weights.values()))
        written = content(self.out)
        shutil.rmtree(self.out)
        text = self.quantise(directory, "--threads", "1").stdout
        self.assertEqual(content(self.out), written)
        for kind in errors:
            self.assertIn(kind, text)

    def test_help_has_an_example(self):
        text = summand("quantize", "--help").stdout
        for part in ("Example:", "summand quantize", "--json", "--threads"):
            self.assertIn(part, text)

    def test_what_cannot_be_done_is_one_line_and_leaves_nothing(self):
        directory = sentence_models.transformer_directory(self.folder / "model")
        self.quantise(directory)
        again = self.folder / "again"
        self.check_refused("--model", self.out, "-o", again, message="got one that is in 8 bits already")
        self.check_refused("--model", directory, "-o", self.out, message="expected a new or an empty directory")
        self.check_refused("--model", directory, "-o", directory / "config.json", message="got a file")
        self.check_refused("--model", directory, "-o", again / "deep", message="no directory")
        self.check_refused("--model", directory, message="--output is required", status=2)
        (self.folder / "broken").mkdir()
        self.check_refused("--model", self.folder / "broken", "-o", again, message="expected a config.json, got none")

    def test_a_full_disk_leaves_nothing(self):
        directory = sentence_models.transformer_directory(self.folder / "model")
        size = (directory / "model.safetensors").stat().st_size
        for limit in (100, size // 2):
            self.check_refused(
                "--model", directory, "-o", self.out, message="File too large",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
            )  # fmt: skip


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
