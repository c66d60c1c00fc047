"""What all runs read: texts, tokenizer, labelled rows. Made once, in WORK."""

import json
import random
import subprocess
import threading

from downstream.program import SUMMAND

FIRST_LETTERS = 80  # that tell a review among the documents
SUBSET_SEED = 20_000  # added to the fine-tuning's seed


def prepare(plan, data, work):
    """Texts without the reviews that a task is about, and a tokenizer of them."""
    work.mkdir(parents=True, exist_ok=True)
    without_reviews(data, work)
    if not (work / "tokenizer" / "tokenizer.json").exists():
        subprocess.run([SUMMAND, "vocab", work / "train.txt", "-o", work / "tokenizer", "--size", str(plan.json["vocabulary"]),
                        "--mode", "frequency"], check=True)  # fmt: skip


def without_reviews(data, work):
    """Writes train.txt and valid.txt: a model that has read the reviews of a task would not be tested on unseen text."""
    reviews = {beginning(row["text"]) for part in ("train", "valid") for row in read_rows(data / f"reviews_{part}.jsonl")}
    for part in ("train", "valid"):
        to = work / f"{part}.txt"
        if to.exists():
            continue
        documents = (data / f"english_{part}.txt").read_text(encoding="utf-8").split("\n\n")
        kept = [one.strip("\n") for one in documents if one.strip() and beginning(one) not in reviews]
        write_whole(to, "\n\n".join(kept) + "\n")


def beginning(text):
    return "".join(text.split())[:FIRST_LETTERS]


def read_rows(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def write_rows(path, rows):
    write_whole(path, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def write_whole(path, text):
    part = path.with_name(f"{path.name}.{threading.get_ident()}.part")  # another thread may write the same
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def training_rows(data, work, task, examples, seed):
    """The file of a task's training rows, or of some of them, drawn by the seed: a smaller number is part of a larger one. Of tagged words every
    tag is among them, as the rows that test a model must not have others."""
    whole = data / f"{task}_train.jsonl"
    if not examples:
        return whole
    path = work / "subsets" / f"{task}-{examples}-{seed}.jsonl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = read_rows(whole)
        random.Random(SUBSET_SEED + seed).shuffle(rows)
        write_rows(path, (every_tag_first(rows) if "labels" in rows[0] else rows)[:examples])
    return path


def every_tag_first(rows):
    """Rows with a tag that none before them has, then the others."""
    seen, first, others = set(), [], []
    for row in rows:
        (others if seen.issuperset(row["labels"]) else first).append(row)
        seen.update(row["labels"])
    return first + others
