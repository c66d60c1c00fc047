"""Every quote of the ledger stands on its line of the founding document, but for Markdown's and LaTeX's marks."""

import json
import re
import subprocess

import summand_testing


def without_marks(text):
    """As printed: no bold or heading stars, no dollar signs, no backslash before a bracket."""
    return re.sub(r"\*\*+|\$", "", text).replace("\\[", "[").replace("\\]", "]")


def misquoted(rows, documents):
    """The rows whose quote does not stand on the line that they name."""
    for row in rows:
        lines = documents[row["document"]]
        line = lines[row["line"] - 1] if 1 <= row["line"] <= len(lines) else ""
        if not row["quote"] or (row["quote"] not in line and row["quote"] not in without_marks(line)):
            yield f"{row['id']}: line {row['line']} of {row['document']} does not hold '{row['quote']}'"


def check_can_fail():
    row = {"id": "1", "document": "000", "quote": "a b[x]", "line": 2}
    documents = {"000": ["a b[x]", "**a** b\\[x\\]"]}
    assert not list(misquoted([row], documents))
    for change in ({"line": 3}, {"line": 0}, {"quote": "a  b"}, {"quote": ""}):
        assert len(list(misquoted([row | change], documents))) == 1, change


def main():
    check_can_fail()
    founding = summand_testing.shared("founding")
    # Lines end with '\n' alone, as editors count them.
    documents = {path.name[:3]: path.read_text(encoding="utf-8").split("\n") for path in founding.glob("*.txt")}
    probe = subprocess.run([summand_testing.BIN / "ledger_probe"], capture_output=True, check=True)
    # Beyond the documents there is nothing to quote.
    rows = [row for row in json.loads(probe.stdout) if row["document"] != "own"]
    assert len(rows) == 53 and set(documents) == {row["document"] for row in rows}, (len(rows), sorted(documents))
    found = list(misquoted(rows, documents))
    assert not found, "\n".join(found)
    print(f"{len(rows)} quotes stand where the ledger says")


if __name__ == "__main__":
    main()
