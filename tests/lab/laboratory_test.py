"""The program summand-lab: its folder, what it keeps, its results, and what it refuses."""

import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile
import unittest

import numpy as np
import summand_testing
from safetensors.numpy import save_file

BIN = summand_testing.BIN
QUICK = ("spectrum", "initialisation")


def lab(*options, program="summand-lab"):
    words = [BIN / program, *(["lab"] if program == "summand" else []), *map(str, options)]
    return subprocess.run(words, capture_output=True, text=True)


def random_walk(rows=160, columns=40):
    return np.cumsum(np.random.default_rng(1).normal(size=(rows, columns)), axis=0) / 100


class Laboratory(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.table = self.folder / "table.npy"
        np.save(self.table, random_walk().astype(np.float32))
        self.report = self.folder / "report"

    def run_ok(self, *options, program="summand-lab"):
        result = lab(*options, program=program)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "")
        return result.stdout

    def refused(self, status, message, *options):
        result = lab(*options)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(message, result.stderr)

    def results(self):
        return json.loads((self.report / "results.json").read_text())

    def test_every_claim_has_a_row_and_a_table_alone_is_enough(self):
        shown = self.run_ok("--table", self.table, "-o", self.report, "--quick")
        self.assertIn(f"report: {self.report / 'index.html'}", shown)
        results = self.results()
        self.assertEqual(results["schema"], 1)
        rows = {row["id"]: row for row in results["claims"]}
        expected = [f"0.{i}" for i in range(1, 12)] + [f"Q{i}" for i in range(1, 11) if i != 8] + ["Q5b", "Q6b"]
        expected += [f"Q8{c}" for c in "abcd"] + [f"E{i}" for i in range(1, 12)] + [f"3.{i}" for i in range(1, 6)] + [f"4.{i}" for i in range(1, 12)] + [f"X{i}" for i in range(1, 5)]
        self.assertEqual(sorted(rows), sorted(expected))
        for row in rows.values():
            self.assertIn(row["observation"], ("holds", "fails", "cannot be told", "not judged", "not measured"))
            self.assertIn(row["inference"], ("follows", "does not follow", "not tested"))
            self.assertTrue(row["reason"])
        self.assertEqual(rows["E11"]["reason"], "no checkpoint can tell; trained controls answer it")
        self.assertIn(rows["E11"]["study"]["verdict"], ("holds", "fails", "cannot be told"))
        self.assertIn("components_above_1_percent", rows["E3"]["numbers"])

    def test_events_tell_each_verdict_as_it_is_found(self):
        told = self.run_ok("--table", self.table, "-o", self.report, "--quick", "--only", ",".join(QUICK), "--events")
        events = [json.loads(line) for line in told.splitlines()]
        kinds = [event["event"] for event in events]
        self.assertEqual(kinds[0], "progress")
        self.assertEqual((kinds[-1], events[-1]["page"]), ("finished", str(self.report / "index.html")))
        shares = [event["share"] for event in events if event["event"] == "progress"]
        self.assertEqual(shares, sorted(shares))
        rows = {row["id"]: row for row in self.results()["claims"]}
        verdicts = {event["claim"]: event for event in events if event["event"] == "verdict"}
        self.assertEqual(set(verdicts), {id for id, row in rows.items() if row.get("experiment") in QUICK})
        for id, verdict in verdicts.items():
            self.assertIn(verdict["experiment"], QUICK)
            self.assertEqual(verdict["observation"]["en"], rows[id]["observation"])
            self.assertEqual(verdict["reason"]["en"], rows[id]["reason"])
            self.assertTrue(verdict["says"]["zh"] and verdict["reason"]["zh"])
            if verdict["conclusion"]:
                self.assertEqual(verdict["conclusion"]["truth"]["en"], rows[id]["conclusion"])
        self.refused(2, "excludes", "--table", self.table, "-o", self.report, "--events", "--json")

    def check_that_threads_change_nothing(self, *options):
        found = []
        for threads in (1, 2, 5):
            folder = self.folder / f"on {threads}"
            found.append(json.loads(self.run_ok("--table", self.table, "-o", folder, "--quick", "--threads", threads, "--json", *options)))
            found[-1].pop("command")
        self.assertEqual(found[0], found[1])
        self.assertEqual(found[0], found[2])

    def test_what_is_found_does_not_depend_on_the_threads(self):
        self.check_that_threads_change_nothing("--only", "relative_position,tails,continuity")

    @summand_testing.long
    def test_no_experiment_depends_on_the_threads(self):
        self.check_that_threads_change_nothing()

    def test_what_was_finished_is_kept_and_gives_the_same_bytes(self):
        options = ("--table", self.table, "-o", self.report, "--quick", "--only", ",".join(QUICK))
        self.run_ok(*options)
        first = (self.report / "results.json").read_bytes()
        printed = json.loads(self.run_ok(*options, "--json"))
        self.assertEqual(printed["claims"], json.loads(first)["claims"])
        kept = sorted(self.report.glob("experiments/*"))
        self.assertEqual(len(kept), 2)
        times = [path.stat().st_mtime_ns for path in kept]
        self.run_ok(*options)
        self.assertEqual([path.stat().st_mtime_ns for path in kept], times)
        self.assertEqual((self.report / "results.json").read_bytes(), first)
        kept[0].write_bytes(b"damaged")
        self.run_ok(*options, "--threads", "1")
        self.assertGreater(kept[0].stat().st_size, 100)
        self.assertEqual((self.report / "results.json").read_bytes().replace(b" --threads 1", b""), first)
        times = [path.stat().st_mtime_ns for path in kept]
        self.run_ok(*options, "--seed", "5")
        self.assertNotEqual((self.report / "results.json").read_bytes(), first)
        # Of another seed there are files of their own: back with the first one, nothing runs again.
        self.assertEqual(len(list(self.report.glob("experiments/*"))), 4)
        self.run_ok(*options)
        self.assertEqual([path.stat().st_mtime_ns for path in kept], times)
        self.assertEqual((self.report / "results.json").read_bytes(), first)

    def shown(self, *options):
        """Runs it into the report. Which experiments the report has then, and what was said of others."""
        result = lab("--table", self.table, "-o", self.report, *options)
        self.assertEqual(result.returncode, 0, result.stderr)
        names = [claim["experiment"] for claim in self.results()["claims"] if claim["observation"] != "not measured"]
        return set(names), result.stderr

    def test_what_ran_with_other_settings_is_said_to_be_kept_and_comes_back(self):
        start = f"summand: [{self.report}] kept there but not shown, as a report has one setting: "
        self.assertEqual(self.shown("--quick", "--only", "spectrum,initialisation"), ({"spectrum", "initialisation"}, ""))
        self.assertEqual(self.shown("--only", "path"), ({"path"}, start + (
            "2 experiments that ran with --quick; the same command with --quick shows them instead of these, which stay there\n")))  # fmt: skip
        self.assertEqual(self.shown("--quick", "--seed", "5", "--only", "tails"), ({"tails"}, start + (
            "2 experiments that ran without --seed, 1 experiment that ran without --quick and without --seed; "
            "the same command without --seed shows the first of them instead of these, which stay there\n")))  # fmt: skip
        self.assertEqual(self.shown("--quick", "--only", "tails"), ({"spectrum", "initialisation", "tails"}, start + (
            "1 experiment that ran without --quick; the same command without --quick shows them instead of these, which stay there\n")))  # fmt: skip
        # What is shown anyway is not missed, though it also ran otherwise.
        shown, said = self.shown("--quick", "--only", "path")
        self.assertEqual((shown, said), ({"spectrum", "initialisation", "tails", "path"}, ""))

    def other_build(self, change):
        """A copy of the program whose bytes are changed; the same command in it, into the same folder."""
        program = self.folder / "another-build"
        program.write_bytes(change((BIN / "summand-lab").read_bytes()))
        program.chmod(0o755)
        options = ("--table", self.table, "-o", self.report, "--quick", "--only", "path")
        return subprocess.run([program, *map(str, options)], capture_output=True, text=True)

    def test_what_other_code_of_an_experiment_found_is_said_to_be_kept(self):
        self.shown("--quick", "--only", "spectrum,path")
        listed = (BIN.parent / "lab" / "experiment_sources.cpp").read_text()
        of_spectrum = re.search(r'"spectrum"\) return "([0-9a-f]{64})"', listed).group(1).encode()
        kept = self.report / "experiments" / "path.quick.cbor"
        before = kept.stat().st_mtime_ns

        def change(program):
            self.assertEqual(program.count(of_spectrum), 1)
            return program.replace(of_spectrum, b"0" * 64)

        result = self.other_build(change)
        self.assertEqual((result.returncode, result.stderr), (0, (
            f"summand: [{self.report}] kept there but not shown, as a report has one setting: 1 experiment that ran by "
            "other code or another compiler; the same command without --only runs them again, and the report that has them "
            "is index.earlier.html\n")))  # fmt: skip
        for _ in range(2):  # the oldest stays: a second run does not put the shorter report in its place
            earlier = json.loads((self.report / "results.earlier.json").read_text())["claims"]
            measured = {claim["experiment"] for claim in earlier if claim["observation"] != "not measured"}
            self.assertEqual(measured, {"spectrum", "path"})
            self.assertIn("E3", (self.report / "index.earlier.html").read_text())
            self.other_build(change)
        self.assertEqual(kept.stat().st_mtime_ns, before, "path, whose sources are the same, did not run again")

    def test_a_build_that_differs_elsewhere_runs_nothing_again(self):
        self.shown("--quick", "--only", "spectrum,path")
        files = {path: path.stat().st_mtime_ns for path in (self.report / "experiments").iterdir()}
        result = self.other_build(lambda program: program + b"\0")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertEqual({path: path.stat().st_mtime_ns for path in files}, files)

    def test_a_second_run_into_the_same_folder_is_refused_and_changes_nothing(self):
        options = ("--table", self.table, "-o", self.report, "--quick", "--only", "initialisation")
        self.run_ok(*options)
        before = {path: path.read_bytes() for path in self.report.rglob("*") if path.is_file()}
        descriptor = os.open(self.report, os.O_RDONLY)
        self.addCleanup(os.close, descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self.refused(1, f"[{self.report}] expected a folder that no other run writes to, got one in use", *options, "--seed", "3")
        self.assertEqual({path: path.read_bytes() for path in self.report.rglob("*") if path.is_file()}, before)
        fcntl.flock(descriptor, fcntl.LOCK_UN)
        self.run_ok(*options)

    def test_a_run_has_its_folder_to_itself_until_it_ends_or_is_killed(self):
        options = ("--table", self.table, "-o", self.report, "--quick", "--only", "spectrum")
        self.run_ok(*options)
        kept = self.report / "experiments" / "spectrum.quick.cbor"
        kept.unlink()
        os.mkfifo(kept)  # the run looks for what is kept, and waits there until somebody writes
        run = subprocess.Popen([BIN / "summand-lab", *map(str, options)], stderr=subprocess.DEVNULL)
        try:
            with kept.open("wb"):  # waits until the run is there
                others = ("--table", self.table, "-o", self.report, "--only", "initialisation")  # which looks for no such file
                self.refused(1, "expected a folder that no other run writes to, got one in use", *others)
        finally:
            run.kill()
            run.wait()
        kept.unlink()
        self.run_ok(*options)

    def test_a_folder_that_is_not_ours_is_left_alone(self):
        options = ("--quick", "--only", "initialisation")
        self.report.mkdir()
        (self.report / "mine.txt").write_text("mine")
        self.refused(2, "expected an empty folder, or one of an earlier run; it holds other files", "--table", self.table, "-o", self.report, *options)
        self.assertEqual([path.name for path in self.report.iterdir()], ["mine.txt"])
        (self.report / "mine.txt").unlink()
        self.run_ok("--table", self.table, "-o", self.report, *options)
        other = self.folder / "other.npy"
        np.save(other, random_walk() * 2)
        before = (self.report / "results.json").read_bytes()
        self.refused(2, "or one of an earlier run on this checkpoint", "--table", other, "-o", self.report, *options)
        self.assertEqual((self.report / "results.json").read_bytes(), before)
        self.refused(2, "expected a folder for the report, got a file", "--table", self.table, "-o", other, *options)

    def test_tables_of_safetensors_are_named(self):
        path = self.folder / "model.safetensors"
        tensors = {"wpe.weight": random_walk().astype(np.float32), "bias": np.zeros(3, np.float32)}
        save_file(tensors | {"pos_embed": tensors["wpe.weight"][None]}, path)
        found = []
        for name in ("wpe.weight", "pos_embed"):  # GPT-2's; a vision transformer's, [1, positions, hidden]
            folder = self.folder / name
            self.run_ok("--table", f"{path}:{name}", "-o", folder, "--quick", "--only", "spectrum")
            found.append(json.loads((folder / "results.json").read_text())["claims"])
        self.assertEqual(*found)
        self.refused(2, "got 'bias'; it has 'pos_embed', 'wpe.weight'\n", "--table", f"{path}:bias", "-o", self.folder / "x")
        save_file({"wpe.weight": np.full((40, 4), np.nan, np.float32)}, path)
        self.refused(1, "expected finite numbers", "--table", f"{path}:wpe.weight", "-o", self.folder / "x")

    def test_wrong_use_is_one_line(self):
        self.refused(2, "expected either --model or --table", "-o", self.report)
        self.refused(2, "expected a folder for the report, -o", "--table", self.table)
        self.refused(2, "see 'summand lab list'; got 'nothing'", "--table", self.table, "-o", self.report, "--only", "nothing")
        self.refused(2, "a table alone reads no texts", "--table", self.table, "-o", self.report, "--corpus", self.table)
        self.refused(2, "expected FILE.npy or FILE.safetensors:TENSOR", "--table", "x.txt", "-o", self.report)
        self.refused(1, "cannot be read", "--table", self.folder / "absent.npy", "-o", self.report)
        self.assertFalse(self.report.exists())

    def test_experiments_are_asked_for_by_their_claims(self):
        options = ("--table", self.table, "-o", self.report, "--quick", "--only")
        self.run_ok(*options, "E3,initialisation")
        measured = {row["experiment"] for row in self.results()["claims"] if row["observation"] != "not measured"}
        self.assertEqual(measured, {"spectrum", "initialisation"})
        self.refused(2, "got 'E77'; did you mean 'E7'?; claims are 0.1 0.2 0.4 ", *options, "E77")
        self.refused(2, "got 'E11', a claim that no experiment judges: it needs models trained for it", *options, "spectrum,E11")

    def test_a_conclusion_that_waits_for_another_claim_says_so(self):
        shown = self.run_ok("--table", self.table, "-o", self.report, "--quick", "--only", "3.5")
        self.assertIn("'Position is easy to separate from token': open (needs 3.3: not", " ".join(shown.split()))
        row, = (row for row in self.results()["claims"] if row["id"] == "3.5")
        self.assertEqual((row["conclusion"], row["conclusion_by"], row["conclusion_needs"]), ("open", "3.3", "needs 3.3: not run"))

    def test_a_report_may_have_a_title(self):
        options = ("--table", self.table, "-o", self.report, "--quick", "--only", "spectrum")
        shown = self.run_ok(*options, "--name", "A walk: <b> 漫步")
        self.assertTrue(shown.startswith("A walk: <b> 漫步: positions 160, coordinates 40\n"), shown[:200])
        self.assertEqual(self.results()["checkpoint"]["name"], "A walk: <b> 漫步")
        self.assertIn("A walk: \\u003cb> 漫步", (self.report / "index.html").read_text())
        self.assertIn("--name 'A walk: <b> 漫步'", self.results()["command"])
        self.run_ok(*options)
        self.assertEqual(self.results()["checkpoint"]["name"], "table.npy")
        self.refused(2, "[--name] expected a title in one line of UTF-8, got ''", *options, "--name", "")
        self.refused(2, "expected --name once, for one report, got it 2 times", *options, "--name", "a", "--name", "b")

    def test_it_ends_with_the_two_questions_in_short(self):
        shown = self.run_ok("--table", self.table, "-o", self.report, "--quick", "--only", "clocks,spectrum")
        self.assertIn("\nIn short, of table.npy:\nWhat has the position table learned?\n  ", shown)
        self.assertNotIn("Does adding lose", shown)
        asked, = self.results()["in_short"]
        self.assertEqual(asked["question"], "What has the position table learned?")
        self.assertIn(asked["answer"], " ".join(shown.split()))

    def test_everything_is_said_in_chinese(self):
        options = ("--table", self.table, "-o", self.report, "--only", "spectrum")
        self.run_ok(*options, "--quick")
        result = lab(*options[:-1], "path", "--language", "zh")
        self.assertEqual(result.returncode, 0)
        self.assertIn(f"\n报告：{self.report / 'index.html'}\n", result.stdout)
        self.assertEqual(result.stderr, f"summand: [{self.report}] 已保存而未显示，因为一份报告只有一种设置：1 个实验（运行时带 --quick）；"
                                        "同一命令带 --quick 会显示它们，现有的仍保存在那里\n")  # fmt: skip
        for label in ("report:", "corpus:", "claims:", "null", "control"):
            self.assertNotIn(label, result.stdout)

    def test_mistyped_words_are_named_with_the_nearest(self):
        self.refused(2, "[command line] lab: no option '--onyl'; did you mean '--only'?; see summand lab --help", "--onyl", "spectrum")
        self.refused(2, "lab: no option '--sede'; did you mean '--seed'?", "--table", self.table, "--sede=3")
        self.refused(2, "lab: no option '--nothing-like-it'; see", "--nothing-like-it")
        self.refused(2, "lab: no option '-m'; did you mean '--model'?", "-m", self.table)
        self.refused(2, "lab: expected no more words, got 'lsit'; did you mean 'list'?; see summand lab --help", "lsit")
        self.refused(2, "lab compare: no option '--qiuck'; did you mean '--quick'?; see summand lab compare --help", "compare", "a", "b", "--qiuck")
        self.refused(2, "lab: --threads: expected a whole number", "--threads", "few")
        self.refused(2, "got 'spectrun'; did you mean 'spectrum'?", "--table", self.table, "-o", self.report, "--only", "spectrun")
        self.assertEqual(lab("--onyl", "x", program="summand").stderr, lab("--onyl", "x").stderr)

    def test_of_many_tensors_the_likest_are_named(self):
        path = self.folder / "model.safetensors"
        names = [f"layer.{i}.weight" for i in range(40)] + ["embeddings.position_embeddings.weight", "pooler.weight"]
        save_file({name: np.zeros((4, 4), np.float32) for name in names} | {"bias": np.zeros(3, np.float32)}, path)
        for asked, named in (("position_embeddings", "'embeddings.position_embeddings.weight', "), ("pooler.wieght", "'pooler.weight', ")):
            result = lab("--table", f"{path}:{asked}", "-o", self.report)
            self.assertEqual((result.returncode, result.stderr.count("\n")), (2, 1), result.stderr)
            self.assertIn(f"got '{asked}'; it has {named}", result.stderr)
            self.assertTrue(result.stderr.endswith(" and 39 more\n"), result.stderr)
        save_file({"bias": np.zeros(3, np.float32)}, path)
        self.refused(2, "got 'bias'; it has none", "--table", f"{path}:bias", "-o", self.report)

    def test_summand_lab_is_the_same_program(self):
        self.assertEqual(self.run_ok("list", program="summand"), self.run_ok("list"))
        self.assertIn("spectrum", self.run_ok("list"))
        listed = json.loads(self.run_ok("list", "--json"))
        shown = [line.split()[0] for line in self.run_ok("list").splitlines() if not line.startswith(" ")]
        self.assertEqual([one["name"] for one in listed], shown)
        for one in listed:
            self.assertEqual([rule["claim"] for rule in one["rules"]], one["claims"])
        self.assertRegex(self.run_ok("list"), r"\n +E3 +about 18 components explain over 1 % each\n")
        self.assertRegex(self.run_ok("list", "--language", "zh"), r"\n +E3 +约 18 个主成分各超过 1%\n")
        self.assertEqual({claim for one in listed if one["name"] == "spectrum" for claim in one["claims"]}, {"E3"})
        self.assertEqual(sum(len(one["claims"]) for one in listed), 49)

    def test_a_reader_that_goes_is_no_error(self):
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run([summand_testing.BIN / "summand-lab", "list"], stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        self.assertEqual((run.returncode, run.stderr), (128 + signal.SIGPIPE, ""))

        self.assertIn("--table", self.run_ok("--help", program="summand"))


if __name__ == "__main__":
    summand_testing.run_cases()
