"""Tables of the study for docs/findings.md, in Markdown, from verdicts.json. Beside long texts stands what the laboratory measured without training (Q10)."""

import json
import pathlib

import study_numbers

from downstream import findings, names

MINILM = pathlib.Path(__file__).resolve().parents[2] / "docs" / "reports" / "1-all-MiniLM-L6-v2" / "results.json"
HEADS = {
    "en": {"arm": "less the sum", "mask_rate": "less 15 %", "curves": "labelled rows", "all": "all", "way": "way", "accuracy": "accuracy, %", "bag": "bag of words, %", "tokens": "tokens of a text",
           "difference": "less the first, points", "untrained": "sentences that find their document, %", "nats": ", nats", "points": ", points",
           "itself": ", itself: nats, %", "trivial": "best trivial predictor, %"},
    "zh": {"arm": "与相加之差", "mask_rate": "与 15% 之差", "curves": "有标注的行数", "all": "全部", "way": "读法", "accuracy": "准确率，%", "bag": "词袋，%", "tokens": "每篇词元数",
           "difference": "与第一种之差，百分点", "untrained": "找到自己文档的句子，%", "nats": "，nat", "points": "，百分点",
           "itself": "本身：nat，%", "trivial": "最好的平凡预测，%"},
}  # fmt: skip


def written(name, plan, found, language):
    """@param name  a block of the plan, `long_texts`, or `without_training`"""
    if name == "long_texts":
        return of_ways(plan, found, language)
    if name == "without_training":
        return without_training(language)
    comparisons = [one for one in found["comparisons"] if one["family"].split(", ")[0] == name]
    if "rivals" in plan["blocks"][name]:
        return of_curves(name, plan, comparisons, language)
    return of_arms(name, plan, comparisons, language, absolute(name, plan, found, language))


def absolute(name, plan, found, language):
    """{line: {measure: text}}: what the first arm reached, and what the best trivial predictor does."""
    first, heads = plan["blocks"][name]["arms"][0], HEADS[language]
    reached = {one["task"]: study_numbers.number(one["mean"], study_numbers.DIGITS[one["measure"]])
               for one in found["means"] if (one["block"], one["arm"]) == (name, first)}  # fmt: skip
    trivial = {one["task"]: study_numbers.number(one["mean"], 1) for one in found["baselines"]}
    return {names.arm(first, language) + heads["itself"]: reached, heads["trivial"]: trivial}


def of_arms(name, plan, comparisons, language, lines):
    """A line for each arm, a column for each measure. @param lines  that come first"""
    first, columns = plan["blocks"][name]["arms"][0], {}
    for one in comparisons:
        columns[one["task"]] = names.measure(one["task"], language) + HEADS[language][one["measure"]]
        label = names.arm(one["arm"], language) + (f" − {names.arm(one['against'], language)}" if one["against"] != first else "")
        lines.setdefault(label, {})[one["task"]] = cell(one, language)
    head = HEADS[language]["arm" if name == "parts" else name]
    return table([head, *columns.values()], [[label, *(cells.get(task, "") for task in columns)] for label, cells in lines.items()])


def of_curves(name, plan, comparisons, language):
    """A line for each task, a column for each number of labelled rows."""
    lines = {}
    for one in comparisons:
        task = findings.task_of(one["task"])
        label = f"{names.measure(task, language)}: {names.arm(one['arm'], language)} − {names.arm(one['against'], language)}"
        lines.setdefault(label, []).append(cell(one, language))
    sizes = [f"{examples:,}" if examples else HEADS[language]["all"] for examples in plan["blocks"][name]["examples"]]
    return table([HEADS[language]["curves"], *sizes], [[label, *cells] for label, cells in lines.items()])


def of_ways(plan, found, language):
    heads, lines = HEADS[language], []
    first = next(iter(plan["long_texts"]["ways"]))
    less_first = {one["arm"]: cell(one, language) for one in found["comparisons"] if (one["family"], one["against"]) == ("long texts", first)}
    for one in found["ways"]:
        accuracy = with_interval(one["accuracy"], one["low"], one["high"])
        lines.append([names.way(plan, one["way"], language), accuracy, less_first.get(one["way"], ""), f"{one['bag_of_words']:.1f}", f"{one['tokens']:,.0f}"])
    return table([heads[name] for name in ("way", "accuracy", "difference", "bag", "tokens")], lines)


def without_training(language):
    """Of each way that the laboratory has, how often a sentence finds its document, from MiniLM's report."""
    claims = json.loads(MINILM.read_text(encoding="utf-8"))["claims"]
    numbers = next(claim for claim in claims if claim["id"] == "Q10")["numbers"]
    return table([HEADS[language]["way"], HEADS[language]["untrained"]],
                 [[name, with_interval(*(100 * value for value in (numbers[f"found_{treatment}"]["value"], *numbers[f"found_{treatment}"]["interval"])))] for treatment, name in names.TREATMENTS[language].items()])  # fmt: skip


def with_interval(value, low, high):
    return f"{value:.1f} [{low:.1f}, {high:.1f}]"


def cell(comparison, language):
    """Mean and interval. Bold: hurts or helps. With ≈: equivalent. In parentheses: not counted."""
    text = study_numbers.difference(comparison, language)
    return {"hurts": f"**{text}**", "helps": f"**{text}**", "equivalent": f"≈ {text}", "not counted": f"({text})"}.get(comparison["verdict"], text)


def table(heads, lines):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *lines])
