"""What the rows of the study say: verdicts.json, from which the documents take their numbers."""

import hashlib
import itertools
import statistics

import numpy as np
import scipy.stats

from downstream import differences
from downstream.rows import planned_runs

POINTS = 100  # of a share
LOSS = "masked loss"  # of validation texts of which 15 % are masked, whatever training masked
PAIRS = "next sentence"  # accuracy on the pairs of those texts
COMMONEST = "most common label"
# Pairs that readers asked for when the rows were known: (arm, what it is compared with, in which measures; None: in all).
AFTERWARDS = [("disjoint", "sum", None), ("mask_40", "mask_40_predict_15", [LOSS]), ("mask_15_predict_30", "rotary", [LOSS]), ("neither", "no_position", [PAIRS])]
OF_PRETRAINING = {LOSS: ("masked_loss", 1), PAIRS: ("pair_accuracy", POINTS)}  # column of the rows, and factor


class Scores:
    """Values of arms by seed, from rows of runs."""

    def __init__(self, pretraining, finetuning):
        self.pretraining = {(row["arm"], row["seed"]): row for row in pretraining}
        self.scores = {}
        for row in finetuning:
            key = row["arm"], row["seed"], row["task"], row["examples"]
            self.scores.setdefault(key, {})[row["finetuning_seed"]] = POINTS * row["score"]

    def value(self, task, arm, seed, finetuning_seeds, examples=0):
        """In points, the mean over the fine-tunings; of LOSS in nats. None if one is missing."""
        if task in OF_PRETRAINING:
            column, factor = OF_PRETRAINING[task]
            row = self.pretraining.get((arm, seed))
            return row and factor * row[column]
        found = self.scores.get((arm, seed, task, examples), {})
        if not set(finetuning_seeds) <= set(found):
            return None
        return statistics.mean(found[one] for one in finetuning_seeds)

    def values(self, task, arms, seeds, finetuning_seeds, examples=0):
        """{arm: {seed: value}}, of what is finished"""
        table = {arm: {seed: self.value(task, arm, seed, finetuning_seeds, examples) for seed in seeds} for arm in arms}
        return {arm: {seed: value for seed, value in by_seed.items() if value is not None} for arm, by_seed in table.items()}


def paired(one, other):
    """Differences at the seeds that both have."""
    return [one[seed] - other[seed] for seed in one if seed in other]


def contrast(plan, family, task, arm, against):
    measure = measure_of(task)
    return differences.Contrast(family, task, arm, against, measure, plan.json["margins"][measure], task != LOSS)


def measure_of(task):
    return "nats" if task == LOSS else "points"


def of_arms(plan, block, scores):
    """Each arm of a block less what it is compared with."""
    of_block, found = plan.json["blocks"][block], []
    for task in (*OF_PRETRAINING, *of_block["tasks"]):
        values = scores.values(task, of_block["arms"], plan.seeds(block), of_block["seeds"])
        for arm in of_block["arms"]:
            against = of_block.get("against", {}).get(arm, of_block["arms"][0])
            if arm != against:
                found += judged(contrast(plan, f"{block}, {task}", task, arm, against), paired(values[arm], values[against]))
    return found


def judged(contrast, its_differences):
    """A list of one comparison, or of none where the spread is not known."""
    return [differences.compared(contrast, its_differences)] if len(its_differences) > 1 else []


def of_afterwards(plan, scores):
    """Of one family; fine-tunings are those of the first block."""
    found, first = [], plan.first_block()
    seeds = sorted({seed for block in plan.json["blocks"] for seed in plan.seeds(block)})
    for arm, against, measures in AFTERWARDS:
        if {arm, against} <= set(plan.json["arms"]):
            for task in measures or (*OF_PRETRAINING, *first["tasks"]):
                values = scores.values(task, (arm, against), seeds, first["seeds"])
                found += judged(contrast(plan, "afterwards", task, arm, against), paired(values[arm], values[against]))
    return found


def of_curves(plan, block, scores):
    """The rival of each task less the sum, at each number of labelled rows."""
    of_block, found = plan.json["blocks"][block], []
    for task, (against, rival) in of_block["rivals"].items():
        for examples in of_block["examples"]:
            values = scores.values(task, (against, rival), plan.seeds(block), of_block["seeds"], examples)
            found += judged(contrast(plan, f"{block}, {task}", of_curve(task, examples), rival, against), paired(values[rival], values[against]))
    return found


def of_ways(plan, answers):
    """Each way to read long texts less each one before it, text by text."""
    its_ways = [way for way in plan.json["long_texts"]["ways"] if answers and way in answers[0]]
    return [differences.compared(contrast(plan, "long texts", "long texts", way, against), [POINTS * (row[way] - row[against]) for row in answers])
            for against, way in itertools.combinations(its_ways, 2)]  # fmt: skip


def measured(plan, block):
    """(name, task, arms, labelled rows) of what a block measures."""
    of_block = plan.json["blocks"][block]
    if "rivals" in of_block:
        return [(of_curve(task, examples), task, arms, examples) for task, arms in of_block["rivals"].items() for examples in of_block["examples"]]
    return [(task, task, of_block["arms"], 0) for task in (*OF_PRETRAINING, *of_block["tasks"])]


def of_curve(task, examples):
    return f"{task} of {examples or 'all'}"


def task_of(name):
    """Of a measure's name, also one of a learning curve."""
    return name.split(" of ")[0]


def arms_of(plan, scores):
    """Mean of each arm in each measure, for tables and texts."""
    rows = []
    for block, of_block in plan.json["blocks"].items():
        for name, task, arms, examples in measured(plan, block):
            for arm, by_seed in scores.values(task, arms, plan.seeds(block), of_block["seeds"], examples).items():
                if by_seed:
                    values = list(by_seed.values())
                    rows.append({"block": block, "task": name, "arm": arm, "measure": measure_of(task), "mean": statistics.mean(values), "values": values})
    return rows


def labelled_rows(finetuning, task, examples):
    """How many a fine-tuning has; of all of them, by its rows."""
    return examples or next(row["training_rows"] for row in finetuning if row["task"] == task and not row["examples"])


def labels_worth(plan, means, rows):
    """Of each rival of the curves, how many times as many labelled rows the sum needs for its accuracy, at each number where the sum's means
    reach that: by straight lines between them, over the logarithm of the number. Of a task where more rows do not always help, nothing. @param means  arms_of()"""
    means = {(one["task"], one["arm"]): one["mean"] for one in means}
    found = []
    for of_block in plan.json["blocks"].values():
        for task, (against, rival) in of_block.get("rivals", {}).items():
            names = [of_curve(task, examples) for examples in of_block["examples"]]
            if any((name, arm) not in means for name in names for arm in (against, rival)):
                continue
            sizes = np.log([labelled_rows(rows.finetuning, task, examples) for examples in of_block["examples"]])
            of_sum = [means[name, against] for name in names]
            if (np.diff(of_sum) <= 0).any():
                continue
            times = [float(np.exp(np.interp(means[name, rival], of_sum, sizes) - size)) for name, size in zip(names, sizes, strict=True)
                     if of_sum[0] <= means[name, rival] <= of_sum[-1]]  # fmt: skip
            found.append({"task": task, "arm": rival, "times": times})
    return found


def ways(plan, rows):
    """Of each way to read long texts: accuracy with its interval over texts, that of a bag of words which reads as much, and the tokens of a text."""
    found_ways = []
    for way in plan.json["long_texts"]["ways"] if rows.answers else []:
        answers = [row[way] for row in rows.answers]
        interval = scipy.stats.binomtest(sum(answers), len(answers)).proportion_ci(1 - differences.LEVEL, method="wilson")
        of_way = [row for row in rows.long_texts if row["way"] == way]
        found_ways.append({"way": way, "accuracy": POINTS * statistics.mean(answers), "low": POINTS * interval.low, "high": POINTS * interval.high,
                           "bag_of_words": POINTS * np.average([row["baseline"] for row in of_way], weights=[row["rows"] for row in of_way]),
                           "tokens": statistics.mean(row["tokens_of_a_text"] for row in of_way)})  # fmt: skip
    return found_ways


def baselines(plan, rows):
    """Of each task the trivial predictor that is the best most often: its mean over the first block's training rows, and how many rows test it."""
    found, first = [], plan.first_block()
    for task in plan.json["tasks"]:
        its = [row for row in rows.finetuning if row["task"] == task and not row["examples"] and row["finetuning_seed"] in first["seeds"] and row["arm"] in first["arms"]]
        if its:
            name = statistics.mode(row["baseline_name"] for row in its)
            found.append({"task": task, "name": name, "mean": POINTS * statistics.mean(row["baseline"] for row in its if row["baseline_name"] == name),
                          "rows": its[0]["rows"]})  # fmt: skip
    return found


def discount_tasks_at_chance(plan, comparisons, means, its_baselines):
    """Where the first arm is not above the most common label, nothing of that task is counted."""
    first = next(iter(plan.json["arms"]))
    reached = {one["task"]: one["mean"] for one in means if one["arm"] == first}
    at_chance = {one["task"] for one in its_baselines if one["name"] == COMMONEST and reached.get(one["task"], 0) <= one["mean"]}
    for one in comparisons:
        if task_of(one["task"]) in at_chance:
            one["verdict"] = "not counted"


def found(plan, rows):
    """verdicts.json. @param rows  rows.Rows"""
    scores = Scores(rows.pretraining, rows.finetuning)
    comparisons = []
    for block, of_block in plan.json["blocks"].items():
        comparisons += (of_curves if "rivals" in of_block else of_arms)(plan, block, scores)
    comparisons += [*of_afterwards(plan, scores), *of_ways(plan, rows.answers)]
    differences.give_verdicts(comparisons)
    means, its_baselines = arms_of(plan, scores), baselines(plan, rows)
    discount_tasks_at_chance(plan, comparisons, means, its_baselines)
    return {"study": plan.json["name"], "plan": hashlib.sha256(plan.text.encode()).hexdigest()[:16],
            "runs": len(rows.pretraining) + len(rows.finetuning) + len(rows.long_texts),
            "planned": sum(map(len, planned_runs(plan).values())), "level": differences.LEVEL,
            "comparisons": comparisons, "arms": [], "means": means,
            "baselines": its_baselines, "labels": labels_worth(plan, means, rows), "ways": ways(plan, rows)}  # fmt: skip
