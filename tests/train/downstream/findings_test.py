"""What is found beside differences: how many times as many labelled rows the sum needs as its rival, known where accuracy grows with the logarithm of
the rows, and which tasks are at chance."""

import math
import sys
import types
import unittest

import summand_testing

sys.path.insert(0, str(summand_testing.ROOT / "scripts"))
from downstream import findings  # noqa: E402

SIZES = {50: 50, 200: 200, 800: 800, 0: 3200}
BLOCK = {"rivals": {"tags": ["sum", "rotary"]}, "arms": ["sum", "rotary"], "tasks": ["tags"], "examples": list(SIZES), "seeds": [4]}


def worth(score_of):
    """@param score_of  (arm, labelled rows) to a share"""
    rows = [{"arm": arm, "seed": seed, "task": "tags", "examples": examples, "finetuning_seed": 4, "training_rows": size, "score": score_of(arm, size)}
            for arm in BLOCK["arms"] for seed in (1, 2) for examples, size in SIZES.items()]  # fmt: skip
    plan = types.SimpleNamespace(json={"blocks": {"curves": BLOCK}}, seeds=lambda block: [1, 2])
    return findings.labels_worth(plan, findings.arms_of(plan, findings.Scores([], rows)), types.SimpleNamespace(finetuning=rows))


class LabelsWorth(unittest.TestCase):
    def test_a_rival_with_three_times_the_rows_in_effect(self):
        [found] = worth(lambda arm, size: 0.3 + 0.05 * math.log(size * (3 if arm == "rotary" else 1)))
        self.assertEqual((found["task"], found["arm"]), ("tags", "rotary"))
        for times in found["times"]:
            self.assertAlmostEqual(times, 3, 9)
        self.assertEqual(len(found["times"]), 3)  # what the rival reaches with all rows, the sum never does

    def test_where_more_rows_do_not_always_help_nothing_is_said(self):
        self.assertEqual(worth(lambda arm, size: 0.5 + 0.01 * (size == 200)), [])


class AtChance(unittest.TestCase):
    def verdicts(self, reached, baseline):
        comparisons = [{"task": task, "verdict": "helps"} for task in ("pairs", "pairs of 50", "tags")]
        means = [{"task": "pairs", "arm": "sum", "mean": reached}, {"task": "tags", "arm": "sum", "mean": 90}]
        baselines = [{"task": "pairs", "name": baseline, "mean": 54.25}, {"task": "tags", "name": "bag of words", "mean": 95}]
        findings.discount_tasks_at_chance(types.SimpleNamespace(json={"arms": {"sum": {}, "gate": {}}}), comparisons, means, baselines)
        return [one["verdict"] for one in comparisons]

    def test_a_task_where_the_sum_is_not_above_the_most_common_label_is_not_counted(self):
        self.assertEqual(self.verdicts(54, "most common label"), ["not counted", "not counted", "helps"])
        self.assertEqual(self.verdicts(55, "most common label"), ["helps"] * 3)
        self.assertEqual(self.verdicts(54, "bag of words"), ["helps"] * 3)


if __name__ == "__main__":
    summand_testing.run_cases()
