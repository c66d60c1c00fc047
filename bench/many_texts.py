#!/usr/bin/env python3
"""What `summand embed` does with a million short texts, beside sentence-transformers with a process for each processor.

    .venv/bin/python bench/many_texts.py texts FOLDER [--texts N] [--data DIR]
    .venv/bin/python bench/many_texts.py run FOLDER --program build/bin/summand [--program ANOTHER] --model DIR
        [--texts N] [--rounds N] [--threads N] [--rival N]

`texts` writes FOLDER/natural.txt, sentences and clauses of ../shared/data, shuffled, with the texts that stand there twice,
and FOLDER/distinct.txt, each with its own number behind it. `run` lets the programs take turns over the first N of both and
prints texts a second, peak memory and processor time, a JSON object per turn and then the medians. `--rival N` lets
sentence-transformers embed N of the distinct texts in every round, in fp32 or bf16 and at a batch size, whichever is
fastest over a fifth of them.
"""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
DATA = ROOT.parent / "shared" / "data"
KINDS = ("natural", "distinct")
MOST_WORDS = 24
CUT_WORDS = 10  # where clauses are not enough
CLAUSE_END = re.compile(r"(?<=[,;:])\s+|\s+(?=--|\()")
RIVAL_BATCHES = (8, 16, 32, 64, 128)
RIVAL_PRECISIONS = ("fp32", "bf16")
MEBIBYTE = 1 << 20


def sentences(data):
    lines = [line.strip() for line in (data / "english_train.txt").read_text().splitlines() if line.strip()]
    for name in ("polarity_train", "polarity_valid", "entailment_train", "entailment_valid"):
        for line in (data / f"{name}.jsonl").read_text().splitlines():
            record = json.loads(line)
            lines += [record[key].strip() for key in ("text", "text_pair") if key in record]
    return lines


def pieces(data):
    """Clauses of all sentences, then runs of two, of three and more of one sentence, then runs of ten words."""
    clauses = [[clause for clause in CLAUSE_END.split(sentence) if clause] for sentence in sentences(data)]
    for count in range(1, 9):
        for parts in clauses:
            for i in range(len(parts) - count + 1):
                text = " ".join(parts[i : i + count])
                if len(text.split()) <= MOST_WORDS:
                    yield text
    for parts in clauses:
        words = " ".join(parts).split()
        for i in range(1, len(words) - CUT_WORDS, CUT_WORDS // 2):
            yield " ".join(words[i : i + CUT_WORDS])


def write_texts(folder, number, data):
    texts = [text for text, _ in zip(pieces(data), range(number))]
    random.Random(1).shuffle(texts)
    folder.mkdir(exist_ok=True)
    (folder / "natural.txt").write_text("".join(text + "\n" for text in texts))
    (folder / "distinct.txt").write_text("".join(f"{text} {i}\n" for i, text in enumerate(texts)))
    different = len(set(texts))
    mean = sum(map(len, texts)) / len(texts)
    print(f"{len(texts)} texts of {mean:.0f} characters in the mean; {len(texts) - different} of the natural ones, "
          f"{1 - different / len(texts):.1%}, stand there before")  # fmt: skip


def first_texts(folder, kind, number):
    """A file of the first texts of a kind."""
    path = folder / f"{kind}_{number}.txt"
    if not path.exists():
        with (folder / f"{kind}.txt").open() as source:
            path.write_text("".join(line for line, _ in zip(source, range(number))))
    return path


def peak_bytes(pids):
    """Of all processes together: pages that they share count for each."""
    status = "".join(pathlib.Path(f"/proc/{pid}/status").read_text() for pid in pids)
    return sum(1024 * int(kib) for kib in re.findall(r"VmHWM:\s+(\d+) kB", status))


def embed(program, model, source, options):
    """One turn: seconds, processor seconds, peak memory, and what the program says."""
    out = source.with_suffix(".npy")
    command = [program, "embed", "--model", model, source, "-o", out, "--overwrite", "--json", "--precision", options.precision,
               "--threads", str(options.threads)]  # fmt: skip
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    peak = 0
    # Looked at while it runs: what wait4() says begins with the memory of this process, from which it was forked.
    while not os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT):
        peak = max(peak, peak_bytes([process.pid]))
        time.sleep(0.02)
    seconds = time.perf_counter() - begin
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit(f"{program} failed")
    out.unlink()
    report = json.loads(process.stdout.read())
    return {"seconds": seconds, "texts_s": report["texts"] / seconds, "tokens": report["tokens"],
            "texts_repeated": report.get("texts_repeated"), "processor_s": used.ru_utime + used.ru_stime,
            "system_s": used.ru_stime, "peak_mib": peak / MEBIBYTE}  # fmt: skip


class Rival:
    """sentence-transformers with a pool of processes, one for each thread, each with one thread."""

    def __init__(self, model, threads, precision):
        import torch
        from sentence_transformers import SentenceTransformer

        kind = {"fp32": torch.float32, "bf16": torch.bfloat16}[precision]
        self.model = SentenceTransformer(str(model), device="cpu", model_kwargs={"dtype": kind})
        self.pool = self.model.start_multi_process_pool(["cpu"] * threads)
        self.precision, self.batch = precision, None

    def seconds(self, texts, batch):
        begin = time.perf_counter()
        self.model.encode(texts, pool=self.pool, batch_size=batch)
        return time.perf_counter() - begin

    def choose(self, texts):
        """@return the least seconds that a batch size took"""
        self.seconds(texts[:64], RIVAL_BATCHES[0])
        times = {batch: self.seconds(texts, batch) for batch in RIVAL_BATCHES}
        self.batch = min(times, key=times.get)
        print(json.dumps({"sentence-transformers": self.precision, "batch sizes tried, seconds": times}), flush=True)
        return times[self.batch]

    def processor_seconds(self):
        """Of this process and of the pool's."""
        seconds = sum(os.times()[:2])
        for process in self.pool["processes"]:
            fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
            seconds += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return seconds

    def turn(self, texts):
        pids = [os.getpid(), *(process.pid for process in self.pool["processes"])]
        before = self.processor_seconds()
        seconds = self.seconds(texts, self.batch)
        return {"seconds": seconds, "texts_s": len(texts) / seconds, "precision": self.precision, "batch": self.batch,
                "processor_s": self.processor_seconds() - before, "peak_mib": peak_bytes(pids) / MEBIBYTE}  # fmt: skip

    def close(self):
        self.model.stop_multi_process_pool(self.pool)


def best_rival(options, texts):
    """The faster precision's, with its pool running."""
    os.environ |= {"OMP_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1"}
    seconds = {}
    for precision in RIVAL_PRECISIONS:
        rival = Rival(options.model, options.threads, precision)
        seconds[precision] = (rival.choose(texts), rival.batch)
        rival.close()
    best = min(seconds, key=seconds.get)
    rival = Rival(options.model, options.threads, best)
    rival.batch = seconds[best][1]
    rival.seconds(texts[:64], rival.batch)
    return rival


def run(options):
    rival = None
    if options.rival:
        texts = first_texts(options.folder, "distinct", options.rival).read_text().splitlines()
        rival = best_rival(options, texts[: options.rival // 5])
    turns = {}
    for _ in range(options.rounds):
        for kind in options.kind or KINDS:
            source = first_texts(options.folder, kind, options.texts)
            for program in options.program:
                turn = embed(program, options.model, source, options)
                turns.setdefault((kind, str(program)), []).append(turn)
                print(json.dumps({"kind": kind, "program": str(program), **turn}), flush=True)
        if rival:
            turn = rival.turn(texts)
            turns.setdefault(("distinct", "sentence-transformers"), []).append(turn)
            print(json.dumps({"kind": "distinct", "program": "sentence-transformers", **turn}), flush=True)
    if rival:
        rival.close()
    for (kind, program), some in turns.items():
        medians = {key: statistics.median(turn[key] for turn in some) for key in some[0] if isinstance(some[0][key], (int, float))}
        print(kind, program, ", ".join(f"{key} {value:.1f}" for key, value in medians.items()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    texts, timed = verbs.add_parser("texts"), verbs.add_parser("run")
    for verb in (texts, timed):
        verb.add_argument("folder", type=pathlib.Path)
        verb.add_argument("--texts", type=int, default=1_000_000)
    texts.add_argument("--data", type=pathlib.Path, default=DATA)
    timed.add_argument("--program", type=pathlib.Path, action="append", required=True)
    timed.add_argument("--model", type=pathlib.Path, required=True)
    timed.add_argument("--kind", choices=KINDS, action="append", help="by default both")
    timed.add_argument("--precision", default="auto")
    timed.add_argument("--threads", type=int, default=2)
    timed.add_argument("--rounds", type=int, default=3)
    timed.add_argument("--rival", type=int, default=0, metavar="N", help="texts that sentence-transformers embeds in every round")
    options = parser.parse_args()
    if options.verb == "texts":
        write_texts(options.folder, options.texts, options.data)
    else:
        run(options)


if __name__ == "__main__":
    main()
