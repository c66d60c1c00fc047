#!/usr/bin/env python3
"""Pre-training beside loops of `transformers` on PyTorch, in turns, on the same sequences: tokens per second, and the most
memory that each process had.

Model: 4 layers, 256 wide, BERT's English vocabulary of 30,522, masked tokens and next sentences, without dropout. The
rivals: eager and torch.compile, each as people write them (padded batches, logits of every token) and with the logits of
masked tokens alone; and packed: texts behind one another in rows of at most 512 tokens, kept apart by a mask.

  bench/training.py [--rounds 3] [--threads 2] [--texts FILE] [--only fp32,bf16]
"""

import json
import pathlib
import shutil
import subprocess
import tempfile

from training_turns import PROGRAM, ROOT, arguments, finished, in_own_process, own_speed, take_turns, trained

LENGTH = 128
BATCH_TOKENS = 4096
WARM, MEASURED = 4, 16
ROW = 512  # tokens that a row of packed texts has at most
RIVALS = ("eager", "compile", "eager, masked logits", "compile, masked logits", "eager, packed, masked logits", "compile, packed, masked logits")


def tokenizer(folder):
    """BERT's English tokenizer, with the files that `pretrain` takes along."""
    import transformers

    out = folder / "tokenizer"
    transformers.BertTokenizerFast(vocab=str(ROOT / "tests/data/vocab/bert-base-uncased.txt"), do_lower_case=True).save_pretrained(out)
    return out


def config(folder):
    path = folder / "config.json"
    path.write_text(json.dumps({
        "model_type": "bert", "vocab_size": 30522, "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4,
        "intermediate_size": 1024, "max_position_embeddings": 512, "type_vocab_size": 2, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0}))
    return path


def own(folder, texts, precision, threads):
    """@return (tokens per second, the most memory it had, in MB)"""
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    command = [PROGRAM, "pretrain", texts, "--valid", folder / "valid.txt", "--tokenizer", folder / "tokenizer",
               "--config", folder / "config.json", "-o", run, "--tokens", folder / "tokens", "--pairs", "next_sentence",
               "--length", LENGTH, "--batch-tokens", BATCH_TOKENS, "--steps", WARM + MEASURED, "--log-every", WARM,
               "--validate-every", 1000, "--valid-sequences", 1, "--checkpoint-every", 1000, "--precision", precision,
               "--threads", threads]
    _, peak = finished(command)
    return own_speed(run), peak


def batches(folder, tokens):
    probe = subprocess.run([PROGRAM.parent / "batch_probe", tokens, folder / "tokenizer", str(WARM + MEASURED), "0", "next_sentence",
                            str(LENGTH), str(BATCH_TOKENS)], capture_output=True, text=True, check=True)
    return [json.loads(line) for line in probe.stdout.splitlines()]


def tensors(batch, packed):
    import torch

    offsets = batch["offsets"]
    labels = [-100] * len(batch["ids"])
    for place, target in zip(batch["predicted"], batch["targets"]):
        labels[place] = target
    ends = list(zip(offsets, offsets[1:]))
    if packed:
        rows = []  # of texts behind one another
        for begin, end in ends:
            if not rows or rows[-1][-1][1] - rows[-1][0][0] + end - begin > ROW:
                rows.append([])
            rows[-1].append((begin, end))
        width = max(row[-1][1] - row[0][0] for row in rows)

        def laid(value, filler):
            return torch.tensor([[value(place, text) for text, (b, e) in enumerate(row) for place in range(b, e)]
                                 + [filler] * (width - row[-1][1] + row[0][0]) for row in rows])

        owner = laid(lambda place, text: text, -1)
        apart = torch.where(owner[:, :, None] == owner[:, None, :], 0.0, float("-inf"))[:, None]
        begins = {place: begin for begin, end in ends for place in range(begin, end)}
        made = {"input_ids": laid(lambda place, text: batch["ids"][place], 0), "attention_mask": apart,
                "token_type_ids": laid(lambda place, text: batch["segments"][place], 0),
                "position_ids": laid(lambda place, text: place - begins[place], 0)}
        labels = laid(lambda place, text: labels[place], -100).flatten().tolist()
        first = torch.tensor([number * width + begin - row[0][0] for number, row in enumerate(rows) for begin, _ in row])
    else:
        longest = max(end - begin for begin, end in ends)

        def padded(values, filler):
            return torch.tensor([values[b:e] + [filler] * (longest - e + b) for b, e in ends])

        made = {"input_ids": padded(batch["ids"], 0), "token_type_ids": padded(batch["segments"], 0),
                "attention_mask": padded([1] * len(batch["ids"]), 0)}
        labels = padded(labels, -100).flatten().tolist()
        first = None
    return made, torch.tensor(labels), torch.tensor(batch["pair_labels"]), first


def rival(folder, tokens, name, precision, threads):
    import torch
    import transformers

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    model = transformers.BertForPreTraining(transformers.BertConfig.from_json_file(folder / "config.json"))
    model.train()
    packed, masked = "packed" in name, "masked logits" in name

    def loss_of(batch):
        inputs, labels, pairs, first = batch
        with torch.autocast("cpu", torch.bfloat16, enabled=precision == "bf16"):
            outputs = model.bert(**inputs)
            states = outputs.last_hidden_state.flatten(0, 1)
            pooled = outputs.pooler_output
            if first is not None:
                pooled = torch.tanh(model.bert.pooler.dense(states[first]))
            if masked:
                places = (labels != -100).nonzero().squeeze(1)
                states, labels = states[places], labels[places]
            words, order = model.cls(states, pooled)
        return (torch.nn.functional.cross_entropy(words.float(), labels, ignore_index=-100)
                + torch.nn.functional.cross_entropy(order.float(), pairs))

    step_loss = torch.compile(loss_of, dynamic=True) if name.startswith("compile") else loss_of
    drawn = batches(folder, tokens)
    made = [(tensors(batch, packed), len(batch["ids"])) for batch in drawn]
    return trained(model, step_loss, made, WARM, learning_rate=1e-4)


def main():
    options = arguments(__doc__, "english_train.txt")
    if options.one:
        folder, tokens, name, precision, threads = options.one
        print(rival(pathlib.Path(folder), tokens, name, precision, int(threads)))
        return
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        tokenizer(folder)
        config(folder)
        (folder / "valid.txt").write_text("One sentence here.\nAnd another one.\n\nA third.\nAnd a fourth.\n")
        own(folder, options.texts, "bf16", options.threads)  # tokenizes
        data = json.loads((folder / "run" / "run.json").read_text())["data"]
        tokens = folder / "tokens" / f"{data['train']}-{data['tokenizer']}"
        take_turns(options, lambda precision: own(folder, options.texts, precision, options.threads), RIVALS,
                   lambda rival_name, precision: in_own_process(rival_name, folder, tokens, rival_name, precision, options.threads))


if __name__ == "__main__":
    main()
