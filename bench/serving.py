#!/usr/bin/env python3
"""`summand serve` beside other servers of embeddings, in turns, on the same processors.

    .venv-bench-serving/bin/python bench/serving.py [--servers "summand;infinity, torch"] [--kinds short,rerank] [--rounds 3] [--seconds 5]
        [--output FILE]

all-MiniLM-L6-v2, and a cross-encoder of its shape, in fp32 unless the name says otherwise. Every server has the same number of threads
and is stopped while others have their turn. Its answers have to agree with the first server's (cosine above 0.999, of int8 0.99)
before anything is timed.

- Closed loop: 1, 16 or 256 connections that stay open, each of which asks again when it is answered; `wrk` with one thread.
- Open loop: requests arrive by chance (Poisson) at 50 % and 80 % of the closed-loop rate of the best other server. Latency counts
  from the scheduled arrival.
- Overhead: what `summand serve` takes for a request of one word beyond the engine's own time.

The load generators use the same processors where there are no others; their share is shown.
"""

import argparse
import datetime
import json
import os
import pathlib
import signal
import statistics
import sys
import tempfile
import time

from comparison import machine
from servers import agreement, apps, infinity, models, summand, table, workload
from servers.closed_loop import closed_loop, run_wrk
from servers.open_loop import open_loop
from servers.process import ServerProcess
from training_turns import PROGRAM, ROOT

LOADS = (0.5, 0.8)  # of the best other server's rate
WARM_SECONDS, WARM_CONNECTIONS = 1, 4  # before every turn
TURNS_OF_WAITING = 3  # a closed loop lasts until each connection was answered so often ...
LONGEST_LOOP = 6  # ... but no longer than so many times --seconds
NOT_BY_DEFAULT = ("summand, bf16", "summand, int8")
ENVIRONMENTS = ("bench-infinity", "bench-infinity-onnx")
OVERHEAD_HEADERS = ("X-Total-Time", "X-Queue-Time", "X-Tokenization-Time", "X-Inference-Time")


def known_servers(options):
    """Of each name: the paths by model, and the command of a folder and a port."""
    own = {f"summand{name}": (summand.PATHS, summand.command(options, precision))
           for name, precision in (("", "fp32"), (", auto", "auto"), (", bf16", "bf16"), (", int8", "int8"))}  # fmt: skip
    others = {name: (paths, infinity.command(options, engine, environment))
              for name, (engine, environment, paths) in infinity.ENGINES.items()}  # fmt: skip
    behind_fastapi = {name: (apps.PATHS, apps.command(options, *how)) for name, how in apps.APPS.items()}
    return own | others | behind_fastapi


def is_own(name):
    return name.startswith("summand")


class Contestant:
    """A server of one model, its process, and the requests in its form."""

    def __init__(self, name, kind, folder, known, run):
        paths, command = known
        model = workload.MODELS[kind]
        self.name, self.run = name, run
        self.requests = run.requests(kind, paths[model])
        self.process = ServerProcess(command(run.options.models / model), run.environment, run.processors, folder / "server.log")
        self.asked = 0

    def closed(self, connections, seconds):
        found = closed_loop(self.process.port, self.requests, connections, seconds, self.run.generator_processors, self.asked)
        self.asked += found["requests"]
        self.process.settle()
        return found

    def turn(self):
        """A context in which the server runs, warmed."""
        return Turn(self)


class Turn:
    def __init__(self, contestant):
        self.contestant = contestant

    def __enter__(self):
        self.contestant.process.resume()
        self.contestant.closed(WARM_CONNECTIONS, WARM_SECONDS)
        return self.contestant

    def __exit__(self, *_):
        self.contestant.process.pause()


class Run:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        allowed = os.sched_getaffinity(0)
        self.processors = set(machine.cores(options.threads))
        self.generator_processors = allowed - self.processors or allowed
        os.sched_setaffinity(0, self.generator_processors)
        threads = str(options.threads)
        self.environment = {"OMP_NUM_THREADS": threads, "MKL_NUM_THREADS": threads, "TOKENIZERS_PARALLELISM": "true", "HF_HUB_OFFLINE": "1",
                            "DO_NOT_TRACK": "1", "INFINITY_ANONYMOUS_USAGE_STATS": "0"}  # fmt: skip
        self.source = workload.TextSource()
        self.questions, self.written = {}, {}  # by kind; by kind and path

    def requests(self, kind, path):
        if (kind, path) not in self.written:
            if kind not in self.questions:
                self.questions[kind] = workload.questions(kind, self.source)
            raw = [workload.http_request(path, question) for question in self.questions[kind]]
            self.written[kind, path] = workload.Requests.written(raw, self.folder / f"requests-{len(self.written)}")
        return self.written[kind, path]

    def say(self, text):
        print(f"  {text}", file=sys.stderr, flush=True)

    def contestants(self, kind):
        """Starts every server of a kind; each is stopped until its turn."""
        known, every = known_servers(self.options), []
        try:
            for name in self.options.servers:
                if workload.MODELS[kind] not in known[name][0]:
                    continue
                folder = self.folder / f"{kind}-{len(every)}"
                folder.mkdir()
                every.append(Contestant(name, kind, folder, known[name], self))
                try:
                    every[-1].process.wait_until_ready()
                except RuntimeError as fault:
                    raise SystemExit(f"serving.py: {name} does not run: {fault}") from None
                self.say(f"{kind}: {name} runs")
                agreement.check(kind, every)
                every[-1].process.pause()
            return every
        except BaseException:
            end_all(every)
            raise

    def of_kind(self, kind):
        every = self.contestants(kind)
        try:
            closed = self.closed_loops(kind, every)
            return {"closed": closed, "open": self.open_loops(kind, every, closed)}
        finally:
            end_all(every)

    def closed_loops(self, kind, every):
        found = {contestant.name: {connections: [] for connections in workload.CONNECTIONS[kind]} for contestant in every}
        for _ in range(self.options.rounds):
            for contestant in every:
                with contestant.turn():
                    rate = None
                    for connections, results in found[contestant.name].items():
                        result = contestant.closed(connections, self.loop_seconds(connections, rate))
                        results.append(result)
                        rate = result["rate"]
                        self.say(f"{kind}: {contestant.name}: {connections} connections: {result}")
        return found

    def loop_seconds(self, connections, rate):
        """@param rate: with fewer connections"""
        least, most = self.options.seconds, LONGEST_LOOP * self.options.seconds
        return least if rate is None else max(least, min(most, round(TURNS_OF_WAITING * connections / max(rate, 1e-3))))

    def open_loops(self, kind, every, closed):
        best = best_rate({name: loops for name, loops in closed.items() if not is_own(name)} or closed)
        if best == 0:
            raise SystemExit(f"serving.py: {kind}: expected an answer within a loop, got none: give more --seconds")
        found = {contestant.name: {load: [] for load in LOADS} for contestant in every}
        for round_number in range(self.options.rounds):
            for contestant in every:
                with contestant.turn():
                    for load, results in found[contestant.name].items():
                        process, rate = contestant.process, load * best
                        result = open_loop(process.port, contestant.requests, rate, self.options.seconds, round_number, contestant.asked)
                        contestant.asked += result["requests"]
                        contestant.process.settle()
                        results.append(result)
                        self.say(f"{kind}: {contestant.name}: {load:.0%} of {best:.1f} requests/s: {result}")
        return {"best_rate": best, "servers": found}

    def overhead(self):
        """Of requests of one word, one at a time: milliseconds in all, of them the engine's, and of a request without work."""
        paths, command = known_servers(self.options)["summand"]
        raw = [workload.http_request(paths[models.EMBEDDER], {"input": word}) for word in self.source.different_words()]
        words = workload.Requests.written(raw, self.folder / "words")
        empty = workload.Requests.written([b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"], self.folder / "health")
        server = ServerProcess(command(self.options.models / models.EMBEDDER), self.environment, self.processors, self.folder / "own.log")
        try:
            server.wait_until_ready()
            rounds = []
            for _ in range(self.options.rounds + 1):  # the first warms
                word, _ = run_wrk(server.port, words, 1, self.options.seconds, self.generator_processors, (0, *OVERHEAD_HEADERS))
                health, _ = run_wrk(server.port, empty, 1, 1, self.generator_processors)
                headers = {name: word[name] for name in OVERHEAD_HEADERS}
                rounds.append({"whole_ms": word["p50_ms"], **headers, "health_ms": health["p50_ms"]})
            return {key: statistics.median(one[key] for one in rounds[1:]) for key in rounds[0]}
        finally:
            server.end()


def best_rate(closed):
    return max(statistics.median(loop["rate"] for loop in results) for loops in closed.values() for results in loops.values())


def end_all(contestants):
    for contestant in contestants:
        contestant.process.end()


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=5, help="of one loop, at least")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--servers", help="names, separated by semicolons; `list` shows them")
    parser.add_argument("--kinds", default=",".join(workload.KINDS))
    parser.add_argument("--output", type=pathlib.Path, metavar="FILE", help="all figures as JSON")
    parser.add_argument("--program", type=pathlib.Path, default=PROGRAM, help="summand, with summand-serve beside it")
    for name in ENVIRONMENTS:
        parser.add_argument(f"--{name}", type=pathlib.Path, default=ROOT / f".venv-{name}", metavar="DIR", help="a virtual environment")
    made = ROOT / "build" / "bench" / "serving"
    parser.add_argument("--models", type=pathlib.Path, default=made, metavar="DIR", help="made once")
    options = parser.parse_args()
    options.environments = {name: getattr(options, name.replace("-", "_")).absolute() for name in ENVIRONMENTS}
    options.program = options.program.absolute()
    known = list(known_servers(options))
    if options.servers == "list":
        parser.exit(message="\n".join(known) + "\n")
    chosen = options.servers.split(";") if options.servers else [name for name in known if name not in NOT_BY_DEFAULT]
    options.kinds = options.kinds.split(",")
    for words, among in ((chosen, known), (options.kinds, workload.KINDS)):
        if unknown := [word for word in words if word not in among]:
            parser.error(f"expected some of {'; '.join(among)}, got {'; '.join(unknown)}")
    options.servers = [name for name in known if name in chosen]
    options.models = options.models.resolve()
    return options


def stop(*_):
    raise SystemExit("serving.py: stopped")


def main():
    options = parse()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    models.prepare_apart(options.models)
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as folder:
        run = Run(options, pathlib.Path(folder))
        results = {"date": datetime.date.today().isoformat(), "machine": machine.describe(), "load_before": load,
                   "threads": options.threads, "rounds": options.rounds, "seconds": options.seconds, "kinds": {}}  # fmt: skip
        begin = time.monotonic()
        print("\n".join(table.heading(results)), flush=True)
        if any(map(is_own, options.servers)):
            results["overhead"] = run.overhead()
            print("\n".join(table.overhead(results["overhead"])), flush=True)
        for kind in options.kinds:
            results["kinds"][kind] = run.of_kind(kind)
            print("\n".join(table.of_kind(kind, results["kinds"][kind])), flush=True)
    results["took_s"] = time.monotonic() - begin
    if options.output:
        options.output.write_text(json.dumps(results, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("serving.py: stopped")
    except RuntimeError as fault:
        sys.exit(f"serving.py: {fault}")
