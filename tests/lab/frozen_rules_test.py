"""Every rule is as it was frozen, or stands in docs/rules.md among those reworded, changed or written since."""

import json
import re
import subprocess

import summand_testing


def rows_since(page, tag):
    """The claims that have a row below the heading of the tag."""
    heading = f"## Since {tag}\n"
    assert heading in page, f"docs/rules.md: expected the heading '{heading.strip()}'"
    below = page.split(heading)[1].split("\n## ")[0]
    cells = [line.split("|")[1] for line in below.splitlines() if line.startswith("|")]
    return {claim for cell in cells for claim in re.findall(r"[\w.]+", cell)}


def unexplained(rules, page):
    """Rules that are not as they were, and have no row."""
    for rule in rules:
        state, tag, reworded = re.fullmatch(r"(frozen in|changed since|newer than) ([\w-]+)(, reworded since)?",
                                            rule["state"]).groups()
        if (state != "frozen in" or reworded) and rule["claim"] not in rows_since(page, tag):
            yield f"{rule['claim']}: {rule['state']}, and docs/rules.md has no row of it"


def check_can_fail():
    page = "# Rules\n\n| E2 | before |\n\n## Since rules-1\n\n| claim | before |\n|---|---|\n| E1, X1 | a bar |\n"
    changed = {"state": "changed since rules-1"}
    assert not list(unexplained([{"claim": "E1"} | changed, {"claim": "X1"} | changed], page))
    assert not list(unexplained([{"claim": "E2", "state": "frozen in rules-1"}], page))
    for state in ("changed since rules-1", "newer than rules-1", "frozen in rules-1, reworded since"):
        assert len(list(unexplained([{"claim": "E2", "state": state}], page))) == 1, state


def main():
    check_can_fail()
    listed = subprocess.run([summand_testing.BIN / "summand", "lab", "list", "--json"], capture_output=True, check=True)
    rules = [rule for experiment in json.loads(listed.stdout) for rule in experiment["rules"]]
    assert len(rules) > 40, len(rules)
    page = (summand_testing.ROOT / "docs/rules.md").read_text(encoding="utf-8")
    found = list(unexplained(rules, page))
    assert not found, "\n".join(found)
    frozen = sum(rule["state"].startswith("frozen") for rule in rules)
    reworded = sum("reworded" in rule["state"] for rule in rules)
    print(f"{frozen} of {len(rules)} rules are frozen, {reworded} of them in other words, which docs/rules.md lists like changes")


if __name__ == "__main__":
    main()
