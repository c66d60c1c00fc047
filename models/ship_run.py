#!/usr/bin/env python3
"""Makes a finished run's last checkpoint a model to ship: weights in 16 bits, the recipe, the curve and its numbers (of a long run not
every line); of sentence vectors also sentence-transformers' files.

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
MOST_LINES = 700  # of metrics.jsonl, besides those of validations
OF_SENTENCE_VECTORS = ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json")


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

    def names(key):
        given = run["about"].get(key, [])
        return [pathlib.Path(text).name for text in ([given] if isinstance(given, str) else given)]

    files = {"texts": names("texts") or names("train"), "valid": names("valid")}
    begun_with = {"begun_with": names("model")[0]} if names("model") else {}
    return {"options": run["options"], **files, **begun_with, "hashes": run["data"], "model": run["model"], "about": about}


def thinned(lines):
    """The lines of a run's metrics: all validations, and so many evenly spaced ones of training, the last too."""
    validations = {number for number, line in enumerate(lines) if "valid" in json.loads(line)}
    training = [number for number in range(len(lines)) if number not in validations]
    every = -(-len(training) // MOST_LINES)
    kept = validations | set(training[::-1][::every])
    return [line for number, line in enumerate(lines) if number in kept]


def write_weights(weights, path):
    halves = {name: tensor.astype(np.float16) for name, tensor in safetensors.numpy.load_file(weights).items()}
    for name, tensor in halves.items():
        if not np.isfinite(tensor).all():
            sys.exit(f"[{name}] expected numbers that 16 bits hold, got some beyond")
    safetensors.numpy.save_file(halves, path, metadata={"format": "pt"})
    path.chmod(0o644)


def ship_modules(last, output):
    """sentence-transformers' files, if there are any. @return the folders of its modules"""
    if not (last / OF_SENTENCE_VECTORS[0]).exists():
        return []
    for name in OF_SENTENCE_VECTORS:
        shutil.copy(last / name, output / name)
    folders = [module["path"] for module in json.loads((last / OF_SENTENCE_VECTORS[0]).read_text()) if module["path"]]
    for folder in folders:
        (output / folder).mkdir(exist_ok=True)
        for file in (last / folder).iterdir():
            if file.suffix == ".safetensors":
                write_weights(file, output / folder / file.name)
            else:
                shutil.copy(file, output / folder / file.name)
    return folders


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("-o", "--output", type=pathlib.Path, required=True)
    options = parser.parse_args()
    run = finished(options.run)
    last = options.run / "last"
    options.output.mkdir(parents=True, exist_ok=True)
    write_weights(last / "model.safetensors", options.output / "model.safetensors")
    config = json.loads((last / "config.json").read_text())
    modules = ship_modules(last, options.output)
    config["dtype"] = "float32" if modules else "float16"  # a Dense module computes in the former alone
    (options.output / "config.json").write_text(json.dumps(config, indent=2) + "\n")
    for name in KEPT:
        shutil.copy(last / name, options.output / name)
    (options.output / "recipe.json").write_text(json.dumps(recipe(run), indent=1) + "\n")
    lines = (options.run / "metrics.jsonl").read_text().splitlines()
    (options.output / "metrics.jsonl").write_text("".join(line + "\n" for line in thinned(lines)))
    shutil.copy(options.run / "curves.svg", options.output / "curves.svg")


if __name__ == "__main__":
    main()
