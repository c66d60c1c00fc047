#!/usr/bin/env python3
"""Fine-tuning all-MiniLM-L6-v2 for classification beside loops of `transformers` on PyTorch, in turns, on the same rows: tokens
per second, and the most memory that each process had.

Two epochs of the same rows in steps of 32, with the model's dropout of .1; the second epoch counts. The rivals: eager and
torch.compile, each with rows in a random order, padded to the longest of their step, and with rows of similar lengths together,
as `group_by_length` of transformers' Trainer puts them. Nobody's time includes tokenizing or validation, nor a rival's padding.

  bench/finetuning.py [--rounds 3] [--threads 2] [--texts FILE.jsonl] [--only fp32,bf16]
"""

import json
import pathlib
import random
import shutil
import tempfile

from comparison.prepared_models import minilm
from training_turns import PROGRAM, arguments, finished, in_own_process, own_speed, take_turns, trained, training_lines

ROWS = 32  # of a step
STEPS = 40  # of an epoch
VALIDATED = 32  # rows
LONGEST = 256  # tokens of a row
LEARNING_RATE = 5e-5
RIVALS = ("eager", "compile", "eager, similar lengths", "compile, similar lengths")


def write_rows(folder, texts):
    """Some of the rows, in a random order: train.jsonl and valid.jsonl, and rows.json with the former's tokens and labels."""
    import transformers

    lines = texts.read_text(encoding="utf-8").splitlines()
    if len(lines) < STEPS * ROWS + VALIDATED:
        raise SystemExit(f"finetuning.py: [{texts}] expected at least {STEPS * ROWS + VALIDATED} rows, got {len(lines)}")
    random.Random(0).shuffle(lines)
    chosen = {"valid": lines[:VALIDATED], "train": lines[VALIDATED:VALIDATED + STEPS * ROWS]}
    for name, part in chosen.items():
        (folder / f"{name}.jsonl").write_text("\n".join(part) + "\n", encoding="utf-8")
    rows = [json.loads(line) for line in chosen["train"]]
    names = sorted({row["label"] for row in rows})
    tokenizer = transformers.AutoTokenizer.from_pretrained(minilm())
    ids = tokenizer([row["text"] for row in rows], truncation=True, max_length=LONGEST)["input_ids"]
    (folder / "rows.json").write_text(json.dumps({"ids": ids, "labels": [names.index(row["label"]) for row in rows], "names": names}))


def own(folder, precision, threads):
    """@return (tokens per second, the most memory it had, in MB)"""
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    command = [PROGRAM, "finetune", "--task", "classify", "--model", minilm(), "--train", folder / "train.jsonl", "--valid",
               folder / "valid.jsonl", "-o", run, "--epochs", 2, "--batch-size", ROWS, "--max-length", LONGEST, "--learning-rate",
               LEARNING_RATE, "--log-every", STEPS, "--validate-every", 2 * STEPS, "--precision", precision, "--threads", threads]
    _, peak = finished(command)
    expected = 2 * sum(map(len, json.loads((folder / "rows.json").read_text())["ids"]))
    if (got := training_lines(run)[-1]["tokens"]) != expected:
        raise RuntimeError(f"summand: expected the rivals' {expected} tokens, got {got}")
    return own_speed(run), peak


def epoch(rows, similar):
    """An epoch's batches. @return of each step ((inputs, labels), tokens)"""
    import torch
    from transformers.trainer_pt_utils import get_length_grouped_indices

    lengths = list(map(len, rows["ids"]))
    order = get_length_grouped_indices(lengths, ROWS, mega_batch_mult=50) if similar else torch.randperm(len(lengths)).tolist()
    batches = []
    for begin in range(0, len(order), ROWS):
        chosen = [rows["ids"][row] for row in order[begin:begin + ROWS]]
        longest = max(map(len, chosen))
        inputs = {"input_ids": torch.tensor([ids + [0] * (longest - len(ids)) for ids in chosen]),
                  "attention_mask": torch.tensor([[1] * len(ids) + [0] * (longest - len(ids)) for ids in chosen])}
        labels = torch.tensor([rows["labels"][row] for row in order[begin:begin + ROWS]])
        batches.append(((inputs, labels), sum(map(len, chosen))))
    return batches


def rival(folder, name, precision, threads):
    """@return tokens per second"""
    import torch
    import transformers

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    rows = json.loads((folder / "rows.json").read_text())
    model = transformers.AutoModelForSequenceClassification.from_pretrained(minilm(), num_labels=len(rows["names"]))
    model.train()

    def loss_of(batch):
        inputs, labels = batch
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            return model(**inputs, labels=labels).loss

    step_loss = torch.compile(loss_of, dynamic=True) if name.startswith("compile") else loss_of
    batches = [batch for _ in range(2) for batch in epoch(rows, similar="similar" in name)]
    return trained(model, step_loss, batches, STEPS, LEARNING_RATE)


def main():
    options = arguments(__doc__, "polarity_train.jsonl")
    if options.one:
        folder, name, precision, threads = options.one
        print(rival(pathlib.Path(folder), name, precision, int(threads)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        write_rows(folder, options.texts)
        take_turns(options, lambda precision: own(folder, precision, options.threads), RIVALS,
                   lambda rival_name, precision: in_own_process(rival_name, folder, rival_name, precision, options.threads))


if __name__ == "__main__":
    main()
