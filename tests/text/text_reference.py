"""Asks text_probe and the installed `tokenizers`, and compares: ids, byte offsets, segments, words, special marks."""

import codecs
import dataclasses
import struct
import subprocess
import sys

import numpy as np
import summand_testing

VOCABULARIES = {
    name: summand_testing.DATA / "vocab" / f"bert-base-{name}.txt" for name in ("uncased", "cased", "chinese")
}
TRUNCATIONS = ("longest_first", "only_first", "only_second", "none", "head_tail", "tail")
ADD, OMIT = 0, 1  # SpecialTokens


@dataclasses.dataclass
class Encoded:
    """One answer of text_probe; the vectors are numpy arrays of int32."""

    ids: np.ndarray
    segments: np.ndarray
    begins: np.ndarray
    ends: np.ndarray
    words: np.ndarray
    special: np.ndarray
    cut: int


class Refused(Exception):
    """The message of an error that text_probe answered with."""


class Probe:
    """Collects requests and sends them in one go."""

    def __init__(self):
        self.requests, self.answers = bytearray(), []

    def string(self, text):
        data = text if isinstance(text, bytes) else str(text).encode("utf-8", "surrogatepass")
        self.requests += struct.pack("=I", len(data)) + data

    def load(self, directory):
        self.requests += b"L"
        self.string(directory)
        self.answers.append("none")

    def load_vocabulary(self, path, lowercase):
        self.requests += b"V"
        self.string(path)
        self.requests += bytes([int(lowercase)])
        self.answers.append("none")

    def options(self, special=ADD, truncation="longest_first", limit=None):
        self.requests += struct.pack(
            "=cBBBI", b"O", special, TRUNCATIONS.index(truncation), limit is not None, limit or 0
        )

    def encode(self, text):
        self.requests += b"E"
        self.string(text)
        self.answers.append("encoding")

    def encode_pair(self, first, second):
        self.requests += b"P"
        self.string(first)
        self.string(second)
        self.answers.append("encoding")

    def encode_words(self, words):
        self.requests += struct.pack("=cI", b"W", len(words))
        for word in words:
            self.string(word)
        self.answers.append("encoding")

    def divide(self, first, second, max_length, overlap):
        self.requests += struct.pack("=cIIB", b"S", max_length, overlap, second is not None)
        self.string(first)
        self.string(second or "")
        self.answers.append("encodings")

    def decode(self, ids, special=ADD):
        self.requests += struct.pack(f"=cBI{len(ids)}i", b"D", special, len(ids), *ids)
        self.answers.append("string")

    def describe(self):
        self.requests += b"I"
        self.answers.append("string")

    def run(self):
        """The answers in order: Encoded, a list of them, str, None or Refused. After a refused load the other requests are refused too."""
        done = subprocess.run([summand_testing.BIN / "text_probe"], input=bytes(self.requests), stdout=subprocess.PIPE)
        if done.returncode != 0:
            sys.exit(f"text_probe ended with {done.returncode}")
        reader = _Reader(done.stdout)
        answers = [reader.answer(kind) for kind in self.answers]
        assert reader.at == len(done.stdout), "text_probe answered more than was asked"
        return answers


class _Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self):
        self.at += 4
        return int.from_bytes(self.data[self.at - 4 : self.at], sys.byteorder)

    def string(self):
        length = self.number()
        self.at += length
        return self.data[self.at - length : self.at].decode("utf-8", "replace")

    def answer(self, kind):
        self.at += 1
        if self.data[self.at - 1] != 0:
            return Refused(self.string())
        if kind == "none":
            return None
        if kind == "string":
            return self.string()
        if kind == "encodings":
            return [self.encoding() for _ in range(self.number())]
        return self.encoding()

    def encoding(self):
        count = self.number()
        fields = np.frombuffer(self.data, np.int32, 6 * count, self.at).reshape(6, count)
        self.at += 24 * count
        return Encoded(*fields, self.number())


def decode_replacing(data):
    """The text that Python's errors='replace' makes of bytes, and for each of its characters where it begins."""
    try:
        text = data.decode("utf-8")
        return text, starts_of(text)
    except UnicodeDecodeError:
        pass
    pieces, starts, at = [], [], 0
    while at < len(data):
        for length in (1, 2, 3, 4):
            try:
                pieces.append(data[at : at + length].decode("utf-8"))
                break
            except UnicodeDecodeError as error:
                if error.reason != "unexpected end of data" or at + length >= len(data) or length == 4:
                    length = error.end - error.start
                    pieces.append("\ufffd")
                    break
        starts.append(at)
        at += length
    text = "".join(pieces)
    assert text == data.decode("utf-8", "replace"), "the test reads invalid bytes wrongly"
    return text, starts + [len(data)]


def starts_of(text):
    """Byte position of every character of a text, and its size."""
    if text.isascii():
        return range(len(text) + 1)
    starts, at = [0], 0
    for c in text:
        at += 1 if c < "\x80" else 2 if c < "\u0800" else 3 if c < "\U00010000" else 4
        starts.append(at)
    return starts


def byte_offsets(encoding, starts_of_sequence, added_around):
    """The reference's character offsets as byte offsets.

    `starts_of_sequence[i]` belongs to text i of a pair; `added_around` marks special tokens, which stay at (0, 0).
    """
    result = []
    for (begin, end), sequence, special in zip(encoding.offsets, encoding.sequence_ids, added_around):
        if special or sequence is None:
            result.append((0, 0))
        else:
            starts = starts_of_sequence[sequence]
            result.append((starts[begin], starts[end]))
    return result


def difference(ours, reference, starts):
    """Why an answer differs from the reference's encoding, or nothing. `starts` as for byte_offsets."""
    if isinstance(ours, Refused):
        return f"refused: {ours}"
    pairs = (
        ("ids", ours.ids.tolist(), reference.ids),
        ("segments", ours.segments.tolist(), reference.type_ids),
        ("offsets", list(zip(ours.begins.tolist(), ours.ends.tolist())),
         byte_offsets(reference, starts, reference.special_tokens_mask)),
        ("words", ours.words.tolist(), [-1 if w is None else w for w in reference.word_ids]),
        ("special", ours.special.tolist(), reference.special_tokens_mask),
    )
    for name, got, expected in pairs:
        if got != expected:
            return f"{name}: expected {expected}, got {got}"
    return None


class Tally:
    """Counts comparisons and differences; the test ends with its verdict."""

    def __init__(self):
        self.compared, self.different, self.counts = 0, 0, {}

    def check(self, what, problem, kind="texts"):
        self.compared += 1
        self.counts[kind] = self.counts.get(kind, 0) + 1
        if problem:
            self.different += 1
            if self.different <= 10:
                print(f"{what!r}: {problem}"[:1500])

    def finish(self, expected):
        """Ends the test; `expected` says how many comparisons of each kind there must have been."""
        print(f"{self.compared} comparisons, {self.different} differences; {self.counts}")
        if self.counts != expected:
            sys.exit(f"expected the counts {expected}")
        sys.exit(1 if self.different else 0)


def reference_tokenizer(vocabulary, lowercase, strip_accents=None, **settings):
    """BERT's tokenizer over a vocab.txt, put together from the parts of `tokenizers`."""
    import tokenizers
    from tokenizers import AddedToken, decoders, models, normalizers, pre_tokenizers, processors

    if tokenizers.__version__ != "0.23.3":
        sys.exit(f"tokenizers 0.23.3 expected, {tokenizers.__version__} found")
    tokenizer = tokenizers.Tokenizer(models.WordPiece.from_file(str(vocabulary), unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=settings.get("clean_text", True),
        handle_chinese_chars=settings.get("handle_chinese_chars", True),
        strip_accents=strip_accents,
        lowercase=lowercase,
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece(prefix="##")
    tokenizer.add_special_tokens(
        [AddedToken(t, special=True, normalized=False) for t in ("[UNK]", "[SEP]", "[PAD]", "[CLS]", "[MASK]")]
    )
    tokenizer.post_processor = processors.BertProcessing(
        ("[SEP]", tokenizer.token_to_id("[SEP]")), ("[CLS]", tokenizer.token_to_id("[CLS]"))
    )
    return tokenizer
