"""Windows against the live package's stride, where the two mean the same: every word is one token."""

import random

from text_reference import VOCABULARIES, Probe, Refused, Tally, difference, reference_tokenizer, starts_of

WORDS = ["the", "house", "我", "[MASK]", ".", "x" * 101, "river", "Ünder"]


def text_of(random_, words):
    return " ".join(random_.choice(WORDS) for _ in range(words))


def cases():
    """(first, second or None, longest window, overlap): texts of one-token words that mostly need several windows."""
    random_ = random.Random(5)
    for _ in range(600):
        pair = random_.random() < 0.5
        first = text_of(random_, random_.randint(0, 6 if pair else 60))
        second = text_of(random_, random_.randint(0, 60)) if pair else None
        yield first, second, random_.randint(14, 40), random_.randint(0, 3)


def problem_of(windows, reference, starts):
    if isinstance(windows, Refused):
        return f"refused: {windows}"
    expected = [reference, *reference.overflowing]
    if len(windows) != len(expected):
        return f"expected {len(expected)} windows, got {len(windows)}"
    return next(filter(None, (difference(a, b, starts) for a, b in zip(windows, expected))), None)


def main():
    tokenizer = reference_tokenizer(VOCABULARIES["uncased"], True)
    probe, tally, kept = Probe(), Tally(), []
    probe.load_vocabulary(VOCABULARIES["uncased"], True)
    for first, second, longest, overlap in cases():
        tokenizer.no_truncation()
        for text in filter(None, (first, second)):
            whole = tokenizer.encode(text)
            assert len(set(whole.word_ids)) - 1 == len(whole.ids) - 2, "a word of several tokens: only ours keeps it whole"
        tokenizer.enable_truncation(longest, stride=overlap, strategy="only_first" if second is None else "only_second")
        kept.append((first, second, longest, tokenizer.encode(first, second)))
        probe.divide(first, second, longest, overlap)
    for (first, second, longest, reference), windows in zip(kept, probe.run()[1:]):
        kind = ("pair" if second is not None else "text") + (" divided" if reference.overflowing else "")
        tally.check((first, second, longest), problem_of(windows, reference, [starts_of(first), starts_of(second or "")]), kind)
    tally.finish(EXPECTED)


EXPECTED = {"text divided": 174, "pair": 113, "pair divided": 188, "text": 125}

if __name__ == "__main__":
    main()
