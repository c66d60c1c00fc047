"""What becomes of finished texts when a run is started again, and of a run that is interrupted."""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

import numpy as np
from command_line import summand
from runs import INTERRUPTING, TEXTS, Runs, run_default, wait_until_it_reads, write_to

# Options of `embed` that a resumed run has to have as they were, and what the refusal calls them.
DIFFERING = {
    "--pooling": (["cls"], "pooling: expected 'mean', got 'cls'"),
    "--no-normalize": ([], "normalization: expected 'as the model', got 'none'"),
    "--dimensions": (["5"], "dimensions: expected '24', got '5'"),
    "--prompt": (["x: "], "prompt: expected '', got 'x: '"),
    "--prompt-name": (["passage"], "prompt: expected '', got 'Represent this: '"),
    "--max-length": (["9"], "max-length: expected '64', got '9'"),
    "--truncation": (["tail"], "truncation: expected 'longest_first', got 'tail'"),
    "--windows": (["mean"], "windows: expected 'none', got 'mean'; overlap: expected 'none', got '0'"),
    "--dtype": (["float16"], "dtype: expected 'float32', got 'float16'"),
    "--overlap": (["3", "--windows", "max"], "windows: expected 'none', got 'max'; overlap: expected 'none', got '3'"),
}
# Tested by hand: --model, --precision (what it differs by depends on the machine), INPUT and all that reads it.
BY_HAND = {"--model", "--precision", "--format", "--text", "--output", "--overwrite", "--resume", "--restart", "--output-format", "--calibration"}
HARMLESS = {"--batch-tokens": ["40"], "--threads": ["1"], "--json": [], "--cache": ["{folder}/packed"]}


class Resumed(Runs):
    def test_every_option_of_embed_is_told_apart_or_harmless(self):
        shown = set(re.findall(r"--[a-z][a-z0-9-]+", summand("embed", "--help").stdout.split("Example:")[0]))
        inputs = {"--field", "--id-field", "--pair-field", "--invalid-utf8", "--text-pair", "--help"}  # what they change are the texts
        decided = set(DIFFERING) | BY_HAND | set(HARMLESS) | inputs
        unknown = {name for name in re.findall(r"^ +(?:-\w,)?(--[a-z][a-z0-9-]+)", summand("embed", "--help").stdout, re.MULTILINE)} - decided
        self.assertEqual(unknown, set())
        self.assertLessEqual(set(DIFFERING), shown)

    def test_resuming_with_another_option_is_refused_by_its_name_and_loses_nothing(self):
        kept = self.break_off()
        for option, (values, message) in DIFFERING.items():
            with self.subTest(option=option):
                said = self.refused(self.source, "-o", self.out, "--resume", option, *values)
                self.assertEqual(said, f"summand: [{self.out}] {message}; {kept} texts are finished and kept; --restart discards them\n")
        for option, values in HARMLESS.items():
            with self.subTest(option=option):
                saved = self.contents()
                self.embed(self.source, "-o", self.out, "--resume", option, *(value.format(folder=self.folder) for value in values))
                for name, content in saved.items():
                    (self.folder / name).write_bytes(content)
                self.out.unlink()

    def test_another_precision_or_instruction_set_is_refused_by_its_name(self):
        self.break_off()
        info = summand("info").stdout
        if not re.search(r"instruction set +generic", info):
            result = summand("embed", "--model", self.model, self.source, "-o", self.out, "--resume", env=os.environ | {"SUMMAND_ISA": "generic"})
            self.assertEqual(result.returncode, 2)
            self.assertRegex(result.stderr, r"instruction set: expected '\w+', got 'generic'; \d+ texts are finished and kept")
        result = summand("embed", "--model", self.model, self.source, "-o", self.out, "--resume", "--precision", "bf16")
        self.assertEqual(result.returncode, 2, result.stderr)  # by its name, or because it does not run here
        self.assertRegex(result.stderr, "precision: expected 'fp32', got 'bf16'|bf16")
        self.embed(self.source, "-o", self.out, "--resume")

    def test_another_model_is_refused(self):
        self.break_off()
        config, weights = self.model / "modules.json", next(self.model.rglob("model.safetensors"))
        content, times = config.read_text(), weights.stat()
        changes = {"settings": lambda: config.write_text(content + " "),
                   "weights": lambda: os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns + 10**9))}  # fmt: skip
        for name, change in changes.items():
            with self.subTest(name):
                change()
                try:
                    said = self.refused(self.source, "-o", self.out, "--resume")
                finally:
                    config.write_text(content)
                    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
                self.assertRegex(said, r"model files: expected '[0-9a-f]{16}', got '[0-9a-f]{16}'; \d+ texts are finished and kept")

    def test_what_is_not_the_checkpoint_s_does_not_matter_beside_it(self):
        model = self.folder / "model"
        shutil.copytree(self.model, model)
        self.out = model / "out.npy"
        self.model, kept = model, self.model
        try:
            finished = self.break_off()
            os.utime(model / "modules.json", ns=(1, 1))
            (model / "README.md").write_text("a note")
            self.assertIn(f"{finished} texts were there already", self.embed(self.source, "-o", self.out, "--resume").stderr)
        finally:
            self.model = kept

    def test_long_prompts_that_differ_at_their_end_are_told_apart(self):
        alike = "word " * 60
        self.break_off("--prompt", alike + "query: ")
        said = self.refused(self.source, "-o", self.out, "--resume", "--prompt", alike + "passage: ")
        self.assertIn("got another that begins like it", said)
        self.embed(self.source, "-o", self.out, "--restart")
        self.out.unlink()
        self.break_off("--prompt", "q\n")
        self.assertIn("prompt: expected", self.refused(self.source, "-o", self.out, "--resume", "--prompt", "q\\x0a"))

    def test_a_run_that_says_nothing_about_finished_texts_is_refused(self):
        kept = self.break_off()
        said = self.refused(self.source, "-o", self.out)
        self.assertEqual(said, f"summand: [{self.out}] expected --resume or --restart, since {kept} texts are finished: --resume goes on "
                               "behind them, --restart discards them; got neither\n")  # fmt: skip
        self.assertIn("--restart", self.refused(self.source, "-o", self.out, "--resume", "--restart"))
        self.assertIn("--resume or --restart", self.refused(self.source, "-o", self.out, "--overwrite"))

    def test_restart_discards_and_ends_as_a_run_from_the_start(self):
        self.break_off("--pooling", "cls")
        report = json.loads(self.embed(self.source, "-o", self.out, "--restart", "--json").stdout)
        self.assertEqual(report["texts_resumed"], 0)
        whole = self.folder / "whole.npy"
        self.embed(self.source, "-o", whole)
        self.assertEqual(self.out.read_bytes(), whole.read_bytes())
        self.assertEqual([name for name in self.contents() if ".part" in name], [])

    def test_other_texts_are_refused_and_what_is_finished_is_kept(self):
        kept = self.break_off()
        for texts, got in ((TEXTS[::-1], "got others"), (TEXTS[:3], "got no more than 3")):
            self.write_texts(texts=texts)
            state = (self.folder / "out.npy.part.state").read_bytes()
            result = self.embed(self.source, "-o", self.out, "--resume", status=1)
            self.assertEqual(result.stderr, f"summand: [resume] expected the {kept} texts that the interrupted run finished, {got}; they are "
                                            "kept, --restart discards them\n")  # fmt: skip
            self.assertEqual((self.folder / "out.npy.part.state").read_bytes(), state)
        self.write_texts()
        self.assertIn(f"summand: {kept} texts were there already", self.embed(self.source, "-o", self.out, "--resume").stderr)

    def test_resume_with_nothing_there_starts_and_says_so(self):
        said = self.embed(self.source, "-o", self.out, "--resume").stderr
        self.assertIn(f"summand: there is nothing to resume for {self.out}: starting with the first text\n", said)
        self.assertEqual(np.load(self.out).shape, (60, 24))

    def test_a_state_that_is_damaged_or_of_another_version_is_refused(self):
        self.break_off()
        state, part = self.folder / "out.npy.part.state", self.folder / "out.npy.part"
        good, rows = json.loads(state.read_text()), part.read_bytes()
        old = {"fingerprint": 1, "rows": 4, "bytes": 512, "texts": 7}
        damaged = ["", "{", "[]", "7", *(json.dumps({k: v for k, v in good.items() if k != key}) for key in good if key != "version"),
                   json.dumps(good | {"rows": 0}), json.dumps(good | {"settings": {"pooling": 3}})]  # fmt: skip
        for content, got in [(json.dumps(old), "the file of another version"), *((one, "a damaged file") for one in damaged)]:
            with self.subTest(content=content):
                state.write_text(content)
                for how in ((), ("--resume",)):
                    said = self.refused(self.source, "-o", self.out, *how, status=1)
                    self.assertTrue(said.startswith(f"summand: [{state}] expected what an interrupted run has finished, got {got}"), said)
        state.write_text(json.dumps(good))
        part.write_bytes(rows[:200])
        self.assertIn("200 bytes of the", self.refused(self.source, "-o", self.out, "--resume", status=1))
        state.write_text("{")
        self.embed(self.source, "-o", self.out, "--restart")

    def test_a_link_is_resumed_where_it_leads(self):
        (self.folder / "deep").mkdir()
        link = self.folder / "link.npy"
        link.symlink_to("deep/out.npy")
        self.out = link
        self.break_off()
        self.assertTrue((self.folder / "deep" / "out.npy.part.state").exists())
        self.embed(self.source, "-o", link, "--resume")
        self.assertTrue(link.is_symlink())
        self.assertEqual(np.load(link).shape, (60, 24))

    def test_a_run_that_ends_while_its_files_appear_goes_on(self):
        """As a kill between two renames leaves them: ids and ranges there, vectors not; the state says so."""
        source = self.folder / "ids.jsonl"
        rows = [json.dumps({"id": f"i{i}", "text": f"word {i}"}) + "\n" for i in range(30)]
        source.write_text("".join(rows))
        self.embed(source, "-o", self.out, "--dtype", "int8")
        whole = {path.name: path.read_bytes() for path in self.folder.glob("out.npy*")}
        self.assertEqual(sorted(whole), ["out.npy", "out.npy.ids.jsonl", "out.npy.ranges.npy"])
        for path in self.folder.glob("out.npy*"):
            path.unlink()
        source.write_text("".join(rows) + "{broken\n")
        self.embed(source, "-o", self.out, "--dtype", "int8", "--batch-tokens", "60", status=1)
        source.write_text("".join(rows))
        state = self.folder / "out.npy.part.state"
        json_state = json.loads(state.read_text())
        json_state["appearing"] = True
        state.write_text(json.dumps(json_state))
        (self.folder / "out.npy.ids.jsonl.part").rename(self.folder / "out.npy.ids.jsonl")
        (self.folder / "out.npy.ranges.npy").write_bytes(b"half")
        self.assertIn("expected --resume or --restart", self.embed(source, "-o", self.out, "--dtype", "int8", status=2).stderr)
        self.embed(source, "-o", self.out, "--dtype", "int8", "--resume")
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.glob("out.npy*")}, whole)

    def test_a_run_that_ends_behind_its_last_file_was_whole_and_stays_so(self):
        """As a kill between the last rename and the removal of the state leaves it: every file there, and the state."""
        source = self.folder / "ids.jsonl"
        rows = "".join(json.dumps({"id": f"i{i}", "text": f"word {i}"}) + "\n" for i in range(30))
        command = (source, "-o", self.out, "--dtype", "int8", "--batch-tokens", "60")
        source.write_text(rows + "{broken\n")
        self.embed(*command, status=1)
        state, part = self.folder / "out.npy.part.state", self.folder / "out.npy.part"
        left = json.dumps(json.loads(state.read_text()) | {"appearing": True}), part.read_bytes()
        source.write_text(rows)
        self.embed(*command, "--resume")
        whole = {path.name: path.read_bytes() for path in self.folder.glob("out.npy*")}
        self.assertEqual(len(whole), 3)
        refused = {(): "expected a new file", ("--resume",): "got a result that is whole", ("--max-length", "5000", "--overwrite"): "[max-length]"}
        for options, said in refused.items():
            with self.subTest(options):
                state.write_text(left[0])
                part.write_bytes(left[1])
                result = summand("embed", "--model", self.model, *command, *options)
                self.assertIn(said, result.stderr)
                self.assertNotEqual(result.returncode, 0)
                self.assertEqual({name: (self.folder / name).read_bytes() for name in whole}, whole)
        source.write_text(rows + "{broken\n")
        self.embed(*command, "--overwrite", status=1)
        self.assertEqual({name: (self.folder / name).read_bytes() for name in whole}, whole)
        source.write_text(rows)
        self.embed(*command, "--overwrite", "--resume")
        self.assertEqual({path.name: path.read_bytes() for path in self.folder.glob("out.npy*")}, whole)

    # Interruption.

    def test_waiting_for_a_pipe_ends_too(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for number in INTERRUPTING:
            with self.subTest(number.name):
                process = run_default("embed", "--model", self.model, pipe, "--format", "txt", "-o", self.out, "--batch-tokens", "60", "--restart")
                with open(pipe, "wb", buffering=0) as writer:
                    line = b"a few words of text\n"
                    writer.write(line * 100)
                    state = self.folder / "out.npy.part.state"
                    while not state.exists() and process.poll() is None:
                        time.sleep(0.001)
                    waits = wait_until_it_reads(process, writer.fileno())
                    status, said = self.interrupt(process, None if waits else lambda: write_to(writer.fileno(), line), number)
                self.assertEqual(status, 128 + number, said)
                self.assertRegex(said, r"^summand: interrupted; \d+ texts are finished and kept; the same command with --resume goes on from there\n$")
                state.unlink()

    def test_a_signal_that_is_ignored_stays_so(self):
        """As under nohup."""
        command = ("embed", "--model", self.model, "-", "--format", "txt", "-o", self.out, "--batch-tokens", "60")
        process = run_default(*command, ignored=[signal.SIGHUP], stdin=subprocess.PIPE)
        process.stdin.write("a few words of text\n" * 100)
        process.stdin.flush()
        while not (self.folder / "out.npy.part.state").exists() and process.poll() is None:
            time.sleep(0.001)
        process.send_signal(signal.SIGHUP)
        _, said = process.communicate("and more\n" * 100)
        self.assertEqual(process.returncode, 0, said)
        self.assertEqual(np.load(self.out).shape, (200, 24))

    def test_embed_says_how_many_texts_are_kept_and_resumes_them(self):
        everything = [f"text {i}\n" for i in range(100_000)]
        lines = iter(everything)
        options = ("embed", "--model", self.model, "-", "--format", "txt", "-o", self.out, "--batch-tokens", "30")
        process = run_default(*options, stdin=subprocess.PIPE)

        def feed():
            write_to(process.stdin.fileno(), next(lines).encode())

        while not (self.folder / "out.npy.part.state").exists() and process.poll() is None:
            feed()
            time.sleep(0.001)
        status, said = self.interrupt(process, feed)
        process.stdin.close()
        self.assertEqual(status, 130, said)
        kept = re.fullmatch(r"summand: interrupted; (\d+) texts? (?:is|are) finished and kept; the same command with --resume goes on from there\n", said)
        self.assertTrue(kept, said)
        texts = "".join(everything[: int(kept[1]) + 50])
        self.assertIn(f"summand: {kept[1]} texts were there already", self.embed(*options[3:], "--resume", stdin=texts).stderr)
        self.embed("-", "--format", "txt", "-o", self.folder / "whole.npy", stdin=texts)
        self.assertEqual(self.out.read_bytes(), (self.folder / "whole.npy").read_bytes())

    def test_a_run_that_keeps_nothing_says_so(self):
        pipe = self.folder / "texts.txt"
        os.mkfifo(pipe)
        nothing, printed = "summand: interrupted; nothing was kept\n", "summand: interrupted; nothing is kept but what was printed\n"
        for options, expected in (
            (("embed", "--model", self.model), "summand: interrupted; nothing is kept but what was printed\n"),
            (("hidden", "--model", self.model, "-o", self.folder / "h.safetensors"), nothing),
            (("similarity", "--model", self.model), nothing),
            (("tokenize", "--model", self.model), printed),
            (("fill-mask", "--model", self.masked), printed),
            (("fill-mask", "--model", self.masked, "--logits", "-o", self.folder / "l.safetensors"), nothing),
        ):
            with self.subTest(verb=options[0]):
                process = run_default(*options, pipe, stdout=subprocess.DEVNULL)
                texts = os.open(pipe, os.O_WRONLY)  # waits until the other end is open
                status, said = self.interrupt(process, (lambda: write_to(texts, b"a\n")) if options[0] == "embed" else None)
                os.close(texts)
                self.assertIn((status, said), [(130, expected), (130, nothing)] if options[0] == "embed" else [(130, expected)])
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["in.jsonl", "texts.txt"])

    def test_what_an_interrupted_run_was_writing_is_removed(self):
        pipe, out = self.folder / "texts.txt", self.folder / "out.jsonl"
        os.mkfifo(pipe)
        for number in INTERRUPTING:
            with self.subTest(number.name):
                process = run_default("tokenize", "--model", self.model, pipe, "-o", out)
                with pipe.open("w") as texts:
                    texts.write("one text\n")  # an input that says nothing is not opened yet
                    texts.flush()
                    while not pathlib.Path(f"{out}.part").exists() and process.poll() is None:
                        time.sleep(0.001)
                    wait_until_it_reads(process, texts.fileno())  # so that the part is known to the handler too
                    process.send_signal(number)
                    _, said = process.communicate()
                self.assertEqual((process.returncode, said), (128 + number, "summand: interrupted; nothing was kept\n"))
                self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["in.jsonl", "texts.txt"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
