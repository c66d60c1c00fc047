"""Differences of arms with their intervals and verdicts.

The unit is a seed of pre-training: first values, texts and masks are drawn by it, the same for all arms. An arm's value at a seed is the
mean over its fine-tunings. Two arms are compared by their differences at the same seeds: the interval is that of Student's paired t, and p-values
are Holm's over a family's comparisons (Holm 1979). Of long texts the unit is a text."""

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


def compared(contrast, differences):
    """A comparison without its verdict. @param differences  of arm less against, one for each unit"""
    differences = np.asarray(differences, dtype=np.float64)
    degrees = len(differences) - 1
    mean, deviation = float(differences.mean()), float(differences.std(ddof=1))
    error = deviation / math.sqrt(len(differences))
    reach = float(scipy.stats.t.ppf(1 - LEVEL / 2, degrees)) * error
    p = 2 * float(scipy.stats.t.sf(abs(mean) / error, degrees)) if error > 0 else float(mean == 0)
    return {"name": contrast.name, "family": contrast.family, "task": contrast.task, "arm": contrast.arm, "against": contrast.against,
            "measure": contrast.measure, "margin": contrast.margin, "more_is_better": contrast.more_is_better, "pairs": len(differences),
            "above_zero": int((differences > 0).sum()), "mean": mean, "deviation": deviation, "interval": [mean - reach, mean + reach],
            "p_difference": p}  # fmt: skip


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
    if -comparison["margin"] < low and high < comparison["margin"]:
        return "equivalent"  # there may be a difference, but one that does not matter
    return direction(comparison) if is_found else "inconclusive"


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
