"""Commands that the README and the docs show run, and what they point at exists."""

import pathlib
import re
import subprocess
import sys

import summand_testing

ROOT = summand_testing.ROOT


def documents():
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


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


def main():
    failures, count = [], 0
    for path in documents():
        failures += broken_links(path)
        for command in commands(path.read_text()):
            count += 1
            shown = command.replace("build/bin", str(summand_testing.BIN)).replace("$MODEL", str(summand_testing.minilm()))
            result = subprocess.run(["bash", "-c", shown], cwd=ROOT, capture_output=True, text=True)
            if result.returncode != 0:
                failures.append(f"{path.name}: {command}: {result.stderr.strip()}")
    print("\n".join(failures))
    print(f"{count} commands run, {len(failures)} failures")
    return 1 if failures or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
