"""The routes of `summand serve` beside the program's own verbs and sentence-transformers: the same bits, and one clear error each."""

import base64
import concurrent.futures
import json
import math
import os
import pathlib
import random
import re
import signal
import socket
import subprocess
import tempfile
import time
import unittest

import numpy

import head_models
import sentence_models
import summand_testing
from served import Served

TEXTS = ["A cat sat.", "the dog ran", "一只猫", "x" * 300, "word " * 200, "Ünïcödé, and more.", "zzqx", "a"]


def program(*words, given=None):
    done = subprocess.run([str(summand_testing.BIN / "summand"), *map(str, words)], input=given, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done.stdout


def single(values):
    return numpy.array(values, numpy.float32)


class Routes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        sentence_models.sentence_model(cls.folder / "sentences", normalize=True, prompts=sentence_models.PROMPTS)
        for kind, labels in [("masked-lm", 2), ("sequence-classification", 3), ("token-classification", 5)]:
            head_models.head_directory(cls.folder / kind, kind, num_labels=labels)
        head_models.head_directory(cls.folder / "ranking", "sequence-classification", num_labels=1)
        cls.model = cls.folder / "sentences" / "saved"
        names = ["ranking", "masked-lm", "sequence-classification", "token-classification"]
        cls.server = cls.enterClassContext(Served(models=[f"sentences={cls.model}", *(cls.folder / name for name in names)]))

    def embedded(self, texts, *options):
        """What `summand embed` gives for the same texts."""
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        out = self.folder / "vectors.npy"
        program("embed", "--model", self.model, "-", "--format", "jsonl", "-o", out, "--overwrite", *options, given=lines)
        return numpy.load(out)

    def post(self, path, body, status=200, **options):
        answer = self.server.post(path, body, **options)
        self.assertEqual(answer.status, status, answer.body[:500])
        return answer.json

    def refused(self, path, body, status, *parts, **options):
        answer = self.server.post(path, body, **options)
        self.assertEqual(answer.status, status, answer.body[:500])
        error = answer.json["error"]
        message = error["message"] if isinstance(error, dict) else error
        self.assertNotIn("\n", message)
        for part in parts:
            self.assertIn(part, message)
        return answer.json

    def test_embed_has_the_bits_of_the_program(self):
        vectors = single(self.post("/embed", {"inputs": TEXTS}))
        numpy.testing.assert_array_equal(vectors, self.embedded(TEXTS))
        for text, vector in zip(TEXTS, vectors):
            numpy.testing.assert_array_equal(single(self.post("/embed", {"inputs": text}))[0], vector)
        plain = single(self.post("/embed", {"inputs": TEXTS, "normalize": False}))
        numpy.testing.assert_array_equal(plain, self.embedded(TEXTS, "--no-normalize"))

    def test_prompts_and_dimensions(self):
        vectors = single(self.post("/embed", {"inputs": TEXTS, "prompt_name": "query"}))
        numpy.testing.assert_array_equal(vectors, self.embedded(TEXTS, "--prompt-name", "query"))
        vectors = single(self.post("/embed", {"inputs": TEXTS, "prompt": "find: "}))
        numpy.testing.assert_array_equal(vectors, self.embedded(TEXTS, "--prompt", "find: "))
        cut = single(self.post("/embed", {"inputs": TEXTS, "dimensions": 8}))
        self.assertEqual(cut.shape, (len(TEXTS), 8))
        numpy.testing.assert_allclose(numpy.linalg.norm(cut, axis=1), 1, atol=1e-6)
        whole = self.embedded(TEXTS)[:, :8]
        numpy.testing.assert_allclose(cut, whole / numpy.linalg.norm(whole, axis=1, keepdims=True), atol=1e-6)

    def test_ids_are_taken_as_they_are(self):
        tokens = self.post("/tokenize", {"inputs": TEXTS[:3]})
        ids = [[token["id"] for token in text] for text in tokens]
        numpy.testing.assert_array_equal(single(self.post("/embed", {"inputs": ids})), self.embedded(TEXTS[:3]))
        numpy.testing.assert_array_equal(single(self.post("/embed", {"inputs": ids[0]}))[0], self.embedded(TEXTS[:1])[0])
        mixed = single(self.post("/embed", {"inputs": [ids[1], TEXTS[0]]}))
        numpy.testing.assert_array_equal(mixed, self.embedded([TEXTS[1], TEXTS[0]]))
        self.refused("/embed", {"inputs": [[1, 30522]]}, 422, "30522", "check_embedding_ctx_length=False")

    def test_openai(self):
        answer = self.post("/v1/embeddings", {"input": TEXTS, "model": "sentences"})
        self.assertEqual([item["index"] for item in answer["data"]], list(range(len(TEXTS))))
        vectors = single([item["embedding"] for item in answer["data"]])
        numpy.testing.assert_array_equal(vectors, self.embedded(TEXTS))
        self.assertEqual(answer["model"], "sentences")
        self.assertEqual(answer["usage"]["truncated_inputs"], 1)
        packed = self.post("/v1/embeddings", {"input": TEXTS, "model": "sentences", "encoding_format": "base64"})
        decoded = [numpy.frombuffer(base64.b64decode(item["embedding"]), "<f4") for item in packed["data"]]
        numpy.testing.assert_array_equal(numpy.stack(decoded), vectors)
        for path in ["/embeddings", "/v1/embeddings"]:
            self.assertEqual(len(self.post(path, {"input": "one", "model": "sentences"})["data"]), 1)

    def test_other_numbers(self):
        vectors = self.embedded(TEXTS)
        ask = lambda form: self.post("/embed", {"inputs": TEXTS, "encoding_format": form})
        bits = numpy.packbits(vectors > 0, axis=1)
        numpy.testing.assert_array_equal(numpy.array(ask("ubinary")), bits)
        numpy.testing.assert_array_equal(numpy.array(ask("binary")), bits.astype(int) - 128)
        for vector, item in zip(vectors, ask("int8")):
            step = item["scale"]
            self.assertLessEqual(max(map(abs, item["values"])), 127)
            numpy.testing.assert_allclose(numpy.array(item["values"]) * step, vector, atol=step * 0.51)

    def test_truncation_is_told(self):
        long = "word " * 200
        answer = self.server.post("/embed", {"inputs": [long, "short"]})
        self.assertEqual(answer.headers["X-Truncated-Inputs"], "1")
        self.refused("/embed", {"inputs": [long], "truncate": False}, 422, "at most 64 tokens", "202")
        left = single(self.post("/embed", {"inputs": "a b " * 100 + "end", "truncation_direction": "left"}))
        numpy.testing.assert_array_equal(left, self.embedded(["a b " * 100 + "end"], "--truncation", "tail"))
        self.refused("/embed", {"inputs": "a", "truncation_direction": "up"}, 422, "Left or Right")

    def test_an_error_per_item(self):
        items = self.post("/embed", {"inputs": ["a cat", "", [999999]], "on_error": "item"})
        numpy.testing.assert_array_equal(single(items[0]), self.embedded(["a cat"])[0])
        self.assertEqual(items[1]["error_type"], "Empty")
        self.assertIn("inputs[1]", items[1]["error"])
        self.assertEqual(items[2]["error_type"], "Validation")
        error = self.refused("/v1/embeddings", {"input": ["a", ""], "model": "sentences"}, 400, "input[1]")["error"]
        self.assertEqual((error["type"], error["param"]), ("invalid_request_error", "input[1]"))

    def test_similarity(self):
        body = {"inputs": {"source_sentence": TEXTS[0], "sentences": TEXTS}}
        vectors = self.embedded(TEXTS).astype(float)
        numpy.testing.assert_allclose(self.post("/similarity", body), vectors @ vectors[0], atol=1e-6)
        self.assertEqual(self.post("/", body), self.post("/similarity", body))

    def test_predict(self):
        model = self.folder / "sequence-classification"
        pairs = [["a cat", "a dog"], ["one"], "two words"]
        answer = self.post("/predict", {"inputs": pairs, "model": model.name})
        records = [{"text": "a cat", "text_pair": "a dog"}, {"text": "one"}, {"text": "two words"}]
        lines = program("classify", "--model", model, "-", "--format", "jsonl", "--top", 3, "--json",
                        given="".join(json.dumps(one) + "\n" for one in records))  # fmt: skip
        for got, line in zip(answer, lines.splitlines()):
            expected = json.loads(line)
            expected = expected.get("labels", expected)
            self.assertEqual([one["label"] for one in got], [one["label"] for one in expected])
            numpy.testing.assert_array_equal(single([one["score"] for one in got]), single([one["score"] for one in expected]))
        self.assertEqual(self.post("/predict", {"inputs": ["a cat", "a dog"], "model": model.name}), answer[0])
        raw = self.post("/predict", {"inputs": "one", "raw_scores": True, "model": model.name})
        total = sum(math.exp(one["score"]) for one in raw)
        for one, scored in zip(raw, answer[1]):
            self.assertAlmostEqual(math.exp(one["score"]) / total, scored["score"], places=5)

    def test_rerank(self):
        model = self.folder / "ranking"
        lines = program("rerank", "--model", model, "--query", "a cat", "-", "--format", "txt", "--json", given="".join(f"{text}\n" for text in TEXTS))
        expected = [json.loads(line) for line in lines.splitlines()]
        answer = self.post("/rerank", {"query": "a cat", "texts": TEXTS, "return_text": True, "model": model.name})
        self.assertEqual([one["index"] for one in answer], [one["index"] for one in expected])
        self.assertEqual([one["text"] for one in answer], [TEXTS[one["index"]] for one in answer])
        numpy.testing.assert_array_equal(single([one["score"] for one in answer]), single([one["score"] for one in expected]))
        for version in (1, 2):
            ranked = self.post(f"/v{version}/rerank", {"query": "a cat", "documents": TEXTS, "top_n": 3, "model": model.name})
            self.assertEqual([(one["index"], one["relevance_score"]) for one in ranked["results"]],
                             [(one["index"], one["score"]) for one in answer[:3]])  # fmt: skip
        answer = self.server.post("/v2/rerank", {"query": "a", "documents": [], "model": model.name})
        self.assertEqual((answer.status, list(answer.json)), (400, ["message"]))
        self.refused("/rerank", {"query": "a", "texts": [], "model": model.name}, 400, "texts")
        self.refused("/rerank", {"query": "a", "texts": ["b"], "model": "sentences"}, 424, "no sequence classification head")
        self.refused("/rerank", {"query": "a", "texts": ["b"], "model": "sequence-classification"}, 424, "3 labels, not one")

    def test_texts_are_read_as_the_model_was_trained(self):
        for reading in ({"max_length": 12, "truncation": "head_tail"}, {"max_length": 9, "windows": "mean", "overlap": 3}):
            folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
            for name, kind, labels in (("labels", "sequence-classification", 3), ("ranks", "sequence-classification", 1), ("tags", "token-classification", 5)):
                head_models.head_directory(folder / name, kind, num_labels=labels)
                head_models.say_reading(folder / name, **reading)
            texts = ["the cat sat on a mat " * 9, "a", "Zoë lives in Ürümqi " * 5]
            lines = lambda verb, name, *more: [json.loads(line) for line in program(verb, "--model", folder / name, "-", "--format", "txt", "--json", *more,
                                                                                    given="".join(f"{text.strip()}\n" for text in texts)).splitlines()]  # fmt: skip
            with Served(models=[folder / "labels", folder / "ranks", folder / "tags"]) as server:
                words = " ".join(f"--{name.replace('_', '-')} {value}" for name, value in reading.items())
                for name in ("labels", "ranks", "tags"):
                    said = f"summand: {name}: texts are read as the model was trained, unless a request says truncation_direction: {words}"
                    server.wait_until(lambda: said in server.lines)
                labelled = server.post("/predict", {"inputs": [[text.strip()] for text in texts], "model": "labels"}).json
                for got, line in zip(labelled, lines("classify", "labels", "--top", 3), strict=True):
                    self.assertEqual([one["label"] for one in got], [one["label"] for one in line["labels"]])
                    numpy.testing.assert_array_equal(single([one["score"] for one in got]), single([one["score"] for one in line["labels"]]))
                ranked = server.post("/rerank", {"query": "a cat", "texts": [text.strip() for text in texts], "model": "ranks"}).json
                expected = lines("rerank", "ranks", "--query", "a cat")
                self.assertEqual([one["index"] for one in ranked], [one["index"] for one in expected])
                numpy.testing.assert_array_equal(single([one["score"] for one in ranked]), single([one["score"] for one in expected]))
                tagged = server.post("/tag", {"inputs": [text.strip() for text in texts], "model": "tags"}).json
                for got, line in zip(tagged, lines("tag", "tags"), strict=True):
                    self.assertEqual([(one["entity_group"], one["word"]) for one in got], [(one["label"], one["word"]) for one in line["tags"]])
                    numpy.testing.assert_array_equal(single([one["score"] for one in got]), single([one["score"] for one in line["tags"]]))
                cut = server.post("/predict", {"inputs": [[texts[0].strip()]], "truncation_direction": "Left", "model": "labels"}).json[0]
                line = lines("classify", "labels", "--top", 3, "--truncation", "tail")[0]
                numpy.testing.assert_array_equal(single([one["score"] for one in cut]), single([one["score"] for one in line["labels"]]))

    def test_refusals_are_short_whatever_was_sent(self):
        for body in (b'{"inputs": "' + b"secret " * 100_000, b'{"inputs": ' + b"9" * 100_000 + b"x}", b'{"inputs": "\\q' + b"a" * 10_000 + b'"}'):
            answer = self.server.post("/embed", body)
            self.assertEqual(answer.status, 400)
            self.assertLess(len(answer.body), 500)
            self.assertNotIn(b"json.exception", answer.body)

    def test_answers_are_bounded(self):
        with Served("--max-answer", 1, models=[self.model]) as server:
            text = "a cat sat on the mat " * 6
            for path, body, texts in (("/hidden", {"layers": [0, 1, 2]}, 100), ("/embed_all", {}, 200), ("/tokenize", {}, 600), ("/embed", {}, 5000)):
                answer = server.post(path, {"inputs": [text] * texts} | body)
                self.assertEqual(answer.status, 413, path)
                self.assertIn("--max-answer", answer.json["error"])
                self.assertEqual(server.post(path, {"inputs": [text] * 3} | body).status, 200, path)

    def test_ids_that_are_no_tokens_are_not_decoded(self):
        self.refused("/decode", {"ids": [[5], [9_999_999]]}, 422, "ids[1]", "9999999")

    def test_what_is_refused_costs_a_key_nothing_and_tokens_are_counted(self):
        keys = self.folder / "limited"
        keys.write_text("one a-long-secret tokens=100\n")
        with Served("--api-keys", keys, models=[self.model]) as server:
            headers = {"Authorization": "Bearer a-long-secret"}
            text = "a cat " * 25
            self.assertEqual(server.post("/predict", {"inputs": text}, headers=headers).status, 424)
            self.assertEqual(server.post("/embed", {"inputs": text}, headers=headers).status, 200)
            self.assertEqual(server.post("/tokenize", {"inputs": text}, headers=headers).status, 429)

    def test_a_log_that_nobody_reads_stops_no_request(self):
        read, write = os.pipe()
        words = [summand_testing.BIN / "summand", "serve", "--model", self.model, "--listen", f"unix:{self.folder}/socket"]
        process = subprocess.Popen(list(map(str, words)), stderr=write)
        try:
            os.close(write)
            line = b""
            while b"serves" not in line:
                line = os.read(read, 4096)

            def get(path):
                with socket.socket(socket.AF_UNIX) as client:
                    client.settimeout(60)
                    client.connect(f"{self.folder}/socket")
                    client.sendall(b"GET %b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % path.encode())
                    return b"".join(iter(lambda: client.recv(65536), b"")).decode()

            # Lines longer than what a pipe takes at once, more than the server keeps.
            for _ in range(150):
                self.assertTrue(get("/" + 11_000 * "x").startswith("HTTP/1.1 404"))
            answer = get("/metrics")
            self.assertTrue(answer.startswith("HTTP/1.1 200"))
            self.assertGreater(int(re.search(r"summand_log_lines_lost_total (\d+)", answer)[1]), 0)
        finally:
            process.terminate()
            status = process.wait(60)
            os.close(read)
        self.assertEqual(status, 0)

    def test_a_query_before_every_passage_is_bounded(self):
        many = {"query": "q" * 100_000, "texts": ["b"] * 1000, "model": "ranking"}
        self.refused("/rerank", many, 413, "expected texts of at most 64 MiB, each with its query or prompt, got 96 MiB")
        prompted = {"inputs": ["b"] * 1000, "prompt": "q" * 100_000, "model": "sentences"}
        self.refused("/embed", prompted, 413, "expected texts of at most 64 MiB")
        # Few bytes, but much to read: not on the loop.
        self.assertEqual(len(self.post("/rerank", {"query": "a cat " * 500, "texts": ["b"] * 700, "model": "ranking"})), 700)

    def test_json_of_many_parts_is_refused(self):
        self.refused("/embed", b'{"inputs": "a", "junk": [' + b"{}," * 600_000 + b"0]}", 413, "expected JSON of at most 500000 arrays")

    def test_batches_and_requests_by_task_are_counted(self):
        with Served(models=[self.model]) as server:
            for _ in range(3):
                server.post("/", {"inputs": "a cat"})
            server.post("/embed", {"inputs": "a dog"})
            metrics = server.get("/metrics").body.decode()
        self.assertIn("te_embed_count 4\n", metrics)
        self.assertEqual(re.search(r"te_batch_next_tokens_count (\d+)", metrics)[1], "2")  # two were stored

    def test_an_ignored_signal_is_ignored(self):
        before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # a program that is started inherits it
        try:
            with Served(models=[self.model]) as server:
                server.process.send_signal(signal.SIGHUP)
                time.sleep(0.5)
                self.assertEqual(server.get("/health").status, 200)
        finally:
            signal.signal(signal.SIGHUP, before)

    def test_models_of_labels_make_no_sentence_vectors(self):
        for name in ("ranking", "sequence-classification", "token-classification"):
            self.refused("/embed", {"inputs": "a", "model": name}, 424, "makes no sentence vectors")
        self.post("/embed", {"inputs": "a", "model": "masked-lm"})

    def test_targets_that_are_read_in_another_way_are_told(self):
        answer = self.server.post("/fill_mask", {"inputs": "a [MASK]", "model": "masked-lm", "targets": ["Cat", "dog"]})
        self.assertEqual((answer.status, answer.headers["X-Notices"]), (200, "target 'Cat' is read as 'cat'"))
        self.assertEqual({one["token_str"] for one in answer.json}, {"cat", "dog"})

    def test_masks_tags_and_hidden_states(self):
        text = "a [MASK] cat"
        filled = self.post("/fill_mask", {"inputs": [text, "[MASK] and [MASK]"], "top_k": 3, "model": "masked-lm"})
        lines = program("fill-mask", "--model", self.folder / "masked-lm", "--top", 3, "--json", "--text", text)
        expected = json.loads(lines.splitlines()[0])
        self.assertEqual(len(filled[0]), 3)
        self.assertEqual(len(filled[1]), 2)
        self.assertIn(filled[0][0]["token_str"], json.dumps(expected, ensure_ascii=False))
        self.refused("/fill_mask", {"inputs": ["no mask"], "model": "masked-lm"}, 422, "inputs[0]")
        tags = self.post("/tag", {"inputs": "Ünï sat", "model": "token-classification",
                                  "parameters": {"aggregation_strategy": "none"}})  # fmt: skip
        for one in tags:
            self.assertLessEqual(one["end"], len("Ünï sat"))
        states = self.post("/hidden", {"inputs": "a cat", "layers": [0, 5], "model": "sentences"})
        self.assertEqual(list(states["hidden"]), ["0", "5"])
        every = self.post("/embed_all", {"inputs": "a cat", "model": "sentences"})
        self.assertEqual(every[0], states["hidden"]["5"])
        self.assertEqual(len(every[0]), len(states["ids"]))

    def test_tokens_and_back(self):
        tokens = self.post("/tokenize", {"inputs": "Ünaffable 猫"})[0]
        self.assertTrue(tokens[0]["special"] and tokens[0]["start"] is None)
        text = "Ünaffable 猫".encode()
        self.assertEqual(text[tokens[-2]["start"]:tokens[-2]["stop"]].decode(), "猫")  # fmt: skip
        ids = [token["id"] for token in tokens]
        self.assertEqual(self.post("/decode", {"ids": ids}), ["unaffable"])
        self.assertEqual(self.post("/decode", {"ids": [ids], "skip_special_tokens": False}), ["[CLS] unaffable [UNK] [SEP]"])
        bare = self.post("/tokenize", {"inputs": ["a cat"], "add_special_tokens": False})[0]
        self.assertEqual([token["text"] for token in bare], ["a", "cat"])

    def test_about_the_server(self):
        self.assertEqual(self.server.get("/health").status, 200)
        info = self.server.get("/info").json
        self.assertEqual(info["model_type"], {"embedding": {"pooling": "mean"}})
        self.assertEqual(info["max_input_length"], 64)
        names = [one["id"] for one in self.server.get("/v1/models").json["data"]]
        self.assertEqual(names[0], "sentences")
        self.assertEqual(self.server.get("/v1/models/ranking").json["id"], "ranking")
        metrics = self.server.get("/metrics").body.decode()
        for name in ["te_request_count", "te_request_duration_bucket", "te_queue_size", "te_batch_next_tokens_sum"]:
            self.assertIn(name, metrics)

    def test_bad_requests_have_one_clear_error_each(self):
        self.refused("/embed", b"", 400, "JSON")
        self.refused("/embed", b"\x1f\x8b", 400, "Content-Encoding: expected none, got 'gzip'", headers={"Content-Encoding": "gzip"})
        self.refused("/embed", b"[1]", 400, "object")
        self.refused("/embed", b'{"inputs": NaN}', 400, "JSON")
        for quoted in (b"\x7f", b"\xc2\x85", b"\xe2\x80\xa8", b"\xff", b"a" * 100_000):
            message = self.refused("/embed", b'{"inputs": "' + quoted + b"\0", 400, "invalid string")["error"]
            self.assertTrue(message.isprintable() and len(message) < 400, message[:500])
        message = self.refused("/embed", b'{"inputs": 1e999}', 400, "something else: number overflow")["error"]
        self.assertNotIn("exception", message)
        self.refused("/embed", b'{"inputs": "\xff"}', 400, "JSON")
        self.refused("/embed", b'{"inputs": "\\ud800"}', 400, "JSON")
        self.refused("/embed", b"[" * 100_000, 400, "deep")
        self.refused("/embed", b'{"inputs":' + b"[" * 30 + b"]" * 30 + b"}", 400, "deep")
        self.refused("/embed", {}, 422, "`inputs`")
        self.refused("/embed", {"inputs": []}, 400, "empty")
        self.refused("/embed", {"inputs": [[]]}, 400, "empty")
        self.refused("/embed", {"inputs": ""}, 400, "empty")
        self.refused("/embed", {"inputs": 3}, 422, "the number 3")
        self.refused("/embed", {"inputs": ["a", 3]}, 422, "inputs[1]")
        self.refused("/embed", {"inputs": [1.5]}, 422, "1.5")
        self.refused("/embed", {"inputs": [-1]}, 422, "-1")
        self.refused("/embed", {"inputs": [2**70]}, 422)
        self.refused("/embed", {"inputs": "a", "normalize": "yes"}, 422, "`normalize`", "a string")
        self.refused("/embed", {"inputs": "a", "dimensions": 0}, 422, "`dimensions`")
        self.refused("/embed", {"inputs": "a", "dimensions": 25}, 422, "1 to 24")
        self.refused("/embed", {"inputs": "a", "prompt_name": "nothing"}, 422, "prompt_name", "'passage'")
        self.refused("/embed", {"inputs": "a", "encoding_format": "hex"}, 422, "base64")
        self.refused("/embed", {"inputs": "a", "model": "nothing"}, 404, "`model`", "sentences")
        error = self.refused("/v1/embeddings", {"input": "a", "model": "nothing"}, 404)["error"]
        self.assertEqual(error["code"], "model_not_found")
        for path, body in (("/predict", {"inputs": "a"}), ("/fill_mask", {"inputs": "[MASK]"}), ("/tag", {"inputs": "a"})):
            for model in ("sentences", "ranking"):
                if (path, model) != ("/predict", "ranking"):
                    message = self.refused(path, body | {"model": model}, 424, f"'{model}' has no", "head")["error"]
                    self.assertNotIn("/", message)  # no path of the server's
        answer = self.server.get("/embed")
        self.assertEqual((answer.status, answer.json["error_type"]), (405, "Validation"))
        self.assertEqual(self.server.get("/nowhere").status, 404)
        ignored = self.server.post("/embed", {"inputs": "a", "normalise": True})
        self.assertEqual(ignored.headers["X-Ignored-Fields"], "normalise")

    def test_ids_are_no_part_of_a_prompt_that_pooling_leaves_out(self):
        folder = self.folder / "without-prompt"
        sentence_models.sentence_model(folder, include_prompt=False, prompts=sentence_models.PROMPTS)
        ids = [101, 1037, 4937, 102]
        with Served(models=[folder / "saved"]) as server:
            alone = server.post("/embed", {"inputs": [ids]}).json
            self.assertEqual(server.post("/embed", {"inputs": [ids, "a cat"]}).json[0], alone[0])  # no prompt by default
            answer = server.post("/embed", {"inputs": ["a cat", ids], "prompt_name": "query"})
            self.assertEqual(answer.status, 422)
            self.assertIn("`inputs[1]`: expected a text", answer.json["error"])
            self.assertEqual(server.post("/embed", {"inputs": ["a cat"], "prompt_name": "query"}).status, 200)

    def test_the_same_bits_under_load(self):
        source = random.Random(5)
        words = "the a cat dog sat ran on under over red blue 猫 house tree unbelievable".split()
        texts = [" ".join(source.choices(words, k=source.choice([1, 3, 10, 60]))) for _ in range(400)]
        expected = self.embedded(texts)

        def one(seed):
            picks = random.Random(seed).choices(range(len(texts)), k=random.Random(seed).choice([1, 1, 1, 40]))
            answer = self.post("/embed", {"inputs": [texts[i] for i in picks]})
            numpy.testing.assert_array_equal(single(answer), expected[picks])
            return len(picks)

        with concurrent.futures.ThreadPoolExecutor(32) as pool:
            self.assertGreater(sum(pool.map(one, range(400))), 400)

    def test_a_client_that_goes_away_is_dropped(self):
        body = json.dumps({"inputs": ["word " * 60] * 3000, "model": "sentences"}).encode()
        with socket.create_connection(("127.0.0.1", self.server.port)) as connection:
            head = f"POST /embed HTTP/1.1\r\nHost: a\r\nX-Request-Id: gone\r\nContent-Length: {len(body)}\r\n\r\n"
            connection.sendall(head.encode() + body)
            self.server.wait_until(lambda: b"te_queue_size 0\n" not in self.server.get("/metrics").body)
        self.assertEqual(self.server.wait_for_log(lambda one: one["id"] == "gone")["status"], 499)


class OneModel(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        sentence_models.sentence_model(self.folder / "sentences")
        self.model = self.folder / "sentences" / "saved"

    def test_keys(self):
        keys = self.folder / "keys"
        keys.write_text("alice alice-secret\nbob bob-secret requests=2\ncarol carol-secret tokens=10\n")
        with Served("--api-keys", keys, models=[self.model], environment={"SUMMAND_API_KEY": "everybody"}) as server:
            ask = lambda key: server.post("/embed", {"inputs": "a b c"}, headers={"Authorization": f"Bearer {key}"} if key else {})
            self.assertEqual([ask(key).status for key in (None, "wrong", "alice-secret", "everybody")], [401, 401, 200, 200])
            self.assertEqual([ask("bob-secret").status for _ in range(3)], [200, 200, 429])
            self.assertGreaterEqual(int(ask("bob-secret").headers["Retry-After"]), 1)
            self.assertEqual([ask("carol-secret").status for _ in range(3)], [200, 200, 429])
            self.assertEqual(server.get("/health").status, 200)
            self.assertEqual(server.get("/info").status, 401)
            server.wait_until(lambda: {one.get("key") for one in server.log} >= {"alice", "bob", "carol"})
            self.assertNotIn("secret", "\n".join(server.lines))

    def test_the_log_has_no_text_unless_asked(self):
        for options in ([], ["--log-bodies"]):
            with Served(*options, models=[self.model]) as server:
                server.post("/embed", {"inputs": "confidential words"}, headers={"X-Request-Id": "mine"})
                server.post("/embed", {"inputs": "a", "truncation_direction": "confidential"})
                logged = server.wait_for_log(lambda one: one["id"] == "mine")
                self.assertEqual((logged["status"], logged["texts"], logged["tokens"]), (200, 1, 4))
            self.assertEqual("confidential" in "\n".join(server.lines), bool(options))

    def test_any_name_of_the_only_model(self):
        with Served(models=[f"mine={self.model}"]) as server:
            self.assertEqual(server.post("/v1/embeddings", {"input": "a", "model": "text-embedding-3-small"}).json["model"], "mine")
        with Served("--strict-model-names", models=[f"mine={self.model}"]) as server:
            self.assertEqual(server.post("/v1/embeddings", {"input": "a", "model": "text-embedding-3-small"}).status, 404)

    def test_sigterm_answers_what_was_taken_and_refuses_the_rest(self):
        with Served("--batch-time", 5, "--store", 0, models=[self.model]) as server:
            # Each takes about two seconds, however fast the build: 400 batches of texts of 62 tokens.
            texts = 400 * server.get("/info").json["max_batch_tokens"] // 62
            taken = {"inputs": ["word " * 60] * max(texts, 100)}
            with concurrent.futures.ThreadPoolExecutor(4) as pool:
                answers = [pool.submit(server.post, "/embed", taken) for _ in range(3)]
                server.wait_until(lambda: b"te_queue_size 3\n" in server.get("/metrics").body)
                server.process.send_signal(signal.SIGTERM)
                server.wait_until(lambda: any("draining" in line for line in server.lines))
                refused = server.post("/embed", {"inputs": "a"})
                self.assertEqual(refused.status, 503)
                self.assertEqual(server.get("/health").status, 503)
                self.assertEqual([answer.result().status for answer in answers], [200, 200, 200])
            self.assertEqual(server.process.wait(60), 0)

    def test_the_store_changes_no_bit(self):
        with Served(models=[self.model]) as stored, Served("--store", 0, models=[self.model]) as plain:
            for _ in range(2):
                answers = [server.post("/embed", {"inputs": TEXTS}) for server in (stored, plain)]
                self.assertEqual(answers[0].body, answers[1].body)
            self.assertEqual(answers[0].headers["X-Stored-Results"], str(len(TEXTS)))
            self.assertIsNone(answers[1].headers["X-Stored-Results"])


if __name__ == "__main__":
    summand_testing.run_cases()
