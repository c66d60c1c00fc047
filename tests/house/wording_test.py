"""The laboratory's texts: every words.json has both languages with the same places, its texts are used and its places filled,
and the sources beside it hold no prose of their own. The ledger and the glossary have the entries that are read, and no other."""

import json
import re
import string
import unittest

import summand_testing

LAB = summand_testing.ROOT / "lab"
FOLDERS = sorted(path.parent for path in LAB.glob("**/words.json"))
# Named by described_experiment() and described_rule(), and what figures and interventions put together by member.
NAMED_ELSEWHERE = {"title", "question", "definition", "source", "null", "control", "observation", "inference", "conclusion", "caption"}
LEDGER = sorted((LAB / "ledger" / "documents").glob("*.json"))
GLOSSARY = LAB / "report" / "assets" / "glossary.json"
CHINESE = re.compile(r"[\u4e00-\u9fff]")


def once(pairs):
    names = [name for name, _ in pairs]
    assert len(set(names)) == len(names), f"one of {names} stands twice"
    return dict(pairs)


def texts_of(tree, path=()):
    if set(tree) == {"en", "zh"} and all(isinstance(text, str) for text in tree.values()):
        yield ".".join(path), tree
        return
    for name, below in tree.items():
        yield from texts_of(below, (*path, name))


def places(text):
    return {re.split(r"[.\[]", field)[0] for _, field, _, _ in string.Formatter().parse(text) if field is not None}


def sources_of(folder):
    return {path: path.read_text() for path in sorted(folder.glob("*.[ch]pp"))}


def literals(source):
    return re.findall(r'"((?:[^"\\\n]|\\.)*)"', re.sub(r"//[^\n]*", "", source))


class Wording(unittest.TestCase):
    def each(self):
        for folder in FOLDERS:
            texts = dict(texts_of(json.loads((folder / "words.json").read_text(), object_pairs_hook=once)))
            yield folder, texts

    def test_every_experiment_has_a_words_json(self):
        names = {folder.name for folder in FOLDERS}
        self.assertLessEqual({path.name for path in (LAB / "experiments").iterdir() if path.is_dir()}, names)

    def test_both_languages_have_the_same_places(self):
        for folder, texts in self.each():
            for path, text in texts.items():
                self.assertEqual(places(text["en"]), places(text["zh"]), f"{folder.name}.{path}")

    def test_chinese_is_chinese_and_english_is_not(self):
        for _, texts in self.each():
            for path, text in texts.items():
                self.assertIsNone(CHINESE.search(text["en"]), path)

    def test_every_place_is_filled_and_every_text_is_named(self):
        for folder, texts in self.each():
            words = {word for source in sources_of(folder).values() for word in literals(source)}
            for path, text in texts.items():
                for place in places(text["en"]):
                    self.assertIn(place, words, f"{folder.name}.{path} has a place that nothing fills")
                last = path.split(".")[-1]
                named = last in NAMED_ELSEWHERE or any(word == last or word.endswith(f".{last}") for word in words)
                of_a_family = any(f".{part}." in word for word in words for part in path.split(".")[:-1]) or any(
                    word.endswith(".") and f"{folder.name}.{path}".startswith(word) for word in words)
                self.assertTrue(named or of_a_family, f"{folder.name}.{path} is named nowhere")

    def test_texts_that_are_asked_for_are_there(self):
        for folder, texts in self.each():
            for path, source in sources_of(folder).items():
                for asked in re.findall(r'\bwording\(\s*"([^"]+)"\s*[,)]', source):
                    self.assertIn(asked, {f"{folder.name}.{text}" for text in texts}, path.name)
                for experiment, name in re.findall(r'NumberName\s+\w+\{\s*"([^"]+)",\s*"([^"]+)"', source):
                    self.assertEqual(experiment, folder.name, path.name)

    def test_experiments_hold_no_chinese_and_no_number_names_as_strings(self):
        for folder in (LAB / "experiments").iterdir():
            if not folder.is_dir():
                continue
            for path, source in sources_of(folder).items():
                for text in literals(source):
                    self.assertIsNone(CHINESE.search(text), f"{path.name}: {text}")
                strings = re.findall(r'(?<![.>])\bnumbers\.(?:value|null|control|at)\("', source)
                self.assertEqual(strings, [], f"{path.name} names a number by a string")

    def check_entries(self, entries, needed, optional):
        for entry in entries:
            self.assertLessEqual(needed, set(entry), entry)
            self.assertLessEqual(set(entry), needed | optional, entry)

    def test_the_ledger_has_the_entries_that_are_read(self):
        self.assertEqual(len(LEDGER), 6)
        for path in LEDGER:
            document = json.loads(path.read_text(), object_pairs_hook=once)
            self.assertEqual(document["name"], path.stem)
            self.check_entries([document], {"name", "title", "address", "claims"}, set())
            quoted = set() if path.stem == "own" else {"quote"}
            self.check_entries(document["claims"], {"id", "brief", "claim", "test", "evidence"} | quoted, {"published", "worked_out", "so_far"})

    def test_the_glossary_has_the_entries_that_are_read(self):
        terms = json.loads(GLOSSARY.read_text(), object_pairs_hook=once)
        self.check_entries(terms, {"id", "name", "meaning"}, {"linked", "elsewhere"})
        self.assertLessEqual({term["linked"] for term in terms if "linked" in term}, {"as_a_label"})


if __name__ == "__main__":
    unittest.main()
