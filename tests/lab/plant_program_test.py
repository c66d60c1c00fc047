"""`summand lab plant`: its files, their truth, what it refuses, and that a rewritten checkpoint embeds as its source."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import head_models
import numpy as np
import sentence_models
import summand_testing
import torch
from safetensors.numpy import load_file

LAB = summand_testing.BIN / "summand-lab"
POSITIONS = "embeddings.position_embeddings.weight"
TEXTS = ["A man is eating food.", "unaffable words in order", "word " * 40]
SAME = 1e-5  # relative, as truth.json says: single precision through all layers
TABLES = [
    "white", "walk", "smooth", "sinusoid", "equal-frequencies", "ring", "clocks", "band", "initialisation",
    "initialisation-long-row", "kernel-matched", "joint-phases",
]  # fmt: skip
CHECKPOINTS = [
    "shifted", "scaled", "rewritten", "offset", "gauge", "permuted", "unreached", "no-order", "white-positions",
    "random",
]  # fmt: skip


def plant(*options):
    return subprocess.run([LAB, "plant", *map(str, options)], capture_output=True, text=True)


def table_of(checkpoint):
    tensors = load_file(checkpoint / "model.safetensors")
    return next(tensor for name, tensor in tensors.items() if name.endswith(POSITIONS))


class Plant(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "planted"

    def planted(self, kind, *options, out=None):
        """Writes it; its truth."""
        out = out or self.out
        result = plant(kind, "-o", out, *options)
        self.assertEqual((result.returncode, result.stderr), (0, ""), (kind, options))
        self.assertIn(str(out), result.stdout)
        self.assertEqual(list(self.folder.rglob("*.part")), [])
        truth = json.loads((out / "truth.json").read_text())
        self.assertEqual(truth["kind"], kind)
        self.assertTrue(truth["truth"])
        for entry in truth["truth"].values():
            self.assertEqual(len(entry), 2)
            self.assertTrue(entry["why"])
            self.assertTrue(set(entry) & {"must", "must_not", "is"})
        return truth

    def refused(self, message, *options, status=2):
        result = plant(*options)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(message, result.stderr)
        self.assertFalse(self.out.exists())
        self.assertEqual(list(self.folder.rglob("*.part")), [])

    def vectors(self, directory):
        out = self.folder / "vectors.npy"
        out.unlink(missing_ok=True)
        words = [word for text in TEXTS for word in ("--text", text)]
        command = [summand_testing.BIN / "summand", "embed", "--model", directory, "-o", out, "--no-normalize", *words]
        subprocess.run(command, check=True, capture_output=True)
        return np.load(out)

    def test_the_list_names_every_kind_in_a_line(self):
        result = plant("--list")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual([line.split()[0] for line in result.stdout.splitlines()], TABLES + CHECKPOINTS)

    def test_every_table_is_written_with_its_truth_and_is_the_same_again(self):
        source = self.folder / "source.npy"
        np.save(source, np.cumsum(np.random.default_rng(1).normal(size=(200, 40)), axis=0))
        for kind in TABLES:
            made = kind in ("kernel-matched", "joint-phases")
            options = ("--from", source) if made else ("--rows", 200, "--columns", 40)
            few = {"equal-frequencies": ("--frequencies", 6), "ring": ("--turns", 20)}.get(kind, ())
            truth = self.planted(kind, *options, *few, "--seed", 5, out=self.folder / kind)
            table = np.load(self.folder / kind / "table.npy")
            self.assertEqual((table.shape, table.dtype), ((200, 40), np.float32))
            self.assertEqual((truth["seed"], truth["table"]), (5, {"rows": 200, "columns": 40}))
            self.assertEqual(truth["source"] is None, not made)
            self.planted(kind, *options, *few, "--seed", 5, out=self.folder / f"{kind}-again")
            np.testing.assert_array_equal(np.load(self.folder / f"{kind}-again" / "table.npy"), table)
        self.assertEqual(json.loads((self.folder / "ring/truth.json").read_text())["parameters"]["turns"], 20)

    def test_a_table_is_what_the_laboratory_reads(self):
        truth = self.planted("sinusoid", "--rows", 136, "--columns", 128)["truth"]
        self.assertEqual(set(truth), {"3.5", "4.3"})
        report = self.folder / "report"
        run = [LAB, "--table", self.out / "table.npy", "-o", report, "--quick", "--only", "kernel,relative_position"]
        self.assertEqual(subprocess.run(run, capture_output=True).returncode, 0)
        told = {claim["id"]: claim["observation"] for claim in json.loads((report / "results.json").read_text())["claims"]}
        for claim, entry in truth.items():
            self.assertEqual(told[claim], entry["must"], claim)

    def test_a_rewritten_checkpoint_embeds_as_its_source_does(self):
        _, source = sentence_models.sentence_model(self.folder / "model", normalize=False)
        expected = self.vectors(source)
        for kind in CHECKPOINTS:
            out = self.folder / kind
            truth = self.planted(kind, "--from", source, out=out)
            vectors = self.vectors(out)
            if "permutation" in truth:
                self.assertTrue(truth["truth"]["sentence_vectors_permuted"]["is"])
                expected_here = expected[:, truth["permutation"]]
            else:
                expected_here = expected
            if "same_as_source" in truth["truth"]:
                self.assertTrue(truth["truth"]["same_as_source"]["is"])
                error = np.linalg.norm(vectors - expected_here, axis=1) / np.linalg.norm(expected, axis=1)
                self.assertLess(error.max(), SAME, kind)
            elif kind != "random":
                self.assertGreater(np.abs(vectors - expected).max(), 1e-3, kind)
            self.assertRegex(truth["source"]["hash"], "^[0-9a-f]{16}$")
        names = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
        kept = {path.relative_to(self.folder / "shifted") for path in (self.folder / "shifted").rglob("*") if path.is_file()}
        self.assertEqual(kept - {pathlib.Path("truth.json")}, names)

    def test_a_dense_module_gives_a_permuted_checkpoint_the_same_vectors(self):
        dense = [(12, torch.nn.Tanh())]
        _, source = sentence_models.sentence_model(self.folder / "model", pooling=["mean", "max"], dense=dense)
        truth = self.planted("permuted", "--from", source)
        self.assertFalse(truth["truth"]["sentence_vectors_permuted"]["is"])
        np.testing.assert_allclose(self.vectors(self.out), self.vectors(source), atol=SAME)

    def test_a_random_checkpoint_has_the_sizes_asked_for_and_a_masked_language_head(self):
        source = sentence_models.transformer_directory(self.folder / "model")
        truth = self.planted("random", "--from", source, "--layers", 2, "--hidden", 48, "--heads", 4)
        self.assertEqual(truth["parameters"], {"layers": 2, "hidden": 48, "heads": 4})
        config = json.loads((self.out / "config.json").read_text())
        self.assertEqual((config["num_hidden_layers"], config["hidden_size"], config["num_attention_heads"]), (2, 48, 4))
        fill = [summand_testing.BIN / "summand", "fill-mask", "--model", self.out, "--text", "The [MASK] is here."]
        self.assertEqual(subprocess.run(fill, capture_output=True).returncode, 0)

    def test_a_table_may_be_made_of_a_checkpoint(self):
        source = sentence_models.transformer_directory(self.folder / "model")
        self.planted("joint-phases", "--from", source)
        own = table_of(source)
        self.assertEqual(np.load(self.out / "table.npy").shape, own.shape)

    def test_a_masked_language_model_keeps_its_probabilities(self):
        source = self.folder / "model"
        head_models.head_directory(source, "masked-lm")

        def fillings(directory):
            ask = [summand_testing.BIN / "summand", "fill-mask", "--model", directory, "--text", "The [MASK] is here.", "--json"]
            return json.loads(subprocess.run(ask, capture_output=True, check=True).stdout)

        def scores(value):
            if isinstance(value, dict):
                return [number for key in sorted(value) for number in scores(value[key])]
            if isinstance(value, list):
                return [number for one in value for number in scores(one)]
            return [value] if isinstance(value, float) else []

        expected = scores(fillings(source))
        self.assertTrue(expected)
        for kind in ("shifted", "scaled", "rewritten", "gauge", "permuted", "unreached"):
            self.planted(kind, "--from", source, out=self.folder / kind)
            np.testing.assert_allclose(scores(fillings(self.folder / kind)), expected, rtol=1e-3, err_msg=kind)

    def test_bad_input_is_one_line_and_leaves_nothing(self):
        out = ("-o", self.out)
        self.refused("[KIND] expected what to plant, got none", *out)
        self.refused("[--output] expected a folder", "ring")
        self.refused("got 'rnig'; did you mean 'ring'?", "rnig", *out)
        self.refused("[--turns] expected with a kind that reads it, got it with 'white'", "white", *out, "--turns", 5)
        self.refused("[--from] expected the checkpoint that 'shifted' is made of, got none", "shifted", *out)
        self.refused("[--from] expected the table or checkpoint that 'kernel-matched'", "kernel-matched", *out)
        self.refused("[--rows] expected from 8 to", "white", *out, "--rows", 3)
        self.refused("[--columns] expected an even number, got 33", "sinusoid", *out, "--columns", 33)
        self.refused("expected a number, got much", "ring", *out, "--noise", "much")
        self.refused("[--noise] expected a number of at least 0, got -1", "ring", *out, "--noise=-1")
        for endless in ("nan", "inf"):
            self.refused(f"--noise: expected a finite number, got {endless}", "ring", *out, "--noise", endless)
        self.refused("no option '--turn'", "ring", *out, "--turn", 5)
        table = self.folder / "table.npy"
        np.save(table, np.zeros((20, 4)))
        self.refused("[--from] expected a checkpoint for 'shifted', got a table", "shifted", *out, "--from", table)
        self.refused("[--from] expected 8 rows or more that differ", "joint-phases", *out, "--from", table)
        self.refused("No such file", "joint-phases", *out, "--from", self.folder / "none.npy", status=1)
        self.refused("expected a directory", "joint-phases", *out, "--from", "/nowhere/at/all", status=1)
        source = sentence_models.transformer_directory(self.folder / "model")
        self.refused("[--heads] expected a divisor of --hidden, 64, got 5", "random", *out, "--from", source, "--hidden", 64, "--heads", 5)
        self.refused("[--scale] expected a number above 0, got 0", "scaled", *out, "--from", source, "--scale", 0)

    def test_a_folder_with_files_is_not_touched(self):
        self.out.mkdir()
        (self.out / "mine").write_text("mine")
        result = plant("white", "-o", self.out)
        self.assertEqual(result.returncode, 1)
        self.assertIn("expected a new or an empty directory", result.stderr)
        self.assertEqual([path.name for path in self.out.iterdir()], ["mine"])
        (self.out / "mine").unlink()
        self.planted("white", "--rows", 16, "--columns", 8)


if __name__ == "__main__":
    unittest.main()
