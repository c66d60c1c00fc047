"""The posteriors that `summand study --dump` prints at the tiny sizes are those of an enumeration of everything hidden."""

import copy
import functools
import json
import subprocess
import unittest

import enumerate_tasks
import numpy as np
import summand_testing

SEEDS = (1, 2, 3)
SEQUENCES = 6
AGREE = 1e-12
PERTURBATION = 1e-9
HIDDEN = {
    "topic": set(),
    "relative": set(),
    "segment": {"boundary"},
    "interaction": set(),
    "combined": {"boundary", "topic", "mark", "neighbours", "position", "segment"},
}
DUMPS = [(task, seed) for task in HIDDEN for seed in SEEDS]


@functools.cache
def printed(task, seed):
    """What the verb prints, to be copied before it is changed."""
    command = [summand_testing.BIN / "summand", "study", "--dump", task, "--tiny", "--seed", str(seed), "--sequences", str(SEQUENCES)]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise AssertionError(result.stderr)
    return json.loads(result.stdout)


@functools.cache
def enumerated(task, seed):
    """The posteriors of the enumeration, and its context-free distribution."""
    dump = printed(task, seed)
    return enumerate_tasks.posteriors(dump), enumerate_tasks.context_free(dump)


def readers(sequence):
    """Every reader's distributions by name."""
    return {"posterior": sequence["posterior"], **sequence.get("hidden", {})}


def distance(found, wanted):
    """The largest difference; infinite where the shapes differ or something is not a number."""
    found, wanted = np.array(found, dtype=float), np.array(wanted, dtype=float)
    if found.shape != wanted.shape:
        return np.inf
    return np.nan_to_num(np.abs(found - wanted), nan=np.inf).max()


def disagreements(dump, wanted):
    """A line for each distribution of the dump that is not the enumerated one."""
    sequences, context_free = wanted
    compared = [("context_free", dump["context_free"], context_free)]
    for number, (found, right) in enumerate(zip(dump["sequences"], sequences, strict=True)):
        found, right = readers(found), readers(right)
        compared += [(f"{reader}, sequence {number}", found.get(reader, []), rows) for reader, rows in right.items()]
    apart = [(name, distance(found, right)) for name, found, right in compared]
    return [f"{dump['task']}, seed {dump['seed']}: {name}: {far:.1e} apart" for name, far in apart if far > AGREE]


class Enumeration(unittest.TestCase):
    def test_every_distribution_is_the_enumerated_one(self):
        for task, seed in DUMPS:
            with self.subTest(task=task, seed=seed):
                self.assertEqual(disagreements(printed(task, seed), enumerated(task, seed)), [])

    def test_the_hidden_readers_are_those_of_the_task(self):
        for task, seed in DUMPS:
            with self.subTest(task=task, seed=seed):
                for found, right in zip(printed(task, seed)["sequences"], enumerated(task, seed)[0], strict=True):
                    self.assertEqual(set(found.get("hidden", {})), HIDDEN[task])
                    self.assertEqual(set(right["hidden"]), HIDDEN[task])

    def test_the_sizes_are_tiny_and_the_parts_of_a_sequence_fit(self):
        for task, seed in DUMPS:
            with self.subTest(task=task, seed=seed):
                dump = printed(task, seed)
                self.assertEqual((dump["task"], dump["seed"], dump["length"], dump["symbols"]), (task, seed, 5, 3))
                self.assertEqual(len(dump["sequences"]), SEQUENCES)
                for sequence in dump["sequences"]:
                    self.check_parts(task, sequence)

    def check_parts(self, task, sequence):
        symbols, segments, asked = sequence["symbols"], sequence["segments"], sequence["asked"]
        self.assertEqual(len(symbols), 5)
        self.assertLessEqual(set(symbols), {0, 1, 2})
        if task == "interaction":
            self.assertEqual(asked, [0, 1, 2, 3, 4])
            self.assertEqual(len(sequence["answers"]), 5)
        else:
            self.assertEqual(len(set(asked)), 2)
            self.assertEqual(sequence["answers"], [symbols[p] for p in asked])
        boundary = sequence.get("boundary", 5)
        self.assertIn(boundary, {"segment": (2, 3), "combined": (2, 3), "interaction": range(6)}.get(task, (5,)))
        first = 1 - segments[-1] if boundary < 5 else segments[-1]
        self.assertIn(first, (0, 1) if task == "interaction" else (0,))
        self.assertEqual(segments, [first] * boundary + [1 - first] * (5 - boundary))

    def test_masked_symbols_do_not_influence_the_enumeration(self):
        for task, seed in DUMPS:
            if task == "interaction":
                continue  # masks nothing
            with self.subTest(task=task, seed=seed):
                other = copy.deepcopy(printed(task, seed))
                for sequence in other["sequences"]:
                    for p in sequence["asked"]:
                        sequence["symbols"][p] = (sequence["symbols"][p] + 1) % other["symbols"]
                    for answer in ("answers", "posterior", "hidden"):
                        sequence.pop(answer, None)
                for found, right in zip(enumerate_tasks.posteriors(other), enumerated(task, seed)[0], strict=True):
                    for reader, rows in readers(right).items():
                        np.testing.assert_array_equal(readers(found)[reader], rows, reader)

    def test_a_small_error_anywhere_is_found(self):
        for task, seed in DUMPS:
            with self.subTest(task=task, seed=seed):
                dump, wanted = printed(task, seed), enumerated(task, seed)
                for number, sequence in enumerate(dump["sequences"]):
                    for reader in readers(sequence):
                        other = copy.deepcopy(dump)
                        readers(other["sequences"][number])[reader][-1][-1] += PERTURBATION
                        (line,) = disagreements(other, wanted)
                        self.assertIn(f": {reader}, sequence {number}: ", line)
                other = copy.deepcopy(dump)
                other["context_free"][0] -= PERTURBATION
                (line,) = disagreements(other, wanted)
                self.assertIn(": context_free: ", line)


if __name__ == "__main__":
    summand_testing.run_cases()
