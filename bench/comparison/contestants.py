"""Who takes part, and how each is asked."""

import dataclasses
import pathlib
import statistics
import sys

from comparison.conversation import Conversation, Refused

BENCH = pathlib.Path(__file__).resolve().parents[1]
PRECISIONS = ("fp32", "bf16", "int8")
OURS = "summand"
# A target against the rivals of a precision counts as shown only where all of these ran.
RIVALS = {
    "fp32": ("PyTorch", "sentence-transformers", "ONNX Runtime", "OpenVINO", "CTranslate2"),
    "bf16": ("PyTorch", "OpenVINO"),
    "int8": ("ONNX Runtime", "OpenVINO", "CTranslate2"),
}
# Repetitions of a round: a single text is timed often enough that the clock and the scheduler do not count.
REPETITIONS = {"short": 50, "medium": 20}
MAX_LENGTH = 256


@dataclasses.dataclass(frozen=True)
class Surroundings:
    """What all contestants of one model share.

    model: directory; build: CMake's folder; folder: for prepared models, texts and logs; threads: of each contestant
    """

    model: pathlib.Path
    build: pathlib.Path
    folder: pathlib.Path
    threads: int

    @property
    def log(self):
        return self.folder / "log.txt"

    def environment(self):
        """Threads as told; glibc keeps freed memory, as PyTorch's tuning guide wants of an allocator."""
        threads = str(self.threads)
        return {
            "OMP_NUM_THREADS": threads, "RAYON_NUM_THREADS": threads, "TOKENIZERS_PARALLELISM": "true",
            "MALLOC_TRIM_THRESHOLD_": "4000000000", "MALLOC_MMAP_THRESHOLD_": "4000000000",
            "TORCHINDUCTOR_CACHE_DIR": str(self.folder / "inductor"), "TORCHINDUCTOR_COMPILE_THREADS": "1",
            "HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1",
        }  # fmt: skip


def default_settings(variant=""):
    return {"variant": variant, "batch": 16, "order": "sorted", "max_length": MAX_LENGTH}


class Contestant:
    """One engine at one precision, in a process of its own.

    `chosen` holds its settings for each kind of work; `seconds` what each round gave; `absent` why it does not run.
    """

    def __init__(self, name, precision, around):
        self.name, self.precision = name, precision
        self.chosen, self.seconds, self.tried = {}, {}, []
        self.absent, self.conversation, self.quality = None, None, None
        self.version, self.variants = "", [""]
        try:
            if name == OURS:
                command = [around.build / "bin" / "bench_embedding", around.model, precision, around.threads]
                self.conversation = Conversation(command, BENCH, {}, around.log)
            else:
                command = [sys.executable, "-m", "rivals.worker", name, around.model, precision, around.threads]
                command.append(around.folder / "prepared")
                self.conversation = Conversation(command, BENCH, around.environment(), around.log)
            self.version = self.conversation.hello["version"]
            self.variants = self.conversation.hello.get("variants", [""])
        except (Refused, OSError) as error:
            self.absent = str(error)

    def __str__(self):
        return f"{self.name} {self.precision}"

    @property
    def ours(self):
        return self.name == OURS

    def median(self, work):
        """Seconds, or None where the work was not measured."""
        return statistics.median(self.seconds[work]) if self.seconds.get(work) else None

    def ask(self, texts, settings, repetitions=1, vectors=None):
        """Seconds of each repetition. @param texts  path of the work's file"""
        question = {"texts": str(texts), "settings": settings, "repetitions": repetitions}
        return self.conversation.ask(question | {"vectors": str(vectors) if vectors else None})["seconds"]

    def forget(self, variants):
        if variants and not self.ours:
            self.conversation.ask({"forget": list(variants)})

    def round(self, work, texts):
        """One round of a work at its chosen settings. A single text warms up once; many texts need not."""
        repetitions = REPETITIONS.get(work, 0) + 1
        seconds = self.ask(texts, self.chosen[work], repetitions)
        self.seconds.setdefault(work, []).append(statistics.median(seconds[1:] or seconds))

    def give_up(self, reason):
        self.absent = reason
        self.close()

    def close(self):
        if self.conversation:
            self.conversation.close()
