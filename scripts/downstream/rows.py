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
    def read(cls, the_plan):
        """@raises Bad naming file and line, where a row lacks a value, is not of the plan or comes twice"""
        run_of = {"pretraining": pretraining_of, "finetuning": finetuning_of, "long_texts": long_run_of}
        its = [rows_in(the_plan.folder / f"{name}.csv", run_of[name], runs) for name, runs in planned_runs(the_plan).items()]
        return cls(*its, rows_in(the_plan.folder / "long_answers.csv"))

    def standing(self):
        """{name: row} of the runs whose rows these are."""
        return {run_of(row).name: row for run_of, its in ((pretraining_of, self.pretraining), (finetuning_of, self.finetuning)) for row in its}

    def standing_long_texts(self):
        """({name: row}, {name: answers}) of the long texts' runs, of folds whose answers are there."""
        answers = {}
        for row in self.answers:
            for way in row.keys() - {"fold", "text"}:
                answers.setdefault(plan.LongRun(way, row["fold"]).name, []).append(row[way])
        rows = {long_run_of(row).name: row for row in self.long_texts}
        return {name: row for name, row in rows.items() if name in answers}, answers


class Bad(Exception):
    """A row that cannot be used: says where, what was expected and what it is."""


def pretraining_of(row):
    return plan.Pretraining(row["arm"], row["seed"])


def finetuning_of(row):
    return plan.Finetuning(pretraining_of(row), row["task"], row["examples"], row["finetuning_seed"])


def long_run_of(row):
    return plan.LongRun(row["way"], row["fold"])


def planned_runs(the_plan):
    """{file: its runs}"""
    pretrainings = the_plan.by_pretraining(the_plan.json["blocks"])
    return {"pretraining": list(pretrainings), "finetuning": [one for ones in pretrainings.values() for one in ones], "long_texts": the_plan.long_runs()}


def write(all_runs, long_texts, the_plan):
    """Of all that is finished, whatever was asked for."""
    planned = planned_runs(the_plan)
    found = {name: finished(long_texts if name == "long_texts" else all_runs, runs) for name, runs in planned.items()}
    found["long_answers"] = answers(long_texts, planned["long_texts"])
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


def rows_in(path, run_of=None, planned=()):
    """Numbers are numbers. @param run_of  the run of a row, which has to be one of `planned`, once. @raises Bad"""
    if not path.exists():
        return []
    with open(path, encoding="utf-8", newline="") as file:
        reader, rows, seen, names = csv.DictReader(file), [], set(), {run.name for run in planned}
        for row in reader:
            where = f"[{path}:{reader.line_num}]"
            if None in row or None in row.values():
                raise Bad(f"{where} expected {len(reader.fieldnames)} values, got another number of them")
            rows.append({key: number_or_text(value) for key, value in row.items()})
            if run_of:
                try:
                    name = run_of(rows[-1]).name
                except KeyError as missing:
                    raise Bad(f"[{path}] expected a column {missing}, got {', '.join(reader.fieldnames)}") from None
                if name not in names or name in seen:
                    raise Bad(f"{where} expected {'each run once' if name in seen else 'a run of the plan'}, got {name}")
                seen.add(name)
    return rows


def number_or_text(text):
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return text
