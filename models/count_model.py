#!/usr/bin/env python3
"""How well masked tokens are predicted by counting: the unigram distribution, and an interpolated model of the two
neighbours on each side, on the masks that `summand pretrain` validates on.

  models/count_model.py RUN   of a run's training and validation tokens

The interpolated model mixes the relative frequencies of the token given nothing, the neighbour before it, the one behind,
both, two before, two behind, three and all four. The mixture's weights are fitted by expectation maximisation on a tenth
of the training texts that the counts leave out, one set for each combination of contexts that were seen often, seldom or
never. A neighbour that is itself masked, or missing, is no context. Source: Jelinek & Mercer 1980.
"""

import argparse
import collections
import json
import pathlib
import subprocess

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[1]
# Places beside the token, of each context.
CONTEXTS = ((), (-1,), (1,), (-1, 1), (-2, -1), (1, 2), (-2, -1, 1), (-1, 1, 2), (-2, -1, 1, 2))
OFTEN = 8  # times that a context was seen
ROUNDS = 15
FITTED_ON = 60_000  # tokens of the held-out tenth


def sequences(folder):
    """The documents of a folder of tokens, each an array of ids."""
    index = json.loads((folder / "index.json").read_text())
    ids = np.fromfile(folder / "ids.bin", "<u2" if index["id_bytes"] == 2 else "<i4").astype(np.int64)
    sentences = np.fromfile(folder / "sentences.bin", "<u8").astype(np.int64)
    documents = np.fromfile(folder / "documents.bin", "<u8").astype(np.int64)
    ends = sentences[documents - 1]
    return np.split(ids, ends[:-1])


class Counts:
    """How often each token stood in each context."""

    def __init__(self, documents):
        self.tables = [collections.defaultdict(collections.Counter) for _ in CONTEXTS]
        for document in documents:
            ids = document.tolist()
            for place, token in enumerate(ids):
                for table, context in zip(self.tables, CONTEXTS):
                    if all(0 <= place + step < len(ids) for step in context):
                        table[tuple(ids[place + step] for step in context)][token] += 1
        self.totals = [{key: sum(counter.values()) for key, counter in table.items()} for table in self.tables]

    def look(self, token, neighbours, vocabulary):
        """Of a token: the relative frequency in each context (NaN where it was never seen), and how often each was."""
        shares, seen = [1 / vocabulary], []
        for table, totals, context in zip(self.tables, self.totals, CONTEXTS):
            key = tuple(neighbours.get(step) for step in context)
            total = totals.get(key, 0) if None not in key else 0
            seen.append(0 if total == 0 else 1 if total < OFTEN else 2)
            shares.append(table[key][token] / total if total else 0.0)
        return shares, tuple(seen)


class Interpolated:
    def __init__(self, counts, vocabulary):
        self.counts, self.vocabulary = counts, vocabulary
        self.weights = {}

    def fit(self, cases):
        """@param cases  (token, neighbours)"""
        by_kind = collections.defaultdict(list)
        for token, neighbours in cases:
            shares, seen = self.counts.look(token, neighbours, self.vocabulary)
            by_kind[seen].append(shares)
        everything = np.concatenate([np.array(rows) for rows in by_kind.values()])
        self.common = self.expectation_maximisation(everything, np.ones(len(CONTEXTS) + 1))
        for seen, rows in by_kind.items():
            possible = np.array([1.0] + [float(times > 0) for times in seen])
            if len(rows) >= 50:
                self.weights[seen] = self.expectation_maximisation(np.array(rows), possible)

    @staticmethod
    def expectation_maximisation(rows, possible):
        weights = possible / possible.sum()
        for _ in range(ROUNDS):
            parts = rows * weights
            weights = (parts / parts.sum(axis=1, keepdims=True)).mean(axis=0)
        return weights

    def nats(self, token, neighbours):
        shares, seen = self.counts.look(token, neighbours, self.vocabulary)
        weights = self.weights.get(seen)
        if weights is None:
            weights = self.common * np.array([1.0] + [float(times > 0) for times in seen])
            weights = weights / weights.sum()
        return -np.log(float(np.dot(shares, weights)))


def masked_cases(batches, mask):
    """(token, neighbours) of every predicted token of validation batches; ids of special tokens are no neighbours."""
    for batch in batches:
        special = {batch["ids"][0], mask, batch["ids"][batch["offsets"][1] - 1]}
        for place, target in zip(batch["predicted"], batch["targets"]):
            neighbours = {}
            for step in (-2, -1, 1, 2):
                token = batch["ids"][place + step] if 0 <= place + step < len(batch["ids"]) else None
                neighbours[step] = None if token is None or token in special else token
            for near, far in ((-1, -2), (1, 2)):  # beyond the text's end, or a mask, stands another text
                if neighbours[near] is None:
                    neighbours[far] = None
            yield target, neighbours


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=pathlib.Path)
    parser.add_argument("--tokens", type=pathlib.Path, help="where the tokens lie, if not in the run")
    options = parser.parse_args()
    run = json.loads((options.run / "run.json").read_text())
    tokens = options.tokens or options.run / "tokens"
    settings = run["options"]
    longest = max(settings["length"], key=lambda phase: phase["share"])["length"]
    probe = subprocess.run(
        [ROOT / "build/bin/batch_probe", tokens / run["data"]["valid"], options.run / "last", "valid", str(settings["valid_sequences"]),
         settings["pairs"], str(longest), str(settings["batch_tokens"])], capture_output=True, text=True, check=True)
    batches = [json.loads(line) for line in probe.stdout.splitlines()]
    vocabulary = (options.run / "last" / "vocab.txt").read_text().splitlines()
    documents = sequences(tokens / run["data"]["train"])
    held_out, counted = documents[::10], [document for i, document in enumerate(documents) if i % 10]
    cases = list(masked_cases(batches, vocabulary.index("[MASK]")))

    counts = Counts(counted)
    model = Interpolated(counts, len(vocabulary))
    fitted = []
    generator = np.random.default_rng(1)
    for document in held_out:
        ids = document.tolist()
        for place in generator.permutation(len(ids))[: max(1, len(ids) // 8)]:
            # As in validation: every seventh neighbour is masked.
            fitted.append((ids[place], {step: ids[place + step] if 0 <= place + step < len(ids) and generator.random() > 0.15 else None
                                        for step in (-2, -1, 1, 2)}))
    model.fit([fitted[i] for i in generator.permutation(len(fitted))[:FITTED_ON]])
    unigram = np.full(len(vocabulary), 1.0)
    for document in documents:
        np.add.at(unigram, document, 1)
    unigram /= unigram.sum()
    print(json.dumps({
        "masked_tokens": len(cases),
        "unigram_nats": float(np.mean([-np.log(unigram[token]) for token, _ in cases])),
        "neighbours_nats": float(np.mean([model.nats(token, neighbours) for token, neighbours in cases]))}))


if __name__ == "__main__":
    main()
