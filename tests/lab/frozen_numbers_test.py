"""A rule measures what it measured when its hash was written down: nothing changes behind sentences that stay.

frozen_numbers.json holds, by claim, the rule's hash, its observation and the number that decides it, for a quick run with
seed 0 on the tiny masked-language model and, of claims about circles, on planted ones. Where another number comes out
under the same hash, the rule asks something else than it says: raise its revision, give it a row in docs/rules.md, and
write the file anew:

    PYTHONPATH=tests/support .venv/bin/python tests/lab/frozen_numbers_test.py --write
"""

import json
import pathlib
import subprocess
import sys
import tempfile

import summand_testing

MODEL = summand_testing.ROOT / "tests" / "data" / "tiny_mlm"
FILE = pathlib.Path(__file__).with_name("frozen_numbers.json")
# Sums are ordered alike on every machine, but products of the model differ in their last bits between instruction sets.
TOLERANCE = 0.01
# Networks that are trained until they stop, and trees, carry last bits further.
LEARNED = {"E8", "E9", "E10"}
LEARNED_TOLERANCE = 0.3
NEAR_ZERO = 1e-3


def ran(arguments):
    done = subprocess.run([summand_testing.BIN / "summand", "lab", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def measured(results):
    """claim → hash, observation and deciding number of every claim on data that was judged."""
    found = {}
    for claim in results["claims"]:
        if claim.get("kind") != "data" or not claim.get("number"):
            continue
        number = claim["numbers"][claim["number"]]
        found[claim["id"]] = {
            "hash": claim["rule"]["hash"],
            "observation": claim["observation"],
            "number": claim["number"],
            "value": number["value"],
        }
    return found


def run_all(folder):
    results = []
    circles = folder / "circles"
    ran(["plant", "clocks", "-o", circles, "--rows", "256", "--columns", "48"])
    of_circles = ["--table", circles / "table.npy", "--only", "clocks"]
    for name, arguments in {"model": ["--model", MODEL], "table": of_circles}.items():
        ran([*arguments, "-o", folder / name, "--quick", "--seed", "0"])
        results.append(measured(json.loads((folder / name / "results.json").read_text())))
    of_model, of_table = results
    return of_model | of_table


def differs(claim, before, now):
    """What a reader of the rule has to be told; None where it measures what it measured."""
    if before["hash"] != now["hash"]:
        return f"{claim}: its rule has another hash: write the numbers anew"
    tolerance = LEARNED_TOLERANCE if claim in LEARNED else TOLERANCE
    allowed = tolerance * max(abs(before["value"]), abs(now["value"])) + NEAR_ZERO
    if before["number"] == now["number"] and abs(before["value"] - now["value"]) <= allowed:
        if before["observation"] == now["observation"] or claim in LEARNED:
            return None
    return (
        f"{claim}: expected {before['observation']}, {before['number']} {before['value']:.6g}; got {now['observation']}, "
        f"{now['number']} {now['value']:.6g}: under the same hash it measures something else"
    )


def check_can_fail():
    one = {"hash": "a", "observation": "holds", "number": "r2", "value": 0.5}
    assert differs("E1", one, dict(one)) is None and differs("E1", one, one | {"value": 0.5001}) is None
    for change in ({"hash": "b"}, {"observation": "fails"}, {"number": "p"}, {"value": 0.52}):
        assert differs("E1", one, one | change), change
    assert differs("E8", one, one | {"value": 0.52}) is None and differs("E8", one, one | {"value": 0.9})


def main():
    check_can_fail()
    with tempfile.TemporaryDirectory() as folder:
        now = run_all(pathlib.Path(folder))
    if "--write" in sys.argv:
        FILE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
        print(f"{len(now)} claims written to {FILE.relative_to(summand_testing.ROOT)}")
        return
    before = json.loads(FILE.read_text())
    found = [differs(claim, before[claim], now[claim]) for claim in before if claim in now]
    found += [f"{claim}: not measured any more" for claim in before if claim not in now]
    found += [f"{claim}: measured, but not written down" for claim in now if claim not in before]
    found = [line for line in found if line]
    assert not found, "\n".join(found)
    print(f"{len(before)} rules measure what they measured when their hashes were written down")


if __name__ == "__main__":
    main()
