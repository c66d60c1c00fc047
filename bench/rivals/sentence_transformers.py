"""sentence-transformers as its users call it: SentenceTransformer.encode, which tokenizes, sorts and pads itself."""

import time

import sentence_transformers
import torch


def version():
    return sentence_transformers.__version__


def variants(place):
    return ["encode"]


def load(place, variant):
    return Encoder(place)


class Encoder:
    embed = True  # it needs no batches from outside

    def __init__(self, place):
        torch.set_num_threads(place.threads)
        self.model = sentence_transformers.SentenceTransformer(str(place.model), device="cpu")
        self.model.eval()

    def vectors(self, texts, settings):
        self.model.max_seq_length = settings.max_length
        begin = time.perf_counter()
        with torch.inference_mode():
            out = self.model.encode(texts, batch_size=settings.batch, convert_to_numpy=True, show_progress_bar=False)
        return out, time.perf_counter() - begin
