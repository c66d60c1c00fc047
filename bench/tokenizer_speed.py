#!/usr/bin/env python3
"""Megabytes per second of this tokenizer and of `tokenizers` as programs call them, in one run.

    python bench/tokenizer_speed.py [--build DIR] [--rounds N] [--threads N] [--data DIR]

A list of texts goes in, all their encodings come out: here summand::Tokenizer::encode_all, which is what Model::tokenize_all
does too, there `encode_batch`, and beside it `encode_batch_fast`, which makes ids but no offsets. Both sides have the same
processors and as many threads. They take turns; medians are printed. Texts: lines of ../shared/data where that folder is there.
"""

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
DATA = ROOT.parent / "shared" / "data"
ENGLISH = ["The tower was built in 1889 and, despite many objections, it has stood there ever since.",
           "She asked whether the unaffable clerk would re-open the window; he didn't answer.",
           "Interest rates rose by 0.25 percent on Tuesday, the third increase since January."] * 1500
CHINESE = ["今天北京天气晴朗，最高气温二十五度，适合外出活动。", "央行宣布下调存款准备金率0.5个百分点，释放长期资金约1万亿元。",
           "研究人员发现了一种新的语言模型训练方法，效果显著提升。"] * 1500


def english(data):
    path = data / "english_valid.txt"
    return [line for line in path.read_text().splitlines() if line] if path.exists() else ENGLISH


def chinese(data):
    path = data / "headlines_zh_valid.jsonl"
    return [json.loads(line)["text"] for line in path.read_text().splitlines()] if path.exists() else CHINESE


def reference_tokenizer(vocabulary, lowercase):
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.WordPiece.from_file(str(vocabulary), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(["[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]"])
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]"))
    )
    return tokenizer


class Ours:
    """The running bench_tokenizer; one round per call."""

    def __init__(self, command, texts, directory):
        """@param command  bench_tokenizer with its arguments, TEXTS left out before the last"""
        path = pathlib.Path(directory) / "texts.jsonl"
        path.write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
        command = [*command[:-1], path, command[-1]]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def seconds(self):
        print(file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit("bench_tokenizer ended early")
        return float(answer.split()[0])

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def seconds_of(encode, texts):
    start = time.perf_counter()
    encodings = encode(texts)
    seconds = time.perf_counter() - start
    del encodings  # outside of the time, as on the other side
    return seconds


def measure(name, texts, lowercase, arguments):
    """Median seconds of encode_all, encode_batch and encode_batch_fast."""
    vocabulary = ROOT / "tests" / "data" / "vocab" / f"bert-base-{name}.txt"
    reference = reference_tokenizer(vocabulary, lowercase)
    command = [arguments.build / "bin" / "bench_tokenizer", vocabulary, str(lowercase).lower(), str(arguments.threads)]
    with tempfile.TemporaryDirectory() as directory:
        ours = Ours(command, texts, directory)
        times = {"ours": [], "batch": [], "fast": []}
        ours.seconds()
        for _ in range(arguments.rounds):
            for key, encode in (("batch", reference.encode_batch), ("fast", reference.encode_batch_fast)):
                # The reference's round is long: between two of them this program gets several, all of which count.
                times["ours"] += [ours.seconds() for _ in range(5)]
                times[key].append(seconds_of(encode, texts))
        ours.close()
    return [statistics.median(seconds) for seconds in times.values()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", action="store_true", help="one JSON object per row instead of a table")
    parser.add_argument("--data", type=pathlib.Path, default=DATA)
    cores = sorted(os.sched_getaffinity(0))
    parser.add_argument("--threads", type=int, default=len(cores), help="of either side; by default all there are")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, cores[-arguments.threads :])
    os.environ |= {"RAYON_NUM_THREADS": str(arguments.threads), "TOKENIZERS_PARALLELISM": "true"}
    if not arguments.json:
        print(f"| texts, {arguments.threads} threads | MB | encode_all MB/s | encode_batch MB/s | ratio | encode_batch_fast MB/s | ratio |")
        print("|---|---|---|---|---|---|---|")
    for label, name, texts, lowercase in (
        ("English, uncased", "uncased", english(arguments.data), True),
        ("English, cased", "cased", english(arguments.data), False),
        ("Chinese", "chinese", chinese(arguments.data), True),
    ):
        size = sum(len(t.encode()) for t in texts) / 1e6
        ours, batch, fast = measure(name, texts, lowercase, arguments)
        row = {"texts": label, "mb": size, "threads": arguments.threads, "summand_mb_s": size / ours,
               "encode_batch_mb_s": size / batch, "encode_batch_ratio": batch / ours,
               "tokenizers_mb_s": size / fast, "ratio": fast / ours}  # fmt: skip
        if arguments.json:
            print(json.dumps(row))
        else:
            rates = (f"{row[key]:.1f}" for key in ("summand_mb_s", "encode_batch_mb_s", "encode_batch_ratio", "tokenizers_mb_s", "ratio"))
            print(f"| {label} | {size:.2f} | {' | '.join(rates)} |")


if __name__ == "__main__":
    main()
