"""The programs that lie beside the package: `summand`, which runs the laboratory and the trainer."""

from __future__ import annotations

import codecs
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from .errors import Error, IoError, UsageError

HERE = pathlib.Path(__file__).parent  # of an installed package, or of links in build/python/summand
BAD_USAGE = 2
TRAINING = ("pretrain", "finetune", "study")
TORCH = "2.13."  # the versions whose libtorch the trainer takes: pyproject.toml
MOST_BYTES = 131071  # of a word of a command line: Linux's MAX_ARG_STRLEN, less its zero byte
ARGUMENTS = {"sentence": "sentences", "output": "folder", "o": "folder"}  # where options of the program have other names


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


def run(words, *, given=None, shows_progress=False):
    """Runs `summand WORDS`. Ctrl-C ends it.

    given           text for its standard input
    shows_progress  writes to sys.stderr what it writes on a terminal

    Returns what ended, with `stdout` and `stderr`.

    Raises UsageError for a bad argument, Error otherwise, with the program's own line in the names of Python's arguments."""
    require_trainer(words[0])
    command = [os.fspath(word) for word in words]
    _check(command)
    command.insert(0, os.fspath(path()))
    environment = {"SUMMAND_PYTHON": sys.executable or ""} | os.environ  # draws figures as SVG
    if shows_progress:
        done = _shown(command, environment)
    else:
        done = subprocess.run(command, input=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace", env=environment)
    if done.returncode != 0:
        lines = done.stderr.strip().splitlines() or [f"summand ended with status {done.returncode}"]
        raise (UsageError if done.returncode == BAD_USAGE else Error)(_in_names_of_python(lines[-1]))
    return done


def _check(words):
    """What the system refuses in a command line."""
    for option, word in zip(["", *words], words):
        if "\0" in word:
            raise UsageError(f"[{_argument(option)}] expected no zero byte, got one at {word.index(chr(0))}")
        if (size := len(os.fsencode(word))) > MOST_BYTES:
            raise UsageError(f"[{_argument(option)}] expected at most {MOST_BYTES} bytes, got {size}")


def _argument(option):
    """The name in Python of an option of the program."""
    name = option.lstrip("-").replace("-", "_")
    return ARGUMENTS.get(name, name)


def _in_names_of_python(line):
    """A line of an error of the program, `[--only] expected …`, as `[only] expected …`."""
    line = re.sub("^summand(-lab)?: ", "", line)
    line = re.sub(r"^\[command line\] [a-z ]+: (--[a-z-]+): ", r"[\1] ", line)
    line = re.sub(r"^\[(--[a-z-]+|max-length)\]", lambda found: f"[{_argument(found[1])}]", line)
    return re.sub("; see [a-z ]*--help$", "", line).replace("see 'summand lab list'", "see summand.experiments()")


def _shown(command, environment):
    """Runs a command whose standard error is a terminal, and writes to sys.stderr what comes there."""
    ours, theirs = os.openpty()
    said, decoder = "", codecs.getincrementaldecoder("utf-8")("replace")
    with open(ours, "rb", buffering=0) as terminal, tempfile.TemporaryFile() as printed:
        try:
            process = subprocess.Popen(command, stdout=printed, stderr=theirs, env=environment)
        finally:
            os.close(theirs)
        try:
            while block := _read(terminal):
                text = decoder.decode(block)
                said += text
                sys.stderr.write(text)
                sys.stderr.flush()
            process.wait()
        except BaseException:
            process.kill()
            process.wait()
            raise
        printed.seek(0)
        return subprocess.CompletedProcess(command, process.returncode, printed.read().decode(), said)


def _read(terminal):
    """Bytes of a pseudo-terminal; none when the program at its other end has gone."""
    try:
        return terminal.read(4096)
    except OSError:
        return b""


def main():
    """`summand` on the command line: becomes the program."""
    try:
        require_trainer(sys.argv[1] if len(sys.argv) > 1 else "")
        program = path()
    except Error as fault:
        sys.exit(f"summand: {fault}")
    os.execv(program, [os.fspath(program), *sys.argv[1:]])
