"""Texts and pairs of many lengths, cut in every way to many lengths, errors included, against the live package."""

import itertools
import random

import text_reference
from text_reference import ADD, OMIT, VOCABULARIES, Probe, Refused, Tally, difference, reference_tokenizer

# Words of one and of several tokens, and added tokens, which the reference counts differently when it stops early.
WORDS = ["the", "house", "unaffable", "antidisestablishmentarianism", "[MASK]", ".", "[SEP]"]
STRATEGIES = ("longest_first", "only_first", "only_second")
LENGTHS = (0, 1, 2, 3, 5, 8, 13)
LIMITS = (0, 1, 2, 3, 4, 5, 6, 7, 8, 11, 16, 17, 64)


def cases():
    random_ = random.Random(3)

    def text(words):
        return " ".join(random_.choice(WORDS) for _ in range(words))

    for lengths in itertools.product(LENGTHS, (None,) + LENGTHS):
        for _ in range(3):
            yield text(lengths[0]), None if lengths[1] is None else text(lengths[1])


def reference_encoding(tokenizer, first, second, add):
    """The reference's encoding, or the message of its error."""
    try:
        return tokenizer.encode(first, second, add_special_tokens=add)
    except Exception as error:
        return f"{error}"


def head_tail_problem(answer, whole, lengths):
    """Whether a part of `whole`, cut to each of `lengths`, is 128 of 510 parts beginning and the rest end."""
    if isinstance(answer, Refused):
        return f"refused: {answer}"
    expected = []
    for sequence, room in enumerate(lengths):
        ids = [i for i, s, special in zip(whole.ids, whole.sequence_ids, whole.special_tokens_mask)
               if s == sequence and not special]
        head = room * 128 // 510
        expected += ids if len(ids) <= room else ids[:head] + ids[len(ids) - (room - head):]
    got = answer.ids[answer.special == 0].tolist()
    return None if got == expected else f"head_tail: expected {expected}, got {got}"


def main():
    tokenizer = reference_tokenizer(VOCABULARIES["uncased"], True)
    plain = reference_tokenizer(VOCABULARIES["uncased"], True)
    from_left = reference_tokenizer(VOCABULARIES["uncased"], True)
    texts = list(cases())
    tally = Tally()
    for special, limit, strategy in itertools.product((ADD, OMIT), LIMITS, STRATEGIES):
        probe = Probe()
        probe.load_vocabulary(VOCABULARIES["uncased"], True)
        for truncation in (strategy, "none", "head_tail", "tail"):
            probe.options(special, truncation, limit)
            for first, second in texts:
                probe.encode(first) if second is None else probe.encode_pair(first, second)
        answers = probe.run()[1:]
        tokenizer.enable_truncation(limit, strategy=strategy)
        from_left.enable_truncation(limit, strategy="longest_first", direction="left")
        for (first, second), cut, uncut, head_tail, tail in zip(
            texts, *(answers[i * len(texts) : (i + 1) * len(texts)] for i in range(4))
        ):
            what = (special, limit, strategy, first, second)
            around = 0 if special == OMIT else 2 if second is None else 3
            whole = plain.encode(first, second, add_special_tokens=special == ADD)
            problem = None
            if limit < around:
                # The reference's unsigned arithmetic wraps and it cuts nothing; here it is an error.
                tally.check(what, None if isinstance(cut, Refused) and "special tokens" in str(cut) else cut, "no room")
                continue
            reference = reference_encoding(tokenizer, first, second, special == ADD)
            if isinstance(reference, str):
                assert reference.startswith("Truncation error"), reference
                problem = None if isinstance(cut, Refused) else f"expected an error: {reference}"
                tally.check(what, problem, "errors")
                continue
            starts = [text_reference.starts_of(first), text_reference.starts_of(second or "")]
            problem = difference(cut, reference, starts)
            if not problem and cut.cut != len(whole.ids) - len(reference.ids):
                problem = f"cut: expected {len(whole.ids) - len(reference.ids)}, got {cut.cut}"
            tally.check(what, problem, "cut" if len(whole.ids) > limit else "whole")
            if strategy != "longest_first":
                continue
            tally.check(what, difference(tail, from_left.encode(first, second, add_special_tokens=special == ADD), starts), "tail")
            if len(whole.ids) > limit:
                refused = isinstance(uncut, Refused) and str(len(whole.ids)) in str(uncut) and str(limit) in str(uncut)
                tally.check(what, None if refused else f"none: expected an error, got {uncut}", "none")
                sizes = [sum(1 for s, m in zip(reference.sequence_ids, reference.special_tokens_mask)
                             if s == part and not m) for part in (0, 1)]
                tally.check(what, head_tail_problem(head_tail, whole, sizes), "head_tail")
            else:
                tally.check(what, difference(uncut, whole, starts), "none")
                tally.check(what, difference(head_tail, whole, starts), "head_tail")
    tally.finish(EXPECTED)


EXPECTED = {"no room": 1449, "whole": 3579, "none": 3885, "head_tail": 3885, "tail": 3885, "cut": 4869, "errors": 3207}

if __name__ == "__main__":
    main()
