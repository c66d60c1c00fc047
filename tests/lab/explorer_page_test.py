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
PANELS = ("shares", "decoded", "heads", "attention", "strength", "pairs")
STRENGTHS = (0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3)
BYTE = 0.005  # a weight of 1 is half a step of its root away, twice
LEAST_DRAWN = 0.005  # explorer_heads.js has it: fainter lines are left out

# What a reader stumbles over: lists that have to be empty.
MISFITS = {
    "the page itself scrolls sideways": "(({scrollWidth, clientWidth}) => (scrollWidth > clientWidth ? [scrollWidth - clientWidth] : []))(document.documentElement)",
    "texts lie over one another": page.OVERLAPS,
    "texts are faint": page.FAINT,
    "a picture or a table is wider than its place": "[...document.querySelectorAll('.plot, .scroll')].filter((p) => p.scrollWidth > p.clientWidth + 1).map((p) => p.closest('figure').id)",
    "something is cut at the figure's edge": "[...document.querySelectorAll('figure *')].filter((e) => e.checkVisibility() && e.getBoundingClientRect().width && e.getBoundingClientRect().right > e.closest('figure').getBoundingClientRect().right + 1).map((e) => e.outerHTML.slice(0, 60))",
    "a text is cut at its picture's edge": "[...document.querySelectorAll('.plot svg text')].filter((e) => { const [a, b] = [e, e.ownerSVGElement].map((each) => each.getBoundingClientRect()); return a.width && (a.right > b.right + 1 || a.left < b.left - 1); }).map((e) => e.textContent)",
}


class Page(unittest.TestCase):
    """A page in `browser`, whose files are saved in the folder `saved`; nothing is asked from outside."""

    def setUp(self):
        self.browser.events.clear()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        asked = self.browser.requests()
        self.assertEqual([url for url in asked if not url.startswith(("file://", "data:", "blob:", "about:"))], [])

    def wait_for_panels(self):
        self.browser.wait_for("document.querySelector('.plot') && [...document.querySelectorAll('.plot')].every((plot) => plot.dataset.state === 'drawn')")

    def evaluate(self, expression):
        return self.browser.evaluate(expression)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

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


class Explorer(Page):
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

    def show(self, place="", language="en", width=page.WIDE, scheme="light", report=None):
        self.browser.screen(width, 900, scheme)
        self.browser.open("about:blank")
        self.browser.open(f"{((report or self.report) / 'index.html').as_uri()}#/{language}/explorer{place}")
        self.wait_for_panels()

    def focus(self, identifier):
        self.assertTrue(self.evaluate(f"(document.getElementById('{identifier}').focus(), document.activeElement.id === '{identifier}')"), identifier)

    def press(self, identifier, *keys):
        self.focus(identifier)
        for key in keys:
            self.browser.press(key)

    def address(self):
        return self.evaluate("decodeURIComponent(location.hash)")

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
            for place in ("", "/1/layer-1_head-2_strength-1_show-logits-1-1_tokens-AB_heads-2.7", "/2/layer-6_head-mean_strength-3"):
                with self.subTest(language=language, width=width, scheme=scheme, place=place):
                    self.show(place, language, width, scheme)
                    for what, found in MISFITS.items():
                        self.assertEqual(self.evaluate(found), [], what)
                    self.assertEqual([self.evaluate(f"!!document.getElementById('figure-explorer-{name}')") for name in PANELS], [True] * len(PANELS))
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
        wanted = {"sentence", "strength", "layer", "head", "show", "filter-all", "pair-m", "pair-n", "view-layer", "view-all", "view-special", "view-head-1", "view-head-12", "view-heads-none"}
        self.evaluate("document.getElementById('main').focus()")
        seen = set()
        for _ in range(110):
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
        self.browser.focus("#figure-explorer-attention .plot")
        for key in ("ArrowDown", "ArrowRight", "ArrowRight", "ArrowDown"):
            self.browser.press(key)
        self.assertFalse(self.evaluate("document.getElementById('tip').hidden"))
        tip = self.text("#tip")
        for expected in ("1 the", "2 bank", "position → position", "weight"):
            self.assertIn(expected, tip)
        self.browser.point_at(*self.middle('[data-cell="3,4"]'))
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
                    self.assertEqual("holds only the mean over" in self.text("#attention-controls"), is_mean)
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
        *rows, between, without = self.rows("explorer-shares")
        for row, whole in ((between, "share_between_tokens"), (without, "share_between_tokens_without_special")):
            for name in ("token", "position", "segment", "common"):
                self.assertAlmostEqual(float(row[f"share_{name}"]), expected[whole][name], delta=1e-4)
        self.assertNotAlmostEqual(float(between["share_position"]), float(without["share_position"]), delta=0.01)
        self.assertIn("without [CLS] and [SEP]", without["token"])
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
        self.assertIn(f"after normalisation, 0 of {count}", self.text("#figure-explorer-decoded .told"))
        self.assertIn("✕", self.text("#figure-explorer-decoded table"))
        shares = self.rows("explorer-shares")
        self.assertEqual({float(row["share_position"]) for row in shares}, {0.0})
        strengths = self.rows("explorer-strength")
        self.assertEqual([float(row["strength"]) for row in strengths], list(STRENGTHS))
        self.assertEqual(float(strengths[4]["cosine"]), 1)

    def test_what_is_read_back_after_normalisation_follows_the_strength_too(self):
        wrong = {}
        for strength in STRENGTHS:
            self.show(f"/1/strength-{strength}")
            rows = self.rows("explorer-decoded")
            self.assertEqual({float(row["strength"]) for row in rows}, {strength})
            wrong[strength] = [row["normalised_read_back"] == "false" for row in rows]
            for row in rows:
                self.assertEqual(row["normalised_read_back"] == "true", float(row["normalised_margin"]) > 0)
                self.assertEqual(row["read_back"] == "true", float(row["margin"]) > 0)
                own = f"{row['token']} · {row['position']} · {'AB'[int(row['segment'])]}"
                self.assertEqual(row["normalised_read_back"] == "true", row["normalised_nearest"] == own)
            if strength == 0:
                self.assertEqual([row["read_back"] for row in rows], [row["normalised_read_back"] for row in rows])
                shown = self.evaluate("[...document.querySelectorAll('.decoded tbody tr')].map((row) => [row.cells[1], row.cells[4]].map((cell) => cell.innerText.includes('itself')))")
                self.assertEqual(shown, [[False, False]] * len(rows))
        self.assertTrue(all(wrong[0]))
        self.assertFalse(any(wrong[1]))
        self.assertTrue(any(wrong[3]))

    def test_the_margin_after_normalisation_is_that_of_a_search_through_all_combinations(self):
        embeddings = self.reference()[0].embeddings
        names = ("word_embeddings", "position_embeddings", "token_type_embeddings")
        words, positions, segments = (getattr(embeddings, name).weight.detach().numpy() for name in names)
        level = lambda rows: rows - rows.mean(axis=-1, keepdims=True)
        tokens = level(words).astype(np.float32)
        joint = level((positions[:, None] + segments[None]).reshape(-1, words.shape[1])).astype(np.float32)  # position · segment
        lengths = np.sqrt((tokens**2).sum(1)[:, None] + (joint**2).sum(1)[None] + 2 * tokens @ joint.T)
        for strength in (0.25, 2, 3):
            self.show(f"/1/strength-{strength}")
            for row, (word, place, segment) in zip(self.rows("explorer-decoded"), self.sentence(0)["tokens"]):
                x = level(words[word] + segments[segment] + positions.mean(0) + strength * (positions[place] - positions.mean(0)))
                x = (x / np.linalg.norm(x)).astype(np.float32)
                cosines = ((tokens @ x)[:, None] + (joint @ x)[None]) / lengths
                own = np.sqrt(2 - 2 * cosines[word, 2 * place + segment])
                cosines[word, 2 * place + segment] = -1
                nearest = np.sqrt(2 - 2 * cosines.max())
                self.assertAlmostEqual(float(row["normalised_margin"]), nearest - own, delta=1e-3, msg=f"{strength} {row['token']}")

    def test_the_captions_say_what_sums_are_read_with(self):
        self.show("/1")
        self.assertIn("unchanged tables", self.text("#figure-explorer-decoded figcaption"))
        self.assertIn("on both sides of strength 1 by construction", self.text("#figure-explorer-decoded figcaption"))
        self.assertIn("without [CLS] and [SEP]", self.text("#figure-explorer-shares figcaption"))
        self.show("/1/m-4_n-8", "zh")
        count = len(self.sentence(0)["tokens"])
        self.assertIn("原样各表", self.text("#figure-explorer-decoded figcaption"))
        self.assertIn("不计 [CLS] 与 [SEP]", self.text("#figure-explorer-shares figcaption"))
        self.assertTrue(self.text("#figure-explorer-decoded .told").startswith(f"强度为 1 时，{count} 个和全部读回自身"))
        self.assertIn("与位置 m = 4 的内积", self.evaluate("document.querySelector('#figure-explorer-pairs svg').textContent"))
        self.press("strength", "ArrowLeft", "ArrowLeft")
        self.assertRegex(self.text("#figure-explorer-decoded .told"), rf"^强度为 0.5 时，{count} 个和中有 \d+ 个读回自身")
        self.press("strength", "ArrowLeft", "ArrowLeft")
        self.assertTrue(self.text("#figure-explorer-decoded .told").startswith(f"强度为 0 时，{count} 个和无一读回自身"))

    def lines(self):
        """[query, key, head, opacity, colour] of every line that is seen."""
        return self.evaluate("[...document.querySelectorAll('[data-line]:not([visibility=hidden])')].map((line) => [...line.dataset.line.split(',').map(Number), line.dataset.head, Number(line.getAttribute('stroke-opacity')), line.getAttribute('stroke')])")

    def pressed(self):
        return self.evaluate("[...document.querySelectorAll('.head-square[aria-pressed=true]')].map((square) => Number(square.innerText))")

    def middle(self, selector):
        left, top, width, height = self.browser.bring_into_view(selector)
        return left + width / 2, top + height / 2

    def double_click(self, selector):
        x, y = self.middle(selector)
        for count in (1, 2):
            for kind in ("mousePressed", "mouseReleased"):
                self.browser.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=count)

    def test_the_head_view_has_a_line_for_every_weight(self):
        model, tokens = self.reference()
        with torch.no_grad():
            expected = model(**tokens, output_attentions=True).attentions[1][0].numpy()
        self.show("/1/layer-2_heads-3.11")
        lines = self.lines()
        colours = {head: {colour for _, _, each, _, colour in lines if each == head} for head in ("3", "11")}
        self.assertEqual([len(found) for found in colours.values()], [1, 1])
        self.assertNotEqual(colours["3"], colours["11"])
        for head in (3, 11):
            drawn = {(i, j): opacity for i, j, each, opacity, _ in lines if each == str(head)}
            for (i, j), weight in np.ndenumerate(expected[head - 1]):
                if (i, j) in drawn:
                    self.assertAlmostEqual(drawn[i, j], weight, delta=BYTE + 0.0005)
                else:
                    self.assertLess(weight, LEAST_DRAWN + BYTE)
            self.assertGreater(len(drawn), 50)
        rows = self.rows("explorer-heads")
        self.assertEqual(len(rows), 2 * expected.shape[1] ** 2)
        for row in rows:
            weight = expected[int(row["head"]) - 1, int(row["query_position"]), int(row["key_position"])]
            self.assertAlmostEqual(float(row["weight"]), weight, delta=BYTE)

    def test_a_filter_leaves_lines_between_those_sentences_only(self):
        self.show("/1/layer-1_heads-1.2")
        segments = [segment for _, _, segment in self.sentence(0)["tokens"]]
        every = {(segments[i], segments[j]) for i, j, *_ in self.lines()}
        self.assertEqual(every, {(0, 0), (0, 1), (1, 0), (1, 1)})
        for name, wanted in (("AB", (0, 1)), ("BA", (1, 0)), ("AA", (0, 0)), ("BB", (1, 1))):
            self.press(f"view-{name}", "Enter")
            self.assertEqual(self.evaluate("document.activeElement.id"), f"view-{name}")
            self.assertEqual({(segments[i], segments[j]) for i, j, *_ in self.lines()}, {wanted})
            self.assertIn(f"_tokens-{name}_", self.address())
        self.assertEqual({(row["query_segment"], row["key_segment"]) for row in self.rows("explorer-heads")}, {("1", "1")})
        self.show("/2/tokens-AB")
        self.assertEqual(self.evaluate("document.querySelectorAll('#view-AB, #filter-AB').length"), 0)
        self.assertGreater(len(self.lines()), 50)

    def test_heads_are_switched_one_by_one_and_alone(self):
        self.show("/1/layer-1")
        self.assertEqual(self.pressed(), list(range(1, 13)))
        self.press("view-head-2", "Enter")
        self.assertEqual(self.pressed(), [1, *range(3, 13)])
        self.assertEqual({head for _, _, head, *_ in self.lines()}, {str(head) for head in self.pressed()})
        self.assertEqual(self.evaluate("document.activeElement.id"), "view-head-2")
        self.browser.click(*self.middle("#view-head-2"))
        self.assertEqual(self.pressed(), list(range(1, 13)))
        self.double_click("#view-head-5")
        self.assertEqual(self.pressed(), [5])
        self.assertEqual({head for _, _, head, *_ in self.lines()}, {"5"})
        self.assertIn("_heads-5_", self.address())
        self.double_click("#view-head-5")
        self.assertEqual(self.pressed(), list(range(1, 13)))
        self.focus("view-head-7")
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if kind == "keyDown" else {}
            self.browser.call("Input.dispatchKeyEvent", type=kind, key="Enter", code="Enter", windowsVirtualKeyCode=13, modifiers=8, **text)
        self.assertEqual(self.pressed(), [7])
        self.press("view-heads-none", "Enter")
        self.assertEqual((self.pressed(), self.lines()), ([], []))
        self.assertIn("No head is switched on", self.text(".view-told"))

    def test_a_token_shows_its_own_lines_and_weights_by_key_and_by_pointer(self):
        self.show("/1/layer-1_heads-1.4")
        weights = "[...document.querySelectorAll('#figure-explorer-heads .weight')].map((text) => text.textContent).filter(Boolean).map(Number)"
        everything = len(self.lines())
        self.assertEqual(self.evaluate(weights), [])
        self.browser.focus("#figure-explorer-heads .plot")
        for key in ("ArrowDown", "ArrowDown", "ArrowDown"):
            self.browser.press(key)
        self.assertEqual({i for i, *_ in self.lines()}, {2})
        self.assertEqual(len(self.evaluate(weights)), len(self.sentence(0)["tokens"]))
        self.assertAlmostEqual(sum(self.evaluate(weights)), 1, delta=0.1)  # two digits each
        self.assertIn("2 bank looks most at: ", self.text(".view-told"))
        self.browser.press("ArrowRight")
        self.assertEqual({j for _, j, *_ in self.lines()}, {2})
        self.assertIn("2 bank is looked at most by: ", self.text(".view-told"))
        self.evaluate("document.activeElement.blur()")
        self.assertEqual(len(self.lines()), everything)
        self.browser.point_at(*self.middle("[data-token='1,4'] text"))
        self.browser.wait_for("!!document.querySelector('[data-line][visibility=hidden]')")
        self.assertEqual({j for _, j, *_ in self.lines()}, {4})
        self.browser.point_at(2, 2)
        self.browser.wait_for("!document.querySelector('[data-line][visibility=hidden]')")

    def test_the_address_keeps_the_head_view(self):
        self.show()
        self.press("view-layer-next", "Enter", "Enter")
        self.evaluate("document.getElementById('view-special').click()")
        self.assertEqual(self.evaluate("document.activeElement.id"), "view-layer-next")
        self.press("view-BA", "Enter")
        self.double_click("#view-head-3")
        self.press("view-head-6", "Enter")
        address, before = self.address(), self.lines()
        self.assertTrue(address.endswith("_heads-3.6_special-hidden"), address)
        self.assertNotIn("[CLS]", self.evaluate("document.querySelector('#figure-explorer-heads svg').textContent"))
        self.browser.call("Page.reload")
        self.browser.wait_for("document.getElementById('view-BA')?.getAttribute('aria-pressed') === 'true'")
        self.wait_for_panels()
        self.assertEqual(self.address(), address)
        self.assertEqual(self.pressed(), [3, 6])
        self.assertFalse(self.evaluate("document.getElementById('view-special').checked"))
        self.assertEqual(self.evaluate("document.getElementById('view-layer').value"), "2")
        self.assertEqual(self.lines(), before)
        self.evaluate("document.getElementById('view-special').click()")
        self.press("view-all", "Enter")
        self.assertIn("[CLS]", self.evaluate("document.querySelector('#figure-explorer-heads svg').textContent"))

    def test_where_only_means_are_held_the_head_view_says_so(self):
        self.show("/1/layer-3_strength-2")  # the long sentence leaves no room for more
        self.assertEqual({head for _, _, head, *_ in self.lines()}, {"mean"})
        self.assertIn("holds only the mean over", self.text(".view-told"))
        self.assertTrue(self.evaluate("document.getElementById('view-head-1').disabled"))

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
        told = [float(page.read_number(cell)) for cell in self.evaluate("[...document.querySelectorAll('.heads tbody tr:first-child td')].map((cell) => cell.innerText)")]
        saved = [float(found[40][f"head_1_{way}"]) for way in ("m_looks_at_n", "n_looks_at_m")]
        np.testing.assert_allclose(saved, told, rtol=0.006)
        self.assertEqual(found[511]["head_1_m_looks_at_n"], "")
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
