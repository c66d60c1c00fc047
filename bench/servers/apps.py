"""Libraries behind FastAPI and uvicorn: fastapi_app.py, once for each library and way to batch."""

import sys

PATHS = {"embedder": "/embeddings", "ranker": "/rerank"}
# Of each name: the library, and how requests are batched.
APPS = {
    "sentence-transformers, torch, each alone": ("sentence-transformers:torch", "none"),
    "sentence-transformers, torch": ("sentence-transformers:torch", "waiting"),
    "sentence-transformers, ONNX O3": ("sentence-transformers:onnx", "waiting"),
    "sentence-transformers, OpenVINO": ("sentence-transformers:openvino", "waiting"),
    "OpenVINO": ("openvino:f32", "waiting"),
    "OpenVINO, bf16": ("openvino:bf16", "waiting"),
}


def command(options, library, batching):
    return lambda folder: lambda port: [
        sys.executable, "-m", "servers.fastapi_app", "--model", folder, "--kind", folder.name, "--library", library,
        "--batching", batching, "--threads", options.threads, "--port", port,
    ]  # fmt: skip
