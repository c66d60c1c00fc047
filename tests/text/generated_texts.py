"""Texts that a tokenizer may stumble over: seeded mixtures of scripts, marks, controls, long words and bad bytes."""

import random

SCRIPTS = {
    "latin": (0x21, 0x7F), "western": (0xA0, 0x250), "greek": (0x370, 0x400), "cyrillic": (0x400, 0x530),
    "hebrew": (0x590, 0x600), "arabic": (0x600, 0x700), "devanagari": (0x900, 0x980), "thai": (0xE00, 0xE80),
    "tibetan": (0xF00, 0x1000), "hangul": (0xAC00, 0xD7A4), "jamo": (0x1100, 0x1200), "kana": (0x3040, 0x3100),
    "han": (0x4E00, 0xA000), "compatibility": (0xF900, 0xFB00), "han_b": (0x20000, 0x20100),
    "vietnamese": (0x1E00, 0x2000), "punctuation": (0x2000, 0x2070), "symbols": (0x2100, 0x2C00),
    "javanese": (0xA980, 0xA9E0), "balinese": (0x1B00, 0x1B80), "music": (0x1D100, 0x1D200),
    "glagolitic_marks": (0x1E000, 0x1E030), "adlam": (0x1E900, 0x1E960), "any": (0x1, 0x110000),
}
MARKS = [*range(0x300, 0x370), *range(0x1DF5, 0x1E00), 0x8D4, 0x8E1, 0x302E, 0x302F, 0x1D165, 0x1D166, 0x1D16D, 0x1B44,
         0xA9C0, 0xA953, 0x5B0, 0x5C1, 0x64B, 0xF71, 0xF72, 0xF73, 0xF74, 0x1E000, 0x1E944, 0x344, 0x16FF0]
CONTROLS = ["\x00", "\ufffd", "\u200b", "\u200d", "\u200e", "\ufeff", "\x7f", "\x85", "\xad", "\ue000", "\U000e0001",
            "\U0010ffff", "\x01", "\x1f"]
SPACES = [" ", "  ", "\t", "\n", "\r\n", "\x0b", "\x0c", "\xa0", "\u3000", "\u2003", "\u2028", "\u1680", "\x1c"]
ENGLISH = ("the of and to in is was unaffable Istanbul tokenization don't it's e-mail naive antidisestablishmentarianism "
           "Hello WORLD embeddings 1984 3.14 U.S.A. [MASK] [CLS] [SEP] [UNK] [PAD] mask ##ing İstanbul straße ǅ Ω").split()
EMOJI = ["👩‍👩‍👧", "🏳️‍🌈", "👍🏽", "☎️", "🇩🇪", "❤"]
BAD_BYTES = [b"\xff", b"\xc3", b"\xe4\xb8", b"\xf0\x9f\x98", b"\xed\xa0\x80", b"\xc0\x80", b"\xf4\x90\x80\x80", b"\x80",
             b"\xe0\x80\x80", b"\xf5", b"\xe4\xb8\xff"]


def character(random_, script):
    low, high = SCRIPTS[script]
    while True:
        code_point = random_.randrange(low, high)
        if not 0xD800 <= code_point < 0xE000:
            return chr(code_point)


def long_word(random_):
    """About 100 characters, the length at which a word becomes unknown; some of them vanish or multiply."""
    length = random_.choice([98, 99, 100, 101, 102, 200])
    letter = random_.choice(["a", "é", "я", "각", "İ", "ab", "x\u0301", "q\x00", "\u1b44"])
    return letter * (length // len(letter)) + "b" * (length % len(letter))


def piece(random_):
    kind = random_.randrange(12)
    if kind < 3:
        return random_.choice(ENGLISH)
    if kind < 7:
        script = random_.choice(list(SCRIPTS))
        return "".join(character(random_, script) for _ in range(random_.randint(1, 8)))
    if kind < 9:
        base = random_.choice(["a", "e", "中", "각", "é", ".", " ", "", "ỗ", "\U0001d15e"])
        return base + "".join(chr(random_.choice(MARKS)) for _ in range(random_.randint(1, 6)))
    if kind == 9:
        return random_.choice(CONTROLS)
    if kind == 10:
        return random_.choice(EMOJI)
    return long_word(random_) if random_.random() < 0.2 else random_.choice(ENGLISH).upper()


def text(random_, extra=()):
    """A text; `extra` are further pieces that it may hold."""
    pieces = []
    for _ in range(random_.choice([0, 1, 2, 3, 5, 8, 13, 30])):
        pieces.append(random_.choice(extra) if extra and random_.random() < 0.4 else piece(random_))
        if random_.random() < 0.6:
            pieces.append(random_.choice(SPACES) if random_.random() < 0.3 else " ")
    return "".join(pieces)


def texts(count, seed, extra=()):
    random_ = random.Random(seed)
    return [text(random_, extra) for _ in range(count)]


def damaged(count, seed):
    """Byte strings, each with at least one place that is not UTF-8."""
    random_ = random.Random(seed)
    result = []
    while len(result) < count:
        data = bytearray(text(random_).encode())
        for _ in range(random_.randint(1, 5)):
            at = random_.randint(0, len(data))
            data[at:at] = random_.choice(BAD_BYTES)
        if random_.random() < 0.3:
            data = data[: random_.randint(0, len(data))]
        try:
            data.decode()
        except UnicodeDecodeError:
            result.append(bytes(data))
    return result
