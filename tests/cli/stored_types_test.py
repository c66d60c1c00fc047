"""Vectors stored in other types than float32, against sentence-transformers: `embed --dtype`."""

import json
import pathlib
import sys
import unittest

import numpy as np
from runs import Runs
from sentence_transformers.util import quantize_embeddings


class StoredTypes(Runs):
    def test_vectors_are_stored_as_sentence_transformers_stores_them(self):
        exact = self.folder / "exact.npy"
        self.embed(self.source, "-o", exact)
        vectors = np.load(exact)
        calibration = self.folder / "calibration.npy"
        np.save(calibration, vectors[::-2] * np.float32(0.8))
        for dtype in ("float16", "int8", "uint8", "binary", "ubinary"):
            for options, given in (((), {}), (("--calibration", calibration), {"calibration_embeddings": np.load(calibration)})):
                if options and not dtype.endswith("int8"):
                    continue
                with self.subTest(dtype=dtype, calibrated=bool(options)):
                    self.embed(self.source, "-o", self.out, "--dtype", dtype, *options)
                    expected = vectors.astype(dtype) if dtype == "float16" else quantize_embeddings(vectors, dtype, **given)
                    got = np.load(self.out)
                    self.assertEqual(got.dtype, expected.dtype)
                    np.testing.assert_array_equal(got, expected)
                    self.out.unlink()
                    ranges = pathlib.Path(f"{self.out}.ranges.npy")
                    self.assertEqual(ranges.exists(), dtype in ("int8", "uint8"))
                    ranges.unlink(missing_ok=True)
                    self.assertFalse([path for path in self.folder.iterdir() if path.name.startswith(self.out.name)])

    def test_text_formats_hold_the_same_numbers(self):
        self.embed(self.source, "-o", self.out, "--dtype", "binary")
        rows = [json.loads(line)["embedding"] for line in self.embed(self.source, "--dtype", "binary").stdout.splitlines()]
        np.testing.assert_array_equal(np.load(self.out), rows)
        said = self.refused(self.source, "--dtype", "int8")
        self.assertIn("expected --calibration FILE.npy for int8 that is no .npy file", said)
        said = self.refused(self.source, "--dtype", "binary", "--calibration", self.out)
        self.assertIn("expected --dtype int8 or uint8 with it, got binary", said)

    def test_another_type_does_not_throw_finished_texts_away(self):
        self.break_off()
        for options in (("--resume", "--dtype", "int8"), ("--dtype", "int8")):
            said = "dtype: expected 'float32', got 'int8'" if options[0] == "--resume" else "expected --resume or --restart"
            self.assertIn(said, self.refused(self.source, "-o", self.out, *options))
        self.embed(self.source, "-o", self.out, "--dtype", "int8", "--restart")
        self.assertEqual(np.load(self.out).dtype, np.int8)
        self.assertFalse([path for path in self.folder.iterdir() if ".part" in path.name or "float32" in path.name])

    def test_an_interrupted_run_in_int8_goes_on(self):
        self.embed(self.source, "-o", self.out, "--dtype", "int8")
        whole = self.out.read_bytes()
        self.out.unlink()
        self.out.with_name("out.npy.ranges.npy").unlink()
        self.break_off("--dtype", "int8")
        self.assertIn("dtype: expected 'int8', got 'float32'", self.refused(self.source, "-o", self.out, "--resume"))
        self.embed(self.source, "-o", self.out, "--dtype", "int8", "--resume")
        self.assertEqual(self.out.read_bytes(), whole)

    def test_steps_of_the_vectors_themselves_follow_a_link_and_leave_nothing_beside_it(self):
        self.embed(self.source, "-o", self.out, "--dtype", "int8")
        whole = self.out.read_bytes()
        self.out.unlink()
        self.out.with_name("out.npy.ranges.npy").unlink()
        target = self.folder / "elsewhere" / "target.npy"
        target.parent.mkdir()
        self.out.symlink_to(target)
        self.break_off("--dtype", "int8")
        self.assertEqual(sorted(path.name for path in target.parent.iterdir()), ["target.npy.part", "target.npy.part.state"])
        self.embed(self.source, "-o", self.out, "--dtype", "int8", "--resume")
        self.assertTrue(self.out.is_symlink())
        self.assertEqual(target.read_bytes(), whole)
        self.assertEqual([path.name for path in target.parent.iterdir()], ["target.npy"])

    def test_one_text_has_no_steps_and_leaves_nothing(self):
        one = self.folder / "one.txt"
        one.write_text("a single text\n")
        before = self.contents()
        said = self.refused(one, "-o", self.out, "--dtype", "int8")
        self.assertIn("expected vectors that differ, or --calibration FILE.npy with some that do", said)
        self.assertEqual(self.contents(), before)
        one.write_text("a single text\n" * 3)
        self.assertIn("expected vectors that differ", self.refused(one, "-o", self.out, "--dtype", "int8"))
        self.assertEqual(sorted(self.contents()), sorted(before))

    def test_a_calibration_of_one_vector_is_refused(self):
        calibration = self.folder / "calibration.npy"
        np.save(calibration, np.ones((1, 4), np.float32))
        for rows in (1, 3):
            np.save(calibration, np.ones((rows, 4), np.float32))
            said = self.refused(self.source, "-o", self.out, "--dtype", "int8", "--calibration", calibration)
            self.assertIn("expected vectors that differ", said)
        self.assertFalse(self.out.exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
