"""The program whose runs these are, and the model that they begin with."""

import os
import pathlib
import subprocess

from minilm import folder as minilm_folder

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUMMAND = pathlib.Path(os.environ.get("SUMMAND_BUILD", ROOT / "build")) / "bin" / "summand"


def processor():
    """Maker, family and model, as Linux counts them: runs have the same bits again where these are the same."""
    fields = dict(line.split(":", 1) for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines() if ":" in line)
    its = {key.strip(): value.strip() for key, value in fields.items()}
    return " ".join(its.get(key, "unknown") for key in ("vendor_id", "cpu family", "model"))


class Failed(Exception):
    """A run ended with a message of its own."""


def run(*words):
    """Runs summand on one thread. @raises Failed with its last line"""
    done = subprocess.run([str(word) for word in (SUMMAND, *words, "--threads", "1")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                          encoding="utf-8", check=False)  # fmt: skip
    if done.returncode != 0:
        raise Failed(f"summand {words[0]}: status {done.returncode}: {(done.stderr.strip().splitlines() or ['it said nothing'])[-1]}")


def minilm():
    """The folder of all-MiniLM-L6-v2. @raises Failed if it is nowhere"""
    try:
        return minilm_folder()
    except FileNotFoundError as fault:
        raise Failed(fault) from fault
