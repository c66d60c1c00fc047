#!/usr/bin/env python3
"""When does a position table begin to turn? The laboratory's circles (claims X1 and X2) at every checkpoint that a run kept.

  models/turning.py RUN -o docs/reports/turning.json [--figure docs/figures/turning.svg]

A full run's draws of the experiment `clocks` for each checkpoint, one after the other, by the rules as they are, which want 128
rows and more: of the whole table, and `positions_seen` says how many of its rows training had reached. docs/reports/turning.json was made by
the rule before rules-3, which looked at planes turn by turn (docs/rules.md); the checkpoints it came from were not kept.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

import numpy as np
import safetensors.numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBERS = ("circle_share", "fitted_share")


def checkpoints(run):
    """(step, folder) of what the run kept, the last one included."""
    folders = {int(folder.name.split("-")[1]): folder for folder in (run / "checkpoints").iterdir() if (folder / "kept").exists()}
    last = (run / "last").resolve()
    folders[int(last.name.split("-")[1])] = last
    return sorted(folders.items())


def seen_until(folder):
    """How many tokens the run had seen, and of how many positions any."""
    state = json.loads((folder / "state.json").read_text())
    return state["tokens"], sum(count > 0 for count in state["seen"])


def claims_of(folder, work):
    table = safetensors.numpy.load_file(folder / "model.safetensors")["bert.embeddings.position_embeddings.weight"]
    path, out = work / f"{folder.name}.npy", work / folder.name
    np.save(path, table)
    subprocess.run([ROOT / "build/bin/summand", "lab", "--table", path, "-o", out, "--only", "clocks"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    claims = {claim["id"]: claim for claim in json.loads((out / "results.json").read_text())["claims"]}
    return {name: claims[name] for name in ("X1", "X2")}


def rows(run, work):
    for step, folder in checkpoints(run):
        tokens, positions = seen_until(folder)
        claims = claims_of(folder, work)
        numbers = {}
        for name in NUMBERS:
            number = claims["X1"]["numbers"][name]
            numbers[name] = {"value": number["value"], "null": number["null_interval"][1]}
        row = {"step": step, "tokens": tokens, "positions_seen": positions, "rungs": claims["X2"]["numbers"]["rungs"]["value"],
               **numbers, **{name: {key: claim[key] for key in ("observation", "reason")} for name, claim in claims.items()}}
        print(f"step {step:6}, {positions:3} rows: {claims['X1']['observation']}, circles hold {100 * numbers['circle_share']['value']:.0f} % "
              "of the held-out variance", flush=True)
        yield row


def loss_curve(run):
    """(step, nats a masked token) of the texts trained on, as logged."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [(line["step"], line["train"]["masked_loss"]) for line in lines if "train" in line]


def figure(found, losses, path):
    """Shares of the table's variance above, the loss below, over the same steps; a line where all rows have been seen."""
    import vl_convert

    labels = {"circle_share": "in circles, held out"}
    null = "largest of the nulls"
    shares = [{"step": row["step"], "value": row[name]["value"], "of": label} for row in found for name, label in labels.items()]
    shares += [{"step": row["step"], "value": row["circle_share"]["null"], "of": null} for row in found]
    most = max(row["positions_seen"] for row in found)
    late = [row["step"] for row in found if row["positions_seen"] == most][:1]
    end = max(row["step"] for row in found)

    def over_steps(title, *layers):
        x = {"field": "step", "type": "quantitative", "scale": {"domain": [0, end]}, "axis": {"format": ",.0f", "grid": False, "tickCount": 8}, "title": title}
        rule = {"data": {"values": [{"step": step} for step in late]}, "mark": {"type": "rule", "strokeDash": [4, 3], "color": "#888"}, "encoding": {}}
        return [{**layer, "encoding": {"x": x, **layer["encoding"]}} for layer in (rule, *layers)]

    colours = {labels["circle_share"]: "#0072b2", null: "#bbbbbb"}
    above = {
        "width": 620, "height": 220,
        "layer": over_steps(None, {
            "data": {"values": shares}, "mark": {"type": "line", "point": {"size": 18}},
            "encoding": {
                "y": {"field": "value", "type": "quantitative", "title": "share of the variance", "scale": {"domain": [0, 1]}},
                "color": {"field": "of", "type": "nominal", "title": None, "scale": {"domain": list(colours), "range": list(colours.values())},
                          "legend": {"orient": "top", "direction": "horizontal", "labelLimit": 300, "columnPadding": 40}},
            }}),
    }  # fmt: skip
    below = {
        "width": 620, "height": 140,
        "layer": over_steps(f"step (dashed: first checkpoint whose {most} rows have all been seen)", {
            "data": {"values": [{"step": step, "value": value} for step, value in losses]}, "mark": {"type": "line", "color": "#333"},
            "encoding": {"y": {"field": "value", "type": "quantitative", "title": "nats a masked token", "scale": {"zero": False}}}}),
    }  # fmt: skip
    spec = {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json", "background": "white",
        "config": {"font": "system-ui, sans-serif", "axis": {"domain": False, "tickColor": "#ccc", "gridColor": "#e4e4e4", "titleFontWeight": "normal"}, "view": {"stroke": None}},
        "title": {"text": "When does summand-mini's position table begin to turn?", "anchor": "start"}, "vconcat": [above, below],
    }  # fmt: skip
    path.write_text(vl_convert.vegalite_to_svg(spec))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    parser.add_argument("--figure", type=pathlib.Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        found = list(rows(options.run, pathlib.Path(work)))
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    if options.figure:
        figure(found, loss_curve(options.run), options.figure)


if __name__ == "__main__":
    main()
