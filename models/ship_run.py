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


def finished(folder):
    """A run's description. Ends the program where the run has not come to its end."""
    run = json.loads((folder / "run.json").read_text())
    step = json.loads((folder / "metrics.jsonl").read_text().splitlines()[-1])["step"]
    if step != run["options"]["steps"]:
        sys.exit(f"[{folder}] expected a finished run of {run['options']['steps']} steps, got one at step {step}")
    return run


def recipe(run):
    """What decides a run's numbers, and what it ran on; without places on somebody's disk."""
    about = {key: run["about"][key] for key in ("summand", "libtorch", "instruction_set", "device")}
    return {"options": run["options"], "texts": [pathlib.Path(text).name for text in run["about"]["texts"]],
            "valid": [pathlib.Path(text).name for text in run["about"]["valid"]], "hashes": run["data"], "model": run["model"], "about": about}


def write_weights(checkpoint, path):
    halves = {name: tensor.astype(np.float16) for name, tensor in safetensors.numpy.load_file(checkpoint / "model.safetensors").items()}
    for name, tensor in halves.items():
        if not np.isfinite(tensor).all():
            sys.exit(f"[{name}] expected numbers that 16 bits hold, got some beyond")
    safetensors.numpy.save_file(halves, path, metadata={"format": "pt"})
    path.chmod(0o644)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    run = finished(options.run)
    last = options.run / "last"
    options.output.mkdir(parents=True, exist_ok=True)
    write_weights(last, options.output / "model.safetensors")
    config = json.loads((last / "config.json").read_text())
    config["dtype"] = "float16"
    (options.output / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    for name in KEPT:
        shutil.copy(last / name, options.output / name)
    (options.output / "recipe.json").write_text(json.dumps(recipe(run), indent=1) + "\n")
    for name in ("metrics.jsonl", "curves.svg"):
        shutil.copy(options.run / name, options.output / name)


if __name__ == "__main__":
    main()
