"""What the pages say of the studies: their numbers are those of studies/*/verdicts.json, or stand in a plan."""

import json
import re
import subprocess
import sys
import unittest

import summand_testing

ROOT = summand_testing.ROOT
sys.path.insert(0, str(ROOT / "lab" / "ledger"))
import study_numbers  # noqa: E402

STUDIES = study_numbers.studies_of(sorted((ROOT / "studies").glob("*/verdicts.json")))
ANSWERS = json.loads((ROOT / "lab" / "ledger" / "study_answers.json").read_text())
ARTICLES = {f"{name}answer.{language}": (ROOT / "studies" / f"{name}answer.{language}.md").read_text() for name in ("", "downstream/") for language in ("en", "zh")}

WITHOUT_VERDICT = ("left ", "stuck ", "mean ", "baseline ", "labels ", "tokens ", "bag ", "plan")


def numbers_of_plans():
    """Every number of a plan, and every share in percent."""
    found = {"95"}  # the level of every interval

    def walk(tree):
        for below in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else []:
            walk(below)
        if isinstance(tree, str) and re.fullmatch(r"[\d.]+", tree):  # an option's
            tree = float(tree)
        if isinstance(tree, (int, float)) and not isinstance(tree, bool):
            found.update((f"{tree:,g}", f"{100 * tree:g}"))

    for plan in (ROOT / "studies").glob("*/plan.json"):
        walk(json.loads(plan.read_text()))
    return found


def by_hand(text):
    """The numbers that stand outside places."""
    return set(re.findall(r"\d(?:[\d,]*\d)?(?:\.\d+)?", re.sub(r"\{[^{}]*\}|\]\([^)]*\)", "", text)))


def comparisons_in(text):
    """The places of comparisons, which have verdicts; means and the like have none."""
    places = {place for place in re.findall(r"\{([^{}]*)\}", text) if not place.startswith("table ")}
    return {place.removesuffix(".size").removesuffix(".seeds") for place in places if not place.split(" | ")[-1].startswith(WITHOUT_VERDICT)}


class Pages(unittest.TestCase):
    def test_pages_are_as_the_studies_have_them(self):
        checked = subprocess.run([ROOT / "scripts" / "write_study", "--check"], capture_output=True, text=True)
        self.assertEqual((checked.returncode, checked.stderr), (0, ""))

    def test_findings_have_what_the_studies_say_of_each_claim(self):
        page = (ROOT / "docs" / "findings.md").read_text()
        for claim, answer in ANSWERS.items():
            for language in ("en", "zh"):
                text = study_numbers.filled(answer[language], STUDIES, language)
                self.assertIn(" ".join(text.split()), " ".join(page.split()), (claim, language))

    def test_numbers_by_hand_stand_in_a_plan(self):
        known = numbers_of_plans()
        for name, text in [(claim, answer["en"]) for claim, answer in ANSWERS.items()] + list(ARTICLES.items()):
            self.assertEqual(by_hand(text) - known, set(), name)

    def test_both_languages_have_the_same_places(self):
        def places(text):
            return sorted(re.findall(r"\{[^{}]*\}", text))

        for claim, answer in ANSWERS.items():
            self.assertEqual(places(answer["en"]), places(answer["zh"]), claim)
        for name in ("answer", "downstream/answer"):
            self.assertEqual(places(ARTICLES[f"{name}.en"]), places(ARTICLES[f"{name}.zh"]), name)

    def test_verdicts_are_those_that_the_sentences_were_written_for(self):
        verdicts = {("" if name == study_numbers.STANDARD else f"{name} | ") + one["name"]: one["verdict"] for name, study in STUDIES.items() for one in study["comparisons"]}
        written = {claim: (answer["en"], answer["rests_on"]) for claim, answer in ANSWERS.items()}
        for name in ("", "downstream/"):
            written[f"{name}answer.en.md"] = ARTICLES[f"{name}answer.en"], json.loads((ROOT / "studies" / f"{name}answer_rests_on.json").read_text())
        for name, (text, rests_on) in written.items():
            self.assertEqual({place: verdicts[place] for place in comparisons_in(text)}, rests_on, name)

    def test_the_plan_to_cite_is_the_one_that_was_run(self):
        self.assertIn(STUDIES["standard"]["plan"], (ROOT / "docs" / "study.md").read_text())

    def test_a_place_without_a_number_is_refused(self):
        with self.assertRaises(KeyError):
            study_numbers.filled("{combined: sum − nothing}", STUDIES, "en")
        with self.assertRaises(KeyError):
            study_numbers.filled("{no study | combined: sum − gate}", STUDIES, "en")


if __name__ == "__main__":
    summand_testing.run_cases()
