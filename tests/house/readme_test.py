"""Commands that the README and the docs show run, what they point at exists, and every verb has its place."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import head_models
import summand_testing

ROOT = summand_testing.ROOT


def documents():
    return [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(text):
    """The `summand …` lines of the console blocks."""
    for block in re.findall(r"```(?:console|sh)\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ build/bin/summand "):
                yield line[2:]


def broken_links(path):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
        if "://" not in target and not (path.parent / target).exists():
            yield f"{path.name}: {target} does not exist"


def models(folder):
    """What the documents' variables stand for: the real model, and a random one for each head."""
    kinds = {
        "MASKED_LM": ("masked-lm", {}),
        "PAIRS": ("next-sentence", {}),
        "CLASSIFIER": ("sequence-classification", {"num_labels": 5}),
        "RERANKER": ("sequence-classification", {"num_labels": 1}),
        "TAGGER": ("token-classification", {"id2label": {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC", 4: "I-LOC"}}),
    }
    variables = {"MODEL": str(summand_testing.minilm())}
    for name, (kind, changes) in kinds.items():
        directory = pathlib.Path(folder) / name.lower()
        head_models.head_directory(directory, kind, **changes)
        variables[name] = str(directory)
    return variables


def verbs():
    """Every verb of the program."""
    help_text = subprocess.run([summand_testing.BIN / "summand", "--help"], capture_output=True, text=True).stdout
    return re.findall(r"^  ([a-z][a-z-]+)  ", help_text.split("Subcommands:")[1], re.MULTILINE)


def verbs_without_their_place():
    """Verbs that the page of verbs lacks, or shows without a command."""
    page = (ROOT / "docs/verbs.md").read_text()
    shown = {command.split()[1] for command in commands(page)}
    names = verbs()
    assert len(names) >= 13, names
    for verb in names:
        if verb not in shown or f"### {verb}\n" not in page:
            yield f"verbs.md: {verb} has no section with a command"


def main():
    failures, count = list(verbs_without_their_place()), 0
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | models(folder)
        for number, path in enumerate(documents()):
            scratch = pathlib.Path(folder) / str(number)  # instead of /tmp: results that are there are not replaced
            scratch.mkdir()
            failures += broken_links(path)
            for command in commands(path.read_text()):
                count += 1
                shown = command.replace("build/bin", str(summand_testing.BIN)).replace(" /tmp/", f" {scratch}/")
                result = subprocess.run(["bash", "-uc", shown], cwd=ROOT, env=environment, capture_output=True, text=True)
                if result.returncode != 0:
                    failures.append(f"{path.name}: {command}: {result.stderr.strip()}")
    print("\n".join(failures))
    print(f"{count} commands run, {len(failures)} failures")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
