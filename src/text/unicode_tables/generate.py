#!/usr/bin/env python3
"""Writes unicode_data.cpp by probing the installed `tokenizers` package, code point by code point.

The reference takes its character properties from several libraries with different Unicode versions (categories,
normalisation, the standard library, the regular expressions of added tokens), so no Unicode file describes it.
Everything here is asked of the running package; what the tables cannot express stops the generator.

    python src/text/unicode_tables/generate.py             # writes unicode_data.cpp beside this file
    python src/text/unicode_tables/generate.py --output F  # writes F
"""

import argparse
import pathlib
import unicodedata

import tokenizers
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers

VERSION = "0.23.3"
BLOCK = 128
CODE_POINTS = [c for c in range(0x110000) if not 0xD800 <= c < 0xE000]
HANGUL = range(0xAC00, 0xD7A4)

# One bit per question; the names are those of unicode_data.hpp.
REMOVED, BLANK, IDEOGRAPH, NONSPACING, PUNCTUATION, WHITESPACE, WORD, SPACE, DECOMPOSES, LOWERS, MARK = (
    1 << bit for bit in range(11)
)


def bert(clean=False, chinese=False, accents=False, lower=False):
    return normalizers.BertNormalizer(
        clean_text=clean, handle_chinese_chars=chinese, strip_accents=accents, lowercase=lower
    )


def one_of(code_point, got, answers):
    """The value that `answers` gives to what the package returned; anything else is a behaviour nobody has seen."""
    if got not in answers:
        raise SystemExit(f"U+{code_point:04X}: unexpected answer {got!r}")
    return answers[got]


def ask_normaliser(flags, decompositions, lowers):
    clean, chinese, accents, lower = bert(clean=True), bert(chinese=True), bert(accents=True), bert(lower=True)
    decompose = normalizers.NFD()
    split = pre_tokenizers.BertPreTokenizer()
    for code_point in CODE_POINTS:
        c = chr(code_point)
        between = f"a{c}b"
        kept = BLANK if c == " " else 0
        flags[code_point] |= one_of(
            code_point, clean.normalize_str(between), {"a b": BLANK, "ab": REMOVED, between: kept}
        )
        flags[code_point] |= one_of(code_point, chinese.normalize_str(between), {between: 0, f"a {c} b": IDEOGRAPH})
        decomposed = decompose.normalize_str(between)[1:-1]
        if decomposed != c:
            decompositions[code_point] = decomposed
            flags[code_point] |= DECOMPOSES
        else:
            flags[code_point] |= one_of(code_point, accents.normalize_str(between), {between: 0, "ab": NONSPACING})
        lowered = lower.normalize_str(between)[1:-1]
        if lowered != c:
            lowers[code_point] = lowered
            flags[code_point] |= LOWERS
        words = tuple(word for word, _ in split.pre_tokenize_str(between))
        flags[code_point] |= one_of(
            code_point, words, {(between,): 0, ("a", "b"): WHITESPACE, ("a", c, "b"): PUNCTUATION}
        )
    for code_point, decomposed in decompositions.items():
        stripped = accents.normalize_str(f"a{chr(code_point)}b")[1:-1]
        if stripped != "".join(c for c in decomposed if not flags[ord(c)] & NONSPACING):
            raise SystemExit(f"U+{code_point:04X}: accents are not stripped from the decomposition")


def ask_added_tokens(flags):
    """Which characters keep a single-word token from matching, and which are taken by the strip flags."""
    tokenizer = Tokenizer(models.WordPiece({"[UNK]": 0}, unk_token="[UNK]"))
    tokenizer.add_tokens([
        AddedToken("<one>", single_word=True, normalized=False),
        AddedToken("<strip>", rstrip=True, normalized=False),
    ])
    one = tokenizer.token_to_id("<one>")
    for start in range(0, len(CODE_POINTS), 4096):
        chunk = CODE_POINTS[start : start + 4096]
        for code_point, encoding in zip(chunk, tokenizer.encode_batch([f"<one>{chr(c)}" for c in chunk])):
            flags[code_point] |= 0 if encoding.ids[0] == one else WORD
        for code_point, encoding in zip(chunk, tokenizer.encode_batch([f"<strip>{chr(c)}" for c in chunk])):
            flags[code_point] |= one_of(code_point, encoding.offsets[0][1], {7: 0, 8: SPACE})


def ask_own_steps(flags):
    """What the package's own StripAccents drops; and that its Whitespace splits by WORD and SPACE."""
    strip, split = normalizers.StripAccents(), pre_tokenizers.Whitespace()
    for code_point in CODE_POINTS:
        c = chr(code_point)
        between = f"a{c}b"
        flags[code_point] |= one_of(code_point, strip.normalize_str(between), {between: 0, "ab": MARK})
        words = tuple(word for word, _ in split.pre_tokenize_str(between))
        kind = one_of(code_point, words, {(between,): WORD, ("a", "b"): SPACE, ("a", c, "b"): 0})
        if flags[code_point] & (WORD | SPACE) != kind:
            raise SystemExit(f"U+{code_point:04X}: Whitespace and the added tokens see different characters")


def ask_orders(decompositions):
    """Rank of each combining mark in canonical ordering: 0 never moves; equal ranks keep the order of the text."""
    decompose = normalizers.NFD()

    def moves(first, second):
        text = f"a{chr(first)}{chr(second)}"
        return decompose.normalize_str(text) != text

    plain = [c for c in CODE_POINTS if c not in decompositions]
    lowest, highest = 0x0334, 0x0345
    marks = [c for c in plain if moves(highest, c) or moves(c, lowest)]
    probes = {}
    for mark in marks:
        probes.setdefault(unicodedata.combining(chr(mark)), mark)
    representatives = sorted(probes.values())
    below = {mark: sum(moves(mark, other) for other in representatives) for mark in marks}
    above = {mark: sum(moves(other, mark) for other in representatives) for mark in marks}
    ranks = {position: rank for rank, position in enumerate(sorted({(below[m], -above[m]) for m in marks}), start=1)}
    return {mark: ranks[below[mark], -above[mark]] for mark in marks}


def check_hangul(decompositions):
    for code_point in HANGUL:
        index = code_point - HANGUL.start
        expected = chr(0x1100 + index // 588) + chr(0x1161 + index % 588 // 28)
        expected += chr(0x11A7 + index % 28) if index % 28 else ""
        if decompositions.pop(code_point) != expected:
            raise SystemExit(f"U+{code_point:04X}: not decomposed by the rule for Hangul syllables")


def wrapped(values):
    """The values, comma-separated, in lines of at most 120 characters."""
    lines, line = [], "   "
    for value in values:
        if len(line) + len(value) + 2 > 120:
            lines.append(line)
            line = "   "
        line += f" {value},"
    return "\n".join(lines + [line])


def source(flags, orders, decompositions, lowers):
    properties, block_numbers, index = {}, {}, []
    for start in range(0, 0x110000, BLOCK):
        block = tuple(
            properties.setdefault((flags[c], orders.get(c, 0)), len(properties)) for c in range(start, start + BLOCK)
        )
        index.append(block_numbers.setdefault(block, len(block_numbers)))
    if len(properties) > 256 or any(len(lowered) > 2 for lowered in lowers.values()):
        raise SystemExit("the tables are too small for this version")
    pool, rows = [], []
    for code_point, decomposed in sorted(decompositions.items()):
        rows.append(f"{{0x{code_point:X}, {len(pool)}, {len(decomposed)}}}")
        pool.extend(f"0x{ord(c):X}" for c in decomposed)
    lower_rows = [
        f"{{0x{c:X}, 0x{ord(l[0]):X}, {hex(ord(l[1])) if len(l) > 1 else 0}}}" for c, l in sorted(lowers.items())
    ]
    parts = [
        ("Property", "properties", [f"{{0x{f:X}, {o}}}" for f, o in properties]),
        ("uint16_t", "block_of", [str(b) for b in index]),
        ("uint8_t", "property_of", [str(p) for block in block_numbers for p in block]),
        ("char32_t", "decomposition_pool", pool),
        ("Decomposition", "decompositions", rows),
        ("Lowering", "lowerings", lower_rows),
    ]
    text = [
        "// Written by src/text/unicode_tables/generate.py from what tokenizers " + VERSION + " does. Do not edit.",
        "// clang-format off",
        '#include "text/unicode_tables/unicode_data.hpp"',
        "",
        "namespace summand::text::unicode_data {",
    ]
    for kind, name, values in parts:
        text += ["", f"const std::array<{kind}, {len(values)}> {name}_data{{{{", wrapped(values), "}};"]
    text.append("")
    for kind, name, _ in parts:
        text.append(f"const std::span<const {kind}> {name}{{{name}_data}};")
    text += ["", "}  // namespace summand::text::unicode_data", ""]
    return "\n".join(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path(__file__).with_name("unicode_data.cpp"))
    arguments = parser.parse_args()
    if tokenizers.__version__ != VERSION:
        raise SystemExit(f"tokenizers {VERSION} expected, {tokenizers.__version__} found")
    flags, decompositions, lowers = [0] * 0x110000, {}, {}
    ask_normaliser(flags, decompositions, lowers)
    ask_added_tokens(flags)
    ask_own_steps(flags)
    orders = ask_orders(decompositions)
    check_hangul(decompositions)
    arguments.output.write_text(source(flags, orders, decompositions, lowers), encoding="utf-8")


if __name__ == "__main__":
    main()
