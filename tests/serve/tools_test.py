"""`summand serve` under other people's tools: promtool reads its metrics, wrk and h2load load it, slowhttptest holds it up.

A tool that is not installed is skipped. The load above capacity is made here.
"""

import asyncio
import json
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

import summand_testing
from served import Served

MODELS = summand_testing.ROOT / "models"
SENTENCES, MASKED = MODELS / "summand-mini-sentences", MODELS / "summand-mini"
TOOLS = ("promtool", "wrk", "h2load", "slowhttptest")

# Names of text-embeddings-inference, which its dashboards ask for, are not of the form that promtool likes.
# Source: text-embeddings-inference, router/src/http/server.rs and router/src/prometheus.rs
NAMES_OF_OTHERS = {"te_request_count", "te_request_success", "te_request_failure", "te_embed_count", "te_embed_success",
                   "te_predict_count", "te_predict_success"}  # fmt: skip
FORMS = ('counter metrics should have "_total" suffix', 'non-histogram and non-summary metrics should not have "_count" suffix')
EXPECTED_COMPLAINTS = {f"{name} {form}" for name in NAMES_OF_OTHERS for form in FORMS}


def needs(tool):
    return unittest.skipUnless(shutil.which(tool), f"{tool} is not installed")


def metric(server, name):
    """The value of a metric without labels."""
    return float(re.search(rf"^{name} (\S+)$", server.get("/metrics").body.decode(), re.MULTILINE)[1])


class Tools(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.body = self.folder / "body.json"
        self.body.write_text(json.dumps({"inputs": "a cat sat"}))

    def tool(self, *words):
        done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    @needs("promtool")
    def test_metrics_are_prometheus_text(self):
        with Served("--log", "none", models=[SENTENCES, MASKED]) as server:
            masked = {"inputs": "a [MASK]", "model": "summand-mini"}
            asked = [("/embed", {"inputs": ["a", "b"]}, 200), ("/v1/embeddings", {"input": "a", "model": "summand-mini-sentences"}, 200),
                     ("/similarity", {"inputs": {"source_sentence": "a", "sentences": ["b"]}}, 200), ("/embed_all", {"inputs": "a"}, 200),
                     ("/hidden", {"inputs": "a"}, 200), ("/tokenize", {"inputs": "a"}, 200), ("/decode", {"ids": [5]}, 200),
                     ("/fill_mask", masked, 200), ("/predict", {"inputs": "a"}, 424), ("/rerank", {"query": "a", "texts": ["b"]}, 424),
                     ("/tag", {"inputs": "a"}, 424), ("/embed", {}, 422), ("/embed", {"inputs": ""}, 400), ("/embed", b"{", 400),
                     ("/nowhere", {}, 404)]  # fmt: skip
            for path, body, status in asked:
                answer = server.post(path, body)
                self.assertEqual(answer.status, status, (path, answer.body[:300]))
            metrics = server.get("/metrics").body
        done = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True, timeout=60)
        complaints = (done.stdout + done.stderr).decode().splitlines()
        self.assertEqual([line for line in complaints if line.strip() and line not in EXPECTED_COMPLAINTS], [])
        self.assertIn(done.returncode, (0, 3))  # 3: complaints of form alone
        for name in NAMES_OF_OTHERS:
            self.assertIn(f"# TYPE {name} counter", metrics.decode())

    @needs("wrk")
    def test_wrk_sees_no_error(self):
        script = self.folder / "post.lua"
        script.write_text(f"wrk.method = 'POST'\nwrk.headers['Content-Type'] = 'application/json'\nwrk.body = '{self.body.read_text()}'\n")
        with Served("--log", "none", models=[SENTENCES]) as server:
            told = self.tool("wrk", "--threads", 1, "--connections", 64, "--duration", "3s", "--script", script, server.url + "/embed")
        self.assertGreater(int(re.search(r"(\d+) requests in", told)[1]), 0)
        self.assertNotIn("Non-2xx", told)
        self.assertNotIn("Socket errors", told)

    @needs("h2load")
    def test_h2load_sees_no_error(self):
        requests = 2000
        with Served("--log", "none", models=[SENTENCES]) as server:
            told = self.tool("h2load", "--h1", "--requests", requests, "--clients", 32, "--data", self.body,
                             "--header", "Content-Type: application/json", server.url + "/embed")  # fmt: skip
        self.assertIn(f"{requests} done, {requests} succeeded, 0 failed, 0 errored, 0 timeout", told)
        self.assertIn(f"{requests} 2xx, 0 3xx, 0 4xx, 0 5xx", told)

    def held_up(self, path, *mode):
        """Others are answered while 200 slow clients hold connections, and the server closes every one of these."""
        # The slow send or take something every second: a limit that began anew with each would never close them.
        limits = ("--header-time", 5, "--body-time", 5, "--write-time", 5, "--idle-time", 5)
        with Served("--log", "none", *limits, models=[SENTENCES]) as server:
            words = ["slowhttptest", *mode, "-c", "200", "-r", "200", "-l", "120", "-p", "30", "-u", server.url + path]
            slow = subprocess.Popen(list(map(str, words)), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                server.wait_until(lambda: slow.poll() is not None or metric(server, "summand_connections") > 100)
                self.assertIsNone(slow.poll(), "slowhttptest has ended")
                for _ in range(20):
                    self.assertEqual(server.post("/embed", {"inputs": "a cat"}).status, 200)
                # One is the connection that asks.
                server.wait_until(lambda: metric(server, "summand_connections") == 1)
                self.assertEqual(server.post("/embed", {"inputs": "a cat"}).status, 200)
            finally:
                slow.terminate()
                slow.wait()

    @needs("slowhttptest")
    def test_slow_headers_hold_up_nobody(self):
        self.held_up("/docs", "-H", "-i", 1, "-x", 16)

    @needs("slowhttptest")
    def test_slow_bodies_hold_up_nobody(self):
        self.held_up("/embed", "-B", "-i", 1, "-s", 8192, "-x", 16)

    @needs("slowhttptest")
    def test_slow_readers_hold_up_nobody(self):
        # More than a socket's buffers take: the document ten times.
        self.held_up("/openapi.json", "-X", "-k", 10, "-n", 1, "-w", 512, "-y", 1024, "-z", 32)


class OpenLoop(unittest.TestCase):
    """Requests that arrive whether or not earlier ones are answered, more than can be computed."""

    FIRST_RATE = 50  # requests a second, on average; half as many more every second until one is refused
    SECONDS_ABOVE = 2  # that it then goes on
    MOST_SECONDS = 20
    TEXTS = 4  # of a request
    BODIES = 100

    def inputs(self, source):
        words = "cat dog sat ran house tree red blue over under".split()
        return [" ".join(source.choices(words, k=60)) for _ in range(self.TEXTS)]

    async def one(self, server, body):
        """→ (status, Retry-After, vectors); everything up to the end of the connection is one answer."""
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        head = f"POST /embed HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: {len(body)}\r\n\r\n"
        writer.write(head.encode() + body)
        answer = await reader.read()
        writer.close()
        fields, _, content = answer.partition(b"\r\n\r\n")
        status, *lines = fields.decode().split("\r\n")
        values = {name.lower(): value.strip() for name, value in (line.split(":", 1) for line in lines)}
        self.assertEqual(len(content), int(values["content-length"]))
        status = int(status.split(" ")[1])
        return status, values.get("retry-after"), len(json.loads(content)) if status == 200 else 0

    async def load(self, server, source):
        """→ what one() gave for each of the requests, which arrive as a Poisson process."""
        bodies = [json.dumps({"inputs": self.inputs(source)}).encode() for _ in range(self.BODIES)]
        asked, refused = [], asyncio.Event()

        async def ask(body):
            answer = await self.one(server, body)
            if answer[0] != 200:
                refused.set()
            return answer

        begin = time.monotonic()
        end = begin + self.MOST_SECONDS
        arrival = begin
        while arrival < end:
            arrival += source.expovariate(self.FIRST_RATE * 1.5 ** (arrival - begin))
            await asyncio.sleep(arrival - time.monotonic())
            asked.append(asyncio.create_task(ask(source.choice(bodies))))
            if refused.is_set():
                end = min(end, arrival + self.SECONDS_ABOVE)
        return await asyncio.gather(*asked)

    def test_every_request_is_answered_or_told_when_to_come_again(self):
        source = random.Random(7)
        with Served("--log", "none", "--store", 0, "--quick-wait", 200, "--wait", 200, models=[SENTENCES]) as server:
            answers = asyncio.run(self.load(server, source))
            statuses = [status for status, _, _ in answers]
            self.assertEqual(set(statuses), {200, 429})
            for status, wait, vectors in answers:
                if status == 200:
                    self.assertEqual((wait, vectors), (None, self.TEXTS))
                else:
                    self.assertGreaterEqual(int(wait), 1)
            print(f"{statuses.count(200)} answered, {statuses.count(429)} refused")
            text = server.get("/metrics").body.decode()
            self.assertIn(f'te_request_success{{method="/embed"}} {statuses.count(200)}\n', text)
            self.assertIn(f'te_request_failure{{err="Overloaded"}} {statuses.count(429)}\n', text)
            self.assertEqual(metric(server, "te_queue_size"), 0)
            self.assertEqual(server.post("/embed", {"inputs": "a"}).status, 200)


if __name__ == "__main__":
    try:
        summand_testing.run_cases()
    except SystemExit as end:
        if end.code == 0 and not any(map(shutil.which, TOOLS)):
            print(f"skipped: none of {', '.join(TOOLS)} is installed")
            sys.exit(77)
        raise
