"""infinity_emb v2, https://github.com/michaelfeil/infinity, in environments of its own: it needs older packages, and its two engines
exclude each other's. With torch it has BetterTransformer, which does without padding."""

from servers.models import folder_for_infinity

PATHS = {"embedder": "/embeddings", "ranker": "/rerank"}
# Of each name: the engine, the environment, and what it serves. Its ONNX cross-encoder drops the token types, so that its scores
# are others.
ENGINES = {"infinity, torch": ("torch", "bench-infinity", PATHS),
           "infinity, ONNX": ("optimum", "bench-infinity-onnx", {"embedder": PATHS["embedder"]})}  # fmt: skip
BATCH = 32  # its default


def command(options, engine, environment):
    """Its own optimiser does not go with its optimum: the graph has been optimised before. It finds a graph in the current folder."""
    return lambda folder: lambda port: [
        "env", "-C", folder_for_infinity(folder), options.environments[environment] / "bin" / "infinity_emb", "v2", "--model-id", ".",
        "--served-model-name", "model", "--engine", engine, "--device", "cpu", "--dtype", "float32", "--pooling-method", "mean",
        "--batch-size", BATCH, "--no-compile", "--onnx-disable-optimize", "--host", "127.0.0.1", "--port", port, "--log-level", "error",
    ]  # fmt: skip
