"""A running `summand serve`, and requests to it."""

import http.client
import json
import os
import re
import signal
import subprocess
import threading
import time

import summand_testing


class Answer:
    def __init__(self, response, body):
        self.status = response.status
        self.headers = response.headers
        self.body = body

    @property
    def json(self):
        return json.loads(self.body)


class Served:
    """summand serve with these options, on a free port or the given one, until the end of the block."""

    def __init__(self, *options, models, threads=2, environment=None, port=0):
        words = [str(summand_testing.BIN / "summand"), "serve", "--listen", f"127.0.0.1:{port}", "--threads", str(threads)]
        for model in models:
            words += ["--model", str(model)]
        self.words = [*words, *map(str, options)]
        self.environment = environment
        self.lines = []

    def __enter__(self):
        environment = os.environ | (self.environment or {})
        self.process = subprocess.Popen(self.words, stderr=subprocess.PIPE, text=True, env=environment)
        self.port = None
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))
            found = re.search(r" at https?://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found[1])
                break
        if self.port is None:
            raise RuntimeError("the server did not start: " + "\n".join(self.lines))
        self.reader = threading.Thread(target=self._read)
        self.reader.start()
        return self

    def _read(self):
        for line in self.process.stderr:
            self.lines.append(line.rstrip("\n"))

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.reader.join()
        self.process.stderr.close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self):
        """The requests logged so far."""
        return [json.loads(line) for line in self.lines if line.startswith("{")]

    def wait_until(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s; the server's last lines: " + "\n".join(self.lines[-5:]))
            time.sleep(0.01)

    def wait_for_log(self, condition):
        """The first logged request that satisfies a condition."""
        self.wait_until(lambda: any(map(condition, self.log)))
        return next(filter(condition, self.log))

    def ask(self, method, path, body=None, headers=None, timeout=120):
        """One request on a connection of its own; a body that is no bytes is sent as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        if body is not None and not isinstance(body, bytes):
            body = json.dumps(body).encode()
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"} | (headers or {}))
            response = connection.getresponse()
            return Answer(response, response.read())
        finally:
            connection.close()

    def get(self, path, **options):
        return self.ask("GET", path, **options)

    def post(self, path, body, **options):
        return self.ask("POST", path, body, **options)
