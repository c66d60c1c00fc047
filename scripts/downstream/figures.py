"""The figures of the study: what each part costs each task, the mask rates, learning curves, ways to read long texts."""

import json
import statistics

import vl_convert
from light_theme import coloured, theme

from downstream import findings, names


WORDS = {"hurts": "worse", "helps": "better", "equivalent": "within the margin", "inconclusive": "cannot be told", "not counted": "not counted"}
ALONE = {"mask_40_predict_15": 40, "mask_15_predict_30": 15, "windows": 100 / 7}  # arms of the mask rates that are of no series: what they corrupt, in percent
TRIVIAL = "best trivial predictor"
LEGEND = {"labelLimit": 340, "columnPadding": 60}  # a browser's font may be wider than the one that these were measured with
COLOURS = {"worse": "@red", "better": "@green", "within the margin": "@blue", "cannot be told": "@faint", "not counted": "@grid"}


def all_of(plan, rows, found):
    """{file: SVG}, of those blocks of which there is something to draw."""
    drawn = {"parts": parts(plan, found), "mask-rates": mask_rates(plan, found), "learning-curves": learning_curves(plan, rows, found),
             "long-texts": long_texts(rows, found)}  # fmt: skip
    return {f"{name}.svg": svg(specification) for name, specification in drawn.items() if specification}


def svg(specification):
    config, colours = theme()
    text = json.dumps(specification | {"$schema": "https://vega.github.io/schema/vega-lite/v6.json", "padding": 14, "background": "@paper", "config": config})
    return vl_convert.vegalite_to_svg(coloured(text, colours), vl_version="6.4", allowed_base_urls=[])


def title(text, *below):
    return {"text": text, "subtitle": list(below), "fontSize": 16, "subtitleColor": "@soft", "subtitleFontSize": 12, "offset": 18}


def verdict_colour(values):
    present = [word for word in COLOURS if word in {one["verdict"] for one in values}]
    return {"field": "verdict", "type": "nominal", "title": None, "legend": LEGEND, "scale": {"domain": present, "range": [COLOURS[word] for word in present]}}


def interval_rows(comparisons, first):
    return [{"name": label(one, first), "task": one["task"], "measure": one["measure"], "mean": one["mean"], "low": one["interval"][0], "high": one["interval"][1],
             "verdict": WORDS[one["verdict"]]} for one in comparisons]  # fmt: skip


def label(comparison, first):
    """With what it is compared with, where that is not the first arm of its block."""
    against = comparison["against"]
    return names.arm(comparison["arm"]) + (f" (less {names.arm(against).split()[0]})" if against != first else "")


def pretrainings(found, block):
    """How many a comparison of the block has."""
    return max((one["pairs"] for one in found["comparisons"] if one["family"].startswith(f"{block}, ")), default=0)


def parts(plan, found):
    """A panel for each measure, all panels of points with the same range, and the margin as a band."""
    values = interval_rows([one for one in found["comparisons"] if one["family"].startswith("parts, ")], plan.json["blocks"]["parts"]["arms"][0])
    if not values:
        return None
    order = list(dict.fromkeys(one["name"] for one in values))
    reach = {measure: 1.1 * max(abs(one[end]) for one in values if one["measure"] == measure for end in ("low", "high")) for measure in {one["measure"] for one in values}}
    panels = [forest_panel([one for one in values if one["task"] == task], order, place % 3 == 0, verdict_colour(values), reach, plan.json["margins"])
              for place, task in enumerate(dict.fromkeys(one["task"] for one in values))]  # fmt: skip
    return {"title": title("What each part is worth", "Each arm less the sum, disjoint less a sum with an untied decoder; left of 0 is worse.",
                           f"{pretrainings(found, 'parts')} pre-trainings each, 95 % intervals. Grey: the margin."),
            "concat": panels, "columns": 3, "spacing": 18, "resolve": {"scale": {"x": "independent", "color": "shared"}}}  # fmt: skip


def forest_panel(values, order, is_first, colour, reach, margins):
    y = {"field": "name", "type": "nominal", "scale": {"domain": order}, "title": None,
         "axis": {"labels": is_first, "ticks": False, "domain": False, "grid": True, "labelLimit": 260}}  # fmt: skip
    task, measure = values[0]["task"], values[0]["measure"]
    x = {"field": "low", "type": "quantitative", "title": "nats (less is better)" if measure == "nats" else measure,
         "scale": {"domain": [-reach[measure], reach[measure]], "nice": False, "reverse": measure == "nats"}}  # fmt: skip
    return {"title": names.measure(task), "width": 200, "height": {"step": 24}, "data": {"values": values}, "layer": [
        {"data": {"values": [{}]}, "mark": {"type": "rect", "color": "@grid", "opacity": 0.7}, "encoding": {"x": {"datum": -margins[measure]}, "x2": {"datum": margins[measure]}}},
        {"data": {"values": [{}]}, "mark": {"type": "rule", "color": "@soft"}, "encoding": {"x": {"datum": 0}}},
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {"x": x, "x2": {"field": "high"}, "y": y, "color": colour}},
        {"mark": {"type": "point", "size": 60}, "encoding": {"x": x | {"field": "mean"}, "y": y, "color": colour}},
    ]}  # fmt: skip


def mask_rates(plan, found):
    """Means of arms that mask at a rate, with equal steps and with equal predictions; the others as points of their own."""
    values = []
    means = [one for one in found["means"] if one["block"] == "mask_rate"]
    for series in plan.json["blocks"]["mask_rate"]["series"]:
        rates = dict(zip(series["arms"], series["rates"], strict=True))
        values += [point(one["task"], rates[one["arm"]], series["name"], one["values"]) for one in means if one["arm"] in rates]
    values = [one | {"x": one["x"] + (0.5 if one["series"] == values[-1]["series"] else 0)} for one in values]  # so that the ranges of both are seen
    values += [point(one["task"], ALONE[one["arm"]], names.arm(one["arm"]), one["values"]) for one in means if one["arm"] in ALONE]
    x = {"title": "masked in training, %", "axis": {"values": [5, 10, 15, 20, 30, 40], "tickCount": 6}, "scale": {"domain": [0, 42]}}
    return lines(values, x, 3, title("How many tokens should training mask?", f"Mean of {pretrainings(found, 'mask_rate')} pre-trainings, and their range. Both lines have the same 15 %.",
                                     "Every model is tested on texts of which 15 % are masked, and on the tasks."), found)  # fmt: skip


def learning_curves(plan, rows, found):
    scores, values = findings.Scores(rows.pretraining, rows.finetuning), []
    for block, of_block in plan.json["blocks"].items():
        for task, arms in of_block.get("rivals", {}).items():
            for examples in of_block["examples"]:
                of_arms = scores.values(task, arms, plan.seeds(block), of_block["seeds"], examples)
                size = findings.labelled_rows(rows.finetuning, task, examples)
                values += [point(task, size * (1 + 0.05 * place), names.arm(arm), list(its.values())) for place, (arm, its) in enumerate(of_arms.items()) if its]
                trivial = [findings.POINTS * row["baseline"] for row in rows.finetuning
                           if (row["task"], row["examples"]) == (task, examples) and row["arm"] in arms and row["finetuning_seed"] in of_block["seeds"]]  # fmt: skip
                if trivial:
                    values.append(point(task, size, TRIVIAL, trivial))
    x = {"title": "labelled rows", "axis": {"values": [50, 200, 800, 3000], "format": ",d", "tickCount": 4}, "scale": {"type": "log", "domain": [40, 10_000], "nice": False}}
    return lines(values, x, 2, title("Does a better composition save labels?", "The sum and its best rival of each task, by labelled rows: mean of "
                                     f"{pretrainings(found, 'curves')} pre-trainings, and their range. The last point has all rows."), found)  # fmt: skip


def point(task, x, series, values):
    return {"task": task, "x": x, "series": series, "mean": statistics.mean(values), "low": min(values), "high": max(values)}


def lines(values, x, columns, head, found):
    """A panel for each task, with a line for each series. None if there is no value."""
    not_counted = {findings.task_of(one["task"]) for one in found["comparisons"] if one["verdict"] == "not counted"}
    x, panels = {"field": "x", "type": "quantitative"} | x, []
    series = sorted(dict.fromkeys(one["series"] for one in values), key=lambda name: name == TRIVIAL)  # which comes last, in grey
    colours = ["@faint" if name == TRIVIAL else colour for name, colour in zip(series, ("@blue", "@orange", "@green", "@purple", "@red"))]
    colour = {"field": "series", "type": "nominal", "title": None, "scale": {"domain": series, "range": colours},
              "legend": LEGEND | {"columns": 3}}  # fmt: skip
    for task in dict.fromkeys(one["task"] for one in values):
        y = {"field": "mean", "type": "quantitative", "scale": {"zero": False, "padding": 6}, "title": "nats" if task == findings.LOSS else "accuracy, %"}
        panels.append({"title": names.measure(task) + " (not counted)" * (task in not_counted), "width": 720 // columns - 10, "height": 170, "data": {"values": [one for one in values if one["task"] == task]}, "layer": [
            {"mark": "rule", "encoding": {"x": x, "y": y | {"field": "low"}, "y2": {"field": "high"}, "color": colour}},
            {"mark": {"type": "line", "point": True}, "encoding": {"x": x, "y": y, "color": colour}},
        ]})  # fmt: skip
    return {"title": head, "concat": panels, "columns": columns, "spacing": 24, "resolve": {"scale": {"color": "shared"}}} if panels else None


def long_texts(rows, found):
    values = [one | {"way": names.arm(one["way"])} for one in found["ways"]]
    if not values:
        return None
    order = [one["way"] for one in values]
    y = {"field": "way", "type": "nominal", "title": None, "scale": {"domain": order}, "axis": {"ticks": False, "domain": False, "labelLimit": 300}}
    x = {"field": "accuracy", "type": "quantitative", "title": "accuracy, %", "scale": {"zero": False, "nice": True}}
    accuracy = {"width": 360, "height": {"step": 26}, "data": {"values": values}, "layer": [
        {"mark": {"type": "rule", "strokeWidth": 2}, "encoding": {"y": y, "x": x | {"field": "low"}, "x2": {"field": "high"}, "color": reader("MiniLM")}},
        {"mark": {"type": "point", "size": 60, "filled": True}, "encoding": {"y": y, "x": x, "color": reader("MiniLM")}},
        {"mark": {"type": "tick", "size": 14, "thickness": 3}, "encoding": {"y": y, "x": x | {"field": "bag_of_words"}, "color": reader("a bag of words")}},
    ]}  # fmt: skip
    cost = {"width": 220, "height": {"step": 26}, "data": {"values": values}, "layer": [
        {"mark": {"type": "bar", "color": "@sky", "height": {"band": 0.6}},
         "encoding": {"y": y | {"axis": None}, "x": {"field": "tokens", "type": "quantitative", "title": "tokens read of a text, mean"}}},
    ]}  # fmt: skip
    return {"title": title("How to read a review that is too long?", f"{len(rows.answers):,} reviews, each tested by a model that has not seen it.",
                           "Intervals of 95 % over texts; a bag of words has the same tokens."), "hconcat": [accuracy, cost], "spacing": 24}  # fmt: skip


def reader(name):
    """The colour of who reads, for the legend."""
    return {"datum": name, "type": "nominal", "title": None, "legend": LEGEND, "scale": {"domain": ["MiniLM", "a bag of words"], "range": ["@blue", "@orange"]}}
