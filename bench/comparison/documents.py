"""The documents' tables in Markdown, from what the files of docs/performance hold, and their places in the documents."""

import re

from comparison.contestants import OURS
from comparison.table import LATENCY, three_digits
from comparison.targets import at_the_limit, best_rival, our_seconds, share_of_limit

# A document's table lies between these lines.
BEGIN, END = "<!-- {}, written by bench/tables.py -->", "<!-- end of {} -->"


# What a Chinese document calls the kinds of work; absent elsewhere, where they keep their names.
CHINESE_WORKS = {"short": "短句", "medium": "中等", "sentences": "句子", "paragraphs": "段落"}


def reached(model, work, seconds):
    """The time of a single text, the rate of several: thousand tokens per second."""
    if work in LATENCY:
        return f"**{three_digits(1000 * seconds)} ms**"
    return f"**{three_digits(model['works'][work]['tokens'] / seconds / 1000)}**"


def short_speed_cell(model, precision, work):
    """What this engine reaches, and times as fast as the best rival."""
    seconds, why = our_seconds(model, precision, work)
    if why:
        return why
    best = best_rival(model, precision, work)
    return reached(model, work, seconds) + (f", {best[1] / seconds:.2f} ×" if best else "")


def speed_cell(model, precision, work):
    """What this engine reaches, times as fast as the best rival, share of the limit."""
    seconds, why = our_seconds(model, precision, work)
    if why:
        return why
    parts = [reached(model, work, seconds)]
    if best := best_rival(model, precision, work):
        name, theirs = best
        parts.append(f"{theirs / seconds:.2f} × {name}")
    if share := share_of_limit(model, precision, work, seconds):
        parts.append(f"{100 * share:.0f} %")
    return " · ".join(parts)


def speed_table(results, language="en", cell=speed_cell):
    """One row for each model and kind of work, one column for each precision."""
    precisions = next(iter(results["models"].values()))["precisions"]
    yield "| | " + " | ".join(precisions) + " |"
    yield "|---" * (1 + len(precisions)) + "|"
    for name, model in results["models"].items():
        for work in model["works"]:
            cells = [cell(model, precision, work) for precision in precisions]
            row = f"{name}，{CHINESE_WORKS[work]}" if language == "zh" else f"{name}, {work}"
            yield f"| {row} | " + " | ".join(cells) + " |"


def short_speed_table(results, language="en"):
    """The same with short cells."""
    yield from speed_table(results, language, short_speed_cell)


def possible(results, record):
    """Times as fast as the best rival if the matrix products were everything, for a promise of that kind; else empty."""
    when, _, what = record["what"].partition(": ")
    model = results["models"].get(record["model"])
    if model is None or not what.startswith("times as fast"):
        return ""
    times = at_the_limit(model, record["precision"], when.removesuffix(", later"))
    return f"{times:.2f}" if times else ""


def target_table(results, _language="en"):
    """One row for each promise."""
    yield "| | precision | promise | measured | at the limit | verdict |"
    yield "|---|---|---|---|---|---|"
    for record in results["targets"]:
        measured = "" if record["measured"] is None else f"{record['measured']:.4g}"
        if record["verdict"] == "missed" and measured == f"{record['bound']:.4g}":
            measured = f"{record['measured']:.6g}"  # what misses by less than four digits show
        bound = f"{'≥' if record['at_least'] else '≤'} {record['bound']:.4g} {record['unit']}".strip()
        verdict = record["verdict"] if record["verdict"] != "missed" else "**missed**"
        verdict += f": {record['reason']}" if record["reason"] else ""
        limit = possible(results, record)
        yield f"| {record['model']} | {record['precision']} | {record['what']}, {bound} | {measured} | {limit} | {verdict} |"


def quality_table(results, _language="en"):
    """Everybody's vectors below fp32 compared with PyTorch's in fp32."""
    yield "| | | mean cosine | worst | Spearman of pairs |"
    yield "|---|---|---|---|---|"
    for name, model in results["models"].items():
        for entry in model["contestants"]:
            quality = entry.get("quality")
            if quality and entry["precision"] != "fp32":
                numbers = f"{quality['mean']:.5f} | {quality['worst']:.4f} | {quality['spearman']:.5f}"
                yield f"| {name} | {entry['name']} {entry['precision']} | {numbers} |"


def rivals(results):
    """Name and version of each that ran."""
    versions = {}
    for model in results["models"].values():
        for entry in model["contestants"]:
            if entry["name"] != OURS and not entry["absent"]:
                versions[entry["name"]] = entry["version"]
    return [f"{name} {version}" for name, version in versions.items()]


def short_conditions(results, language="en"):
    """Processor, threads, date and rivals, in two sentences."""
    kind, threads, rounds, date = results["machine"]["kind"], results["threads"], results["rounds"], results["date"]
    if language == "zh":
        return f"{kind}，{threads} 个线程，{date}；{rounds} 轮的中位数。对手：{'、'.join(rivals(results))}。"
    return f"{kind}, {threads} threads, {date}; medians of {rounds} rounds. Rivals: {', '.join(rivals(results))}."


def conditions(results, language="en"):
    """On what kind of processor, where and how it was measured, and compared with whom, in one paragraph."""
    machine, others = results["machine"], rivals(results)
    kernel = machine["kernel"].split("-")[0]
    if language == "zh":
        return (
            f"**{machine['kind']}，{results['date']}。**{machine['processor']}（{'、'.join(machine['flags'])}），"
            f"{results['threads']} 个线程，{machine['memory_gb']} GB 内存，Linux {kernel}；"
            f"{results['rounds']} 轮的中位数，同场的有 {'、'.join(others)}。"
        )
    return (
        f"**{machine['kind']}, {results['date']}.** {machine['processor']} ({', '.join(machine['flags'])}), "
        f"{results['threads']} threads, {machine['memory_gb']} GB, Linux {kernel}; "
        f"medians of {results['rounds']} rounds, compared with {', '.join(others)}."
    )


BLOCKS = {"speed": speed_table, "speed in short": short_speed_table, "targets": target_table, "quality": quality_table}


def block_lines(table, runs, language):
    """The table of every kind of processor that was measured, each behind its conditions; in short, of the newest run."""
    if table is short_speed_table:
        yield from [short_conditions(runs[0], language), "", *table(runs[0], language)]
        return
    for results in runs:
        yield conditions(results, language)
        yield ""
        yield from table(results, language)
        if results is not runs[-1]:
            yield ""


def renewed(document, runs, language="en"):
    """The document's text with its blocks as the runs have them, in English or Chinese ("zh").

    @param runs  the results of each kind of processor, the newest first
    @raises ValueError where a block does not end
    """
    for name, table in BLOCKS.items():
        begin, end = BEGIN.format(name), END.format(name)
        if begin not in document:
            continue
        if end not in document:
            raise ValueError(f"'{begin}' without '{end}'")
        block = "\n".join([begin, *block_lines(table, runs, language), end])
        pattern = re.escape(begin) + ".*?" + re.escape(end)
        document, times = re.subn(pattern, lambda _, block=block: block, document, flags=re.DOTALL)
        if times != 1:
            raise ValueError(f"'{begin}' and its end: expected once, the one before the other")
    return document
