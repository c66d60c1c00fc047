#!/usr/bin/env python3
"""How well masked tokens are predicted by counting: the unigram distribution, and an interpolated model of the two
neighbours on each side, on the masks that `summand pretrain` validates on.

  models/count_model.py RUN                of a run's training and validation tokens
  models/count_model.py RUN --model DIR    and a checkpoint on the same masks, by `transformers` in single precision

The interpolated model mixes the relative frequencies of the token given nothing, the neighbour before it, the one behind,
both, two before, two behind, three and all four. The mixture's weights are fitted by expectation maximisation on a tenth
of the training texts that the counts leave out, one set for each combination of contexts that were seen often, seldom or
never; then that tenth is counted too. A neighbour that is itself masked, or missing, is no context. Source: Jelinek & Mercer 1980.
"""

import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Places beside the token, of each context.
CONTEXTS = ((), (-1,), (1,), (-1, 1), (-2, -1), (1, 2), (-2, -1, 1), (-1, 1, 2), (-2, -1, 1, 2))
OFTEN = 8  # times that a context was seen
ROUNDS = 15
FITTED_ON = 60_000  # tokens of the held-out tenth
FEWEST = 50  # cases that weights of their own are fitted on


def sequences(folder):
    """The documents of a folder of tokens, each an array of ids."""
    index = json.loads((folder / "index.json").read_text())
    ids = np.fromfile(folder / "ids.bin", "<u2" if index["id_bytes"] == 2 else "<i4").astype(np.int64)
    sentences = np.fromfile(folder / "sentences.bin", "<u8").astype(np.int64)
    documents = np.fromfile(folder / "documents.bin", "<u8").astype(np.int64)
    ends = sentences[documents - 1]
    return np.split(ids, ends[:-1])


def key_of(columns, vocabulary):
    """One number for each row of some columns of tokens. Five tokens of 8,000 do not fit 64 bits; four do."""
    key = np.zeros(len(columns[0]) if columns else 1, np.int64)
    for column in columns:
        key = key * vocabulary + column
    return key


class Counts:
    """How often each token stood in each context."""

    def __init__(self, documents, vocabulary):
        self.vocabulary = vocabulary
        edge = np.full(2, vocabulary)  # between documents: a context that reaches it is none
        line = np.concatenate([part for document in documents for part in (edge, document)] + [edge])
        places = np.flatnonzero(line < vocabulary)
        self.tables = [self.table(line, places, context) for context in CONTEXTS]

    def table(self, line, places, context):
        """Sorted keys of contexts with their counts, and of contexts by their index with the token."""
        columns = [line[places + step] for step in context]
        inside = np.all([column < self.vocabulary for column in columns], axis=0) if columns else np.full(len(places), True)
        keys = key_of([column[inside] for column in columns], self.vocabulary) if columns else np.zeros(len(places), np.int64)
        known, index, totals = np.unique(keys, return_inverse=True, return_counts=True)
        joint, counts = np.unique(index * self.vocabulary + line[places][inside], return_counts=True)
        return known, totals, joint, counts

    def look(self, tokens, neighbours):
        """Of each token [cases] with its neighbours (step → [cases], −1 where there is none): the relative frequency in each
        context (0 where it was never seen), after one over the vocabulary; and how often each was: never, seldom, often."""
        shares, seen = [np.full(len(tokens), 1 / self.vocabulary)], []
        for context, (known, totals, joint, counts) in zip(CONTEXTS, self.tables):
            there = np.all([neighbours[step] >= 0 for step in context], axis=0) if context else np.full(len(tokens), True)
            keys = key_of([np.maximum(neighbours[step], 0) for step in context], self.vocabulary) if context else np.zeros(len(tokens), np.int64)
            at = np.minimum(np.searchsorted(known, keys), len(known) - 1)
            total = np.where(there & (known[at] == keys), totals[at], 0)
            pair = at * self.vocabulary + tokens
            place = np.minimum(np.searchsorted(joint, pair), len(joint) - 1)
            count = np.where(joint[place] == pair, counts[place], 0)
            shares.append(np.where(total > 0, count / np.maximum(total, 1), 0.0))
            seen.append(np.where(total == 0, 0, np.where(total < OFTEN, 1, 2)))
        return np.stack(shares, 1), np.stack(seen, 1)


class Interpolated:
    """A mixture of the contexts' frequencies, its weights of their own for each combination of how often they were seen."""

    def fit(self, counts, tokens, neighbours):
        shares, seen = counts.look(tokens, neighbours)
        self.common = self.expectation_maximisation(shares, np.ones(len(CONTEXTS) + 1))
        self.weights = {}
        for kind in np.unique(seen, axis=0):
            rows = shares[(seen == kind).all(1)]
            if len(rows) >= FEWEST:
                self.weights[tuple(kind)] = self.expectation_maximisation(rows, self.possible(kind))

    @staticmethod
    def possible(kind):
        return np.array([1.0, *(kind > 0)])

    @staticmethod
    def expectation_maximisation(rows, possible):
        weights = possible / possible.sum()
        for _ in range(ROUNDS):
            parts = rows * weights
            weights = (parts / parts.sum(axis=1, keepdims=True)).mean(axis=0)
        return weights

    def nats(self, counts, tokens, neighbours):
        shares, seen = counts.look(tokens, neighbours)
        found = np.empty(len(tokens))
        for kind in np.unique(seen, axis=0):
            rows = (seen == kind).all(1)
            weights = self.weights.get(tuple(kind))
            if weights is None:
                weights = self.common * self.possible(kind)
                weights = weights / weights.sum()
            found[rows] = -np.log(shares[rows] @ weights)
        return found


STEPS = (-2, -1, 1, 2)


def as_columns(cases):
    """(tokens [cases], neighbours: step → [cases], −1 where there is none)"""
    tokens, neighbours = zip(*cases)
    return np.array(tokens), {step: np.array([-1 if row[step] is None else row[step] for row in neighbours]) for step in STEPS}


def masked_cases(batches, mask):
    """(token, neighbours) of every predicted token of validation batches; special tokens are no neighbours."""
    for batch in batches:
        special = {batch["ids"][0], mask, batch["ids"][batch["offsets"][1] - 1]}
        for place, target in zip(batch["predicted"], batch["targets"]):
            neighbours = {}
            for step in STEPS:
                token = batch["ids"][place + step] if 0 <= place + step < len(batch["ids"]) else None
                neighbours[step] = None if token is None or token in special else token
            for near, far in ((-1, -2), (1, 2)):  # beyond the text's end, or a mask, stands another text
                if neighbours[near] is None:
                    neighbours[far] = None
            yield target, neighbours


def cases_to_fit(documents):
    """Tokens of texts that are not counted; as in validation, every seventh neighbour is masked."""
    generator = np.random.default_rng(1)
    cases = []
    for document in documents:
        ids = document.tolist()
        for place in generator.permutation(len(ids))[: max(1, len(ids) // 8)]:
            cases.append((ids[place], {step: ids[place + step] if 0 <= place + step < len(ids) and generator.random() > 0.15 else None for step in STEPS}))
    return [cases[i] for i in generator.permutation(len(cases))[:FITTED_ON]]


def nats_of_checkpoint(path, batches):
    """Of each predicted token, in the order of the batches; how many were right; and the share of pairs that were right."""
    import torch
    import transformers

    if "summand" in json.loads((path / "config.json").read_text()):
        sys.exit(f"[{path}] expected BERT's own architecture, which transformers has, got one with a key \"summand\"; its run's metrics.jsonl has its loss")
    model = transformers.BertForPreTraining.from_pretrained(path, dtype=torch.float32).eval()
    nats, right, pairs_right, pairs = [], 0, 0, 0
    for batch in batches:
        labels = dict(zip(batch["predicted"], batch["targets"]))
        for text, (begin, end) in enumerate(zip(batch["offsets"], batch["offsets"][1:])):
            with torch.no_grad():
                outputs = model(input_ids=torch.tensor([batch["ids"][begin:end]]), token_type_ids=torch.tensor([batch["segments"][begin:end]]))
            if batch["pair_labels"]:
                pairs += 1
                pairs_right += int(outputs.seq_relationship_logits[0].argmax()) == batch["pair_labels"][text]
            logs = outputs.prediction_logits[0].log_softmax(-1)
            for place in range(begin, end):
                if place in labels:
                    nats.append(-float(logs[place - begin, labels[place]]))
                    right += int(logs[place - begin].argmax()) == labels[place]
    return np.array(nats), right / len(nats), pairs_right / max(1, pairs)


def interval_over_texts(differences, batches):
    """95 % of the mean of what each predicted token has, texts drawn anew."""
    ends, count = [], 0
    for batch in batches:
        for begin, end in zip(batch["offsets"], batch["offsets"][1:]):
            count += sum(begin <= place < end for place in batch["predicted"])
            ends.append(count)
    texts = np.split(differences, ends[:-1])
    sums, sizes = np.array([text.sum() for text in texts]), np.array([len(text) for text in texts])
    drawn = np.random.default_rng(2).integers(0, len(texts), (10_000, len(texts)))
    return np.percentile(sums[drawn].sum(1) / sizes[drawn].sum(1), [2.5, 97.5]).tolist()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--tokens", type=pathlib.Path, help="where the tokens lie, if not in the run")
    parser.add_argument("--model", type=pathlib.Path, help="a checkpoint to set beside them")
    options = parser.parse_args()
    run = json.loads((options.run / "run.json").read_text())
    tokens = options.tokens or options.run / "tokens"
    settings = run["options"]
    folder = {which: tokens / f'{run["data"][which]}-{run["data"]["tokenizer"]}' for which in ("train", "valid")}
    longest = settings["valid_length"]
    probe = subprocess.run(
        [ROOT / "build/bin/batch_probe", folder["valid"], options.run / "last", "valid", str(settings["valid_sequences"]),
         settings["pairs"], str(longest), str(settings["batch_tokens"])], capture_output=True, text=True, check=True)
    batches = [json.loads(line) for line in probe.stdout.splitlines()]
    vocabulary = (options.run / "last" / "vocab.txt").read_text().splitlines()
    documents = sequences(folder["train"])
    held_out, counted = documents[::10], [document for i, document in enumerate(documents) if i % 10]
    tokens_of_masks, neighbours = as_columns(masked_cases(batches, vocabulary.index("[MASK]")))
    model = Interpolated()
    model.fit(Counts(counted, len(vocabulary)), *as_columns(cases_to_fit(held_out)))
    neighbours_nats = model.nats(Counts(documents, len(vocabulary)), tokens_of_masks, neighbours)
    unigram = 1 + np.bincount(np.concatenate(documents), minlength=len(vocabulary))
    unigram_nats = -np.log(unigram[tokens_of_masks] / unigram.sum())
    found = {"masked_tokens": len(tokens_of_masks), "length": longest, "unigram_nats": float(unigram_nats.mean()),
             "neighbours_nats": float(neighbours_nats.mean())}
    if options.model:
        nats, accuracy, pair_accuracy = nats_of_checkpoint(options.model, batches)
        found |= {"model_nats": float(nats.mean()), "model_accuracy": accuracy, "model_pair_accuracy": pair_accuracy,
                  "below_unigram": float((unigram_nats - nats).mean()),
                  "below_unigram_interval": interval_over_texts(unigram_nats - nats, batches),
                  "below_neighbours": float((neighbours_nats - nats).mean()),
                  "below_neighbours_interval": interval_over_texts(neighbours_nats - nats, batches)}
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
