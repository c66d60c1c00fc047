"""Closed loop: so many connections, each of which sends its next request when the one before is answered. wrk does it."""

import json
import os
import pathlib
import subprocess
import tempfile

SCRIPT = pathlib.Path(__file__).with_suffix(".lua")
TIMEOUT_SECONDS = 600


def run_wrk(port, requests, connections, seconds, processors, words=()):
    """@return (its line of JSON, processor seconds of wrk's)"""
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", f"{TIMEOUT_SECONDS}s", "-s", SCRIPT,
               f"http://127.0.0.1:{port}/", "--", requests.file, *words]  # fmt: skip
    with tempfile.TemporaryFile("w+") as out:
        process = subprocess.Popen([*map(str, command)], stdout=out, stderr=subprocess.STDOUT,
                                   preexec_fn=lambda: os.sched_setaffinity(0, processors))  # fmt: skip
        try:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        except BaseException:
            process.kill()
            process.wait()
            raise
        out.seek(0)
        printed = out.read()
    if process.returncode != 0 or "{" not in printed:
        raise RuntimeError(f"wrk: {printed.strip()}")
    line = next(line for line in printed.splitlines() if line.startswith("{"))
    return json.loads(line), usage.ru_utime + usage.ru_stime


def closed_loop(port, requests, connections, seconds, processors, first=0):
    """@param first: the place of the request to begin with
    @return rate of answers a second, p50_ms, p99_ms, and the generator's share of the processors"""
    found, used = run_wrk(port, requests, connections, seconds, processors, (first,))
    found["rate"] = (found["requests"] - found["refused"]) / found["seconds"]
    found["generator_share"] = used / found["seconds"] / os.cpu_count()
    return found
