"""The report's page as a reader meets it: opened from disk in headless Chromium, in both languages, on a wide screen
and a telephone, in light and in dark, by pointer and by keyboard. SUMMAND_PICTURES=FOLDER keeps pictures of it."""

import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import browser
import summand_testing

PROBE = summand_testing.BIN / "report_probe"
WIDE, NARROW = 1280, 390  # pixels: a laptop, a telephone
VIEWS = (("en", WIDE, "light"), ("zh", WIDE, "dark"), ("zh", NARROW, "light"), ("en", NARROW, "dark"))
PAGES = ("short", "verdicts", "question/component-curves", "question/taking-apart", "question/distance", "calibration", "glossary",
         "about")

# Texts of a figure that lie over one another, as the reader sees them: their boxes share more than a pixel.
OVERLAPS = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.plot svg')) {
    const texts = [...svg.querySelectorAll('text')].filter((t) => t.textContent && getComputedStyle(t).opacity !== '0');
    const boxes = texts.map((t) => t.getBoundingClientRect()).map((b, i) => [b, texts[i]]).filter(([b]) => b.width);
    boxes.forEach(([a, one], i) => boxes.slice(i + 1).forEach(([b, other]) => {
      const wide = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const high = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (wide > 1 && high > 2) found.push(`${one.textContent} / ${other.textContent}`);
    }));
  }
  return found;
})()"""

# Contrast of what is written (WCAG 2.2): text against the nearest painted ground.
FAINT = """(() => {
  const numbers = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const linear = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  const luminance = (colour) => colour.slice(0, 3).map((c) => linear(c / 255))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const colour = numbers(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour;
    }
    return [255, 255, 255];
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility() || node.closest('script')) continue;
    const style = getComputedStyle(node);
    const ink = node.closest('svg') ? numbers(style.fill) : numbers(style.color);
    if (ink.length < 3) continue;
    const behind = ground(node.closest('svg')?.parentElement ?? node);
    const [light, dark] = [luminance(ink), luminance(behind)].sort((a, b) => b - a);
    const contrast = (light + 0.05) / (dark + 0.05);
    if (contrast < 4.5) found.push(`${walker.currentNode.textContent.trim().slice(0, 40)}: ${contrast.toFixed(2)}`);
  }
  return [...new Set(found)];
})()"""


def read_number(text):
    """What the page shows for a number: −1.23×10⁻⁵."""
    plain = text.translate(str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")).replace("×10", "e")
    return float(plain)


class ReportPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.folder = pathlib.Path(cls.scratch)
        subprocess.run([PROBE, cls.folder, "svg", "png"], check=True)
        cls.browser = cls.enterClassContext(browser.Browser())

    def setUp(self):
        self.browser.events.clear()

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        asked = self.browser.requests()
        self.assertEqual([url for url in asked if not url.startswith(("file://", "data:", "blob:", "about:"))], [])

    def show(self, page, language="en", width=WIDE, scheme="light"):
        self.browser.screen(width, 900, scheme)
        self.browser.open("about:blank")
        self.browser.open(f"{(self.folder / 'index.html').as_uri()}#/{language}/{page}")
        self.wait_for_figures()

    def wait_for_figures(self):
        self.browser.wait_for("[...document.querySelectorAll('.plot')].every((plot) => plot.dataset.state)")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('.plot[data-state=failed]').length"), 0)

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? null")

    def count(self, selector):
        return self.browser.evaluate(f"document.querySelectorAll({json.dumps(selector)}).length")

    def point_at(self, selector, x=0.5, y=0.5):
        left, top, width, height = self.browser.bring_into_view(selector)
        place = left + x * width, top + y * height
        self.browser.point_at(*place)
        return place

    def click(self, selector):
        self.browser.click(*self.point_at(selector))

    def test_every_page_fits_every_screen_and_can_be_read(self):
        for page in PAGES:
            for language, width, scheme in VIEWS:
                with self.subTest(page=page, language=language, width=width, scheme=scheme):
                    self.show(page, language, width, scheme)
                    beyond = "(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.documentElement)"
                    self.assertEqual(self.browser.evaluate(beyond), 0, "the page itself scrolls sideways")
                    self.assertEqual(self.browser.evaluate(OVERLAPS), [])
                    self.assertEqual(self.browser.evaluate(FAINT), [])
                    wider = "[...document.querySelectorAll('.plot')].some((p) => p.scrollWidth > p.clientWidth + 1)"
                    self.assertFalse(self.browser.evaluate(wider), "a figure is wider than its place")
                    self.keep_picture(f"{page.replace('/', '-')}-{language}-{width}-{scheme}")

    def keep_picture(self, name):
        if folder := os.environ.get("SUMMAND_PICTURES"):
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            self.browser.picture(pathlib.Path(folder) / f"{name}.png")

    def test_the_verdict_page_has_a_row_for_every_claim(self):
        results = json.loads((self.folder / "results.json").read_text())
        self.show("verdicts")
        self.assertNotIn("Simon 2024", self.text("main"))  # folded
        self.browser.evaluate("document.querySelectorAll('main details').forEach((details) => { details.open = true; })")
        for claim in results["claims"]:
            row = self.text(f'tbody[data-claim="{claim["id"]}"]')
            self.assertIn(claim["observation"], row)
            self.assertIn(claim["inference"], row)
            if claim["observation"] == "not measured":
                self.assertIn(claim["reason"], row)
        row = self.text('tbody[data-claim="E1"]')
        for expected in ("204 [187, 222]", "96.4 [12.0, 312]", "200", "Simon 2024", "+ 3 more"):
            self.assertIn(expected, re.sub(r"\s+", " ", row))
        self.assertIn("0123456789abcdef", self.text("main"))
        self.assertIn("on this checkpoint", self.text("thead").lower())
        decided = re.sub(r"\s+", " ", self.text('tbody[data-claim="E3"]'))
        for expected in ("3459 operations, over the sum's", "2.13", "+ 1 more"):
            self.assertIn(expected, decided)
        self.assertNotIn("0.988", decided)

    def test_a_hyphen_before_a_number_is_shown_as_a_minus_but_for_code_and_names(self):
        for language in ("en", "zh"):
            self.show("question/component-curves", language)
            text = self.text("main")
            self.assertIn("−0.94 (−.5)", text)
            for kept in ("GPT-2", "0-512", "p[-1]", "1e-3"):
                self.assertIn(kept, text)

    def test_what_the_run_was_of_is_said_in_the_readers_language(self):
        for language, expected in (("en", ("layers", "english (built in)", "Warning\t31\u00a0% of the corpus' tokens")),
                                   ("zh", ("层数", "english（内置）", "注意\t语料的词元中 31%"))):  # fmt: skip
            self.show("about", language)
            for text in expected:
                self.assertIn(text, self.text("main"))

    def test_choosing_a_verdict_narrows_the_table(self):
        self.show("verdicts")
        self.click(".filter button:nth-child(3)")
        rows = "[...document.querySelectorAll('tbody[data-claim]')].map((row) => row.dataset.claim)"
        self.assertEqual(self.browser.evaluate(rows), ["E2"])
        self.click(".filter button:nth-child(1)")
        self.assertEqual(self.count("tbody[data-claim]"), 8)

    def test_the_language_switch_keeps_the_page_and_is_remembered(self):
        self.show("question/component-curves")
        self.assertEqual(self.text("h1"), "Do components follow position?")
        axis = "[...document.querySelectorAll('.plot text')].map((t) => t.textContent)"
        self.assertIn("position", self.browser.evaluate(axis))
        self.click(".languages a[lang=zh]")
        self.browser.wait_for("document.documentElement.lang === 'zh-Hans'")
        self.wait_for_figures()
        self.assertEqual(self.text("h1"), "主成分随位置变化吗？")
        self.assertIn("位置", self.browser.evaluate(axis))
        self.assertNotIn("position", self.browser.evaluate(axis))
        self.browser.call("Page.reload")
        self.browser.wait_for("document.querySelector('h1')?.innerText === '主成分随位置变化吗？'")
        self.wait_for_figures()

    def test_every_tab_opens_by_pointer_and_by_keyboard(self):
        self.show("verdicts")
        titles = self.browser.evaluate("[...document.querySelectorAll('nav a')].map((a) => a.innerText)")
        self.assertEqual(len(titles), len(PAGES))
        for i, title in enumerate(titles):
            self.browser.evaluate("document.activeElement.blur()")
            self.browser.evaluate(f"document.querySelectorAll('nav a')[{i}].focus()")
            self.browser.press("Enter")
            self.browser.wait_for(f"document.querySelector('h1').innerText === {json.dumps(title)}", title)
            self.wait_for_figures()
            self.assertEqual(self.text("nav a[aria-current=page]"), title)

    def test_the_keyboard_alone_reaches_the_content(self):
        self.show("verdicts")
        self.browser.press("Tab")
        self.assertEqual(self.browser.evaluate("document.activeElement.id"), "skip")
        self.browser.press("Enter")
        self.assertEqual(self.browser.evaluate("document.activeElement.id"), "main")
        self.browser.press("Tab")
        self.assertEqual(self.browser.evaluate("document.activeElement.closest('main') !== null"), True)

    def test_a_question_opens_with_the_sentence_and_the_answer_before_any_number(self):
        self.show("question/component-curves")
        order = self.browser.evaluate(
            "[...document.querySelectorAll('main > blockquote, main > .answer, main > figure, main > .card')]"
            ".map((part) => part.className || part.tagName)"
        )
        self.assertEqual(order[:3], ["BLOCKQUOTE", "answer", "FIGURE"])
        self.assertEqual(order[-3:], ["card"] * 3)
        quote = self.text("blockquote")
        for expected in ("可以看到前两个主成分随位置呈现出周期性变化。", "document 002", "line 45", "github.com/Lintianqianjin"):
            self.assertIn(expected, quote)
        self.assertIn("0123456789abcdef", self.text(".answer"))
        whole = self.text("main")
        for expected in ("Rule for the observation", "Rule for the inference", "holds if the number exceeds",
                         "Definition", "Null", "Positive control", "Source", "Remarks", "Left out",
                         "180 of 200 bootstrap draws", "--only component-curves"):
            self.assertIn(expected, whole)
        self.assertIs(self.browser.evaluate("window.broken ?? null"), None)

    def test_a_word_that_a_term_shares_with_plain_language_is_no_link(self):
        for language, unlinked, cosine in (("en", "kind", "and the "), ("zh", "类别", "以及两行的")):
            self.show("question/component-curves", language)
            links = self.browser.evaluate("""[...document.querySelectorAll('main dd a.term')].map((link) =>
                [link.getAttribute('href').split('/').pop(), link.previousSibling?.textContent ?? ''])""")
            before = dict(links)
            self.assertNotIn("kind", before)
            self.assertTrue(before["cosine"].endswith(cosine), before["cosine"])
            self.assertIn(unlinked, self.text("main"))
            if language == "zh":
                self.assertTrue(before["permutation"].endswith("其次序的"), before["permutation"])
            labels = self.browser.evaluate("[...document.querySelectorAll('.card .badges a.term')].map((link) => link.getAttribute('href').split('/').pop())")
            self.assertEqual(labels[:2], ["observation", "inference"])

    def test_a_claim_has_an_address_of_its_own(self):
        self.show("question/component-curves/E3")
        self.browser.wait_for("document.activeElement.id === 'claim-E3'")
        top = self.browser.evaluate("document.getElementById('claim-E3').getBoundingClientRect().top")
        self.assertTrue(0 <= top < 400, top)

    def test_the_calibration_has_a_row_for_every_rule_with_what_was_planted(self):
        self.show("calibration")
        row = re.sub(r"\s+", " ", self.text("#calibration-E1"))
        for expected in ("1.00 [0.91, 1.00] full, 40/40", "0.96 [0.90, 0.98] quick, 96/100", "0.02 [0.01, 0.07] quick, 2/100",
                         "0.80 [0.58, 0.92] quick, 16/20", "threshold 0.400, 0.700", "white noise 192 x 48"):
            self.assertIn(expected, row)
        self.assertNotIn("another rule", row)
        self.assertIn("another rule", self.text("#calibration-0\\.1"))
        self.assertIn("compared with its null", self.text("#calibration-0\\.1"))
        self.assertIn("nothing true can be planted", self.text("#calibration-4\\.1"))
        self.assertIn("a question, which has no verdict", self.text("#calibration-E3"))
        # A quick run's page shows where the number lay by quick draws.
        said = self.browser.evaluate("document.querySelector('#calibration-E1 .strip').getAttribute('aria-label')")
        self.assertEqual(said, "median 0.900, 95\u00a0% from 0.710 … 0.990")

    def test_a_strip_says_what_decides_beside_it_and_that_its_axis_is_logarithmic(self):
        for language, also, axis in (("en", "not shown, but also decides: the median row's kurtosis", "logarithmic axis"),
                                     ("zh", "未画出但同样参与判定：中位行的峰度", "对数坐标轴")):  # fmt: skip
            self.show("calibration", language)
            linear, wide = self.text("#calibration-E1"), self.text('[id="calibration-0.1"]')
            self.assertIn(also, linear)
            self.assertNotIn(axis, linear)
            self.assertIn(axis, wide)

    def test_a_strip_lies_where_its_numbers_are(self):
        self.show("calibration")
        places = self.browser.evaluate(
            "[...document.querySelectorAll('#calibration-E1 .planted:not(.ends) .strip')].map((strip) => {"
            " const box = strip.getBoundingClientRect();"
            " const at = (name) => [...strip.querySelectorAll(name)].map((part) => {"
            "  const b = part.getBoundingClientRect(); return [b.left, b.right].map((x) => (x - box.left) / box.width); });"
            " return {most: at('.most')[0], middle: at('.middle')[0], thresholds: at('.threshold')}; })"
        )
        low, high = 0.02, 0.99
        share = lambda value: (value - low) / (high - low)
        for part, (lowest, middle, highest) in zip(places, ((0.71, 0.9, 0.99), (0.02, 0.15, 0.6))):
            self.assertAlmostEqual(part["most"][0], share(lowest), delta=0.01)
            self.assertAlmostEqual(part["most"][1], share(highest), delta=0.01)
            self.assertAlmostEqual(sum(part["middle"]) / 2, share(middle), delta=0.01)
            for (left, _), threshold in zip(part["thresholds"], (0.4, 0.7)):
                self.assertAlmostEqual(left, share(threshold), delta=0.01)

    def test_a_card_leads_to_its_rule_s_calibration(self):
        self.show("question/component-curves/E1")
        card = self.text("#claim-E1")
        self.assertIn("Planted truths: “holds” where true 96/100 · where false 2/100 · seeds agree 16/20", card)
        self.click("#claim-E1 a[href$='calibration/E1']")
        self.browser.wait_for("document.activeElement.id === 'calibration-E1'")
        self.show("question/component-curves/E3")
        self.assertIn("a question, which has no verdict", self.text("#claim-E3"))

    def test_a_figure_answers_to_the_pointer(self):
        self.show("question/component-curves")
        self.point_at("#figure-shares .mark-rect path:first-child")
        self.browser.wait_for("!document.getElementById('tip').hidden")
        self.assertEqual(re.split(r"\s*[\t\n]\s*", self.text("#tip")), ["part of the sum", "token", "share", "0.812"])
        self.browser.point_at(5, 5)
        self.browser.wait_for("document.getElementById('tip').hidden")

    def test_a_matrix_answers_to_the_pointer_and_to_the_arrow_keys(self):
        lines = (self.folder / "figures/position-table.csv").read_text().splitlines()
        cells = [line.split(",")[1:] for line in lines[1:]]
        self.show("question/component-curves")
        for x, y in ((0.001, 0.001), (0.5, 0.25), (0.999, 0.999)):
            self.point_at("#figure-position-table .mark-image image", x, y)
            self.browser.wait_for("!document.getElementById('tip').hidden")
            _, row, _, column, _, value = re.split(r"\s*[\t\n]\s*", self.text("#tip"))
            self.assertAlmostEqual(int(row), y * 512, delta=1.5)
            self.assertAlmostEqual(int(column), x * 384, delta=1.5)
            # Three digits are shown, of sixteen bits.
            self.assertAlmostEqual(read_number(value), float(cells[int(row)][int(column)]), delta=0.006)
        self.browser.focus("#figure-position-table .plot")
        for key in ("ArrowLeft", "ArrowUp", "ArrowDown"):
            self.browser.press(key)
        self.assertEqual(re.split(r"\s*[\t\n]\s*", self.text("#tip"))[:4], ["position", "511", "dimension", "382"])

    def test_figures_follow_the_scheme_and_the_width(self):
        self.show("question/component-curves")
        ink = "getComputedStyle(document.querySelector('#figure-shares .role-axis-title text')).fill"
        width = "document.querySelector('#figure-shares svg').getBoundingClientRect().width"
        light, wide = self.browser.evaluate(ink), self.browser.evaluate(width)
        self.browser.screen(WIDE, 900, "dark")
        self.browser.wait_for(f"{ink} !== {json.dumps(light)}")
        self.browser.screen(NARROW, 900, "dark")
        self.browser.wait_for(f"{width} < {wide} / 2")

    def test_figures_can_be_saved(self):
        saved = self.folder / "saved"
        saved.mkdir()
        self.show("question/component-curves", "zh", WIDE, "dark")
        self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(saved))
        for kind in ("CSV", "SVG", "PNG"):
            for name in ("shares", "position-table"):
                buttons = f"[...document.querySelectorAll('#figure-{name} .tools button')]"
                self.browser.evaluate(f"{buttons}.find((button) => button.innerText === '{kind}').click()")
                self.wait_for_file(saved / f"{name}.{kind.lower()}")
        self.assertEqual((saved / "shares.csv").read_text().splitlines()[0], "part,share,low,high")
        drawn = xml.etree.ElementTree.parse(saved / "shares.svg").getroot()
        self.assertIn("和的组成部分", "".join(drawn.itertext()))
        self.assertTrue((saved / "position-table.png").read_bytes().startswith(b"\x89PNG"))
        full = (self.folder / "figures/position-table.csv").read_text().splitlines()
        rows = (saved / "position-table.csv").read_text().splitlines()
        self.assertEqual(len(rows), len(full))
        for given, exact in zip(rows[300].split(",")[1:], full[300].split(",")[1:]):
            self.assertAlmostEqual(float(given), float(exact), delta=3e-5)

    def wait_for_file(self, path):
        deadline = browser.time.monotonic() + browser.PATIENCE_S
        while not (path.exists() and path.stat().st_size):
            self.assertLess(browser.time.monotonic(), deadline, f"{path.name} was not saved")
            self.browser.evaluate("new Promise((done) => setTimeout(done, 50))")

    def test_terms_lead_to_the_glossary(self):
        self.show("question/component-curves")
        self.assertGreater(self.count("a.term"), 5)
        self.click(".answer a.term")
        self.browser.wait_for("location.hash.startsWith('#/en/glossary/')")
        self.browser.wait_for("document.activeElement.id.startsWith('term-')")
        self.assertGreaterEqual(self.count(".glossary dt"), 30)

    def test_the_navigation_of_a_telephone_lies_behind_a_button(self):
        self.show("verdicts", width=NARROW)
        visible = "document.querySelector('nav').checkVisibility()"
        self.assertFalse(self.browser.evaluate(visible))
        self.click("button.menu")
        self.assertTrue(self.browser.evaluate(visible))
        self.click("nav li:last-child a")
        self.browser.wait_for("document.querySelector('h1').innerText === 'About this run'")
        self.assertFalse(self.browser.evaluate(visible))

    def test_figures_are_drawn_without_a_screen(self):
        pictures = list((self.folder / "figures").glob("*.svg"))
        self.assertEqual(len(pictures), 9)
        for picture in pictures:
            xml.etree.ElementTree.parse(picture)
            self.assertTrue(picture.with_suffix(".png").read_bytes().startswith(b"\x89PNG"))
        self.assertIn("和的组成部分", (self.folder / "figures/shares.svg").read_text())


if __name__ == "__main__":
    browser.chromium()
    unittest.main()
