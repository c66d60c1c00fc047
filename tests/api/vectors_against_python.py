"""Stored vectors against sentence-transformers' quantize_embeddings and numpy, byte for byte."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import summand_testing
from sentence_transformers.util import quantize_embeddings

PROBE = summand_testing.BIN / "vectors_probe"
STEPS = ("int8", "uint8")
BITS = ("binary", "ubinary")


class Vectors(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = np.random.default_rng(0)

    def vectors(self, rows, width):
        values = self.random.standard_normal((rows, width)).astype(np.float32)
        values[:, width // 2] = 0.25  # a coordinate that never changes
        values[rows // 2, ::3] = 0
        return values / np.linalg.norm(values, axis=1, keepdims=True)

    def converted(self, vectors, dtype, calibration=None):
        np.save(self.folder / "v.npy", vectors)
        command = [PROBE, self.folder / "v.npy", self.folder / "out.npy", dtype]
        if calibration is not None:
            np.save(self.folder / "c.npy", calibration)
            command.append(self.folder / "c.npy")
        subprocess.run(command, check=True, stderr=subprocess.PIPE, text=True)
        return np.load(self.folder / "out.npy")

    def check(self, vectors, dtype, calibration=None, **expected):
        got = self.converted(vectors, dtype, calibration)
        want = vectors.astype(dtype) if dtype.startswith("float") else quantize_embeddings(vectors, dtype, **expected)
        self.assertEqual(got.dtype, want.dtype)
        np.testing.assert_array_equal(got, want)

    def test_every_type_without_calibration(self):
        for rows, width in ((2, 2), (5, 7), (150, 384), (2500, 65)):
            for dtype in ("float32", "float16", *STEPS, *BITS):
                with self.subTest(dtype=dtype, rows=rows, width=width):
                    self.check(self.vectors(rows, width), dtype)

    def test_calibration_by_vectors_and_by_ranges(self):
        calibration = self.vectors(1200, 384)
        ranges = np.vstack([calibration.min(0), calibration.max(0)])
        for dtype in STEPS:
            vectors = self.vectors(1100, 384) * np.float32(1.5)
            self.check(vectors, dtype, calibration, calibration_embeddings=calibration)
            self.check(vectors, dtype, ranges, ranges=ranges)
            self.check(vectors[:1], dtype, ranges, ranges=ranges)
            np.testing.assert_array_equal(np.load(self.folder / "out.npy.ranges.npy"), ranges)
            for equal in (calibration[:1], calibration[[3, 3, 3]]):  # every number would become the first step
                with self.assertRaises(subprocess.CalledProcessError) as refused:
                    self.converted(vectors, dtype, equal)
                self.assertIn("expected vectors that differ", refused.exception.stderr)

    def test_half_precision_of_every_size_of_number(self):
        sizes = np.exp2(self.random.uniform(-30, 15.99, (400, 50))).astype(np.float32)
        self.check(sizes * self.random.choice(np.float32([-1, 1]), sizes.shape), "float16")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
