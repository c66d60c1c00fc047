"""Commands that the README and the docs show run, what they point at exists, and every verb has its place. Both READMEs
show the same, which is run once, and every variable is set before a command needs it."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile

import head_models
import summand_testing

ROOT = summand_testing.ROOT
READMES = ("README.md", "README.zh.md")


def documents():
    return [ROOT / "README.md", ROOT / "README.zh.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def commands(text):
    """The `summand …` lines of the console blocks."""
    for block in re.findall(r"```(?:console|sh)\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if line.startswith("$ build/bin/summand "):
                yield line[2:]


def outputs(text):
    """(command, lines shown below it) of the console blocks; only commands that have such lines."""
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for command, shown in re.findall(r"^\$ (build/bin/summand .*)\n((?:(?!\$ ).*\n)+)", block, re.MULTILINE):
            yield command, shown.rstrip("\n").splitlines()


def is_output(shown, printed):
    """Whether these lines are what was printed; a line of "…" stands for any that are left out."""
    pattern = "".join("(?:.*\n)*?" if line.strip() == "…" else re.escape(line.rstrip()) + "\n" for line in shown)
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in printed.splitlines())) is not None


def variables_used_before_they_are_set(path):
    """Of a README, whose reader pastes one line after another."""
    known = {"PWD"}
    for block in re.findall(r"```console\n(.*?)```", path.read_text(), re.DOTALL):
        for line in block.splitlines():
            for name in set(re.findall(r"\$([A-Z_]+)", line)) - known:
                yield f"{path.name}: {line}: {name} has not been set"
            known.update(re.findall(r"^\$ ([A-Z_]+)=", line))


def model_lines_without_a_model(path):
    """README lines that set MODEL to what is no directory."""
    lines = re.findall(r"^\$ (MODEL=.*)$", path.read_text(), re.MULTILINE)
    if not lines:
        yield f"{path.name}: no line sets MODEL"
    for line in lines:
        if subprocess.run(["bash", "-c", f'{line}; test -f "$MODEL/config.json"'], cwd=ROOT).returncode != 0:
            yield f"{path.name}: {line}: there is no model"


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


def differences_between_languages():
    english, chinese = (shape(ROOT / name) for name in READMES)
    for what, shown in english.items():
        if shown != chinese[what]:
            yield f"{' and '.join(READMES)} differ in their {what}: {shown} and {chinese[what]}"


def broken_links(path):
    for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", path.read_text()):
        if "://" not in target and not (path.parent / target).exists():
            yield f"{path.name}: {target} does not exist"


def again(path, command, done):
    """Whether a document shows what another has shown: the Chinese README does, and a report takes over a minute."""
    return command in done and (path.name == READMES[1] or command.startswith("build/bin/summand lab "))


def models(folder):
    """What the documents' variables stand for: the real model, a random Chinese one, and a random one for each head."""
    kinds = {
        "MASKED_LM": ("masked-lm", {}),
        "PAIRS": ("next-sentence", {}),
        "CLASSIFIER": ("sequence-classification", {"num_labels": 5}),
        "RERANKER": ("sequence-classification", {"num_labels": 1}),
        "ANSWERER": ("question-answering", {}),
        "TAGGER": ("token-classification", {"id2label": {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC", 4: "I-LOC"}}),
    }
    variables = {"MODEL": str(summand_testing.minilm()), "CHINESE": str(pathlib.Path(folder) / "chinese")}
    head_models.head_directory(variables["CHINESE"], "masked-lm", vocabulary="chinese")
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
    failures, done = list(verbs_without_their_place()) + list(differences_between_languages()), {}
    for name in READMES:
        failures += variables_used_before_they_are_set(ROOT / name)
        failures += model_lines_without_a_model(ROOT / name)
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | models(folder)
        for number, path in enumerate(documents()):
            scratch = pathlib.Path(folder) / str(number)  # instead of /tmp: results that are there are not replaced
            scratch.mkdir()
            failures += broken_links(path)
            text = path.read_text()
            for command in commands(text):
                if again(path, command, done):
                    continue
                shown = command.replace("build/bin", str(summand_testing.BIN)).replace("/tmp/", f"{scratch}/")
                result = subprocess.run(["bash", "-uc", shown], cwd=ROOT, env=environment, capture_output=True, text=True)
                done[command] = result.stdout
                if result.returncode != 0:
                    failures.append(f"{path.name}: {command}: {result.stderr.strip()}")
            for command, shown in outputs(text):
                if not is_output(shown, done[command]):
                    failures.append(f"{path.name}: {command}: shows other lines than it prints:\n{done[command]}")
    print("\n".join(failures))
    print(f"{len(done)} commands run, {len(failures)} failures")
    return 1 if failures or not done else 0


if __name__ == "__main__":
    sys.exit(main())
