"""The intervals of studies/downstream are those of SciPy's paired t; every verdict can be had, and chance is found as often as promised."""

import sys
import unittest

import numpy as np
import scipy.stats
import summand_testing

sys.path.insert(0, str(summand_testing.ROOT / "scripts"))
from downstream import differences  # noqa: E402


def contrast(arm="b", against="a", margin=2.0, more_is_better=True):
    return differences.Contrast("family", "task", arm, against, "points", margin, more_is_better)


class Differences(unittest.TestCase):
    def test_intervals_are_those_of_a_paired_t_test(self):
        draws = np.random.default_rng(2)
        for one, other in (([71.0, 71.9, 70.1], [70.1, 71.4, 69.8]), (draws.normal(size=6), draws.normal(size=6)), (draws.integers(0, 2, 1600), draws.integers(0, 2, 1600))):
            ours = differences.compared(contrast(), np.subtract(one, other))
            theirs = scipy.stats.ttest_rel(one, other)
            self.assertAlmostEqual(ours["p_difference"], theirs.pvalue, 9)
            np.testing.assert_allclose(ours["interval"], theirs.confidence_interval(), rtol=1e-9)

    def test_p_values_are_corrected_by_holm(self):
        self.assertEqual(differences.holm([0.04, 0.004, 0.012, 0.03, 0.9]), [False, True, True, False, False])  # bounds 0.01, 0.0125, 0.0167

    def test_every_verdict_can_be_had(self):
        """Spread 0.1 points: what is 5 points away is found, what is next to it is equivalent."""
        draws = np.random.default_rng(3)
        shifts = {"sum": 0, "redrawn": 0, "far": -5, "near": 0.1, "good": 5}
        values = {arm: list(70 + shift + draws.normal(scale=0.1, size=6)) for arm, shift in shifts.items()}
        self.assertEqual(verdicts(values), {"redrawn": "inconclusive", "far": "hurts", "near": "equivalent", "good": "helps"})
        losses = verdicts(values, more_is_better=False)
        self.assertEqual((losses["far"], losses["good"]), ("helps", "hurts"))
        noisy = {arm: list(70 + shift + draws.normal(scale=9, size=6)) for arm, shift in shifts.items()}
        self.assertEqual(set(verdicts(noisy).values()), {"inconclusive"})
        off = dict(values, redrawn=[value + 5 for value in values["sum"]])
        self.assertEqual(verdicts(off), {"redrawn": "helps", "far": "not counted", "near": "not counted", "good": "not counted"})

    def test_chance_is_found_as_often_as_promised(self):
        """Of 2,000 families without any difference at most 5 % have a verdict, three deviations of binomial luck allowed."""
        draws = np.random.default_rng(4)
        found = 0
        for _ in range(2000):
            values = {arm: list(70 + draws.normal(size=6)) for arm in ("sum", *"bcdefghijkl")}
            found += bool({"hurts", "helps"} & set(verdicts(values).values()))
        self.assertLess(found, 2000 * 0.05 + 3 * np.sqrt(2000 * 0.05 * 0.95))
        self.assertGreater(found, 20)  # and it is no rule that never says so


def verdicts(values, more_is_better=True):
    found = [differences.compared(contrast(arm, "sum", more_is_better=more_is_better), np.subtract(values[arm], values["sum"])) for arm in values if arm != "sum"]
    differences.give_verdicts(found)
    return {one["arm"]: one["verdict"] for one in found}


if __name__ == "__main__":
    summand_testing.run_cases()
