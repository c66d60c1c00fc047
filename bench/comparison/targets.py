"""What was promised, and whether a run shows it: met, missed, or not shown.

Works on the results as they stand in docs/performance, so that a test can plant any figures.
"""

import dataclasses

from comparison.contestants import OURS, RIVALS
from comparison.quality import WRONG_BELOW

MET, MISSED, NOT_SHOWN = "met", "missed", "not shown"

# Times as fast as the best rival of the same precision.
SPEED = {
    "fp32": {"sentences": 1.2, "paragraphs": 1.2, "medium": 1.2, "short": 1 / 0.7},
    "bf16": {"sentences": 1.8, "paragraphs": 1.8, "medium": 1.5},
    "int8": {"sentences": 2.2, "paragraphs": 2.2, "medium": 1.5, "short": 1 / 0.6},
}
# Promised later, when rivals' best settings were known: where the limit itself forbids that many times, a share of it.
LATER_SPEED = {"fp32": 1.15, "bf16": 1.3, "int8": 1.5}
LATER_SHORT = 1.6
LATER_SHARE = 0.90
# And of the time that is not the products', in MiniLM.
LATER_LIMIT = {
    "fp32": {"sentences": 0.88, "paragraphs": 0.88, "medium": 0.85, "short": 0.60},
    "int8": {"sentences": 0.80, "paragraphs": 0.75, "medium": 0.70, "short": 0.60},
}
# Share of the speed of the products alone.
LIMIT = {"fp32": 0.80, "bf16": 0.75, "int8": 0.60}
LIMIT_WORKS = ("sentences", "paragraphs")
# bert-base's short text in fp32 is bound by memory: times that its weights take to be read once.
READ_ONCE = 1.15
QUALITY = {"mean": 0.998, "worst": 0.990, "spearman": 0.998}
START_SECONDS = {"MiniLM": {"fp32": 0.120, "bf16": 0.120, "int8": 0.120}, "bert-base": {"fp32": 0.250}}
MEMORY_BESIDE_WEIGHTS = 80e6
LONG_RATIO = 1.6
TOKENIZER = {"English": 30, "Chinese": 20}


@dataclasses.dataclass(frozen=True)
class Target:
    """One promise. `bound` and `measured` are in `unit`; at_least says which side of the bound is good."""

    model: str
    precision: str
    what: str
    bound: float
    measured: float | None
    unit: str = "times"
    at_least: bool = True
    reason: str = ""  # why it is not shown

    @property
    def verdict(self):
        if self.reason or self.measured is None:
            return NOT_SHOWN
        return MET if (self.measured >= self.bound) == self.at_least or self.measured == self.bound else MISSED

    def record(self):
        return dataclasses.asdict(self) | {"verdict": self.verdict}


def contestants_of(model, precision):
    return {entry["name"]: entry for entry in model["contestants"] if entry["precision"] == precision}


def why_not_counted(entry):
    """Why a rival is no rival in this run, or an empty text."""
    if entry is None:
        return "did not take part"
    if entry["absent"]:
        return f"could not run: {entry['absent']}"
    quality = entry.get("quality")
    if quality and quality["mean"] < WRONG_BELOW:
        return f"gives other vectors: mean cosine {quality['mean']:.2f}"
    return ""


def missing_rivals(model, precision):
    """Sentences, one for each rival that should have run and did not."""
    there = contestants_of(model, precision)
    return [f"{name} {why}" for name in RIVALS[precision] if (why := why_not_counted(there.get(name)))]


def best_rival(model, precision, work):
    """Name and seconds of the fastest that counts, or None."""
    rivals = contestants_of(model, precision)
    rivals.pop(OURS, None)
    timed = [
        (entry["works"][work]["seconds"], name)
        for name, entry in rivals.items()
        if work in entry["works"] and not why_not_counted(entry)
    ]
    return (min(timed)[1], min(timed)[0]) if timed else None


def our_seconds(model, precision, work):
    """Seconds, or None; and why not."""
    entry = contestants_of(model, precision).get(OURS)
    if entry is None or entry["absent"]:
        return None, f"{OURS} {entry['absent'] if entry else 'did not take part'}"
    measured = entry["works"].get(work)
    return (measured["seconds"], "") if measured else (None, "was not measured")


def times_as_fast(model, precision, work):
    """Best rival's time over ours, or None."""
    ours, _ = our_seconds(model, precision, work)
    best = best_rival(model, precision, work)
    return best[1] / ours if ours and best else None


def share_of_limit(model, precision, work, seconds):
    """Seconds at the limit over seconds taken, or None."""
    limit = model["limit_seconds"].get(precision, {}).get(work)
    return limit / seconds if limit and seconds else None


def speed_targets(name, model):
    for precision, bounds in SPEED.items():
        if precision not in model["precisions"]:
            continue
        for work, bound in bounds.items():
            if work not in model["works"] or reads_weights_once(name, precision, work):
                continue
            _, why = our_seconds(model, precision, work)
            reason = why or "; ".join(missing_rivals(model, precision))
            measured = times_as_fast(model, precision, work)
            yield Target(name, precision, f"{work}: times as fast as the best rival", bound, measured, reason=reason)


def at_the_limit(model, precision, work):
    """Times as fast as the best rival if the matrix products were everything, or None."""
    best, limit = best_rival(model, precision, work), model["limit_seconds"].get(precision, {}).get(work)
    return best[1] / limit if best and limit else None


def later_targets(name, model):
    for precision, usual in LATER_SPEED.items():
        for work in model["works"] if precision in model["precisions"] else ():
            bound = LATER_SHORT if work == "short" else usual
            seconds, why = our_seconds(model, precision, work)
            reason, possible = why or "; ".join(missing_rivals(model, precision)), at_the_limit(model, precision, work)
            if possible is not None and possible < bound:
                share = share_of_limit(model, precision, work, seconds)
                what = f"{work}, later: share of the limit, which {bound} times the best rival would pass"
                yield Target(name, precision, what, 100 * LATER_SHARE, share and 100 * share, "%", reason=reason)
            else:
                what = f"{work}, later: times as fast as the best rival"
                yield Target(name, precision, what, bound, times_as_fast(model, precision, work), reason=reason)
    if name != "MiniLM":
        return
    for precision, bounds in LATER_LIMIT.items():
        for work, bound in bounds.items():
            if precision in model["precisions"] and work in model["works"]:
                seconds, why = our_seconds(model, precision, work)
                share = share_of_limit(model, precision, work, seconds)
                yield Target(name, precision, f"{work}, later: share of the limit", 100 * bound, share and 100 * share, "%", reason=why)


def reading_targets(name, model):
    """One short text against reading its weights once, which no engine can do without."""
    whole = model["packed_bytes"].get("fp32")
    for precision, packed in model["packed_bytes"].items():
        if reads_weights_once(name, precision, "short") or "short" not in model["works"] or not whole or not model["read_seconds"]:
            continue
        seconds, why = our_seconds(model, precision, "short")
        times = seconds / (model["read_seconds"] * packed / whole) if seconds else None
        yield Target(name, precision, "short, later: times to read its weights once", READ_ONCE, times, at_least=False, reason=why)


def reads_weights_once(name, precision, work):
    return name == "bert-base" and (precision, work) == ("fp32", "short")


def limit_targets(name, model):
    for precision, bound in LIMIT.items():
        for work in LIMIT_WORKS:
            if precision not in model["precisions"] or work not in model["works"]:
                continue
            seconds, why = our_seconds(model, precision, work)
            share = share_of_limit(model, precision, work, seconds)
            what = f"{work}: share of the products' speed"
            yield Target(name, precision, what, 100 * bound, share and 100 * share, "%", reason=why)
    if name == "bert-base" and "fp32" in model["precisions"] and "short" in model["works"]:
        seconds, why = our_seconds(model, "fp32", "short")
        times = seconds / model["read_seconds"] if seconds and model["read_seconds"] else None
        yield Target(name, "fp32", "short: times to read its weights once", READ_ONCE, times, at_least=False, reason=why)


def quality_targets(name, model):
    entry = contestants_of(model, "int8").get(OURS)
    checked = any(one["quality"] for one in model["contestants"])
    if name != "MiniLM" or "int8" not in model["precisions"] or not checked:
        return
    _, why = our_seconds(model, "int8", "")
    quality = (entry or {}).get("quality")
    for what, bound in QUALITY.items():
        reason = "" if quality else why
        yield Target(name, "int8", f"vectors against fp32: {what}", bound, quality and quality[what], "", reason=reason)


def process_targets(name, model):
    for precision, seconds in model["start_seconds"].items():
        bound = START_SECONDS[name].get(precision)
        if bound:
            what = "process start to first vector"
            yield Target(name, precision, what, 1000 * bound, 1000 * seconds, "ms", at_least=False)
    for precision, peak in model["peak_bytes"].items():
        bound = (model["packed_bytes"][precision] + MEMORY_BESIDE_WEIGHTS) / 1e6
        yield Target(name, precision, "peak memory, packed weights + 80 MB", bound, peak / 1e6, "MB", at_least=False)
    for precision, per_token in model["long"].items():
        ratio = per_token["512"] / per_token["128"]
        yield Target(name, precision, "time per token, 512 tokens over 128", LONG_RATIO, ratio, at_least=False)


def model_targets(name, model):
    """Every target that a model's results speak about."""
    makers = (speed_targets, limit_targets, later_targets, reading_targets, quality_targets, process_targets)
    return [target.record() for maker in makers for target in maker(name, model)]


def tokenizer_targets(rows):
    """@param rows  tokenizer_speed.py's: texts, and how many times as fast"""
    for row in rows:
        bound = TOKENIZER[row["texts"].split(",")[0]]
        yield Target("tokenizer", "", f"{row['texts']}: times encode_batch_fast", bound, row["ratio"]).record()
