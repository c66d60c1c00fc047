"""A fine-tuning that is killed goes on as if it had not been: after 4 kills (as a long test 30), at random moments, it ends with
the same bits, scores and predictions; Ctrl-C saves after the step; an older run's state is read."""

import json
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import summand_testing

import finetuning
import head_models

KILLS = 30 if summand_testing.LONG else 4
TIMES = ("seconds", "tokens_per_second")


def words(folder, run):
    return [
        "--task", "classify", "--model", folder / "model", "--train", folder / "train.tsv", "--test", folder / "test.tsv", "-o", run, "--resume",
        *finetuning.words_of(epochs=4, batch_size=8, batch_tokens=128, max_length=24, windows="transformer", window_layers=1, overlap=5, log_every=7, validate_every=20, checkpoint_every=9,
                             class_weights="balanced", layer_decay=0.9, seed=3, threads=1)]  # fmt: skip


def start(folder, run):
    return subprocess.Popen([summand_testing.BIN / "summand-train", "finetune", *map(str, words(folder, run))],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)  # fmt: skip


def outcome(run):
    """Everything that a run comes to, without how long it took."""
    lines = finetuning.lines_of(run / "metrics.jsonl")
    for line in lines:
        for key in TIMES:
            line.pop(key, None)
    state = json.loads((run / "last" / "state.json").read_text())
    del state["seconds"], state["interval"], state["metrics_bytes"]
    names = ("last/model.safetensors", "last/optimizer.safetensors", "best/model.safetensors", "metrics.json", "predictions.jsonl")
    return lines, state, {name: (run / name).read_bytes() for name in names}


def check_kills(folder, expected, length):
    draws = random.Random(2)
    kills = 0
    run = folder / "killed"
    while kills < KILLS:
        process = start(folder, run)
        try:
            process.wait(timeout=draws.uniform(0.1, length))
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            kills += 1
            continue
        assert process.returncode == 0, process.stderr.read()
        process.stderr.close()
        assert outcome(run) == expected, "a run that was killed ended otherwise"
        shutil.rmtree(run)
    process = start(folder, run)
    error = process.communicate()[1]
    assert process.returncode == 0, error
    assert outcome(run) == expected, "a run that was killed ended otherwise"
    print(f"killed {kills} times: the same bits")


def check_interruption(folder, expected):
    run = folder / "interrupted"
    process = start(folder, run)
    while not (run / "last").exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    error = process.communicate()[1]
    assert process.returncode == 128 + signal.SIGINT and "--resume goes on" in error, (process.returncode, error)
    process = start(folder, run)
    assert process.wait() == 0, process.stderr.read()
    process.stderr.close()
    assert outcome(run) == expected, "a run that was interrupted ended otherwise"
    print("interrupted: the same bits")


def check_interrupted_baselines(folder):
    """Ctrl-C while a bag of words is fitted, which of many labels takes seconds: predictions are there, and scores come later."""
    draws = random.Random(4)
    texts = [" ".join(draws.choice(("film", "story", "a", "of", "kind", "the", "was", "good")) + draws.choice("abcdefgh") for _ in range(12)) for _ in range(2000)]
    finetuning.write(folder / "many.tsv", [{"text": text, "label": f"label {row // 8}"} for row, text in enumerate(texts)])
    run = folder / "many"
    options = finetuning.words_of(epochs=1, batch_size=2000, batch_tokens=16384, max_length=64, threads=1)
    command = [summand_testing.BIN / "summand-train", "finetune", "--task", "classify", "--model", folder / "model", "--train", folder / "many.tsv",
               "--predict", folder / "test.tsv", "-o", run, "--resume", *options]  # fmt: skip
    process = subprocess.Popen(list(map(str, command)), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    while not (run / "predictions.jsonl").exists() and process.poll() is None:
        time.sleep(0.005)
    process.send_signal(signal.SIGINT)
    error = process.communicate()[1]
    assert process.returncode == 128 + signal.SIGINT and "step 1 is saved" in error and "--resume goes on" in error, (process.returncode, error)
    assert not (run / "metrics.json").exists()
    finetuning.finetune(*command[2:])
    assert "bag of words" in json.loads((run / "metrics.json").read_text())["validation"]["baselines"]
    print("interrupted while baselines were fitted: goes on")


def check_older_state(folder):
    """A run whose state.json has the best score as best_loss, as it once was, is read."""
    run = folder / "older"
    shutil.copytree(folder / "whole", run, symlinks=True)
    (run / "last" / "checksums.json").unlink()
    path = run / "last" / "state.json"
    state = json.loads(path.read_text())
    best = state["best_loss"] = state.pop("best_score")
    path.write_text(json.dumps(state))
    said = finetuning.finetune(*words(folder, run)).stdout
    assert best > 0 and f"step {state['best_step']}, validation score {best:.4f}" in said, said
    page = (run / "index.html").read_text()
    assert f"the best accuracy of validation is {best:.4f}, at step {state['best_step']}" in page, page


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        head_models.head_directory(folder / "model", "masked-lm")
        for part, count in (("train", 250), ("test", 40)):
            finetuning.write(folder / f"{part}.tsv", finetuning.rows("classify", count, part))
        begin = time.monotonic()
        finetuning.finetune(*words(folder, folder / "whole"))
        length = time.monotonic() - begin
        expected = outcome(folder / "whole")
        check_older_state(folder)
        check_kills(folder, expected, length)
        if not summand_testing.LONG:
            check_interruption(folder, expected)
            check_interrupted_baselines(folder)


if __name__ == "__main__":
    main()
