"""A checkpoint taken apart: reports of the laboratory, as objects and for Jupyter."""

from __future__ import annotations

import csv
import html
import json
import os
import pathlib
import re
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING

from . import arguments, program
from .errors import IoError, UsageError
from .model import Model
from .warnings import say_cut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike
    from typing import Any

LANGUAGES = ("en", "zh")


def experiments() -> Any:
    """What lab() can measure, as `summand lab list`: a row for each claim, with its id, what it says in short, the
    experiment that judges it, and that experiment's question. An experiment that judges none has a row without id.
    The parameter `only` of lab() takes ids and names of experiments.

    Returns a DataFrame, or a list of dictionaries without pandas."""
    listed = json.loads(program.run(["lab", "list", "--json"]).stdout)
    return table([{"id": rule.get("claim"), "says": rule.get("says"), "experiment": one["name"], "question": one["question"]} for one in listed for rule in one["rules"] or [{}]])


def lab(model: str | PathLike[str] | Model, *, only: str | Sequence[str] | None = None, quick: bool = False, folder: str | PathLike[str] | None = None,
        corpus: str | PathLike[str] | None = None, sentences: str | Sequence[str | tuple[str, str]] | None = None, seed: int = 0,
        threads: int = 0, name: str | None = None, language: str = "en", svg: bool = False, show_progress: bool = False) -> Report:  # fmt: skip
    """Judges the claims about token + position + segment on a checkpoint, as `summand lab` does.

    model          a directory or a name, or a Model
    only           experiments, by name or by the id of a claim: "3.1", or a list. experiments() has them all
    quick          fewer draws and repetitions
    folder         where the report stays: a new or empty folder, or that of an earlier run on the same checkpoint, which goes
                   on: results with the same settings are kept, and the report has them too. None: a temporary folder that
                   goes with the Report and its figures
    corpus         "english", "chinese" or a file of texts
    sentences      for the explorer of the report's page: str, or pairs
    language       of the figures' words: "en" or "zh". The page has both
    svg            also draws the figures as SVG, for front ends without Vega-Lite: pip install vl-convert-python
    show_progress  on sys.stderr, what is running and how long it may take

    Returns a Report."""
    words = ["lab", "--model", _directory(model), "--json", "--seed", str(arguments.number("seed", seed, least=0)), "--threads", str(arguments.number("threads", threads, least=0))]
    arguments.choice("language", language, LANGUAGES)
    if chosen := arguments.names("only", only):
        words += ["--only", ",".join(chosen)]
    if arguments.flag("quick", quick):
        words.append("--quick")
    if corpus is not None:
        words += ["--corpus", arguments.path("corpus", corpus)]
    if name is not None:
        words += ["--name", arguments.text("name", name)]
    for sentence in _sentences(sentences):
        words += ["--sentence", sentence]
    if arguments.flag("svg", svg):
        words += ["--figures", "svg", "--language", language]
    return _made(words, folder, show_progress, lambda place: Report(place, language=language))


def compare(models: Sequence[str | PathLike[str] | Model], *, only: str | Sequence[str] | None = None, quick: bool = False,
            folder: str | PathLike[str] | None = None, show_progress: bool = False) -> Comparison:  # fmt: skip
    """The claims on several checkpoints, side by side, as `summand lab compare`. Parameters as for lab().

    Returns a Comparison."""
    if isinstance(models, (str, os.PathLike)) or not isinstance(models, Iterable):
        arguments.refuse_type("models", "a list of two models or more", models)
    given = list(map(_directory, models))
    if len(given) < 2:
        raise UsageError(f"[models] expected two models or more, got {len(given)}")
    words = ["lab", "compare", *given, "--json"]
    if chosen := arguments.names("only", only):
        words += ["--only", ",".join(chosen)]
    if arguments.flag("quick", quick):
        words.append("--quick")
    return _made(words, folder, show_progress, Comparison)


def parts(model: str | PathLike[str] | Model, text: str | tuple[str, str], *, max_length: int | None = None) -> Parts:
    """The parts of the sum, token by token, as `summand parts`: norms of the token, position and segment row, and the
    share of each in the sum.

    model  a directory or a name, or a Model
    text   a str, or a pair of str

    Returns Parts. A text that is cut is told by a CutWarning."""
    if isinstance(text, str):
        given = {"text": arguments.text("text", text)}
    elif isinstance(text, (list, tuple)) and len(text) == 2 and all(isinstance(one, str) for one in text):
        given = {"text": arguments.text("text", text[0]), "text_pair": arguments.text("text", text[1])}
    else:
        arguments.refuse_type("text", "str or a pair of str", text)
    words = ["parts", "--model", _directory(model), "--json", "--format", "jsonl", "-"]
    if max_length is not None:
        words += ["--max-length", str(arguments.count("max_length", max_length))]
    done = program.run(words, given=json.dumps(given))
    if cut := re.search(r" was cut at (\d+) tokens", done.stderr):
        say_cut(1, 1, cut[1])
    return Parts(json.loads(done.stdout))


def _directory(model):
    place = model.info.directory if isinstance(model, Model) else arguments.path("model", model)
    return f"./{place}" if place.startswith("-") else place


def _sentences(given):
    """For the explorer, as the program takes them."""
    if given is None or isinstance(given, str):
        given = [] if given is None else [given]
    elif not isinstance(given, Iterable):
        arguments.refuse_type("sentences", "str, or a list of str or pairs of str", given)
    for place, one in enumerate(given):
        pair = (one,) if isinstance(one, str) else one
        if not isinstance(pair, (list, tuple)) or len(pair) not in (1, 2) or not all(isinstance(text, str) for text in pair):
            arguments.refuse_type(f"sentences[{place}]", "str or a pair of str", one)
        yield " ||| ".join(arguments.text(f"sentences[{place}]", text) for text in pair)


class _TemporaryFolder:
    """Goes when nothing refers to it any more."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="summand-report-")
        weakref.finalize(self, shutil.rmtree, self.path, ignore_errors=True)


def _made(words, folder, show_progress, kind):
    owner = _TemporaryFolder() if folder is None else None
    place = pathlib.Path(owner.path if folder is None else arguments.path("folder", folder))
    program.run([*words, "-o", place], shows_progress=arguments.flag("show_progress", show_progress))
    made = kind(place)
    made._keep(owner)
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

    def __init__(self, path: pathlib.Path, svg: pathlib.Path | None = None):
        self._path, self._svg = path, svg
        self._owner = None
        self.name = path.name.removesuffix(".vl.json").rpartition(".")[0]

    @property
    def spec(self) -> dict[str, Any]:
        return json.loads(self._path.read_text(encoding="utf-8"))

    @property
    def data(self) -> Any:
        """What the figure shows, one row a mark: DataFrame, or a list of dictionaries."""
        with open(self._path.with_name(f"{self.name}.csv"), encoding="utf-8", newline="") as file:
            return table([{name: _number(cell) for name, cell in row.items()} for row in csv.DictReader(file)])

    @property
    def svg(self) -> str | None:
        """As SVG, if lab() drew it: svg=True."""
        return None if self._svg is None else self._svg.read_text(encoding="utf-8")

    def _repr_mimebundle_(self, include=None, exclude=None):
        spec, svg = self.spec, self.svg
        bundle = {"application/vnd.vegalite.v6+json": spec, "application/vnd.vegalite.v5+json": spec, "text/plain": repr(self)}
        return bundle if svg is None else bundle | {"image/svg+xml": svg}

    def __repr__(self):
        return f"Figure({self.name!r})"


class Report:
    """What the laboratory found on a checkpoint.

    folder  of `summand lab -o`
    language  of the figures' words: en or zh"""

    def __init__(self, folder: str | PathLike[str], *, language: str = "en"):
        self.folder = pathlib.Path(folder)
        arguments.choice("language", language, LANGUAGES)
        try:
            self.results = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        except OSError as fault:
            raise IoError(f"[{self.folder}] expected a report of the laboratory, got none: {fault.strerror}") from None
        self.figures: dict[str, Figure] = {figure.name: figure for figure in self._figures(language)}

    def _figures(self, language):
        drawn = "zh" if "--language zh" in self.results["command"] else "en"  # the language of NAME.svg
        for path in sorted((self.folder / "figures").glob(f"*.{language}.vl.json")):
            svg = path.with_name(path.name.removesuffix(f".{language}.vl.json") + ".svg")
            yield Figure(path, svg if drawn == language and "--figures svg" in self.results["command"] and svg.exists() else None)

    def _keep(self, owner):
        """Lets the folder live as long as the report or one of its figures."""
        self._owner = owner
        for figure in self.figures.values():
            figure._owner = owner

    @property
    def name(self) -> str:
        """Of the checkpoint."""
        return self.results["checkpoint"]["name"]

    @property
    def page(self) -> pathlib.Path:
        """The report as a page for a browser."""
        return self.folder / "index.html"

    @property
    def in_short(self) -> list[tuple[str, str]]:
        """[(question, answer), …]"""
        return [(one["question"], one["answer"]) for one in self.results["in_short"]]

    @property
    def claims(self) -> Any:
        """A row for each claim: id, claim, observation, inference, conclusion, reason, study. `study` is what models
        trained for the question say, not this checkpoint. DataFrame, or a list of dictionaries."""
        names = ("id", "claim", "observation", "inference", "conclusion", "reason")
        rows = [{name: claim[name] for name in names} | {"study": (claim["study"] or {}).get("verdict")} for claim in self.results["claims"]]
        return table(rows)

    @property
    def numbers(self) -> Any:
        """Every number that a verdict rests on, with the same statistic on a null and on a positive control: a row with the
        claim's id, the number's name and label, value, low, high, null, null_low, null_high, null_of, control, control_low,
        control_high, control_of. low and high bound its interval, if it has one. DataFrame, or a list of dictionaries."""
        return table([{"id": claim["id"], "name": name} | _flat(number) for claim in self.results["claims"] for name, number in claim["numbers"].items()])

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

    def __init__(self, folder: str | PathLike[str]):
        self.folder = pathlib.Path(folder)
        try:
            self.results = json.loads((self.folder / "compare.json").read_text(encoding="utf-8"))
        except OSError as fault:
            raise IoError(f"[{self.folder}] expected a comparison of the laboratory, got none: {fault.strerror}") from None
        checkpoints = self.results["checkpoints"]
        names = [one["name"] for one in checkpoints]
        keys = [one["name"] if names.count(one["name"]) == 1 else one["folder"] for one in checkpoints]
        self.reports: dict[str, Report] = {key: Report(self.folder / one["folder"]) for key, one in zip(keys, checkpoints)}

    def _keep(self, owner):
        self._owner = owner
        for report in self.reports.values():
            report._keep(owner)

    @property
    def verdicts(self) -> Any:
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

    def __init__(self, results: dict[str, Any]):
        self.results = results

    @property
    def tokens(self) -> Any:
        """A row for each token: its norms and shares by part. DataFrame, or a list of dictionaries."""
        rows = []
        for token in self.results["tokens"]:
            row = {"token": token["token"], "position": token["position"], "segment": token["segment"]}
            for kind in ("norm", "centred_norm", "share"):
                row |= {f"{kind}_{part}": value for part, value in token[kind].items()}
            rows.append(row)
        return table(rows)

    @property
    def share_between_tokens(self) -> dict[str, float]:
        """Of the variance between the text's tokens, by part."""
        return self.results["share_between_tokens"]

    def _repr_html_(self):
        head = "".join(f"<th>{part}</th>" for part in ("token", "from token", "from position", "from segment", "from all"))
        rows = "".join(f"<tr><td style='text-align:left'>{html.escape(token['token'])}</td>" + "".join(f"<td>{100 * token['share'].get(part, 0):.0f} %</td>" for part in ("token", "position", "segment", "common")) + "</tr>" for token in self.results["tokens"])
        return f"<table><tr>{head}</tr>{rows}</table>"

    def __repr__(self):
        return f"Parts({len(self.results['tokens'])} tokens)"


def _flat(number):
    """A number of results.json as columns."""
    row = {"label": number["label"]}
    for name, interval in (("value", "interval"), ("null", "null_interval"), ("control", "control_interval")):
        prefix = "" if name == "value" else f"{name}_"
        low, high = number.get(interval) or (None, None)
        row |= {name: number[name], f"{prefix}low": low, f"{prefix}high": high}
        if prefix:
            row[f"{prefix}of"] = number[f"{prefix}of"]
    return row


def _number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell
