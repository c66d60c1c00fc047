#!/usr/bin/env python3
"""Writes the tables of README.md, README.zh.md, docs/performance.md and docs/performance/promises.md, and the figures, from
the JSON files of docs/performance: one for each kind of processor, the newest first.

With --check nothing is written, and the exit status says whether something would be.
"""

import json
import pathlib
import sys

from comparison import figure
from comparison.documents import BEGIN, renewed

ROOT = pathlib.Path(__file__).resolve().parents[1]
# And the tables that each has.
DOCUMENTS = {
    "README.md": ["speed in short"],
    "README.zh.md": ["speed in short"],
    "docs/performance.md": ["speed", "quality"],
    "docs/performance/promises.md": ["targets"],
}


def runs():
    """File name without its ending → results, the newest first."""
    read = {path.stem: json.loads(path.read_text()) for path in sorted((ROOT / "docs" / "performance").glob("*.json"))}
    return dict(sorted(read.items(), key=lambda item: item[1]["date"], reverse=True))


def main():
    known, stale = runs(), []
    wanted = {f"docs/figures/performance-{kind}.svg": figure.svg(results) for kind, results in known.items()}
    for name, blocks in DOCUMENTS.items():
        text = (ROOT / name).read_text()
        if missing := [block for block in blocks if BEGIN.format(block) not in text]:
            raise SystemExit(f"{name}: expected a place for the table '{missing[0]}', got none")
        wanted[name] = renewed(text, list(known.values()), "zh" if ".zh." in name else "en")
    left = {path.name for path in (ROOT / "docs" / "figures").glob("performance-*.svg")} - {pathlib.Path(name).name for name in wanted}
    if left:
        raise SystemExit(f"docs/figures/{min(left)}: expected a file of docs/performance that it is drawn from, got none")
    for name, text in wanted.items():
        path = ROOT / name
        there = path.read_text() if path.exists() else ""
        if figure.texts(text) == figure.texts(there) if name.endswith(".svg") and there else text == there:
            continue
        stale.append(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
    print("as docs/performance has it" if not stale else "not as docs/performance has it: " + ", ".join(stale))
    return 1 if stale and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
