#!/usr/bin/env python3
"""What a token of MiniLM costs this engine, by the text's length and by the number of heads, as two Markdown tables.

    .venv-bench/bin/python bench/length_and_heads.py [--build DIR] [--rounds N] [--threads N]

Attention's products are 4·n·d operations per token and layer however many heads share the width d; the softmax is one
exponential per head and pair of tokens. Numbers of heads are MiniLM's weights read with another `num_attention_heads`:
the vectors mean nothing then, and take the same arithmetic. All take turns; medians are printed.
"""

import argparse
import json
import os
import pathlib
import statistics
import tempfile

import work
from comparison import machine
from comparison.contestants import PRECISIONS, default_settings
from comparison.conversation import Conversation
from comparison.prepared_models import minilm

ROOT = pathlib.Path(__file__).resolve().parents[1]
LENGTHS = (16, 32, 64, 128, 256, 512)
HEADS = (1, 2, 4, 6, 12, 24, 48)
HEADS_LENGTH = 256
TOKENS = 8192  # of one repetition
MILLION = 1e6


def with_heads(heads, folder):
    """MiniLM's directory with another number of heads."""
    directory = folder / f"heads-{heads}"
    directory.mkdir()
    for file in minilm().iterdir():
        if file.name != "config.json":
            (directory / file.name).symlink_to(file)
    config = json.loads((minilm() / "config.json").read_text())
    (directory / "config.json").write_text(json.dumps(config | {"num_attention_heads": heads}))
    return directory


def text_files(folder):
    """Length to a file of texts that are cut there."""
    source, _ = work.lines()
    count, files = work.TokenCounter(), {}
    for tokens in LENGTHS:
        texts = work.long_texts(source, tokens, TOKENS // tokens, count)
        files[tokens] = folder / f"{tokens}.jsonl"
        files[tokens].write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return files


class Curve:
    """Microseconds per token of one column at each of its rows."""

    def __init__(self, conversations, files):
        self.conversations, self.files = conversations, files  # row to conversation, row to length
        self.seconds = {row: [] for row in conversations}

    def round(self, paths):
        for row, conversation in self.conversations.items():
            tokens = self.files[row]
            question = {"texts": str(paths[tokens]), "settings": default_settings() | {"max_length": tokens}}
            self.seconds[row] += conversation.ask(question | {"repetitions": 1, "vectors": None})["seconds"]

    def cell(self, row):
        return f"{statistics.median(self.seconds[row]) / TOKENS * MILLION:.1f}"


def print_table(first, rows, curves):
    print(f"| {first} | " + " | ".join(f"{precision}, µs a token" for precision in curves) + " |")
    print("|---" * (1 + len(curves)) + "|")
    for row in rows:
        print(f"| {row} | " + " | ".join(curve.cell(row) for curve in curves.values()) + " |")
    print()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    os.sched_setaffinity(0, machine.cores(options.threads))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        paths, directories = text_files(folder), {heads: with_heads(heads, folder) for heads in HEADS}

        def engine(directory, precision):
            command = [options.build.resolve() / "bin" / "bench_embedding", directory, precision, options.threads]
            return Conversation(command, folder, {}, folder / "log.txt")

        by_length, by_heads, started = {}, {}, []
        for precision in PRECISIONS:
            engines = {heads: engine(directories[heads], precision) for heads in HEADS}
            started += engines.values()
            by_length[precision] = Curve({tokens: engines[12] for tokens in LENGTHS}, {n: n for n in LENGTHS})
            by_heads[precision] = Curve(engines, dict.fromkeys(HEADS, HEADS_LENGTH))
        for number in range(options.rounds + 1):
            for curve in (*by_length.values(), *by_heads.values()):
                curve.round(paths)
                if number == 0:  # warms up
                    curve.seconds = {row: [] for row in curve.seconds}
        for conversation in started:
            conversation.close()
    print_table("tokens of a text", LENGTHS, by_length)
    print_table(f"heads, texts of {HEADS_LENGTH} tokens", HEADS, by_heads)


if __name__ == "__main__":
    main()
