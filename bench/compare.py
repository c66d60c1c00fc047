#!/usr/bin/env python3
"""summand beside every rival at its best setting, in one run, taking turns; what `make bench` runs.

Prints medians, ratios to the best rival of the same precision, shares of the limit, and which targets are met. A whole
run writes docs/performance/KIND.json and docs/figures/performance-KIND.svg, KIND being the kind of processor; one that was
narrowed by an option, the same under build/bench. tables.py brings it into the documents.
"""

import argparse
import datetime
import json
import os
import pathlib
import subprocess
import sys
import time

import work
from comparison import figure, machine, table, targets
from comparison.contestants import PRECISIONS, RIVALS, Surroundings
from comparison.model_run import ModelRun
from comparison.prepared_models import NAMES, directory_of

ROOT = pathlib.Path(__file__).resolve().parents[1]
EVERY_RIVAL = tuple(dict.fromkeys(name for names in RIVALS.values() for name in names))
# Of two cores of a Zen 4 server: searching and the rest for each model, then every round.
MINUTES = {"MiniLM": (7, 1.0), "bert-base": (13, 1.5)}
BUSY_LOAD = 0.5


def typed(name):
    """As it is typed: "ONNX Runtime" is onnx-runtime."""
    return name.lower().replace(" ", "-")


def some_of(known):
    """An argparse type: a comma-separated list of known names."""
    names = {typed(name): name for name in known}

    def read(value):
        words = [typed(word) for word in value.split(",")]
        if unknown := [word for word in words if word not in names]:
            raise argparse.ArgumentTypeError(f"expected some of {','.join(names)}, got {','.join(unknown)}")
        return [name for word, name in names.items() if word in words]

    return read


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", metavar="DIR")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--threads", type=int, default=2, metavar="N")
    for option, known in (("models", NAMES), ("only", PRECISIONS), ("work", work.KINDS), ("rivals", EVERY_RIVAL)):
        parser.add_argument(f"--{option}", type=some_of(known), default=list(known), metavar="A,B",
                            help=f"of {', '.join(map(typed, known))}")
    options = parser.parse_args()
    # What is no comparison of speed is measured unless somebody narrows the run to some work or some rivals.
    options.whole = len(options.work) == len(work.KINDS) and len(options.rivals) == len(EVERY_RIVAL)
    options.published = options.whole and len(options.models) == len(NAMES) and len(options.only) == len(PRECISIONS)
    return options


class Progress:
    """What is going on, on standard error, with the minutes gone."""

    def __init__(self):
        self.begin = time.monotonic()

    def __call__(self, what):
        minutes, seconds = divmod(int(time.monotonic() - self.begin), 60)
        print(f"[{minutes:2}:{seconds:02}] {what}", file=sys.stderr, flush=True)


def measure_model(name, options, say):
    folder = options.build / "bench" / name
    (folder / "prepared").mkdir(parents=True, exist_ok=True)
    directory = directory_of(name, options.build / "bench")
    around = Surroundings(directory, options.build, folder, options.threads)
    result = ModelRun(name, around, options, say).run()
    # Kept should a later model fail.
    (folder / "result.json").write_text(json.dumps(result, indent=1) + "\n")
    return result


def measure_tokenizer(options, say):
    say("tokenizer")
    command = [sys.executable, ROOT / "bench" / "tokenizer_speed.py", "--json", "--build", options.build]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return [json.loads(line) for line in answer.stdout.splitlines()]


def write(results, options):
    folder = ROOT / "docs" if options.published else options.build / "bench"
    kind = results["machine"]["kind"].lower().replace(" ", "-")
    path, drawing = folder / "performance" / f"{kind}.json", folder / "figures" / f"performance-{kind}.svg"
    path.parent.mkdir(parents=True, exist_ok=True)
    drawing.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1) + "\n")
    drawing.write_text(figure.svg(results))
    return path, drawing


def main():
    options = parse()
    options.build = options.build.resolve()
    os.sched_setaffinity(0, machine.cores(options.threads))
    say, load = Progress(), os.getloadavg()[0]
    minutes = sum(once + options.rounds * each for once, each in (MINUTES[name] for name in options.models))
    minutes *= len(options.only) / len(PRECISIONS) * len(options.work) / len(work.KINDS)
    say(f"about {minutes:.0f} minutes on two cores; some more the first time, when models are converted")
    if load > BUSY_LOAD:
        say(f"other programs run here (load {load:.1f}): the figures will not be worth much")
    models = {name: measure_model(name, options, say) for name in options.models}
    tokenizer = measure_tokenizer(options, say) if options.whole else []
    records = [record for name, model in models.items() for record in targets.model_targets(name, model)]
    results = {
        "date": datetime.date.today().isoformat(), "machine": machine.describe(), "load_before": load,
        "threads": options.threads, "rounds": options.rounds, "texts": work.lines()[1],
        "models": models, "tokenizer": tokenizer, "targets": records + list(targets.tokenizer_targets(tokenizer)),
    }  # fmt: skip
    print("\n".join(table.lines(results, sys.stdout.isatty())))
    print("\nwritten: " + ", ".join(map(str, write(results, options))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
