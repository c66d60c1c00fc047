"""What holds of all documents: links lead somewhere, both languages of a page have the same shape, READMEs set a variable before
they need it, every command and Python block is run (by document_commands_test.py), and the page of verbs shows every verb."""

import re
import subprocess
import unittest

import documents
import summand_testing
from ctest_entries import ctest_entries

ROOT = summand_testing.ROOT
READMES = [ROOT / name for name in documents.READMES]


def variables_used_before_they_are_set(path):
    """A reader pastes one line after another."""
    known = {"PWD"}
    for block in re.findall(r"```console\n(.*?)```", path.read_text(), re.DOTALL):
        for line in block.splitlines():
            for name in set(re.findall(r"\$([A-Z_]+)", line)) - known:
                yield f"{line}: {name} has not been set"
            known.update(re.findall(r"^\$ ([A-Z_]+)=", line))


def shape(path):
    """What two languages have in common: levels of headings, rows of tables, pictures, console lines, bullets."""
    text = path.read_text()
    return {
        "headings": re.findall(r"^(#+) ", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE),
        "tables": [row.count("|") for row in re.findall(r"^\|.*$", text, re.MULTILINE)],
        "pictures": re.findall(r"!\[.*?\]\((.*?)\)", text),
        "console lines": re.findall(r"^\$ (.*)$", text, re.MULTILINE),
        "bullets": len(re.findall(r"^- ", text, re.MULTILINE)),
    }


class Documents(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        for path in documents.all_documents():
            for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
                if "://" not in target:
                    self.assertTrue((path.parent / target).exists(), f"{path.name}: {target}")

    def test_both_languages_of_a_page_have_the_same_shape(self):
        pages = [path for path in documents.all_documents() if path.name.endswith(".zh.md")]
        self.assertIn(READMES[1], pages)
        for path in pages:
            self.assertEqual(shape(path.with_name(path.name.replace(".zh.md", ".md"))), shape(path), path.name)

    def test_the_commands_of_every_page_are_run(self):
        entries = ctest_entries(summand_testing.BUILD)
        run = {word for name, (command, _) in entries.items() if name.startswith("commands_") for word in command}
        for path in documents.all_documents():
            text = path.read_text()
            if list(documents.commands(text)) or documents.programs(text):
                self.assertIn(str(path.relative_to(ROOT)), run)

    def test_a_readme_sets_a_variable_before_it_needs_it(self):
        for path in READMES:
            self.assertEqual(list(variables_used_before_they_are_set(path)), [], path.name)

    def test_the_readmes_model_is_there(self):
        for path in READMES:
            lines = re.findall(r"^\$ (MODEL=.*)$", path.read_text(), re.MULTILINE)
            self.assertTrue(lines, path.name)
            for line in lines:
                found = subprocess.run(["bash", "-c", f'{line}; test -f "$MODEL/config.json"'], cwd=ROOT)
                self.assertEqual(found.returncode, 0, f"{path.name}: {line}")

    def test_the_page_of_verbs_shows_every_verb(self):
        page = (ROOT / "docs/verbs.md").read_text()
        shown = {command.split()[1] for command in documents.commands(page) if not command.startswith("curl ")}
        help_text = subprocess.run([summand_testing.BIN / "summand", "--help"], capture_output=True, text=True).stdout
        verbs = re.findall(r"^  ([a-z][a-z-]+)  ", help_text.split("Subcommands:")[1], re.MULTILINE)
        self.assertGreaterEqual(len(verbs), 13)
        for verb in verbs:
            self.assertIn(verb, shown)
            self.assertIn(f"### {verb}\n", page)


if __name__ == "__main__":
    summand_testing.run_cases()
