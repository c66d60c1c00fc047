"""What the benchmarks of training share: processes one after the other, with their speed and memory; a rival's steps; tables."""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "build" / "bin" / "summand"
PRECISIONS = ("fp32", "bf16")


def arguments(description, texts):
    """The command line. @param texts: the name of the file in ../shared/data that --texts is without"""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--texts", type=pathlib.Path, default=ROOT.parent / "shared" / "data" / texts)
    parser.add_argument("--only", default=",".join(PRECISIONS), help="precisions")
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)  # a rival, in a process of its own
    parser.add_argument("--rivals", help="their names, separated by semicolons; without it, all")
    options = parser.parse_args()
    options.only = [precision for precision in PRECISIONS if precision in options.only.split(",")]
    return options


def finished(command):
    """Runs a program to its end. @return (what it printed, the most memory it had, in MB)"""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([*map(str, command)], stdout=out, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        for file in (out, errors):
            file.seek(0)
        if process.returncode != 0:
            raise RuntimeError((errors.read().strip().splitlines() or ["failed"])[-1])
        return out.read(), usage.ru_maxrss / 1024


def in_own_process(name, *words):
    """Calls this benchmark with --one and the words; says what stopped it.
    @return (tokens per second, the most memory it had, in MB)"""
    try:
        out, peak = finished([sys.executable, sys.argv[0], "--one", *words])
    except RuntimeError as fault:
        print(f"  {name}: {fault}")
        return float("nan"), float("nan")
    return float(out), peak


def training_lines(run):
    """The lines of training in metrics.jsonl. The first ends where warming up ends."""
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line for line in lines if "train" in line]


def own_speed(run):
    """@return tokens per second after warming up, without validations and checkpoints"""
    warm, *lines = training_lines(run)
    return (lines[-1]["tokens"] - warm["tokens"]) / sum(line["seconds"] for line in lines)


def trained(model, loss_of, batches, warm, learning_rate):
    """A rival's steps: AdamW, a gradient of norm 1 at most.
    @param loss_of: a batch's loss
    @param batches: of each step (batch, tokens)
    @param warm: steps that do not count
    @return tokens per second"""
    import torch

    decaying = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimiser = torch.optim.AdamW([{"params": decaying, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}],
                                  lr=learning_rate, fused=True)
    count, begin = 0, None
    for step, (batch, tokens) in enumerate(batches):
        if step == warm:
            count, begin = 0, time.perf_counter()
        loss = loss_of(batch)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        count += tokens
    return count / (time.perf_counter() - begin)


def take_turns(options, own, rivals, rival):
    """Everybody once a round, and a table for each precision.
    @param own: of a precision (tokens per second, the most memory, in MB)
    @param rivals: names
    @param rival: the same of a name and a precision"""
    if options.rivals:
        rivals = [name for name in rivals if name in options.rivals.split(";")]
    for precision in options.only:
        found = {"summand": [], **{name: [] for name in rivals}}
        for _ in range(options.rounds):
            found["summand"].append(own(precision))
            for name in rivals:
                found[name].append(rival(name, precision))
        medians = {key: [statistics.median(column) for column in zip(*values)] for key, values in found.items()}
        print(f"\n{precision}, {options.threads} threads, medians of {options.rounds} rounds in turns\n")
        print("| | tokens per second | summand is | memory, MB |\n|---|---|---|---|")
        for key, (speed, peak) in medians.items():
            print(f"| {key} | {speed:.0f} | {medians['summand'][0] / speed:.2f} times as fast | {peak:.0f} |", flush=True)
