"""tokenizer.json with random settings and added tokens of all 32 flag combinations; decoding; words already split."""

import itertools
import json
import pathlib
import random
import tempfile

import generated_texts
import text_reference
from text_reference import ADD, OMIT, Probe, Refused, Tally, difference

CONTENTS = ["<a>", "<a>b", "[X]", "Foo", "foo bar", "İx", "é", "中", "##ing", "new", " s ", "a", "ß", "x\u0301y", "\x00n",
            "日本", "\u1b44", "[MASK]", "un", "Ω!", "-", "\u3000", "\ufffd", "naïve"]
PIECES = ["a", "b", "c", "x", "y", "f", "o", "foo", "bar", "##o", "##a", "##b", "é", "e", "##e", "i", "##x", "ss", "ß", "日",
          "本", "中", "un", "##aff", "##able", "n", "##ew", "ne", "##ï", "-", ".", "!", "[", "]", "m", "##ask", "[MASK]", "ㄱ",
          "ᄀ", "##ᅡ", "я", "##я", "0", "##1", "ω", "<", ">", "/", "aa", "@@b", "@@", "bb", "\u0301", "\x00", " "]
# What the decoder's cleaning changes: it works on one token with the space before it.
CLEANED = [".", "?", "!", ",", "' ", "n't", "'m", "do not", "'s", "'ve", "'re", "x ' y", "do n't .", "a , 'm 've", "## ."]
TEXTS, DAMAGED, FILES, DECODINGS = 60, 20, 256, 40


def added_tokens(random_, flags):
    """One token with the given flags and some with others; no two have the same form, which the reference leaves open."""
    contents = random_.sample(CONTENTS, random_.randint(2, 7))
    tokens, forms = [], set()
    for content in contents:
        form = content.lower().replace("\u0301", "").replace("ï", "i").replace("é", "e").replace("i̇", "i")
        if form.strip("\x00") in forms or form in ("\u3000",) and " s " in contents:
            continue
        forms.add(form.strip("\x00"))
        names = ("special", "single_word", "lstrip", "rstrip", "normalized")
        tokens.append({"id": 1000 + len(tokens), "content": content, **dict(zip(names, flags))})
        flags = [random_.random() < 0.5 for _ in names]
    return tokens


def vanishes(token, normalizer):
    """Whether nothing is left of a token to look for; the reference then cuts texts to pieces or panics."""
    return token["normalized"] and bool(normalizer) and normalizer["clean_text"] and token["content"] == "\ufffd"


def template(random_, ids):
    special = {"[A]": {"id": "[A]", "ids": [7], "tokens": ["[A]"]}, "[B]": {"id": "[B]", "ids": [8, 9], "tokens": ["b", "c"]}}

    def pieces(sequences):
        result = []
        for sequence in sequences:
            if random_.random() < 0.7:
                result.append({"SpecialToken": {"id": random_.choice(["[A]", "[B]"]), "type_id": random_.randrange(3)}})
            result.append({"Sequence": {"id": sequence, "type_id": random_.randrange(3)}})
        result.append({"SpecialToken": {"id": "[A]", "type_id": 1}})
        return result

    pair = random_.choice(["AB", "AB", "BA"])
    return {"type": "TemplateProcessing", "single": pieces("A"), "pair": pieces(pair), "special_tokens": special}


def tokenizer_json(random_, flags):
    prefix = random_.choice(["##", "##", "@@", "", "a"])
    pieces = random_.sample(PIECES, random_.randint(20, len(PIECES))) + CLEANED + ["[UNK]"]
    vocabulary = {piece: number for number, piece in enumerate(dict.fromkeys(pieces))}
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added_tokens(random_, flags),
        "normalizer": random_.choice([None] + 9 * [{
            "type": "BertNormalizer",
            "clean_text": random_.random() < 0.7,
            "handle_chinese_chars": random_.random() < 0.7,
            "strip_accents": random_.choice([None, True, False]),
            "lowercase": random_.random() < 0.5,
        }]),
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": random_.choice([
            None, template(random_, vocabulary), {"type": "BertProcessing", "sep": ["[SEP]", 5], "cls": ["[CLS]", 6]}
        ]),
        "decoder": random_.choice([None, {"type": "WordPiece", "prefix": prefix, "cleanup": random_.random() < 0.5}]),
        "model": {
            "type": "WordPiece",
            "unk_token": "[UNK]",
            "continuing_subword_prefix": prefix,
            "max_input_chars_per_word": random_.choice([100, 100, 5, 1, 0, 1000]),
            "vocab": vocabulary,
        },
    }


def compare_file(directory, data, seed, tally):
    import tokenizers

    random_ = random.Random(seed)
    (directory / "tokenizer.json").write_text(json.dumps(data))
    tokenizer = tokenizers.Tokenizer.from_file(str(directory / "tokenizer.json"))
    special = random_.choice([ADD, OMIT])
    probe = Probe()
    probe.load(directory)
    probe.options(special=special)
    extra = [t["content"] for t in data["added_tokens"]] + ["foo", "FOO", "x", "_", " ", "  ", "(", "unaffable", "\u3000"]
    texts = generated_texts.texts(TEXTS, seed, extra)
    for text in texts:
        probe.encode(text)
    damaged = generated_texts.damaged(DAMAGED, seed)
    for text in damaged:
        probe.encode(text)
    word_lists = [[random_.choice(extra + texts[:5]) for _ in range(random_.randrange(6))] for _ in range(TEXTS // 4)]
    for words in word_lists:
        probe.encode_words(words)
    pairs = [(random_.choice(texts), random_.choice(texts)) for _ in range(TEXTS // 4)]
    for first, second in pairs:
        probe.encode_pair(first, second)
    id_lists = [[random_.randrange(-1, tokenizer.get_vocab_size() + 3) for _ in range(20)] for _ in range(DECODINGS)]
    for ids in id_lists:
        probe.decode(ids, special)
    answers = iter(probe.run())
    loaded = next(answers)
    if any(vanishes(token, data["normalizer"]) for token in data["added_tokens"]):
        refused = isinstance(loaded, Refused) and "normalisation leaves something" in str(loaded)
        tally.check(data, None if refused else f"expected an error, got {loaded}", "refused files")
        return
    assert not isinstance(loaded, Refused), (loaded, data)
    add = special == ADD
    for text in texts:
        reference = reference_encoding(tokenizer, text, add_special_tokens=add)
        tally.check((data, text), text_difference(next(answers), reference, [text]), "texts")
    for data_given in damaged:
        text, starts = text_reference.decode_replacing(data_given)
        reference = reference_encoding(tokenizer, text, add_special_tokens=add)
        answer = next(answers)
        tally.check((data, data_given), difference(answer, reference, [starts]) if reference else None, "damaged")
    for words in word_lists:
        reference = reference_encoding(tokenizer, words, is_pretokenized=True, add_special_tokens=add)
        tally.check((data, words), word_difference(next(answers), reference, words), "word lists")
    for first, second in pairs:
        reference = reference_encoding(tokenizer, first, second, add_special_tokens=add)
        tally.check((data, first, second), text_difference(next(answers), reference, [first, second]), "pairs")
    for ids in id_lists:
        expected = tokenizer.decode([i for i in ids if i >= 0], skip_special_tokens=not add)
        got = next(answers)
        tally.check((data, ids), None if got == expected else f"expected {expected!r}, got {got!r}", "decodings")


def reference_encoding(tokenizer, *arguments, **options):
    """The reference's encoding; nothing where it panics, as it does when stripped tokens overlap."""
    try:
        return tokenizer.encode(*arguments, **options)
    except BaseException as error:
        if type(error).__name__ != "PanicException" or "bad split" not in str(error):
            raise
        return None


def text_difference(ours, reference, texts):
    return difference(ours, reference, [text_reference.starts_of(t) for t in texts]) if reference else None


def word_difference(ours, reference, words):
    """As difference(), with offsets that begin anew in each word."""
    if reference is None:
        return None
    if isinstance(ours, Refused):
        return f"refused: {ours}"
    offsets = [
        (0, 0) if word is None else tuple(text_reference.starts_of(words[word])[place] for place in offset)
        for offset, word in zip(reference.offsets, reference.word_ids)
    ]
    got = list(zip(ours.begins.tolist(), ours.ends.tolist()))
    if ours.ids.tolist() != reference.ids or got != offsets:
        return f"expected {reference.ids} {offsets}, got {ours.ids.tolist()} {got}"
    if ours.words.tolist() != [-1 if w is None else w for w in reference.word_ids]:
        return f"words: expected {reference.word_ids}, got {ours.words.tolist()}"
    return None


def main():
    tally = Tally()
    all_flags = list(itertools.product([False, True], repeat=5))
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(FILES):
            data = tokenizer_json(random.Random(seed), all_flags[seed % len(all_flags)])
            compare_file(pathlib.Path(directory), data, seed, tally)
    files = FILES - tally.counts.get("refused files", 0)
    assert files > FILES * 3 // 4, "too few of the files can be compared"
    tally.finish({"texts": files * TEXTS, "damaged": files * DAMAGED, "word lists": files * (TEXTS // 4), "pairs": files * (TEXTS // 4),
                  "decodings": files * DECODINGS, "refused files": FILES - files})


if __name__ == "__main__":
    main()
