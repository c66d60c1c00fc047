#!/usr/bin/env python3
"""Makes a finished run's last checkpoint a model to ship: weights in 16 bits, the recipe, the curve.

  models/ship_run.py RUN -o models/NAME

The checkpoint is the last one, not that of the lowest validation loss: nothing is chosen by the texts it is measured on.
"""

import argparse
import json
import pathlib
import shutil
import sys

import numpy as np
import safetensors.numpy

KEPT = ("vocab.txt", "tokenizer.json", "tokenizer_config.json")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    run = json.loads((options.run / "run.json").read_text())
    metrics = [json.loads(line) for line in (options.run / "metrics.jsonl").read_text().splitlines()]
    if metrics[-1]["step"] != run["options"]["steps"]:
        sys.exit(f"[{options.run}] expected a finished run of {run['options']['steps']} steps, got one at step {metrics[-1]['step']}")
    last = options.run / "last"
    options.output.mkdir(parents=True, exist_ok=True)

    weights = safetensors.numpy.load_file(last / "model.safetensors")
    halves = {name: tensor.astype(np.float16) for name, tensor in weights.items()}
    for name, tensor in halves.items():
        if not np.isfinite(tensor).all():
            sys.exit(f"[{name}] expected numbers that 16 bits hold, got some beyond")
    safetensors.numpy.save_file(halves, options.output / "model.safetensors", metadata={"format": "pt"})
    (options.output / "model.safetensors").chmod(0o644)
    config = json.loads((last / "config.json").read_text())
    config["dtype"] = "float16"
    (options.output / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    for name in KEPT:
        shutil.copy(last / name, options.output / name)

    about = {key: run["about"][key] for key in ("summand", "libtorch", "instruction_set", "threads", "device")}
    recipe = {"options": run["options"], "texts": [pathlib.Path(text).name for text in run["about"]["texts"]],
              "valid": [pathlib.Path(text).name for text in run["about"]["valid"]], "hashes": run["data"],
              "model": run["model"], "about": about}
    (options.output / "recipe.json").write_text(json.dumps(recipe, indent=1) + "\n")
    shutil.copy(options.run / "metrics.jsonl", options.output / "metrics.jsonl")
    shutil.copy(options.run / "curves.svg", options.output / "curves.svg")


if __name__ == "__main__":
    main()
