"""Running the program as a user does."""

import subprocess

import summand_testing


def summand(*arguments, stdin=None, **options):
    """The finished process; output as text."""
    command = [str(summand_testing.BIN / "summand"), *map(str, arguments)]
    return subprocess.run(command, input=stdin, capture_output=True, text=True, **options)
