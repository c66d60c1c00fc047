"""The best settings of a rival for each kind of work: variant first, then batch size, then order."""

from comparison.contestants import REPETITIONS, default_settings
from comparison.conversation import Refused

BATCH_SIZES = (1, 2, 4, 8, 16, 32, 64)


class Search:
    """@param contestant  a running one  @param files  kind of work to the file of texts that settings are tried on"""

    def __init__(self, contestant, files):
        self.contestant, self.files = contestant, files
        self.best = {}  # kind to (seconds, settings)

    def run(self):
        """Leaves the contestant with settings for every kind of work, or absent if no variant runs."""
        if self.contestant.ours:
            self.contestant.chosen = {kind: default_settings() for kind in self.files}
            return
        failures = [failure for variant in self.contestant.variants if (failure := self.try_variant(variant))]
        if len(failures) == len(self.contestant.variants):
            self.contestant.give_up(failures[0])
            return
        for kind in self.files:
            if kind not in REPETITIONS:
                self.climb(kind)
                if self.contestant.name != "sentence-transformers":  # which sorts by itself
                    self.attempt(kind, self.settings(kind) | {"order": "given"})
        self.contestant.chosen = {kind: settings for kind, (_, settings) in self.best.items()}
        self.drop_losers()

    def settings(self, kind):
        return self.best[kind][1]

    def attempt(self, kind, settings):
        """Whether these settings are the best so far. The first repetition warms up."""
        repetitions = 11 if kind in REPETITIONS else 2
        seconds = sorted(self.contestant.ask(self.files[kind], settings, repetitions)[1:])
        seconds = seconds[len(seconds) // 2]
        self.contestant.tried.append({"work": kind, "seconds": seconds} | settings)
        better = kind not in self.best or seconds < self.best[kind][0]
        if better:
            self.best[kind] = seconds, settings
        return better

    def try_variant(self, variant):
        """Why the variant does not run, or None."""
        try:
            for kind in self.files:
                self.attempt(kind, default_settings(variant))
        except Refused as refusal:
            self.contestant.tried.append({"variant": variant, "error": str(refusal)})
            if self.contestant.conversation.process.poll() is not None:
                raise
            return str(refusal)
        self.drop_losers()
        return None

    def drop_losers(self):
        """Only variants that are the best at something stay in memory."""
        winners = {settings["variant"] for _, settings in self.best.values()}
        self.contestant.forget(set(self.contestant.variants) - winners)

    def climb(self, kind):
        """Smaller batches while they are faster; if the first is not, larger ones."""
        start = BATCH_SIZES.index(self.settings(kind)["batch"])
        for sizes in (BATCH_SIZES[start - 1 :: -1], BATCH_SIZES[start + 1 :]):
            moved = False
            for size in sizes:
                if not self.attempt(kind, self.settings(kind) | {"batch": size}):
                    break
                moved = True
            if moved:
                break
