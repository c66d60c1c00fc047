"""A run that is stopped, in whatever way, goes on as if it had not been: killed at 12 moments (as a long test at 50), a
third of them and more while a checkpoint is written, it ends with the same bits; Ctrl-C and SIGTERM save after the step; what goes wrong is said in
one line and leaves the last checkpoint whole."""

import json
import os
import pathlib
import random
import resource
import shutil
import signal
import subprocess
import tempfile
import time

import safetensors.numpy
import summand_testing
import training

KILLS = 50 if summand_testing.LONG else 12
WITHIN_A_WRITE = KILLS // 3
STEPS = 400
TIMES = ("seconds", "tokens_per_second")


class Bench(training.Bench):
    def words(self, run, **changes):
        options = {"--steps": STEPS, "--warmup": 20, "--batch-tokens": 256, "--length": "32:0.8,64:0.2", "--pairs": "next_sentence",
                   "--log-every": 7, "--validate-every": 50, "--valid-sequences": 20, "--checkpoint-every": 5, "--accumulate": 2,
                   "--seed": 3, "--threads": 1, **{"--" + key.replace("_", "-"): value for key, value in changes.items()}}
        return [self.texts, "--valid", self.valid, "--tokenizer", self.tokenizer, "--config", self.config, "-o", run,
                *(word for pair in options.items() for word in pair)]

    def start(self, run, **changes):
        return subprocess.Popen([summand_testing.BIN / "summand-train", "pretrain", *map(str, self.words(run, **changes)), "--resume"],
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def outcome(run):
    """Everything that a run comes to, without how long it took."""
    lines = training.metrics(run)
    for line in lines:
        for key in TIMES:
            line.pop(key, None)
    last = run / "last"
    state = json.loads((last / "state.json").read_text())
    del state["seconds"], state["interval"], state["metrics_bytes"]
    best = (run / "best" / "model.safetensors").read_bytes()
    assert json.loads((run / "best" / "state.json").read_text())["step"] == state["best_step"]
    return lines, (last / "model.safetensors").read_bytes(), (last / "optimizer.safetensors").read_bytes(), best, state


def is_whole(run):
    """Where a run has a last checkpoint, it can be read."""
    if (run / "last").exists():
        safetensors.numpy.load_file(run / "last" / "model.safetensors")
        json.loads((run / "last" / "state.json").read_text())


def kill(bench, run, draws, within_a_write):
    """Starts a run, or goes on with it, and kills it. @return whether a checkpoint was being written, or None if it ended"""
    process = bench.start(run)
    checkpoints = run / "checkpoints"
    moment = time.monotonic() + draws.uniform(0.3, 1.2)
    while process.poll() is None:
        if within_a_write:
            if time.monotonic() > moment and checkpoints.exists() and any(name.endswith(".part") for name in os.listdir(checkpoints)):
                break
        elif time.monotonic() > moment:
            break
        else:
            time.sleep(0.01)
    if process.poll() is not None:
        assert process.returncode == 0, process.stderr.read()
        return None
    process.kill()
    process.wait()
    return checkpoints.exists() and any(name.endswith(".part") for name in os.listdir(checkpoints))


def check_kills(bench):
    whole = bench.folder / "whole"
    training.pretrain(*bench.words(whole))
    expected = outcome(whole)
    draws = random.Random(1)
    kills = writes = 0
    part = bench.folder / "part"
    while kills < KILLS or writes < WITHIN_A_WRITE:
        written = kill(bench, part, draws, within_a_write=kills % 2 == 1 or kills >= KILLS)
        is_whole(part)
        if written is None:  # it ended before its time came: it has to be right, and the next one begins anew
            assert outcome(part) == expected, "a run that was killed ended otherwise"
            shutil.rmtree(part)
            continue
        kills += 1
        writes += written
        assert kills < 4 * KILLS, "checkpoints are written too fast to be met"
    process = bench.start(part)
    assert process.wait() == 0, process.stderr.read()
    assert outcome(part) == expected, "a run that was killed ended otherwise"
    print(f"killed {kills} times, {writes} of them within a checkpoint's write: the same bits")
    return expected


def check_signals(bench, expected):
    for number in (signal.SIGINT, signal.SIGTERM):
        run = bench.folder / f"signal{number}"
        process = bench.start(run)
        while not (run / "last").exists():
            time.sleep(0.01)
        process.send_signal(number)
        error = process.communicate()[1]
        assert process.returncode == 128 + number, (process.returncode, error)
        assert error.count("\n") == 1 and "--resume goes on" in error, error
        stopped = json.loads((run / "last" / "state.json").read_text())["step"]
        assert f"step {stopped} is saved" in error and 0 < stopped < STEPS, error
        process = bench.start(run)
        assert process.wait() == 0
        assert outcome(run) == expected, "a run that was stopped ended otherwise"
    print("stopped by Ctrl-C and by SIGTERM: saved, and the same bits in the end")


def refused(process_or_words, *parts):
    process = training.pretrain(*process_or_words, check=False)
    lines = process.stderr.splitlines()
    assert process.returncode in (1, 2) and len(lines) == 1, (process.returncode, process.stderr)
    for part in parts:
        assert part in lines[0], (part, lines[0])
    print(lines[0])


def check_faults(bench):
    run = bench.folder / "faults"
    words = bench.words(run, steps=60)
    training.pretrain(*words)
    before = (run / "last" / "model.safetensors").read_bytes()
    refused(words, "--resume")
    refused([*bench.words(run, steps=70), "--resume"], "steps", "expected 60", "got 70")
    refused([*bench.words(run, steps=60, seed=4), "--resume"], "seed")
    config = json.loads(bench.config.read_text())
    bench.config.write_text(json.dumps({**config, "hidden_act": "relu"}))
    refused([*words, "--resume"], "model.config.hidden_act: expected \"gelu\", as the run began, got \"relu\"")
    bench.config.write_text(json.dumps(config))
    other_threads = [2 if word == 1 and words[i - 1] == "--threads" else word for i, word in enumerate(words)]
    told = training.pretrain(*other_threads, "--resume").stderr
    assert "threads: expected 1, as the run began, got 2; from here on bits may be others" in told, told

    tokens = training.train_tokens(run) / "ids.bin"
    content = tokens.read_bytes()
    tokens.write_bytes(content[:100] + bytes([content[100] ^ 1]) + content[101:])
    refused([*words, "--resume"], "ids.bin", "damaged")
    tokens.write_bytes(content)

    diverging = bench.words(bench.folder / "nan", learning_rate=1e30, steps=60, warmup=0, checkpoint_every=1)
    refused(diverging, "expected a finite number")
    is_whole(bench.folder / "nan")

    small = training.config(bench.folder, vocab_size=10)
    other = list(bench.words(bench.folder / "small"))
    other[other.index(bench.config)] = small
    refused(other, "vocab_size: expected at least the tokenizer's", "got 10")
    bench.config = training.config(
        bench.folder, hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, max_position_embeddings=64)

    def no_room():
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    full = bench.folder / "full"
    process = training.pretrain(*bench.words(full, tokens=run / "tokens"), check=False, preexec_fn=no_room)
    assert process.returncode == 1 and len(process.stderr.splitlines()) == 1, process.stderr
    assert "cannot be written" in process.stderr or "File too large" in process.stderr, process.stderr
    print(process.stderr.strip())
    is_whole(full)
    assert (run / "last" / "model.safetensors").read_bytes() == before


def main():
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(name))
        expected = check_kills(bench)
        if not summand_testing.LONG:
            check_signals(bench, expected)
            check_faults(bench)


if __name__ == "__main__":
    main()
