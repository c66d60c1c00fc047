"""A study's plan.json: what is trained."""

import copy
import dataclasses
import json
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
STUDY = ROOT / "studies" / "downstream"


@dataclasses.dataclass(frozen=True)
class Pretraining:
    """A model of an arm: what it starts with and which texts it sees in which order follow from the seed."""

    arm: str
    seed: int

    @property
    def name(self):
        return f"{self.arm}/{self.seed}"


@dataclasses.dataclass(frozen=True)
class Finetuning:
    """A pre-trained model that learns a task. `examples`: so many labelled rows; 0: all."""

    pretraining: Pretraining
    task: str
    examples: int
    seed: int

    @property
    def name(self):
        examples = f"-{self.examples}" if self.examples else ""
        return f"{self.pretraining.name}/{self.task}{examples}/{self.seed}"


@dataclasses.dataclass(frozen=True)
class LongRun:
    """A model that learns the labels of long texts, read in one way; the texts of one fold test it."""

    way: str
    fold: int

    @property
    def name(self):
        return f"long/{self.way}/{self.fold}"


class Plan:
    def __init__(self, folder=STUDY):
        """@param folder  has plan.json; rows, figures and report go there"""
        self.folder = pathlib.Path(folder)
        self.text = (self.folder / "plan.json").read_text(encoding="utf-8")
        self.json = json.loads(self.text)

    def seeds(self, block):
        """Of pre-training: the block's own, or the plan's."""
        return self.json["blocks"][block].get("pretraining_seeds", self.json["pretraining"]["seeds"])

    def config(self, arm):
        """config.json of an arm: a JSON merge patch (RFC 7386) of the plan's model."""
        return merged(copy.deepcopy(self.json["model"]), self.json["arms"][arm].get("config", {}))

    def steps(self, arm):
        return round(self.json["pretraining"]["steps"] * self.json["arms"][arm].get("steps_factor", 1))

    def pretraining_options(self, arm):
        of_arm = self.json["arms"][arm]
        start = ["--start", of_arm["start"]] if "start" in of_arm else []
        return [*self.json["pretraining"]["options"], "--steps", str(self.steps(arm)), *start, *of_arm.get("options", [])]

    def task(self, name):
        return self.json["tasks"][name]

    def finetuning_options(self, one):
        """Those of its task; with few labelled rows, what the plan has for so many instead."""
        instead = self.json.get("options_of_examples", {}).get(str(one.examples), [])
        options = [*self.task(one.task)["options"], *instead]
        return [word for pair in dict(zip(options[::2], options[1::2], strict=True)).items() for word in pair]

    def finetunings(self, block):
        """Of a block, those of one pre-trained model one after the other; the seeds of pre-training outermost."""
        of_block = self.json["blocks"][block]
        return [Finetuning(Pretraining(arm, seed), task, examples, finetuning_seed)
                for seed in self.seeds(block)
                for arm in of_block["arms"]
                for task in of_block["tasks"]
                if arm in of_block.get("rivals", {}).get(task, of_block["arms"])
                for examples in of_block.get("examples", [0])
                for finetuning_seed in of_block["seeds"]]  # fmt: skip

    def by_pretraining(self, blocks):
        """Of each pre-training, its fine-tunings, each once."""
        found = {}
        for block in blocks:
            for finetuning in self.finetunings(block):
                found.setdefault(finetuning.pretraining, {})[finetuning] = None
        ordered = sorted(found, key=lambda one: one.seed)  # stable: arms stay in the plan's order
        return {one: list(found[one]) for one in ordered}

    def first_block(self):
        """Its arms and fine-tunings give the baselines, and what is compared afterwards."""
        return next(iter(self.json["blocks"].values()))

    def long_runs(self):
        """Of a fold, all ways one after the other."""
        its = self.json["long_texts"]
        return [LongRun(way, fold) for fold in range(1, its["folds"] + 1) for way in its["ways"]]


def merged(json_value, patch):
    for key, value in patch.items():
        if value is None:
            json_value.pop(key, None)
        elif isinstance(value, dict) and isinstance(json_value.get(key), dict):
            merged(json_value[key], value)
        else:
            json_value[key] = value
    return json_value
