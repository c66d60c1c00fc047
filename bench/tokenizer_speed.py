#!/usr/bin/env python3
"""Megabytes per second of this tokenizer and of `tokenizers`, on one core, in one run.

    python bench/tokenizer_speed.py [--build DIR] [--rounds N]

The two take turns; medians are printed. The reference runs `encode_batch_fast`, which makes ids but no offsets; this
tokenizer makes ids, offsets, word numbers and segments. Texts: lines of ../shared/data where that folder is there.
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

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
ENGLISH = ["The tower was built in 1889 and, despite many objections, it has stood there ever since.",
           "She asked whether the unaffable clerk would re-open the window; he didn't answer.",
           "Interest rates rose by 0.25 percent on Tuesday, the third increase since January."] * 1500
CHINESE = ["今天北京天气晴朗，最高气温二十五度，适合外出活动。", "央行宣布下调存款准备金率0.5个百分点，释放长期资金约1万亿元。",
           "研究人员发现了一种新的语言模型训练方法，效果显著提升。"] * 1500


def english():
    path = DATA / "english_valid.txt"
    return [line for line in path.read_text().splitlines() if line] if path.exists() else ENGLISH


def chinese():
    path = DATA / "headlines_zh_valid.jsonl"
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

    def __init__(self, program, vocabulary, lowercase, texts, directory):
        path = pathlib.Path(directory) / "texts.jsonl"
        path.write_text("".join(json.dumps({"text": t}) + "\n" for t in texts))
        command = [program, vocabulary, str(lowercase).lower(), path]
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


def measure(name, texts, lowercase, arguments):
    vocabulary = ROOT / "tests" / "data" / "vocab" / f"bert-base-{name}.txt"
    reference = reference_tokenizer(vocabulary, lowercase)
    with tempfile.TemporaryDirectory() as directory:
        ours = Ours(arguments.build / "bin" / "bench_tokenizer", vocabulary, lowercase, texts, directory)
        our_times, reference_times = [], []
        ours.seconds()
        for _ in range(arguments.rounds):
            # The reference's round is long: between two of them this program gets several, all of which count.
            our_times += [ours.seconds() for _ in range(5)]
            start = time.perf_counter()
            reference.encode_batch_fast(texts)
            reference_times.append(time.perf_counter() - start)
        ours.close()
    return statistics.median(our_times), statistics.median(reference_times)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--json", action="store_true", help="one JSON object per row instead of a table")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
    if not arguments.json:
        print("| texts | size MB | tokenizers MB/s | summand MB/s | ratio |")
        print("|---|---|---|---|---|")
    for label, name, texts, lowercase in (
        ("English, uncased", "uncased", english(), True),
        ("English, cased", "cased", english(), False),
        ("Chinese", "chinese", chinese(), True),
    ):
        size = sum(len(t.encode()) for t in texts) / 1e6
        ours, reference = measure(name, texts, lowercase, arguments)
        row = {"texts": label, "mb": size, "tokenizers_mb_s": size / reference, "summand_mb_s": size / ours}
        row["ratio"] = reference / ours
        if arguments.json:
            print(json.dumps(row))
        else:
            print(f"| {label} | {size:.2f} | {size / reference:.2f} | {size / ours:.1f} | {reference / ours:.1f} |")


if __name__ == "__main__":
    main()
