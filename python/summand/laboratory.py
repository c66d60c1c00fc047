"""A checkpoint taken apart: reports of the laboratory, as objects and for Jupyter."""

from __future__ import annotations

import csv
import html
import json
import os
import pathlib
import shutil
import tempfile
import weakref
from typing import TYPE_CHECKING

from . import arguments, program
from .errors import IoError, UsageError
from .model import Model

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import Any

LANGUAGES = ("en", "zh")


def lab(model: str | PathLike | Model, *, only: str | Sequence[str] | None = None, quick: bool = False, folder: str | PathLike | None = None,
        corpus: str | PathLike | None = None, sentences: Any = None, seed: int = 0, threads: int = 0, name: str | None = None,
        language: str = "en", show_progress: bool = False) -> Report:  # fmt: skip
    """Judges the claims about token + position + segment on a checkpoint, as `summand lab` does.

    model          a directory or a name, or a Model
    only           experiments, by name or by the id of a claim: "3.1", or a list
    quick          fewer draws and repetitions
    folder         where the report stays; None: a temporary folder that lives as long as the Report
    corpus         "english", "chinese" or a file of texts
    sentences      for the explorer of the report's page: str, or pairs
    show_progress  the program's lines on standard error

    Returns a Report."""
    words = ["lab", "--model", _directory(model), "--json", "--seed", str(arguments.count("seed", seed, least=0)), "--threads", str(arguments.count("threads", threads, least=0))]
    arguments.choice("language", language, LANGUAGES)
    if chosen := arguments.names("only", only):
        words += ["--only", ",".join(chosen)]
    if arguments.flag("quick", quick):
        words.append("--quick")
    for option, value in (("--corpus", corpus), ("--name", name)):
        if value is not None:
            words += [option, arguments.path(option.lstrip("-"), value)]
    for sentence in [sentences] if isinstance(sentences, str) else sentences or []:
        words += ["--sentence", sentence if isinstance(sentence, str) else " ||| ".join(sentence)]
    return _made(words, folder, show_progress, lambda place: Report(place, language=language))


def compare(models: Sequence[str | PathLike | Model], *, only: str | Sequence[str] | None = None, quick: bool = False,
            folder: str | PathLike | None = None, show_progress: bool = False) -> Comparison:  # fmt: skip
    """The claims on several checkpoints, side by side, as `summand lab compare`. Parameters as for lab().

    Returns a Comparison."""
    if isinstance(models, (str, os.PathLike)):
        arguments.refuse_type("models", "a list of two models or more", models)
    words = ["lab", "compare", *map(_directory, models), "--json"]
    if chosen := arguments.names("only", only):
        words += ["--only", ",".join(chosen)]
    if arguments.flag("quick", quick):
        words.append("--quick")
    return _made(words, folder, show_progress, Comparison)


def parts(model: str | PathLike | Model, text: str | tuple[str, str], *, max_length: int | None = None) -> Parts:
    """The parts of the sum, token by token, as `summand parts`: norms of the token, position and segment row, and the
    share of each in the sum.

    model  a directory or a name, or a Model
    text   a str, or a pair of str

    Returns Parts."""
    words = ["parts", "--model", _directory(model), "--json"]
    if isinstance(text, str):
        words += ["--text", arguments.text("text", text)]
    elif isinstance(text, (list, tuple)) and len(text) == 2 and all(isinstance(one, str) for one in text):
        words += ["--text", arguments.text("text", text[0]), "--text-pair", arguments.text("text", text[1])]
    else:
        arguments.refuse_type("text", "str or a pair of str", text)
    if max_length is not None:
        words += ["--max-length", str(arguments.count("max_length", max_length))]
    return Parts(json.loads(program.run(words)))


def _directory(model):
    return model.info.directory if isinstance(model, Model) else arguments.path("model", model)


def _made(words, folder, show_progress, kind):
    place = pathlib.Path(tempfile.mkdtemp(prefix="summand-report-") if folder is None else arguments.path("folder", folder))
    try:
        program.run([*words, "-o", place], shows_errors=arguments.flag("show_progress", show_progress))
        made = kind(place)
    except BaseException:
        if folder is None:
            shutil.rmtree(place, ignore_errors=True)
        raise
    if folder is None:
        weakref.finalize(made, shutil.rmtree, place, ignore_errors=True)
    return made


def table(rows):
    """Rows as a DataFrame of pandas, or as they are where it is not installed."""
    try:
        import pandas
    except ImportError:
        return rows
    return pandas.DataFrame(rows)


class Figure:
    """A figure of a report: `spec` is Vega-Lite with its data, which Jupyter draws; `data` its numbers."""

    def __init__(self, path):
        self._path = path
        self.name = path.name.removesuffix(".vl.json").rpartition(".")[0]

    @property
    def spec(self) -> dict:
        return json.loads(self._path.read_text(encoding="utf-8"))

    @property
    def data(self):
        """What the figure shows, one row a mark: DataFrame, or a list of dictionaries."""
        with open(self._path.with_name(f"{self.name}.csv"), encoding="utf-8", newline="") as file:
            return table([{name: _number(cell) for name, cell in row.items()} for row in csv.DictReader(file)])

    def _repr_mimebundle_(self, include=None, exclude=None):
        spec = self.spec
        return {"application/vnd.vegalite.v6+json": spec, "application/vnd.vegalite.v5+json": spec, "text/plain": repr(self)}

    def __repr__(self):
        return f"Figure({self.name!r})"


class Report:
    """What the laboratory found on a checkpoint.

    folder  of `summand lab -o`
    language  of the figures' words: en or zh"""

    def __init__(self, folder, *, language="en"):
        self.folder = pathlib.Path(folder)
        arguments.choice("language", language, LANGUAGES)
        try:
            self.results = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        except OSError as fault:
            raise IoError(f"[{self.folder}] expected a report of the laboratory, got none: {fault.strerror}") from None
        self.figures = {figure.name: figure for figure in map(Figure, sorted((self.folder / "figures").glob(f"*.{language}.vl.json")))}

    @property
    def name(self) -> str:
        """Of the checkpoint."""
        return self.results["checkpoint"]["name"]

    @property
    def page(self) -> pathlib.Path:
        """The report as a page for a browser."""
        return self.folder / "index.html"

    @property
    def in_short(self) -> list:
        """[(question, answer), …]"""
        return [(one["question"], one["answer"]) for one in self.results["in_short"]]

    @property
    def claims(self):
        """A row for each claim: id, claim, observation, inference, conclusion, reason, study. `study` is what models
        trained for the question say, not this checkpoint. DataFrame, or a list of dictionaries."""
        names = ("id", "claim", "observation", "inference", "conclusion", "reason")
        rows = [{name: claim[name] for name in names} | {"study": (claim["study"] or {}).get("verdict")} for claim in self.results["claims"]]
        return table(rows)

    @property
    def numbers(self):
        """Every number that a verdict rests on: a row with the claim's id, the number's name and its value. DataFrame, or a
        list of dictionaries."""
        return table([{"id": claim["id"], "name": name, "value": value} for claim in self.results["claims"] for name, value in claim["numbers"].items()])

    def claim(self, id: str) -> dict[str, Any]:
        """One claim, whole."""
        for one in self.results["claims"]:
            if one["id"] == id:
                return one
        raise UsageError(f"[id] expected the id of a claim, such as 3.1, got {id!r}")

    def _repr_html_(self):
        questions = "".join(f"<dt><b>{html.escape(question)}</b></dt><dd>{html.escape(answer)}</dd>" for question, answer in self.in_short)
        measured = [claim for claim in self.results["claims"] if claim["observation"] != "not measured"]
        rows = "".join(f"<tr><td>{html.escape(claim['id'])}</td><td style='text-align:left'>{html.escape(claim['claim'])}</td><td>{html.escape(claim['observation'])}</td></tr>" for claim in measured)
        head = "<tr><th>claim</th><th style='text-align:left'>what it says</th><th>here</th></tr>"
        return f"<h4>{html.escape(self.name)}</h4><dl>{questions}</dl><table>{head}{rows}</table><p>{html.escape(str(self.page))}</p>"

    def __repr__(self):
        measured = sum(claim["observation"] != "not measured" for claim in self.results["claims"])
        return f"Report({self.name!r}, {measured} of {len(self.results['claims'])} claims measured)"


class Comparison:
    """Several reports side by side. folder: of `summand lab compare -o`"""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.results = json.loads((self.folder / "compare.json").read_text(encoding="utf-8"))
        self.reports = {one["name"]: Report(self.folder / one["folder"]) for one in self.results["checkpoints"]}

    @property
    def verdicts(self):
        """A row for each claim, a column for each checkpoint: what was observed. DataFrame, or a list of dictionaries."""
        first = next(iter(self.reports.values())).results["claims"]
        by_report = {name: {claim["id"]: claim["observation"] for claim in report.results["claims"]} for name, report in self.reports.items()}
        return table([{"id": claim["id"], "claim": claim["claim"]} | {name: found[claim["id"]] for name, found in by_report.items()} for claim in first])

    def _repr_html_(self):
        names = list(self.reports)
        by_id = [report.results["claims"] for report in self.reports.values()]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        rows = "".join("<tr><td>" + html.escape(claims[0]["id"]) + "</td><td style='text-align:left'>" + html.escape(claims[0]["claim"]) + "</td>" + "".join(f"<td>{html.escape(claim['observation'])}</td>" for claim in claims) + "</tr>"
                       for claims in zip(*by_id) if any(claim["observation"] != "not measured" for claim in claims))  # fmt: skip
        return f"<table><tr><th>claim</th><th style='text-align:left'>what it says</th>{head}</tr>{rows}</table>"

    def __repr__(self):
        return f"Comparison({', '.join(map(repr, self.reports))})"


class Parts:
    """The parts of one text's sums. results: of `summand parts --json`"""

    def __init__(self, results):
        self.results = results

    @property
    def tokens(self):
        """A row for each token: its norms and shares by part. DataFrame, or a list of dictionaries."""
        rows = []
        for token in self.results["tokens"]:
            row = {"token": token["token"], "position": token["position"], "segment": token["segment"]}
            for kind in ("norm", "centred_norm", "share"):
                row |= {f"{kind}_{part}": value for part, value in token[kind].items()}
            rows.append(row)
        return table(rows)

    @property
    def share_between_tokens(self) -> dict:
        """Of the variance between the text's tokens, by part."""
        return self.results["share_between_tokens"]

    def _repr_html_(self):
        head = "".join(f"<th>{part}</th>" for part in ("token", "from token", "from position", "from segment", "from all"))
        rows = "".join(f"<tr><td style='text-align:left'>{html.escape(token['token'])}</td>" + "".join(f"<td>{100 * token['share'].get(part, 0):.0f} %</td>" for part in ("token", "position", "segment", "common")) + "</tr>" for token in self.results["tokens"])
        return f"<table><tr>{head}</tr>{rows}</table>"

    def __repr__(self):
        return f"Parts({len(self.results['tokens'])} tokens)"


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell
