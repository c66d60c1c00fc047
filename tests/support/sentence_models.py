"""Small sentence-transformers directories made by the library itself, one per way from token vectors to one vector."""

import json
import pathlib

import tiny_models
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers import models as modules
from transformers import BertConfig, BertTokenizerFast

import summand_testing

POOLINGS = ["cls", "mean", "max", "mean_sqrt_len_tokens", "weightedmean", "lasttoken"]
PROMPTS = {"query": "query: ", "passage": "Represent this: "}


def transformer_directory(folder, seed=0, cased=False, **changes):
    """A Hugging Face directory with random weights and a real vocabulary."""
    settings = dict(
        vocab_size=30522, hidden_size=24, num_attention_heads=3, intermediate_size=40, num_hidden_layers=5,
        max_position_embeddings=80, type_vocab_size=2,
    )  # fmt: skip
    config = BertConfig(**(settings | changes))
    directory = pathlib.Path(folder)
    tiny_models.random_model(config, seed).save_pretrained(directory)
    vocabulary = summand_testing.DATA / "vocab" / f"bert-base-{'cased' if cased else 'uncased'}.txt"
    BertTokenizerFast(vocab=str(vocabulary), do_lower_case=not cased, model_max_length=64).save_pretrained(directory)
    return directory


def sentence_model(folder, pooling="mean", dense=(), normalize=False, include_prompt=True, prompts=None, **changes):
    """Builds and saves; returns the library's own object."""
    base = transformer_directory(pathlib.Path(folder) / "base", **changes)
    transformer = modules.Transformer(str(base))
    width = 24 * (1 if isinstance(pooling, str) else len(pooling))
    chain = [transformer, modules.Pooling(24, pooling_mode=pooling, include_prompt=include_prompt)]
    torch.manual_seed(7)
    for out, activation in dense:
        chain.append(modules.Dense(width, out, activation_function=activation))
        width = out
    if normalize:
        chain.append(modules.Normalize())
    model = SentenceTransformer(modules=chain, prompts=prompts, device="cpu")
    model.save(str(pathlib.Path(folder) / "saved"))
    return model, pathlib.Path(folder) / "saved"


def as_version_2(directory):
    """Rewrites the pooling module's configuration as versions 2 to 5 wrote it: one flag per mode."""
    path = directory / "1_Pooling" / "config.json"
    config = json.loads(path.read_text())
    chosen = config.pop("pooling_mode")
    chosen = [chosen] if isinstance(chosen, str) else chosen
    names = {
        "cls": "pooling_mode_cls_token", "mean": "pooling_mode_mean_tokens", "max": "pooling_mode_max_tokens",
        "mean_sqrt_len_tokens": "pooling_mode_mean_sqrt_len_tokens", "weightedmean": "pooling_mode_weightedmean_tokens",
        "lasttoken": "pooling_mode_lasttoken",
    }  # fmt: skip
    width = config.pop("embedding_dimension", None) or config.pop("word_embedding_dimension")
    path.write_text(json.dumps({"word_embedding_dimension": width, **config, **{v: k in chosen for k, v in names.items()}}))
