"""Differences of arms with their intervals and verdicts.

The unit is a seed of pre-training: first values, texts and masks are drawn by it, the same for all arms. An arm's value at a seed is the
mean over its fine-tunings. What two arms differ by, less what seeds and arms explain (an analysis of variance with seeds as blocks), is
the spread of one task; all arms of the block share it, as three seeds of one arm alone say little of it. The interval is Student's t with
that spread and its degrees of freedom; p-values are Holm's over a family's comparisons (Holm 1979)."""

import dataclasses
import math

import numpy as np
import scipy.stats

LEVEL = 0.05


@dataclasses.dataclass(frozen=True)
class Contrast:
    """What is compared: arm less against, in one measure of one block."""

    family: str  # comparisons whose p-values are corrected together
    task: str
    arm: str
    against: str
    measure: str  # "points" of a hundred, or "nats"
    margin: float  # a difference that lies within is one that does not matter
    more_is_better: bool

    @property
    def name(self):
        return f"{self.task}: {self.arm} − {self.against}"


def spread(values):
    """@param values  {arm: [value of each seed]}, complete. @return the residual variance of arms by seeds, and its degrees of freedom"""
    table = np.array(list(values.values()), dtype=np.float64)
    residual = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    degrees = (table.shape[0] - 1) * (table.shape[1] - 1)
    return (residual**2).sum() / degrees, degrees


def compared(contrast, values, variance, degrees):
    """A comparison without its verdict."""
    differences = np.subtract(values[contrast.arm], values[contrast.against])
    error = math.sqrt(2 * variance / len(differences))
    return judged(contrast, differences, error, degrees)


def compared_in_pairs(contrast, differences):
    """Likewise, of many differences, whose own spread is known well enough."""
    differences = np.asarray(differences, dtype=np.float64)
    return judged(contrast, differences, differences.std(ddof=1) / math.sqrt(len(differences)), len(differences) - 1)


def judged(contrast, differences, error, degrees):
    mean = float(differences.mean())
    reach = float(scipy.stats.t.ppf(1 - LEVEL / 2, degrees)) * error
    p = 2 * float(scipy.stats.t.sf(abs(mean) / error, degrees)) if error > 0 else float(mean == 0)
    return {"name": contrast.name, "family": contrast.family, "task": contrast.task, "arm": contrast.arm, "against": contrast.against,
            "measure": contrast.measure, "margin": contrast.margin, "more_is_better": contrast.more_is_better, "pairs": len(differences),
            "above_zero": int((differences > 0).sum()), "mean": mean, "deviation": float(differences.std(ddof=1)), "degrees": degrees,
            "interval": [mean - reach, mean + reach], "p_difference": p}  # fmt: skip


def give_verdicts(comparisons, null="redrawn"):
    """Adds `verdict`. The arm `null` differs in nothing but its draws: it is judged without correction, and where its interval has no zero, the
    other arms of that family are not counted."""
    families = {}
    for one in comparisons:
        families.setdefault(one["family"], []).append(one)
    for family in families.values():
        nulls = [one for one in family if one["arm"] == null]
        for one in nulls:
            one["verdict"] = "inconclusive" if covers_zero(one) else direction(one)
        others = [one for one in family if one["arm"] != null]
        found = holm([one["p_difference"] for one in others])
        for one, is_found in zip(others, found, strict=True):
            one["verdict"] = verdict(one, is_found) if all(map(covers_zero, nulls)) else "not counted"


def covers_zero(comparison):
    low, high = comparison["interval"]
    return low <= 0 <= high


def verdict(comparison, is_found):
    low, high = comparison["interval"]
    if is_found:
        return direction(comparison)
    return "equivalent" if -comparison["margin"] < low and high < comparison["margin"] else "inconclusive"


def direction(comparison):
    return "helps" if (comparison["mean"] > 0) == comparison["more_is_better"] else "hurts"


def holm(p_values):
    """Which are below LEVEL by Holm's method."""
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    found = [False] * len(p_values)
    for place, index in enumerate(order):
        if p_values[index] > LEVEL / (len(p_values) - place):
            break
        found[index] = True
    return found
