"""Long texts: the pooled reviews in folds, read in several ways; each review is tested by a model that has not seen it."""

import json
import random
import shutil

from downstream import material, program, runs

FOLD_SEED = 30_000


class LongTexts(runs.WithRows):
    def __init__(self, plan, data, work, standing=None, standing_answers=None):
        """@param standing_answers  {name: answers_of} of the standing runs"""
        super().__init__(standing)
        self.settings, self.data, self.work = plan.json["long_texts"], data, work / "long"
        self.standing_answers = standing_answers or {}

    def prepare(self):
        """Writes the rows of each fold, and of all others: labels are divided evenly."""
        rows = [row for part in ("train", "valid") for row in material.read_rows(self.data / f"{self.settings['data']}_{part}.jsonl")]
        folds = self.folds_of(rows)
        self.work.mkdir(parents=True, exist_ok=True)
        for fold in range(1, self.settings["folds"] + 1):
            for name, chosen in (("test", [row for row, its in zip(rows, folds) if its == fold]), ("train", [row for row, its in zip(rows, folds) if its != fold])):
                path = self.file(name, fold)
                if not path.exists():
                    material.write_rows(path, chosen)

    def folds_of(self, rows):
        """The fold of each row, 1 …"""
        by_label = {}
        for place, row in enumerate(rows):
            by_label.setdefault(row["label"], []).append(place)
        folds = [0] * len(rows)
        for label, places in sorted(by_label.items()):
            random.Random(FOLD_SEED).shuffle(places)
            for turn, place in enumerate(places):
                folds[place] = 1 + turn % self.settings["folds"]
        return folds

    def file(self, name, fold):
        return self.work / f"{name}-{fold}.jsonl"

    def folder_of(self, run):
        return self.work / "runs" / run.way / str(run.fold)

    def answers_of(self, run):
        """Of each text of the fold, in its order, whether it was labelled rightly."""
        path = self.folder_of(run) / "answers.json"
        return json.loads(path.read_text()) if path.exists() else self.standing_answers[run.name]

    def train(self, run):
        """@return its row"""
        if row := self.made(run):
            return row
        folder = self.folder_of(run)
        folder.parent.mkdir(parents=True, exist_ok=True)
        program.run("finetune", "--task", "classify", "--model", program.minilm(), "--train", self.file("train", run.fold), "--test",
                    self.file("test", run.fold), "--seed", run.fold, *self.settings["options"], *self.settings["ways"][run.way], "-o", folder,
                    "--resume")  # fmt: skip
        said = material.read_rows(folder / "predictions.jsonl")
        labels = [row["label"] for row in material.read_rows(self.file("test", run.fold))]
        answers = [int(one["label"] == label) for one, label in zip(said, labels, strict=True)]
        metrics, options = json.loads((folder / "metrics.json").read_text()), json.loads((folder / "run.json").read_text())["options"]
        test = metrics["test"]
        read = options["epochs"] * (len(material.read_rows(self.file("train", run.fold))) - metrics["validation"]["rows"])
        state = json.loads((folder / "last" / "state.json").read_text())
        material.write_whole(folder / "answers.json", json.dumps(answers))
        for name in ("best", "last"):
            (folder / name).unlink()
        shutil.rmtree(folder / "checkpoints")
        row = {"way": run.way, "fold": run.fold, "rows": test["rows"], "score": sum(answers) / len(answers), "tokens_of_a_text": round(state["tokens"] / read, 1),
               "baseline": test["baselines"]["bag of words"]["accuracy"]["value"], "processor": program.processor()}  # fmt: skip
        material.write_whole(folder / "row.json", json.dumps(row) + "\n")
        return row
