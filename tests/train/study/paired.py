"""Paired differences and their verdicts, as docs/study-plans.md explains them, by SciPy: the oracle of those that `summand study`
computes."""

import statistics

from scipy.stats import t as student


def judged(values, margin, level):
    """A comparison's numbers, from one difference for each seed: mean, intervals, p-values before adjustment. Positive is worse.
    @param margin  below which a difference does not matter, in the unit of the values"""
    mean, freedom = statistics.mean(values), len(values) - 1
    error = statistics.stdev(values) / len(values) ** 0.5

    def interval(at):
        reach = student.ppf(1 - at / 2, freedom) * error
        return [mean - reach, mean + reach]

    def p_beyond(distance):
        """Of a mean so far from a bound, on its other side."""
        return student.sf(distance / error, freedom) if error else float(distance <= 0)

    return {"margin": margin, "pairs": len(values), "above_zero": sum(value > 0 for value in values), "mean": mean, "deviation": statistics.stdev(values),
            "interval": interval(level), "narrower_interval": interval(2 * level),
            "p_difference": min(1.0, 2 * p_beyond(abs(mean) - margin)), "p_equivalent": p_beyond(margin - abs(mean))}  # fmt: skip


def adjusted(p_values):
    """For their number. Source: Holm 1979"""
    values, largest = [0.0] * len(p_values), 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - place) * p_values[index]))
        values[index] = largest
    return values


def give_verdicts(comparisons, level, damaged):
    """Adjusts the p-values within each `family` and adds `verdict`. "equivalent" needs a damaged arm that came out as "hurts" on the same task,
    where losses are compared: not where a comparison has a `measure`.
    @param damaged  names of arms"""
    for family in {one["family"] for one in comparisons}:
        ours = [one for one in comparisons if one["family"] == family]
        for kind in ("p_difference", "p_equivalent"):
            for one, p in zip(ours, adjusted([one[kind] for one in ours])):
                one[kind] = p
    for one in comparisons:
        differs, equal = one["p_difference"] <= level, one["p_equivalent"] <= level
        one["verdict"] = ("hurts" if one["mean"] > 0 else "helps") if differs else "equivalent" if equal else "inconclusive"
    seen = {one["task"] for one in comparisons if one["family"] == "assay" and one["arm"] in damaged and one["verdict"] == "hurts"}
    for one in comparisons:
        if one["verdict"] == "equivalent" and one["family"] != "assay" and "measure" not in one and one["task"] not in seen:
            one["verdict"] = "inconclusive"
