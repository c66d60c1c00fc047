"""PyTorch: transformers' BertModel with its fused attention, eager or compiled."""

import contextlib

import torch
from transformers import AutoModel

from rivals.plain_bert import mean_over_tokens


def version():
    return torch.__version__


def variants(place):
    """Eager, several batches at once on one thread each, and compiled; in bf16 also by autocast."""
    kinds = ["eager", f"eager, {place.threads} x 1 thread", "compiled"]
    return kinds + ["autocast"] if place.precision == "bf16" else kinds


def load(place, variant):
    return Runner(place, variant)


class Runner:
    def __init__(self, place, variant):
        self.normalize = place.normalize
        self.streams = place.threads if "x 1" in variant else 1
        self.autocast = variant == "autocast"
        torch.set_num_threads(1 if self.streams > 1 else place.threads)
        dtype = torch.bfloat16 if place.precision == "bf16" and not self.autocast else torch.float32
        # The pooler's output is not needed by a mean over tokens.
        options = {"dtype": dtype, "attn_implementation": "sdpa", "add_pooling_layer": False}
        self.model = AutoModel.from_pretrained(str(place.model), **options).eval()
        self.threads = place.threads
        if variant == "compiled":
            self.model = torch.compile(self.model, dynamic=True)

    def begin_stream(self):
        torch.set_num_threads(1)

    def vectors(self, batch):
        if self.streams == 1:
            torch.set_num_threads(self.threads)  # another variant may have set it since
        lower = torch.autocast("cpu", torch.bfloat16) if self.autocast else contextlib.nullcontext()
        ids, mask = torch.from_numpy(batch.ids), torch.from_numpy(batch.mask)
        # Without padding there is nothing to mask, and attention is faster.
        attention_mask = mask if batch.mask.min() == 0 else None
        with torch.inference_mode(), lower:
            states = self.model(input_ids=ids, attention_mask=attention_mask).last_hidden_state
            return mean_over_tokens(states, mask, self.normalize).float().numpy()
