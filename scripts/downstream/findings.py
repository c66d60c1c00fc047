"""What the rows of the study say: verdicts.json, from which the documents take their numbers."""

import hashlib
import statistics

import scipy.stats

from downstream import differences

POINTS = 100  # of a share
LOSS = "masked loss"  # of validation texts of which 15 % are masked, whatever training masked
PAIRS = "next sentence"  # accuracy on the pairs of those texts
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
        """{arm: [value of each seed]}, of those arms that have all"""
        table = {arm: [self.value(task, arm, seed, finetuning_seeds, examples) for seed in seeds] for arm in arms}
        return {arm: values for arm, values in table.items() if None not in values}


def contrast(plan, family, task, arm, against):
    is_loss = task == LOSS
    return differences.Contrast(family, task, arm, against, "nats" if is_loss else "points", plan.json["margins"]["nats" if is_loss else "points"],
                                not is_loss)  # fmt: skip


def of_arms(plan, block, scores):
    """Each arm of a block less what it is compared with."""
    of_block, found = plan.json["blocks"][block], []
    for task in (*OF_PRETRAINING, *of_block["tasks"]):
        values = scores.values(task, of_block["arms"], plan.json["pretraining"]["seeds"], of_block["seeds"])
        if len(values) < 2:
            continue
        spread = differences.spread(values)
        for arm in values:
            against = of_block.get("against", {}).get(arm, of_block["arms"][0])
            if arm != against and against in values:
                found.append(differences.compared(contrast(plan, f"{block}, {task}", task, arm, against), values, *spread))
    return found


def of_curves(plan, block, scores):
    """The rival of each task less the sum, at each number of labelled rows."""
    of_block, found = plan.json["blocks"][block], []
    for task, (against, rival) in of_block["rivals"].items():
        for examples in of_block["examples"]:
            values = scores.values(task, (against, rival), plan.json["pretraining"]["seeds"], of_block["seeds"], examples)
            if len(values) == 2:
                name = f"{task} of {examples or 'all'}"
                found.append(differences.compared(contrast(plan, f"{block}, {task}", name, rival, against), values, *differences.spread(values)))
    return found


def of_ways(plan, answers):
    """Each way to read long texts less the first, text by text."""
    if not answers:
        return []
    of_block = plan.json["long_texts"]
    first, *others = [way for way in of_block["ways"] if way in answers[0]]
    return [differences.compared_in_pairs(contrast(plan, "long texts", "long texts", way, first),
                                          [POINTS * (row[way] - row[first]) for row in answers]) for way in others]  # fmt: skip


def arms_of(plan, scores):
    """Mean of each arm in each measure, for tables and texts."""
    rows = []
    for block in plan.json["blocks"]:
        of_block = plan.json["blocks"][block]
        if "rivals" in of_block:
            continue
        for task in (*OF_PRETRAINING, *of_block["tasks"]):
            for arm, values in scores.values(task, of_block["arms"], plan.json["pretraining"]["seeds"], of_block["seeds"]).items():
                rows.append({"block": block, "task": task, "arm": arm, "mean": statistics.mean(values), "values": values})
    return rows


def ways(plan, rows):
    """Of each way to read long texts: accuracy with its interval over texts, and the tokens of a text that training read."""
    found_ways = []
    for way in plan.json["long_texts"]["ways"] if rows.answers else []:
        answers = [row[way] for row in rows.answers]
        interval = scipy.stats.binomtest(sum(answers), len(answers)).proportion_ci(1 - differences.LEVEL, method="wilson")
        of_way = [row for row in rows.long_texts if row["way"] == way]
        found_ways.append({"way": way, "accuracy": POINTS * statistics.mean(answers), "low": POINTS * interval.low, "high": POINTS * interval.high,
                           "tokens": statistics.mean(row["tokens_of_a_text"] for row in of_way)})  # fmt: skip
    return found_ways


def found(plan, rows):
    """verdicts.json. @param rows  rows.Rows"""
    scores = Scores(rows.pretraining, rows.finetuning)
    comparisons = []
    for block, of_block in plan.json["blocks"].items():
        comparisons += (of_curves if "rivals" in of_block else of_arms)(plan, block, scores)
    comparisons += of_ways(plan, rows.answers)
    differences.give_verdicts(comparisons)
    planned = plan.by_pretraining(plan.json["blocks"])
    return {"study": plan.json["name"], "plan": hashlib.sha256(plan.text.encode()).hexdigest()[:16],
            "runs": len(rows.pretraining) + len(rows.finetuning) + len(rows.long_texts),
            "planned": len(planned) + sum(map(len, planned.values())) + len(plan.long_runs()), "level": differences.LEVEL,
            "comparisons": comparisons, "arms": [], "means": arms_of(plan, scores), "ways": ways(plan, rows)}  # fmt: skip
