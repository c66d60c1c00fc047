"""The shipped models: found by name, small, as their recipe says, with the ids and logits of transformers; and `make reports`
docs/findings.md, whose matrix, short part and first sentences are those of docs/reports."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import safetensors.numpy
import sentence_transformers
import summand_testing
import torch
import transformers

MODELS = summand_testing.ROOT / "models"
NAMES = ("summand-mini", "tenth-learned", "tenth-sinusoidal", "tenth-none")
BERTS = ("summand-mini", "tenth-learned")  # the architecture is BERT's own
MOST_BYTES = 12e6
AGREE = 1e-4
SENTENCES = "summand-mini-sentences"  # its student of sentence vectors
AGREE_VECTORS = 1e-6
TEXTS = ("A cat sat on the mat.", "", "He repairs the pump; it's 3 o'clock!", "unheard-of zyxwvut", "今天天气真好", "word " * 400)
GAPS = ("The president of the united [MASK] spoke to congress.", "She was [MASK] to see [MASK].", "[MASK]", "a " * 157 + "[MASK]")
REPORTS = summand_testing.ROOT / "docs" / "reports"
MINILM_RESULTS = REPORTS / "1-all-MiniLM-L6-v2" / "results.json"
MOST_WORDS = 25  # of a first sentence
PAIR = ("The lake froze in January.", "People walked across it.")


def summand(*words, **environment):
    result = subprocess.run([summand_testing.BIN / "summand", *map(str, words)], capture_output=True, text=True, cwd="/", env={**os.environ, **environment})
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return result.stdout


class Findings(unittest.TestCase):
    """The first sentence of each claim in docs/findings.md."""

    def setUp(self):
        self.script = summand_testing.script("write_findings")
        self.results = json.loads(MINILM_RESULTS.read_text())

    def test_each_claim_opens_with_its_sentence_filled_from_the_report(self):
        halves = (summand_testing.ROOT / "docs" / "findings.md").read_text().split('<a id="zh"></a>')
        for half, language in zip(halves, ("en", "zh"), strict=True):
            entries = dict(re.findall(r"^\*\*(\S+)\*\* · .*  \n((?:.+\n)+)\n", half, re.MULTILINE))
            sentences = self.script.first_sentences(self.results, language)
            self.assertEqual({id: " ".join(entry.split()) for id, entry in entries.items()}, sentences)

    def test_they_are_short(self):
        for id, sentence in self.script.first_sentences(self.results, "en").items():
            self.assertLessEqual(len(re.findall(r"\S*\w\S*", sentence)), MOST_WORDS, f"{id}: {sentence}")

    def test_a_sentence_that_the_run_does_not_bear_out_is_refused(self):
        claim = next(claim for claim in self.results["claims"] if claim["id"] == "0.1")
        verdicts = ["fails", "does not follow", "false"]
        for sentence, said in (
            ({"verdicts": ["holds", *verdicts[1:]], "en": "So."}, "expected a sentence for"),
            ({"verdicts": verdicts, "en": "It is 12.25 %."}, r"expected numbers that the run names, got \['12.25'\]"),
            ({"verdicts": verdicts, "en": "It is {no_such_number:0%}."}, "expected names of numbers of this claim, got 'no_such_number'"),
        ):
            with self.assertRaisesRegex(SystemExit, said):
                self.script.first_sentence(claim, sentence, "en")
        claim["numbers"]["dominated"]["value"] = 0.9876
        self.assertIn("98.8 %", self.script.first_sentence(claim, {"verdicts": verdicts, "en": "It is {dominated:1%}."}, "en"))


class SentenceVectors(unittest.TestCase):
    """The shipped model of sentence vectors."""

    folder = MODELS / SENTENCES

    def test_it_is_small_and_in_sixteen_bits(self):
        files = [self.folder / "model.safetensors", self.folder / "2_Dense" / "model.safetensors"]
        self.assertLess(sum(file.stat().st_size for file in files), MOST_BYTES)
        for file in files:
            self.assertEqual({tensor.dtype for tensor in safetensors.numpy.load_file(file).values()}, {np.dtype(np.float16)}, file)

    def test_sentence_transformers_has_the_same_vectors(self):
        model = sentence_transformers.SentenceTransformer(str(self.folder), device="cpu")
        want = model.encode(list(TEXTS), convert_to_numpy=True)
        with tempfile.TemporaryDirectory() as folder:
            texts, out = pathlib.Path(folder) / "texts.txt", pathlib.Path(folder) / "vectors.npy"
            texts.write_text("\n".join(TEXTS) + "\n", encoding="utf-8")
            summand("embed", texts, "--model", SENTENCES, "-o", out)
            got = np.load(out)
        self.assertEqual(got.shape, (len(TEXTS), 384))
        np.testing.assert_allclose(got, want, rtol=0, atol=AGREE_VECTORS)

    def test_it_is_the_last_step_of_its_recipe_and_began_with_summand_mini(self):
        recipe = json.loads((self.folder / "recipe.json").read_text())
        self.assertEqual(recipe["begun_with"], "summand-mini")
        self.assertEqual(recipe["hashes"]["loss"], "distillation")
        last = json.loads((self.folder / "metrics.jsonl").read_text().splitlines()[-1])
        self.assertEqual(last["step"], recipe["options"]["steps"])
        for key, value in json.loads((MODELS / "summand-mini" / "recipe.json").read_text())["model"]["config"].items():
            if key not in ("architectures", "summand"):
                self.assertEqual(recipe["model"]["config"][key], value, key)

    def test_texts_that_mean_the_same_are_nearer(self):
        def cosine(one, other):
            lines = summand("similarity", "--model", SENTENCES, "--text", one, "--text", other, "--json")
            return json.loads(lines)["similarity"][0][1]

        self.assertGreater(cosine("The government raised taxes.", "Taxes went up, said the minister."),
                           cosine("The government raised taxes.", "The film is a charming comedy.") + 0.2)


class ShippedModels(unittest.TestCase):
    def test_each_is_found_by_its_name_from_anywhere(self):
        for name in NAMES:
            with self.subTest(name):
                self.assertEqual(json.loads(summand("inspect", "--model", name, "--json"))["configuration"]["hidden_size"]["value"], 256)
                summand("verify", "--model", name, "--text", PAIR[0], "--text-pair", PAIR[1])

    def test_each_is_small_and_in_sixteen_bits(self):
        for name in NAMES:
            path = MODELS / name / "model.safetensors"
            self.assertLess(path.stat().st_size, MOST_BYTES, name)
            self.assertEqual({tensor.dtype for tensor in safetensors.numpy.load_file(path).values()}, {np.dtype(np.float16)}, name)

    def test_they_differ_in_nothing_but_what_their_names_say(self):
        recipes = {name: json.loads((MODELS / name / "recipe.json").read_text()) for name in NAMES}
        tenth = recipes["tenth-learned"]
        for name, recipe in recipes.items():
            with self.subTest(name):
                self.assertEqual(recipe["options"]["steps"], tenth["options"]["steps"] * (10 if name == "summand-mini" else 1))
                self.assertEqual(recipe["options"] | {"steps": 0}, tenth["options"] | {"steps": 0})
                self.assertEqual(recipe["hashes"], tenth["hashes"])
                config = dict(recipe["model"]["config"])
                kind = config.pop("summand", {}).get("position_kind", "learned")
                self.assertEqual(kind, "learned" if name == "summand-mini" else name.split("-")[1])
                self.assertEqual(config, {key: value for key, value in tenth["model"]["config"].items() if key != "summand"})
                lines = (MODELS / name / "metrics.jsonl").read_text().splitlines()
                self.assertEqual(json.loads(lines[-1])["step"], recipe["options"]["steps"])

    def test_transformers_has_the_same_ids_and_logits(self):
        for name in BERTS:
            model = transformers.BertForPreTraining.from_pretrained(MODELS / name, dtype=torch.float32).eval()
            tokenizer = transformers.AutoTokenizer.from_pretrained(MODELS / name)
            with tempfile.TemporaryDirectory() as folder, torch.no_grad():
                for number, text in enumerate(GAPS):
                    encoded = tokenizer(text, return_tensors="pt")
                    ids = json.loads(summand("tokenize", "--model", name, "--text", text, "--json").splitlines()[0])["ids"]
                    self.assertEqual(encoded["input_ids"][0].tolist(), ids)
                    out = pathlib.Path(folder) / f"{number}.safetensors"
                    summand("fill-mask", "--model", name, "--text", text, "--logits", "-o", out)
                    want = model(**encoded).prediction_logits[0, encoded["input_ids"][0] == tokenizer.mask_token_id].numpy()
                    np.testing.assert_allclose(safetensors.numpy.load_file(out)["logits"], want, rtol=0, atol=AGREE)
                out = pathlib.Path(folder) / "pair.safetensors"
                summand("next-sentence", "--model", name, "--text", PAIR[0], "--text-pair", PAIR[1], "--logits", "-o", out)
                want = model(**tokenizer(*PAIR, return_tensors="pt")).seq_relationship_logits.numpy()
                np.testing.assert_allclose(safetensors.numpy.load_file(out)["logits"], want, rtol=0, atol=AGREE)

    def test_the_large_one_has_learned_words(self):
        best = json.loads(summand("fill-mask", "--model", "summand-mini", "--text", GAPS[0], "--top", 1, "--json").splitlines()[0])
        self.assertIn("states", json.dumps(best))

    def test_the_matrix_and_what_is_said_in_short_are_of_the_reports(self):
        page = summand_testing.ROOT / "docs" / "findings.md"
        before = page.read_text()
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            (copy / "scripts").mkdir()
            (copy / "docs").mkdir()
            for part in ("docs/reports", "lab"):
                (copy / part).symlink_to(summand_testing.ROOT / part)
            for name in ("write_matrix", "page_marks.py", "run_numbers.py"):
                (copy / "scripts" / name).write_text((summand_testing.ROOT / "scripts" / name).read_text())
            script = copy / "scripts" / "write_matrix"
            (copy / "docs" / "findings.md").write_text(before)
            subprocess.run([sys.executable, script, "--again"], check=True)
            self.assertEqual((copy / "docs" / "findings.md").read_text(), before)

    def test_reports_are_made_of_these_checkpoints_and_a_missing_one_is_named(self):
        kept = json.loads((REPORTS / "compare.json").read_text())["checkpoints"]
        with tempfile.TemporaryDirectory() as folder:
            missing, reports = pathlib.Path(folder) / "missing", pathlib.Path(folder) / "reports"
            ran = subprocess.run([summand_testing.ROOT / "scripts" / "make_reports", reports, "--quick", "--only", "one_hot"], check=True,
                                 capture_output=True, text=True, env={**os.environ, "MODEL": str(missing), "SUMMAND_BUILD": str(summand_testing.BUILD)})  # fmt: skip
            self.assertIn(f"all-MiniLM-L6-v2 is missing: [{missing}] has no config.json", ran.stdout)
            made = json.loads((reports / "compare.json").read_text())["checkpoints"]
            for number, checkpoint in enumerate(made, 1):
                self.assertTrue((reports / checkpoint["folder"] / "index.html").exists(), checkpoint["folder"])
                self.assertEqual(checkpoint["folder"], f"{number}-{NAMES[number - 1]}")
        self.assertEqual([checkpoint["hash"] for checkpoint in made], [checkpoint["hash"] for checkpoint in kept[1:]])


if __name__ == "__main__":
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
