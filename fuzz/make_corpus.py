"""Writes fuzz/corpus/<target>/: small valid files, from which libFuzzer sets out. Run it again after changing it."""

import io
import json
import pathlib
import shutil
import struct
import zipfile

CORPUS = pathlib.Path(__file__).parent / "corpus"

SIZES = {
    "vocab_size": 16,
    "hidden_size": 4,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "intermediate_size": 6,
    "max_position_embeddings": 5,
    "type_vocab_size": 2,
    "hidden_act": "gelu",
}

TEXTS = {
    "words": "hello, unaffable world! [MASK] a-b new york",
    "accents": "H\u00e9llo \u00dcNAFFABLE na\u00efve \u00c5\u0301\u0327\u0323 \u00df \u0130 \u01c5 a\u0323\u0301 e\u0301",
    "chinese": "\u4e2d\u6587 hello\u4e2dworld \u3042\u30a2 \U00020000\uf900",
    "korean": "\uac00\ub098 \u1100\u1161\u11a8 \u0940\u0915\u093c",
    "emoji": "\U0001f600\ufe0f \U0001f468\u200d\U0001f469 \U0001d165\U0001d16d",
    "blanks": "a\u00a0b\u3000c\u2028d\te\r\nf \u0000\u0001\ufffd\u00ad\u200bx",
    "long_word": "a" * 100 + " " + "a" * 101 + " " + "\u00e9" * 60,
    "tokens": "[MASK]<x> a<x>  [MASK]  [CLS][SEP][ MASK][UNK new \u00c9 New \u00e9",
    "marks": "\u0301\u0327\u0323 \u1e69 s\u0323\u0307 s\u0307\u0323 \u0345\u0301\u0300\u0334",
    "quotes": "do n't i'm ' it 's . ? ! , they 've we 're",
    "empty": "",
}
INVALID = {
    "bad_bytes": b"a\xed\xa0\x80b \xe4\xb8 \xff\xfe\xf4\x90\x80\x80 \xc0\xaf hello\xc3",
    "bad_marks": b"e\xcc\x81\xcc\xe1\xb8\xad\xe4\xb8\xad\x80",
}


def write(target, name, content):
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())


def parts(**files):
    """Several files as one input; "__" stands for a dot in a name."""
    marked = [f"%% {name.replace('__', '.')}\n".encode() + (c if isinstance(c, bytes) else c.encode()) for name, c in files.items()]
    return b"\n".join(marked)


def tokenizer():
    inputs = {name: text.encode() for name, text in TEXTS.items()} | INVALID
    for number, (name, text) in enumerate(inputs.items()):
        for settings in (0, 2, number % 24, (number + 9) % 24, 23 - number):
            for truncation in (number % 6, (number + 3) % 6):
                write("tokenizer", f"{name}_{settings:02x}_{truncation}", bytes([settings, truncation, 7 + number]) + text)
    for name in ("words", "chinese"):
        write("tokenizer", f"{name}_bare", bytes([0, 0x80, 3]) + TEXTS[name].encode())
        for truncation in range(6):
            for length in (0, 2, 4, 100, 255):
                write("tokenizer", f"{name}_cut_{truncation}_{length}", bytes([0, truncation, length]) + TEXTS[name].encode())


def tokenizer_json():
    vocabulary = {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4, "hello": 5, "un": 6, "##aff": 7, "\u4e2d": 8, "\u00e9": 9}
    flags = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
    added = [{"id": 4, "content": "[MASK]", **flags}, {"id": 10, "content": "New", **flags, "normalized": True, "special": False}]
    special = {name: {"id": name, "ids": [id], "tokens": [name]} for name, id in (("[CLS]", 2), ("[SEP]", 3))}

    def piece(kind, name, segment):
        return {kind: {"id": name, "type_id": segment}}

    single = [piece("SpecialToken", "[CLS]", 0), piece("Sequence", "A", 0), piece("SpecialToken", "[SEP]", 0)]
    pair = [*single, piece("Sequence", "B", 1), piece("SpecialToken", "[SEP]", 1)]
    whole = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": added,
        "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
        "pre_tokenizer": {"type": "BertPreTokenizer"},
        "post_processor": {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": special},
        "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
        "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary},
    }
    config = {
        "model_max_length": 512,
        "do_lower_case": False,
        "mask_token": {"content": "[MASK]", "lstrip": True, "special": True},
        "cls_token": "[CLS]",
        "tokenizer_class": "BertTokenizerFast",
        "strip_accents": True,
        "tokenize_chinese_chars": False,
    }
    plain = whole | {"post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]}, "decoder": None, "normalizer": None}
    cut = whole | {"truncation": {"max_length": 3}, "padding": {"pad_id": 0}, "post_processor": None}
    write("tokenizer_json", "template", json.dumps(whole, ensure_ascii=False))
    write("tokenizer_json", "plain", json.dumps(plain, indent=1))
    write("tokenizer_json", "ignored", json.dumps(cut))
    for n, (key, value) in enumerate({"id": 11, "content": "New", "normalized": False}.items()):
        write("tokenizer_json", f"added_{n}", json.dumps(whole | {"added_tokens": [*added, {**added[1], key: value}]}))
    write("tokenizer_json", "no_type", json.dumps(whole | {"model": {k: v for k, v in whole["model"].items() if k != "type"}}))
    for name, limit in (("limit", 512), ("no_limit", 1e30), ("bad_limit", 0)):
        write("tokenizer_json", f"with_{name}", parts(tokenizer__json=json.dumps(whole), tokenizer_config__json=json.dumps(config | {"model_max_length": limit})))

    words = "\n".join([*vocabulary, "trailing \u3000", "twice", "twice", ""])
    write("tokenizer_json", "layout_bare", parts(vocab__txt=words))
    write("tokenizer_json", "layout_bad_bytes", parts(vocab__txt=words.encode() + b"\xff\n"))
    write("tokenizer_json", "layout_config", parts(vocab__txt=words, tokenizer_config__json=json.dumps(config)))
    decoder = {"4": {"content": "[MASK]", "special": True}, "10": {"content": "new", "normalized": True}, "99": "far"}
    write("tokenizer_json", "layout_decoder", parts(vocab__txt=words, tokenizer_config__json=json.dumps(config | {"added_tokens_decoder": decoder, "extra_special_tokens": {"image_token": "<i>"}})))
    special_map = {"unk_token": "[UNK]", "own_token": "<own>", "additional_special_tokens": ["<a>", {"content": "<b>", "rstrip": True}], "pad_token": None}
    write("tokenizer_json", "layout_special", parts(vocab__txt=words, special_tokens_map__json=json.dumps(special_map), added_tokens__json=json.dumps({"<a>": 10, "new": 77})))
    odd = {"max_len": 64, "never_split": ["x"], "truncation_side": "left", "pad_token": None, "mask_token": None, "additional_special_tokens": ["<e>"], "own_token": "<own>"}
    write("tokenizer_json", "layout_odd", parts(vocab__txt=words, tokenizer_config__json=json.dumps(odd)))
    refused = {"cls_token": None}, {"tokenizer_class": "XLMTokenizer"}, {"do_basic_tokenize": False}, {"split_special_tokens": True}, {"unk_token": 3}, {"sep_token": {"content": None}}
    for n, more in enumerate(refused):
        write("tokenizer_json", f"refused_layout_{n}", parts(vocab__txt=words, tokenizer_config__json=json.dumps(config | more)))
    changes = {"version": "2.0", "model": None, "pre_tokenizer": None, "added_tokens": {}, "normalizer": {"type": "NFC"}, "post_processor": {"type": "ByteLevel"}}
    for key, value in changes.items():
        write("tokenizer_json", f"refused_{key}", json.dumps(whole | {key: value}))
    wrong = {"single": [{"Other": 1}]}, {"special_tokens": {}}, {"single": [piece("Sequence", "B", 0)]}, {"pair": 1}, {"special_tokens": None}
    for n, more in enumerate(wrong):
        write("tokenizer_json", f"refused_template_{n}", json.dumps(whole | {"post_processor": whole["post_processor"] | more}))
    for n, tokens in enumerate(({"a": -1}, {"a": 1 << 31}, {"a": 1 << 27}, {"a": 1, "b": 1}, None)):
        write("tokenizer_json", f"refused_vocab_{n}", json.dumps(whole | {"model": whole["model"] | {"vocab": tokens}}))
    write("tokenizer_json", "refused_empty_token", json.dumps(whole | {"added_tokens": [{**added[1], "content": "\u0301"}]}))


def config_json():
    def add(name, more=None, **dump):
        write("config_json", name, json.dumps(SIZES | (more or {}), **dump))

    full = {
        "model_type": "bert",
        "architectures": ["BertModel", "Gr\u00fc\u00dfe"],
        "layer_norm_eps": 1e-12,
        "initializer_range": 0.02,
        "hidden_dropout_prob": 0,
        "attention_probs_dropout_prob": 0.1,
        "tie_word_embeddings": True,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
        "transformers_version": "5.23.0",
        "id2label": {"0": "NEGATIVE", "1": "POSITIVE"},
        "label2id": {"NEGATIVE": 0, "POSITIVE": 1},
        "problem_type": "single_label_classification",
        "is_decoder": False,
        "pruned_heads": {},
        "embedding_size": 4,
    }
    add("sizes")
    add("full", full, indent=2, ensure_ascii=False)
    add("nulls", {"pad_token_id": None, "architectures": None})
    for name in ("gelu_new", "swish", "relu", "tanh"):
        add(f"act_{name}", {"hidden_act": name})
    for name in ("scaled_sum", "vector_gate", "concatenate_project", "multiplicative"):
        add(f"composition_{name}", {"summand": {"composition": name}})
    own = {"position_kind": "sinusoidal", "position_base": 500.5, "position_first_index": 1, "position_layout": "halves", "position_scale": 0.1}
    add("sinusoidal", {"summand": own})
    add("none", {"summand": {"position_kind": "none"}, "problem_type": "multi_label_classification"})
    refused = {
        "model_type": "roberta", "is_decoder": True, "pruned_heads": {"1": [0]}, "position_embedding_type": "relative_key",
        "embedding_size": 8, "hidden_size": 5, "num_hidden_layers": 5000, "layer_norm_eps": -1, "vocab_size": 1 << 63,
        "hidden_act": "softsign", "architectures": [1], "initializer_range": "x", "tie_word_embeddings": 1, "pad_token_id": 1.5,
        "num_labels": 1 << 60, "add_cross_attention": True, "is_encoder_decoder": True, "summand": {"position_kind": "rotary"},
        "quantization_config": {"quant_method": "gptq"},
    }
    for key, value in refused.items():
        add(f"refused_{key}", {key: value})
    for n, labels in enumerate(({}, {"0": 1}, {"1": "a"}, {"x": "a"}, {"0": "a", "00": "b"}, {str(i): f"l{i}" for i in range(12)})):
        add(f"labels_{n}", {"id2label": labels, "num_labels": 3})
    add("int8", full | {"quantization_config": {"format": "summand_int8", "by": [1]}, "dtype": "float16"})
    add("refused_format", {"quantization_config": {"format": "int4"}})
    add("num_labels", {"num_labels": 3, "problem_type": None})
    add("refused_table", {"summand": own, "max_position_embeddings": 1 << 28})
    add("refused_relative", {"summand": {"position_kind": "relative"}})
    add("refused_own_key", {"summand": {"compositon": "multiplicative"}})
    add("refused_own_field", {"summand": {"position_kind": "none", "position_scale": 5}})
    write("config_json", "refused_twice", json.dumps(SIZES)[:-1] + ', "vocab_size": 17}')
    write("config_json", "refused_type_number", json.dumps(SIZES | {"model_type": 3}))
    write("config_json", "refused_missing", json.dumps({k: v for k, v in SIZES.items() if k != "vocab_size"}))
    write("config_json", "refused_list", "[1, [2]]")
    write("config_json", "refused_text", "{\n\"vocab_size\": x")
    write("config_json", "refused_deep", "[" * 101)
    write("config_json", "refused_overflow", '{"vocab_size": 1e999}')
    write("config_json", "refused_bytes", b'{"a":\n"\xff"}')
    write("config_json", "refused_zero", b'{"a":\n\0}')


def safetensors_file(tensors, metadata=None):
    header, data = {}, b""
    if metadata:
        header["__metadata__"] = metadata
    for name, (dtype, shape, content) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(content)]}
        data += content
    text = json.dumps(header, separators=(",", ":")).encode()
    return struct.pack("<Q", len(text)) + text + data


def raw_header(text):
    return struct.pack("<Q", len(text)) + text.encode()


def safetensors():
    floats = struct.pack("<6f", 1, 2, 3, 4, 5, float("inf"))
    tensors = {
        "bert.a.LayerNorm.gamma": ("F32", [2, 3], floats),
        "b.LayerNorm.beta": ("I64", [1], b"\1" * 8),
        "c": ("F16", [0, 4], b""),
        "d": ("U8", [3], b"xyz"),
        "e": ("BF16", [], b"\x80\x3f"),
        "f": ("F16", [2], b"\1\0\0\x3c"),
        "g": ("I8", [1], b"\xff"),
        "h": ("F4", [2], b"\0"),
    }
    write("safetensors", "several", safetensors_file(tensors, {"format": "pt"}))
    write("safetensors", "none", safetensors_file({}))
    write("safetensors", "subnormal", safetensors_file({"x": ("F16", [4], b"\1\x80\xff\x7b\0\x7c\0\xfe")}))
    write("safetensors", "refused_same_name", safetensors_file({"bert.a": ("U8", [1], b"a"), "a": ("U8", [1], b"a")}))
    a, b = safetensors_file({"x": ("F32", [1], b"\0\0\0\0"), "spare": ("U8", [1], b"s")}), safetensors_file({"y": ("F64", [1], b"\0" * 8)})
    index = json.dumps({"metadata": {"total_size": 12}, "weight_map": {"x": "a.safetensors", "y": "b.safetensors"}})
    parts_of = {"model__safetensors__index__json": index, "a__safetensors": a, "b__safetensors": b}
    write("safetensors", "sharded", parts(**parts_of))
    write("safetensors", "refused_missing_shard", parts(model__safetensors__index__json=index, a__safetensors=a))
    for n, wrong in enumerate(({"z": "a.safetensors"}, {"x": "../a"}, {"x": 3}, None)):
        write("safetensors", f"refused_index_{n}", parts(**(parts_of | {"model__safetensors__index__json": json.dumps({"weight_map": wrong})})))
    write("safetensors", "refused_nothing", parts(pytorch_model__bin="x"))
    write("safetensors", "refused_other", parts(b__safetensors=b))
    write("safetensors", "refused_short", b"abc")
    write("safetensors", "refused_length", b"\xff" * 8 + b"{}")
    one = '"dtype":"U8","shape":[1],"data_offsets":[0,1]'
    headers = {
        "list": "[]", "null": '{"a":null}', "true": '{"a":true}', "number": '{"a":1}', "text": '{"a":"b"}', "in_list": '{"a":[1]}',
        "twice": '{"a":{%s},"a":{%s}}' % (one, one), "key": '{"a":{"x":1}}', "key_twice": '{"a":{"dtype":"U8","dtype":"U8"}}', "some": '{"a":{}}',
        "shape": '{"a":{"shape":[-1]}}', "float": '{"a":{"shape":[1.5]}}', "third": '{"a":{"data_offsets":[0,1,2]}}', "one": '{"a":{"data_offsets":[0]}}',
        "metadata": '{"__metadata__":{"a":1}}', "metadata_twice": '{"__metadata__":{"a":"1","a":"1"}}', "json": '{"a', "dtype": '{"a":{%s}}' % one.replace("U8", "U7"),
        "range": '{"a":{%s}}' % one.replace("[0,1]", "[5,1]"), "size": '{"a":{%s}}' % one.replace("[1]", "[9]"), "hole": '{"a":{%s}}' % one.replace("[0,1]", "[1,2]"),
        "overflow": '{"a":{%s}}' % one.replace("[1]", "[4294967296,4294967296]"), "half": '{"a":{%s}}' % one.replace("U8", "F4"), "rest": '{"a":{%s}}' % one,
        "many": '{"a":{"shape":[%s]}}' % ",".join("1" * 65),
    }
    for name, text in headers.items():
        write("safetensors", f"refused_{name}", raw_header(text) + b"xy")


def input_reader():
    records = [
        {"text": "hello"}, {"text": "\u4e2d", "text_pair": "\u00e9"}, {"tokens": ["un", "affable"]}, {"tokens": [""], "id": "a\"b"}, {"text": "x", "id": 3, "label": None},
    ]
    lines = [json.dumps(record) for record in records]
    write("input_reader", "records", "\n".join(lines) + "\n")
    write("input_reader", "blank_end", "\ufeff" + "\r\n".join(lines) + "\r\n \n\t\n")
    write("input_reader", "blank_inside", "\n\n".join(lines))
    for name, text in TEXTS.items():
        write("input_reader", f"text_{name}", text)
    for name, content in INVALID.items():
        write("input_reader", f"text_{name}", content)
    write("input_reader", "mark_only", "\ufeff")
    write("input_reader", "open.txt", "open.txt")
    write("input_reader", "open_dev", "/dev.txt")
    wrong = (
        "[1]", '{"text": 1}', '{"tokens": "a"}', '{"tokens": [1]}', "{}", '{"tokens": [], "text_pair": "x"}', '{"text": "\\ud800"}', '{"text": "a"}\0{',
        '{"text": "a", "tokens": []}', '{"text": "a", "text": "b"}', '{"text": null}', '{"text": "a", "textpair": "b"}', '{"text": "a", "token": 1}',
        '{"Text": "a"}', '{"text": "a", "id": 1.5}', '{"text": "a", "id": 18446744073709551616}',
    )  # fmt: skip
    for n, line in enumerate(wrong):
        write("input_reader", f"refused_{n}", lines[0] + "\n" + line)
    tables = {
        "plain": "text\nhello\n\"\"\nworld", "columns": "id,text,label,text_pair\r\n1,a,x,b\r\n2,\"c,d\",,\"e\"\"f\"\r\n\r\n", "lines": 'text,id\n"a\nb\r\nc",\u4e2d\n',
        "tabs": 'text\ttext_pair\na,b\t"c\td"\n', "mark": "\ufefftext,id\na,b\n", "quote_inside": 'text,x\na "b" c,d\n', "header": "text",
        "refused_columns": "title,body\na,b\n", "refused_twice": "text,text\na,b\n", "refused_name": "text,Text\na,b\n", "refused_count": "text,id\na\n",
        "refused_open": 'text\n"a\nb', "refused_closed": 'text\n"a"b\n', "refused_blank": "text\na\n\nb\n", "refused_blank_header": "\ntext\n",
    }  # fmt: skip
    for name, content in tables.items():
        write("input_reader", f"table_{name}", content)
    write("input_reader", "table_bad_bytes", b'text,id\n"a\xff\n\xe4\xb8",\xc3\n')
    for encoding in ("utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"):
        write("input_reader", f"mark_{encoding}", "\ufeffa\n".encode(encoding))


def torch_file():
    def text(value):
        return b"X" + struct.pack("<I", len(value)) + value.encode()

    def number(value):
        return b"J" + struct.pack("<i", value)

    def numbers(values):
        return b"(" + b"".join(number(value) for value in values) + b"t"

    def tensor(kind="Float", elements=6, offset=0, sizes=(2, 3), strides=(3, 1)):
        storage = b"(" + text("storage") + f"ctorch\n{kind}Storage\n".encode() + text("0") + text("cpu") + number(elements) + b"tQ"
        end = b"\x89ccollections\nOrderedDict\n)RtR"
        return b"ctorch._utils\n_rebuild_tensor_v2\n(" + storage + number(offset) + numbers(sizes) + numbers(strides) + end

    def dictionary(**entries):
        return b"\x80\x02}q\0(" + b"".join(text(name) + value for name, value in entries.items()) + b"u."

    def add(name, pickle, content=struct.pack("<6f", *range(6)), order="little"):
        write("torch_file", name, b"%% data.pkl\n" + pickle + b"\n%% byteorder\n" + order.encode() + b"\n%% data/0\n" + content)

    add("one", dictionary(a=tensor()))
    add("turned", dictionary(a=tensor(sizes=(3, 2), strides=(1, 3)), b=tensor(offset=5, sizes=(), strides=())))
    add("half", dictionary(a=tensor("Half", 12, 0, (12,), (1,)), b=tensor("Double", 3, 0, (3,), (1,))))
    add("parameter", dictionary(a=b"ctorch._utils\n_rebuild_parameter\n(" + tensor() + b"\x88ccollections\nOrderedDict\n)RtR"))
    ordered = b"\x80\x02ccollections\nOrderedDict\n)Rr\0\0\0\0" + text("a") + tensor() + b"s}" + text("_metadata") + b"}sb."
    add("ordered", ordered)
    names = text("torch._utils") + text("_rebuild_tensor_v2") + b"\x93"
    framed = b"\x80\x04\x95\0\0\0\0\0\0\0\0}\x94\x8c\x01a" + names + tensor().split(b"\n", 2)[2] + b"s."
    add("protocol_4", framed)
    add("constants", b"\x80\x02}" + text("a") + tensor() + b"s](NK\1M\1\2G" + b"\0" * 8 + b"\x8a\1\xffU\1aT\1\0\0\0a\x8c\1ae" + b"Na\x85\x85.")
    wrong = {
        "code": b"\x80\x02cos\nsystem\n(X\x04\0\0\0truetR.", "opcode": b"\x80\x02)\x81.", "unknown": b"\xff", "value": dictionary(epoch=number(3)),
        "list": b"\x80\x02].", "end": b"\x80\x02X\xff\xff\xff\x7f", "line": b"cos", "stack": b".", "mark": b"u.", "key": b"}(Nu.", "memo": b"h\5.",
        "reference": b")Q.", "negative": dictionary(a=tensor(offset=-1)), "strides": dictionary(a=tensor(strides=(1,))), "itself": b"}q\1" + text("a") + b"h\1s.",
        "elements": dictionary(a=tensor(sizes=(7,), strides=(1,))), "overflow": dictionary(a=tensor(sizes=(2147483647,) * 3, strides=(2147483647,) * 3)),
        "size": dictionary(a=tensor(elements=7)), "expanded": dictionary(a=tensor(sizes=(1 << 30,), strides=(0,))), "many": dictionary(a=tensor(sizes=(1,) * 17, strides=(1,) * 17)),
        "arguments": b"ccollections\nOrderedDict\nN\x85R.", "few": b"ctorch._utils\n_rebuild_tensor\n)R.", "parameter": b"ctorch._utils\n_rebuild_parameter\n)R.",
        "long": b"\x8a\x09" + b"\1" * 9 + b".",
    }  # fmt: skip
    for name, pickle in wrong.items():
        add(f"refused_{name}", pickle)
    add("refused_order", dictionary(a=tensor()), order="big")
    add("refused_content", dictionary(a=tensor()), b"short")
    write("torch_file", "refused_no_pickle", b"%% data/0\nx")
    write("torch_file", "refused_twice", b"%% data.pkl\n.\n%% data.pkl\n.")
    write("torch_file", "refused_old_format", bytes.fromhex("80028a0a6cfc9c46f9206aa850192e") + b"x" * 30)
    write("torch_file", "refused_text", b"not a zip archive, but long enough to be one")

    def archive(stored, compressed=False, extra=False):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED) as file:
            for name, content in stored.items():
                info = zipfile.ZipInfo(name)
                info.compress_type = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
                with file.open(info, "w", force_zip64=extra) as entry:
                    entry.write(content)
        return out.getvalue()

    stored = {"m/data.pkl": dictionary(a=tensor()), "m/data/0": struct.pack("<6f", *range(6))}
    whole = archive(stored)
    write("torch_file", "archive", whole)
    write("torch_file", "archive_zip64_files", archive(stored, extra=True))
    end = whole.rindex(b"PK\5\6")
    begin, count = struct.unpack_from("<I", whole, end + 16)[0], struct.unpack_from("<H", whole, end + 10)[0]
    end64 = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, end - begin, begin)
    write("torch_file", "archive_zip64_end", whole[:end] + end64 + b"PK\6\7" + struct.pack("<IQI", 0, end, 1) + whole[end:])
    write("torch_file", "refused_zip64_end", whole[:end] + b"PK\6\7" + struct.pack("<IQI", 0, 3, 1) + whole[end:])
    write("torch_file", "refused_compressed", archive(stored, compressed=True))
    encrypted = bytearray(whole)
    encrypted[begin + 8] = 1
    write("torch_file", "refused_encrypted", bytes(encrypted))
    write("torch_file", "refused_cut", whole[:-1])
    write("torch_file", "refused_far", whole[: end + 16] + b"\xf0\xff\xff\x7f" + whole[end + 20 :])
    write("torch_file", "refused_signature", whole.replace(b"PK\3\4", b"PK\3\5"))


def npy():
    def file(header, data, version=(1, 0), length=None):
        length = len(header) if length is None else length
        return b"\x93NUMPY" + bytes(version) + length.to_bytes(2 if version[0] == 1 else 4, "little") + header.encode() + data

    def header(descr="<f4", order="False", shape="(2, 3)"):
        return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}" + " " * 5 + "\n"

    halves, floats, doubles = struct.pack("<6e", *range(6)), struct.pack("<6f", *range(6)), struct.pack("<6d", *range(6))
    write("npy", "half", file(header("<f2"), halves))
    write("npy", "float", file(header(), floats))
    write("npy", "double_columns_first", file(header("<f8", "True"), doubles))
    write("npy", "bytes", file(header("|i1"), bytes(range(6))))
    write("npy", "version_3", file(header(), floats, (3, 0)))
    wrong = {
        "magic": b"PK\x03\x04" + floats, "short": b"\x93NUMPY", "shorter": b"\x93NUMPY\x01\x00\x01", "version": file(header(), floats, (9, 0)),
        "length": file(header(), floats, length=9999), "type": file(header(">i8"), floats), "vector": file(header(shape="(6,)"), floats),
        "cube": file(header(shape="(1, 2, 3)"), floats), "empty": file(header(shape="(0, 3)"), b""), "data": file(header(), floats[:-1]),
        "large": file(header(shape="(999999999999999, 999999999999999)"), floats), "digits": file(header(shape="(1234567890123456, 1)"), floats),
        "nan": file(header(), struct.pack("<6f", 0, 1, 2, float("nan"), 4, 5)), "twice": file(header()[:-8] + ", 'descr': '<f4'}", floats),
        "key": file(header().replace("descr", "other"), floats), "truth": file(header(order="Maybe"), floats), "size": file(header(shape="(a, 3)"), floats),
        "open": file("{'descr", floats), "missing": file("{'descr': '<f4'}", floats), "rest": file(header() + "x", floats), "colon": file("{'descr' '<f4'}", floats),
        "comma": file("{'descr': '<f4' 'shape': (2, 3)}", floats), "bracket": file(header(shape="(2, 3"), floats), "list": file("[1]", floats),
    }
    for name, content in wrong.items():
        write("npy", f"refused_{name}", content)


def packed_file():
    def add(name, changes=None, data=bytes(range(70)) + bytes(58), hashes=("{xxh}",)):
        source = {"name": "model.safetensors", "hash": "00000000000000ff", "bytes": 9}
        header = {"settings": {"format": "1"}, "sources": [source], "pieces": [["a", 0, 64], ["b", 64, 6], ["c", 128, 0]], "data_bytes": 128,
                  "hashes": list(hashes)} | (changes or {})  # fmt: skip
        write("packed_file", name, json.dumps({key: value for key, value in header.items() if value is not None}).encode() + b"\n" + data)

    add("whole", hashes=("f47bd1364aee76fa",))
    add("refused_hash", hashes=("0000000000000001",))
    add("refused_hex", hashes=("x",))
    add("refused_hashes", hashes=())
    add("refused_short", data=bytes(127))
    add("refused_far", {"pieces": [["a", 192, 1]]})
    add("refused_long", {"pieces": [["a", 64, 65]]})
    add("refused_place", {"pieces": [["a", 1, 1]]})
    add("refused_bytes", {"pieces": [["a", 0, 1 << 63]], "data_bytes": (1 << 64) - 1})
    add("refused_piece", {"pieces": [["a"]]})
    add("refused_settings", {"settings": {"a": 1}})
    add("refused_source", {"sources": [{"name": 3}]})
    for key in ("settings", "sources", "pieces", "data_bytes", "hashes"):
        add(f"refused_no_{key}", {key: None})
    write("packed_file", "refused_json", "{")
    write("packed_file", "refused_line", "")
    magic = b"summand packed\n\0"
    for name, content in {"magic": b"other", "empty": b"", "fixed": magic + bytes(9), "length": magic + b"\xff" * 16,
                          "header": magic + (5).to_bytes(8, "little") + bytes(8) + b"[1,2]"}.items():  # fmt: skip
        write("packed_file", f"refused_raw_{name}", b"raw" + content)


def resume_state():
    state = {"version": 3, "settings": {"precision": "fp32", "prompt": "a\u4e2d\n"}, "rows": 3, "bytes": 4736, "texts": 2**64 - 1, "ids": False}
    write("resume_state", "plain", json.dumps(state))
    write("resume_state", "ids", json.dumps(state | {"ids": True, "id_bytes": 12}))
    write("resume_state", "appearing", json.dumps(state | {"settings": {}, "id_bytes": 0, "appearing": True}))
    write("resume_state", "spare_keys", json.dumps(state | {"appearing": 1, "id_bytes": -1, "more": [1]}))
    wrong = {"version": 3, "settings": [1], "rows": 0, "bytes": -1, "texts": 1.5, "ids": 1}
    for key, value in wrong.items():
        write("resume_state", f"refused_{key}", json.dumps(state | {key: value}))
        write("resume_state", f"refused_no_{key}", json.dumps({k: v for k, v in state.items() if k != key}))
    write("resume_state", "refused_setting", json.dumps(state | {"settings": {"precision": 3}}))
    write("resume_state", "refused_list", "[3]")
    write("resume_state", "refused_short", json.dumps(state)[:-9])
    write("resume_state", "refused_bytes", json.dumps(state).replace("fp32", "\0").encode() + b"\xff")


def token_file():
    """A hash written as "*" is filled in by the target."""
    ids, spaces = struct.pack("<6H", 5, 9, 299, 0, 7, 7), bytes([0b101101])
    sentences, documents = struct.pack("<3Q", 2, 3, 6), struct.pack("<2Q", 2, 3)
    index = {"version": 1, "id_bytes": 2, "tokens": 6, "sentences": 3, "documents": 2, "unknown": 0, "source": "a",
             **{f"{name}.bin_hash": "*" for name in ("ids", "spaces", "sentences", "documents")}}  # fmt: skip

    def add(name, more=None, **files):
        whole = {"ids": ids, "spaces": spaces, "sentences": sentences, "documents": documents, **files}
        write("token_file", name, parts(index__json=json.dumps(index | (more or {})), **{f"{part}__bin": content for part, content in whole.items()}))

    add("narrow")
    add("wide", {"id_bytes": 4}, ids=struct.pack("<6i", 5, 9, 299, 0, 7, 7))
    add("refused_negative", {"id_bytes": 4}, ids=struct.pack("<6i", 5, 9, -1, 0, 7, 7))
    add("refused_id", ids=struct.pack("<6H", 5, 300, 0, 0, 7, 7))
    add("refused_hash", {"ids.bin_hash": "0"})
    add("refused_short", ids=ids[:-1])
    add("refused_back", sentences=struct.pack("<3Q", 2, 2, 6))
    add("refused_far", documents=struct.pack("<2Q", 2, 9))
    add("refused_end", sentences=struct.pack("<3Q", 2, 3, 5))
    add("refused_nothing", {"tokens": 0, "sentences": 0, "documents": 0}, ids=b"", spaces=b"", sentences=b"", documents=b"")
    for key, value in {"version": 2, "id_bytes": 3, "tokens": 1 << 60, "sentences": "3", "source": 1, "documents": -1}.items():
        add(f"refused_{key}", {key: value})
    write("token_file", "refused_index", "[1]")


def labelled_file():
    """The first byte: label shape, text shape times 4, format times 16."""
    one, several, number, words = range(4)
    pair, either, jsonl, tsv, csv = 4, 8, 0, 16, 32

    def lines(*records):
        return "".join(json.dumps(record) + "\n" for record in records)

    def add(name, how, content):
        write("labelled_file", name, bytes([how]) + content.encode())

    add("words", one | jsonl, lines({"text": "a", "label": "x"}, {"text": "b", "label": "\u4e2d"}, {"text": "a", "label": "x"}))
    add("numbers", one | jsonl, lines({"text": "a", "label": 10}, {"text": "", "label": 9}, {"text": "a", "label": True}))
    add("table", one | tsv, "text\tlabel\na\t10\nb\t9\n")
    add("pairs", one | pair | csv, 'text,text_pair,label\n"a, b",c,1\nd,e,0\n')
    add("several", several | jsonl, lines({"text": "a", "label": ["x", "y"]}, {"text": "b", "label": []}, {"text": "c", "label": "z"}))
    add("several_table", several | tsv, "text\tlabel\na\tx, y,\nb\t\n")
    add("real", number | either | jsonl, lines({"text": "a", "text_pair": "b", "label": -0.5}, {"text": "a", "label": "3e-2"}))
    add("tagged", words | jsonl, lines({"tokens": ["a", "b"], "label": ["X", "O"]}, {"tokens": [], "label": []}))
    add("tagged_table", words | tsv, "text\tlabel\na  b\tX O\n c \tO\n")
    wrong = (
        (one, {"text": "a", "label": 0.5}), (one, {"text": "a", "label": ["x"]}), (one, {"text": "a", "label": ""}), (one, {"text": "a", "label": None}),
        (one, {"text": "a", "label": {"x": 1}}), (one, {"text": "a"}), (several, {"text": "a", "label": [["x"]]}), (number, {"text": "a", "label": "nan"}),
        (number, {"text": "a", "label": "1e999"}), (words, {"tokens": ["a"], "label": ["X", "Y"]}), (one | pair, {"text": "a", "label": "x"}),
        (one, {"text": "a", "text_pair": "b", "label": "x"}), (one, {"tokens": ["a"], "label": "x"}),
    )  # fmt: skip
    for n, (how, record) in enumerate(wrong):
        add(f"refused_{n}", how, lines(record))
    add("refused_same", one | jsonl, lines({"text": "a", "label": "x"}, {"text": "b", "label": "x"}))
    add("refused_blank", one | tsv, "text\tlabel\n \tx\n\ty\n")
    add("refused_none", one | tsv, "text\tlabel\n")
    for name, content in INVALID.items():
        write("labelled_file", name, bytes([one | tsv]) + b"text\tlabel\n" + content + b"\t" + content)


def http_request():
    def add(name, start, *fields, body="", piece=0):
        head = "\r\n".join([start, *fields, "", ""])
        write("http_request", name, bytes([piece]) + head.encode("latin-1") + body.encode("latin-1"))

    host, post, chunked = "Host: here", "POST /v1/embeddings?a=b HTTP/1.1", "Transfer-Encoding: chunked"
    add("get", "GET / HTTP/1.1", host)
    add("get_1_0", "GET /health HTTP/1.0", "Connection: keep-alive", "User-Agent: a")
    add("post", post, host, "Content-Type: application/json", "Content-Length: 12", body='{"input":[]}next', piece=3)
    add("expect", post, host, "Expect: 100-continue", "Content-Length: 2", body="{}")
    add("empty_line", "\r\nGET /a HTTP/1.1", "Host:", "Accept: */*", "X-Request-Id: 1")
    add("chunks", post, host, chunked, body="3;a=\"b\"\r\nabc\r\n0a\r\n0123456789\r\n0\r\nA: b\r\n\r\nnext", piece=1)
    add("no_chunks", post, host, chunked, body="0\r\n\r\n")
    add("long_fields", "GET / HTTP/1.1", host, "A: " + "a" * 500, "B: " + "b" * 600)
    add("long_body", post, host, "Content-Length: 513", body="a" * 513)
    add("long_chunks", post, host, chunked, body=("80\r\n" + "a" * 128 + "\r\n") * 5, piece=15)
    add("long_trailer", post, host, chunked, body="0\r\nA: " + "a" * 1200 + "\r\n\r\n", piece=9)
    add("refused_both", post, host, chunked, "Content-Length: 3", body="0\r\n\r\n")
    add("refused_lengths", post, host, "Content-Length: 3", "Content-Length: 4", body="abcd")
    add("refused_length", post, host, "Content-Length: +3", body="abc")
    add("refused_coding", post, host, "Transfer-Encoding: gzip, chunked", body="0\r\n\r\n")
    add("refused_codings", post, host, "Transfer-Encoding: gzip", chunked, body="0\r\n\r\n")
    add("refused_coding_1_0", "POST / HTTP/1.0", chunked, body="0\r\n\r\n")
    add("refused_no_host", "GET / HTTP/1.1")
    add("refused_hosts", "GET / HTTP/1.1", host, "host: there")
    add("refused_host", "GET / HTTP/1.1", "Host: a@b")
    add("refused_expect", post, host, "Expect: more", "Content-Length: 1", body="a")
    add("refused_fold", "GET / HTTP/1.1", host, "A: b", " c")
    add("refused_empty_fold", "GET / HTTP/1.1", host, "A:", "\tc")
    add("refused_space", "GET / HTTP/1.1", "Host : here")
    add("refused_value", "GET / HTTP/1.1", host, "A: b\nc")
    add("absolute_target", "GET http://here/ HTTP/1.1", host)
    add("refused_fragment", "GET /a#b HTTP/1.1", host)
    add("refused_method", "G@T / HTTP/1.1", host)
    add("refused_version", "GET / HTTP/2.0", host)
    add("refused_line_end", "GET / HTTP/1.1\rA", host)
    for n, chunks in enumerate(("g\r\n", "0x3\r\nabc\r\n0\r\n\r\n", "3 \r\nabc\r\n", "3\r\nabcd\r\n", "3;a\nb\r\nabc\r\n", "1" * 17 + "\r\n",
                                "3;" + "a" * 300 + "\r\nabc\r\n", "0\r\nA: b\r\n c\r\n\r\n", "0\r\nContent-Length: 1\r\n\r\n", "3\nabc\r\n")):  # fmt: skip
        add(f"refused_chunks_{n}", post, host, chunked, body=chunks, piece=n)


def http_body():
    kinds = ("embed", "predict", "rerank", "fill_mask", "tag")
    paths = ("/embed", "/embed_all", "/similarity", "/predict", "/rerank", "/fill_mask", "/tag", "/hidden", "/tokenize",
             "/decode", "/", "/invocations", "/v1/embeddings", "/embeddings", "/v1/rerank", "/v2/rerank", "/live/look")  # fmt: skip

    def add(name, kind, path, body):
        if not isinstance(body, (bytes, str)):
            body = json.dumps(body, ensure_ascii=False)
        write("http_body", name, bytes([kinds.index(kind), paths.index(path)]) + (body if isinstance(body, bytes) else body.encode()))

    texts = ["a cat", "b \u00e9 \u4e2d", "a" * 60]
    add("embed", "embed", "/embed", {"inputs": "a cat"})
    add("embed_texts", "embed", "/embed", {"inputs": texts, "normalize": False, "truncate": True, "truncation_direction": "Left"})
    add("embed_ids", "embed", "/embed", {"inputs": [2, 5, 3], "prompt": None, "model": "a"})
    add("embed_mixed", "embed", "/embed", {"inputs": ["a", [2, 6, 3], "", [999], []], "on_error": "item", "encoding_format": "int8"})
    add("embed_prompt", "embed", "/embed", {"inputs": ["a"], "prompt": "b: ", "dimensions": 3, "encoding_format": "binary"})
    add("embed_named_prompt", "embed", "/embed", {"inputs": ["a"], "prompt_name": "query", "encoding_format": "ubinary"})
    add("embed_long_ids", "embed", "/embed", {"inputs": [[5] * 30], "truncation_direction": "left", "unknown": {"a": 1}})
    add("embed_many", "embed", "/embed", {"inputs": ["a"] * 41})
    add("embed_all", "embed", "/embed_all", {"inputs": texts, "prompt_name": "query", "truncate": True})
    add("similarity", "embed", "/similarity", {"inputs": {"source_sentence": "a", "sentences": texts}, "parameters": {"truncate": True, "prompt_name": "query"}})
    add("similarity_at_root", "embed", "/", {"inputs": {"source_sentence": "a", "sentences": ["a"]}})
    add("openai", "embed", "/v1/embeddings", {"input": texts, "model": "text", "encoding_format": "base64", "dimensions": 4, "user": "me"})
    add("openai_ids", "embed", "/embeddings", {"input": [[2, 5, 3], [2, 3]], "encoding_format": "float"})
    add("invocations", "embed", "/invocations", {"inputs": "a"})
    add("predict", "predict", "/predict", {"inputs": "a"})
    add("predict_pair", "predict", "/predict", {"inputs": ["a", "b"], "raw_scores": True})
    add("predict_pairs", "predict", "/predict", {"inputs": [["a", "b"], ["a"], "c"], "truncate": False})
    add("predict_at_root", "predict", "/", {"inputs": ["a"], "truncation_direction": "Right"})
    add("rerank", "rerank", "/rerank", {"query": "a", "texts": texts, "raw_scores": True, "return_text": True, "top_n": 2})
    add("rerank_at_root", "rerank", "/", {"query": "a", "texts": ["b"]})
    add("rerank_v1", "rerank", "/v1/rerank", {"query": "a", "documents": ["b", {"text": "c"}], "return_documents": True, "model": "rerank"})
    add("rerank_v2", "rerank", "/v2/rerank", {"query": "a", "documents": texts, "top_n": 1, "max_tokens_per_doc": 4096})
    add("fill_mask", "fill_mask", "/fill_mask", {"inputs": "a [MASK]", "top_k": 2})
    add("fill_masks", "fill_mask", "/", {"inputs": ["[MASK] [MASK]", "a [MASK]"], "parameters": {"top_k": 1, "targets": ["a", "b"]}})
    add("tag", "tag", "/tag", {"inputs": "a b", "parameters": {"aggregation_strategy": "none"}})
    add("tags", "tag", "/tag", {"inputs": texts, "parameters": {"aggregation_strategy": "first"}, "truncate": True})
    add("hidden", "embed", "/hidden", {"inputs": ["a", "b c"], "layers": [0, 2, 0]})
    add("tokenize", "embed", "/tokenize", {"inputs": texts, "add_special_tokens": False, "prompt_name": "query"})
    add("decode", "embed", "/decode", {"ids": [[2, 5, 3], [4]], "skip_special_tokens": False})
    add("decode_one", "fill_mask", "/decode", {"ids": [2, 5, 3]})
    look = {"model": "a", "text": "a [MASK]", "pair": "b", "strengths": {"token": 1, "position": 0.5, "segment": 0}, "order": [1, 0, 2, 3, 4, 5],
            "noise": 0.1, "seed": 1, "attention": {"layer": 1, "head": 2}, "scores": 1, "sentences": ["a", "b"]}  # fmt: skip
    add("look", "embed", "/live/look", look)
    add("look_mask", "fill_mask", "/live/look", {"model": "a", "text": "a [MASK]", "attention": "all", "scores": "mean"})
    for key, value in {"text": 1, "order": [0, 0], "noise": 5, "seed": -1, "attention": {"layer": 9}, "scores": 9, "sentences": [], "strengths": [1]}.items():
        add(f"refused_look_{key}", "embed", "/live/look", look | {key: value})

    wrong = {"no": b"", "array": b"[1]", "cut": b'{"inputs": "a', "nan": b'{"inputs": NaN}', "infinity": b'{"inputs": [-Infinity]}',
             "overflow": b'{"inputs": [1e999]}', "bytes": b'{"inputs": "\xff\xc3"}', "surrogate_bytes": b'{"inputs": "\xed\xa0\x80"}',
             "surrogate": b'{"inputs": "\\ud800"}', "surrogates": b'{"inputs": "\\udc00\\ud800"}', "control": b'{"inputs": "a\nb"}',
             "deep": b'{"inputs":' + b"[" * 40 + b"]" * 40 + b"}", "open": b"[" * 4000, "deep_objects": b'{"a":' * 30, "nothing_but_a_mark": b'\xef\xbb\xbf', "mark_inside": b'{\xef\xbb\xbf}',
             "comment": b'{"inputs": "a" /* b */}', "comma": b'{"inputs": ["a",]}', "more": b'{"inputs": "a"} {}', "line": b'{"inputs"\n: \xe2\x80\xa8}'}  # fmt: skip
    for name, body in wrong.items():
        add(f"refused_{name}", "embed", "/embed", body)
    add("twice", "embed", "/embed", b'{"inputs": "a", "inputs": ["b", "c"], "normalize": 1, "normalize": true}')
    add("mark", "embed", "/embed", b'\xef\xbb\xbf{"inputs": "a"}')
    add("surrogates", "embed", "/embed", b'{"inputs": "\\ud83d\\ude00 \\u0000 \\u2028 a", "\\u0000\\r\\n": 1}')
    for n, value in enumerate((None, 3, 1.5, True, {}, [], "", [[]], [1.5], [-1], [2**31], [2**63], [2**64], [2**70], ["a", 3], [["a", "b", "c"]], [{}], [[[1]]], [None])):
        add(f"refused_inputs_{n}", "embed", "/embed", {"inputs": value})
        add(f"refused_pairs_{n}", "predict", "/predict", {"inputs": value})
    options = {"normalize": "yes", "dimensions": 0, "dimensions_": 99, "prompt": 1, "prompt_name": "none", "encoding_format": "hex", "on_error": "x",
               "truncate": 1, "truncation_direction": "up\u2028", "model": 1}  # fmt: skip
    for key, value in options.items():
        add(f"refused_{key}", "embed", "/embed", {"inputs": "a", key.rstrip("_"): value})
    add("refused_length", "embed", "/embed", {"inputs": "a " * 40, "truncate": False})
    add("refused_ids_length", "embed", "/embed", {"inputs": [5] * 40, "truncate": False})
    add("refused_task", "embed", "/predict", {"inputs": "a"})
    add("refused_reranker", "predict", "/rerank", {"query": "a", "texts": ["b"]})
    add("refused_vectors", "tag", "/fill_mask", {"inputs": "a"})
    add("refused_source", "embed", "/similarity", {"inputs": {"sentences": ["a"]}})
    add("refused_sentences", "embed", "/similarity", {"inputs": {"source_sentence": "a", "sentences": []}})
    add("refused_sentence", "embed", "/similarity", {"inputs": {"source_sentence": "", "sentences": ["a", 1]}, "parameters": []})
    for n, body in enumerate(({"texts": ["a"]}, {"query": "a"}, {"query": "", "texts": ["a"]}, {"query": "a", "texts": []}, {"query": "a", "texts": ["b"], "top_n": 0})):
        add(f"refused_rerank_{n}", "rerank", "/rerank", body)
    for n, documents in enumerate((None, [], [1], [{"text": 1}], [{"title": "a"}], "a")):
        add(f"refused_documents_{n}", "rerank", "/v2/rerank", {"query": "a", "documents": documents})
    add("refused_mask", "fill_mask", "/fill_mask", {"inputs": ["a [MASK]", "a"]})
    add("refused_top_k", "fill_mask", "/fill_mask", {"inputs": "[MASK]", "parameters": {"top_k": 1 << 40}})
    add("refused_targets", "fill_mask", "/fill_mask", {"inputs": "[MASK]", "targets": ["nothing", ""]})
    add("refused_aggregation", "tag", "/tag", {"inputs": "a", "parameters": {"aggregation_strategy": "most"}})
    for n, layers in enumerate(([], [3], [-1], "all", [0.5])):
        add(f"refused_layers_{n}", "embed", "/hidden", {"inputs": "a", "layers": layers})
    add("refused_tokenize_ids", "embed", "/tokenize", {"inputs": [[1]]})
    add("refused_decode_text", "embed", "/decode", {"ids": ["a"]})
    add("decode_unknown", "embed", "/decode", {"ids": [[99999, 2147483647]]})
    add("refused_hidden_ids", "embed", "/hidden", {"inputs": [1, 2]})


def main():
    shutil.rmtree(CORPUS, ignore_errors=True)
    for make in (tokenizer, tokenizer_json, config_json, safetensors, torch_file, input_reader, npy, packed_file, resume_state, token_file,
                 labelled_file, http_request, http_body):  # fmt: skip
        make()
        sizes = [path.stat().st_size for path in (CORPUS / make.__name__).iterdir()]
        print(f"{make.__name__:<16} {len(sizes):>4} files {sum(sizes):>7} bytes")


main()
