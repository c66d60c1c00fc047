"""Runs of `embed` and other verbs over one file of texts, and how such a run is broken off or interrupted."""

import fcntl
import json
import os
import pathlib
import platform
import re
import signal
import struct
import subprocess
import tempfile
import termios
import time
import unittest

import head_models
import sentence_models
import summand_testing
from command_line import summand

# What ends a run: Ctrl-C, a polite kill, and the end of its terminal.
INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# poll(2), as the kernel numbers it; the C library calls ppoll(2) where there is none.
POLL_CALL = {"x86_64": "7", "aarch64": "73"}.get(platform.machine())
SUMMAND = str(summand_testing.BIN / "summand")
TEXTS = [f"text number {i} " + "and more " * (i % 7) for i in range(60)]


def run_default(*command, ignored=(), **options):
    """A child that takes signals as from a shell in the foreground, whatever this process ignores; but for those given."""

    def reset():
        for number in INTERRUPTING:
            signal.signal(number, signal.SIG_IGN if number in ignored else signal.SIG_DFL)

    return subprocess.Popen([SUMMAND, *map(str, command)], preexec_fn=reset, stderr=subprocess.PIPE, text=True, **options)


def write_to(descriptor, data):
    try:
        os.write(descriptor, data)
    except BrokenPipeError:  # the other end has gone
        pass


def waits_for_input(process):
    """Whether the child's first thread sleeps until there is more to read; OSError where the system does not tell."""
    return pathlib.Path(f"/proc/{process.pid}/syscall").read_text().split()[0] == POLL_CALL


def wait_until_it_reads(process, pipe):
    """Until all is taken from the pipe and the child waits for more, so that only a signal or more input wakes it.

    False where the system does not tell, or the child has ended."""
    while POLL_CALL and process.poll() is None:
        unread = struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)))[0]
        try:
            if unread == 0 and waits_for_input(process):
                return True
        except OSError:
            return False
        time.sleep(0.001)
    return False


class Runs(unittest.TestCase):
    """Per class a sentence model and a masked language model; per test a folder with TEXTS as in.jsonl."""

    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(keep.cleanup)
        root = pathlib.Path(keep.name)
        _, cls.model = sentence_models.sentence_model(root / "sentence", prompts=sentence_models.PROMPTS)
        cls.masked, _ = head_models.head_directory(root / "masked", "masked-lm")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "in.jsonl"
        self.out = self.folder / "out.npy"
        self.write_texts()

    def write_texts(self, end="", texts=TEXTS):
        self.source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts) + end)

    def embed(self, *options, status=0, **more):
        result = summand("embed", "--model", self.model, *options, **more)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def refused(self, *options, status=2, verb="embed"):
        """The one line that a run of a verb complains with; no file of the folder changes."""
        before = self.contents()
        result = summand(verb, "--model", self.model, *options)
        self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual(self.contents(), before)
        return result.stderr

    def contents(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def break_off(self, *options):
        """A run that ends at a broken line, most of its texts being finished."""
        self.write_texts("{broken\n")
        result = self.embed(self.source, "-o", self.out, "--batch-tokens", "60", *options, status=1)
        self.write_texts()
        kept = re.match(r"summand: (\d+) texts are finished and kept; the same command with --resume goes on from there\n", result.stderr)
        self.assertTrue(kept, result.stderr)
        return int(kept[1])

    def interrupt(self, process, feed=None, number=signal.SIGINT):
        """(exit status, what was said)"""
        process.send_signal(number)
        while process.poll() is None:  # a signal may come before it waits for input: another line wakes it up
            if feed:
                feed()
            time.sleep(0.01)
        with process.stderr as said:
            return process.returncode, said.read()
