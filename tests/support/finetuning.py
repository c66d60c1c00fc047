"""Small fine-tunings for tests: tables of labelled texts, tiny checkpoints, and summand finetune on them."""

import csv
import json
import random
import subprocess

import summand_testing

POSITIVE = ["good", "great", "fine", "lovely", "happy", "wonderful"]
NEGATIVE = ["bad", "poor", "awful", "sad", "terrible", "boring"]
OTHERS = ["the", "film", "was", "a", "story", "of", "people", "in", "unbelievably", "中国", "☃", "tokenization", "and", "it", "!", "3"]
NOUNS = {"film", "story", "people", "tokenization"}


def sentence(draws, words=None):
    """Some words of POSITIVE or NEGATIVE among OTHERS; one in forty is longer than a tiny model's positions."""
    length = 120 if draws.random() < 0.025 else draws.randint(1, 14)
    return " ".join(draws.choice(OTHERS if draws.random() < 0.7 else words or POSITIVE + NEGATIVE) for _ in range(length))


def rows(task, count, seed, several=False):
    """Dictionaries of a task's columns, whose labels follow from the words."""
    draws = random.Random(f"{task} {seed}")
    result = []
    for index in range(count):
        one, other = sentence(draws), sentence(draws)
        mood = sum(word in POSITIVE for word in one.split()) - sum(word in NEGATIVE for word in one.split())
        if task == "classify" and several:
            holds = [name for name, words in (("up", POSITIVE), ("down", NEGATIVE), ("long", ["the"])) if set(words) & set(one.split())]
            result.append({"text": one, "label": holds})
        elif task == "classify":
            result.append({"text": one, "label": "pos" if mood > 0 else "neg" if mood < 0 else "even"})
        elif task == "pair":
            result.append({"text": one, "text_pair": other, "label": int(len(one) > len(other))})
        elif task == "regress":
            result.append({"text": one, "label": mood / 2})
        elif task == "rank":
            result.append({"text": f"query {index // 4}", "text_pair": one, "label": 1 if mood > 0 else 0})
        else:
            words = one.split()
            result.append({"tokens": words, "labels": ["JJ" if w in POSITIVE + NEGATIVE else "NN" if w in NOUNS else "X" for w in words]})
    return result


def write(path, table):
    """A .tsv, .csv or .jsonl file, by its name."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in table))
        return path
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, table[0], delimiter="\t" if path.suffix == ".tsv" else ",", lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return path


def finetune(*words, check=True, **options):
    """Runs summand finetune. @return the finished process"""
    process = subprocess.run([summand_testing.BIN / "summand-train", "finetune", *map(str, words)], capture_output=True, text=True, **options)
    assert not check or process.returncode == 0, (process.returncode, process.stderr, process.stdout)
    return process


def words_of(**options):
    """--batch-size 8 of batch_size=8; a flag of True."""
    words = []
    for name, value in options.items():
        words += ["--" + name.replace("_", "-")] if value is True else ["--" + name.replace("_", "-"), str(value)]
    return words


def lines_of(path):
    return [json.loads(line) for line in path.read_text().splitlines()]
