"""The laboratory on checkpoints made of the real MiniLM: what computes the same gets the same verdicts, what has no order is
given none, and a random BERT of another shape gets what is true of it."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import summand_testing

LAB = summand_testing.BIN / "summand-lab"
# Where a referee's rewriting once changed a verdict, or row 0 or one direction decided it. The test lab_referee asks every
# experiment of a planted checkpoint.
ONCE_CHANGED = [
    "subspaces", "initialisation", "norms", "tied_output", "position_strength", "expansion", "toeplitz", "tails",
    "first_token", "self_match",
]  # fmt: skip
OF_THE_ENCODER = {"first_token", "self_match", "score_scale", "non_linearity"}
OF_TOKENS = {"subspaces", "norms", "variance_shares", "covariance", "decoding", "continuity"}
SAME_NUMBER = 2e-3  # shares of some thousand words, of which rounding may turn one


def run(*words):
    done = subprocess.run([LAB, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


class RefereeOfMiniLm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(prefix="summand_referee_")))
        cls.model = summand_testing.minilm()
        listed = json.loads(run("list", "--json"))
        cls.experiments = {rule["claim"]: one["name"] for one in listed for rule in one["rules"]}

    def planted(self, kind, *options, source=None):
        """A checkpoint, and what is true of it."""
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / kind
        run("plant", kind, "--from", source or self.model, "-o", out, *options)
        return out, json.loads((out / "truth.json").read_text())["truth"]

    def verdicts(self, model, experiments):
        out = pathlib.Path(tempfile.mkdtemp(dir=self.folder)) / "report"
        run("--model", model, "-o", out, "--quick", "--only", ",".join(sorted(experiments)))
        claims = json.loads((out / "results.json").read_text())["claims"]
        return {one["id"]: one for one in claims if one["experiment"] in experiments}

    def check_truth(self, kind, *options):
        checkpoint, truth = self.planted(kind, *options)
        demands = {of: entry for of, entry in truth.items() if of in self.experiments}
        self.assertTrue(demands)
        found = self.verdicts(checkpoint, {self.experiments[claim] for claim in demands})
        for claim, entry in demands.items():
            with self.subTest(kind=kind, claim=claim, reason=found[claim]["reason"]):
                if "must" in entry:
                    self.assertEqual(found[claim]["observation"], entry["must"])
                if "must_not" in entry:
                    self.assertNotEqual(found[claim]["observation"], entry["must_not"])
        return found

    def test_what_computes_the_same_gets_the_same_verdicts(self):
        """Every way to rewrite it, one behind the other."""
        own = self.verdicts(self.model, set(ONCE_CHANGED))
        model = self.model
        for kind in ("rewritten", "offset", "gauge", "permuted"):
            model = self.planted(kind, source=model)[0]
        other = self.verdicts(model, set(ONCE_CHANGED))
        for claim, verdict in own.items():
            with self.subTest(claim=claim, own=verdict["reason"], other=other[claim]["reason"]):
                for column in ("observation", "inference", "conclusion"):
                    self.assertEqual(other[claim][column], verdict[column], column)

    def test_what_attention_and_normalisations_leave_free_changes_no_number_that_is_read_off_them(self):
        own = self.verdicts(self.model, OF_THE_ENCODER)
        other = self.verdicts(self.planted("gauge")[0], OF_THE_ENCODER)
        for claim, verdict in own.items():
            for name, number in verdict["numbers"].items():
                with self.subTest(claim=claim, number=name):
                    self.assertAlmostEqual(other[claim]["numbers"][name]["value"], number["value"], delta=SAME_NUMBER)

    def test_rows_that_no_text_reaches_change_no_number(self):
        own = self.verdicts(self.model, OF_TOKENS)
        other = self.verdicts(self.planted("unreached")[0], OF_TOKENS)
        for claim, verdict in own.items():
            with self.subTest(claim=claim):
                self.assertTrue(verdict["numbers"])
                for key in ("observation", "inference", "conclusion", "numbers"):
                    self.assertEqual(other[claim][key], verdict[key], key)

    def test_without_order_nothing_is_found_that_needs_it(self):
        self.check_truth("no-order")

    def test_a_random_bert_of_another_shape_has_learned_nothing(self):
        self.check_truth("random", "--layers", 3, "--hidden", 96, "--heads", 6)


if __name__ == "__main__":
    unittest.main()
