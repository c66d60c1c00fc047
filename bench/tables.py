#!/usr/bin/env python3
"""Writes the tables of README.md, README.zh.md and docs/performance.md, and the figure, anew from docs/performance.json.

With --check nothing is written, and the exit status says whether something would be.
"""

import json
import pathlib
import sys

from comparison import figure
from comparison.documents import renewed

ROOT = pathlib.Path(__file__).resolve().parents[1]
FIGURE = "docs/figures/performance.svg"
DOCUMENTS = ("README.md", "README.zh.md", "docs/performance.md")


def main():
    results = json.loads((ROOT / "docs" / "performance.json").read_text())
    stale = []
    for name in (*DOCUMENTS, FIGURE):
        path = ROOT / name
        text = path.read_text()
        wanted = figure.svg(results) if name == FIGURE else renewed(text, results, "zh" if ".zh." in name else "en")
        same = figure.texts(wanted) == figure.texts(text) if name == FIGURE else wanted == text
        if same:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(wanted)
    print("as docs/performance.json has it" if not stale else "not as docs/performance.json has it: " + ", ".join(stale))
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
