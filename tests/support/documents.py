"""The documents of this repository, and the commands that they show."""

import re

import summand_testing

ROOT = summand_testing.ROOT
READMES = ("README.md", "README.zh.md")


def all_documents():
    return [*(ROOT / name for name in READMES), ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


SHOWN = "(?:build/bin/summand|curl) "


def commands(text):
    """The `summand …` and `curl …` lines of the console blocks."""
    for block in re.findall(r"```(?:console|sh)\n(.*?)```", text, re.DOTALL):
        for line in block.splitlines():
            if re.match(rf"\$ {SHOWN}", line):
                yield line[2:]


def outputs(text):
    """{command: lines shown below it} of the console blocks; only commands that have such lines."""
    shown = {}
    for block in re.findall(r"```console\n(.*?)```", text, re.DOTALL):
        for command, lines in re.findall(rf"^\$ ({SHOWN}.*)\n((?:(?!\$ ).*\n)+)", block, re.MULTILINE):
            shown[command] = lines.rstrip("\n").splitlines()
    return shown


def programs(text):
    """The Python blocks."""
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)
