"""Small BERT checkpoints with heads, made by transformers, every parameter random."""

import json
import pathlib

import safetensors.torch
import torch
from transformers import (
    BertConfig,
    BertForMaskedLM,
    BertForNextSentencePrediction,
    BertForPreTraining,
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertModel,
    BertTokenizerFast,
)
from transformers.utils import logging

import summand_testing
import tiny_models

logging.disable_progress_bar()

# What a checkpoint can be for. "untied" has a decoder of its own, whose bias transformers saves beside
# cls.predictions.bias; here the two differ, and the decoder's is the one that transformers adds.
CLASSES = {
    "masked-lm": BertForMaskedLM,
    "untied-masked-lm": BertForMaskedLM,
    "next-sentence": BertForNextSentencePrediction,
    "sequence-classification": BertForSequenceClassification,
    "token-classification": BertForTokenClassification,
    "pre-training": BertForPreTraining,
    "untied-pre-training": BertForPreTraining,
    "question-answering": BertForQuestionAnswering,
}
KINDS = list(CLASSES)
# Row counts of the vocabularies in tests/data/vocab.
VOCABULARY_SIZES = {"uncased": 30522, "cased": 28996, "chinese": 21128}


def head_config(kind, vocabulary="uncased", **changes):
    """A small configuration; `changes` are keys of BertConfig, as num_labels, id2label or problem_type."""
    settings = dict(
        vocab_size=VOCABULARY_SIZES[vocabulary], hidden_size=24, num_attention_heads=3, intermediate_size=40,
        num_hidden_layers=2, max_position_embeddings=80, type_vocab_size=2, hidden_act="gelu",
        tie_word_embeddings=not kind.startswith("untied"),
    )  # fmt: skip
    return BertConfig(**(settings | changes))


def head_model(kind, config, seed=0):
    """A model whose every parameter is random, norms and biases included, so that no term can hide as 0 or 1."""
    torch.manual_seed(seed)
    config.tie_word_embeddings = not kind.startswith("untied")
    return tiny_models.randomised(CLASSES[kind](config).eval())


def save_tokenizer(directory, vocabulary="uncased", **settings):
    """One of the real vocabularies, with its own casing and the limit that head_config gives."""
    path = summand_testing.DATA / "vocab" / f"bert-base-{vocabulary}.txt"
    settings = dict(do_lower_case=vocabulary != "cased", model_max_length=80) | settings
    BertTokenizerFast(vocab=str(path), **settings).save_pretrained(directory)


def head_directory(folder, kind, seed=0, vocabulary="uncased", **changes):
    """Saves a model and a tokenizer; returns (directory, the transformers model)."""
    directory = pathlib.Path(folder)
    model = head_model(kind, head_config(kind, vocabulary, **changes), seed)
    model.save_pretrained(directory)
    save_tokenizer(directory, vocabulary)
    return directory, model


def say_reading(directory, **reading):
    """Writes how training read its texts, or is said to have, into a checkpoint's config.json."""
    path = pathlib.Path(directory) / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"summand": {"reading": reading}}))
    return directory


def add_window_encoder(directory, *, most_windows, max_length, overlap=0):
    """Gives a classifier of texts a transformer of one layer over windows, every parameter random."""
    directory = pathlib.Path(directory)
    path = directory / "config.json"
    config = json.loads(path.read_text())
    sizes = {key: config[key] for key in ("hidden_size", "num_attention_heads", "intermediate_size")}
    torch.manual_seed(5)
    own = BertModel(BertConfig(vocab_size=1, num_hidden_layers=1, type_vocab_size=1, max_position_embeddings=most_windows + 1, **sizes), add_pooling_layer=False)
    names = ("embeddings.word_embeddings.", "embeddings.token_type_embeddings.")
    more = {f"window_encoder.{name}": tensor for name, tensor in tiny_models.randomised(own).state_dict().items() if not name.startswith(names)}
    weights = directory / "model.safetensors"
    safetensors.torch.save_file(safetensors.torch.load_file(weights) | more, weights)
    reading = {"max_length": max_length, "windows": "transformer", "overlap": overlap}
    encoder = {"layers": 1, "most_windows": most_windows}
    path.write_text(json.dumps(config | {"summand": {"reading": reading, "window_encoder": encoder}}))
    return directory
