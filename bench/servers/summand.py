"""summand serve. Nothing is kept between requests, and nobody is refused however long the queue is."""

PATHS = {"embedder": "/v1/embeddings", "ranker": "/v1/rerank"}
NO_REFUSAL_MS = 3_600_000


def command(options, precision):
    return lambda folder: lambda port: [
        options.program, "serve", "--model", folder, "--listen", f"127.0.0.1:{port}", "--precision", precision,
        "--threads", options.threads, "--store", 0, "--log", "none", "--page", "off",
        "--quick-wait", NO_REFUSAL_MS, "--wait", NO_REFUSAL_MS,
    ]  # fmt: skip
