"""Fine-tuning beside the same loop in transformers: the same checkpoint, rows, order and schedule, padded batches, torch's
AdamW and losses, no dropout. Losses of 50 steps and more agree to 1e-4 for each task, and predictions after the epoch in at
least 99.5 %; transformers loads RUN/best without missing or unexpected keys."""

import json
import pathlib
import subprocess
import sys
import tempfile

import summand_testing
import torch
import torch.nn.functional as F
import transformers

import finetuning
import head_models

ROWS = 405  # the last of 51 steps has fewer rows
BATCH = 8
STEPS = -(-ROWS // BATCH)
WARMUP = 6
RATE = 1e-3
SEED = 5
DECAY = 0.8
AGREE = 1e-4
EQUAL = 0.995
LABELS = {"classify": ["even", "neg", "pos"], "several": ["down", "long", "up"], "pair": ["0", "1"], "tag": ["JJ", "NN", "X"],
          "regress": ["LABEL_0"], "rank": ["LABEL_0"]}  # fmt: skip
PROBLEMS = {"several": "multi_label_classification", "regress": "regression"}


class Case:
    """A task with its options, in summand's terms and in torch's."""

    def __init__(self, name, suffix=".jsonl", weighted=False, decay=1.0, frozen=None):
        self.name, self.suffix, self.weighted, self.decay, self.frozen = name, suffix, weighted, decay, frozen
        self.task = "classify" if name == "several" else name
        self.labels = LABELS[name]
        self.kind = "token-classification" if name == "tag" else "sequence-classification"

    def options(self):
        options = {}
        if self.name == "several":
            options["multi_label"] = True
        if self.weighted:
            options["class_weights"] = "balanced"
        if self.decay != 1:
            options["layer_decay"] = self.decay
        if self.frozen is not None:
            options["freeze"] = self.frozen
        return finetuning.words_of(**options)

    def rows(self, count, seed):
        return finetuning.rows(self.task, count, seed, several=self.name == "several")

    def encode(self, tokenizer, rows):
        """A padded batch, and the rows' targets."""
        texts = [row["tokens"] if self.name == "tag" else row["text"] for row in rows]
        pairs = [row["text_pair"] for row in rows] if "text_pair" in rows[0] else None
        batch = tokenizer(texts, pairs, truncation="longest_first", max_length=80, padding=True, return_tensors="pt",
                          is_split_into_words=self.name == "tag")  # fmt: skip
        return batch, self.targets(batch, rows)

    def targets(self, batch, rows):
        if self.name in ("regress", "rank"):
            return torch.tensor([float(row["label"]) for row in rows])
        if self.name == "several":
            return torch.tensor([[float(label in row["label"]) for label in self.labels] for row in rows])
        if self.name != "tag":
            return torch.tensor([self.labels.index(str(row["label"])) for row in rows])
        targets = torch.full(batch["input_ids"].shape, -100)
        for index, row in enumerate(rows):
            seen = set()
            for place, word in enumerate(batch.word_ids(index)):
                if word is not None and word not in seen:
                    seen.add(word)
                    targets[index, place] = self.labels.index(row["labels"][word])
        return targets

    def weights(self, rows):
        if not self.weighted:
            return None
        every = [row["label"] for row in rows]
        if self.name == "several":
            counts = [sum(label in one for one in every) for label in self.labels]
            return torch.tensor([(len(every) - count) / count for count in counts])
        return torch.tensor([len(every) / (len(self.labels) * [str(one) for one in every].count(label)) for label in self.labels])

    def loss(self, logits, targets, weights):
        if self.name == "regress":
            return F.mse_loss(logits.squeeze(-1), targets)
        if self.name == "rank":
            return F.binary_cross_entropy_with_logits(logits.squeeze(-1), targets)
        if self.name == "several":
            return F.binary_cross_entropy_with_logits(logits, targets, pos_weight=weights)
        return F.cross_entropy(logits.reshape(-1, logits.shape[-1]), targets.reshape(-1), weight=weights)


CASES = [Case("classify", ".tsv", weighted=True), Case("several", weighted=True), Case("pair", ".csv", decay=DECAY),
         Case("regress", frozen=1), Case("tag"), Case("rank")]  # fmt: skip


def rate(step):
    return RATE * step / WARMUP if step <= WARMUP else RATE * (1 - (step - WARMUP) / (STEPS + 1 - WARMUP))


def depth(name, layers):
    """0 of the tables, 1 of the first layer, layers + 1 of pooler and head."""
    parts = name.removeprefix("bert.").split(".")
    if parts[0] == "embeddings":
        return 0
    return int(parts[2]) + 1 if parts[:2] == ["encoder", "layer"] else layers + 1


def optimiser_of(case, model):
    layers = model.config.num_hidden_layers
    groups = []
    for name, parameter in model.named_parameters():
        own = depth(name, layers)
        if case.frozen is not None and own <= case.frozen:
            parameter.requires_grad_(False)
            continue
        groups.append({"params": [parameter], "weight_decay": 0.01 if parameter.dim() > 1 else 0.0, "factor": case.decay ** (layers + 1 - own)})
    return torch.optim.AdamW(groups, lr=RATE)


def train(case, model, tokenizer, rows, order):
    """The losses of the steps, while the model is trained."""
    optimiser = optimiser_of(case, model)
    weights = case.weights(rows)
    losses = []
    for step, chosen in enumerate(order, start=1):
        for group in optimiser.param_groups:
            group["lr"] = rate(step) * group["factor"]
        batch, targets = case.encode(tokenizer, [rows[index] for index in chosen])
        loss = case.loss(model(**batch).logits, targets, weights)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
    return losses


def predicted(case, model, tokenizer, rows):
    """For each row what it predicts: a label, a set of them, a list for the words that are not cut, or a number."""
    result = []
    for begin in range(0, len(rows), 32):
        batch, targets = case.encode(tokenizer, rows[begin : begin + 32])
        with torch.no_grad():
            logits = model(**batch).logits
        for index in range(len(logits)):
            if case.name == "tag":
                result.append([case.labels[int(logits[index, place].argmax())] for place in range(targets.shape[1]) if targets[index, place] >= 0])
            elif case.name == "several":
                result.append([label for label, logit in zip(case.labels, logits[index]) if logit > 0])
            elif case.name in ("regress", "rank"):
                result.append(float(logits[index, 0].sigmoid() if case.name == "rank" else logits[index, 0]))
            else:
                result.append(case.labels[int(logits[index].argmax())])
    return result


def own_predictions(case, run):
    lines = [line for line in finetuning.lines_of(run / "predictions.jsonl") if line["from"] == "test"]
    if case.name == "tag":
        return [[label for label in line["labels"] if label is not None] for line in lines]
    return [line[{"several": "labels", "regress": "number", "rank": "score"}.get(case.name, "label")] for line in lines]


def share_equal(one, other):
    same = [abs(a - b) < 1e-3 if isinstance(a, float) else a == b for a, b in zip(one, other, strict=True)]
    return sum(same) / len(same)


def check_loads(case, run):
    """transformers' own class, with every tensor in its place, and the labels by name."""
    names = json.loads((run / "best" / "config.json").read_text())
    model, info = getattr(transformers, names["architectures"][0]).from_pretrained(run / "best", output_loading_info=True)
    assert not info["missing_keys"] and not info["unexpected_keys"] and not info["mismatched_keys"], info
    assert list(model.config.id2label.values()) == case.labels, model.config.id2label
    assert model.config.label2id == {label: index for index, label in enumerate(case.labels)}, model.config.label2id
    assert model.config.problem_type == PROBLEMS.get(case.name, "single_label_classification" if case.name in ("classify", "pair") else None)


def check(case, folder):
    start, _ = head_models.head_directory(
        folder / "start", case.kind, id2label=dict(enumerate(case.labels)), label2id={label: i for i, label in enumerate(case.labels)},
        hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.05)  # fmt: skip
    tables = {name: case.rows(count, name) for name, count in (("train", ROWS), ("valid", 40), ("test", 200))}
    files = {name: finetuning.write(folder / (name + case.suffix), rows) for name, rows in tables.items()}
    run = folder / "run"
    finetuning.finetune(
        "--task", case.task, "--model", start, "-o", run, *(word for name, path in files.items() for word in ("--" + name, path)),
        *case.options(), *finetuning.words_of(epochs=1, batch_size=BATCH, batch_tokens=160, learning_rate=RATE, warmup=WARMUP,
                                              seed=SEED, log_every=1, threads=1))  # fmt: skip
    own = [line["train"]["loss"] for line in finetuning.lines_of(run / "metrics.jsonl") if "train" in line]
    probe = subprocess.run([summand_testing.BIN / "row_probe", str(ROWS), str(BATCH), str(SEED), str(STEPS)],
                           capture_output=True, text=True, check=True)  # fmt: skip
    order = [json.loads(line) for line in probe.stdout.splitlines()]
    model = head_models.CLASSES[case.kind].from_pretrained(start, attn_implementation="eager").train()
    tokenizer = transformers.AutoTokenizer.from_pretrained(start)
    losses = train(case, model, tokenizer, tables["train"], order)
    worst = max(abs(a - b) for a, b in zip(own, losses, strict=True))
    equal = share_equal(own_predictions(case, run), predicted(case, model.eval(), tokenizer, tables["test"]))
    print(f"{case.name}: {len(own)} losses, {own[0]:.4f} to {own[-1]:.4f}, {worst:.1e} apart; {100 * equal:.1f} % of the predictions equal")
    assert len(own) == STEPS and worst < AGREE and equal >= EQUAL
    assert sum(own[-10:]) < sum(own[:10]), "nothing was learned"
    check_loads(case, run)


def main():
    torch.set_num_threads(1)
    for case in CASES:
        if len(sys.argv) > 1 and case.name not in sys.argv[1:]:
            continue
        with tempfile.TemporaryDirectory() as folder:
            check(case, pathlib.Path(folder))


if __name__ == "__main__":
    main()
