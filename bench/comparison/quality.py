"""How near vectors are to fp32's: a fast wrong vector is no rival."""

import numpy as np

# Below this the vectors are not those of the model, and the contestant does not count.
WRONG_BELOW = 0.9


def unit(vectors):
    vectors = vectors.astype(np.float64)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def ranks(values):
    """Places in ascending order; equal values in the order given."""
    places = np.empty(len(values))
    places[np.argsort(values, kind="stable")] = np.arange(len(values))
    return places


def agreement(vectors, reference):
    """Mean and worst cosine of each vector with the reference's, and Spearman's correlation of all similarities.

    @param vectors, reference  [texts, width]
    """
    ours, theirs = unit(vectors), unit(reference)
    cosines = (ours * theirs).sum(1)
    pairs = np.triu_indices(len(ours), 1)
    spearman = np.corrcoef(ranks((ours @ ours.T)[pairs]), ranks((theirs @ theirs.T)[pairs]))[0, 1]
    return {"mean": float(cosines.mean()), "worst": float(cosines.min()), "spearman": float(spearman)}
