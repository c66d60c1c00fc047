"""BERT in the plain operations that exporters and graph optimisers know, with the mean over tokens behind it.

Source: the graph of transformers' BertModel up to version 4.30, which ONNX Runtime's and OpenVINO's fusions look for;
what version 5 builds its masks with cannot be traced for every length. tests/bench compares it with BertModel.
"""

import math

import torch
from torch import nn


def mean_over_tokens(states, mask, normalize):
    """Sentence vectors [texts, width]. @param states  [texts, longest, width]  @param mask  [texts, longest], 0 or 1"""
    weights = mask.to(states.dtype).unsqueeze(-1)
    means = (states * weights).sum(1) / weights.sum(1)
    return nn.functional.normalize(means, dim=-1) if normalize else means


class Embeddings(nn.Module):
    def __init__(self, config):
        super().__init__()
        width = config["hidden_size"]
        self.word_embeddings = nn.Embedding(config["vocab_size"], width)
        self.position_embeddings = nn.Embedding(config["max_position_embeddings"], width)
        self.token_type_embeddings = nn.Embedding(config["type_vocab_size"], width)
        self.LayerNorm = nn.LayerNorm(width, eps=config["layer_norm_eps"])
        self.register_buffer("position_ids", torch.arange(config["max_position_embeddings"]).unsqueeze(0), persistent=False)

    def forward(self, ids, segments):
        positions = self.position_ids[:, : ids.size(1)]
        summed = self.word_embeddings(ids) + self.token_type_embeddings(segments)
        return self.LayerNorm(summed + self.position_embeddings(positions))


class SelfAttention(nn.Module):
    def __init__(self, config, fused):
        super().__init__()
        width = config["hidden_size"]
        self.heads, self.fused = config["num_attention_heads"], fused
        self.query, self.key, self.value = (nn.Linear(width, width) for _ in range(3))

    def divided(self, rows):
        """[texts, tokens, width] as [texts, heads, tokens, width / heads]."""
        return rows.view(rows.size(0), rows.size(1), self.heads, rows.size(2) // self.heads).permute(0, 2, 1, 3)

    def forward(self, states, mask):
        query, key, value = (self.divided(product(states)) for product in (self.query, self.key, self.value))
        if self.fused:
            context = nn.functional.scaled_dot_product_attention(query, key, value, mask)
        else:
            scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.size(-1)) + mask
            context = torch.matmul(nn.functional.softmax(scores, dim=-1), value)
        context = context.permute(0, 2, 1, 3).contiguous()
        return context.view(context.size(0), context.size(1), states.size(2))


class Output(nn.Module):
    """A product, the residual, normalisation."""

    def __init__(self, width_in, config):
        super().__init__()
        self.dense = nn.Linear(width_in, config["hidden_size"])
        self.LayerNorm = nn.LayerNorm(config["hidden_size"], eps=config["layer_norm_eps"])

    def forward(self, states, residual):
        return self.LayerNorm(self.dense(states) + residual)


class Layer(nn.Module):
    def __init__(self, config, fused):
        super().__init__()
        width, inner = config["hidden_size"], config["intermediate_size"]
        self.attention = nn.ModuleDict({"self": SelfAttention(config, fused), "output": Output(width, config)})
        self.intermediate = nn.ModuleDict({"dense": nn.Linear(width, inner)})
        self.output = Output(inner, config)

    def forward(self, states, mask):
        attended = self.attention["output"](self.attention["self"](states, mask), states)
        return self.output(nn.functional.gelu(self.intermediate["dense"](attended)), attended)


class PlainBert(nn.Module):
    """Parameters are named as in transformers' BertModel, so that its state fits.

    @param config  of config.json; hidden_act is "gelu"
    @param fused  attention as scaled_dot_product_attention instead of products and softmax
    """

    def __init__(self, config, fused, normalize):
        super().__init__()
        assert config["hidden_act"] == "gelu", config["hidden_act"]
        self.normalize = normalize
        self.embeddings = Embeddings(config)
        layers = nn.ModuleList(Layer(config, fused) for _ in range(config["num_hidden_layers"]))
        self.encoder = nn.ModuleDict({"layer": layers})

    def forward(self, input_ids, attention_mask, token_type_ids):
        """[texts, width]"""
        states = self.embeddings(input_ids, token_type_ids)
        mask = (1.0 - attention_mask[:, None, None, :].to(states.dtype)) * torch.finfo(states.dtype).min
        for layer in self.encoder["layer"]:
            states = layer(states, mask)
        return mean_over_tokens(states, attention_mask, self.normalize)


def load_plain_bert(place, fused):
    """With the weights of a directory's model.safetensors."""
    from safetensors.torch import load_file

    model = PlainBert(place.config, fused, place.normalize).eval()
    state = load_file(place.model / "model.safetensors")
    state = {name.removeprefix("bert."): tensor for name, tensor in state.items()}
    missing, _ = model.load_state_dict(state, strict=False)
    assert not missing, missing
    return model


INPUTS = ["input_ids", "attention_mask", "token_type_ids"]


def export_onnx(place):
    """The path of the plain graph as ONNX, made at the first call."""
    path = place.prepared / "plain.onnx"
    if not path.exists():
        part = path.with_suffix(".part.onnx")
        example = torch.ones(2, 16, dtype=torch.int64)
        axes = {name: {0: "texts", 1: "tokens"} for name in INPUTS} | {"vectors": {0: "texts"}}
        model = load_plain_bert(place, fused=False)
        torch.onnx.export(model, (example, example, torch.zeros_like(example)), str(part), dynamo=False, input_names=INPUTS,
                          output_names=["vectors"], dynamic_axes=axes, opset_version=17)
        part.rename(path)
    return path
