"""The Ray Serve program of docs/serving.md with two replicas: the bits of one process, also where a replica is killed and its
clients ask again.

Skipped without Ray Serve: requirements/scale.txt."""

import importlib.util
import json
import os
import pathlib
import random
import re
import sys
import tempfile
import time
import unittest

import summand_testing

if importlib.util.find_spec("ray") is None or importlib.util.find_spec("starlette") is None:
    print("skipped: ray[serve] is not installed: requirements/scale.txt")
    sys.exit(77)
os.environ["PYTHONPATH"] = os.pathsep.join([str(summand_testing.PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])  # of replicas
os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # the loopback address, on Linux too
    "RAY_worker_niceness": "0",  # not 15: on a busy machine a replica would hardly run
    "RAY_agent_register_timeout_ms": "300000",
}
sys.path.insert(0, str(summand_testing.PACKAGE))

import numpy  # noqa: E402
import ray  # noqa: E402
import summand  # noqa: E402
from ray import serve  # noqa: E402

from many_clients import Clients  # noqa: E402

import psutil  # noqa: E402  # Ray brings it

MODEL = summand_testing.ROOT / "models" / "summand-mini-sentences"
PLACE = "/models/all-MiniLM-L6-v2"
WORDS = "the a cat dog house river old they would never see again because winter is long and quiet here".split()
REQUESTS, TEXTS, REPLICAS = 400, 16, 2
ATTEMPTS = 600  # with a pause of 0.1 s


def program():
    """The page's program."""
    page = (summand_testing.ROOT / "docs" / "serving.md").read_text()
    [text] = [block for block in re.findall(r"```py\n(.*?)```", page, re.DOTALL) if "from ray import serve" in block]
    assert text.count(PLACE) == 1
    return text.replace(PLACE, str(MODEL))


def replicas():
    """The processes of this cluster's replicas."""
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if process.cmdline()[:1] and process.cmdline()[0].startswith("ray::ServeReplica:"):
                found.append(process)
        except psutil.Error:  # it has just ended
            continue
    return found


class RayServe(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory(prefix="serve", dir="/tmp"))  # short: sockets lie below it
        source = random.Random(1)
        cls.given = [[" ".join(source.choices(WORDS, k=source.randint(5, 40))) for _ in range(TEXTS)] for _ in range(REQUESTS)]
        vectors = summand.Encoder(str(MODEL), threads=1).encode([text for texts in cls.given for text in texts])
        cls.expected = vectors.reshape(REQUESTS, TEXTS, -1)
        ray.init(num_cpus=REPLICAS, include_dashboard=False, log_to_driver=False, object_store_memory=100 << 20,
                 _temp_dir=str(pathlib.Path(folder) / "ray"), logging_level="ERROR")  # fmt: skip
        cls.addClassCleanup(ray.shutdown)
        cls.port = random.randrange(20_000, 30_000)
        serve.start(http_options={"host": "127.0.0.1", "port": cls.port})
        cls.addClassCleanup(serve.shutdown)
        exec(compile(program(), "serving.md", "exec"), {"__name__": "program"})

    def wait_for_replicas(self):
        end = time.monotonic() + 120
        while len(found := replicas()) != REPLICAS:
            self.assertLess(time.monotonic(), end, found)
            time.sleep(0.2)
        return {process.pid for process in found}

    def check(self, clients):
        self.assertEqual([len(answers) for answers in clients.answers], [1] * REQUESTS, clients.faults[:5])
        for number, [(_, text)] in enumerate(clients.answers):
            self.assertEqual(numpy.array(json.loads(text), numpy.float32).tobytes(), self.expected[number].tobytes())

    def test_a_killed_replica_loses_nothing_that_is_asked_again(self):
        before = self.wait_for_replicas()
        with Clients(self.port, [{"inputs": texts} for texts in self.given], path="/", attempts=ATTEMPTS) as clients:
            clients.wait_for(REQUESTS // 4)
            psutil.Process(min(before)).kill()
        self.check(clients)
        self.assertEqual(len(self.wait_for_replicas() & before), REPLICAS - 1)  # another took its place
        print(f"{len(clients.faults)} asked again", end=" ", flush=True)


if __name__ == "__main__":
    summand_testing.run_cases()
