"""A project of ten lines builds, links and runs with summand inside it, by add_subdirectory and by FetchContent."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import summand_testing

ROOT, BUILD = summand_testing.ROOT, summand_testing.BUILD
# All that the library is made of: the other folders and .venv are not there.
PARTS = ["CMakeLists.txt", "cmake", "include", "src"]
TEXT = "The bank of the river."
WAYS = {
    "add_subdirectory": "add_subdirectory(../summand ${CMAKE_BINARY_DIR}/summand)",
    "fetch_content": "include(FetchContent)\n"
    "FetchContent_Declare(summand URL https://nowhere.invalid/summand.tar.gz BINARY_DIR ${CMAKE_BINARY_DIR}/summand)\n"
    "FetchContent_MakeAvailable(summand)",
}
# What the outer project says, and what has to hold after summand has been added: nothing of it may change.
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(outer LANGUAGES CXX)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_SOURCE_DIR})  # where files are called as summand's are
set(CMAKE_CXX_STANDARD 17)
add_custom_target(docs)
%s
add_executable(outer main.cpp)
target_link_libraries(outer PRIVATE summand::summand)
foreach(name CMAKE_RUNTIME_OUTPUT_DIRECTORY CMAKE_POSITION_INDEPENDENT_CODE CMAKE_EXPORT_COMPILE_COMMANDS CMAKE_TESTING_ENABLED
        CMAKE_MODULE_PATH CMAKE_CXX_STANDARD CMAKE_BUILD_TYPE BUILD_SHARED_LIBS)
  message(STATUS "outer ${name}=${${name}}")
endforeach()
"""
MAIN = """#include <cstdio>
#include <summand/summand.hpp>

int main(int, char** arguments) {
  const auto model = summand::Model::load(arguments[1]);
  const std::vector<summand::Text> texts{arguments[2]};
  const auto embedded = model.embed(texts);
  for (const float x : embedded.vectors.row(0)) std::printf("%.9g ", static_cast<double>(x));
}
"""


def run(*command, **options):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, **options)


class Subproject(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory(prefix="summand_subproject_")
        cls.addClassCleanup(keep.cleanup)
        cls.folder = pathlib.Path(keep.name)
        (cls.folder / "summand").mkdir()
        for part in PARTS:
            (cls.folder / "summand" / part).symlink_to(ROOT / part)
        cls.source = cls.folder / "outer"
        cls.source.mkdir()
        (cls.source / "main.cpp").write_text(MAIN)
        for name in ("Dependencies", "Rooms", "Library", "Package"):
            (cls.source / f"{name}.cmake").write_text('message(FATAL_ERROR "this is not summand\'s file")\n')

    def run_ok(self, *command):
        # Nothing of the caller's environment: no compiler cache, no virtual environment.
        result = run(*command, env={"PATH": os.environ["PATH"], "HOME": str(self.folder)})
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout[-4000:]}\n{result.stderr[-4000:]}")
        return result.stdout

    def built(self, way, **settings):
        """Configures the outer project in the one build folder, so that summand is compiled once, and → what CMake said."""
        (self.source / "CMakeLists.txt").write_text(PROJECT % WAYS[way])
        absent = {f"CMAKE_DISABLE_FIND_PACKAGE_{name}": "ON" for name in ("CLI11", "Eigen3", "PNG", "doctest", "OpenMP")}
        settings = {"CMAKE_BUILD_TYPE": "Debug", "CMAKE_CXX_FLAGS_DEBUG": "-O0",
                    "FETCHCONTENT_SOURCE_DIR_SUMMAND": self.folder / "summand"} | absent | settings  # fmt: skip
        said = self.run_ok("cmake", "-S", self.source, "-B", self.folder / "built", "-G", "Ninja", "--no-warn-unused-cli",
                           *[f"-D{name}={value}" for name, value in settings.items()])  # fmt: skip
        self.made = self.run_ok("cmake", "--build", self.folder / "built")
        return said

    def check_program(self):
        model = summand_testing.minilm()
        printed = self.run_ok(self.folder / "built/outer", model, TEXT)
        out = self.folder / "vector.npy"
        result = run(BUILD / "bin/summand", "embed", "--model", model, "--text", TEXT, "-o", out)
        self.assertEqual(result.returncode, 0, result.stderr)
        # Another optimisation may round otherwise.
        np.testing.assert_allclose(np.array(printed.split(), float), np.load(out)[0], atol=1e-5)
        out.unlink()

    def test_every_way_builds_links_and_runs_and_leaves_the_outer_project_as_it_was(self):
        said = self.built("add_subdirectory")
        self.check_program()
        expected = {"CMAKE_RUNTIME_OUTPUT_DIRECTORY": "", "CMAKE_POSITION_INDEPENDENT_CODE": "", "CMAKE_TESTING_ENABLED": "",
                    "CMAKE_EXPORT_COMPILE_COMMANDS": "", "CMAKE_MODULE_PATH": str(self.source), "CMAKE_CXX_STANDARD": "17",
                    "CMAKE_BUILD_TYPE": "Debug", "BUILD_SHARED_LIBS": ""}  # fmt: skip
        for name, value in expected.items():
            self.assertIn(f"-- outer {name}={value}\n", said)

        self.built("fetch_content")
        self.assertNotIn("summand_api.dir", self.made)  # the same commands: nothing is compiled again
        self.check_program()

        # Objects are position-independent always, so a shared library is made of the same.
        self.built("add_subdirectory", BUILD_SHARED_LIBS="ON")
        self.assertIn("libsummand.so", run("readelf", "-d", self.folder / "built/outer").stdout)
        self.check_program()

        targets = run("cmake", "--build", self.folder / "built", "--target", "help").stdout
        self.assertNotRegex(targets, r"(?m)^(summand|summand-lab|test_\w+|bench_\w+|fuzz_\w+|example_\w+): ")
        cache = (self.folder / "built/CMakeCache.txt").read_text()
        self.assertNotRegex(cache, r"XGBOOST|BOOST_INC|LBFGSPP|ONEDNN|SUMMAND_LAB_PYTHON|CLI11_DIR|Eigen3_DIR|PNG_|doctest_DIR")


if __name__ == "__main__":
    if not shutil.which("ninja"):
        print("skipped: ninja is not installed")
        sys.exit(77)
    unittest.main(verbosity=2)
