"""20,000 generated strings under four settings, and damaged bytes, against the live package."""

import generated_texts
import text_reference
from text_reference import VOCABULARIES, Probe, Tally, difference, reference_tokenizer

SETTINGS = [("uncased", True), ("uncased", False), ("cased", False), ("chinese", True)]
STRINGS, DAMAGED = 20_000, 4_000


def compare(name, lowercase, texts, tally):
    tokenizer = reference_tokenizer(VOCABULARIES[name], lowercase)
    probe = Probe()
    probe.load_vocabulary(VOCABULARIES[name], lowercase)
    for text in texts:
        probe.encode(text)
    given = [text_reference.decode_replacing(t) if isinstance(t, bytes) else (t, None) for t in texts]
    references = tokenizer.encode_batch([text for text, _ in given])
    for text, (decoded, starts), answer, reference in zip(texts, given, probe.run()[1:], references):
        starts = [starts or text_reference.starts_of(decoded)]
        kind = "damaged" if isinstance(text, bytes) else "strings"
        tally.check(text, difference(answer, reference, starts), f"{kind} {name} {lowercase}")


def main():
    strings = generated_texts.texts(STRINGS, seed=1)
    damaged = generated_texts.damaged(DAMAGED, seed=2)
    tally = Tally()
    for name, lowercase in SETTINGS:
        compare(name, lowercase, strings, tally)
        compare(name, lowercase, damaged, tally)
    expected = {}
    for name, lowercase in SETTINGS:
        expected |= {f"strings {name} {lowercase}": STRINGS, f"damaged {name} {lowercase}": DAMAGED}
    tally.finish(expected)


if __name__ == "__main__":
    main()
