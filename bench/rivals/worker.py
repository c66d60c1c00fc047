"""A rival's process: loads variants when they are first asked for, and answers rounds on standard input.

    python -m rivals.worker FAMILY MODEL PRECISION THREADS PREPARED

One JSON object per line. {"texts": FILE.jsonl, "settings": {…}, "repetitions": n, "vectors": FILE.npy or null} is
answered by {"seconds": [one per repetition]}; {"forget": [variant, …]} by {}; what fails, by {"error": one line}. The
first line, unasked, is {"variants": […], "version": "…"}. PREPARED is a folder for what is made once of the model.
"""

import ctypes
import gc
import importlib
import json
import os
import pathlib
import sys
import warnings

import numpy as np

from rivals.batches import BatchedRival, Settings, fast_tokenizer

FAMILIES = {
    "PyTorch": "pytorch",
    "sentence-transformers": "sentence_transformers",
    "ONNX Runtime": "onnx_runtime",
    "OpenVINO": "openvino",
    "CTranslate2": "ctranslate2",
}


def private_answers():
    """The driver's end of standard output; whatever a library prints goes to standard error."""
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)
    return answers


class Worker:
    def __init__(self, family, place):
        self.family, self.place = family, place
        self.loaded, self.texts = {}, {}

    def read(self, path):
        if path not in self.texts:
            self.texts[path] = [json.loads(line)["text"] for line in pathlib.Path(path).read_text().splitlines()]
        return self.texts[path]

    def rival(self, settings):
        key = settings.variant, settings.max_length
        if key not in self.loaded:
            runner = self.family.load(self.place, settings.variant)
            if not hasattr(runner, "embed"):
                runner = BatchedRival(runner, fast_tokenizer(self.place.model, settings.max_length))
            self.loaded[key] = runner
        return self.loaded[key]

    def answer(self, request):
        if "forget" in request:
            self.loaded = {key: value for key, value in self.loaded.items() if key[0] not in request["forget"]}
            give_back_memory()
            return {}
        texts, settings = self.read(request["texts"]), Settings(**request["settings"])
        rival = self.rival(settings)
        seconds = []
        for _ in range(request["repetitions"]):
            vectors, took = rival.vectors(texts, settings)
            seconds.append(took)
        if request["vectors"]:
            np.save(request["vectors"], vectors)
        return {"seconds": seconds}


class Place:
    """What a family needs to know: the model's directory, the precision, threads, and a folder for prepared files."""

    def __init__(self, model, precision, threads, prepared):
        self.model, self.precision = pathlib.Path(model), precision
        self.threads, self.prepared = int(threads), pathlib.Path(prepared)
        self.prepared.mkdir(parents=True, exist_ok=True)
        self.config = json.loads((self.model / "config.json").read_text())
        self.normalize = (self.model / "modules.json").exists()


def give_back_memory():
    """To the system, so that all rivals together fit: by itself glibc keeps what was freed, as it was told to."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def one_line(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:300]


def main():
    warnings.simplefilter("ignore")
    answers = private_answers()
    try:
        family = importlib.import_module(f"rivals.{FAMILIES[sys.argv[1]]}")
        place = Place(*sys.argv[2:])
        worker = Worker(family, place)
        print(json.dumps({"variants": family.variants(place), "version": family.version()}), file=answers)
    except Exception as error:
        print(json.dumps({"error": one_line(error)}), file=answers)
        return 1
    for line in sys.stdin:
        try:
            answer = worker.answer(json.loads(line))
        except Exception as error:
            answer = {"error": one_line(error)}
        print(json.dumps(answer), file=answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
