"""The report's first page: two questions with their answers, and clocks that a slider turns, by keyboard too; what a table without
clocks has learned; finding claims, and numbers of surrogates beside those that they are set against; nothing is cut."""

import collections
import csv
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

import browser
import numpy as np
import summand_testing

LABORATORY = summand_testing.BIN / "summand-lab"
TINY = summand_testing.ROOT / "tests" / "data" / "tiny_mlm"
# Texts of figures that end in an ellipsis, or lie outside the figure; texts of a table that run into the next column.
CUT = """(() => {
  const found = [];
  for (const svg of document.querySelectorAll('.plot svg')) {
    const box = svg.getBoundingClientRect();
    for (const text of svg.querySelectorAll('text')) {
      const own = text.getBoundingClientRect();
      if (!own.width || getComputedStyle(text).opacity === '0') continue;
      if (text.textContent.endsWith('…') || own.right > box.right + 1 || own.left < box.left - 1) found.push(text.textContent);
    }
  }
  for (const cell of document.querySelectorAll('td, th')) {
    const range = document.createRange();
    range.selectNodeContents(cell);
    const right = cell.getBoundingClientRect().right;
    if ([...range.getClientRects()].some((own) => own.width && right && own.right > right + 1)) found.push(cell.textContent);
  }
  return found;
})()"""
VIEWS = (("en", 1280, "light"), ("zh", 390, "dark"), ("en", 390, "light"), ("zh", 1280, "dark"))


class ShortPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        browser.chromium()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        table = cls.folder / "planted"
        cls.run_lab("plant", "clocks", "-o", table, "--rows", "256", "--columns", "48")
        cls.report = cls.folder / "report"
        cls.run_lab("--table", table / "table.npy", "--quick", "--only", "clocks,decoding,continuity", "-o", cls.report)
        cls.browser = cls.enterClassContext(browser.Browser())

    @staticmethod
    def run_lab(*words):
        subprocess.run([LABORATORY, *words], check=True, stdout=subprocess.DEVNULL)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])

    def show(self, where, width=1280, scheme="light"):
        self.browser.screen(width, 900, scheme)
        self.browser.open("about:blank")
        self.browser.open(f"file://{self.report}/index.html{where}")
        self.browser.wait_for("document.querySelector('h1') !== null")
        self.browser.wait_for("[...document.querySelectorAll('.plot')].every((plot) => plot.dataset.state)")

    def text(self, selector):
        return self.browser.evaluate(f"document.querySelector({selector!r})?.innerText ?? ''")

    def said(self):
        return re.fullmatch(r"position (\d+) · .* (\d+)\xa0% · missing (\d+)\xa0%", self.text(".dials-said"))

    def test_it_is_what_opens_and_answers_both_questions(self):
        self.show("")
        self.show("#/en")
        self.assertEqual(self.text("h1"), "In short")
        titles = self.browser.evaluate("[...document.querySelectorAll('h2')].map((title) => title.innerText)")
        self.assertEqual(titles, ["Does adding hurt?", "What has the position table learned?", "Verdicts"])
        answers = self.browser.evaluate("[...document.querySelectorAll('.answer')].map((answer) => answer.innerText)")
        self.assertIn("needs token and segment tables", answers[0])
        self.assertRegex(answers[1], r"^Circles that turn with position\. At least \d circles hold")
        whole = self.text("main")
        self.assertIn("table.npy", whole)
        self.assertEqual(whole.count("What this cannot tell"), 2)
        for expected in ("How sure", "variance in circles", "Positive control", "Planted truths: “holds” where true"):
            self.assertIn(expected, whole)

    def test_nothing_is_cut_or_untranslated(self):
        for language, width, scheme in VIEWS:
            with self.subTest(language=language, width=width, scheme=scheme):
                self.show(f"#/{language}", width, scheme)
                beyond = "(({scrollWidth, clientWidth}) => scrollWidth - clientWidth)(document.documentElement)"
                self.assertEqual(self.browser.evaluate(beyond), 0)
                outside = ("[...document.querySelectorAll('.dial')].some((dial) => dial.getBoundingClientRect().right >"
                           " dial.closest('figure').getBoundingClientRect().right)")
                self.assertFalse(self.browser.evaluate(outside))
                chinese = re.search(r"[\u4e00-\u9fff]", self.text("main"))
                self.assertEqual(chinese is not None, language == "zh")

    def test_the_dials_turn_by_keyboard_and_say_what_they_rebuild(self):
        planes = collections.defaultdict(dict)
        with open(self.report / "figures" / "clocks-dials.csv", newline="") as file:
            for row in csv.DictReader(file):
                x, y, length = (float(row[name]) for name in ("x", "y", "length"))
                planes[row["plane"]][int(row["position"])] = (x * x + y * y) / length**2
        circles = next(claim["numbers"]["circles"]["value"] for claim in json.loads((self.report / "results.json").read_text())["claims"]
                       if claim["id"] == "X1")  # fmt: skip
        for where in ("#/en", "#/en/question/clocks"):
            self.show(where)
            self.assertEqual(self.browser.evaluate("document.querySelectorAll('.dial').length"), len(planes))
            self.assertEqual(self.browser.evaluate("document.querySelectorAll('figure')[0].classList.contains('dials')"), True)
            said_of_dials = self.text(".faces")
            self.assertEqual(said_of_dials.count("turns in all"), len(planes))
            self.assertEqual(said_of_dials.count("counted as a circle"), circles)
            self.assertEqual(said_of_dials.count("no circle: fewer than 1 turn"), len(planes) - circles)
            self.browser.evaluate("document.querySelector('.dials input').focus()")
            before = self.browser.evaluate("document.querySelector('.hand').getAttribute('x2')")
            first = int(self.said()[1])
            self.browser.press("ArrowRight")
            position, kept, missing = map(int, self.said().groups())
            self.assertEqual(position, first + 1)
            self.assertNotEqual(self.browser.evaluate("document.querySelector('.hand').getAttribute('x2')"), before)
            self.assertAlmostEqual(kept, 100 * sum(plane[position] for plane in planes.values()), delta=0.51)
            self.assertEqual(kept + missing, 100)
            self.strips_are_of(position)

    def strips_are_of(self, position):
        """Row, sum of the dials, and what is missing: as red as their CSV is above 0, as blue as it is below."""
        with open(self.report / "figures" / "clocks-rebuilt.csv", newline="") as file:
            numbers = [float(x) for x in list(csv.reader(file))[1 + position][1:]]
        row, rebuilt = numbers[:48], numbers[48:]
        drawn = """[...document.querySelectorAll('.number-strip canvas')].map((canvas) => {
            const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, 1);
            return Array.from({length: canvas.width}, (_, i) => data[4 * i] - data[4 * i + 2]); })"""
        strips = self.browser.evaluate(drawn)
        self.assertEqual([len(strip) for strip in strips], [48, 48, 48])
        most = max(map(abs, row))
        for strip, expected in zip(strips, (row, rebuilt, [a - b for a, b in zip(row, rebuilt)])):
            for red, number in zip(strip, expected):
                if abs(number) > 0.1 * most:
                    self.assertEqual(red > 0, number > 0, (red, number))

    def report_of(self, name, *words):
        folder = self.folder / f"report-{name}"
        self.run_lab(*words, "--quick", "-o", folder)
        return folder

    def test_what_a_table_without_clocks_has_learned_is_said_positively(self):
        random = np.random.default_rng(7)
        steps = random.normal(size=(256, 48))
        tables = {"noise": steps, "walk": np.cumsum(steps, axis=0)}
        said = {}
        for name, table in tables.items():
            np.save(self.folder / f"{name}.npy", table.astype(np.float32))
            only = "clocks,relative_position,continuity,spectrum"
            self.report = self.report_of(name, "--table", self.folder / f"{name}.npy", "--only", only)
            self.addCleanup(setattr, self, "report", type(self).report)
            self.show("#/en")
            said[name] = self.browser.evaluate("[...document.querySelectorAll('.answer')].at(-1).innerText")
        self.assertRegex(said["noise"], r"^Nothing beyond noise\. Its rows look random: of a row's five nearest rows, \d+\xa0% are")
        self.assertRegex(said["walk"], r"^A smooth path\. Of a row's five nearest rows, \d+\xa0% are within five positions of it\. In white noise")
        for answer in said.values():
            self.assertRegex(answer, r"\nCircles that turn with position\? ")
            self.assertNotIn("One motion", answer)  # no more than random tables of the same lag kernel have it

    def test_what_would_tell_more_has_its_command(self):
        self.show("#/en")
        self.assertRegex(self.text("main .command pre"), r" --only relative_position,spectrum$")

    def test_no_text_is_cut_and_no_cell_runs_into_the_next(self):
        self.report = self.report_of("tiny", "--model", TINY, "--only", "interventions,expansion,subspaces,attention_cost,toeplitz,one_hot")
        self.addCleanup(setattr, self, "report", type(self).report)
        pages = [f"#/{{}}/question/{name}" for name in ("interventions", "expansion", "subspaces", "attention_cost", "toeplitz", "one_hot")]
        for language in ("en", "zh"):
            for width in (1280, 390):
                for page in (*pages, "#/{}/verdicts"):
                    with self.subTest(page=page, language=language, width=width):
                        self.show(page.format(language), width)
                        self.browser.evaluate("document.querySelectorAll('main details').forEach((each) => { each.open = true; })")
                        self.assertEqual(self.browser.evaluate(CUT), [])

    def test_the_page_of_verdicts_says_where_the_claims_come_from(self):
        self.show("#/en/verdicts")
        lines = self.browser.evaluate("[...document.querySelectorAll('.documents li')].map((line) => line.innerText)")
        self.assertEqual([int(re.search(r"(\d+) claims", line)[1]) for line in lines], [11, 15, 11, 5, 11, 4])
        self.assertIn("A language model's answer", lines[0])
        self.assertIn("never published", lines[0])

    def test_a_wrong_address_says_so(self):
        for nowhere in ("#/en/question/nope", "#/zz"):
            self.show(nowhere)
            self.assertIn("no such page", self.text("[role=alert]"))
        self.show("#/en/verdicts")
        self.assertEqual(self.text("[role=alert]"), "")

    def found(self, words):
        self.browser.evaluate(f"""(() => {{ const field = document.querySelector("input[type=search]");
            field.value = {words!r}; field.dispatchEvent(new Event("input")); }})()""")
        shown = "[...document.querySelectorAll('tbody[data-claim]')].filter((body) => body.checkVisibility())"
        return self.browser.evaluate(f"{shown}.map((body) => body.dataset.claim)")

    def test_claims_are_found_by_their_words(self):
        for width in (1280, 390):
            self.show("#/en/verdicts", width)
            everything = self.found("")
            self.assertEqual(len(everything), 57)
            self.assertEqual(self.found("X2"), ["X2"])
            self.assertEqual(self.found("SPIRAL two components"), ["E4"])
            self.assertEqual(self.found("螺纹曲线"), ["E4"])  # the document's own words
            headings = "[...document.querySelectorAll('tbody.of-document')].filter((body) => body.checkVisibility()).length"
            self.assertEqual(self.browser.evaluate(headings), 1)
            for words, folded in (("X2", False), ("螺纹曲线", True)):  # what is folded opens, and is marked
                self.found(words)
                opened = "[...document.querySelectorAll('tbody:not([hidden]) details')].map((each) => each.open)"
                self.assertEqual(self.browser.evaluate(opened), [folded])
                marked = "[...(CSS.highlights.get('found') ?? [])].map((range) => range.toString().toLowerCase())"
                self.assertIn(words.lower(), self.browser.evaluate(marked))
            self.assertEqual(self.found("xylophone"), [])
            self.assertIn("No claim has", self.text(".search"))
            self.assertEqual(self.found(""), everything)

    def test_a_claim_that_was_not_run_has_the_command_that_runs_it(self):
        self.show("#/en/verdicts")
        commands = self.browser.evaluate("""[...document.querySelectorAll('tbody[data-claim]')].map((body) =>
            [body.dataset.claim, body.querySelector('.command pre')?.textContent ?? ''])""")
        commands = dict(commands)
        self.assertRegex(commands["E2"], r" --only tails$")
        self.assertEqual(commands["X1"], "")  # ran

    def test_surrogates_are_columns(self):
        self.show("#/en/question/continuity")
        tables = self.browser.evaluate("""[...document.querySelectorAll('table.numbers')].map((table) =>
            [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent)))""")
        head, first = tables[0][:2]
        self.assertEqual(head[:4], ["Measured", "Number", "Random walk", "Gaussian process"])
        results = json.loads((self.report / "results.json").read_text())
        numbers = next(claim["numbers"] for claim in results["claims"] if claim["id"] == "0.9")
        self.assertEqual(first[0], numbers["continuity_5"]["label"])
        for cell, name in zip(first[1:4], ("continuity_5", "random_walk_continuity_5", "gaussian_process_continuity_5")):
            self.assertAlmostEqual(float(cell.split("[")[0]), numbers[name]["value"], places=2)
        labels = [row[0] for table in tables for row in table]
        self.assertNotIn(numbers["random_walk_continuity_5"]["label"], labels)

    def test_questions_stand_in_groups(self):
        self.show("#/en")
        groups = self.browser.evaluate("[...document.querySelectorAll('nav .heading')].map((group) => group.textContent)")
        self.assertEqual(groups, ["The table", "The sum"])


if __name__ == "__main__":
    unittest.main()
