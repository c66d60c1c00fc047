"""Directories in both layouts against transformers' AutoTokenizer and `tokenizers`: vocab.txt with the files beside it."""

import json
import os
import pathlib
import random
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import generated_texts
import text_reference
from text_reference import ADD, OMIT, VOCABULARIES, Probe, Refused, Tally, difference

TEXTS = 60
NEW = {"content": "<new>", "lstrip": True, "normalized": False, "rstrip": False, "single_word": False, "special": True}
PLAIN = {"content": "Plain", "lstrip": False, "normalized": True, "rstrip": True, "single_word": True, "special": False}
MASK = {"content": "[MASK]", "lstrip": True, "normalized": False, "rstrip": False, "single_word": False, "special": True}
TYPED = {"__type": "AddedToken", "content": "<cls>", "lstrip": False, "normalized": True, "rstrip": True,
         "single_word": False}

# name -> (vocabulary, files beside vocab.txt)
LAYOUTS = {
    "nothing beside the vocabulary": ("uncased", {}),
    "cased": ("cased", {"tokenizer_config.json": {"do_lower_case": False}}),
    "cased, accents stripped": ("cased", {"tokenizer_config.json": {"do_lower_case": False, "strip_accents": True}}),
    "accents kept": ("uncased", {"tokenizer_config.json": {"do_lower_case": True, "strip_accents": False}}),
    "accents null": ("uncased", {"tokenizer_config.json": {"do_lower_case": True, "strip_accents": None}}),
    "ideographs joined": ("chinese", {"tokenizer_config.json": {"tokenize_chinese_chars": False}}),
    "lengths": ("uncased", {"tokenizer_config.json": {"model_max_length": 77}}),
    "older length": ("uncased", {"tokenizer_config.json": {"max_len": 78}}),
    "no length": ("uncased", {"tokenizer_config.json": {"model_max_length": 1000000000000000019884624838656}}),
    "other classes": ("uncased", {"tokenizer_config.json": {"tokenizer_class": "BertTokenizerFast"}}),
    "other names": ("uncased", {"tokenizer_config.json": {"cls_token": "the", "sep_token": "of", "unk_token": "[MASK]",
                                                           "mask_token": "[UNK]", "pad_token": "a"}}),
    "new names": ("uncased", {"tokenizer_config.json": {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>"}}),
    "begin and end": ("uncased", {"tokenizer_config.json": {"bos_token": "<s>", "eos_token": "</s>"}}),
    "no mask": ("uncased", {"tokenizer_config.json": {"mask_token": None}}),
    "a typed token": ("uncased", {"tokenizer_config.json": {"cls_token": TYPED}}),
    "added tokens": ("uncased", {"tokenizer_config.json": {"added_tokens_decoder": {
        "0": {**MASK, "content": "[PAD]"}, "103": MASK, "30522": NEW, "30523": PLAIN}}}),
    "added tokens with wrong ids": ("uncased", {"tokenizer_config.json": {"added_tokens_decoder": {
        "40000": NEW, "39999": PLAIN}}}),
    "extra special tokens": ("uncased", {"tokenizer_config.json": {"extra_special_tokens": ["<x>", "Foo"]}}),
    "additional special tokens": ("uncased", {"tokenizer_config.json": {"additional_special_tokens": ["<x>", "<y>"]}}),
    "named extra tokens": ("uncased", {"tokenizer_config.json": {"extra_special_tokens": {"x_token": "<x>"}}}),
    "a model's own token": ("uncased", {"tokenizer_config.json": {"image_token": "<image>"}}),
    "special tokens map": ("uncased", {"special_tokens_map.json": {"mask_token": {k: v for k, v in MASK.items() if k != "special"},
                                                                    "cls_token": "[CLS]"}}),
    "special tokens map over the configuration": ("cased", {
        "tokenizer_config.json": {"do_lower_case": False, "cls_token": "the"},
        "special_tokens_map.json": {"cls_token": "of", "additional_special_tokens": ["<x>"]}}),
    "special tokens map without effect": ("uncased", {
        "tokenizer_config.json": {"added_tokens_decoder": {}}, "special_tokens_map.json": {"cls_token": "of"}}),
    "added_tokens.json": ("uncased", {"added_tokens.json": {"<new>": 30522, "Plain": 30523, "[MASK]": 103}}),
    "added_tokens.json with names": ("uncased", {
        "tokenizer_config.json": {"cls_token": "<new>", "additional_special_tokens": ["Plain"]},
        "added_tokens.json": {"<new>": 30523, "Plain": 30522}}),
    "never_split": ("uncased", {"tokenizer_config.json": {"never_split": ["un-split"]}}),
    "do_basic_tokenize": ("uncased", {"tokenizer_config.json": {"do_basic_tokenize": False}}),
    "a saved tokenizer": ("uncased", {"tokenizer_config.json": {
        "added_tokens_decoder": {str(i): {**MASK, "lstrip": False, "content": c} for i, c in
                                 ((0, "[PAD]"), (100, "[UNK]"), (101, "[CLS]"), (102, "[SEP]"), (103, "[MASK]"))},
        "clean_up_tokenization_spaces": True, "cls_token": "[CLS]", "do_basic_tokenize": True, "do_lower_case": True,
        "mask_token": "[MASK]", "model_max_length": 512, "never_split": None, "pad_token": "[PAD]",
        "sep_token": "[SEP]", "strip_accents": None, "tokenize_chinese_chars": True, "unk_token": "[UNK]",
        "tokenizer_class": "BertTokenizer"}}),
}
# name -> (files, part of the message)
REFUSED = {
    "another family": ({"tokenizer_config.json": {"tokenizer_class": "RobertaTokenizer"}}, "tokenizer_class"),
    "a flag that is none": ({"tokenizer_config.json": {"do_lower_case": 1}}, "do_lower_case"),
    "a token that is none": ({"tokenizer_config.json": {"cls_token": 3}}, "cls_token"),
    "no class token": ({"tokenizer_config.json": {"cls_token": None}}, "cls_token"),
    "no JSON": ({"tokenizer_config.json": None}, "tokenizer_config.json:2"),
}


def write(directory, vocabulary, files):
    directory.mkdir()
    (directory / "vocab.txt").write_bytes(VOCABULARIES[vocabulary].read_bytes())
    for name, content in files.items():
        (directory / name).write_text("{\n!}" if content is None else json.dumps(content))


def description(tokenizer):
    """What text_probe says of a tokenizer, as transformers sees it."""
    length = tokenizer.model_max_length
    lines = {"max": "none" if length > 10**9 else str(length)}
    for name in ("pad", "unk", "cls", "sep", "mask"):
        value = getattr(tokenizer, f"{name}_token_id")
        lines[name] = "none" if value is None else str(value)
    return lines


def compare(directory, name, tally):
    from transformers import AutoTokenizer, BertTokenizerFast

    loader = AutoTokenizer if name == "a saved tokenizer" else BertTokenizerFast
    reference = loader.from_pretrained(directory)
    extra = ["<new>", "Plain", "plain", "<x>", "<y>", "Foo", "foo", "<image>", "<cls>", "<s>", "the", "un-split", " ", "[MASK]"]
    texts = generated_texts.texts(TEXTS, name, extra)
    probe = Probe()
    probe.load(directory)
    probe.describe()
    for special in (ADD, OMIT):
        probe.options(special)
        for text in texts:
            probe.encode(text)
            probe.encode_pair(text, texts[0])
    random_ = random.Random(name)
    id_lists = [[random_.randrange(len(reference)) for _ in range(12)] for _ in range(TEXTS)]
    for ids in id_lists:
        probe.decode(ids, OMIT)
    answers = iter(probe.run())
    loaded = next(answers)
    assert not isinstance(loaded, Refused), (name, loaded)
    lines = dict(line.split(" ", 1) for line in next(answers).splitlines())
    expected = description(reference)
    tally.check(name, None if expected.items() <= lines.items() else f"expected {expected}, got {lines}", "descriptions")
    backend = reference.backend_tokenizer
    for add in (True, False):
        for text in texts:
            starts = [text_reference.starts_of(text), text_reference.starts_of(texts[0])]
            encoding = backend.encode(text, add_special_tokens=add)
            tally.check((name, text), difference(next(answers), encoding, starts), "texts")
            encoding = backend.encode(text, texts[0], add_special_tokens=add)
            tally.check((name, text), difference(next(answers), encoding, starts), "pairs")
    for ids in id_lists:
        expected, got = backend.decode(ids, skip_special_tokens=True), next(answers)
        tally.check((name, ids), None if got == expected else f"expected {expected!r}, got {got!r}", "decodings")


def main():
    tally = Tally()
    with tempfile.TemporaryDirectory() as root:
        for number, (name, (vocabulary, files)) in enumerate(LAYOUTS.items()):
            directory = pathlib.Path(root) / f"layout{number}"
            write(directory, vocabulary, files)
            compare(directory, name, tally)
        for number, (name, (files, message)) in enumerate(REFUSED.items()):
            directory = pathlib.Path(root) / f"refused{number}"
            write(directory, "uncased", files)
            probe = Probe()
            probe.load(directory)
            (answer,) = probe.run()
            good = isinstance(answer, Refused) and message in str(answer) and "\n" not in str(answer)
            tally.check(name, None if good else f"expected an error about {message}, got {answer}", "refused")
    count = len(LAYOUTS)
    tally.finish({"descriptions": count, "texts": 2 * TEXTS * count, "pairs": 2 * TEXTS * count,
                  "decodings": TEXTS * count, "refused": len(REFUSED)})


if __name__ == "__main__":
    main()
