"""index.html of the study: figures, tables of all comparisons, and how to read them."""

import html
import statistics

import study_numbers

from downstream import figures, findings, names

STYLE = """
:root { --paper: #fff; --ink: #16181c; --soft: #5c626e; --line: #e4e4e4; }
body { margin: 0 auto; padding: 24px 16px 64px; max-width: 1080px; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
h1 { font-size: 26px; line-height: 1.2; margin: 8px 0 4px; } h2 { font-size: 19px; margin: 40px 0 8px; }
p { max-width: 46em; } .soft { color: var(--soft); }
figure { margin: 20px 0; overflow-x: auto; } figure svg { height: auto; max-width: 100%; min-width: 640px; }
.wide { overflow-x: auto; } table { border-spacing: 0; font-size: 14px; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 14px 4px 0; text-align: left; vertical-align: top; white-space: nowrap; } th { font-weight: 400; color: var(--soft); }
tr + tr > * { border-top: 1px solid var(--line); } td.number { text-align: right; }
.hurts { color: #c64f00; } .helps { color: #008a63; } .equivalent { color: #0072b2; } .inconclusive, .not-counted { color: var(--soft); } small { font-size: 12px; }
"""
HEADS = {"parts": "What each part is worth", "mask_rate": "How many tokens to mask", "curves": "Does a better composition save labels?", "afterwards": "Asked when the rows were known",
         "long texts": "Long texts"}
# What is on the page of each block, above its comparisons.
FIGURES = {"parts": "parts.svg", "mask_rate": "mask-rates.svg", "curves": "learning-curves.svg", "long texts": "long-texts.svg"}


def written(plan, rows, found, drawn):
    """@param drawn  {file: SVG}"""
    body = [f"<h1>{escaped(plan.json['question'])}</h1>", *lead(plan, rows, found)]
    for block, head in HEADS.items():
        of_block = [one for one in found["comparisons"] if one["family"].split(", ")[0] == block]
        if not of_block:
            continue
        body.append(f"<h2>{head}</h2>")
        if FIGURES.get(block) in drawn:
            body.append(f"<figure>{drawn[FIGURES[block]]}</figure>")
        if block == "parts":
            body += [f"<p>What the arms reached, mean of {figures.pretrainings(found, 'parts')} pre-trainings:</p>", means_table(found, "parts")]
        if block == "long texts":
            body.append(ways_table(plan, found))
        body += ["<p>Differences, with intervals of 95 %:</p>", (matrix if block in ("parts", "mask_rate") else comparisons_table)(of_block)]
    body += [f"<h2>How to read it</h2>{''.join(f'<p>{text}</p>' for text in reading(plan))}"]
    return ('<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
            f"<title>{escaped(plan.json['question'])}</title><style>{STYLE}</style></head><body>\n" + "\n".join(body) + "\n</body></html>\n")  # fmt: skip


def lead(plan, rows, found):
    losses = [row for row in rows.pretraining if row["arm"] == "sum"]
    if not losses:
        return ["<p>Nothing is finished.</p>"]
    text = [f"{found['runs']:,} of {found['planned']:,} planned runs are finished. Each model has {plan.json['model']['num_hidden_layers']} layers, is "
            f"{plan.json['model']['hidden_size']} wide, and read {statistics.mean(row['tokens'] for row in losses) / 1e6:.1f} million tokens of English. The plain sum "
            f"reached {statistics.mean(row['masked_loss'] for row in losses):.2f} nats per masked token. To cite it: summand's version, the study "
            f"<i>{found['study']}</i>, plan {found['plan']}."]  # fmt: skip
    means = {one["task"]: one["mean"] for one in found["means"] if (one["block"], one["arm"]) == ("parts", "sum")}
    for one in found["baselines"]:
        if one["task"] in means:
            score = means[one["task"]]
            text.append(f"On {names.measure(one['task'])} ({one['rows']:,} test rows) it has {score:.1f} %, {'above' if score > one['mean'] else 'not above'} the best baseline, {one['name']} "
                        f"with {one['mean']:.1f} %.")  # fmt: skip
    return [f"<p>{' '.join(text)}</p>"]


def means_table(found, block):
    its = [one for one in found["means"] if one["block"] == block]
    tasks, arms = list(dict.fromkeys(one["task"] for one in its)), list(dict.fromkeys(one["arm"] for one in its))
    by = {(one["task"], one["arm"]): one["mean"] for one in its}
    lines = [row("th", "", *(f"{names.measure(task)}, {'nats' if task == findings.LOSS else '%'}" for task in tasks))]
    for arm in arms:
        cells = (f"{by[task, arm]:.{3 if task == findings.LOSS else 1}f}" if (task, arm) in by else "" for task in tasks)
        lines.append(f"<tr><th>{escaped(names.arm(arm))}</th>{''.join(f'<td class=number>{cell}</td>' for cell in cells)}</tr>")
    return table(lines)


def ways_table(plan, found):
    lines = [row("th", "way", "accuracy, %", "95 %", "bag of words, %", "tokens read of a text")]
    for one in found["ways"]:
        lines.append(row("td", plan.json["long_texts"]["names"][one["way"]], f"{one['accuracy']:.1f}", f"{one['low']:.1f} to {one['high']:.1f}",
                         f"{one['bag_of_words']:.1f}", f"{one['tokens']:,.0f}"))  # fmt: skip
    return table(lines)


def comparisons_table(comparisons):
    lines = [row("th", "", "difference", "95 %", "above 0", "margin", "")]
    for one in comparisons:
        digits = 3 if one["measure"] == "nats" else 2
        low, high = one["interval"]
        lines.append(f'<tr><th>{escaped(names.measure(one["task"]))}: {escaped(names.arm(one["arm"]))} − {escaped(names.arm(one["against"]))}</th><td class=number>{signed(one["mean"], digits)} {one["measure"]}</td>'
                     f'<td>[{signed(low, digits)}, {signed(high, digits)}]</td><td>{one["above_zero"]} of {one["pairs"]}</td><td>{one["margin"]:g}</td>'
                     f'<td class="{one["verdict"].replace(" ", "-")}">{figures.WORDS[one["verdict"]]}</td></tr>')  # fmt: skip
    return table(lines)


def matrix(comparisons):
    """A row for each pair of arms, a column for each measure; the colour is the verdict's."""
    tasks = list(dict.fromkeys(f'{names.measure(one["task"])}, {one["measure"]}' for one in comparisons))
    rows = {}
    for one in comparisons:
        rows.setdefault(f'{names.arm(one["arm"])} − {names.arm(one["against"])}', {})[f'{names.measure(one["task"])}, {one["measure"]}'] = cell(one)
    lines = [row("th", "", *tasks)]
    for name, cells in rows.items():
        lines.append(f"<tr><th>{escaped(name)}</th>{''.join(cells.get(task, '<td></td>') for task in tasks)}</tr>")
    return table(lines)


def cell(comparison):
    digits = 3 if comparison["measure"] == "nats" else 2
    low, high = comparison["interval"]
    return (f'<td class="{comparison["verdict"].replace(" ", "-")}" title="{figures.WORDS[comparison["verdict"]]}, {comparison["above_zero"]} of {comparison["pairs"]} above 0">'
            f'{signed(comparison["mean"], digits)}<br><small>[{signed(low, digits)}, {signed(high, digits)}]</small></td>')  # fmt: skip


def reading(plan):
    margins = plan.json["margins"]
    return [
        "<b>A difference</b> is a score of one arm less that of another, in points of accuracy, or a masked-language loss in nats on texts of which 15 % "
        "are masked. Arms of a seed start with the same numbers where they have the same parameters, and see the same texts and masks.",
        "<b>The unit is the seed of pre-training.</b> A model's score is the mean over its fine-tunings, whose seeds draw the head, the order and the rows "
        "for validation. Two arms are compared seed by seed, and the interval is that of Student's paired t. It covers other seeds of "
        "pre-training alone: other test rows, other texts or larger models may differ by more.",
        f"<span class=equivalent>within the margin</span>: the interval lies within {margins['points']:g} points, or {margins['nats']:g} nats; there may be a difference, but a small one. "
        "<span class=hurts>worse</span>, <span class=helps>better</span>: a difference is found, by Holm's method over the comparisons of one measure in one block, "
        "that of the redrawn sum left out; those asked for when the rows were known are taken together. "
        "<span class=inconclusive>cannot be told</span>: neither. The intervals themselves are not corrected.",
        "<b>redrawn</b> is the plain sum with other initial values. It is judged by its own interval: if that excluded zero, chance alone would make such differences, "
        "and the other arms of that task would not be counted. Nor is a task counted where the sum is not above the most common label.",
        "<b>disjoint dimensions</b> cannot share their token table with the decoder, so they are compared with a sum that does not share it, either.",
        "<b>Long texts</b> are compared text by text: each was labelled by models that had not seen it.",
    ]  # fmt: skip


def signed(value, digits):
    return study_numbers.number(value, digits, "+")


def row(kind, *cells):
    return f"<tr>{''.join(f'<{kind}>{escaped(cell)}</{kind}>' for cell in cells)}</tr>"


def table(lines):
    return f'<div class="wide"><table>{"".join(lines)}</table></div>'


def escaped(text):
    return html.escape(str(text))
