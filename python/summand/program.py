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
TRAINING = ("pretrain", "finetune", "study")
TORCH = "2.13."  # the versions whose libtorch the trainer takes: pyproject.toml


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


def require_trainer(verb):
    """Whether a wheel's program can train: it may have been built without the trainer, and libtorch is the user's.

    Raises IoError with what is missing."""
    if verb not in TRAINING or path().parent != HERE / "bin":
        return
    if not (HERE / "bin" / "summand-train").is_file():
        raise IoError(f"[{verb}] expected a wheel with the trainer: in a clone, SUMMAND_WITH_TRAINER=1 pip install '.[train]'")
    import importlib.metadata

    try:
        torch = importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        torch = "none"
    if not torch.startswith(TORCH):
        raise IoError(f"[{verb}] expected torch {TORCH}0 for its libtorch, got {torch}: pip install torch=={TORCH}0")


def run(words, *, shows_errors=False):
    """What `summand WORDS` prints. Ctrl-C ends it.

    Raises UsageError for a bad argument, Error otherwise, with the program's own line."""
    require_trainer(words[0])
    done = subprocess.run([path(), *map(os.fspath, words)], stdout=subprocess.PIPE, stderr=None if shows_errors else subprocess.PIPE, text=True)
    if done.returncode != 0:
        lines = (done.stderr or f"summand ended with status {done.returncode}").strip().splitlines()
        message = lines[-1].removeprefix("summand: ").removeprefix("summand-lab: ")
        raise (UsageError if done.returncode == BAD_USAGE else Error)(message)
    return done.stdout


def main():
    """`summand` on the command line: becomes the program."""
    try:
        require_trainer(sys.argv[1] if len(sys.argv) > 1 else "")
        program = path()
    except Error as fault:
        sys.exit(f"summand: {fault}")
    os.execv(program, [os.fspath(program), *sys.argv[1:]])
