"""The printed tables: medians of the rounds."""

import statistics

from servers.workload import RANKED

KINDS = {"short": "Queries of about 10 tokens", "passages": "Passages of about 150 tokens",
         "rerank": f"One query and {RANKED} passages to rank"}  # fmt: skip


def heading(results):
    return [f"{results['machine']['kind']}, {results['threads']} threads, medians of {results['rounds']} rounds in turns, "
            f"{results['date']}, load before {results['load_before']:.1f}"]  # fmt: skip


def overhead(found):
    def microseconds(whole, *parts):
        return f"{1e3 * (found[whole] - sum(found[part] for part in parts)):.0f} µs"

    own = ("X-Inference-Time", "X-Tokenization-Time", "X-Queue-Time")
    return ["", f"A word, one request at a time: {found['whole_ms']:.3f} ms, of them {found['X-Inference-Time']:.3f} ms of the engine.",
            f"The server's own time: {microseconds('whole_ms', 'X-Inference-Time')} (target: below 100): tokens "
            f"{microseconds('X-Tokenization-Time')}, queue {microseconds('X-Queue-Time')}, the rest up to the answer's header "
            f"{microseconds('X-Total-Time', *own)}, connection and client {microseconds('whole_ms', 'X-Total-Time')}.",
            f"A request without work (/health): {microseconds('health_ms')}."]  # fmt: skip


def median(results, key):
    return statistics.median(result[key] for result in results)


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def lost(results, keys):
    """A mark for answers that did not come, or came with another status than 200."""
    return "*" if any(result[key] for result in results for key in keys) else ""


def row(cells):
    return "| " + " | ".join(cells) + " |"


def closed_cells(results):
    if not any(result["requests"] for result in results):
        yield from ("no answer", "")
        return
    yield number(median(results, "rate")) + lost(results, ("refused", "broken"))
    yield f"{number(median(results, 'p50_ms'))} / {number(median(results, 'p99_ms'))}"


def open_cell(results):
    share = sum(result["unanswered"] for result in results) / sum(result["requests"] for result in results)
    latency = f"{number(median(results, 'p50_ms'))} / {number(median(results, 'p99_ms'))}"
    return (f"≥ {latency}, {share:.0%} unanswered" if share else latency) + lost(results, ("refused",))


def range_of_shares(loops):
    shares = [result["generator_share"] for server in loops.values() for results in server.values() for result in results]
    return f"{min(shares):.1%} to {max(shares):.1%}"


def of_kind(kind, found):
    closed, opened = found["closed"], found["open"]
    connections = list(next(iter(closed.values())))
    yield from ("", f"**{KINDS[kind]}**, closed loop: requests per second, and latency p50 / p99 in ms", "")
    yield row(["", *(f"{n} connection{'s' if n > 1 else ''} | ms" for n in connections)])
    yield "|---" * (1 + 2 * len(connections)) + "|"
    for name, loops in closed.items():
        yield row([name, *(cell for results in loops.values() for cell in closed_cells(results))])
    loads = list(next(iter(opened["servers"].values())))
    best = number(opened["best_rate"])
    yield from ("", f"Open loop: latency from the scheduled arrival, p50 / p99 in ms; 100 % is {best} requests per second", "")
    yield row(["", *(f"{load:.0%}" for load in loads)])
    yield "|---" * (1 + len(loads)) + "|"
    for name, loops in opened["servers"].items():
        yield row([name, *map(open_cell, loops.values())])
    yield ""
    shares = range_of_shares(closed), range_of_shares(opened["servers"])
    yield f"The load generators took {shares[0]} of all processors in closed loops, {shares[1]} in open ones."
    every = [result for loops in (*closed.values(), *opened["servers"].values()) for results in loops.values() for result in results]
    if lost(every, ("refused",)) or any(result.get("broken") for result in every):
        yield "\\* Some requests were refused or broken off; rates count the others."
