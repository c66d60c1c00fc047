"""One pre-training, one fine-tuning: a folder in WORK, and a row of numbers once it is finished."""

import json
import shutil

from downstream import material, program


class WithRows:
    """Runs of which each has a folder, folder_of(run), with row.json once it is finished."""

    def __init__(self, standing):
        """@param standing  {name: row} of runs that were made before, elsewhere perhaps; of these, WORK has nothing. None: of none"""
        self.standing = standing or {}

    def row_of(self, run):
        """The row of a finished run, or None."""
        return self.made(run) or self.standing.get(run.name)

    def made(self, run):
        """The row of a run that WORK has, or None."""
        path = self.folder_of(run) / "row.json"
        return json.loads(path.read_text()) if path.exists() else None


class Runs(WithRows):
    def __init__(self, plan, data, work, standing=None):
        super().__init__(standing)
        self.plan, self.data, self.work = plan, data, work

    def folder_of(self, one):
        return self.work / ("pretraining" if not hasattr(one, "task") else "finetuning") / one.name

    def pretrain(self, one):
        """@return its row; its checkpoint is there then"""
        if row := self.made(one):
            return row
        folder = self.folder_of(one)
        folder.parent.mkdir(parents=True, exist_ok=True)
        config = folder.with_suffix(".json")
        config.write_text(json.dumps(self.plan.config(one.arm)))
        program.run("pretrain", self.work / "train.txt", "--valid", self.work / "valid.txt", "--tokenizer", self.work / "tokenizer",
                    "--tokens", self.work / "tokens", "--config", config, "--seed", one.seed, *self.plan.pretraining_options(one.arm),
                    "-o", folder, "--resume")  # fmt: skip
        return self.finished(folder, {"arm": one.arm, "seed": one.seed, **pretraining_numbers(folder)})

    def finetune(self, one):
        """@return its row; of the model that it needs, the checkpoint must be there"""
        if row := self.made(one):
            return row
        folder, task = self.folder_of(one), self.plan.task(one.task)
        folder.parent.mkdir(parents=True, exist_ok=True)
        train = material.training_rows(self.data, self.work, one.task, one.examples, one.seed)
        program.run("finetune", "--task", task["task"], "--model", self.folder_of(one.pretraining) / "last", "--train", train,
                    "--test", self.data / f"{one.task}_valid.jsonl", "--seed", one.seed, *self.plan.finetuning_options(one),
                    "-o", folder, "--resume")  # fmt: skip
        numbers = finetuning_numbers(folder, task["metric"], len(material.read_rows(train)))
        for name in ("best", "last"):
            (folder / name).unlink()
        shutil.rmtree(folder / "checkpoints")
        return self.finished(folder, {"arm": one.pretraining.arm, "seed": one.pretraining.seed, "task": one.task, "examples": one.examples,
                                      "finetuning_seed": one.seed, **numbers})  # fmt: skip

    @staticmethod
    def finished(folder, row):
        row["processor"] = program.processor()
        material.write_whole(folder / "row.json", json.dumps(row) + "\n")
        return row


def pretraining_numbers(folder):
    """Of the last step: everything but times, which no two runs share."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    valid = [line for line in lines if "valid" in line][-1]
    state = json.loads((folder / "last" / "state.json").read_text())
    return {"steps": valid["step"], "tokens": state["tokens"], "predicted": sum(state["predicted"]), "masked_loss": valid["valid"]["masked_loss"],
            "masked_accuracy": valid["valid"]["masked_accuracy"], "pair_accuracy": valid["valid"]["pair_accuracy"]}  # fmt: skip


def finetuning_numbers(folder, metric, training_rows):
    test = json.loads((folder / "metrics.json").read_text())["test"]
    baselines = {name: scores[metric]["value"] for name, scores in test["baselines"].items()}
    return {"training_rows": training_rows, "rows": test["rows"], "score": test["scores"][metric]["value"], "baseline": max(baselines.values()),
            "baseline_name": max(baselines, key=baselines.get)}  # fmt: skip
