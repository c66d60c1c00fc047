"""Running the program as a user does."""

import subprocess
import sys

import summand_testing

# A child's peak counts that of the process it was forked from, so a small process has to start it.
PEAK = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024)"""


def summand(*arguments, stdin=None, **options):
    """The finished process; output as text."""
    command = [str(summand_testing.BIN / "summand"), *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, **options)


def peak_bytes(*arguments):
    """Most resident bytes of a run that has to succeed, as the system counted them when it ended."""
    launcher = [sys.executable, "-I", "-S", "-c", PEAK, str(summand_testing.BIN / "summand"), *map(str, arguments)]
    return int(subprocess.run(launcher, capture_output=True, text=True, check=True).stdout)
