"""summand lab compare: a checkpoint against copies of it, of which it is known what they change."""

import csv
import fcntl
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import head_models
import numpy as np
import summand_testing
from safetensors.numpy import load_file, save_file

BIN = summand_testing.BIN
ONLY = "spectrum,continuity,norms"
VERDICTS = ("observation", "inference", "conclusion")
POSITIONS = "bert.embeddings.position_embeddings.weight"
TOKENS = "bert.embeddings.word_embeddings.weight"


def lab(*options, program="summand-lab"):
    words = [BIN / program, *(["lab"] if program == "summand" else []), *map(str, options)]
    return subprocess.run(words, capture_output=True, text=True)


def changed_copy(directory, name, change):
    """The checkpoint with its tensors changed, beside it."""
    copy = directory.parent / name
    shutil.copytree(directory, copy)
    tensors = load_file(copy / "model.safetensors")
    change(tensors)
    save_file(tensors, copy / "model.safetensors", metadata={"format": "pt"})
    return copy


def smooth_positions(tensors):
    """Neighbours are near: eight slow waves. Half as long as token rows, so that no verdict stands on its edge."""
    random = np.random.default_rng(4)
    rows, columns = tensors[POSITIONS].shape
    place = np.arange(rows)[:, None] / rows
    waves = sum(random.normal(size=columns) / k * np.sin(2 * np.pi * k * place + random.uniform(0, 7, columns)) for k in range(1, 9))
    tokens = np.linalg.norm(tensors[TOKENS] - tensors[TOKENS].mean(0), axis=1).mean()
    waves -= waves.mean(0)
    tensors[POSITIONS] = (waves * 0.5 * tokens / np.linalg.norm(waves, axis=1).mean()).astype(np.float32)


def shuffled_positions(tensors):
    tensors[POSITIONS] = np.random.default_rng(5).permutation(tensors[POSITIONS])


def moved_constant(tensors):
    """W + c and P - c: the same model, whatever c."""
    constant = np.random.default_rng(6).normal(size=tensors[TOKENS].shape[1]).astype(np.float32) / 4
    tensors[TOKENS] = tensors[TOKENS] + constant
    tensors[POSITIONS] = tensors[POSITIONS] - constant


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        made, _ = head_models.head_directory(cls.folder / "made", "masked-lm")
        cls.own = changed_copy(made, "own", smooth_positions)
        cls.shuffled = changed_copy(cls.own, "shuffled", shuffled_positions)
        cls.moved = changed_copy(cls.own, "moved", moved_constant)
        (cls.folder / "elsewhere").mkdir()
        cls.exact = shutil.copytree(cls.own, cls.folder / "elsewhere" / "own")
        cls.models = (cls.own, cls.shuffled, cls.moved, cls.exact)
        cls.comparison = cls.folder / "comparison"
        cls.options = (*cls.models, "-o", cls.comparison, "--only", ONLY, "--quick")
        cls.shown = lab("compare", *cls.options, program="summand")
        cls.result = json.loads((cls.comparison / "compare.json").read_text()) if cls.shown.returncode == 0 else None

    def setUp(self):
        self.assertEqual(self.shown.returncode, 0, self.shown.stderr)
        self.assertEqual(self.shown.stderr, "")

    def claim(self, name):
        return next(claim for claim in self.result["claims"] if claim["id"] == name)

    def likeness(self, copy):
        """Of every number to the first checkpoint's, by (claim, number)."""
        return {(c["id"], n["name"]): n["likeness"][copy] for c in self.result["claims"] for n in c["numbers"]}

    def verdicts_that_differ(self, copy):
        both = [(c["id"], *({key: v[key] for key in VERDICTS} for v in (c["verdicts"][0], c["verdicts"][copy]))) for c in self.result["claims"]]
        return {name for name, first, other in both if first != other}

    def reports(self):
        """What each checkpoint's own report says of every claim."""
        results = [json.loads((self.comparison / c["folder"] / "results.json").read_text()) for c in self.result["checkpoints"]]
        return [{claim["id"]: claim for claim in result["claims"]} for result in results]

    def csv_rows(self):
        with open(self.comparison / "compare.csv", newline="") as file:
            return list(csv.DictReader(file))

    def refused(self, status, message, *options):
        result = lab("compare", *options)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(message, result.stderr)
        self.assertEqual(result.stdout, "")

    def test_same_names_are_told_apart_by_number(self):
        folders = [checkpoint["folder"] for checkpoint in self.result["checkpoints"]]
        self.assertEqual(folders, ["1-own", "2-shuffled", "3-moved", "4-own"])
        for folder in folders:
            self.assertIn(folder, self.shown.stdout)
            self.assertTrue((self.comparison / folder / "index.html").is_file())

    def test_every_report_is_what_summand_lab_writes(self):
        alone = self.folder / "alone"
        self.assertEqual(lab("--model", self.shuffled, "-o", alone, "--only", ONLY, "--quick").returncode, 0)
        ours, theirs = (json.loads((folder / "results.json").read_text()) for folder in (self.comparison / "2-shuffled", alone))
        self.assertEqual(ours.pop("command"), theirs.pop("command").replace(str(alone), str(self.comparison / "2-shuffled")))
        self.assertEqual(ours, theirs)
        names = {path.relative_to(alone) for path in alone.rglob("*")}
        self.assertEqual(names, {path.relative_to(self.comparison / "2-shuffled") for path in (self.comparison / "2-shuffled").rglob("*")})

    def test_an_exact_copy_is_identical_and_says_so(self):
        self.assertEqual([c["identical_to"] for c in self.result["checkpoints"]], [None, None, None, 0])
        self.assertEqual(set(self.likeness(3).values()), {"identical"})
        self.assertEqual(self.verdicts_that_differ(3), set())
        self.assertIn("4-own is the same checkpoint as 1-own", self.shown.stdout)

    def test_a_constant_moved_between_tables_turns_no_verdict_and_no_centred_number(self):
        self.assertNotEqual(self.result["checkpoints"][2]["hash"], self.result["checkpoints"][0]["hash"])
        self.assertEqual(self.verdicts_that_differ(2), set())
        likeness = self.likeness(2)
        self.assertIn(likeness["4.8", "centred_ratio"], ("identical", "rounding", "same to rounding"))
        self.assertEqual(likeness["4.8", "raw_ratio"], "different")
        spectrum = {key: value for key, value in likeness.items() if key[0] == "E3"}
        self.assertGreaterEqual(len(spectrum), 3)
        self.assertLessEqual(set(spectrum.values()), {"identical", "same to rounding"})

    def test_shuffled_rows_turn_what_asks_for_their_order_and_nothing_else(self):
        self.assertIn("0.9", self.verdicts_that_differ(1))
        self.assertNotIn("E3", self.verdicts_that_differ(1))
        self.assertNotIn("4.8", self.verdicts_that_differ(1))
        likeness = self.likeness(1)
        for number in ("raw_ratio", "centred_ratio"):
            self.assertIn(likeness["4.8", number], ("identical", "same to rounding"))
        self.assertIn("different", [value for key, value in likeness.items() if key[0] == "0.9"])
        self.assertTrue(self.claim("0.9")["verdicts_differ"])

    def test_what_differs_is_marked_and_counted_on_the_terminal(self):
        different = self.verdicts_that_differ(1) | self.verdicts_that_differ(2) | self.verdicts_that_differ(3)
        self.assertEqual(self.result["verdicts_that_differ"], len(different))
        marked = {line.split()[1] for line in self.shown.stdout.splitlines() if line.startswith("* ")}
        self.assertEqual(marked, different)
        self.assertEqual(self.result["comparable"], sum(claim["measured_on"] > 1 for claim in self.result["claims"]))
        self.assertIn(f"{len(different)} of {self.result['comparable']} claims that were measured on two checkpoints or more", self.shown.stdout)

    def test_what_one_checkpoint_lacks_is_no_difference(self):
        without = changed_copy(self.own, "without-positions", lambda tensors: None)
        config = json.loads((without / "config.json").read_text())
        config.setdefault("summand", {})["position_kind"] = "none"
        (without / "config.json").write_text(json.dumps(config))
        tensors = load_file(without / "model.safetensors")
        tensors.pop(POSITIONS)
        save_file(tensors, without / "model.safetensors", metadata={"format": "pt"})
        folder = self.folder / "lacking"
        shown = lab("compare", self.own, without, "-o", folder, "--only", "spectrum,decoding", "--quick", "--json")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        result = json.loads(shown.stdout)
        self.assertEqual(result["verdicts_that_differ"], 0)
        self.assertEqual(result["comparable"], 0)
        for claim in result["claims"]:
            self.assertEqual([claim["measured_on"], claim["verdicts_differ"]], [1, False], claim["id"])
        own, lacking = (checkpoint["in_short"] for checkpoint in result["checkpoints"])
        self.assertIsNotNone(own["adding"])
        self.assertEqual(lacking["table"]["lead"], "There is none.")

    def test_every_verdict_is_that_of_the_checkpoints_own_report(self):
        for i, report in enumerate(self.reports()):
            for claim in self.result["claims"]:
                own, verdict = report[claim["id"]], claim["verdicts"][i]
                with self.subTest(checkpoint=i, claim=claim["id"]):
                    self.assertEqual([verdict[key] for key in ("observation", "inference")], [own[key] for key in ("observation", "inference")])
                    self.assertEqual(verdict["conclusion_by"], own["conclusion_by"])
                    # Where nothing is concluded, results.json has it open, and no claim that would tell.
                    nothing = verdict["conclusion"] == "-" and own["conclusion_by"] is None
                    self.assertEqual("open" if nothing else verdict["conclusion"], own["conclusion"])
        conclusions = {claim["id"]: {verdict["conclusion"] for verdict in claim["verdicts"]} for claim in self.result["claims"]}
        self.assertEqual(conclusions["0.4"], {"false"})  # its own observation tells, and fails
        self.assertEqual(conclusions["E3"], {"-"})  # it concludes nothing
        self.assertEqual(conclusions["0.9"], {"open"})  # 3.1 would tell, and was not run
        self.assertEqual(conclusions["4.8"], {"open"})  # 4.2 would

    def test_the_terminal_and_the_csv_have_all_three_verdicts(self):
        lines = {line[2:].split()[0]: line for line in self.shown.stdout.splitlines() if line[2:].strip()}
        rows = self.csv_rows()
        for claim in self.result["claims"]:
            for checkpoint, verdict in zip(self.result["checkpoints"], claim["verdicts"]):
                self.assertIn(" / ".join(verdict[key] for key in VERDICTS), lines[claim["id"]])
                mine = [row for row in rows if (row["claim"], row["checkpoint"]) == (claim["id"], checkpoint["folder"])]
                self.assertTrue(mine)
                for row in mine:
                    self.assertEqual({key: row[key] for key in VERDICTS}, {key: verdict[key] for key in VERDICTS})

    def test_the_csv_has_the_intervals_of_the_checkpoints_own_reports(self):
        folders = [checkpoint["folder"] for checkpoint in self.result["checkpoints"]]
        reports = dict(zip(folders, self.reports()))
        ranged = 0
        for row in self.csv_rows():
            own = reports[row["checkpoint"]][row["claim"]]["numbers"].get(row["number"], {})
            for ends, interval in (("", "interval"), ("null_", "null_interval"), ("control_", "control_interval")):
                expected = [None if end is None else float(end) for end in own.get(interval) or (None, None)]
                found = [float(row[ends + end]) if row[ends + end] else None for end in ("low", "high")]
                self.assertEqual(found, expected, (row["claim"], row["number"], interval))
                ranged += interval == "null_interval" and None not in expected
        self.assertGreater(ranged, 0)

    def test_the_csv_has_every_number_of_every_checkpoint(self):
        rows = self.csv_rows()
        for claim in self.result["claims"]:
            for number in claim["numbers"]:
                mine = [row for row in rows if (row["claim"], row["number"]) == (claim["id"], number["name"])]
                self.assertEqual([row["checkpoint"] for row in mine], ["1-own", "2-shuffled", "3-moved", "4-own"])
                for row, value in zip(mine, number["values"]):
                    if value["value"] is not None:
                        self.assertEqual(float(row["value"]), value["value"])

    def test_relative_differences_are_of_the_first(self):
        for claim in self.result["claims"]:
            for number in claim["numbers"]:
                first = number["values"][0] and number["values"][0]["value"]
                for value, relative in zip(number["values"], number["relative"]):
                    if first and value and value["value"] is not None:
                        self.assertAlmostEqual(relative, (value["value"] - first) / abs(first))

    def test_a_second_run_keeps_what_was_found_and_gives_the_same_bytes(self):
        files = ("compare.json", "compare.csv", "index.html")
        first = [(self.comparison / name).read_bytes() for name in files]
        kept = sorted(self.comparison.glob("*/experiments/*"))
        self.assertEqual(len(kept), 12)
        times = [path.stat().st_mtime_ns for path in kept]
        again = lab("compare", *self.options)
        self.assertEqual(again.stdout, self.shown.stdout)
        self.assertEqual([path.stat().st_mtime_ns for path in kept], times)
        self.assertEqual([(self.comparison / name).read_bytes() for name in files], first)

    def test_while_another_run_writes_to_one_of_its_folders_it_is_refused(self):
        contents = {path: path.read_bytes() for path in self.comparison.rglob("*") if path.is_file()}
        for folder in (self.comparison, self.comparison / "2-shuffled"):
            descriptor = os.open(folder, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            self.refused(1, f"[{folder}] expected a folder that no other run writes to, got one in use", *self.options, "--seed", "2")
            os.close(descriptor)
        self.assertEqual({path: path.read_bytes() for path in self.comparison.rglob("*") if path.is_file()}, contents)

    def test_what_ran_with_other_settings_is_said_of_every_checkpoint(self):
        both = ("compare", self.own, self.moved, "-o", self.folder / "settings", "--only")
        self.assertEqual(lab(*both, "spectrum", "--quick").stderr, "")
        start, end = "kept there but not shown, as a report has one setting: 1 experiment that ran", "shows them instead of these, which stay there\n"
        self.assertEqual(lab(*both, "path").stderr, "".join(
            f"summand: [{self.folder / 'settings' / name}] {start} with --quick; the same command with --quick {end}"
            for name in ("1-own", "2-moved")))  # fmt: skip

    def test_the_table_is_printed_in_chinese_and_json_is_the_file(self):
        shown = lab("compare", *self.options, "--language", "zh").stdout
        self.assertIn("判定不同", shown)
        self.assertIn("不成立", shown)
        self.assertEqual(json.loads(lab("compare", *self.options, "--json").stdout)["claims"], self.result["claims"])

    def test_the_same_directory_twice_is_allowed(self):
        twice = self.folder / "twice"
        shown = lab("compare", self.own, self.own, "-o", twice, "--only", "spectrum", "--quick")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("2-own is the same checkpoint as 1-own", shown.stdout)

    def test_reports_may_have_titles(self):
        named = self.folder / "named"
        options = (self.own, self.moved, "-o", named, "--only", "E3", "--quick", "--name")
        shown = lab("compare", *options, "One: a", "--name", "二")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        checkpoints = json.loads((named / "compare.json").read_text())["checkpoints"]
        self.assertEqual([one["name"] for one in checkpoints], ["One: a", "二"])
        self.assertEqual([one["folder"] for one in checkpoints], ["1-One--a", "2----"])
        self.assertIn("--name '二'", json.loads((named / "2----" / "results.json").read_text())["command"])
        shutil.rmtree(named)
        shown = lab("compare", *options, "One")  # the second keeps its folder's name
        self.assertEqual([path.name for path in sorted(named.iterdir()) if path.is_dir()], ["1-One", "2-moved"])
        self.refused(2, "[--name] expected at most one for each of the 2 checkpoints, got 3", *options, "a", "--name", "b", "--name", "c")

    def test_errors_are_one_line_before_anything_runs(self):
        new = self.folder / "new"
        self.refused(2, "expected two checkpoints or more", "-o", new)
        self.refused(2, "expected two checkpoints or more", self.own, "-o", new)
        self.refused(2, "expected a folder for the", self.own, self.moved)
        self.refused(2, "--only", self.own, self.moved, "-o", new, "--only", "nonsense")
        self.refused(1, "nowhere", self.own, self.folder / "nowhere", "-o", new)
        self.assertEqual(list(new.glob("*/experiments/*")), [])
        self.refused(2, "got a file", self.own, self.moved, "-o", self.own / "config.json")
        self.refused(2, "it holds '", self.own, self.moved, "-o", self.own)
        self.refused(2, "it holds '", self.moved, self.own, "-o", self.comparison)
        twin = shutil.copytree(self.shuffled, self.folder / "twin" / "own")
        self.refused(2, "earlier run on this checkpoint", twin, *self.models[1:], "-o", self.comparison)
        self.assertEqual(sorted(path.name for path in self.comparison.iterdir() if path.is_dir()),
                         ["1-own", "2-shuffled", "3-moved", "4-own"])


if __name__ == "__main__":
    unittest.main()
