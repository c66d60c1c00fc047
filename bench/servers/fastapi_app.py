"""A server as people write it: a library behind FastAPI and uvicorn.

    python -m servers.fastapi_app --model DIR --kind embedder|ranker --library LIBRARY --batching none|waiting --threads N --port N

`none` computes each request by itself in FastAPI's pool of threads; `waiting` computes together what came while the batch before ran.
"""

import argparse
import asyncio
import concurrent.futures
import pathlib
import typing

import fastapi
import numpy as np
import pydantic
import uvicorn
from fastapi.responses import Response

from servers.models import EMBEDDER, LONGEST, RANKER

MOST_TEXTS = 64  # in a batch of waiting requests
CALL_TEXTS = 16  # of similar lengths, in one call of OpenVINO's
GRAPHS = {"onnx": "onnx/model_O3.onnx", "openvino": "openvino/openvino_model.xml"}


def sentence_transformers_library(kind, model, backend, threads):
    """sentence-transformers' own classes. @return a function of texts or pairs that gives vectors or scores"""
    import torch
    from sentence_transformers import CrossEncoder, SentenceTransformer

    torch.set_num_threads(threads)
    settings = {"torch": {}, "onnx": {"provider": "CPUExecutionProvider"},
                "openvino": {"ov_config": {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": threads}}}[backend]  # fmt: skip
    if backend == "onnx":
        import onnxruntime

        settings["session_options"] = onnxruntime.SessionOptions()
        settings["session_options"].intra_op_num_threads = threads
    if backend in GRAPHS:
        settings["file_name"] = GRAPHS[backend]
    if kind == EMBEDDER:
        embedder = SentenceTransformer(str(model), device="cpu", backend=backend, model_kwargs=settings)
        return lambda texts: embedder.encode(texts, show_progress_bar=False)
    ranker = CrossEncoder(str(model), device="cpu", backend=backend, model_kwargs=settings)
    return lambda pairs: ranker.predict(pairs, show_progress_bar=False)


class OpenVino:
    """OpenVINO's runtime and `tokenizers`, without a library between."""

    def __init__(self, kind, model, precision, threads):
        import openvino
        from tokenizers import Tokenizer

        self.kind = kind
        self.tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
        self.tokenizer.enable_truncation(LONGEST)
        self.tokenizer.enable_padding()
        settings = {"PERFORMANCE_HINT": "LATENCY", "INFERENCE_PRECISION_HINT": precision, "INFERENCE_NUM_THREADS": threads}
        compiled = openvino.Core().compile_model(str(model / GRAPHS["openvino"]), "CPU", settings)
        self.names = {name for port in compiled.inputs for name in port.names}
        self.request = compiled.create_infer_request()

    def call(self, items):
        encodings = self.tokenizer.encode_batch(items)
        given = {"input_ids": [one.ids for one in encodings], "attention_mask": [one.attention_mask for one in encodings],
                 "token_type_ids": [one.type_ids for one in encodings]}  # fmt: skip
        given = {name: np.array(rows, np.int64) for name, rows in given.items()}
        self.request.infer({name: rows for name, rows in given.items() if name in self.names})
        out = self.request.get_output_tensor(0).data
        if self.kind == RANKER:
            return 1 / (1 + np.exp(-out[:, 0]))
        mask = given["attention_mask"].astype(np.float32)
        means = np.matmul(mask[:, None, :], out)[:, 0]
        return means / np.linalg.norm(means, axis=1, keepdims=True)

    def __call__(self, items):
        order = sorted(range(len(items)), key=lambda i: -len(items[i]) if isinstance(items[i], str) else -len(items[i][1]))
        results = [None] * len(items)
        for begin in range(0, len(order), CALL_TEXTS):
            places = order[begin : begin + CALL_TEXTS]
            for place, result in zip(places, self.call([items[i] for i in places])):
                results[place] = result
        return results


def loaded(options):
    library, _, way = options.library.partition(":")
    if library == "openvino":
        return OpenVino(options.kind, options.model, way, options.threads)
    return sentence_transformers_library(options.kind, options.model, way, options.threads)


class WaitingRequests:
    """Computes together what came while the batch before ran."""

    def __init__(self, compute):
        self.compute, self.queue = compute, asyncio.Queue()
        self.thread = concurrent.futures.ThreadPoolExecutor(1)

    async def __call__(self, items):
        done = asyncio.get_running_loop().create_future()
        await self.queue.put((items, done))
        return await done

    async def run(self):
        while True:
            batch = [await self.queue.get()]
            while not self.queue.empty() and sum(len(items) for items, _ in batch) < MOST_TEXTS:
                batch.append(self.queue.get_nowait())
            every = [item for items, _ in batch for item in items]
            try:
                results = await asyncio.get_running_loop().run_in_executor(self.thread, self.compute, every)
            except Exception as fault:
                for _, done in batch:
                    done.cancelled() or done.set_exception(fault)
                continue
            for items, done in batch:
                done.cancelled() or done.set_result(results[: len(items)])
                results = results[len(items) :]


class EmbeddingRequest(pydantic.BaseModel):
    input: typing.Union[str, list[str]]
    model: str = ""

    def items(self):
        return [self.input] if isinstance(self.input, str) else self.input


class RankRequest(pydantic.BaseModel):
    query: str
    documents: list[str]
    model: str = ""

    def items(self):
        return [(self.query, document) for document in self.documents]


def json_response(value):
    import orjson

    return Response(orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY), media_type="application/json")


def embedded(vectors):
    return json_response({"object": "list", "model": "model", "data": [
        {"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]})  # fmt: skip


def ranked(scores):
    order = sorted(range(len(scores)), key=lambda i: -scores[i])
    return json_response({"results": [{"index": i, "relevance_score": float(scores[i])} for i in order]})


def application(compute, kind, batching):
    app = fastapi.FastAPI()
    path, form, answer = {EMBEDDER: ("/embeddings", EmbeddingRequest, embedded), RANKER: ("/rerank", RankRequest, ranked)}[kind]
    if batching == "waiting":
        together = WaitingRequests(compute)

        @app.on_event("startup")
        async def begin():
            app.state.batches = asyncio.create_task(together.run())

        async def respond(request: form):
            return answer(await together(request.items()))
    else:

        def respond(request: form):
            return answer(compute(request.items()))

    app.post(path)(respond)
    app.get("/health")(lambda: {})
    return app


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", type=pathlib.Path, required=True)
    parser.add_argument("--kind", choices=(EMBEDDER, RANKER), required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--batching", choices=("none", "waiting"), required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    app = application(loaded(options), options.kind, options.batching)
    uvicorn.run(app, host="127.0.0.1", port=options.port, log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
