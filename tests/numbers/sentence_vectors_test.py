"""Sentence vectors of `summand embed` against sentence-transformers: cosine at least 0.999999, lengths within 1e-5."""

import json
import subprocess
import sys
import tempfile

import numpy as np
import sentence_models
import summand_testing
import torch
from sentence_transformers import SentenceTransformer

LEAST_COSINE = 0.999999
LENGTH_TOLERANCE = 1e-5  # relative: fp32 sums of up to 256 rows in another order

TEXTS = [
    "A man is eating food.", "", "a", "Ünïcödé ÀCCENTS and straße", "我喜欢自然语言处理，也喜欢猫。", "unaffable [MASK] [SEP] xqzzy🙂",
    "word " * 30, "longer than every limit " * 200, "\t tabs \u00a0 and \u200b controls \x00 \x07", "日本語 and English mixed",
]  # fmt: skip


def embed(directory, texts, *options):
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out.npy"
        lines = "\n".join(json.dumps({"text": text}) for text in texts) + "\n"
        command = [summand_testing.BIN / "summand", "embed", "--model", directory, "-", "--format", "jsonl", "-o", out, *options]
        result = subprocess.run(command, input=lines, text=True, capture_output=True)
        assert result.returncode == 0, result.stderr
        return np.load(out)


class Comparison:
    def __init__(self):
        self.vectors, self.failures, self.worst = 0, 0, 1.0

    def check(self, name, ours, theirs):
        ours, theirs = ours.astype(np.float64), np.asarray(theirs, dtype=np.float64)
        assert ours.shape == theirs.shape, (name, ours.shape, theirs.shape)
        lengths = np.linalg.norm(ours, axis=1), np.linalg.norm(theirs, axis=1)
        assert (lengths[1] > 1e-3).all(), f"{name}: vectors too short to compare"
        cosines = (ours * theirs).sum(axis=1) / (lengths[0] * lengths[1])
        wrong = ~((cosines >= LEAST_COSINE) & (np.abs(lengths[0] / lengths[1] - 1) <= LENGTH_TOLERANCE))
        self.vectors, self.failures, self.worst = self.vectors + len(ours), self.failures + wrong.sum(), min(self.worst, cosines.min())
        if wrong.any():
            print(f"{name}: texts {np.flatnonzero(wrong)}: cosines {cosines[wrong]}, lengths {lengths[0][wrong]} {lengths[1][wrong]}")


def real_model(comparison):
    directory = str(summand_testing.minilm())
    model = SentenceTransformer(directory, device="cpu")
    comparison.check("MiniLM", embed(directory, TEXTS), model.encode(TEXTS))
    comparison.check("MiniLM, 100 dimensions", embed(directory, TEXTS, "--dimensions", "100"), model.encode(TEXTS, truncate_dim=100))
    model.max_seq_length = 12
    comparison.check("MiniLM, 12 tokens", embed(directory, TEXTS, "--max-length", "12"), model.encode(TEXTS))


def poolings(comparison):
    for pooling in [*sentence_models.POOLINGS, ["cls", "mean", "max"], ["weightedmean", "mean"]]:
        with tempfile.TemporaryDirectory() as folder:
            model, directory = sentence_models.sentence_model(folder, pooling)
            expected = model.encode(TEXTS)
            comparison.check(f"pooling {pooling}", embed(directory, TEXTS), expected)
            sentence_models.as_version_2(directory)
            if isinstance(pooling, str):  # the flags of version 2 to 5 have an order of their own
                comparison.check(f"pooling {pooling}, old flags", embed(directory, TEXTS), expected)
                plain = SentenceTransformer(str(directory), device="cpu").encode(TEXTS)
                comparison.check(f"pooling {pooling}, old flags, read by the library", embed(directory, TEXTS), plain)


def other_modules(comparison):
    dense = [(16, torch.nn.Tanh()), (9, torch.nn.Identity())]
    activations = torch.nn.modules.activation
    for name in ["ReLU", "GELU", "Sigmoid", "CELU", "ELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
                 "LogSigmoid", "LogSoftmax", "Mish", "ReLU6", "RReLU", "SELU", "SiLU", "Softmax", "Softmin", "Softplus", "Softshrink",
                 "Softsign", "Tanhshrink"]:  # fmt: skip
        activation = getattr(activations, name)()
        with tempfile.TemporaryDirectory() as folder:
            model, directory = sentence_models.sentence_model(folder, dense=[(30, activation)])
            comparison.check(f"dense {activation}", embed(directory, TEXTS), model.encode(TEXTS))
    with tempfile.TemporaryDirectory() as folder:
        model, directory = sentence_models.sentence_model(folder, ["mean", "cls"], dense, normalize=True)
        comparison.check("two dense layers, normalised", embed(directory, TEXTS), model.encode(TEXTS))
        comparison.check("cut to 5", embed(directory, TEXTS, "--dimensions", "5"), model.encode(TEXTS, truncate_dim=5))


def chains(comparison):
    """Normalize anywhere and twice, LayerNorm, Dropout and residuals, with weights in safetensors and in torch's own files."""
    modules = sentence_models.modules
    lists = {
        "Normalize first": lambda: [modules.Normalize(), modules.Pooling(24), modules.Dense(24, 9)],
        "Normalize between and twice": lambda: [modules.Pooling(24), modules.Normalize(), modules.Dense(24, 9), modules.Normalize(), modules.Normalize()],
        "LayerNorm and Dropout": lambda: [modules.Pooling(24), modules.LayerNorm(24), modules.Dropout(0.5), modules.Dense(24, 9), modules.Normalize()],
        "residuals": lambda: [modules.Pooling(24), modules.Dense(24, 24, use_residual=True), modules.Dense(24, 9, bias=False, use_residual=True)],
    }  # fmt: skip
    for name, make in lists.items():
        with tempfile.TemporaryDirectory() as folder:
            base = sentence_models.transformer_directory(f"{folder}/base")
            torch.manual_seed(5)
            model = SentenceTransformer(modules=[modules.Transformer(str(base)), *make()], device="cpu").eval()
            for module in model:
                if isinstance(module, modules.LayerNorm):
                    torch.nn.init.normal_(module.norm.weight)
                    torch.nn.init.normal_(module.norm.bias)
            for safe in (True, False):
                saved = f"{folder}/{safe}"
                model.save(saved, safe_serialization=safe)
                comparison.check(f"{name}, {'safetensors' if safe else 'torch'}", embed(saved, TEXTS), model.encode(TEXTS))


def prompts(comparison):
    for include in (True, False):
        for pooling in sentence_models.POOLINGS:
            with tempfile.TemporaryDirectory() as folder:
                model, directory = sentence_models.sentence_model(
                    folder, pooling, include_prompt=include, prompts=sentence_models.PROMPTS
                )
                texts = [text for text in TEXTS if len(text) > 1]
                for name, prompt in sentence_models.PROMPTS.items():
                    label = f"prompt {name}, {pooling}, {'in' if include else 'ex'}cluded"
                    comparison.check(label, embed(directory, texts, "--prompt-name", name), model.encode(texts, prompt_name=name))
                comparison.check("own prompt", embed(directory, texts, "--prompt", "x: "), model.encode(texts, prompt="x: "))


def plain_directory(comparison):
    with tempfile.TemporaryDirectory() as folder:
        directory = sentence_models.transformer_directory(folder)
        comparison.check("no modules.json", embed(directory, TEXTS), SentenceTransformer(str(directory), device="cpu").encode(TEXTS))


def lower_casing(comparison):
    """sentence_bert_config.json may lower-case the texts of a cased model; accents then stay."""
    with tempfile.TemporaryDirectory() as folder:
        model, directory = sentence_models.sentence_model(folder, cased=True)
        texts = [*TEXTS, "NASA and the École of İstanbul", "ΑΣ ẞ ǅ Ⅷ"]
        cased = embed(directory, texts)
        comparison.check("cased", cased, model.encode(texts))
        settings = directory / "sentence_bert_config.json"
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"do_lower_case": True}))
        lowered = embed(directory, texts)
        assert np.abs(lowered - cased).max() > 0.01, "lower-casing must change something"
        comparison.check("do_lower_case", lowered, SentenceTransformer(str(directory), device="cpu").encode(texts))


def settings_of_folders(comparison):
    """tokenizer.json and tokenizer_config.json that contradict each other: the class decides which of them counts."""
    texts = [*TEXTS, "The Capital of PARIS élan", "a [MASK] of  new 中国 " * 20]
    mask = {"content": "[MASK]", "lstrip": True, "rstrip": False, "single_word": False, "normalized": False, "special": True}
    cases = {
        "BertTokenizer lower-cases": {"tokenizer_class": "BertTokenizer", "do_lower_case": True},
        "PreTrainedTokenizerFast does not": {"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": True},
        "accents and Chinese": {"tokenizer_class": "BertTokenizer", "strip_accents": False, "tokenize_chinese_chars": False},
        "cut on the left": {"tokenizer_class": "BertTokenizer", "truncation_side": "left", "model_max_length": 9},
        "other special tokens": {"cls_token": "[MASK]", "unk_token": "the", "added_tokens_decoder": {"103": mask}},
    }
    for name, keys in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            directory = sentence_models.transformer_directory(folder)
            path = directory / "tokenizer.json"
            content = json.loads(path.read_text())
            content["normalizer"]["lowercase"] = False
            path.write_text(json.dumps(content))
            path = directory / "tokenizer_config.json"
            path.write_text(json.dumps(json.loads(path.read_text()) | keys))
            expected = SentenceTransformer(str(directory), device="cpu").encode(texts)
            comparison.check(name, embed(directory, texts), expected)


def last_four(comparison):
    """Devlin et al. 2019, table 7: no module of the library does this, so from hidden states."""
    with tempfile.TemporaryDirectory() as folder:
        directory = sentence_models.transformer_directory(folder)
        model = SentenceTransformer(str(directory), device="cpu")
        bert, tokenizer = model[0].auto_model, model.tokenizer
        mean, concatenated = [], []
        for text in TEXTS:
            encoding = tokenizer(text, truncation=True, max_length=64, return_tensors="pt")
            with torch.no_grad():
                states = bert(**encoding, output_hidden_states=True).hidden_states[-4:]
            mean.append(torch.stack(states).mean(dim=0)[0].mean(dim=0).numpy())
            concatenated.append(torch.cat(states, dim=-1)[0].mean(dim=0).numpy())
        comparison.check("last four, mean", embed(directory, TEXTS, "--pooling", "last_four_mean"), mean)
        comparison.check("last four, side by side", embed(directory, TEXTS, "--pooling", "last_four_concat"), concatenated)


def windows(comparison):
    """A long text by hand: the library's vectors of its parts, the prompt before each, combined, then normalised, then cut."""
    words = ("river bank interest rate a cat 我 喜 sentence " * 20).split()  # one token each
    prompt, room, overlap = sentence_models.PROMPTS["query"], 64 - 2 - 2, 7
    starts = range(0, len(words) - overlap, room - overlap)
    parts = [" ".join(words[start : start + room]) for start in starts]
    for include in (True, False):
        for pooling in ("mean", "cls", "max"):
            with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
                settings = dict(pooling=pooling, dense=[(16, torch.nn.Tanh())], include_prompt=include, prompts=sentence_models.PROMPTS)
                model, _ = sentence_models.sentence_model(folder, **settings)
                _, directory = sentence_models.sentence_model(other, normalize=True, **settings)
                rows = model.encode(parts, prompt=prompt).astype(np.float64)
                short = model.encode(["a cat"], prompt=prompt)[0]
                for way, combined in (("mean", rows.mean(axis=0)), ("max", rows.max(axis=0))):
                    expected = np.array([row / np.linalg.norm(row) for row in (combined, short)])
                    options = ("--windows", way, "--overlap", str(overlap), "--prompt-name", "query")
                    ours = embed(directory, [" ".join(words), "a cat"], *options)
                    comparison.check(f"{len(parts)} windows, {way}, {pooling}, prompt {include}", ours, expected)
                    cut = embed(directory, [" ".join(words), "a cat"], *options, "--dimensions", "9")
                    comparison.check(f"{len(parts)} windows, {way}, {pooling}, cut", cut, expected[:, :9])


if __name__ == "__main__":
    comparison = Comparison()
    for part in (real_model, poolings, other_modules, chains, prompts, plain_directory, lower_casing, settings_of_folders, last_four, windows):
        part(comparison)
    print(f"{comparison.vectors} vectors compared, {comparison.failures} failed, lowest cosine {comparison.worst:.9f}")
    sys.exit(0 if comparison.failures == 0 and comparison.vectors > 400 else 1)
