"""Code points in four contexts, against the live package: ids and byte offsets. All of them in the long entry; else all of
the alphabets and signs, and every 16th of the ideographs, Hangul syllables, private use and planes from 2 on. An emulator gets
all up to the ideographs and every 16th behind them."""

import sys

import numpy as np
import summand_testing
import text_reference
from text_reference import VOCABULARIES, Probe, Refused, Tally, reference_tokenizer

CONTEXTS = {
    "alone": lambda c: c,
    "between letters": lambda c: f"a{c}b",
    "after a space": lambda c: f" {c}",
    "doubled": lambda c: c + c,
}
CHUNK = 8192
STEP = 16
SURROGATES = range(0xD800, 0xE000)
IDEOGRAPHS, HANGUL, PRIVATE, HIGHER_PLANES = range(0x3400, 0xA000), range(0xAC00, 0xD7A4), range(0xE000, 0xF900), range(0x20000, 0x110000)
ALIKE = [range(0x3400, 0x110000)] if summand_testing.EMULATOR else [IDEOGRAPHS, HANGUL, PRIVATE, HIGHER_PLANES]


def flat_reference(tokenizer, texts):
    """Tokens per text, ids and byte offsets [tokens, 2] of all texts, specials left out."""
    counts, ids, offsets = [], [], []
    for encoding in tokenizer.encode_batch(texts, add_special_tokens=False):
        got = encoding.ids
        counts.append(len(got))
        ids += got
        offsets += encoding.offsets
    counts = np.array(counts)
    points = np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32)
    sizes = 1 + (points >= 0x80) + (points >= 0x800) + (points >= 0x10000)
    byte_of = np.concatenate(([0], np.cumsum(sizes)))
    first = np.concatenate(([0], np.cumsum([len(t) for t in texts])[:-1]))
    start = np.repeat(first, counts)[:, None]
    places = np.array(offsets, dtype=np.int64).reshape(-1, 2) + start
    return counts, np.array(ids, np.int32), byte_of[places] - byte_of[start]


def is_compared(code_point):
    if code_point in SURROGATES:
        return False
    return summand_testing.LONG or code_point % STEP == 0 or not any(code_point in block for block in ALIKE)


def main():
    name = sys.argv[1]
    lowercase = name == "uncased"
    tokenizer = reference_tokenizer(VOCABULARIES[name], lowercase)
    code_points = list(filter(is_compared, range(0x110000)))
    tally = Tally()
    for start in range(0, len(code_points), CHUNK):
        chunk = [chr(c) for c in code_points[start : start + CHUNK]]
        for context, write in CONTEXTS.items():
            texts = [write(c) for c in chunk]
            probe = Probe()
            probe.load_vocabulary(VOCABULARIES[name], lowercase)
            probe.options(special=text_reference.OMIT)
            for text in texts:
                probe.encode(text)
            answers = probe.run()[1:]
            for text, answer in zip(texts, answers):
                assert not isinstance(answer, Refused), (text, answer)
            counts, ids, offsets = flat_reference(tokenizer, texts)
            got_counts = np.array([len(a.ids) for a in answers])
            got_ids = np.concatenate([a.ids for a in answers])
            got_offsets = np.stack(
                [np.concatenate([a.begins for a in answers]), np.concatenate([a.ends for a in answers])], axis=1
            )
            same = np.array_equal(counts, got_counts) and np.array_equal(ids, got_ids)
            if same and np.array_equal(offsets, got_offsets):
                tally.compared += len(texts)
                tally.counts[context] = tally.counts.get(context, 0) + len(texts)
                continue
            references = tokenizer.encode_batch(texts, add_special_tokens=False)
            for text, answer, reference in zip(texts, answers, references):
                starts = [text_reference.starts_of(text)]
                tally.check(text, text_reference.difference(answer, reference, starts), context)
    tally.finish({context: len(code_points) for context in CONTEXTS})


if __name__ == "__main__":
    main()
