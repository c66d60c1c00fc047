"""The page of a comparison in a browser: languages, widths, keyboard, links, and that it loads nothing."""

import json
import pathlib
import re
import subprocess
import tempfile
import unittest
import urllib.parse

import browser
import compare_test
import head_models


def on_the_page(text):
    """A text as the page writes it: no line begins with a "%"."""
    return re.sub(r"(\d) %", "\\1\u00a0%", text)


class ComparePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        browser.chromium()
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        made, _ = head_models.head_directory(cls.folder / "made", "masked-lm")
        own = compare_test.changed_copy(made, "own <b>&amp;", compare_test.smooth_positions)
        shuffled = compare_test.changed_copy(own, "shuffled", compare_test.shuffled_positions)
        cls.report = cls.folder / "comparison"
        subprocess.run([compare_test.BIN / "summand-lab", "compare", own, shuffled, own, "-o", cls.report, "--quick",
                        "--only", compare_test.ONLY], check=True, capture_output=True)
        cls.result = json.loads((cls.report / "compare.json").read_text())
        cls.browser = cls.enterClassContext(browser.Browser())

    def show(self, language="en", width=1280, scheme="light"):
        self.browser.screen(width, 900, scheme)
        self.browser.open("about:blank")
        self.browser.open(f"file://{self.report}/index.html#/{language}")
        self.browser.wait_for("document.querySelector('tbody[data-claim]') !== null")

    def evaluate(self, expression):
        return self.browser.evaluate(expression)

    def tearDown(self):
        self.assertEqual(self.browser.complaints(), [])
        self.assertTrue(all(url.startswith(("file:", "about:", "data:")) for url in self.browser.requests()))

    def test_a_row_for_every_claim_and_a_cell_for_every_checkpoint(self):
        self.show()
        rows = self.evaluate("[...document.querySelectorAll('tbody[data-claim]')].map((row) => row.dataset.claim)")
        self.assertEqual(rows, [claim["id"] for claim in self.result["claims"]])
        cells = self.evaluate("[...document.querySelectorAll('tbody[data-claim] td.badges')].length")
        self.assertEqual(cells, 3 * len(rows))
        marked = self.evaluate("[...document.querySelectorAll('.badge.differs')].map((each) => each.closest('tbody').dataset.claim)")
        self.assertEqual(marked, [claim["id"] for claim in self.result["claims"] if claim["verdicts_differ"]])
        self.assertTrue(marked)

    def test_every_cell_has_three_verdicts_and_a_link_that_is_no_verdict(self):
        for language, word, link in (("en", "Conclusion", "report"), ("zh", "结论", "报告")):
            self.show(language)
            words = self.evaluate("Object.fromEntries(Object.entries(JSON.parse(document.getElementById('report').textContent)"
                                  f".verdict_words).map(([key, value]) => [key, value.{language}]))")
            expected = []
            for claim in self.result["claims"]:
                for verdict in claim["verdicts"]:
                    said, by = verdict["conclusion"], verdict["conclusion_by"]
                    told_by = f" ({by})" if by and by != claim["id"] else ""
                    sign = {"true": "✓", "false": "✕", "open": "?"}.get(said)
                    expected.append(f"{word} {sign}{words[said]}{told_by}" if sign else f"{word} –")
            conclusions = "[...document.querySelectorAll('td.badges')].map((cell) => cell.querySelector('.conclusion')?.textContent)"
            self.assertEqual(self.evaluate(conclusions), expected)
            self.assertIn(f"{word} –", expected)
            links = self.evaluate("[...document.querySelectorAll('td.badges a.more')].map((a) => a.textContent)")
            self.assertEqual(links, [link] * len(expected))
            labels = self.evaluate("[...document.querySelectorAll('td.badges a.more')].map((a) => a.getAttribute('aria-label'))")
            self.assertTrue(all(label.endswith(f": {link}") for label in labels), labels)

    def test_each_checkpoint_answers_both_questions_and_has_its_corpus(self):
        for language, first in (("en", "Does adding hurt?"), ("zh", "相加有害吗？")):
            self.show(language)
            heads = self.evaluate("[...document.querySelectorAll('.answers thead th')].map((each) => each.textContent)")
            self.assertEqual(heads[1], first)
            rows = self.evaluate("[...document.querySelectorAll('.answers tbody tr')].map((row) => row.textContent)")
            self.assertEqual(len(rows), len(self.result["checkpoints"]))
            corpora = self.evaluate("[...document.querySelectorAll('.checkpoints tbody tr')].map((row) => row.cells[3].textContent)")
            self.assertEqual(len(corpora), len(rows))
            if language == "en":
                self.assertEqual(corpora, [on_the_page(checkpoint["corpus"]) for checkpoint in self.result["checkpoints"]])
                for row, checkpoint in zip(rows, self.result["checkpoints"]):
                    for answer in filter(None, (checkpoint["in_short"]["adding"], checkpoint["in_short"]["table"])):
                        self.assertIn(on_the_page(answer["lead"] or answer["text"]), row)
            header = self.evaluate("document.querySelector('p.checkpoint').textContent")
            self.assertNotIn(on_the_page(self.result["checkpoints"][0]["corpus"]), header)

    def test_both_languages(self):
        for language, title in (("en", "Checkpoints side by side"), ("zh", "检查点并列比较")):
            self.show(language)
            self.assertEqual(self.evaluate("document.querySelector('h1').innerText"), title)
        self.evaluate("document.querySelector('.languages a[lang=en]').click()")
        self.browser.wait_for("document.querySelector('h1').innerText === 'Checkpoints side by side'")

    def test_nothing_is_wider_than_the_screen_in_light_and_dark(self):
        for width in (1280, 390):
            for scheme in ("light", "dark"):
                for language in ("en", "zh"):
                    self.show(language, width, scheme)
                    self.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
                    self.assertLessEqual(self.evaluate("document.documentElement.scrollWidth"), width)

    def test_every_link_leads_to_a_page_that_is_there(self):
        self.show()
        links = self.evaluate("[...document.querySelectorAll('main a, nav a')].map((a) => a.getAttribute('href'))")
        self.assertGreater(len(links), 6)
        for link in links:
            path, _, place = link.partition("#")
            self.assertTrue((self.report / urllib.parse.unquote(path)).is_file(), link)
        question = next(link for link in links if "question" in link)
        self.browser.open(f"file://{self.report}/{question}")
        self.browser.wait_for("document.querySelector('section.card') !== null")

    def test_filters_and_details_by_keyboard(self):
        self.show()
        different = [claim["id"] for claim in self.result["claims"] if claim["verdicts_differ"]]
        self.evaluate("document.querySelectorAll('.filter button')[1].focus()")
        self.browser.press("Enter")
        rows = "[...document.querySelectorAll('tbody[data-claim]')].map((row) => row.dataset.claim)"
        self.assertEqual(self.evaluate(rows), different)
        self.assertEqual(self.evaluate("document.activeElement.getAttribute('aria-pressed')"), "true")
        self.evaluate("document.querySelector('summary').focus()")
        self.browser.press("Enter")
        self.assertTrue(self.evaluate("document.querySelector('details').open"))
        self.assertGreater(self.evaluate("document.querySelectorAll('details[open] .likeness').length"), 1)


if __name__ == "__main__":
    unittest.main()
