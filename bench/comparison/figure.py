"""The figure: thousand tokens per second of everybody, one column for each kind of work, with the limit as a tick."""

import dataclasses
import json
import pathlib
import re
import sys

import vl_convert

from comparison.contestants import OURS, RIVALS
from comparison.table import LATENCY, three_digits
from comparison.targets import why_not_counted

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "lab" / "report"))
from light_theme import theme  # noqa: E402

BAR = "#c3c9d2"
COLUMN_WIDTH = 200
LABEL_WIDTH = 54  # of it, on the right: the numbers, so that no bar and no limit is under one
BAR_STEP = 17
# Of the contestants' names, the same in every cell.
EXTENT = {"minExtent": 140, "maxExtent": 140}
TITLE = f"{OURS} and its rivals, each at its best setting"
TITLES = {"MiniLM": "all-MiniLM-L6-v2", "bert-base": "bert-base (random weights)"}


def rows(model, work):
    """One per contestant that ran: rate and limit in thousand tokens per second, and what stands beside the bar."""
    tokens = model["works"][work]["tokens"]
    for entry in model["contestants"]:
        if work not in entry["works"] or why_not_counted(entry):
            continue
        seconds = entry["works"][work]["seconds"]
        limit = model["limit_seconds"].get(entry["precision"], {}).get(work)
        rate = tokens / seconds / 1000
        yield {
            "precision": entry["precision"], "name": entry["name"], "rate": rate,
            "limit": tokens / limit / 1000 if limit and work not in LATENCY else None,
            "label": f"{three_digits(1000 * seconds)} ms" if work in LATENCY else three_digits(rate),
        }  # fmt: skip


def cell(model, work, precision, place):
    """The bars of one precision at one kind of work. @param place  Place"""
    data = [row for row in rows(model, work) if row["precision"] == precision]
    order = [OURS, *(name for name in RIVALS[precision] if any(row["name"] == name for row in data))]
    axis = {"title": None, "labels": place.leftmost, "ticks": False, "domain": False, "labelPadding": 6}
    y = {"field": "name", "type": "nominal", "scale": {"domain": order}, "axis": axis | (EXTENT if place.leftmost else {})}
    x = {"field": "rate", "type": "quantitative", "axis": None, "scale": {"domainMin": 0, "range": [0, COLUMN_WIDTH - LABEL_WIDTH]}}
    colours = place.colours
    colour = {"condition": {"test": f"datum.name === '{OURS}'", "value": colours["@blue"]}, "value": BAR}
    tick = {"type": "tick", "thickness": 2, "size": BAR_STEP, "color": colours["@orange"]}
    text = {"type": "text", "align": "right", "x": COLUMN_WIDTH, "fontSize": 11, "color": colours["@soft"]}
    layers = [
        {"mark": {"type": "bar", "height": {"band": 0.72}}, "encoding": {"x": x, "y": y, "color": colour}},
        {"mark": tick, "encoding": {"x": x | {"field": "limit"}, "y": y}},
        {"mark": text, "encoding": {"y": y, "text": {"field": "label"}}},
    ]
    if place.leftmost:
        name = {"type": "text", "x": -EXTENT["minExtent"] - 40, "y": BAR_STEP / 2, "align": "left", "fontWeight": "bold"}
        layers.append({"data": {"values": [{}]}, "mark": name, "encoding": {"text": {"value": precision}}})
    spec = {"width": COLUMN_WIDTH, "height": {"step": BAR_STEP}, "data": {"values": data}, "layer": layers}
    if place.topmost:
        subtitle = model["works"][work]["texts"].split(",")[0]
        spec["title"] = {"text": work, "subtitle": subtitle, "anchor": "start", "frame": "group", "offset": 8}
    return spec


@dataclasses.dataclass(frozen=True)
class Place:
    """Where a cell stands, and its colours."""

    leftmost: bool
    topmost: bool
    colours: dict


def column(model, work, colours, leftmost):
    """All precisions of one kind of work, on one scale."""
    cells = [
        cell(model, work, precision, Place(leftmost, precision == model["precisions"][0], colours))
        for precision in model["precisions"]
    ]
    return {"vconcat": cells, "spacing": 10, "resolve": {"scale": {"x": "shared", "y": "independent"}}}


def specification(results):
    config, colours = theme()
    models = [
        {
            "title": {"text": TITLES[name], "fontSize": 15, "fontWeight": "bold", "anchor": "start"},
            "hconcat": [column(model, work, colours, place == 0) for place, work in enumerate(model["works"])],
            "spacing": 24,
        }
        for name, model in results["models"].items()
    ]
    processor = f"{results['threads']} threads of {results['machine']['kind']}, {results['date']}"
    subtitle = [
        "Thousand tokens per second; of a single text, its time, and a longer bar is faster.",
        f"Orange: the matrix products alone, the limit. {processor}.",
    ]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "title": {"text": TITLE, "subtitle": subtitle, "fontSize": 16, "offset": 18},
        "vconcat": models,
        "spacing": 40,
        "padding": 14,
        "background": colours["@paper"],
        "config": config | {"title": config["title"] | {"subtitleColor": colours["@soft"], "subtitleFontSize": 12}},
    }


def texts(drawing):
    """What is written in a figure. Where it stands depends on the fonts of the machine that drew it."""
    return re.findall(r">([^<>]+)</(?:text|tspan)>", drawing)


def svg(results):
    """The figure as SVG. @param results  what a file of docs/performance holds"""
    return vl_convert.vegalite_to_svg(json.dumps(specification(results)), vl_version="6.4", allowed_base_urls=[])
