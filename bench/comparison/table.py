"""The results as a table in the terminal."""

from comparison.contestants import OURS
from comparison.targets import MET, MISSED, missing_rivals, share_of_limit, times_as_fast, why_not_counted

LATENCY = ("short", "medium")
COLOURS = {MET: "\033[32m", MISSED: "\033[31m"}


def three_digits(number):
    """9.43, 29.9, 112"""
    return f"{number:#.3g}".rstrip(".") if number < 1000 else f"{number:.0f}"


def how(entry, work):
    """The settings that were the best, in words."""
    if entry["name"] == OURS:
        return ""
    settings = entry["works"][work]["settings"]
    if work in LATENCY:
        return settings["variant"]
    return f"{settings['variant']}, {settings['batch']} at a time{'' if settings['order'] == 'sorted' else ', as given'}"


def row(model, entry, work):
    measured = entry["works"][work]
    seconds, share = measured["seconds"], share_of_limit(model, entry["precision"], work, measured["seconds"])
    rate = model["works"][work]["tokens"] / seconds / 1000
    cells = [f"{entry['name']} {entry['version']}", f"{1000 * seconds:.2f}" if work in LATENCY else f"{rate:.2f}"]
    cells += [f"{100 * measured['spread']:.0f} %", f"{100 * share:.0f} %" if share else "", how(entry, work)]
    return "    {:31} {:>8} {:>7} {:>8}   {}".format(*cells).rstrip()


def work_lines(model, work):
    unit = "ms" if work in LATENCY else "kT/s"
    yield f"  {work}: {model['works'][work]['texts']}"
    for precision in model["precisions"]:
        entries = [one for one in model["contestants"] if one["precision"] == precision and work in one["works"]]
        entries.sort(key=lambda one: one["works"][work]["seconds"])
        yield f"    {precision:31} {unit:>8} {'spread':>7} {'of limit':>8}   best settings"
        yield from (row(model, entry, work) for entry in entries)
        ratio = times_as_fast(model, precision, work)
        if ratio:
            yield f"    {OURS} is {ratio:.2f} times as fast as the best rival"
        yield ""


def quality_lines(model):
    """Every contestant below fp32, and whoever gives other vectors."""
    entries = [one for one in model["contestants"] if one.get("quality") and one["precision"] != "fp32"]
    if entries:
        yield f"  {'vectors against PyTorch fp32':33} {'mean cosine':>11} {'worst':>8} {'Spearman of pairs':>18}"
        for entry in entries:
            quality, name = entry["quality"], f"{entry['name']} {entry['precision']}"
            yield f"    {name:31} {quality['mean']:11.5f} {quality['worst']:8.4f} {quality['spearman']:18.5f}"
        yield ""


def limit_lines(name, model):
    for precision, ways in model["gflops"].items():
        yield f"  products alone, {precision}, GFLOP/s: " + "; ".join(f"{way} {rate:.0f}" for way, rate in ways.items())
    if model["read_seconds"] and name == "bert-base":
        yield f"  the products' fp32 weights are read once in {1000 * model['read_seconds']:.1f} ms"
    yield ""


def absent_lines(model):
    for precision in model["precisions"]:
        for sentence in missing_rivals(model, precision):
            yield f"  {precision}: {sentence}"
    for entry in model["contestants"]:
        if entry["name"] == OURS and (why := why_not_counted(entry)):
            yield f"  {entry['precision']}: {OURS} {why}"


def target_line(record, colour):
    measured = "" if record["measured"] is None else f"{record['measured']:.4g}"
    bound = f"{'>=' if record['at_least'] else '<='} {record['bound']:.4g} {record['unit']}"
    verdict = f"{record['verdict']}: {record['reason']}" if record["reason"] else record["verdict"]
    line = f"  {record['model']:9} {record['precision']:5} {record['what']:45} {measured:>8}  {bound:14} {verdict}"
    return f"{COLOURS.get(record['verdict'], '')}{line}\033[0m" if colour else line


def lines(results, colour=False):
    """The whole table, line by line. @param results  what a file of docs/performance holds"""
    machine = results["machine"]
    processor = f"{machine['processor']}, {', '.join(machine['flags'])}"
    yield f"{processor}; {results['threads']} threads; medians of {results['rounds']} rounds"
    for name, model in results["models"].items():
        yield from ["", f"{name}", ""]
        for work in model["works"]:
            yield from work_lines(model, work)
        yield from quality_lines(model)
        yield from limit_lines(name, model)
        yield from absent_lines(model)
    if results["tokenizer"]:
        yield from ["", "tokenizer"]
        for each in results["tokenizer"]:
            rates = f"{each['summand_mb_s']:.1f} MB/s, encode_batch_fast {each['tokenizers_mb_s']:.2f}"
            if "encode_batch_mb_s" in each:
                rates += f", encode_batch {each['encode_batch_mb_s']:.2f}"
            yield f"  {each['texts']:18} {rates}: {each['ratio']:.1f} times as fast"
    yield from ["", "Targets"]
    yield from (target_line(record, colour) for record in results["targets"])
