"""The two models that are served: all-MiniLM-L6-v2, and a cross-encoder of its shape.

    python -m servers.models FOLDER

The cross-encoder is MiniLM with a head of one label, whose weights are random. Each folder also has the graphs that
sentence-transformers exports for ONNX Runtime (optimised at O3) and OpenVINO. Infinity has folders of its own: it takes the last
graph that it finds, and optimum finds it only beside the model.
"""

import os
import pathlib
import shutil
import subprocess
import sys

from comparison.prepared_models import minilm

EMBEDDER, RANKER = "embedder", "ranker"
LONGEST = 256  # tokens
HEAD_SPREAD = 0.2  # standard deviation of the head's weights: scores then differ visibly


def folder_for_infinity(folder):
    return folder.with_name(f"{folder.name}-infinity")


def write_ranker(folder):
    import torch
    from transformers import AutoTokenizer, BertForSequenceClassification

    torch.manual_seed(0)
    model = BertForSequenceClassification.from_pretrained(minilm(), num_labels=1)
    torch.nn.init.normal_(model.classifier.weight, std=HEAD_SPREAD)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(minilm(), model_max_length=LONGEST).save_pretrained(folder)


def export(kind, folder):
    """onnx/model.onnx, onnx/model_O3.onnx and openvino/openvino_model.xml in the folder of a model."""
    from sentence_transformers import CrossEncoder, SentenceTransformer, export_optimized_onnx_model

    loaded_by = SentenceTransformer if kind == EMBEDDER else CrossEncoder
    for backend in ("onnx", "openvino"):
        model = loaded_by(str(folder), backend=backend, device="cpu", model_kwargs={"export": True})
        exported = folder.with_name(f"{folder.name}-{backend}")
        model.save_pretrained(str(exported))
        if backend == "onnx":
            export_optimized_onnx_model(model, "O3", str(exported))
            shutil.copytree(folder, folder_for_infinity(folder))
            shutil.copy(exported / backend / "model_O3.onnx", folder_for_infinity(folder) / "model.onnx")
        shutil.copytree(exported / backend, folder / backend)
        shutil.rmtree(exported)


def prepare(folder):
    """Makes what is missing. @param folder: of both models"""
    for kind in (EMBEDDER, RANKER):
        place = folder / kind
        if (place / "done").exists():
            continue
        for old in folder.glob(f"{kind}*"):
            shutil.rmtree(old)
        place.mkdir(parents=True)
        if kind == EMBEDDER:
            shutil.copytree(minilm(), place, dirs_exist_ok=True)
        else:
            write_ranker(place)
        export(kind, place)
        (place / "done").touch()


def prepare_apart(folder):
    """The same in a process of its own, whose libraries are gone afterwards."""
    place = pathlib.Path(__file__).resolve().parents[1]
    subprocess.run([sys.executable, "-m", "servers.models", folder], check=True, cwd=place, env=os.environ | {"HF_HUB_OFFLINE": "1"})


if __name__ == "__main__":
    prepare(pathlib.Path(sys.argv[1]))
