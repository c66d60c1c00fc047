"""The programs that lie beside the package: `summand`, which runs the laboratory and the trainer."""

from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import sys

from .errors import Error, IoError, UsageError

HERE = pathlib.Path(__file__).parent  # of an installed package, or of links in build/python/summand
BAD_USAGE = 2


def path():
    """Of `summand`: what SUMMAND_PROGRAM names, else in the wheel, in the build folder around build/python, or on PATH."""
    if named := os.environ.get("SUMMAND_PROGRAM"):
        if not os.access(named, os.X_OK):
            raise IoError(f"[SUMMAND_PROGRAM] expected a program, got {named}")
        return pathlib.Path(named)
    for folder in (HERE / "bin", HERE.parents[1] / "bin"):
        if (folder / "summand").is_file():
            return folder / "summand"
    found = shutil.which("summand")
    if found is None:
        raise IoError(f"[summand] expected the program in {HERE / 'bin'}, got none there or on PATH")
    return pathlib.Path(found)


def run(words, *, shows_errors=False):
    """What `summand WORDS` prints. Ctrl-C ends it.

    Raises UsageError for a bad argument, Error otherwise, with the program's own line."""
    done = subprocess.run([path(), *map(os.fspath, words)], stdout=subprocess.PIPE, stderr=None if shows_errors else subprocess.PIPE, text=True)
    if done.returncode != 0:
        lines = (done.stderr or f"summand ended with status {done.returncode}").strip().splitlines()
        message = lines[-1].removeprefix("summand: ").removeprefix("summand-lab: ")
        raise (UsageError if done.returncode == BAD_USAGE else Error)(message)
    return done.stdout


def main():
    """`summand` on the command line: becomes the program."""
    program = path()
    os.execv(program, [os.fspath(program), *sys.argv[1:]])
