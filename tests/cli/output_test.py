"""Where results go: files that are there already, names of files, standard output."""

import csv
import io
import json
import os
import pty
import subprocess
import sys
import unittest

import numpy as np
from command_line import summand
from runs import SUMMAND, Runs


class Output(Runs):
    def test_a_result_is_replaced_only_where_that_is_asked_for(self):
        commands = {
            "embed": ("out.npy", ["--model", self.model, "--text", "a cat"]),
            "hidden": ("out.safetensors", ["--model", self.model, "--text", "a cat"]),
            "tokenize": ("out.jsonl", ["--model", self.model, "--text", "a cat"]),
            "fill-mask": ("out.safetensors", ["--model", self.masked, "--text", "[MASK]", "--logits"]),
        }
        for verb, (name, options) in commands.items():
            with self.subTest(verb=verb):
                out = self.folder / name
                out.write_text("precious")
                result = summand(verb, *options, "-o", out)
                self.assertEqual((result.returncode, result.stderr), (1, f"summand: [{out}] expected a new file, got one that is there "
                                                                         "already; --overwrite replaces it\n"))  # fmt: skip
                self.assertEqual(out.read_text(), "precious")
                self.assertEqual(summand(verb, *options, "-o", out, "--overwrite").returncode, 0)
                self.assertNotEqual(out.read_bytes(), b"precious")
                out.unlink()
                beside = self.folder / f"{name}.ids.jsonl"
                if verb != "tokenize":
                    beside.write_text("1\n")
                    self.assertIn(str(beside), summand(verb, *options, "-o", out).stderr)
                    self.assertEqual(summand(verb, *options, "-o", out, "--overwrite").returncode, 0)
                    self.assertFalse(beside.exists())  # these texts have none
                    out.unlink()

    def test_every_verb_checks_the_ending_and_the_directory_before_any_work(self):
        nowhere = self.folder / "no model"  # which would be the error, were anything done before
        for verb, options, names, message in (
            ("embed", (), ("v.np", "v", "v.npz", "v.NPY"), "expected an output that ends in .npy, .jsonl or .csv"),
            ("hidden", (), ("h.npz", "h"), "expected an output that ends in .safetensors"),
            ("tokenize", (), ("x.txt", "x.json"), "expected an output that ends in .jsonl"),
            ("fill-mask", ("--logits",), ("l.npy",), "expected an output that ends in .safetensors"),
        ):
            for name in names:
                result = summand(verb, "--model", nowhere, "--text", "a", *options, "-o", self.folder / name)
                self.assertEqual((result.returncode, result.stderr), (2, f"summand: [{self.folder / name}] {message}\n"))
            right = message.split()[-1]
            missing = self.folder / "missing" / f"x{right}"
            result = summand(verb, "--model", nowhere, "--text", "a", *options, "-o", missing)
            self.assertEqual((result.returncode, result.stderr), (1, f"summand: [{missing}] cannot be written: no directory '{missing.parent}'\n"))

    def test_an_input_is_not_replaced_by_its_output(self):
        source = self.folder / "texts.jsonl"
        source.write_text('{"text": "a cat"}\n')
        link = self.folder / "link.jsonl"
        link.symlink_to(source)
        for out in (source, link):
            for verb in (("embed", "--model", self.model), ("tokenize", "--model", self.model)):
                result = summand(*verb, source, "-o", out, "--overwrite")
                self.assertEqual(result.returncode, 2)
                self.assertIn("expected another file than the input, which would be lost", result.stderr)
        self.assertEqual(source.read_text(), '{"text": "a cat"}\n')

    def test_files_beside_an_output_are_not_replaced_unasked(self):
        for ending in ("ids.jsonl", "ranges.npy"):
            beside = self.folder / f"out.npy.{ending}"
            beside.write_text("precious")
            self.assertIn(f"[{beside}] expected a new file", self.refused(self.source, "-o", self.out, status=1))
            self.assertEqual(beside.read_text(), "precious")
            beside.unlink()

    def test_without_output_vectors_are_printed_as_lines_of_json(self):
        self.embed(self.source, "-o", self.out)
        expected = np.load(self.out)
        for options in ((), ("-o", "-"), ("-o", "/dev/stdout"), ("--json",)):
            lines = [json.loads(line) for line in self.embed(self.source, *options).stdout.splitlines()]
            self.assertEqual([line["index"] for line in lines], list(range(60)))
            np.testing.assert_array_equal(np.array([line["embedding"] for line in lines], dtype=np.float32), expected)
        rows = list(csv.reader(io.StringIO(self.embed(self.source, "--output-format", "csv").stdout)))
        np.testing.assert_array_equal(np.array(rows[1:], dtype=np.float32), expected)
        command = [SUMMAND, "embed", "--model", self.model, self.source, "-o", "-", "--output-format", "npy"]
        printed = subprocess.run(command, capture_output=True, check=True)
        np.testing.assert_array_equal(np.load(io.BytesIO(printed.stdout)), expected)
        self.assertIn(b"60 texts, ", printed.stderr)
        self.assertEqual(sorted(self.contents()), ["in.jsonl", "out.npy"])

    def test_what_standard_output_cannot_be_is_refused(self):
        self.assertIn("expected a regular file to resume", self.refused(self.source, "--resume"))
        self.assertIn("expected an output file with --json", self.refused(self.source, "--json", "--output-format", "npy"))
        self.assertIn("expected one format", self.refused(self.source, "-o", self.out, "--output-format", "csv"))
        self.write_texts(texts=["a"] * 1001)
        for options, status, said in (
            (("--output-format", "npy"), 2, "expected a file or a pipe for a .npy, got a terminal"),
            ((), 2, "expected at most 1000 texts on a terminal, got more; -o OUT takes any number"),
        ):
            terminal, child_end = pty.openpty()
            self.addCleanup(os.close, terminal)
            run = subprocess.run([SUMMAND, "embed", "--model", self.model, self.source, "--batch-tokens", "100000", *options],
                                 stdout=child_end, stderr=subprocess.PIPE, text=True)  # fmt: skip
            os.close(child_end)
            self.assertEqual(run.returncode, status)
            self.assertIn(said, run.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
