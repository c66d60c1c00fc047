"""CTranslate2: its converter's model; it takes padding out itself."""

import ctranslate2
import numpy as np

from rivals.batches import mean_vectors

COMPUTE_TYPES = {"fp32": "float32", "bf16": "bfloat16", "int8": "int8_float32"}


def version():
    return ctranslate2.__version__


def variants(place):
    """One batch at a time on all threads, or as many at once on one thread each."""
    return [f"1 x {place.threads} threads", f"{place.threads} x 1 thread"]


def load(place, variant):
    return Runner(place, variant)


def converted(place):
    path = place.prepared / "ctranslate2"
    if not path.exists():
        ctranslate2.converters.TransformersConverter(str(place.model)).convert(str(path))
    return path


class Runner:
    def __init__(self, place, variant):
        self.normalize = place.normalize
        self.streams = place.threads if variant.endswith("x 1 thread") else 1
        compute_type = COMPUTE_TYPES[place.precision]
        known = ctranslate2.get_supported_compute_types("cpu")
        if compute_type not in known:
            raise ValueError(f"this machine and build compute in {', '.join(sorted(known))}, not in {compute_type}")
        self.encoder = ctranslate2.Encoder(str(converted(place)), device="cpu", compute_type=compute_type,
                                           inter_threads=self.streams, intra_threads=place.threads // self.streams)

    def vectors(self, batch):
        ids = ctranslate2.StorageView.from_array(batch.ids.astype(np.int32))
        lengths = ctranslate2.StorageView.from_array(batch.lengths.astype(np.int32))
        states = np.asarray(self.encoder.forward_batch(ids, lengths).last_hidden_state)
        return mean_vectors(states, batch, self.normalize)
