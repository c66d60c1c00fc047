"""Whole processes: time to the first vector, and the most memory held."""

import pathlib
import re
import statistics
import subprocess
import time


def embed_command(around, precision, *words):
    program = around.build / "bin" / "summand"
    return [program, "embed", "--model", around.model, "--precision", precision, "--threads", str(around.threads), "--overwrite", *words]


def start_seconds(around, precision, runs=11):
    """Median wall time of `summand embed` with one text, files in the page cache."""
    command = embed_command(around, precision, "--text", "The first of many.", "-o", around.folder / "first.npy")
    seconds = []
    for _ in range(runs + 2):
        begin = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[2:])


def peak_bytes(around, precision, texts):
    """VmHWM of `summand embed` over a file of texts. It only rises, so the last value seen is the peak."""
    command = embed_command(around, precision, "--batch-tokens", "16384", texts, "-o", around.folder / "peak.npy")
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    while process.poll() is None:
        found = re.search(r"VmHWM:\s+(\d+) kB", pathlib.Path(f"/proc/{process.pid}/status").read_text())
        peak = int(found[1]) * 1024 if found else peak
        time.sleep(0.002)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, command)
    return peak
