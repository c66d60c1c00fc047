"""Two servers behind nginx with deploy/nginx.conf, asked by eight threads: a server that is killed loses no request that its
client repeats, and servers that are restarted one after the other lose none at all.

Skipped without nginx: requirements/debian_scale.txt."""

import contextlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

import numpy

import summand_testing
from many_clients import Clients
from served import Served

NGINX = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
if NGINX is None:
    print("skipped: nginx is not installed: requirements/debian_scale.txt")
    sys.exit(77)

MODEL = summand_testing.ROOT / "models" / "summand-mini-sentences"
CONFIGURATION = summand_testing.ROOT / "deploy" / "nginx.conf"
WORDS = "the a cat dog house river old they would never see again because winter is long and quiet here".split()
REQUESTS, TEXTS = 240, 16
ATTEMPTS = 5
# What nginx needs around the file. The log says which servers a request went to.
MAIN = """
daemon off;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
{user}
worker_processes 1;
events {{ worker_connections 256; }}
http {{
    log_format tried '$status $upstream_addr [$upstream_status]';
    access_log {folder}/access.log tried;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/summand.conf;
}}
"""


def free_ports(count):
    """Ports that are free now, and outside the range that the system gives to clients."""
    found = []
    for port in random.sample(range(20_000, 30_000), 1000):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            found.append(port)
        if len(found) == count:
            return found
    raise AssertionError("no free ports")


def requests(seed):
    """Different texts for each request, [REQUESTS][TEXTS]."""
    source = random.Random(seed)
    return [[" ".join(source.choices(WORDS, k=source.randint(5, 40))) for _ in range(TEXTS)] for _ in range(REQUESTS)]


def embedded(given, folder):
    """The vectors of all requests by `summand embed`, [REQUESTS, TEXTS, width]."""
    lines = "".join(json.dumps({"text": text}) + "\n" for texts in given for text in texts)
    out = folder / "vectors.npy"
    subprocess.run([summand_testing.BIN / "summand", "embed", "--model", MODEL, "-", "--format", "jsonl", "-o", out, "--overwrite"],
                   input=lines, text=True, check=True, capture_output=True)  # fmt: skip
    return numpy.load(out).reshape(len(given), TEXTS, -1)


class Nginx:
    """nginx with the given configuration, until the end of the block."""

    def __init__(self, folder, text):
        folder.mkdir()
        (folder / "summand.conf").write_text(text)
        user = "user root;" if os.geteuid() == 0 else ""
        (folder / "nginx.conf").write_text(MAIN.format(folder=folder, user=user))
        self.folder = folder
        self.words = [NGINX, "-p", str(folder), "-e", str(folder / "error.log"), "-c", str(folder / "nginx.conf")]

    def __enter__(self):
        subprocess.run([*self.words, "-t", "-q"], check=True)
        self.process = subprocess.Popen(self.words)
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait(60)

    @property
    def passed_on(self):
        """How many requests went to the second server after the first."""
        return sum(", " in line for line in (self.folder / "access.log").read_text().splitlines())


class ScaleOut(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory(dir="/tmp")))
        cls.given = requests(seed=1)
        cls.bodies = [{"inputs": texts, "normalize": False} for texts in cls.given]
        cls.expected = embedded(cls.given, cls.folder)

    def setUp(self):
        self.ports = free_ports(3)
        self.servers = self.enterContext(contextlib.ExitStack())
        self.running = {port: self.start(port) for port in self.ports[1:]}

    def start(self, port):
        # Nothing is stored: all is computed, so that there is work to lose.
        return self.servers.enter_context(Served("--store", 0, models=[MODEL], threads=1, port=port))

    def nginx(self, change=("", "")):
        text = CONFIGURATION.read_text()
        for written, port in zip(("listen 80;", "127.0.0.1:8081", "127.0.0.1:8082"), self.ports):
            self.assertEqual(text.count(written + (" " if ":" in written else "")), 1, written)
            text = text.replace(written, f"listen 127.0.0.1:{port};" if "listen" in written else f"127.0.0.1:{port}")
        self.assertIn(change[0], text)
        nginx = self.enterContext(Nginx(self.folder / self.id(), text.replace(*change)))
        for _ in range(600):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.ports[0])):
                return nginx
            time.sleep(0.1)
        self.fail("nginx does not listen")

    def kill(self, port):
        self.running[port].process.kill()
        self.running[port].process.wait()

    def restart_all(self, clients):
        """Ends each server by SIGTERM and starts it again, before the next one ends."""
        for turn, port in enumerate(self.ports[1:]):
            clients.wait_for(REQUESTS // 4 * (turn + 1))
            self.running[port].process.send_signal(signal.SIGTERM)
            self.assertEqual(self.running[port].process.wait(60), 0)
            self.running[port] = self.start(port)
            self.assertEqual(self.running[port].get("/health").status, 200)

    def check(self, clients):
        """Every request has one answer, its own, with the bits of `summand embed`."""
        self.assertEqual([len(answers) for answers in clients.answers], [1] * REQUESTS, clients.faults[:5])
        for number, [(name, text)] in enumerate(clients.answers):
            self.assertEqual(name, f"request-{number}")
            self.assertEqual(numpy.array(json.loads(text), numpy.float32).tobytes(), self.expected[number].tobytes())

    def test_a_killed_server_loses_nothing_that_is_asked_again(self):
        nginx = self.nginx()
        with Clients(self.ports[0], self.bodies, attempts=ATTEMPTS) as clients:
            clients.wait_for(REQUESTS // 4)
            self.kill(self.ports[1])
            clients.wait_for(REQUESTS // 2)
            self.running[self.ports[1]] = self.start(self.ports[1])
        self.check(clients)
        self.assertGreater(nginx.passed_on, 0)
        self.assertGreater(len(self.running[self.ports[1]].log), 0)  # it has work again
        print(f"{nginx.passed_on} requests passed on, {len(clients.faults)} asked again", end=" ", flush=True)

    def test_a_rolling_restart_fails_no_request(self):
        nginx = self.nginx()
        with Clients(self.ports[0], self.bodies, attempts=1) as clients:
            self.restart_all(clients)
        self.assertEqual(clients.faults, [])
        self.check(clients)
        self.assertGreater(nginx.passed_on, 0)
        print(f"{nginx.passed_on} requests passed on", end=" ", flush=True)

    def test_without_the_line_that_passes_requests_on_some_fail(self):
        self.nginx(("proxy_next_upstream error timeout http_502 http_503 non_idempotent;", "proxy_next_upstream off;"))
        with Clients(self.ports[0], self.bodies, attempts=1) as clients:
            self.restart_all(clients)
        self.assertGreater(len(clients.faults), 0)

    def test_metrics_are_asked_of_each_server(self):
        self.nginx()
        connection = http.client.HTTPConnection("127.0.0.1", self.ports[0], timeout=60)
        connection.request("GET", "/metrics")
        self.assertEqual(connection.getresponse().status, 404)
        connection.close()
        for server in self.running.values():
            self.assertEqual(server.get("/metrics").status, 200)


if __name__ == "__main__":
    summand_testing.run_cases()
