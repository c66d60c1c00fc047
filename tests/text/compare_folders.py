"""Folders in every combination of files, classes and keys against AutoTokenizer: which of them decides about a text."""

import copy
import json
import os
import pathlib
import random
import sys
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import generated_texts
import text_reference
from text_reference import ADD, OMIT, Probe, Refused, Tally, difference

VOCABULARY = """[PAD] [UNK] [CLS] [SEP] [MASK] the The capital of paris Paris PARIS e ##lan é ##é elan élan ##n ##t a ##a ##b b c d f g i
 o l p s t n u new New ##ew un ##aff ##able unaff ##s 中 国 ##国 中国 [X] . , ! ' - ... ?! _ ##_ ##1 1 <new> plain Plain ( ) क ##ि कि foo bar
 ##o ##x x ß ss @ ##@@ @@b you don ' don't""".split()
VOCABULARY = list(dict.fromkeys(VOCABULARY))
OF_BERT = ("BertTokenizer", "ElectraTokenizer", "MobileBertTokenizer", "ConvBertTokenizer", "SqueezeBertTokenizer",
           "LxmertTokenizer", "LayoutLMTokenizer", "DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer",
           "DistilBertTokenizer")
OF_BERT += tuple(f"{name}Fast" for name in OF_BERT)
OF_FILE = ("PreTrainedTokenizerFast", "TokenizersBackend", "PreTrainedTokenizer", "PythonBackend")
FIXED = ["", " ", "The Capital of PARIS élan", "the [MASK] of [CLS] paris", "  [MASK]  new<new>Plain plain  Plain, plain_ x",
         "中国 a中b", "कि e\u0301lan \u200b \ufffd x\x07y don't you?!...", "zzzz unaffable!", "[X][SEP] [PAD]", "newNEW New",
         "the the the the the the the the the the the the of paris a b c d e f g", "<z> <q>qq <image> [X]b"]
TEXTS = 8
FOLDERS = 420


def token(content, **flags):
    base = {"content": content, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    return {**base, **flags}


def drawn_token(random_, content):
    return token(content, **{flag: random_.random() < 0.4 for flag in ("single_word", "lstrip", "rstrip", "normalized", "special")})


NORMALIZERS = [
    lambda lower, accents, chinese, clean: {"type": "BertNormalizer", "clean_text": clean, "handle_chinese_chars": chinese,
                                            "strip_accents": accents, "lowercase": lower},
    lambda lower, accents, chinese, clean: {"type": "Sequence", "normalizers": [{"type": "NFD"}, {"type": "Lowercase"}, {"type": "StripAccents"}]},
    lambda lower, accents, chinese, clean: {"type": "Sequence", "normalizers": [{"type": "Lowercase"}, NORMALIZERS[0](False, accents, chinese, clean)]},
    lambda lower, accents, chinese, clean: {"type": "StripAccents"},
    lambda lower, accents, chinese, clean: None,
]
CLS_SEP = {name: {"id": name, "ids": [VOCABULARY.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]", "[X]")}


def template(*pieces):
    parts = []
    for name, segment in pieces:
        kind = "Sequence" if len(name) == 1 else "SpecialToken"
        parts.append({kind: {"id": name, "type_id": segment}})
    return parts


POST_PROCESSORS = [
    {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    {"type": "TemplateProcessing", "single": template(("[CLS]", 0), ("A", 0), ("[SEP]", 0)),
     "pair": template(("[CLS]", 0), ("A", 0), ("[SEP]", 0), ("B", 1), ("[SEP]", 1)), "special_tokens": CLS_SEP},
    {"type": "TemplateProcessing", "single": template(("[X]", 1), ("A", 1)), "pair": template(("A", 0), ("[X]", 1), ("B", 1)),
     "special_tokens": CLS_SEP},
    None,
]


def tokenizer_json(random_, plain=False):
    """tokenizer.json as published, or with anything in it that some file has."""
    def often(value, *others):
        return value if plain or random_.random() < 0.5 else random_.choice([value, *others])

    vocabulary = {content: place for place, content in enumerate(VOCABULARY)}
    added = [{"id": i, **token(VOCABULARY[i])} for i in range(5)]
    if not plain and random_.random() < 0.5:
        added[4] = {"id": 4, **drawn_token(random_, "[MASK]")}
        added.append({"id": len(VOCABULARY), **drawn_token(random_, "<q>")})
        added.append({"id": vocabulary["Plain"], **drawn_token(random_, "Plain")})
    normalizer = often(NORMALIZERS[0], *NORMALIZERS)
    return {
        "version": "1.0",
        "truncation": often(None, {"direction": "Left", "max_length": 9, "strategy": "LongestFirst", "stride": 0},
                            {"direction": "Right", "max_length": 9, "strategy": "LongestFirst", "stride": 0}),
        "padding": often(None, {"strategy": "BatchLongest", "direction": "Right", "pad_to_multiple_of": None, "pad_id": 5,
                                "pad_type_id": 0, "pad_token": "the"}),
        "added_tokens": added,
        "normalizer": normalizer(random_.random() < 0.5, often(None, True, False), often(True, False), often(True, False)),
        "pre_tokenizer": often({"type": "BertPreTokenizer"}, {"type": "Whitespace"}),
        "post_processor": often(*POST_PROCESSORS),
        "decoder": often({"type": "WordPiece", "prefix": "##", "cleanup": True}, {"type": "WordPiece", "prefix": "##", "cleanup": False}, None),
        "model": {"type": "WordPiece", "unk_token": often("[UNK]", "[X]"), "continuing_subword_prefix": often("##", "@@"),
                  "max_input_chars_per_word": often(100, 4), "vocab": vocabulary},
    }


def tokenizer_config(random_):
    """Each key of tokenizer_config.json in some of the folders."""
    config = {}
    offers = {
        "do_lower_case": [True, False], "strip_accents": [True, False, None], "tokenize_chinese_chars": [True, False],
        "model_max_length": [12, 512, 10**30], "truncation_side": ["left", "right"], "mask_token": ["[X]", "<m>", token("[MASK]", lstrip=True)],
        "cls_token": ["the", "[X]", "<s>"], "sep_token": ["[X]", "</s>"], "unk_token": ["[X]", "a"], "pad_token": ["[PAD]", "<pad>", None],
        "bos_token": ["<s>", None], "model_input_names": [["input_ids", "attention_mask"], ["input_ids", "token_type_ids", "attention_mask"]],
        "split_special_tokens": [True, False], "clean_up_tokenization_spaces": [True, False], "extra_special_tokens": [["<z>", "new"], {"x_token": "<z>"}],
        "image_token": ["<image>"], "never_split": [["paris"]], "do_basic_tokenize": [False], "word_tokenizer_type": ["basic"],
        "padding_side": ["left"], "max_length": [7], "stride": [0],
    }
    for key, values in offers.items():
        if random_.random() < 0.25:
            config[key] = copy.deepcopy(random_.choice(values))
    if isinstance(config.get("mask_token"), dict):
        config["mask_token"] = {"__type": "AddedToken", **config["mask_token"]}
    if random_.random() < 0.35:
        decoder = {"4": drawn_token(random_, "[MASK]"), str(VOCABULARY.index("new")): drawn_token(random_, "new"),
                   str(len(VOCABULARY) + 3): drawn_token(random_, "<new>x"), "2": token("[CLS]")}
        config["added_tokens_decoder"] = {key: decoder[key] for key in random_.sample(sorted(decoder), random_.randint(0, 4))}
    return config


def folder(number):
    """The files of one folder, and whether it has vocab.txt alone."""
    random_ = random.Random(number)
    files, named = {}, random_.choice([None, None, *OF_BERT, *OF_FILE, *OF_FILE])
    has_json = random_.random() < 0.85 or named in OF_FILE
    if has_json:
        files["tokenizer.json"] = tokenizer_json(random_, plain=random_.random() < 0.2)
    config = tokenizer_config(random_) if random_.random() < 0.85 else {}
    model = {"model_type": "bert"}
    place = random_.choice(["tokenizer_config.json", "tokenizer_config.json", "config.json", "both"]) if named else None
    if place in ("tokenizer_config.json", "both"):
        config["tokenizer_class"] = named
    if place in ("config.json", "both"):
        model["tokenizer_class"] = random_.choice([*OF_BERT, *OF_FILE]) if place == "both" and has_json else named
    if config or random_.random() < 0.2:
        files["tokenizer_config.json"] = config
    kind = random_.random()
    if kind < 0.75 or not has_json or place in ("config.json", "both"):
        files["config.json"] = model
    elif kind < 0.85:
        files["config.json"] = {"hidden_size": 4}
    if random_.random() < 0.25:
        files["special_tokens_map.json"] = {"mask_token": random_.choice(["[X]", token("[MASK]", rstrip=True)]), "cls_token": "[CLS]"}
    if random_.random() < 0.15:
        files["added_tokens.json"] = {"qq": len(VOCABULARY) + 1, "new": VOCABULARY.index("new")}
    return files, not has_json or random_.random() < 0.3


def write(directory, files, has_vocabulary):
    directory.mkdir()
    if has_vocabulary:
        (directory / "vocab.txt").write_text("\n".join(VOCABULARY) + "\n")
    for name, content in files.items():
        (directory / name).write_text(json.dumps(content))


class Fed:
    """The reference's encoding with the segments that the model is fed."""

    def __init__(self, encoding, segments):
        self.encoding, self.type_ids = encoding, encoding.type_ids if segments else [0] * len(encoding.ids)

    def __getattr__(self, name):
        return getattr(self.encoding, name)


def lines_of(tokenizer, directory):
    """What text_probe says of a tokenizer, as transformers sees it; without the names that it does not know."""
    length = tokenizer.model_max_length
    lines = {"max": "none" if length > 10**9 else str(length)}
    for name in ("pad", "cls", "sep", "mask"):
        value = getattr(tokenizer, f"{name}_token_id")
        if value is not None:
            lines[name] = str(value)
    return lines


def tells_segments(tokenizer, files):
    """Whether the second text has a segment of its own. Where no class is named and no model is there to be fed, yes."""
    if "token_type_ids" in tokenizer.model_input_names:
        return True
    named = [files.get(name, {}).get("tokenizer_class") for name in ("tokenizer_config.json", "config.json")]
    no_class = not any(named) and files.get("config.json", {}).get("model_type") != "bert"
    return no_class and "model_input_names" not in files.get("tokenizer_config.json", {})


def reference_calls(tokenizer, texts, limit):
    """The reference's encodings of texts and pairs, whole, without special tokens, and cut."""
    for options in ({}, {"add_special_tokens": False}, {"truncation": True, "max_length": limit}):
        for text in texts:
            yield [text], options
            yield [text, texts[3]], options
    for strategy in ("only_first", "only_second"):
        for text in texts[2:]:
            yield [text, texts[3]], {"truncation": strategy, "max_length": limit}


def probed(directory, texts, limit, id_lists):
    probe = Probe()
    probe.load(directory)
    probe.describe()
    for special, truncation, length in ((ADD, "longest_first", None), (OMIT, "longest_first", None), (ADD, "longest_first", limit)):
        probe.options(special, truncation, length)
        for text in texts:
            probe.encode(text)
            probe.encode_pair(text, texts[3])
    for strategy in ("only_first", "only_second"):
        probe.options(ADD, strategy, limit)
        for text in texts[2:]:
            probe.encode_pair(text, texts[3])
    for ids in id_lists:
        probe.decode(ids, OMIT)
    return iter(probe.run())


def compare(directory, name, files, tally):
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(directory)
    segments = tells_segments(tokenizer, files)
    texts = FIXED + generated_texts.texts(TEXTS, str(name), [*VOCABULARY, "<z>", "<q>", "qq", "<image>", "<m>", "<new>x", " "])
    random_ = random.Random(str(name))
    id_lists = [[random_.randrange(len(tokenizer)) for _ in range(10)] for _ in range(10)]
    limit = 9
    answers = probed(directory, texts, limit, id_lists)
    loaded = next(answers)
    if isinstance(loaded, Refused):
        tally.check(name, f"refused: {loaded}", "folders")
        return
    lines = dict(line.split(" ", 1) for line in next(answers).splitlines())
    expected = lines_of(tokenizer, directory)
    tally.check(name, None if expected.items() <= lines.items() else f"expected {expected}, got {lines}", "folders")
    for given, options in reference_calls(tokenizer, texts, limit):
        answer = next(answers)
        try:
            encoding = tokenizer(*given, **options).encodings[0]
        except BaseException as error:
            tally.check((name, given, options), None if isinstance(answer, Refused) else f"expected an error, {error}, got {answer}", "errors")
            continue
        starts = [text_reference.starts_of(text) for text in given]
        problem = difference(answer, Fed(encoding, segments), starts)
        tally.check((name, given, options), problem, "texts")
    for ids in id_lists:
        expected, got = tokenizer.decode(ids, skip_special_tokens=True), next(answers)
        tally.check((name, ids), None if got == expected else f"expected {expected!r}, got {got!r}", "decodings")


def recipe():
    """The tokenizer that the documentation of `tokenizers` trains for BERT, from its first part to its last."""
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.Lowercase(), normalizers.StripAccents()])
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=600, special_tokens=special, show_progress=False)
    tokenizer.train_from_iterator(generated_texts.texts(300, 1) + FIXED * 20, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, tokenizer.token_to_id(name)) for name in ("[CLS]", "[SEP]")])  # fmt: skip
    tokenizer.decoder = decoders.WordPiece()
    return tokenizer


def compare_recipe(directory, tally):
    """The recipe's file alone against `tokenizers`: texts, and every code point between two letters."""
    tokenizer = recipe()
    directory.mkdir()
    tokenizer.save(str(directory / "tokenizer.json"))
    texts = FIXED + generated_texts.texts(400, 2, ["?!", "...", "_", "कि", "[MASK]", "é", "İ"])
    characters = [chr(c) for c in range(0x110000) if not 0xD800 <= c < 0xE000]
    texts += [" ".join(f"a{c}b" for c in characters[at : at + 100]) for at in range(0, len(characters), 100)]
    probe = Probe()
    probe.load(directory)
    for text in texts:
        probe.encode(text)
    probe.encode_pair(texts[2], texts[3])
    probe.decode(range(5, 200), OMIT)
    answers = iter(probe.run())
    assert next(answers) is None
    for text, encoding in zip(texts, tokenizer.encode_batch(texts)):
        tally.check(text[:80], difference(next(answers), encoding, [text_reference.starts_of(text)]), "texts of the recipe")
    starts = [text_reference.starts_of(text) for text in texts[2:4]]
    tally.check("a pair", difference(next(answers), tokenizer.encode(texts[2], texts[3]), starts), "texts of the recipe")
    expected, got = tokenizer.decode(list(range(5, 200))), next(answers)
    tally.check("decoding", None if got == expected else f"expected {expected!r}, got {got!r}", "decodings")
    return len(texts) + 1


def main():
    import transformers

    transformers.logging.set_verbosity_error()
    tally = Tally()
    numbers = range(*map(int, sys.argv[1:3])) if len(sys.argv) > 2 else range(FOLDERS)
    with tempfile.TemporaryDirectory() as root:
        of_recipe = compare_recipe(pathlib.Path(root) / "recipe", tally)
        for number in numbers:
            files, has_vocabulary = folder(number)
            directory = pathlib.Path(root) / f"folder{number}"
            write(directory, files, has_vocabulary)
            compare(directory, number, files, tally)
    count, texts = len(numbers), len(FIXED) + TEXTS
    errors = tally.counts.get("errors", 0)
    encodings = count * (3 * 2 * texts + 2 * (texts - 2))
    assert errors < encodings / 10, "too few of the texts can be compared"
    tally.finish({"folders": count, "texts": encodings - errors, "errors": errors, "decodings": 10 * count + 1,
                  "texts of the recipe": of_recipe})


if __name__ == "__main__":
    main()
