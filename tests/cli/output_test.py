"""What becomes of results that are there, of texts that are finished, and of a run that is interrupted."""

import csv
import io
import json
import os
import pathlib
import pty
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import head_models
import numpy as np
import sentence_models
import summand_testing
from command_line import summand
from sentence_transformers.util import quantize_embeddings

SUMMAND = str(summand_testing.BIN / "summand")
TEXTS = [f"text number {i} " + "and more " * (i % 7) for i in range(60)]
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
HARMLESS = {"--batch-tokens": ["40"], "--threads": ["1"], "--json": []}


def run_default(*command, **options):
    """A child that takes signals as from a shell in the foreground, whatever this process ignores."""

    def reset():
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)

    return subprocess.Popen([SUMMAND, *map(str, command)], preexec_fn=reset, stderr=subprocess.PIPE, text=True, **options)


def write_to(descriptor, data):
    try:
        os.write(descriptor, data)
    except BrokenPipeError:  # the other end has gone
        pass


class Output(unittest.TestCase):
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

    # Finished texts.

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
                self.embed(self.source, "-o", self.out, "--resume", option, *values)
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

    # Results that are there, and names.

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

    # Numbers in other types.

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
        self.assertIn("expected --dtype int8 or uint8 beside it, got binary", said)

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
        self.assertIn("expected two vectors or more, or --calibration FILE.npy", said)
        self.assertEqual(self.contents(), before)

    def test_waiting_for_a_pipe_ends_too(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        for number in (signal.SIGINT, signal.SIGTERM):
            command = [SUMMAND, "embed", "--model", self.model, pipe, "--format", "txt", "-o", self.out, "--batch-tokens", "60", "--restart"]
            process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
            with open(pipe, "w") as writer:
                writer.write("a few words of text\n" * 100)
                writer.flush()
                state = self.folder / "out.npy.part.state"
                while not state.exists() and process.poll() is None:
                    time.sleep(0.05)
                time.sleep(0.5)  # by now all is read that was written; where it is not, the run ends at the next text
                process.send_signal(number)
                said = process.communicate(timeout=120)[1]
            self.assertEqual(process.returncode, 128 + number, said)
            self.assertRegex(said, r"summand: interrupted; \d+ texts are finished and kept; the same command with --resume goes on")
            state.unlink()

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

    # Standard output.

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
        self.assertIn("expected an output file beside --json", self.refused(self.source, "--json", "--output-format", "npy"))
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

    # Prompts.

    def test_a_prompt_is_given_by_its_name_or_as_a_text_and_never_mistaken(self):
        vectors = lambda *options: [json.loads(line)["embedding"] for line in self.embed("--text", "a cat", *options).stdout.splitlines()]  # noqa: E731
        self.assertEqual(vectors("--prompt-name", "query"), vectors("--prompt", "query: "))
        self.assertNotEqual(vectors("--prompt", "query"), vectors("--prompt", "query: "))
        self.assertIn("summand: the model's prompt 'query' stands before every text: 'query: '\n", self.embed("--text", "a", "--prompt-name", "query").stderr)
        said = self.embed("--text", "a", "--prompt", "query").stderr
        self.assertIn("summand: 'query' is also the name of a prompt; --prompt-name query uses that\n", said)
        self.assertNotIn("prompt", self.embed("--text", "a", "--prompt", "qurey").stderr)
        self.assertNotIn("prompt", self.embed("--text", "a").stderr)
        said = self.refused("--text", "a", "--prompt-name", "qurey")
        self.assertIn("[prompt-name] expected the name of one of the model's prompts, ", said)
        for name in sentence_models.PROMPTS:
            self.assertIn(f"'{name}'", said)
        self.assertTrue(said.endswith(", got 'qurey'\n"), said)
        self.assertIn("--prompt", self.refused("--text", "a", "--prompt-name", "query", "--prompt", "x"))
        self.assertIn("stands before every text", summand("similarity", "--model", self.model, "--text", "a", "--prompt-name", "query").stderr)

    def test_a_default_prompt_is_said(self):
        settings = self.model / "config_sentence_transformers.json"
        before = settings.read_text()
        settings.write_text(json.dumps(json.loads(before) | {"default_prompt_name": "passage"}))
        try:
            said = self.embed("--text", "a").stderr
            self.assertIn("summand: the model's default prompt 'passage' stands before every text: 'Represent this: '\n", said)
            self.assertNotIn("stands", self.embed("--text", "a", "--prompt", "").stderr)
        finally:
            settings.write_text(before)

    # Interruption.

    def interrupt(self, process, feed=None):
        """(exit status, what was said)"""
        process.send_signal(signal.SIGINT)
        while process.poll() is None:  # a signal may come before it waits for input: another line wakes it up
            if feed:
                feed()
            time.sleep(0.01)
        with process.stderr as said:
            return process.returncode, said.read()

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
        process = run_default("tokenize", "--model", self.model, pipe, "-o", out)
        with pipe.open("w") as texts:
            texts.write("one text\n")  # an input that says nothing is not opened yet
            texts.flush()
            while not pathlib.Path(f"{out}.part").exists() and process.poll() is None:
                time.sleep(0.001)
            process.send_signal(signal.SIGTERM)
            _, said = process.communicate()
        self.assertEqual((process.returncode, said), (143, "summand: interrupted; nothing was kept\n"))
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["in.jsonl", "texts.txt"])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v", *sys.argv[1:]])
