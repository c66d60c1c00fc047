"""The first 50 steps of plain BERT beside PyTorch: transformers' model, padded batches, torch's AdamW and its clipping,
from the same parameters on the same batches. Losses and parameters agree to 1e-4."""

import json
import pathlib
import subprocess
import sys
import tempfile

import safetensors.numpy
import summand_testing
import torch
import transformers

import training

STEPS = 50
WARMUP = 10
LEARNING_RATE = 1e-3
BATCH_TOKENS = 1024
LENGTH = 96
AGREE = 1e-4  # the bar; single precision over 50 steps leaves about 1e-5


def padded(batch):
    """The packed batch as transformers has it: one row a text, -100 where nothing is predicted."""
    offsets = batch["offsets"]
    longest = max(end - begin for begin, end in zip(offsets, offsets[1:]))
    labels = [-100] * len(batch["ids"])
    for place, target in zip(batch["predicted"], batch["targets"]):
        labels[place] = target

    def rows(values, filler):
        return torch.tensor([values[begin:end] + [filler] * (longest - end + begin) for begin, end in zip(offsets, offsets[1:])])

    return {
        "input_ids": rows(batch["ids"], 0),
        "token_type_ids": rows(batch["segments"], 0),
        "attention_mask": rows([1] * len(batch["ids"]), 0),
        "labels": rows(labels, -100),
        "next_sentence_label": torch.tensor(batch["pair_labels"]),
    }


def rate(step):
    if step <= WARMUP:
        return LEARNING_RATE * step / WARMUP
    return LEARNING_RATE * (1 - (step - WARMUP) / (STEPS + 1 - WARMUP))


def train(model, batches):
    """[steps] losses, while the model is trained."""
    decaying = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    optimiser = torch.optim.AdamW([{"params": decaying, "weight_decay": 0.01}, {"params": others, "weight_decay": 0}], lr=LEARNING_RATE)
    losses = []
    for step, batch in enumerate(batches, start=1):
        for group in optimiser.param_groups:
            group["lr"] = rate(step)
        loss = model(**padded(batch)).loss
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
    return losses


def main():
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = training.corpus(folder)
        tokenizer = training.vocabulary(folder, texts, 600)
        config = training.config(folder, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0)
        run = folder / "run"
        training.pretrain(
            texts, "--valid", texts, "--tokenizer", tokenizer, "--config", config, "-o", run, "--pairs", "next_sentence",
            "--steps", STEPS, "--warmup", WARMUP, "--learning-rate", LEARNING_RATE, "--batch-tokens", BATCH_TOKENS,
            "--length", LENGTH, "--log-every", 1, "--validate-every", STEPS, "--valid-sequences", 20, "--keep", 0,
            "--seed", 7, "--threads", 1)
        own = [line["train"]["loss"] for line in training.metrics(run) if "train" in line]
        tokens = training.train_tokens(run)
        probe = subprocess.run(
            [summand_testing.BIN / "batch_probe", tokens, tokenizer, str(STEPS), "7", "next_sentence", str(LENGTH), str(BATCH_TOKENS)],
            capture_output=True, text=True, check=True)
        batches = [json.loads(line) for line in probe.stdout.splitlines()]
        model = transformers.BertForPreTraining.from_pretrained(run / "checkpoints" / "step-00000000")
        model.train()
        losses = train(model, batches)
        worst_loss = max(abs(a - b) for a, b in zip(own, losses))
        trained = safetensors.numpy.load_file(run / "last" / "model.safetensors")
        theirs = {name: parameter.detach().numpy() for name, parameter in model.state_dict().items()}
        worst, at = max((float(abs(values - theirs[name]).max()), name) for name, values in trained.items())
        print(f"losses {own[0]:.4f} to {own[-1]:.4f}, {worst_loss:.2e} apart; parameters {worst:.2e} apart ({at})")
        assert len(own) == STEPS and own[-1] < own[0] - 0.5, "nothing was learned"
        assert worst_loss < AGREE and worst < AGREE


if __name__ == "__main__":
    sys.exit(main())
