"""The explorer of a real report, as a reader meets it: by keyboard, in both languages, on a wide screen and a telephone,
and what it shows against transformers and `summand parts`. SUMMAND_PICTURES=FOLDER keeps pictures of it."""

import csv
import json
import os
import pathlib
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import browser
import numpy as np
import report_page_test as page
import summand_testing
import torch
import transformers

LAB = summand_testing.BIN / "summand-lab"
PAIR = ("The bank of the river was steep.", "The bank raised its rate.")
LONG = "one two three four five six seven eight nine ten " * 3
PANELS = ("shares", "decoded", "attention", "strength", "pairs")
STRENGTHS = (0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3)
BYTE = 0.005  # a weight of 1 is half a step of its root away, twice


class Explorer(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = summand_testing.minilm()
        if cls.model is None:
            raise unittest.SkipTest("no MiniLM here")
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.report = cls.folder / "report"
        words = [LAB, "--model", cls.model, "-o", cls.report, "--quick", "--only", "initialisation"]
        subprocess.run([*words, "--sentence", " ||| ".join(PAIR), "--sentence", LONG], check=True, capture_output=True)
        cls.saved = cls.folder / "saved"
        cls.saved.mkdir()
        cls.browser = cls.enterClassContext(browser.Browser())

    def setUp(self):
        self.browser.events.clear()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        asked = self.browser.requests()
        self.assertEqual([url for url in asked if not url.startswith(("file://", "data:", "blob:", "about:"))], [])

    def show(self, place="", language="en", width=page.WIDE, scheme="light", report=None):
        self.browser.screen(width, 900, scheme)
        self.browser.open("about:blank")
        self.browser.open(f"{((report or self.report) / 'index.html').as_uri()}#/{language}/explorer{place}")
        self.wait_for_panels()

    def wait_for_panels(self):
        self.browser.wait_for("document.querySelector('.plot') && [...document.querySelectorAll('.plot')].every((plot) => plot.dataset.state === 'drawn')")

    def evaluate(self, expression):
        return self.browser.evaluate(expression)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def focus(self, identifier):
        self.assertTrue(self.evaluate(f"(document.getElementById('{identifier}').focus(), document.activeElement.id === '{identifier}')"), identifier)

    def press(self, identifier, *keys):
        self.focus(identifier)
        for key in keys:
            self.browser.press(key)

    def address(self):
        return self.evaluate("decodeURIComponent(location.hash)")

    def save(self, name, kind):
        path = self.saved / f"{name}.{kind.lower()}"
        path.unlink(missing_ok=True)
        self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.saved))
        buttons = f"[...document.querySelectorAll('#figure-{name} .tools button')]"
        self.evaluate(f"{buttons}.find((button) => button.innerText === '{kind}').click()")
        deadline = browser.time.monotonic() + browser.PATIENCE_S
        while not (path.exists() and path.stat().st_size):
            self.assertLess(browser.time.monotonic(), deadline, f"{path.name} was not saved")
            self.evaluate("new Promise((done) => setTimeout(done, 50))")
        return path

    def rows(self, name):
        with open(self.save(name, "CSV"), encoding="utf-8") as file:
            return list(csv.DictReader(file))

    def values(self, length):
        return np.array([float(row["value"]) for row in self.rows("explorer-attention")]).reshape(length, length)

    def reference(self, strength=1):
        """transformers' model with that much of the position part, and the pair as its input."""
        model = transformers.BertModel.from_pretrained(self.model, attn_implementation="eager").double().eval()
        table = model.embeddings.position_embeddings.weight
        with torch.no_grad():
            table.copy_(table.mean(0) + strength * (table - table.mean(0)))
        tokens = transformers.BertTokenizerFast.from_pretrained(self.model)(*PAIR, return_tensors="pt")
        return model, tokens

    def test_every_panel_fits_every_screen_and_can_be_read(self):
        for language, width, scheme in page.VIEWS:
            for place in ("", "/1/layer-1_head-2_strength-1_show-logits-1-1_tokens-AB", "/2/layer-6_head-mean_strength-3"):
                with self.subTest(language=language, width=width, scheme=scheme, place=place):
                    self.show(place, language, width, scheme)
                    beyond = "(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.documentElement)"
                    self.assertEqual(self.evaluate(beyond), 0, "the page itself scrolls sideways")
                    self.assertEqual(self.evaluate(page.OVERLAPS), [])
                    self.assertEqual(self.evaluate(page.FAINT), [])
                    wider = "[...document.querySelectorAll('.plot')].filter((p) => p.scrollWidth > p.clientWidth + 1).length"
                    self.assertEqual(self.evaluate(wider), 0, "a picture is wider than its place")
                    self.assertEqual([self.evaluate(f"!!document.getElementById('figure-explorer-{name}')") for name in PANELS], [True] * 5)
                    if folder := os.environ.get("SUMMAND_PICTURES"):
                        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
                        name = f"explorer{place.replace('/', '-')}-{language}-{width}-{scheme}.png"
                        self.browser.picture(pathlib.Path(folder) / name)

    def test_the_keyboard_alone_picks_everything_and_the_address_keeps_it(self):
        self.show()
        self.assertEqual(self.text("nav a[aria-current=page]"), "Explorer")
        self.press("layer-next", "Enter", "Enter")
        self.assertEqual(self.evaluate("document.activeElement.id"), "layer-next")
        self.press("head-next", "Enter")
        self.evaluate("window.slider = document.getElementById('strength')")
        self.press("strength", "ArrowRight")
        self.assertTrue(self.evaluate("window.slider === document.activeElement"), "a finger on the slider would have lost it")
        self.assertIn("Strength of the position part: 1.5", self.text(".slider label"))
        self.assertEqual(self.evaluate("document.activeElement.getAttribute('aria-valuetext')"), "1.5")
        self.press("filter-AB", "Enter")
        self.assertEqual(self.evaluate("document.getElementById('filter-AB').getAttribute('aria-pressed')"), "true")
        self.assertIn("explorer/1/layer-3_head-2_strength-1.5_show-weights_tokens-AB_", self.address())
        first = sum(row[2] == 0 for row in self.sentence(0)["tokens"])
        second = len(self.sentence(0)["tokens"]) - first
        self.assertEqual(self.evaluate("document.querySelectorAll('[data-cell]').length"), first * second)
        self.assertIn("have an exact split", self.text("#attention-controls"))
        self.browser.call("Page.reload")
        self.browser.wait_for("document.getElementById('filter-AB')?.getAttribute('aria-pressed') === 'true'")
        self.browser.evaluate("document.querySelector('.languages a[lang=zh]').click()")
        self.browser.wait_for("document.documentElement.lang === 'zh-Hans'")
        self.wait_for_panels()
        self.assertIn("/zh/explorer/1/layer-3_head-2_strength-1.5_show-weights_tokens-AB_", self.address())
        self.press("sentence-next", "Enter")
        self.assertIn("/zh/explorer/2/layer-3_head-2_strength-1.5_show-weights_tokens-all_", self.address())
        self.assertEqual(self.evaluate("document.activeElement.id"), "sentence-next")
        self.assertIn("24", self.text(".explorer-bar .note"))

    def sentence(self, number):
        return self.evaluate(f"JSON.parse(document.getElementById('report').textContent).explorer.sentences[{number}]")

    def test_tab_reaches_every_control_and_shows_where_it_is(self):
        self.show()
        wanted = {"sentence", "strength", "layer", "head", "show", "filter-all", "pair-m", "pair-n"}
        self.evaluate("document.getElementById('main').focus()")
        seen = set()
        for _ in range(60):
            self.browser.press("Tab")
            seen.add(self.evaluate("document.activeElement.id || document.activeElement.closest('figure')?.id"))
            outline = "getComputedStyle(document.activeElement).outlineStyle"
            if self.evaluate("document.activeElement.closest('main') !== null"):
                self.assertNotEqual(self.evaluate(outline), "none", self.evaluate("document.activeElement.outerHTML.slice(0, 80)"))
        self.assertLessEqual(wanted | {f"figure-explorer-{name}" for name in PANELS}, seen)
        unnamed = "[...document.querySelectorAll('main select, main input, main button')].filter((e) => !e.labels?.length && !e.getAttribute('aria-label') && !e.innerText).length"
        self.assertEqual(self.evaluate(unnamed), 0)

    def test_a_cell_answers_to_the_pointer_and_to_the_arrow_keys(self):
        self.show("/1/layer-1_head-1")
        self.evaluate("document.querySelector('#figure-explorer-attention .plot').focus()")
        for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown"):
            self.browser.press(key)
        self.assertFalse(self.evaluate("document.getElementById('tip').hidden"))
        tip = self.text("#tip")
        for expected in ("1 the", "2 bank", "position → position", "weight"):
            self.assertIn(expected, tip)
        place = self.evaluate("(() => { const b = document.querySelector('[data-cell=\"3,4\"]').getBoundingClientRect(); return [b.left + b.width / 2, b.top + b.height / 2]; })()")
        self.browser.point_at(*place)
        self.browser.wait_for("document.getElementById('tip').innerText.includes('3 of')")
        self.browser.point_at(2, 2)
        self.browser.wait_for("document.getElementById('tip').hidden")

    def test_attention_at_every_strength_is_that_of_transformers(self):
        length = len(self.reference()[1]["input_ids"][0])
        for strength in STRENGTHS:
            model, tokens = self.reference(strength)
            with torch.no_grad():
                expected = model(**tokens, output_attentions=True).attentions
            for layer, head in ((1, 3), (6, 12)):
                with self.subTest(strength=strength, layer=layer, head=head):
                    self.show(f"/1/layer-{layer}_head-{head}_strength-{strength}")
                    of_layer = expected[layer - 1][0].numpy()
                    is_mean = layer > 1 and strength != 1  # the long sentence leaves no room for more
                    self.assertEqual("holds the mean over heads" in self.text("#attention-controls"), is_mean)
                    wanted = of_layer.mean(axis=0) if is_mean else of_layer[head - 1]
                    np.testing.assert_allclose(self.values(length), wanted, atol=BYTE)

    def test_logits_are_those_of_transformers_and_their_terms_add_up(self):
        model, tokens = self.reference()
        length = len(tokens["input_ids"][0])
        attention = model.encoder.layer[0].attention.self
        with torch.no_grad():
            state = model.embeddings(input_ids=tokens["input_ids"], token_type_ids=tokens["token_type_ids"])
            query, key = (part(state)[0, :, 64:96].numpy() for part in (attention.query, attention.key))  # head 3
        expected = query @ key.T / np.sqrt(32)
        self.show("/1/layer-1_head-3_show-logits")
        np.testing.assert_allclose(self.values(length), expected, atol=np.abs(expected).max() / 200)
        total = np.zeros_like(expected)
        largest = 0
        for q in range(4):
            for k in range(4):
                self.show(f"/1/layer-1_head-3_show-logits-{q}-{k}")
                term = self.values(length)
                largest += np.abs(term).max()
                total += term
        np.testing.assert_allclose(total, expected, atol=largest / 200)
        self.assertIn("logit common to common", self.rows("explorer-attention")[0]["shown"])

    def test_shares_are_those_of_summand_parts(self):
        path = self.folder / "pair.jsonl"
        path.write_text(json.dumps({"text": PAIR[0], "text_pair": PAIR[1]}) + "\n")
        command = [summand_testing.BIN / "summand", "parts", "--json", "--model", self.model, path]
        expected = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        self.show("/1")
        rows = self.rows("explorer-shares")
        self.assertEqual([row["token"] for row in rows], [token["token"] for token in expected["tokens"]])
        for row, token in zip(rows, expected["tokens"]):
            for name in ("token", "position", "segment", "common"):
                self.assertAlmostEqual(float(row[f"share_{name}"]), token["share"][name], delta=1e-4)
            for name in ("token", "position", "segment"):
                self.assertAlmostEqual(float(row[f"norm_{name}"]), token["norm"][name], delta=1e-3)
                self.assertAlmostEqual(float(row[f"centred_{name}"]), token["centred_norm"][name], delta=1e-3)

    def test_what_is_shown_is_saved_as_svg_png_and_csv(self):
        for name in PANELS:
            # Chromium lets a page save ten files without being asked to.
            self.show("/1/layer-2_head-1", "zh", page.NARROW, "dark")
            self.assertGreater(len(self.rows(f"explorer-{name}")), 5)
            if name == "decoded":
                continue
            drawn = xml.etree.ElementTree.parse(self.save(f"explorer-{name}", "SVG")).getroot()
            self.assertTrue(300 <= int(drawn.get("width")) <= 720)
            self.assertGreater(len(list(drawn.iter("{http://www.w3.org/2000/svg}text"))), 5)
            self.assertTrue(self.save(f"explorer-{name}", "PNG").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("注意力", self.text("#figure-explorer-attention h3"))

    def test_the_strength_changes_what_is_read_back(self):
        self.show("/1")
        count = len(self.sentence(0)["tokens"])
        self.assertIn(f"{count} of {count} sums", self.text("#figure-explorer-decoded .told"))
        self.press("strength", *["ArrowLeft"] * 4)
        self.assertIn(f"0 of {count} sums", self.text("#figure-explorer-decoded .told"))
        self.assertIn("✕", self.text("#figure-explorer-decoded table"))
        shares = self.rows("explorer-shares")
        self.assertEqual({float(row["share_position"]) for row in shares}, {0.0})
        strengths = self.rows("explorer-strength")
        self.assertEqual([float(row["strength"]) for row in strengths], list(STRENGTHS))
        self.assertEqual(float(strengths[4]["cosine"]), 1)

    def test_two_positions_are_those_of_the_table(self):
        table = self.reference()[0].embeddings.position_embeddings.weight.detach().numpy()
        rows = table - table.mean(0)
        self.show("/1/m-3_n-40")
        found = self.rows("explorer-pairs")
        self.assertEqual(len(found), 512)
        for n in (0, 3, 40, 511):
            product = rows[3] @ rows[n]
            self.assertAlmostEqual(float(found[n]["inner_product"]), product, delta=2e-3)
            self.assertAlmostEqual(float(found[n]["cosine"]), product / np.linalg.norm(rows[3]) / np.linalg.norm(rows[n]), delta=1e-4)
            self.assertAlmostEqual(float(found[n]["distance"]), np.linalg.norm(rows[3] - rows[n]), delta=2e-2 if n == 3 else 2e-3)
        mean = np.mean([rows[i] @ rows[i + 37] for i in range(512 - 37)])
        self.assertAlmostEqual(float(found[40]["mean_at_distance"]), mean, delta=1e-4)
        self.assertIn("37", self.text(".pair-numbers"))
        self.press("pair-n", "ArrowUp")
        self.assertIn("_m-3_n-41", self.address())
        self.assertEqual(self.evaluate("document.querySelectorAll('.heads tbody tr').length"), 12)

    def test_a_table_alone_has_positions_and_says_what_is_missing(self):
        table = self.folder / "table.npy"
        np.save(table, np.cumsum(np.random.default_rng(1).normal(size=(60, 12)), axis=0).astype(np.float32))
        report = self.folder / "table"
        words = [LAB, "--table", table, "-o", report, "--quick", "--only", "initialisation"]
        subprocess.run(words, check=True, capture_output=True)
        for width in (page.WIDE, page.NARROW):
            self.show("/1/m-2_n-59", width=width, report=report)
            self.assertIn("position table alone", self.text("main"))
            self.assertEqual(self.evaluate("document.querySelectorAll('figure').length"), 1)
        self.assertEqual(len(self.rows("explorer-pairs")), 60)
        refused = subprocess.run([*words, "--sentence", "a"], capture_output=True, text=True)
        self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1))
        self.assertIn("expected --sentence beside --model", refused.stderr)

    def test_wrong_sentences_are_refused_before_anything_is_computed(self):
        for sentence, expected in (("a ||| b ||| c", "got more than two texts"), (" ", "got an empty text")):
            words = [LAB, "--model", self.model, "-o", self.folder / "absent", "--sentence", sentence]
            refused = subprocess.run(words, capture_output=True, text=True)
            self.assertEqual((refused.returncode, refused.stderr.count("\n")), (2, 1), refused.stderr)
            self.assertIn(expected, refused.stderr)
        self.assertFalse((self.folder / "absent").exists())


if __name__ == "__main__":
    browser.chromium()
    unittest.main()
