"""What pretrain says of inputs that are wrong, given twice or changed, of damaged checkpoints, and how runs share tokens."""

import fcntl
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import summand_testing
import training

WAITING = "another run makes these tokens; waiting for it"


class Bench(training.Bench):
    def __init__(self, folder):
        super().__init__(folder)
        self.tokens = folder / "tokens"

    def words(self, run, *more, texts=None, valid=None, tokens=None, **changes):
        options = {"--steps": 4, "--warmup": 1, "--batch-tokens": 256, "--length": 32, "--log-every": 1, "--validate-every": 4,
                   "--valid-sequences": 20, "--seed": 3, "--threads": 1,
                   **{"--" + key.replace("_", "-"): value for key, value in changes.items()}}  # fmt: skip
        return [*(texts or [self.texts]), "--valid", *(valid or [self.valid]), "--tokenizer", self.tokenizer, "--config", self.config,
                "-o", self.folder / run, "--tokens", tokens or self.tokens,
                *(word for key, value in options.items() if value is not None for word in (key, value)), *more]

    def refused(self, status, said, run, *more, **changes):
        process = training.pretrain(*self.words(run, *more, **changes), check=False, timeout=60)
        assert process.returncode == status and process.stderr.count("\n") == 1 and said in process.stderr, (process.returncode, process.stderr)
        return process.stderr

    def told(self, run, *more, **changes):
        return training.pretrain(*self.words(run, *more, **changes)).stderr


def flip(path, at):
    """Changes a byte, as a disk would."""
    content = bytearray(path.read_bytes())
    content[at] ^= 0x10
    path.write_bytes(bytes(content))


def check_damage(bench):
    """Two bytes of anything that --resume reads are noticed; what was there stays."""
    bench.told("damaged")
    last = bench.folder / "damaged" / "last"
    files = sorted(path.name for path in last.iterdir())
    assert {"model.safetensors", "optimizer.safetensors", "state.json", "config.json", "vocab.txt", "checksums.json"} <= set(files), files
    kept = {name: (last / name).read_bytes() for name in files}
    for name in files:
        for offset in (len(kept[name]) // 2, len(kept[name]) // 2 + 7):
            flip(last / name, offset)
        error = bench.refused(1, "", "damaged", "--resume")
        assert f"last/{name}]" in error or name == "checksums.json", error
        (last / name).write_bytes(kept[name])
    (last / "optimizer.safetensors").unlink()
    bench.refused(1, "last/optimizer.safetensors] expected a file, got none", "damaged", "--resume")
    (last / "optimizer.safetensors").write_bytes(kept["optimizer.safetensors"])
    state = json.loads(kept["state.json"])
    state["best_score"] += 0.5
    (last / "state.json").write_text(json.dumps(state, indent=1) + "\n")
    bench.refused(1, "last/state.json] is damaged or was changed", "damaged", "--resume")
    (last / "state.json").write_bytes(kept["state.json"])
    assert "checksums" not in bench.told("damaged", "--resume")
    print(f"damage is noticed in each of {', '.join(files)}")


def check_old_runs(bench):
    """A run of before there were hashes goes on, and says what is not known."""
    bench.told("old")
    run = bench.folder / "old"
    (run / "last" / "checksums.json").unlink()
    described = json.loads((run / "run.json").read_text())
    del described["data"]["tokenizer"]
    (run / "run.json").write_text(json.dumps(described))
    told = bench.told("old", "--resume")
    assert "without checksums.json; damage would not be noticed" in told and "kept the hash of tokenizer.json alone" in told, told


def check_tokenizer(bench):
    """Another file of the tokenizer is another tokenizer."""
    bench.told("words")
    for name, old, new in (("vocab.txt", "the\n", "teh\n"), ("tokenizer_config.json", '"do_lower_case": true', '"do_lower_case": false')):
        path = bench.tokenizer / name
        before = path.read_text()
        path.write_text(before.replace(old, new, 1))
        assert path.read_text() != before, name
        bench.refused(2, "data.tokenizer: not what the run began with", "words", "--resume")
        path.write_text(before)
    bench.told("words", "--resume")
    print("another vocab.txt or tokenizer_config.json is refused")


def check_special_files(bench):
    """A checkpoint takes along what else its tokenizer is read from."""
    contents = {"special_tokens_map.json": '{"mask_token": "[MASK]"}', "added_tokens.json": "{}"}
    for name, content in contents.items():
        (bench.tokenizer / name).write_text(content)
    bench.told("special", tokens=bench.folder / "special_tokens")
    for name, content in contents.items():
        assert (bench.folder / "special" / "last" / name).read_text() == content, name
        (bench.tokenizer / name).unlink()
    print("special_tokens_map.json and added_tokens.json come along")


def locked(folder):
    """A folder that a run is writing, as long as the lock is held."""
    folder.mkdir(parents=True)
    lock = os.open(folder, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_EX)
    return lock


def start(words):
    return subprocess.Popen([summand_testing.BIN / "summand-train", "pretrain", *map(str, words)], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE, text=True)  # fmt: skip


def check_shared_tokens(bench):
    """Runs that start together with one new folder of tokens all train; one waits while another writes, and takes over from one
    that has died."""
    together = bench.folder / "together"
    runs = [start(bench.words(f"together-{i}", tokens=together)) for i in range(4)]
    errors = [run.communicate()[1] for run in runs]
    assert [run.returncode for run in runs] == [0] * 4, errors
    assert all(not error or WAITING in error for error in errors), errors
    assert sorted(path.name for path in together.iterdir()) == sorted(path.name for path in bench.tokens.iterdir())

    alone = bench.folder / "alone"
    source = next(path.name for path in together.iterdir())
    lock = locked(alone / f"{source}.part")
    run = start(bench.words("waits", tokens=alone))
    said = run.stderr.readline()
    assert WAITING in said, said
    time.sleep(0.5)
    assert run.poll() is None, "it did not wait"
    os.close(lock)  # as when the writer dies
    assert run.wait() == 0, run.stderr.read()
    assert (alone / source / "index.json").exists() and not (alone / f"{source}.part").exists()

    gone = bench.folder / "interrupted"
    lock = locked(gone / f"{source}.part")
    run = start(bench.words("interrupted-run", tokens=gone))
    assert WAITING in run.stderr.readline()
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=20) == 128 + signal.SIGINT
    os.close(lock)
    run.stderr.close()
    print("four runs that start together share their tokens; a dead writer's are made anew")


def check_files(bench):
    """Files that count twice, or validate what they train, are named."""
    copy = bench.folder / "copy.txt"
    shutil.copy(bench.valid, copy)
    told = bench.told("twice", texts=[bench.texts, copy, bench.texts])
    assert "FILES: '" + str(bench.texts) + "' is given twice; its texts count twice" in told, told
    assert f"--valid: the same texts as are trained on" in told, told  # the copy has the same bytes
    other = bench.folder / "other.txt"
    other.write_text("A sentence.\nAnother one.\n\nA third.\n")
    told = bench.told("some", texts=[bench.texts, copy], valid=[bench.valid, other, other])
    assert f"--valid: '{bench.valid}' is trained on too" in told and f"--valid: '{other}' is given twice" in told, told
    assert bench.told("none", valid=[other]) == ""


def check_values(bench):
    """Values that would run for ever, or make no sense, are refused by name; what is noise is not said."""
    bench.refused(2, "[--steps] expected at most", "powers", "--keep", "powers", steps=5_000_000_000_000_000_000)
    bench.refused(2, "[--accumulate] expected at most", "accumulate", accumulate=10**15)
    training.pretrain(*bench.words("kept", "--keep", "powers"))
    kept = sorted(path.name for path in (bench.folder / "kept" / "checkpoints").iterdir())
    assert kept == [f"step-{step:08}" for step in (0, 1, 2, 4)], kept
    for key, value, said in (("hidden_dropout_prob", 1.0, "at least 0, below 1, got 1"),
                             ("hidden_dropout_prob", -0.1, "at least 0, below 1, got -0.1"),
                             ("attention_probs_dropout_prob", 1.5, "at least 0, below 1, got 1.5"),
                             ("hidden_dropout_prob", 0.99999999999, "at least 0, below 1, got 0.99999999999"),
                             ("initializer_range", -0.02, "at least 0, and a number in single precision, got -0.02"),
                             ("initializer_range", 1e39, "at least 0, and a number in single precision, got 1e+39")):  # fmt: skip
        bench.config = training.config(bench.folder, **training.SMALL, **{key: value})
        bench.refused(1, f"config.json] {key}: expected {said}", "values")
    bench.config = training.config(bench.folder, **training.SMALL)
    file = bench.folder / "a-file"
    file.write_text("")
    bench.refused(1, f"{file}] expected a folder for tokens, got a file", "tokens-file", tokens=file)
    bench.refused(1, "a folder for tokens cannot be made: Not a directory", "tokens-below", tokens=file / "below")

    unknown = bench.folder / "unknown.txt"
    unknown.write_text("☃☃ ☃\n\n☃\n")
    bench.refused(1, "unknown.txt] expected words that the tokenizer knows, got 3 tokens that are all [UNK]", "unknown", texts=[unknown])
    few = bench.folder / "few.txt"
    few.write_text(bench.texts.read_text() + "\n☃\n")
    assert "[UNK]" not in bench.told("few", texts=[few])
    many = bench.folder / "many.txt"
    many.write_text("the\n☃\n\nthe\n")
    for run in ("many", "many-again"):  # also where the tokens are there
        assert "33.3 % of 3 tokens are [UNK]" in bench.told(run, texts=[many])

    told = bench.told("short", length=None)
    assert "--length: not given, so it is the 64 positions that the model has" in told, told
    options = json.loads((bench.folder / "short" / "run.json").read_text())["options"]
    assert options["length"] == [{"length": 64, "share": 1.0}] and options["valid_length"] == 64, options

    records = bench.folder / "records.jsonl"
    sentences = [line for line in bench.texts.read_text().splitlines() if line][:60]
    records.write_text("".join(json.dumps({"body": one, "next": other}) + "\n" for one, other in zip(sentences[::2], sentences[1::2])))
    bench.refused(1, "--field names another", "no-field", texts=[records])
    bench.told("field", "--field", "body", "--pair-field", "next", texts=[records], valid=[bench.valid])
    source = json.loads((bench.folder / "field" / "run.json").read_text())["data"]["train"]
    index = json.loads(next(bench.tokens.glob(f"{source}-*/index.json")).read_text())
    assert index["documents"] == 30 and index["sentences"] == 60, index
    bench.refused(2, "[--field] expected files that have fields", "field-of-lines", "--field", "body")


def check_pairs(bench):
    """The share of pairs that one answer for all would have right is told beside those that are right."""
    printed = training.pretrain(*bench.words("pairs", pairs="next_sentence", valid_length=32)).stdout
    line = next(line for line in training.metrics(bench.folder / "pairs") if "valid" in line)["valid"]
    assert f"right (always the same answer: {100 * line['pair_base_rate']:.1f} %)" in printed, printed
    assert 0.5 <= line["pair_base_rate"] < 1
    train = next(line for line in training.metrics(bench.folder / "pairs") if "train" in line)["train"]
    assert 0.5 <= train["pair_base_rate"] <= 1


def check_going_on(bench):
    """A checkpoint of --init that has moved on, and metrics that are gone, stop no run."""
    bench.told("first")
    words = bench.words("second", "--init", bench.folder / "first" / "last")
    at = words.index("--config")
    words = [*words[:at], *words[at + 2 :]]
    training.pretrain(*words)
    before = (bench.folder / "second" / "last" / "model.safetensors").read_bytes()
    weights = bench.folder / "first" / "last" / "model.safetensors"
    other = training.pretrain(*bench.words("elsewhere", seed=9)) and bench.folder / "elsewhere" / "last" / "model.safetensors"
    weights.write_bytes(other.read_bytes())
    told = training.pretrain(*words, "--resume").stderr
    assert "model.init: the run began with another checkpoint than it is now given" in told, told
    assert (bench.folder / "second" / "last" / "model.safetensors").read_bytes() == before

    process = start(bench.words("metrics", steps=100000, checkpoint_every=1))
    while not (bench.folder / "metrics" / "last").exists() or os.readlink(bench.folder / "metrics" / "last")[-8:] < "00000003":
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    process.communicate()
    metrics = bench.folder / "metrics" / "metrics.jsonl"
    content = metrics.read_text()
    for left in (content[: content.index("\n") + 5], None):
        if left is None:
            metrics.unlink()
        else:
            metrics.write_text(left)
        process = start(bench.words("metrics", "--resume", steps=100000, checkpoint_every=1))
        said = process.stderr.readline()
        assert "metrics.jsonl: expected at least the" in said and "lines are lost" in said, said
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        process.communicate()
        lines = training.metrics(bench.folder / "metrics")
        assert len(lines) > 1 and all("step" in line for line in lines)


def check_failure(bench):
    """A run that ended in a loss that is no number says so among the runs, until it goes on."""
    bench.refused(1, "expected a finite number", "diverged", learning_rate=1e30, steps=60, warmup=0, checkpoint_every=1)
    run = bench.folder / "diverged"
    shown = subprocess.run([summand_testing.BIN / "summand", "runs", run], capture_output=True, text=True, check=True).stdout
    assert "failed" in shown and "expected a finite number" in shown, shown


def check_help():
    for program, verb, words in (("summand", "vocab", ["--size N REQUIRED"]),
                                 ("summand-train", "pretrain", ["of the texts' own", "in half of the pairs or"])):
        text = subprocess.run([summand_testing.BIN / program, verb, "--help"], capture_output=True, text=True, check=True).stdout
        for part in words:
            assert part in " ".join(text.split()), (part, text)


def main():
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(name))
        for check in (check_damage, check_old_runs, check_tokenizer, check_special_files, check_shared_tokens, check_files, check_values, check_pairs,
                      check_going_on, check_failure):  # fmt: skip
            begin = time.monotonic()
            check(bench)
            print(f"{check.__name__}: {time.monotonic() - begin:.1f} s")
        check_help()


if __name__ == "__main__":
    sys.exit(main())
