"""Directories in the layouts of sentence-transformers 2 to 6: what this program reads is what the library reads."""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Dense, Dropout, LayerNorm, Normalize, Pooling, Transformer

from summand_testing import BIN, minilm

OLD = "sentence_transformers.models."


def probe(*words):
    done = subprocess.run([BIN / "io_probe", *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def bits(tensor):
    return tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes().hex()


def library_reads(directory):
    """The live library's view of a directory, in the words of io_probe."""
    model = SentenceTransformer(str(directory), device="cpu")
    pooling = next(module for module in model if isinstance(module, Pooling))
    modes = [pooling.pooling_mode] if isinstance(pooling.pooling_mode, str) else list(pooling.pooling_mode)
    steps, pooled = [], False
    for module in model:
        pooled = pooled or isinstance(module, Pooling)
        if isinstance(module, Dense):
            kind = type(module.activation_function)
            projection = getattr(module, "residual", None)
            steps.append((bits(module.linear.weight), module.linear.bias is not None and bits(module.linear.bias),
                          projection is not None and bits(projection.weight), module.use_residual,
                          f"{kind.__module__}.{kind.__name__}"))
        if isinstance(module, LayerNorm):
            steps.append((bits(module.norm.weight), bits(module.norm.bias)))
        if isinstance(module, Normalize) and pooled:
            steps.append("normalize")
    return {
        "pooling": modes,
        "include_prompt": pooling.include_prompt,
        "steps": steps,
        "similarity_fn_name": model.similarity_fn_name,
        "truncate_dim": model.truncate_dim,
        "max_seq_length": model.max_seq_length,
        "prompts": model.prompts,
        "default_prompt_name": model.default_prompt_name,
    }


def step_of(step):
    """What io_probe says of a step, as library_reads has it."""
    if step == "normalize":
        return step
    if "activation" not in step:
        return step["weight"]["bytes"], step["bias"]["bytes"]
    return (step["weight"]["bytes"], step["bias"] is not None and step["bias"]["bytes"],
            step["projection"] is not None and step["projection"]["bytes"], step["residual"], step["activation"])


def program_reads(directory):
    sentence = probe("checkpoint", directory)["sentence"]
    sentence["steps"] = [step_of(step) for step in sentence["steps"]]
    return {key: sentence[key] for key in library_keys}


library_keys = ["pooling", "include_prompt", "steps", "similarity_fn_name", "truncate_dim", "max_seq_length", "prompts",
                "default_prompt_name"]


class Directory:
    """A tiny BERT in a directory, with the real model's tokenizer."""

    def __init__(self, path, transformer=""):
        self.path = path
        where = path / transformer
        where.mkdir(parents=True)
        for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json"):
            shutil.copy(minilm() / name, where / name)
        config = json.loads((minilm() / "config.json").read_text())
        config |= {"hidden_size": 12, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8,
                   "max_position_embeddings": 64}
        (where / "config.json").write_text(json.dumps(config))
        from transformers import BertConfig, BertModel

        torch.manual_seed(3)
        BertModel(BertConfig(**config)).save_pretrained(where)
        (where / "config.json").write_text(json.dumps(config))

    def write(self, name, value):
        (self.path / name).parent.mkdir(exist_ok=True)
        (self.path / name).write_text(json.dumps(value))

    def modules(self, *modules):
        self.write("modules.json", [{"idx": i, "name": str(i), "path": path, "type": kind}
                                    for i, (kind, path) in enumerate(modules)])

    def compare(self, what):
        expected, got = library_reads(self.path), program_reads(self.path)
        assert got == expected, f"{what}\nlibrary: {expected}\nprogram: {got}"
        print(f"same: {what}")


def old_layouts(folder):
    """As versions 2 to 5 wrote them, by hand from their files on the hub."""
    flags = {"cls_token": False, "mean_tokens": False, "max_tokens": False, "mean_sqrt_len_tokens": False,
             "weightedmean_tokens": False, "lasttoken": False}
    for chosen in [["cls_token"], ["mean_tokens"], ["max_tokens"], ["mean_sqrt_len_tokens"], ["weightedmean_tokens"],
                   ["lasttoken"], ["mean_tokens", "cls_token"], ["lasttoken", "max_tokens", "mean_tokens"], []]:
        name = "+".join(chosen) or "none"
        directory = Directory(folder / f"v2-{name}")
        directory.modules((OLD + "Transformer", ""), (OLD + "Pooling", "1_Pooling"), (OLD + "Normalize", "2_Normalize"))
        directory.write("sentence_bert_config.json", {"max_seq_length": 32, "do_lower_case": False})
        directory.write("1_Pooling/config.json", {"word_embedding_dimension": 12} | {
            "pooling_mode_" + flag: flag in chosen for flag in flags})
        directory.write("config_sentence_transformers.json", {"__version__": {"sentence_transformers": "2.0.0"}})
        directory.compare(f"version 2, {name}")

    directory = Directory(folder / "v2-subfolder", "0_Transformer")
    directory.modules((OLD + "Transformer", "0_Transformer"), (OLD + "Pooling", "1_Pooling"))
    directory.write("0_Transformer/sentence_distilbert_config.json", {"max_seq_length": 48, "do_lower_case": True})
    directory.write("1_Pooling/config.json", {"word_embedding_dimension": 12, "pooling_mode_max_tokens": True})
    directory.compare("transformer in a folder of its own, an old name of its settings")

    directory = Directory(folder / "v3")
    directory.modules((OLD + "Transformer", ""), (OLD + "Pooling", "1_Pooling"), (OLD + "Dense", "2_Dense"),
                      (OLD + "Normalize", "3_Normalize"))
    directory.write("sentence_bert_config.json", {"max_seq_length": None, "do_lower_case": False})
    directory.write("1_Pooling/config.json", {"word_embedding_dimension": 12, "pooling_mode_cls_token": True,
                                              "pooling_mode_mean_tokens": True, "include_prompt": False})
    directory.write("2_Dense/config.json", {"in_features": 24, "out_features": 5, "bias": False,
                                            "activation_function": "torch.nn.modules.activation.Tanh"})
    save_file({"linear.weight": torch.randn(5, 24)}, directory.path / "2_Dense/model.safetensors")
    directory.write("config_sentence_transformers.json", {
        "__version__": {"sentence_transformers": "3.0.1"}, "prompts": {"query": "query: ", "passage": "passage: "},
        "default_prompt_name": "passage", "similarity_fn_name": "dot", "truncate_dim": 3})
    directory.compare("version 3 with Dense, prompts and truncate_dim")

    directory = Directory(folder / "reranker")
    directory.modules((OLD + "Transformer", ""))
    directory.write("config_sentence_transformers.json", {"model_type": "CrossEncoder", "prompts": {"a": "b"},
                                                          "default_prompt_name": "a"})
    directory.compare("a reranker's directory")


def new_layouts(folder):
    """As the installed version writes them."""
    for activation in (torch.nn.Identity(), torch.nn.Tanh(), torch.nn.ReLU(), torch.nn.GELU(), torch.nn.Sigmoid()):
        base = Directory(folder / f"base-{type(activation).__name__}")
        model = SentenceTransformer(modules=[
            Transformer(str(base.path)), Pooling(12, ["weightedmean", "cls"], include_prompt=False),
            Dense(24, 7, activation_function=activation), Dense(7, 4, bias=False), Normalize()],
            prompts={"query": "q: ", "document": "d: "}, default_prompt_name="query", truncate_dim=2, device="cpu")
        model.max_seq_length = 20
        saved = Directory.__new__(Directory)
        saved.path = folder / f"v6-{type(activation).__name__}"
        model.save_pretrained(str(saved.path), create_model_card=False)
        saved.compare(f"written by the library, {type(activation).__name__}")


def other_orders(folder):
    """Normalize anywhere and twice, LayerNorm, Dropout, residuals, and weights in pytorch_model.bin alone."""
    base = Directory(folder / "base-orders")
    chains = {
        "Normalize first": [Normalize(), Pooling(12), Dense(12, 5)],
        "Normalize between and twice": [Pooling(12), Normalize(), Dense(12, 5), Normalize(), Normalize()],
        "LayerNorm and Dropout": [Pooling(12), Dropout(0.5), LayerNorm(12), Dense(12, 5), LayerNorm(5), Normalize()],
        "residuals": [Pooling(12), Dense(12, 12, use_residual=True), Dense(12, 5, bias=False, use_residual=True)],
    }
    for name, chain in chains.items():
        for similarity in ("cosine", "dot", "euclidean", "manhattan"):
            model = SentenceTransformer(modules=[Transformer(str(base.path)), *chain], device="cpu",
                                        similarity_fn_name=similarity)
            for module in model:
                if isinstance(module, LayerNorm):
                    torch.nn.init.normal_(module.norm.weight)
                    torch.nn.init.normal_(module.norm.bias)
            saved = Directory.__new__(Directory)
            saved.path = folder / f"orders-{name}-{similarity}"
            model.save_pretrained(str(saved.path), create_model_card=False,
                                  safe_serialization=similarity != "dot")
            saved.compare(f"{name}, {similarity}")
    assert not list(saved.path.parent.glob("orders-residuals-dot/*/model.safetensors"))
    for value in (None, "maxsim", "dot_product", 5):
        saved.write("config_sentence_transformers.json", {"similarity_fn_name": value})
        saved.compare(f"similarity_fn_name {value}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        old_layouts(folder)
        new_layouts(folder)
        other_orders(folder)
        Directory(folder / "plain").compare("Hugging Face's own layout")
    real = Directory.__new__(Directory)
    real.path = minilm()
    real.compare("the real model")


if __name__ == "__main__":
    sys.exit(main())
