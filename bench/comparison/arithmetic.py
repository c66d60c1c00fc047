"""Closed forms: how much arithmetic a text needs, and how fast the limit would be."""

import dataclasses

# Bytes of one weight as the products read it.
WEIGHT_BYTES = {"fp32": 4, "bf16": 2, "int8": 1}
# int8 rivals and engines compute attention in a wider type; the limit takes bf16's rate for it.
ATTENTION_PRECISION = {"fp32": "fp32", "bf16": "bf16", "int8": "bf16"}


@dataclasses.dataclass(frozen=True)
class Shape:
    """Sizes of an encoder."""

    layers: int
    hidden: int
    intermediate: int

    @staticmethod
    def of(config):
        """@param config  of config.json"""
        return Shape(config["num_hidden_layers"], config["hidden_size"], config["intermediate_size"])

    @property
    def layer_weights(self):
        """Weights of the products of all layers: query, key, value, output; the feed-forward part's two."""
        return self.layers * (4 * self.hidden**2 + 2 * self.hidden * self.intermediate)

    @property
    def product_flop(self):
        """Of the products, for one token."""
        return 2 * self.layer_weights

    def attention_flop(self, tokens):
        """Of scores and context, for a whole text: 4·n·d for each of its n tokens and each layer."""
        return self.layers * 4 * tokens**2 * self.hidden

    def weight_bytes(self, precision):
        return self.layer_weights * WEIGHT_BYTES[precision]


def limit_seconds(shape, lengths, precision, gflops):
    """What texts would take if their products and attention ran at the rate of the products alone.

    @param lengths  tokens of each text
    @param gflops  precision to GFLOP/s; None where a rate that is needed is not known
    """
    attention = ATTENTION_PRECISION[precision]
    if precision not in gflops or attention not in gflops:
        return None
    products = shape.product_flop * sum(lengths) / gflops[precision]
    return 1e-9 * (products + sum(map(shape.attention_flop, lengths)) / gflops[attention])
