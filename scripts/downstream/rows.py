"""Rows of finished runs as CSV, in the plan's order."""

import csv
import dataclasses
import io

from downstream import material, plan


@dataclasses.dataclass
class Rows:
    """pretraining.csv, finetuning.csv and long_texts.csv have a row for each run; long_answers.csv has one for each review, with a 1 under each
    way of reading by which it was labelled rightly. Of a file that is not there, no rows."""

    pretraining: list
    finetuning: list
    long_texts: list
    answers: list

    @classmethod
    def read(cls, folder):
        return cls(*(rows_in(folder / f"{name}.csv") for name in ("pretraining", "finetuning", "long_texts", "long_answers")))


    def standing(self):
        """{name: row} of the runs whose rows these are."""
        found = {pretraining_of(row).name: row for row in self.pretraining}
        return found | {plan.Finetuning(pretraining_of(row), row["task"], row["examples"], row["finetuning_seed"]).name: row for row in self.finetuning}

    def standing_long_texts(self):
        """({name: row}, {name: answers}) of the long texts' runs, of folds whose answers are there."""
        answers = {}
        for row in self.answers:
            for way in row.keys() - {"fold", "text"}:
                answers.setdefault(plan.LongRun(way, row["fold"]).name, []).append(row[way])
        rows = {plan.LongRun(row["way"], row["fold"]).name: row for row in self.long_texts}
        return {name: row for name, row in rows.items() if name in answers}, answers


def pretraining_of(row):
    return plan.Pretraining(row["arm"], row["seed"])


def write(all_runs, long_texts, the_plan):
    """Of all that is finished, whatever was asked for."""
    planned = the_plan.by_pretraining(the_plan.json["blocks"])
    finetunings = [one for ones in planned.values() for one in ones]
    long_runs = the_plan.long_runs()
    found = {"pretraining": finished(all_runs, planned), "finetuning": finished(all_runs, finetunings), "long_texts": finished(long_texts, long_runs),
             "long_answers": answers(long_texts, long_runs)}  # fmt: skip
    for name, its in found.items():
        if its:
            material.write_whole(the_plan.folder / f"{name}.csv", text_of(its))


def finished(runs, ones):
    return [row for one in ones if (row := runs.row_of(one))]


def answers(long_texts, runs):
    """Of folds that every way has read."""
    ways, found = list(dict.fromkeys(run.way for run in runs)), []
    for fold in dict.fromkeys(run.fold for run in runs):
        of_fold = [run for run in runs if run.fold == fold]
        done = {run.way: long_texts.answers_of(run) for run in of_fold if long_texts.row_of(run)}
        if len(done) == len(ways):
            found += [{"fold": fold, "text": place + 1, **{way: done[way][place] for way in ways}} for place in range(len(done[ways[0]]))]
    return found


def text_of(rows):
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def rows_in(path):
    """Numbers are numbers."""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        return [{key: number_or_text(value) for key, value in row.items()} for row in csv.DictReader(file)]


def number_or_text(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
