"""`embed` on large inputs: a million lines, memory, interruption and --resume, the progress line, long texts."""

import contextlib
import itertools
import json
import os
import pathlib
import pty
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import sentence_models
import summand_testing
from command_line import peak_bytes, summand

SUMMAND = str(summand_testing.BIN / "summand")
WORDS = "the bank of a river rate sentence vector 我 喜欢 unaffable , xqz".split()
ENDINGS = ("npy", "jsonl", "csv")
FEW = 150_000  # lines: so many that what is kept of earlier ones, 4 MiB, is full
MOST_GROWTH = 4 << 20  # bytes: less than five for each text more, where a row that is kept has 32
GIVES_BACK = summand_testing.build_setting("SUMMAND_SANITIZE") == ""  # a sanitizer keeps freed memory for a while
MOST_PER_BYTE = 16  # resident bytes per byte of one huge text: 16 for a token of some five, and copies of the text
PROGRESS = re.compile(r"summand: \d+ texts?, \d+ texts/s, \d+ tokens/s")


def run_default(*command, **options):
    """A child that takes signals as from a shell in the foreground, whatever this process ignores."""
    def reset():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)

    return subprocess.Popen([SUMMAND, *map(str, command)], preexec_fn=reset, **options)


def wait_for(condition, process):
    while not condition() and process.poll() is None:
        time.sleep(0.001)


def end(process, number, more):
    """Sends a signal to a process that waits for input, and lines until it ends: what comes just before it begins to wait
    is noticed only then."""
    process.send_signal(number)
    with contextlib.suppress(BrokenPipeError):
        for line in more:
            process.stdin.write(line)
            process.stdin.flush()
            time.sleep(0.01)
            if process.poll() is not None:
                return


def on_a_terminal(*command, stdin=None):
    """(what standard error, a terminal, was sent, exit status)"""
    terminal, child_end = pty.openpty()
    process = subprocess.Popen([SUMMAND, *map(str, command)], stdin=stdin, stdout=subprocess.DEVNULL, stderr=child_end)
    os.close(child_end)
    sent = b""
    while True:
        try:
            data = os.read(terminal, 1 << 16)
        except OSError:  # how Linux says that the other end is closed
            break
        if not data:
            break
        sent += data
    os.close(terminal)
    return sent.decode(), process.wait()


def progress(sent):
    return [part for part in sent.split("\r") if PROGRESS.match(part)]


def on_a_terminal_long_enough(write_source, *command):
    """(what a terminal was sent, exit status, how many texts): more texts until they take longer than the progress line waits"""
    for count in (8000 << doubled for doubled in range(8)):
        write_source(count)
        sent, status = on_a_terminal(*command)
        if progress(sent):
            break
    return sent, status, count


def shown_at_the_end(sent):
    """The lines that a terminal shows after all carriage returns."""
    lines = []
    for line in sent.replace("\r\n", "\n").split("\n"):
        cells = ""
        for part in line.split("\r"):
            cells = part + cells[len(part) :]
        lines.append(cells.rstrip())
    return lines


class EmbedAtScale(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        cls.model = sentence_models.transformer_directory(pathlib.Path(cls.keep.name) / "model")
        cls.quick = sentence_models.transformer_directory(
            pathlib.Path(cls.keep.name) / "quick", hidden_size=8, num_attention_heads=2, intermediate_size=8, num_hidden_layers=1
        )

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def embed(self, *options, stdin=None):
        result = summand("embed", *options, stdin=stdin)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def parts_left(self):
        return sorted(path.name for path in self.folder.iterdir() if ".part" in path.name)

    def test_a_million_lines_keep_their_order_and_memory_does_not_grow_with_them(self):
        numbers = random.Random(1)
        lines = [" ".join(numbers.choices(WORDS, k=numbers.randint(0, 6))) for _ in range(1_000_000)]
        few, many, out = self.folder / "few.txt", self.folder / "many.txt", self.folder / "out.npy"
        few.write_text("".join(line + "\n" for line in lines[:FEW]))
        many.write_text("".join(line + "\n" for line in lines))
        few_peak = peak_bytes("embed", "--model", self.quick, few, "-o", out)
        many_peak = peak_bytes("embed", "--model", self.quick, many, "-o", out, "--overwrite")
        print(f"peak memory: {few_peak >> 10} KiB for {FEW} lines, {many_peak >> 10} KiB for 1,000,000")
        if GIVES_BACK:
            self.assertLess(many_peak, few_peak + MOST_GROWTH)
        vectors = np.load(out, mmap_mode="r")
        self.assertEqual(vectors.shape, (1_000_000, 8))
        chosen = [0, 1, 49_999, 50_000, 999_998, 999_999, *numbers.sample(range(1_000_000), 300)]
        alone, alone_out = self.folder / "alone.txt", self.folder / "alone.npy"
        alone.write_text("".join(lines[i] + "\n" for i in chosen))
        self.embed("--model", self.quick, alone, "-o", alone_out, "--batch-tokens", "1")
        np.testing.assert_array_equal(vectors[chosen], np.load(alone_out))
        self.assertGreater(len(np.unique(vectors[chosen], axis=0)), 150)  # rows do differ, so their order shows

    def test_one_huge_text_is_run_in_batches(self):
        sizes, peaks = (2_000_000, 20_000_000), []
        for size in sizes:
            text = self.folder / "huge.txt"
            text.write_text(("the river bank " * (size // 15 + 1))[:size] + "\n")
            out = self.folder / f"huge{size}.npy"
            peaks.append(peak_bytes("embed", "--model", self.quick, text, "-o", out, "--windows", "mean", "--overlap", "10"))
            self.assertEqual(np.load(out).shape, (1, 8))
        per_byte = (peaks[1] - peaks[0]) / (sizes[1] - sizes[0])
        print(f"peak memory of one text: {per_byte:.1f} bytes for each of its own")
        if GIVES_BACK:
            self.assertLess(per_byte, MOST_PER_BYTE)

    def test_an_ended_run_leaves_no_output_and_resumes_to_the_same_bytes(self):
        source = self.folder / "long.txt"
        numbers = [i % 2500 for i in range(6000)]  # texts come again, also behind the place where a run goes on
        source.write_text("".join(f"text number {i} " + "and more " * (i % 17) + "\n" for i in numbers))
        for ending in ENDINGS:
            whole, out = self.folder / f"whole.{ending}", self.folder / f"out.{ending}"
            options = ["--model", self.model, "-", "--format", "txt", "--batch-tokens", "400", "--threads", "1"]
            self.embed(*options, "-o", whole, stdin=source.read_text())
            for number in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
                with self.subTest(ending=ending, signal=number.name):
                    self.end_and_resume(options, source.read_text(), out, number)
                    self.assertEqual(out.read_bytes(), whole.read_bytes())
                    out.unlink()

    def end_and_resume(self, options, texts, out, number):
        process = run_default("embed", *options, "-o", out, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        lines = texts.splitlines(keepends=True)
        process.stdin.write("".join(lines[:3000]))  # it cannot end before it has the rest
        process.stdin.flush()
        state = pathlib.Path(f"{out}.part.state")
        wait_for(state.exists, process)
        end(process, number, lines[3000:])
        _, said = process.communicate()
        self.assertFalse(out.exists())
        part = pathlib.Path(f"{out}.part")
        self.assertTrue(part.exists() and state.exists())
        if number == signal.SIGKILL:
            self.assertEqual(process.returncode, -signal.SIGKILL)
            with part.open("ab") as file:
                file.write(b"half a row")
        else:
            self.assertEqual(process.returncode, 128 + number)
            kept = int(re.fullmatch(r"summand: interrupted; (\d+) texts are finished and kept; the same command with --resume goes on from there\n", said)[1])
        resumed = json.loads(self.embed(*options, "-o", out, "--resume", "--json", stdin=texts).stdout)["texts_resumed"]
        self.assertTrue(0 < resumed < 6000, resumed)
        if number != signal.SIGKILL:
            self.assertEqual(resumed, kept)
        self.assertEqual(self.parts_left(), [])

    def test_an_interrupted_run_that_has_finished_nothing_leaves_nothing(self):
        out = self.folder / "out.npy"
        process = run_default("embed", "--model", self.model, "-", "--format", "txt", "-o", out,
                              stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        process.stdin.write("one text\n")
        process.stdin.flush()
        wait_for(lambda: self.parts_left(), process)
        end(process, signal.SIGINT, itertools.repeat("one more\n", 1000))
        _, said = process.communicate()
        self.assertEqual(process.returncode, 130)
        self.assertEqual(said, "summand: interrupted; no text is finished, nothing is kept\n")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_windows_belong_to_what_a_run_resumes(self):
        source, out = self.folder / "in.jsonl", self.folder / "out.npy"
        good = [json.dumps({"text": "a river " * (i % 90)}) + "\n" for i in range(60)]
        source.write_text("".join(good) + "{broken\n")
        options = ("--model", self.model, source, "-o", out, "--batch-tokens", "200", "--windows", "mean")
        self.assertEqual(summand("embed", *options).returncode, 1)
        source.write_text("".join(good))
        other = summand("embed", *options[:-1], "max", "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertIn("windows: expected 'mean', got 'max'", other.stderr)
        again = json.loads(self.embed(*options, "--resume", "--json").stdout)
        self.assertGreater(again["texts_resumed"], 0)
        whole = self.folder / "whole.npy"
        fresh = json.loads(self.embed("--model", self.model, source, "-o", whole, "--windows", "mean", "--json").stdout)
        self.assertEqual(out.read_bytes(), whole.read_bytes())
        self.assertGreater(fresh["windows"], fresh["texts"])

    def test_progress_is_shown_on_a_terminal_and_gone_at_the_end(self):
        source = self.folder / "long.txt"

        def write_source(count):
            source.write_text("".join(f"text number {i} " + "and more " * (i % 17) + "\n" for i in range(count)))

        command = ("embed", "--model", self.model, source, "-o", self.folder / "out.npy", "--overwrite", "--threads", "1", "--batch-tokens", "1000")
        sent, status, count = on_a_terminal_long_enough(write_source, *command)
        self.assertEqual(status, 0, sent)
        shown = progress(sent)
        self.assertTrue(shown)
        for text in shown:
            self.assertRegex(text, r", \d+ %(, (\d+ h )?(\d+ min )?(\d+ s )?left)? *$")
            self.assertLess(len(text), 80)
        for pattern, least in ((r": (\d+) texts", 1), (r"(\d+) %", 0)):
            found = [int(re.search(pattern, text)[1]) for text in shown]
            self.assertEqual(found, sorted(found))
            self.assertGreaterEqual(found[0], least)
        self.assertFalse([line for line in shown_at_the_end(sent) if "texts/s" in line or "left" in line])
        self.assertIn(f"summand: {count} texts, ", sent)
        write_source(4 * count)  # no time is alike twice
        with source.open() as stdin:
            piped, status = on_a_terminal("embed", "--model", self.model, "-", "--format", "txt", *command[4:], stdin=stdin)
        self.assertEqual(status, 0, piped)
        shown = progress(piped)
        self.assertTrue(shown)
        self.assertFalse([part for part in shown if "left" in part or "%" in part])
        written = self.embed(*command[1:]).stderr
        self.assertNotIn("\r", written)
        self.assertNotIn("texts/s", written)

    def test_an_error_stands_on_a_line_of_its_own_on_a_terminal(self):
        source = self.folder / "broken.jsonl"

        def write_source(count):
            source.write_text("".join(json.dumps({"text": f"number {i} " * 6}) + "\n" for i in range(count)) + "{broken\n")
            for part in self.parts_left():
                (self.folder / part).unlink()

        command = ("embed", "--model", self.model, source, "-o", self.folder / "out.npy", "--overwrite", "--threads", "1", "--batch-tokens", "1000")
        sent, status, count = on_a_terminal_long_enough(write_source, *command)
        self.assertEqual(status, 1)
        self.assertRegex(sent, PROGRESS)
        lines = [line for line in shown_at_the_end(sent) if line]
        self.assertEqual(len(lines), 2, lines)
        self.assertRegex(lines[0], r"^summand: \d+ texts are finished and kept")
        self.assertRegex(lines[1], rf"^summand: \[.*broken\.jsonl:{count + 1}\]")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
