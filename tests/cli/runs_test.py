"""`summand runs` on folders as pretrain leaves them: rows by arm, mean and deviation over seeds, what differs, and runs that are
damaged, failed or named twice."""

import json
import os
import pathlib
import statistics
import tempfile
import unittest

from command_line import summand

SIZES = {"model_type": "bert", "vocab_size": 100, "hidden_size": 12, "num_hidden_layers": 2, "num_attention_heads": 3,
         "intermediate_size": 20, "max_position_embeddings": 32, "type_vocab_size": 2, "hidden_act": "gelu"}  # fmt: skip
OPTIONS = {"steps": 100000, "learning_rate": 0.001, "pairs": "none", "valid_length": 128, "valid_sequences": 1000, "patience": 0}
# name → what stands below "summand", and options
ARMS = {
    "learned": ({}, {}),
    "again": ({"position_again": True}, {}),
    "rotary": ({"position_attention": "rotary", "position_kind": "none"}, {}),
    "sines": ({"position_kind": "sinusoidal"}, {}),
    "gated": ({"composition": "vector_gate", "segment_kind": "none"}, {}),
    "slow": ({}, {"learning_rate": 0.0005}),
    "t5": ({"position_attention": "t5_bias", "segment_attention": "diet_relative"}, {}),
}
SEEDS = 4


def loss_of(arm, seed):
    return 3 + 0.1 * list(ARMS).index(arm) + 0.01 * ((seed * 7) % 5)


class RunsTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name) / "runs"
        for arm in ARMS:
            for seed in range(SEEDS):
                self.write(f"{arm}-with-a-long-name-of-seed-{seed}", arm, seed)
        self.write("learned-broken-off", "learned", SEEDS, step=4000)  # the 29th

    def write(self, name, arm, seed, step=100000, **changes):
        run = self.root / name
        (run / "last").mkdir(parents=True)
        own, options = ARMS[arm]
        config = SIZES | ({"summand": own} if own else {})
        (run / "run.json").write_text(json.dumps({
            "options": {"seed": seed} | OPTIONS | options, "data": {"train": "aa", "valid": "bb", "tokenizer": "cc"},
            "model": {"config": config}, "about": {"command": name, "threads": 2}} | changes))
        (run / "last" / "state.json").write_text(json.dumps(
            {"step": step, "tokens": step * 4096, "seconds": step / 10, "best_step": step, "without_gain": 0}))
        loss = loss_of(arm, seed)
        (run / "metrics.jsonl").write_text(
            json.dumps({"step": step, "train": {"masked_loss": loss - 0.2}}) + "\n" +
            json.dumps({"step": step, "valid": {"masked_loss": loss, "loss": loss + 0.5}}) + "\n")
        return run

    def table(self, *folders, columns=None, status=0):
        environment = {key: value for key, value in os.environ.items() if key != "COLUMNS"}
        if columns:
            environment["COLUMNS"] = str(columns)
        result = summand("runs", *(folders or [self.root]), env=environment)
        self.assertEqual(result.returncode, status, result.stderr)
        return result

    def test_29_runs_are_rows_that_fit_a_terminal(self):
        for columns in (80, 120):
            said = self.table(columns=columns)
            self.assertEqual(said.stderr, "")
            lines = said.stdout.splitlines()
            self.assertLessEqual(max(map(len, lines)), columns, said.stdout)
            rows = [line for line in lines if line.startswith("  ") and line.endswith(("done", " min"))]
            self.assertEqual(len(rows), 29)
            if "SHOW" in os.environ:
                print(said.stdout)

    def test_runs_stand_by_arm_with_mean_and_deviation_over_seeds(self):
        lines = self.table(columns=120).stdout.splitlines()
        headings = [line.strip() for line in lines if line[:1].isdigit()]
        self.assertEqual({heading.split(" ", 1)[1] for heading in headings},
                         {"sum, learned", "sum, learned, position again", "sum, none, rotary", "sum, sinusoidal",
                          "vector_gate, learned, no segments", "sum, learned, t5_bias, segments diet_relative"})  # fmt: skip
        self.assertEqual(len(headings), len(ARMS))
        at = next(i for i, line in enumerate(lines) if line.endswith("position again"))
        block = lines[at + 1 : at + 3 + SEEDS]
        self.assertEqual([line.split()[1] for line in block[:SEEDS]], [str(seed) for seed in range(SEEDS)])
        losses = [loss_of("again", seed) for seed in range(SEEDS)]
        self.assertIn(f"{statistics.mean(losses):.4f}", block[SEEDS])
        self.assertTrue(block[SEEDS].startswith("  mean") and block[SEEDS + 1].startswith("  deviation"), block)
        self.assertIn(f"{statistics.stdev(losses):.4f}", block[SEEDS + 1])

    def test_json_has_the_same_by_arm(self):
        shown = json.loads(summand("runs", self.root, "--json").stdout)
        self.assertEqual(len(shown["runs"]), 29)
        self.assertEqual(sum(len(arm["runs"]) for arm in shown["arms"]), 29)
        again = next(arm for arm in shown["arms"] if arm["arm"] == "sum, learned, position again")
        losses = [loss_of("again", seed) for seed in range(SEEDS)]
        self.assertAlmostEqual(again["valid_loss"]["mean"], statistics.mean(losses))
        self.assertAlmostEqual(again["valid_loss"]["deviation"], statistics.stdev(losses))
        self.assertEqual(again["valid_loss"]["runs"], SEEDS)

    def test_means_of_runs_at_different_steps_say_so(self):
        means = [line.split() for line in self.table(columns=120).stdout.splitlines() if line.startswith("  mean")]
        self.assertEqual(sorted(len(mean) for mean in means), [4] * (len(ARMS) - 1) + [5])
        self.assertEqual([mean[1] for mean in means if len(mean) == 5], ["differ"])

    def test_what_differs_names_values_and_the_arms_that_have_them(self):
        text = self.table(columns=120).stdout
        table = text.split("what differs")[1].splitlines()[1:]
        keys = [line.split()[0] for line in table if not line.startswith(" ")]
        self.assertIn("options.learning_rate", keys)
        self.assertIn("summand.position_again", keys)
        self.assertNotIn("options.seed", keys)
        slow = next(line for line in text.splitlines() if "0.0005" in line)
        number = slow.split()[-1]
        at = next(i for i, line in enumerate(text.splitlines()) if line.startswith(f"{number} "))
        self.assertIn("slow-", text.splitlines()[at + 1])

    def test_seeds_alone_make_no_second_arm(self):
        text = self.table(*[self.root / f"again-with-a-long-name-of-seed-{seed}" for seed in range(2)]).stdout
        self.assertIn("no setting differs but the seed", text)
        self.assertIn("1 sum, learned, position again", text)
        self.assertNotIn("\n2 ", text)

    def test_a_damaged_run_leaves_the_others(self):
        broken = self.root / "rotary-with-a-long-name-of-seed-1"
        (broken / "run.json").write_text("{")
        said = self.table(status=1, columns=120)
        self.assertEqual(said.stdout.count(" done\n"), 27)
        self.assertEqual(said.stderr.count("\n"), 1, said.stderr)
        self.assertIn(str(broken / "run.json"), said.stderr)
        other = self.root / "sines-with-a-long-name-of-seed-1"
        (other / "metrics.jsonl").write_text('{"step": 20, "valid": 3}\n')
        said = self.table(status=1)
        self.assertEqual(said.stdout.count(" done\n"), 26)
        self.assertIn(str(broken / "run.json"), said.stderr)
        self.assertIn("metrics.jsonl, line 1] valid: expected an object", said.stderr)
        shown = json.loads(summand("runs", self.root, "--json").stdout)
        self.assertEqual([pathlib.Path(run["folder"]).name for run in shown["damaged"]], [broken.name, other.name])

    def test_a_folder_that_is_named_twice_is_listed_once(self):
        run = self.root / "slow-with-a-long-name-of-seed-0"
        shown = json.loads(summand("runs", run, run, f"{run}/", self.root / "." / run.name, "--json").stdout)
        self.assertEqual([one["run"] for one in shown["runs"]], [run.name])
        self.assertEqual(len(json.loads(summand("runs", self.root, run, "--json").stdout)["runs"]), 29)

    def test_a_run_that_failed_says_why(self):
        run = self.root / "slow-with-a-long-name-of-seed-0"
        why = "[step 61] loss: expected a finite number, got nan; --learning-rate may be too high"
        (run / "failure.json").write_text(json.dumps({"step": 60, "error": why}))
        text = self.table(run).stdout
        self.assertIn("failed", text)
        self.assertIn(why, text)
        self.assertEqual(json.loads(summand("runs", run, "--json").stdout)["runs"][0]["failure"], why)

    def test_runs_of_before_tokenizers_were_hashed_whole_are_no_other_arm(self):
        run = self.write("old", "again", 9, data={"train": "aa", "valid": "bb"})
        text = self.table(run, self.root / "again-with-a-long-name-of-seed-0").stdout
        self.assertIn("no setting differs but the seed", text)


if __name__ == "__main__":
    unittest.main()
