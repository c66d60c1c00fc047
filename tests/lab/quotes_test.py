"""Every quote of the ledger stands on its line of the founding document, but for Markdown's and LaTeX's marks; the README names
the documents, and what the ledger says of files that come along stands in these."""

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


def not_named(addresses, readme):
    """The documents that a reader of the README does not learn of."""
    return [address for address in addresses if address and address not in readme]


def unsupported(rows, root):
    """What is said of a file that comes along, with a number that the file does not have."""
    for row in rows:
        for text in filter(None, row["so_far"]):
            files = re.findall(r"`([^`]+)`", text)
            held = "".join((root / file).read_text(encoding="utf-8") for file in files)
            missing = [number for number in re.findall(r"\d+\.\d+", text) if number not in held]
            if not files or missing:
                yield f"{row['id']}: {files} do not have {missing}"


def check_what_comes_along(ledger):
    root = summand_testing.ROOT
    for name, language_model in (("README.md", "language model's answer"), ("README.zh.md", "语言模型")):
        readme = (root / name).read_text(encoding="utf-8")
        assert not not_named(ledger["addresses"], readme), (name, not_named(ledger["addresses"], readme))
        assert language_model in readme.replace("\n", " "), name
    assert not_named(["https://nowhere"], "elsewhere")
    assert sum(bool(row["so_far"][0]) for row in ledger["claims"]) >= 2
    assert not list(unsupported(ledger["claims"], root)), list(unsupported(ledger["claims"], root))
    assert list(unsupported([{"id": "1", "so_far": ["`README.md` has 123.456789"]}], root))


def main():
    check_can_fail()
    probe = subprocess.run([summand_testing.BIN / "ledger_probe"], capture_output=True, check=True)
    ledger = json.loads(probe.stdout)
    check_what_comes_along(ledger)
    founding = summand_testing.shared("founding")
    # Lines end with '\n' alone, as editors count them.
    documents = {path.name[:3]: path.read_text(encoding="utf-8").split("\n") for path in founding.glob("*.txt")}
    # Beyond the documents there is nothing to quote.
    rows = [row for row in ledger["claims"] if row["document"] != "own"]
    assert len(rows) == 53 and set(documents) == {row["document"] for row in rows}, (len(rows), sorted(documents))
    found = list(misquoted(rows, documents))
    assert not found, "\n".join(found)
    print(f"{len(rows)} quotes stand where the ledger says")


if __name__ == "__main__":
    main()
