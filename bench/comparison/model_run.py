"""Everything that is measured of one model, in one go and in alternation."""

import json
import statistics

import numpy as np

import work
from comparison import processes, quality
from comparison.arithmetic import ATTENTION_PRECISION, Shape, limit_seconds
from comparison.contestants import OURS, RIVALS, Contestant, default_settings
from comparison.conversation import Conversation, Refused
from comparison.search import Search

# Texts of each kind; bert-base has a quarter of them per second and gets fewer.
NUMBERS = {"MiniLM": (512, 64), "bert-base": (64, 8)}
# Settings are searched on one text in so many.
SEARCH_STEP = {"MiniLM": {"sentences": 4, "paragraphs": 2}, "bert-base": {"sentences": 2, "paragraphs": 1}}
QUALITY_TEXTS = 2000
LONG_TOKENS = 8192
LONG_ROUNDS = 5


class ModelRun:
    """@param name  MiniLM or bert-base  @param around  Surroundings  @param options  the command line's"""

    def __init__(self, name, around, options, say):
        self.name, self.around, self.options, self.say = name, around, options, say
        config = json.loads((around.model / "config.json").read_text())
        self.shape = Shape.of(config)
        self.source, self.origin = work.lines()
        everything = work.all_work(self.source, *NUMBERS[name])
        self.works = {kind: everything[kind] for kind in work.KINDS if kind in options.work}
        self.contestants, self.limit = [], None
        self.rates, self.reading = {}, []
        self.result = {"start_seconds": {}, "peak_bytes": {}, "packed_bytes": {}, "long": {}}

    def file(self, kind, texts):
        path = self.around.folder / f"{kind}.jsonl"
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        return path

    def run(self):
        """The results as they stand in the JSON file."""
        self.file("calibration", work.lines_for_quality(self.source, 300, work.TokenCounter()))
        try:
            self.begin()
            self.search()
            self.alternate()
            if self.options.whole:
                self.check_vectors()
                self.long_texts()
        finally:
            for conversation in [self.limit, *(entry.conversation for entry in self.contestants)]:
                if conversation:
                    conversation.close()
        if self.options.whole:
            self.whole_processes()
        return self.record()

    def begin(self):
        program = self.around.build / "bin" / "bench_limit"
        sizes = [self.shape.hidden, self.shape.intermediate, self.around.threads]
        try:
            self.limit = Conversation([program, *sizes], self.around.folder, {}, self.around.log)
        except (OSError, Refused) as error:
            self.say(f"the limit is not measured: {error}")
        for precision in self.options.only:
            for name in (OURS, *RIVALS[precision]):
                if name == OURS or name in self.options.rivals:
                    self.contestants.append(Contestant(name, precision, self.around))

    def running(self):
        return [entry for entry in self.contestants if not entry.absent]

    def search(self):
        steps = SEARCH_STEP[self.name]
        parts = {kind: each.every(steps.get(kind, 1)) for kind, each in self.works.items()}
        files = {kind: self.file(f"{kind}_searched", part.texts) for kind, part in parts.items()}
        for entry in self.contestants:
            self.say(f"{self.name}: searching the best settings of {entry}")
            try:
                if not entry.absent:
                    Search(entry, files).run()
            except Refused as refusal:
                entry.give_up(str(refusal))
            if entry.absent:
                self.say(f"{self.name}: {entry} could not run: {entry.absent}")

    def alternate(self):
        """Every contestant takes its turn at a work before anybody has a second one."""
        files = {kind: self.file(kind, each.texts) for kind, each in self.works.items()}
        for number in range(self.options.rounds):
            self.say(f"{self.name}: round {number + 1} of {self.options.rounds}")
            self.ask_limit()
            for kind, path in files.items():
                for entry in self.running():
                    try:
                        entry.round(kind, path)
                    except Refused as refusal:
                        entry.give_up(str(refusal))

    def ask_limit(self):
        if not self.limit:
            return
        for precision in sorted({rate for one in self.options.only for rate in (one, ATTENTION_PRECISION[one])}):
            self.ask_rate(precision)
        question = f"read {self.shape.weight_bytes('fp32')}"
        self.reading.append(self.limit.ask(question)["seconds"])

    def ask_rate(self, precision):
        try:
            for way, rate in self.limit.ask(precision)["gflops"].items():
                self.rates.setdefault(precision, {}).setdefault(way, []).append(rate)
        except Refused as refusal:
            self.say(f"the products in {precision} are not measured: {refusal}")

    def check_vectors(self):
        """Vectors of many sentences against PyTorch's in fp32."""
        many = work.lines_for_quality(self.source, QUALITY_TEXTS if self.name == "MiniLM" else 100, work.TokenCounter())
        texts, out = self.file("quality", many), self.around.folder / "vectors.npy"
        reference = None
        # PyTorch in fp32 first: it is what the others are compared with.
        for entry in sorted(self.running(), key=lambda one: (one.name, one.precision) != ("PyTorch", "fp32")):
            self.say(f"{self.name}: vectors of {entry}")
            settings = entry.chosen.get("sentences") or default_settings(entry.variants[0])
            try:
                entry.ask(texts, settings, vectors=out)
            except Refused as refusal:
                entry.give_up(str(refusal))
                continue
            vectors = np.load(out)
            if reference is None and (entry.name, entry.precision) == ("PyTorch", "fp32"):
                reference = vectors
            if reference is not None:
                entry.quality = quality.agreement(vectors, reference)

    def long_texts(self):
        if self.name != "MiniLM":
            return
        self.say(f"{self.name}: long texts")
        count, files = work.TokenCounter(), {}
        for tokens in (128, 512):
            texts = work.long_texts(self.source, tokens, LONG_TOKENS // tokens, count)
            files[tokens] = self.file(f"long_{tokens}", texts)
        for entry in (one for one in self.running() if one.name == OURS):
            seconds = {tokens: [] for tokens in files}
            for _ in range(LONG_ROUNDS):
                for tokens, path in files.items():
                    seconds[tokens] += entry.ask(path, default_settings() | {"max_length": tokens})
            per_token = {str(tokens): statistics.median(each) / LONG_TOKENS for tokens, each in seconds.items()}
            self.result["long"][entry.precision] = per_token

    def whole_processes(self):
        """`summand embed` from its start to its end, where bench_embedding ran."""
        texts = self.around.folder / "quality.jsonl"
        for entry in (one for one in self.running() if one.name == OURS):
            self.say(f"{self.name}: start and memory of {entry}")
            self.result["start_seconds"][entry.precision] = processes.start_seconds(self.around, entry.precision)
            self.result["peak_bytes"][entry.precision] = processes.peak_bytes(self.around, entry.precision, texts)
            self.result["packed_bytes"][entry.precision] = self.shape.weight_bytes(entry.precision)

    def record(self):
        ways, limit = {}, {}
        for precision, rates in self.rates.items():
            ways[precision] = {way: statistics.median(each) for way, each in rates.items()}
        gflops = {precision: max(each.values()) for precision, each in ways.items()}
        for precision in self.options.only:
            seconds = {kind: limit_seconds(self.shape, each.lengths, precision, gflops) for kind, each in self.works.items()}
            limit[precision] = seconds
        return self.result | {
            "precisions": self.options.only,
            "works": {kind: {"tokens": each.tokens, "texts": each.describe()} for kind, each in self.works.items()},
            "gflops": ways,
            "limit_seconds": limit,
            "read_seconds": statistics.median(self.reading) if self.reading else None,
            "contestants": [self.record_of(entry) for entry in self.contestants],
        }

    def record_of(self, entry):
        works = {} if entry.absent else {kind: record_of_work(entry, kind) for kind in entry.seconds}
        noise = entry.conversation.longest_noise if entry.conversation else 0.0
        return {
            "name": entry.name, "precision": entry.precision, "version": entry.version, "absent": entry.absent,
            "works": works, "quality": entry.quality, "tried": entry.tried, "longest_noise_seconds": noise,
        }  # fmt: skip


def record_of_work(entry, kind):
    rounds = entry.seconds[kind]
    low, high = np.percentile(rounds, [25, 75])
    median = statistics.median(rounds)
    return {"seconds": median, "spread": (high - low) / median, "rounds": rounds, "settings": entry.chosen[kind]}
