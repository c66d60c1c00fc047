"""A program outside the tree builds and runs against what `cmake --install` leaves, with the tree and .venv hidden."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import head_models
import numpy as np
import summand_testing

ROOT, BUILD = summand_testing.ROOT, summand_testing.BUILD
TEXTS = ["The bank of the river.", "", "我喜欢猫", "word " * 300]
# What the system gives to every program, and what the package names.
LIBRARIES = r"(libfmt|libstdc\+\+|libm|libgcc_s|libc|ld-linux-x86-64|ld-linux-aarch64|linux-vdso)\.so(\.\d+)?"

INPUTS = r"(libz|libzstd)\.so\.\d+"  # compressed files are read by the program, not by the library


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


def run_ok(*command, **options):
    result = run(*command, **options)
    assert result.returncode == 0, f"{command}\n{result.stdout}\n{result.stderr}"
    return result.stdout


def can_hide():
    return shutil.which("unshare") and run("unshare", "--user", "--map-root-user", "--mount", "true").returncode == 0


class Installed(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory(prefix="summand_package_")
        cls.addClassCleanup(keep.cleanup)
        cls.folder = pathlib.Path(keep.name)
        run_ok("cmake", "--install", BUILD, "--prefix", cls.folder / "first")
        # Nothing may depend on where it was installed to.
        cls.prefix = (cls.folder / "first").rename(cls.folder / "prefix")
        cls.source = cls.folder / "program"
        cls.source.mkdir()
        for path in [ROOT / "examples" / "CMakeLists.txt", *(ROOT / "examples").glob("*.cpp")]:
            shutil.copy(path, cls.source)
        cls.model = shutil.copytree(summand_testing.minilm(), cls.folder / "model")
        cls.built = cls.folder / "built"
        cls.hiding = can_hide()
        print(f"the tree and .venv are {'mounted over' if cls.hiding else 'looked for in files only: unshare is refused'}")
        cls.outside("cmake", "-S", cls.source, "-B", cls.built, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={cls.prefix}")
        cls.outside("cmake", "--build", cls.built)

    @classmethod
    def outside(cls, *command, **variables):
        """Runs a command that sees neither the tree nor .venv, and returns what it prints."""
        environment = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": str(cls.folder), **variables}
        if not cls.hiding:
            return run_ok(*command, cwd=cls.folder, env=environment)
        hidden = [path.resolve() for path in (ROOT / ".venv", BUILD, ROOT / "src", ROOT / "include", ROOT / "cmake")]
        empty = cls.folder / "empty"
        empty.mkdir(exist_ok=True)
        mounts = " && ".join(f"mount --bind '{empty}' '{path}'" for path in hidden)
        script = f'{mounts} && ! [ -e "{BUILD}/bin" ] && exec "$@"'
        return run_ok("unshare", "--user", "--map-root-user", "--mount", "bash", "-c", script, "bash", *command,
                      cwd=cls.folder, env=environment)  # fmt: skip

    def places(self):
        """Names under which installed files would show the tree."""
        return {str(path) for path in (ROOT, ROOT.resolve(), BUILD.resolve(), (ROOT / ".venv").resolve())}

    def programs(self):
        names = [path.stem for path in (ROOT / "examples").glob("*.cpp")]
        return [self.built / f"example_{name}" for name in names] + [self.prefix / "bin" / "summand"]

    def test_every_public_header_is_installed_and_compiles_alone_without_a_warning(self):
        headers = sorted(path.name for path in (ROOT / "include/summand").glob("*.hpp"))
        self.assertEqual(sorted(path.name for path in (self.prefix / "include/summand").iterdir()), headers)
        warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
        for header in headers:
            lines = f'#include "summand/{header}"\n#include "summand/{header}"\nint main() {{}}\n'
            run_ok("g++", "-std=c++20", *warnings, "-fsyntax-only", f"-I{self.prefix}/include", "-x", "c++", "-", input=lines)

    def test_no_installed_or_built_file_names_the_tree_or_the_virtual_environment(self):
        trainer = self.prefix / "bin" / "summand-train"  # names libtorch's place: docs/decisions/package.md
        files = [path for path in self.prefix.rglob("*") if path.is_file() and path != trainer] + self.programs()
        self.assertGreater(len(files), 20)
        for path in files:
            content = path.read_bytes()
            for place in [*self.places(), str(self.folder / "first")]:
                self.assertNotIn(place.encode(), content, path)

    def test_programs_need_only_system_libraries_and_fmt_and_no_onednn(self):
        for program in self.programs():
            dynamic = run_ok("readelf", "-d", program)
            self.assertNotRegex(dynamic, r"R(UN)?PATH")
            needed = re.findall(r"NEEDED.*\[(.*)\]", dynamic)
            self.assertIn("libstdc++.so.6", needed)
            for name in needed:
                more = INPUTS if program == self.prefix / "bin" / "summand" else "libsummand.*"
                self.assertRegex(name, f"^({LIBRARIES}|{more})$")
        symbols = run_ok("nm", "-u", "-C", self.prefix / "bin" / "summand")
        self.assertNotRegex(symbols, r"dnnl|omp_")

    def test_vectors_have_the_bits_of_the_program_in_the_tree_on_every_instruction_set(self):
        texts, out = self.folder / "texts.txt", self.folder / "vectors.npy"
        texts.write_text("".join(text + "\n" for text in TEXTS))
        sets = json.loads(run_ok(BUILD / "bin/summand", "info", "--json"))["instruction_sets"]
        self.assertIn("generic", sets)
        for name in sets:
            environment = os.environ | {"SUMMAND_ISA": name}
            run_ok(BUILD / "bin/summand", "embed", "--model", self.model, texts, "-o", out, "--overwrite", env=environment)
            printed = self.outside(self.built / "example_embed", self.model, *TEXTS, SUMMAND_ISA=name)
            vectors = np.array([line.split() for line in printed.splitlines()]).astype(np.float32)
            self.assertTrue(np.array_equal(vectors.view(np.uint32), np.load(out).view(np.uint32)), name)
            installed = self.outside(self.prefix / "bin/summand", "info", SUMMAND_ISA=name)
            self.assertRegex(installed, f"instruction set +{name}\n")

    def test_an_instruction_set_that_the_machine_lacks_is_one_line(self):
        result = run(self.built / "example_embed", self.model, "a", env={"SUMMAND_ISA": "sse1"})
        self.assertEqual((result.returncode, result.stdout), (1, ""))
        self.assertRegex(result.stderr, r"^\[SUMMAND_ISA\] expected one that this machine has \(.*\), got 'sse1'\n$")

    def test_every_example_runs_outside_the_tree(self):
        heads = {"classify": "sequence-classification", "rerank": "sequence-classification", "fill_mask": "masked-lm",
                 "tag": "token-classification"}  # fmt: skip
        takes_one_text = {"tokenize", "hidden_states", "fill_mask", "tag"}
        for path in (ROOT / "examples").glob("*.cpp"):
            model = self.model
            if path.stem in heads:
                changes = {"num_labels": 1} if path.stem == "rerank" else {}
                model = head_models.head_directory(self.folder / path.stem, heads[path.stem], **changes)[0]
            texts = ["a [MASK] cat", "a kitten"][: 1 if path.stem in takes_one_text else 2]
            if path.stem == "search":
                texts[0] = ROOT / "examples/sentences.txt"
            self.assertTrue(self.outside(self.built / f"example_{path.stem}", model, *texts).strip(), path)

    def test_the_laboratory_runs_outside_the_tree(self):
        table = self.folder / "table.npy"
        np.save(table, np.cumsum(np.random.default_rng(3).normal(size=(80, 20)), axis=0))
        report = self.folder / "report"
        program = self.prefix / "bin/summand"
        printed = self.outside(program, "lab", "--table", table, "-o", report, "--quick", "--only", "spectrum")
        self.assertIn("components above 1 %", printed)
        self.assertTrue((report / "index.html").is_file())
        # What draws figures is not installed: a Python that the reader names, or the system's.
        drawn = run(program, "lab", "--table", table, "-o", report, "--quick", "--only", "spectrum", "--figures", "svg",
                    env=os.environ | {"SUMMAND_PYTHON": str(self.folder / "absent")})  # fmt: skip
        self.assertEqual(drawn.returncode, 1)
        self.assertIn("set SUMMAND_PYTHON to one", drawn.stderr)

    def test_the_trainer_is_installed_where_it_is_built_and_finds_libtorch(self):
        result = run(self.prefix / "bin" / "summand", "pretrain", "--help")
        if not (BUILD / "bin" / "summand-train").exists():
            self.assertEqual(result.returncode, 1)
            self.assertIn("is not built: 'make train' builds it", result.stderr)
            return
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("--tokenizer DIR", result.stdout)
        paths = re.findall(r"R(?:UN)?PATH.*\[(.*)\]", run_ok("readelf", "-d", self.prefix / "bin" / "summand-train"))
        self.assertEqual(len(paths), 1)
        self.assertTrue((pathlib.Path(paths[0]) / "libtorch_cpu.so").exists(), paths)

    def test_another_minor_version_is_refused_and_a_patch_is_not(self):
        version = run_ok(self.prefix / "bin/summand", "--version").strip()
        major, minor, patch = map(int, version.split("."))
        self.assertIn(f'PACKAGE_VERSION "{version}"', (self.prefix / "lib/cmake/summand/summandConfigVersion.cmake").read_text())
        for wanted, status in [(f"{major}.{minor}", 0), (version, 0), (f"{major}.{minor}.{patch + 1}", 1),
                               (f"{major}.{minor + 1}", 1), (f"{major + 1}", 1)]:  # fmt: skip
            project = self.folder / f"asks_{wanted}"
            project.mkdir()
            (project / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(asks LANGUAGES CXX)\n"
                f"find_package(summand {wanted} CONFIG REQUIRED)\n")  # fmt: skip
            result = run("cmake", "-S", project, "-B", project / "b", f"-DCMAKE_PREFIX_PATH={self.prefix}")
            self.assertEqual(result.returncode, status, (wanted, result.stderr))

    def test_pkg_config_gives_what_a_compiler_needs(self):
        environment = os.environ | {"PKG_CONFIG_PATH": str(self.prefix / "lib/pkgconfig")}
        flags = run_ok("pkg-config", "--cflags", "--libs", "summand", env=environment).split()
        program = self.folder / "by_hand"
        run_ok("g++", self.source / "embed.cpp", "-o", program, *flags)
        texts = ["a cat", "a kitten"]
        self.assertEqual(run_ok(program, self.model, *texts), run_ok(self.built / "example_embed", self.model, *texts))


def skip_unless_release():
    """Assertions name source files, and sanitizers link libraries of their own: nobody installs such a build."""
    names = "CMAKE_BUILD_TYPE", "SUMMAND_ASSERTIONS", "SUMMAND_SANITIZE"
    kind = {name: summand_testing.build_setting(name) for name in names}
    if kind != {"CMAKE_BUILD_TYPE": "Release", "SUMMAND_ASSERTIONS": "OFF", "SUMMAND_SANITIZE": ""}:
        print(f"skipped: a package is made from a release build, this is {kind}")
        sys.exit(77)


if __name__ == "__main__":
    skip_unless_release()
    sys.exit(0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1)
