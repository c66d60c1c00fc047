"""The explorer of models that are no plain sum of three tables (docs/variants.md): what it shows is what `summand parts`
says, it fits every screen, and it says what it leaves out. SUMMAND_PICTURES=FOLDER keeps pictures of it."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import browser
import explorer_page_test as explorer
import report_page_test as page
import summand_testing

sys.path.insert(0, str(summand_testing.ROOT / "tests" / "variants"))
import variants_test as variants  # noqa: E402

PAIR = ("the old red tree", "a new river sleeps")
MODELS = {
    "gate": {"composition": "scalar_gate"},
    "product": {"composition": "multiplicative"},
    "projected": {"composition": "concatenate_project", "composition_position_width": 8},
    "joint": variants.JOINT,
    "hierarchical": {"position_kind": "hierarchical", "position_sentences": 4, "position_ends": [8]},
    "no_positions": {"position_kind": "none"},
    "not_normalised": {"normalise_input": False, "segment_kind": "none", "position_attention": "alibi"},
}
ONE_STRENGTH = ("joint", "no_positions")
NO_PAIRS = (*ONE_STRENGTH, "hierarchical")
PANELS = ("shares", "heads", "attention", "strength", "pairs")


class Variants(explorer.Page):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.saved = cls.folder / "saved"
        cls.saved.mkdir()
        cls.browser = cls.enterClassContext(browser.Browser())
        for name, options in MODELS.items():
            cls.write(name, variants.config_of(options))

    @classmethod
    def write(cls, name, config):
        directory = cls.folder / name
        directory.mkdir()
        (directory / "config.json").write_text(json.dumps(config))
        (directory / "vocab.txt").write_text("".join(f"{token}\n" for token in variants.VOCABULARY))
        variants.save_file(variants.model_of(config), directory / "model.safetensors", metadata={"format": "pt"})
        words = [summand_testing.BIN / "summand-lab", "--model", directory, "-o", cls.folder / f"{name}_report", "--quick",
                 "--only", "initialisation,norms", "--sentence", " ||| ".join(PAIR)]  # fmt: skip
        subprocess.run(words, check=True, capture_output=True)

    def show(self, name, place="", language="en", width=page.WIDE, scheme="light"):
        self.browser.screen(width, 900, scheme)
        self.browser.open("about:blank")
        self.browser.open(f"{(self.folder / f'{name}_report' / 'index.html').as_uri()}#/{language}/explorer{place}")
        self.wait_for_panels()

    def test_every_panel_that_there_is_fits_every_screen(self):
        for name in MODELS:
            for language, width, scheme in page.VIEWS:
                with self.subTest(name=name, language=language, width=width):
                    self.show(name, "", language, width, scheme)
                    for what, found in explorer.MISFITS.items():
                        self.assertEqual(self.evaluate(found), [], what)
                    missing = ({"strength"} if name in ONE_STRENGTH else set()) | ({"pairs"} if name in NO_PAIRS else set())
                    panels = self.evaluate("[...document.querySelectorAll('figure')].map((figure) => figure.id)")
                    self.assertEqual(panels, [f"figure-explorer-{each}" for each in PANELS if each not in missing])
                    self.assertEqual(self.evaluate("!!document.getElementById('strength')"), name not in ONE_STRENGTH)
                    if folder := os.environ.get("SUMMAND_PICTURES"):
                        self.browser.picture(pathlib.Path(folder) / f"explorer-{name}-{language}-{width}-{scheme}.png")

    def test_shares_lengths_and_gates_are_those_of_summand_parts(self):
        source = self.folder / "pair.jsonl"
        source.write_text(json.dumps({"text": PAIR[0], "text_pair": PAIR[1]}) + "\n")
        for name in MODELS:
            with self.subTest(name=name):
                command = [summand_testing.BIN / "summand", "parts", "--json", "--model", self.folder / name, source]
                expected = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
                self.show(name)
                *rows, between, without = self.rows("explorer-shares")
                self.assertEqual(len(rows), len(expected["tokens"]))
                for row, whole in ((between, "share_between_tokens"), (without, "share_between_tokens_without_special")):
                    for part, share in expected[whole].items():
                        self.assertAlmostEqual(float(row[f"share_{part}"]), share, delta=1e-4)
                for row, token in zip(rows, expected["tokens"]):
                    for part, share in token["share"].items():
                        self.assertAlmostEqual(float(row[f"share_{part}"]), share, delta=1e-4)
                    for part, norm in token["norm"].items():
                        self.assertAlmostEqual(float(row[f"norm_{part}"]), norm, delta=1e-3)
                        self.assertAlmostEqual(float(row[f"centred_{part}"]), token["centred_norm"][part], delta=1e-3)
                    for part, gate in token.get("gate", {}).items():
                        self.assertAlmostEqual(float(row[f"{part}_gate"]), gate, delta=1e-4)
                    self.assertEqual("share_together" in row, "together" in token["share"])
                    self.assertEqual("token_gate" in row, "gate" in token)

    def test_it_says_what_was_composed_and_what_is_left_out(self):
        self.show("gate")
        for expected in ("composed by scalar_gate: gt·t + gp·p + gs·s", "both need BERT's input", "Gates: token · position"):
            self.assertIn(expected, self.text("main"))
        self.show("joint")
        for expected in ("composed by joint_table: J[t, p, s].", "no position row enters", "In a joint table, a part is"):
            self.assertIn(expected, self.text("main"))
        self.assertNotIn("strength 1", self.text("main"))
        self.show("hierarchical")
        self.assertIn("a position's row depends on the sentence", self.text("main"))
        self.show("product", language="zh")
        for expected in ("由 multiplicative 组合：t⊙(1 + p + s)。", "两者都要求 BERT 的输入", "交互"):
            self.assertIn(expected, self.text("main"))

    def test_the_strength_changes_gates_and_shares(self):
        self.show("gate", "/1/strength-0")
        explored = "JSON.parse(document.getElementById('report').textContent).explorer"
        gates = f"{explored}.sentences[0].strengths.map((strength) => strength.gates[1][0])"
        self.assertEqual(len(set(self.evaluate(gates))), len(explorer.STRENGTHS))
        shares = "[...document.querySelectorAll('.shares tbody tr:not(.whole)')].map((row) => row.cells[3].innerText)"
        self.assertEqual(set(self.evaluate(shares)), {"0\u00a0%"})

    def test_claims_that_are_about_bert_say_why_they_are_not_measured(self):
        for name, why in (("joint", "'joint_table'"), ("not_normalised", "normalise_input: expected true, got false")):
            results = json.loads((self.folder / f"{name}_report" / "results.json").read_text())
            reasons = [claim["reason"] for claim in results["claims"] if claim["observation"] == "not measured"]
            self.assertTrue(any("the claims are about BERT" in reason and why in reason for reason in reasons), name)


if __name__ == "__main__":
    browser.chromium()
    unittest.main()
