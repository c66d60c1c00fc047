"""examples_test.py EXAMPLE: what an example prints, against what the program writes about the same model: the real
MiniLM, or for the heads a small random model. The program itself is compared with transformers elsewhere."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np
import summand_testing
from command_line import summand
from safetensors.numpy import load_file, save_file

MODEL = summand_testing.minilm()
TEXTS = ["The bank of the river.", "", "我喜欢猫", "Ünïcode straße", "word " * 300, "The bank raised its rates."]


def example(name, *arguments):
    """What the example prints, line by line."""
    command = [str(summand_testing.BIN / f"example_{name}"), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def written(verb, ending, *arguments, model=MODEL):
    """The path of a file that the program has just written."""
    out = pathlib.Path(FOLDER) / f"out.{ending}"
    result = summand(verb, "--model", model, *arguments, "-o", out, "--overwrite")
    assert result.returncode == 0, result.stderr
    return out


def texts_file(texts):
    path = pathlib.Path(FOLDER) / "in.txt"
    path.write_text("".join(text + "\n" for text in texts))
    return path


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def check_embed():
    """The vectors have the bits of `summand embed`."""
    expected = np.load(written("embed", "npy", texts_file(TEXTS)))
    printed = np.array([line.split() for line in example("embed", MODEL, *TEXTS)]).astype(np.float32)
    assert printed.shape == (len(TEXTS), 384), printed.shape
    assert np.array_equal(printed.view(np.uint32), expected.view(np.uint32))


def check_similarity():
    """Cosines and their order are those of the vectors that `summand embed` writes."""
    vectors = np.load(written("embed", "npy", texts_file(TEXTS))).astype(np.float64)
    expected = sorted(((cosine(vectors[0], v), text) for v, text in zip(vectors[1:], TEXTS[1:])), reverse=True)
    lines = [line.split("  ", 1) for line in example("similarity", MODEL, *TEXTS)]
    assert [line[1] for line in lines] == [text for _, text in expected], lines
    np.testing.assert_allclose([float(line[0]) for line in lines], [value for value, _ in expected], atol=6e-7)


def check_search():
    """The three lines that `summand search` finds, with its scores."""
    path = texts_file(TEXTS)
    found = summand("search", "--model", MODEL, "--corpus", path, "--query", "rates", "--top", "3", "--json")
    expected = [(hit["text"], hit["score"]) for hit in json.loads(found.stdout)["hits"]]
    lines = [line.split("  ", 1) for line in example("search", MODEL, path, "rates")]
    assert [line[1] for line in lines] == [text for text, _ in expected], lines
    np.testing.assert_allclose([float(line[0]) for line in lines], [score for _, score in expected], atol=6e-7)


def check_hidden_states():
    """Cosines between the first and every later hidden state, from the file that `summand hidden` writes."""
    for text in TEXTS:
        states = load_file(written("hidden", "safetensors", texts_file([text])))
        rows = [line.split()[-6:] for line in example("hidden_states", MODEL, text)]
        assert len(rows) == len(states["ids"]), (len(rows), len(states["ids"]))
        for token, row in enumerate(rows):
            layers = [states[f"hidden.{layer}"][token].astype(np.float64) for layer in range(7)]
            expected = [cosine(layers[0], layer) for layer in layers[1:]]
            np.testing.assert_allclose([float(x) for x in row], expected, atol=6e-6)


def attention_of_first_layer(states, weights, heads):
    """softmax(QK^T / sqrt(d)) of each head, from hidden state 0, in double precision."""
    inputs = states["hidden.0"].astype(np.float64)

    def projected(name):
        layer = "encoder.layer.0.attention.self."
        rows = inputs @ weights[f"{layer}{name}.weight"].astype(np.float64).T + weights[f"{layer}{name}.bias"]
        return rows.reshape(len(rows), heads, -1).transpose(1, 0, 2)

    query, key = projected("query"), projected("key")
    scores = query @ key.transpose(0, 2, 1) / np.sqrt(query.shape[2])
    powers = np.exp(scores - scores.max(axis=2, keepdims=True))
    return powers / powers.sum(axis=2, keepdims=True)


def shares_by_offset(attention):
    """offset → its share of a head's attention."""
    length = len(attention)
    return {offset: attention.diagonal(offset).sum() / length for offset in range(1 - length, length)}


def with_positions(name, weights, rows):
    """A copy of the model whose position table is another."""
    copy = shutil.copytree(MODEL, pathlib.Path(FOLDER) / name, ignore=shutil.ignore_patterns("*.safetensors"))
    save_file(weights | {"embeddings.position_embeddings.weight": rows}, copy / "model.safetensors")
    return copy


def check_taps():
    """Attention computed anew from the weights, and the vectors of checkpoints whose position table is another."""
    weights = load_file(MODEL / "model.safetensors")
    table = weights["embeddings.position_embeddings.weight"]
    none = with_positions("none", weights, np.zeros_like(table))
    same = with_positions("same", weights, np.tile(table[:1], (len(table), 1)))
    limit = str(json.loads((MODEL / "sentence_bert_config.json").read_text())["max_seq_length"])
    for pair in [(TEXTS[0], TEXTS[5]), ("", TEXTS[2]), ("word " * 300, "end " * 300)]:
        path = pathlib.Path(FOLDER) / "in.jsonl"
        path.write_text(json.dumps(dict(zip(["text", "text_pair"], pair))) + "\n")
        lines = example("taps", MODEL, *pair)
        vector, *others = [
            np.load(written("embed", "npy", path, model=model))[0].astype(np.float64) for model in [MODEL, none, same]
        ]  # fmt: skip
        printed = [float(re.fullmatch(r"cosine with.*: (\S+)", line)[1]) for line in lines[12:]]
        np.testing.assert_allclose(printed, [cosine(vector, other) for other in others], atol=1e-5)

        states = load_file(written("hidden", "safetensors", path, "--max-length", limit))
        heads = [re.fullmatch(r"head +(\d+) looks most at offset ([+-]\d+): (\S+)", line) for line in lines[:12]]
        for head, attention in enumerate(attention_of_first_layer(states, weights, 12)):
            shares = shares_by_offset(attention)
            assert int(heads[head][1]) == head, lines
            for expected in [shares[int(heads[head][2])], max(shares.values())]:
                assert abs(float(heads[head][3]) - expected) < 1e-5, (heads[head], expected)


def check_tokenize():
    """Ids, segments, tokens and bytes of texts and a pair are those of `summand tokenize`."""
    for texts in [[TEXTS[0]], [""], ["我喜欢猫 Ünïcode"], ["Unaffable!", "straße 日本"]]:
        record = dict(zip(["text", "text_pair"], texts))
        path = pathlib.Path(FOLDER) / "in.jsonl"
        path.write_text(json.dumps(record) + "\n")
        expected = json.loads(written("tokenize", "jsonl", path).read_text())
        lines = [re.fullmatch(r" *(\d+)  (\d)  (\S+) *  (.*)", line) for line in example("tokenize", MODEL, *texts)]
        assert [int(line[1]) for line in lines] == expected["ids"], lines
        assert [int(line[2]) for line in lines] == expected["segments"], lines
        assert [line[3] for line in lines] == expected["tokens"], lines
        for line, segment, (begin, end) in zip(lines, expected["segments"], expected["offsets"]):
            assert line[4] == texts[segment].encode()[begin:end].decode(), line


def check_several_threads():
    assert example("several_threads", MODEL, *TEXTS) == ["6 of 6 threads got the same bits as one call"]


def head_model(kind, **changes):
    import head_models

    return head_models.head_directory(pathlib.Path(FOLDER) / "model", kind, **changes)[0]


def shown(verb, model, *arguments):
    """The objects that a verb of the heads prints, one per line."""
    result = summand(verb, "--model", model, "--json", *arguments)
    assert result.returncode == 0, result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


def check_fill_mask():
    model = head_model("masked-lm")
    text = "Die [MASK] sang, größer [MASK] 我."
    expected = [
        (mask["offset"][0], filling["score"], filling["token"], filling["sequence"])
        for mask in shown("fill-mask", model, "--text", text, "--top", "3")[0]["masks"] for filling in mask["fillings"]
    ]  # fmt: skip
    lines = [re.fullmatch(r"(\d+)  (\S+)  (\S+) *  (.*)", line) for line in example("fill_mask", model, text)]
    assert len(expected) == 6, expected
    assert [(int(line[1]), line[3], line[4]) for line in lines] == [(o, t, s) for o, _, t, s in expected], lines
    np.testing.assert_allclose([float(line[2]) for line in lines], [score for _, score, _, _ in expected], atol=6e-7)


def check_classify():
    model = head_model("sequence-classification", id2label={0: "bad", 1: "so so", 2: "good"}, label2id={"bad": 0, "so so": 1, "good": 2})
    for texts in [["We saw it."], ["", "我们 saw it"]]:
        path = pathlib.Path(FOLDER) / "in.jsonl"
        path.write_text(json.dumps(dict(zip(["text", "text_pair"], texts))) + "\n")
        expected = [(label["label"], label["score"]) for label in shown("classify", model, path, "--top", "3")[0]["labels"]]
        lines = [line.split("  ", 1) for line in example("classify", model, *texts)]
        assert len(lines) == 3 and [line[1] for line in lines] == [label for label, _ in expected], lines
        np.testing.assert_allclose([float(line[0]) for line in lines], [score for _, score in expected], atol=6e-7)


def check_rerank():
    model = head_model("sequence-classification", num_labels=1)
    path = texts_file(TEXTS[1:])
    expected = [(entry["text"], entry["score"]) for entry in shown("rerank", model, "--query", TEXTS[0], path)]
    lines = [line.split("  ", 1) for line in example("rerank", model, *TEXTS)]
    assert len(lines) == 5 and [line[1] for line in lines] == [text for text, _ in expected], lines
    np.testing.assert_allclose([float(line[0]) for line in lines], [score for _, score in expected], atol=6e-7)


def check_tag():
    names = ["O", "B-PER", "I-PER", "B-LOC"]
    model = head_model("token-classification", id2label=dict(enumerate(names)), label2id={n: i for i, n in enumerate(names)})
    text = "Åse Jørgensen lives in 北京 and unaffable New York."
    expected = shown("tag", model, "--text", text)[0]["tags"]
    lines = [re.fullmatch(r"(\S+)  (\S+) *  (.*)", line) for line in example("tag", model, text)]
    assert len(expected) > 3 and len(lines) == len(expected), lines
    for line, tag in zip(lines, expected):
        begin, end = tag["bytes"]
        assert (line[2], line[3]) == (tag["label"], text.encode()[begin:end].decode()), (line, tag)
        assert abs(float(line[1]) - tag["score"]) < 6e-7, (line, tag)


def check_errors(name):
    """Without arguments an example says how it is called; a missing model is one line and status 1."""
    program = str(summand_testing.BIN / f"example_{name}")
    usage = subprocess.run([program], capture_output=True, text=True)
    assert usage.returncode == 2 and usage.stderr.startswith(f"usage: example_{name} MODEL"), usage
    arguments = usage.stderr.split()[3:]
    missing = subprocess.run([program, "/nowhere", *arguments], capture_output=True, text=True)
    assert missing.returncode == 1 and missing.stderr.count("\n") == 1 and "/nowhere" in missing.stderr, missing


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as FOLDER:
        globals()[f"check_{sys.argv[1]}"]()
        check_errors(sys.argv[1])
    print(f"example_{sys.argv[1]}: as the program says")
