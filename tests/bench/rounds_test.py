"""Processes that answer rounds, batches that come back in order, and a search that finds what is fastest."""

import json
import math
import pathlib
import subprocess
import sys
import tempfile
import textwrap
from unittest import mock

import bench_support
import numpy as np
import summand_testing
import tiny_models
from transformers import BertConfig, BertModel

from comparison.contestants import default_settings
from comparison.conversation import QUIET_LOOKS, Conversation, Refused, running_threads
from comparison.search import Search
from rivals.batches import BatchedRival, Settings, mean_vectors, padded

# Answers, then computes on for a while, as thread pools do, until there is a file; ends when told to.
NOISY = """
    import json, os, sys
    print(json.dumps({"version": "1"}), flush=True)
    for line in sys.stdin:
        question = json.loads(line)
        if "end" in question:
            sys.exit(3)
        answer = {"error": "no such thing"} if "wrong" in question else {"echo": question}
        print(json.dumps(answer), flush=True)
        while "noise until" in question and not os.path.exists(question["noise until"]):
            pass
"""
SUMS_IN_FLOAT = 1e-6


def conversation(folder):
    program = pathlib.Path(folder) / "noisy.py"
    program.write_text(textwrap.dedent(NOISY))
    return Conversation([sys.executable, program], folder, {}, pathlib.Path(folder) / "log.txt")


def a_question_returns_once_the_process_sleeps_again():
    with tempfile.TemporaryDirectory() as folder:
        one = conversation(folder)
        assert one.hello == {"version": "1"}
        enough = pathlib.Path(folder) / "enough"
        question = {"noise until": str(enough)}
        looks = []

        def look(pid):
            """Ends the noise once it was seen, however late that is."""
            looks.append(running_threads(pid))
            if sum(map(bool, looks)) == 3:
                enough.touch()
            return looks[-1]

        with mock.patch.multiple("comparison.conversation", running_threads=look, QUIET_SECONDS=math.inf):
            assert one.ask(question) == {"echo": question}
        assert enough.exists() and not any(looks[-QUIET_LOOKS:]), looks
        assert one.longest_noise > 0
        one.close()
        assert one.process.returncode == 0


def errors_and_ends_are_refusals():
    with tempfile.TemporaryDirectory() as folder:
        one = conversation(folder)
        for question, expected in (("wrong", "no such thing"), ("end", "ended with status 3"), ("again", "ended with status 3")):
            try:
                one.ask({question: 1})
            except Refused as refusal:
                assert str(refusal) == expected, refusal
            else:
                raise AssertionError(f"{question} was answered")
        one.close()


class PlantedTokenizer:
    """Ids are the numbers that a text consists of."""

    def encode_batch_fast(self, texts):
        class Encoding:
            def __init__(self, text):
                self.ids = [int(word) for word in text.split()]

        return [Encoding(text) for text in texts]


class PlantedRunner:
    """A text's vector is the sum of its ids and their number."""

    def __init__(self, streams):
        self.streams, self.shapes = streams, []

    def vectors(self, batch):
        self.shapes.append(batch.ids.shape)
        return np.stack([(batch.ids * batch.mask).sum(1), batch.lengths], 1).astype(np.float32)


def vectors_come_back_in_the_order_of_the_texts():
    texts = [" ".join(map(str, range(1, length + 1))) for length in (3, 9, 1, 5, 2, 8, 4)]
    expected = [[sum(map(int, text.split())), len(text.split())] for text in texts]
    for streams in (1, 2):
        for order, longest in (("given", [9, 8, 4]), ("sorted", [9, 4, 1])):
            runner = PlantedRunner(streams)
            vectors, seconds = BatchedRival(runner, PlantedTokenizer()).vectors(texts, Settings("", 3, order, 256))
            assert vectors.tolist() == expected and seconds > 0
            assert sorted(shape[1] for shape in runner.shapes) == sorted(longest), (order, runner.shapes)


def the_mean_leaves_padding_out():
    batch = padded([[5, 6, 7], [8]])
    states = np.random.default_rng(0).normal(size=(2, 3, 4)).astype(np.float32)
    means = mean_vectors(states, batch, normalize=False)
    assert np.abs(means - [states[0].mean(0), states[1, 0]]).max() < SUMS_IN_FLOAT
    assert np.abs(np.linalg.norm(mean_vectors(states, batch, normalize=True), axis=1) - 1).max() < SUMS_IN_FLOAT


class PlantedContestant:
    """Answers with planted seconds instead of running; a variant with a bang fails."""

    name, ours, absent, variants = "planted", False, None, ["slow", "broken!", "fast", "for one text"]

    def __init__(self):
        self.tried, self.chosen, self.loaded = [], {}, set()
        self.conversation = type("Ended", (), {"process": type("Running", (), {"poll": lambda self: None})()})()

    def ask(self, file, settings, repetitions):
        if settings["variant"].endswith("!"):
            raise Refused("it is broken")
        self.loaded.add(settings["variant"])
        if file == "short":
            return [9] + [{"slow": 3, "fast": 2, "for one text": 1}[settings["variant"]]] * (repetitions - 1)
        seconds = {"slow": 30, "fast": 20, "for one text": 25}[settings["variant"]]
        seconds += abs(settings["batch"] - 4) + (5 if settings["order"] == "sorted" else 0)
        return [99] + [seconds] * (repetitions - 1)

    def forget(self, variants):
        self.loaded -= set(variants)

    def give_up(self, reason):
        self.absent = reason


def the_search_finds_variant_batch_and_order():
    contestant = PlantedContestant()
    Search(contestant, {"short": "short", "sentences": "sentences"}).run()
    assert contestant.chosen["short"]["variant"] == "for one text"
    expected = {"variant": "fast", "batch": 4, "order": "given", "max_length": 256}
    assert contestant.chosen["sentences"] == expected, contestant.chosen
    assert contestant.loaded == {"fast", "for one text"} and contestant.absent is None
    assert {"variant": "broken!", "error": "it is broken"} in contestant.tried


def a_rival_without_a_variant_that_runs_is_absent():
    contestant = PlantedContestant()
    contestant.variants = ["broken!"]
    Search(contestant, {"short": "short"}).run()
    assert contestant.absent == "it is broken"


def bench_embedding_gives_the_vectors_of_summand_embed():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        directory = tiny_directory(folder / "model")
        texts = folder / "texts.jsonl"
        texts.write_text("".join(json.dumps({"text": text}) + "\n" for text in ("a cat", "", "the 猫 sat on " * 9)))
        program = [summand_testing.BIN / "bench_embedding", directory, "fp32", 2]
        one = Conversation(program, folder, {}, folder / "log.txt")
        settings = default_settings() | {"max_length": 20}
        answer = one.ask({"texts": str(texts), "settings": settings, "repetitions": 3, "vectors": str(folder / "ours.npy")})
        one.close()
        command = [summand_testing.BIN / "summand", "embed", "--model", directory, texts, "-o", folder / "verb.npy"]
        said = json.loads(subprocess.run([*command, "--max-length", "20", "--json"], check=True, capture_output=True).stdout)
        assert len(answer["seconds"]) == 3 and answer["tokens"] == said["tokens"]
        assert (np.load(folder / "ours.npy") == np.load(folder / "verb.npy")).all()


def tiny_directory(directory):
    config = BertConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
    tiny_models.torch.manual_seed(0)
    BertModel(config).save_pretrained(directory)
    vocabulary = summand_testing.DATA / "vocab" / "bert-base-uncased.txt"
    (directory / "vocab.txt").write_bytes(vocabulary.read_bytes())
    (directory / "tokenizer_config.json").write_text(json.dumps({"tokenizer_class": "BertTokenizer", "do_lower_case": True}))
    return directory


if __name__ == "__main__":
    sys.exit(
        bench_support.run([
            a_question_returns_once_the_process_sleeps_again,
            errors_and_ends_are_refusals,
            vectors_come_back_in_the_order_of_the_texts,
            the_mean_leaves_padding_out,
            the_search_finds_variant_batch_and_order,
            a_rival_without_a_variant_that_runs_is_absent,
            bench_embedding_gives_the_vectors_of_summand_embed,
        ])
    )
