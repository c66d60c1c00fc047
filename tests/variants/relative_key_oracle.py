"""Tiny random models of both relative kinds that transformers 5 no longer has, with what transformers 4.57 computes.

    relative_key_oracle.py OUT

writes for each kind OUT/KIND/config.json, model.safetensors, vocab.txt and expected.npz: for text number t `ids.t` and
`segments.t` [n], `hidden.t` [layers + 1, n, H] and `logits.t` [n, vocabulary], in float32."""

import argparse
import pathlib

import numpy as np
import torch
import transformers

KINDS = ("relative_key", "relative_key_query")
SIZES = {"hidden_size": 24, "num_attention_heads": 3, "num_hidden_layers": 2, "intermediate_size": 40}
TABLES = {"max_position_embeddings": 40, "type_vocab_size": 2, "vocab_size": 18}
WORDS = ["red", "green", "blue", "tree", "river", "house", "old", "new", "runs", "sleeps", "the", "a", "of"]
VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]


def texts(rng):
    """(ids [n], segments [n]): one token, a short text, two pairs, the longest text alone and as a pair."""
    for first, second in ((1, 0), (5, 0), (6, 4), (3, 12), (40, 0), (27, 13)):
        ids = rng.integers(4, len(VOCABULARY), first + second)
        ids[0] = VOCABULARY.index("[CLS]")
        yield ids, np.array([0] * first + [1] * second)


def model_of(kind):
    """Weights of standard deviation .3, those of norms about 1: no term hides."""
    config = transformers.BertConfig(**SIZES, **TABLES, position_embedding_type=kind, layer_norm_eps=1e-3)
    config._attn_implementation = "eager"
    model = transformers.BertForMaskedLM(config).eval()
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            about = 1.0 if name.endswith("LayerNorm.weight") else 0.0
            parameter.copy_(about + 0.3 * torch.randn(parameter.shape))
    return model


def expected(model, ids, segments):
    """([layers + 1, n, H], [n, vocabulary]) of one text."""
    with torch.no_grad():
        inputs = {"input_ids": torch.tensor(ids)[None], "token_type_ids": torch.tensor(segments)[None]}
        found = model(**inputs, attention_mask=torch.ones(1, len(ids)), output_hidden_states=True)
    return torch.cat(found.hidden_states).numpy(), found.logits[0].numpy()


def write(folder, kind):
    torch.manual_seed(20 + KINDS.index(kind))
    model = model_of(kind)
    model.save_pretrained(folder, safe_serialization=True)
    (folder / "vocab.txt").write_text("".join(f"{token}\n" for token in VOCABULARY))
    arrays = {}
    for index, (ids, segments) in enumerate(texts(np.random.default_rng(7))):
        hidden, logits = expected(model, ids, segments)
        arrays |= {f"ids.{index}": ids, f"segments.{index}": segments}
        arrays |= {f"hidden.{index}": hidden, f"logits.{index}": logits}
    np.savez_compressed(folder / "expected.npz", **arrays)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=pathlib.Path, metavar="OUT")
    out = parser.parse_args().out
    if not transformers.__version__.startswith("4.57."):
        parser.error(f"transformers 4.57 is needed, not {transformers.__version__}")
    torch.set_num_threads(1)
    for kind in KINDS:
        write(out / kind, kind)


if __name__ == "__main__":
    main()
