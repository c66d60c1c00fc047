"""Small pre-training runs for tests: a corpus, a tokenizer, a configuration, and summand pretrain on them."""

import json
import re
import subprocess

import summand_testing

SMALL = {"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 64, "max_position_embeddings": 64}


def corpus(folder):
    """The laboratory's English sentences as documents of eight, in a .txt file."""
    sentences = []
    for line in (summand_testing.ROOT / "lab" / "subject" / "corpora" / "english.jsonl").read_text().splitlines():
        sentences += [part for part in re.split(r"(?<=[.!?]) ", json.loads(line)["text"]) if part]
    path = folder / "texts.txt"
    path.write_text("\n\n".join("\n".join(sentences[i : i + 8]) for i in range(0, len(sentences), 8)) + "\n")
    return path


def vocabulary(folder, texts, size):
    out = folder / "tokenizer"
    subprocess.run([summand_testing.BIN / "summand", "vocab", texts, "-o", out, "--size", str(size), "--mode", "frequency"],
                   check=True, capture_output=True)
    return out


def config(folder, **changes):
    """A config.json of a BERT of two layers, 64 wide, whose vocab_size the tokenizer says."""
    path = folder / "config.json"
    path.write_text(json.dumps({
        "model_type": "bert", "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128,
        "max_position_embeddings": 128, "type_vocab_size": 2, "hidden_act": "gelu", **changes}))
    return path


class Bench:
    """What a small run trains on, in a folder: texts, some of them to validate on, a tokenizer and a configuration."""

    def __init__(self, folder):
        self.folder = folder
        self.texts = corpus(folder)
        self.valid = folder / "valid.txt"
        self.valid.write_text("\n\n".join(self.texts.read_text().split("\n\n")[:20]) + "\n")
        self.tokenizer = vocabulary(folder, self.texts, 400)
        self.config = config(folder, **SMALL)


def pretrain(*words, check=True, **options):
    """Runs summand pretrain. @return the finished process"""
    return subprocess.run([summand_testing.BIN / "summand-train", "pretrain", *map(str, words)],
                          capture_output=True, text=True, check=check, **options)


def metrics(run):
    return [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]


def train_tokens(run):
    """The folder that the training texts' tokens lie in."""
    data = json.loads((run / "run.json").read_text())["data"]
    return run / "tokens" / f"{data['train']}-{data['tokenizer']}"
