"""For tests of bench/: its modules can be imported, and checks run one after the other under their names."""

import sys

import summand_testing

sys.path.insert(0, str(summand_testing.ROOT / "bench"))


def run(checks):
    """Runs functions whose names are sentences; the exit status for the test."""
    for check in checks:
        check()
        print(check.__name__.replace("_", " "))
    print(f"{len(checks)} checks hold")
    return 0
