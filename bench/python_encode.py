#!/usr/bin/env python3
"""`summand.Encoder.encode` of many sentences beside the program `summand embed` and beside what people of Python use, in turns.

    .venv-bench-python/bin/python bench/python_encode.py [--rounds 3] [--threads 2] [--texts 20000] [--only "summand;fastembed"]

all-MiniLM-L6-v2 in fp32; each turn is a process of its own. Counted are the call, from a list of str to a NumPy array, after one of
64 texts, and the whole process with its loading. sentence-transformers and fastembed have the batch size that was fastest over a
twentieth of the texts, found in the same run; the graph for ONNX is exported once, plain and as optimum's O3.
"""

import argparse
import json
import os
import pathlib
import random
import statistics
import sys
import tempfile
import time

from comparison import machine
from comparison.prepared_models import minilm
from many_texts import DATA, sentences
from training_turns import PROGRAM, ROOT, finished

BATCHES = (8, 16, 32, 64, 128)
WARM = 64  # texts
SEARCHED = 20  # one text in so many
COSINE = 0.9999  # to the program's vectors, at least
OWN, PROGRAM_NAME = "summand", "summand embed"


def library_sentence_transformers(model, threads, **options):
    import torch
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(threads)
    encoder = SentenceTransformer(str(model), device="cpu", **options)
    return lambda texts, batch: encoder.encode(texts, batch_size=batch, show_progress_bar=False)


def library_onnx(model, threads, prepared, name):
    options = {"file_name": f"onnx/{name}.onnx", "provider": "CPUExecutionProvider"}
    return library_sentence_transformers(prepared / "onnx", threads, backend="onnx", model_kwargs=options)


def library_openvino(model, threads, prepared):
    options = {"ov_config": {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads}}
    return library_sentence_transformers(prepared / "openvino", threads, backend="openvino", model_kwargs=options)


def library_fastembed(model, threads, prepared, name):
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    TextEmbedding.add_custom_model(model="MiniLM", pooling=PoolingType.MEAN, normalization=True, sources=ModelSource(hf="MiniLM"), dim=384,
                                   model_file=f"onnx/{name}.onnx")  # fmt: skip
    encoder = TextEmbedding("MiniLM", specific_model_path=str(prepared / "onnx"), threads=threads)

    def encode(texts, batch):
        import numpy as np

        return np.stack(list(encoder.embed(texts, batch_size=batch)))

    return encode


def library_summand(model, threads, prepared):
    sys.path.insert(0, str(ROOT / "build" / "python"))
    import summand

    encoder = summand.Encoder(model, precision="fp32", threads=threads)
    return lambda texts, batch: encoder.encode(texts, show_progress_bar=False)


# Of a name: what loads it from the model, the threads and the folder of prepared graphs.
LIBRARIES = {
    OWN: library_summand,
    "sentence-transformers, torch": lambda model, threads, prepared: library_sentence_transformers(model, threads),
    "sentence-transformers, ONNX": lambda *where: library_onnx(*where, "model"),
    "sentence-transformers, ONNX O3": lambda *where: library_onnx(*where, "model_O3"),
    "sentence-transformers, OpenVINO": library_openvino,
    "fastembed": lambda *where: library_fastembed(*where, "model"),
    "fastembed, O3": lambda *where: library_fastembed(*where, "model_O3"),
}


def prepare(model, prepared):
    """The graphs that sentence-transformers exports, once."""
    from sentence_transformers import SentenceTransformer, export_optimized_onnx_model

    if not (prepared / "done").exists():
        onnx = SentenceTransformer(str(model), backend="onnx", model_kwargs={"export": True})
        onnx.save_pretrained(str(prepared / "onnx"))
        export_optimized_onnx_model(onnx, "O3", str(prepared / "onnx"))
        told = prepared / "onnx" / "tokenizer_config.json"  # where fastembed looks how long a text may be; the others know
        told.write_text(json.dumps(json.loads(told.read_text()) | {"max_length": onnx.max_seq_length, "model_max_length": onnx.max_seq_length}))
        SentenceTransformer(str(model), backend="openvino", model_kwargs={"export": True}).save_pretrained(str(prepared / "openvino"))
        (prepared / "done").touch()


def one(name, folder, threads):
    """A library's process. Prints {"call": seconds} or, without a batch size, {"batch": the fastest}."""
    import numpy as np

    given = json.loads((folder / "turn.json").read_text())
    texts = (folder / "texts.txt").read_text().splitlines()
    encode = LIBRARIES[name](minilm(), threads, pathlib.Path(given["prepared"]))
    encode(texts[:WARM], BATCHES[0])

    def seconds(some, batch):
        begin = time.perf_counter()
        vectors = encode(some, batch)
        return time.perf_counter() - begin, vectors

    if given["batch"] is None:
        tried = {batch: seconds(texts[::SEARCHED], batch)[0] for batch in BATCHES}
        print(json.dumps({"batch": min(tried, key=tried.get), "tried": tried}))
        return
    took, vectors = seconds(texts, given["batch"])
    np.save(folder / "vectors.npy", vectors)
    print(json.dumps({"call": took}))


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        self.prepared = ROOT / "build" / "bench" / "python"
        self.prepared.mkdir(parents=True, exist_ok=True)
        every = list(dict.fromkeys(sentences(DATA)))
        random.Random(1).shuffle(every)
        (folder / "texts.txt").write_text("".join(text + "\n" for text in every[: options.texts]))

    def library(self, name, batch):
        (self.folder / "turn.json").write_text(json.dumps({"prepared": str(self.prepared), "batch": batch}))
        begin = time.perf_counter()
        out, _ = finished([sys.executable, __file__, "--one", name, self.folder, "--threads", self.options.threads])
        return json.loads(out.splitlines()[-1]) | {"whole": time.perf_counter() - begin}

    def program(self):
        command = [PROGRAM, "embed", "--model", minilm(), self.folder / "texts.txt", "-o", self.folder / "program.npy", "--overwrite",
                   "--precision", "fp32", "--threads", self.options.threads]  # fmt: skip
        begin = time.perf_counter()
        finished(command)
        return {"whole": time.perf_counter() - begin}

    def judge(self, name):
        """Stops unless summand has the program's bits; says so if another's vectors are not nearly the same."""
        import numpy as np

        expected, found = (np.load(self.folder / f"{which}.npy") for which in ("program", "vectors"))
        if name == OWN and expected.tobytes() != found.tobytes():
            raise SystemExit("python_encode.py: summand's vectors are not the program's bits")
        cosine = np.min(np.sum(expected * found, axis=1) / np.linalg.norm(expected, axis=1) / np.linalg.norm(found, axis=1))
        if cosine < COSINE:
            print(f"  {name}: NOT THE SAME VECTORS, cosine {cosine:.5f}", flush=True)


def compare(options, folder):
    run = Run(options, folder)
    prepare(minilm(), run.prepared)
    batches = {name: 0 if name == OWN else run.library(name, None)["batch"] for name in options.only}
    print("fastest batch sizes:", ", ".join(f"{name}: {batch}" for name, batch in batches.items() if batch), flush=True)
    turns = {PROGRAM_NAME: [], **{name: [] for name in batches}}
    for _ in range(options.rounds):
        turns[PROGRAM_NAME].append(run.program())
        for name, batch in batches.items():
            turns[name].append(run.library(name, batch))
            run.judge(name)
            print(f"  {name}: {turns[name][-1]}", file=sys.stderr, flush=True)
    write_table(options, turns)


def write_table(options, turns):
    def median(name, key):
        return statistics.median(turn[key] for turn in turns[name])

    print(f"\n{machine.describe()['kind']}, {options.texts} sentences, fp32, {options.threads} threads, medians of {options.rounds} rounds in turns\n")
    print("| | the call, s | texts per second | summand is | with loading, s |\n|---|---|---|---|---|")
    for name in turns:
        if name == PROGRAM_NAME:
            print(f"| `{name}` | | | | {median(name, 'whole'):.1f} |")
            continue
        call = median(name, "call")
        ratio = "" if name == OWN or OWN not in turns else f"{call / median(OWN, 'call'):.2f} times as fast"
        print(f"| {name} | {call:.1f} | {options.texts / call:.0f} | {ratio} | {median(name, 'whole'):.1f} |")
    if OWN in turns:
        ratios = [mine["whole"] / program["whole"] for mine, program in zip(turns[OWN], turns[PROGRAM_NAME])]
        print(f"\nencode with loading takes {statistics.median(ratios):.3f} times the program's time")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--texts", type=int, default=20_000)
    parser.add_argument("--only", default=";".join(LIBRARIES), help="names, separated by semicolons")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)  # a library, in a process of its own
    options = parser.parse_args()
    options.only = [name for name in LIBRARIES if name in options.only.split(";")]
    if options.one:
        one(options.one[0], pathlib.Path(options.one[1]), options.threads)
        return
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "true"}
    os.sched_setaffinity(0, machine.cores(options.threads))
    with tempfile.TemporaryDirectory() as folder:
        compare(options, pathlib.Path(folder))


if __name__ == "__main__":
    main()
