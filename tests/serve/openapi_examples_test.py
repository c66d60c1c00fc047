"""Every example of openapi.json, sent to a server: a bundled model answers what the example says, any other in its schema."""

import base64
import json
import pathlib
import struct
import tempfile
import unittest

import jsonschema

import head_models
import summand_testing
from served import Served

API = json.loads((summand_testing.ROOT / "serve/routes/openapi.json").read_text(encoding="utf-8"))
MODELS = summand_testing.ROOT / "models"
# Which model an example is sent to, unless it names a bundled one.
MODEL_OF = {"predict": "labels", "rerank": "ranking", "cohere_rerank_1": "ranking", "cohere_rerank_2": "ranking", "tag": "tags"}
CLOSE = 1e-3  # instruction sets differ in the last digits


def resolve(node):
    while "$ref" in node:
        target = API
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def check(schema, value):
    jsonschema.Draft202012Validator({**schema, "components": API["components"]}).validate(value)


def operations():
    for path, methods in API["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path.replace("{model}", "summand-mini-sentences"), operation


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        head_models.head_directory(folder / "labels", "sequence-classification", num_labels=2)
        head_models.head_directory(folder / "ranking", "sequence-classification", num_labels=1)
        head_models.head_directory(folder / "tags", "token-classification", num_labels=3)
        models = [MODELS / "summand-mini-sentences", MODELS / "summand-mini", *(folder / name for name in ("labels", "ranking", "tags"))]
        cls.servers = {model.name: cls.enterClassContext(Served(models=[model])) for model in models}

    def server(self, operation):
        named = operation.get("x-example-model") or MODEL_OF.get(operation["operationId"], "summand-mini-sentences")
        return self.servers[named]

    def same(self, got, expected):
        if isinstance(expected, dict):
            self.assertEqual(set(got), set(expected))
            for name in expected:
                self.same(got[name], expected[name])
        elif isinstance(expected, list):
            self.assertEqual(len(got), len(expected))
            for one, other in zip(got, expected):
                self.same(one, other)
        elif isinstance(expected, float):
            self.assertAlmostEqual(got, expected, delta=CLOSE)
        elif isinstance(expected, str) and expected.endswith("=="):
            self.same(*([*struct.unpack(f"<{len(data) // 4}f", data)] for data in map(base64.b64decode, (got, expected))))
        else:
            self.assertEqual(got, expected)

    def test_every_example_is_answered_as_it_says(self):
        for method, path, operation in operations():
            with self.subTest(path):
                body = operation["requestBody"]["content"]["application/json"]["example"] if method == "POST" else None
                answer = self.server(operation).ask(method, path, body)
                self.assertEqual(answer.status, 200, answer.body[:500])
                described = resolve(operation["responses"]["200"])
                for kind, content in described.get("content", {}).items():
                    self.assertEqual(answer.headers["Content-Type"], kind)
                    value = answer.json if kind == "application/json" else answer.body.decode()
                    check(content["schema"], value)
                    if "x-example-model" in operation:
                        self.same(value, content["example"])
                told = {name.lower() for name in described["headers"]}
                self.assertEqual({name.lower() for name in answer.headers if name.lower().startswith("x-")} - told - {"x-content-type-options"}, set())

    def test_errors_have_the_schema_of_the_route(self):
        for method, path, operation in operations():
            if method != "POST":
                continue
            with self.subTest(path):
                for body, status in ((b"[", 400), ({}, None)):
                    answer = self.server(operation).post(path, body)
                    self.assertIn(str(answer.status), operation["responses"])
                    self.assertEqual(answer.status, status or answer.status)
                    self.assertGreaterEqual(answer.status, 400)
                    described = resolve(operation["responses"][str(answer.status)])
                    check(described["content"]["application/json"]["schema"], answer.json)

    def test_documents_come_with_what_protects_their_reader(self):
        answer = next(iter(self.servers.values())).get("/docs")
        self.assertIn("default-src 'none'", answer.headers["Content-Security-Policy"])
        self.assertEqual(answer.headers["X-Content-Type-Options"], "nosniff")
        self.assertIn(b"<h1", answer.body)
        self.assertEqual(next(iter(self.servers.values())).get("/openapi.json").json, API)


if __name__ == "__main__":
    summand_testing.run_cases()
