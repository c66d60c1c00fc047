"""The intervals and verdicts of studies/downstream beside statsmodels' kind of least squares in NumPy and SciPy's own tests."""

import sys
import unittest

import numpy as np
import scipy.stats
import summand_testing

sys.path.insert(0, str(summand_testing.ROOT / "scripts"))
from downstream import differences  # noqa: E402


def contrast(arm="b", against="a", margin=2.0, more_is_better=True):
    return differences.Contrast("family", "task", arm, against, "points", margin, more_is_better)


def by_least_squares(values, arm, against):
    """Mean and interval of arm − against in the model score = arm + seed, by the normal equations."""
    arms, seeds = list(values), len(next(iter(values.values())))
    design, scores = [], []
    for place, name in enumerate(arms):
        for seed in range(seeds):
            design.append([float(place == i) for i in range(len(arms))] + [float(seed == i) for i in range(1, seeds)])
            scores.append(values[name][seed])
    design, scores = np.array(design), np.array(scores)
    inverse = np.linalg.inv(design.T @ design)
    coefficients = inverse @ design.T @ scores
    degrees = len(scores) - design.shape[1]
    variance = ((scores - design @ coefficients) ** 2).sum() / degrees
    of = np.zeros(design.shape[1])
    of[arms.index(arm)], of[arms.index(against)] = 1, -1
    mean, error = of @ coefficients, np.sqrt(variance * of @ inverse @ of)
    return mean, mean + np.array([-1, 1]) * scipy.stats.t.ppf(0.975, degrees) * error, degrees


class Differences(unittest.TestCase):
    def test_intervals_are_those_of_least_squares(self):
        draws = np.random.default_rng(1)
        for arms, seeds in ((2, 3), (5, 3), (12, 3), (4, 6)):
            values = {chr(97 + arm): list(70 + draws.normal(size=seeds)) for arm in range(arms)}
            one = differences.compared(contrast(), values, *differences.spread(values))
            mean, interval, degrees = by_least_squares(values, "b", "a")
            self.assertAlmostEqual(one["mean"], mean, 9)
            np.testing.assert_allclose(one["interval"], interval, rtol=1e-9)
            self.assertEqual(one["degrees"], degrees)

    def test_two_arms_are_a_paired_t_test(self):
        values = {"a": [70.1, 71.4, 69.8], "b": [71.0, 71.9, 70.1]}
        one = differences.compared(contrast(), values, *differences.spread(values))
        theirs = scipy.stats.ttest_rel(values["b"], values["a"])
        self.assertAlmostEqual(one["p_difference"], theirs.pvalue, 9)
        np.testing.assert_allclose(one["interval"], theirs.confidence_interval(), rtol=1e-9)

    def test_many_pairs_are_a_paired_t_test(self):
        draws = np.random.default_rng(2)
        one, other = draws.integers(0, 2, 1600), draws.integers(0, 2, 1600)
        ours = differences.compared_in_pairs(contrast(), one - other)
        theirs = scipy.stats.ttest_rel(one, other)
        self.assertAlmostEqual(ours["p_difference"], theirs.pvalue, 9)
        np.testing.assert_allclose(ours["interval"], theirs.confidence_interval(), rtol=1e-9)

    def test_every_verdict_can_be_had(self):
        """Spread 0.1 points: what is 5 points away is found, what is next to it is equivalent."""
        draws = np.random.default_rng(3)
        shifts = {"sum": 0, "redrawn": 0, "far": -5, "near": 0.1, "good": 5}
        values = {arm: list(70 + shift + draws.normal(scale=0.1, size=3)) for arm, shift in shifts.items()}
        self.assertEqual(verdicts(values), {"redrawn": "inconclusive", "far": "hurts", "near": "equivalent", "good": "helps"})
        losses = verdicts(values, more_is_better=False)
        self.assertEqual((losses["far"], losses["good"]), ("helps", "hurts"))
        noisy = {arm: list(70 + shift + draws.normal(scale=9, size=3)) for arm, shift in shifts.items()}
        self.assertEqual(set(verdicts(noisy).values()), {"inconclusive"})
        off = dict(values, redrawn=[value + 5 for value in values["sum"]])
        self.assertEqual(verdicts(off), {"redrawn": "helps", "far": "not counted", "near": "not counted", "good": "not counted"})

    def test_chance_is_found_as_often_as_promised(self):
        """Of 2,000 families without any difference at most 5 % have a verdict, three deviations of binomial luck allowed."""
        draws = np.random.default_rng(4)
        found = 0
        for _ in range(2000):
            values = {arm: list(70 + draws.normal(size=3)) for arm in ("sum", *"bcdefghijkl")}
            found += bool({"hurts", "helps"} & set(verdicts(values).values()))
        self.assertLess(found, 2000 * 0.05 + 3 * np.sqrt(2000 * 0.05 * 0.95))
        self.assertGreater(found, 20)  # and it is no rule that never says so


def verdicts(values, more_is_better=True):
    spread = differences.spread(values)
    found = [differences.compared(contrast(arm, "sum", more_is_better=more_is_better), values, *spread) for arm in values if arm != "sum"]
    differences.give_verdicts(found)
    return {one["arm"]: one["verdict"] for one in found}


if __name__ == "__main__":
    summand_testing.run_cases()
