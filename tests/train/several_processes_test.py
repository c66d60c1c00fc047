"""Several processes train together. Two ranks, with dropout, end where one process ends: losses to 1e-5 in every step, parameters
to 1e-4; and they have the same bits run after run, by torchrun and by hand. A killed rank ends the run with one line, and --resume
continues it with two ranks, to the same bits, or with one. SIGTERM saves. What is wrong with an environment, with options or with
a folder is one line."""

import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

import safetensors.numpy
import summand_testing

import finetuning
import head_models
import training

STEPS = 50
LOSSES_AGREE = 1e-5  # the bar
PARAMETERS_AGREE = 1e-4
LIMIT = 300  # seconds that a process may take before it counts as hanging
TIMES = ("seconds", "tokens_per_second")
LOOPBACK = {"GLOO_SOCKET_IFNAME": "lo"}


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def of_rank(rank, size, port, **more):
    """The variables that torchrun sets for a process."""
    return {"RANK": rank, "WORLD_SIZE": size, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": size, "MASTER_ADDR": "127.0.0.1",
            "MASTER_PORT": port, **more}  # fmt: skip


def start(words, variables):
    environment = {**os.environ, **LOOPBACK, **{key: str(value) for key, value in variables.items()}}
    return subprocess.Popen([summand_testing.BIN / "summand", *map(str, words)], env=environment,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip


@contextlib.contextmanager
def ranks(*words_of_ranks, **more):
    """Processes that train together, one for each list of words. None of them outlives the block."""
    port = free_port()
    processes = [start(words, of_rank(rank, len(words_of_ranks), port, **more)) for rank, words in enumerate(words_of_ranks)]
    try:
        yield processes
    finally:
        for process in processes:
            process.kill()
            process.communicate()


def ended(processes):
    """[(status, standard output, standard error)]"""
    outputs = [process.communicate(timeout=LIMIT) for process in processes]
    return [(process.returncode, *output) for process, output in zip(processes, outputs)]


def run_ranks(words, size=2):
    with ranks(*[words] * size) as processes:
        results = ended(processes)
    for rank, (status, output, error) in enumerate(results):
        assert status == 0, (rank, status, error)
        assert rank == 0 or (output == "" and error == ""), (rank, output, error)
    return results[0]


def run_alone(words):
    process = subprocess.run([summand_testing.BIN / "summand", *map(str, words)], capture_output=True, text=True, timeout=LIMIT)
    assert process.returncode == 0, process.stderr
    return process


@contextlib.contextmanager
def torchrun(*words):
    """Two ranks by the command of docs/pretraining.md. The launcher does not outlive the block."""
    program = pathlib.Path(sys.executable).parent / "torchrun"
    address = ["--rdzv-backend", "c10d", "--rdzv-endpoint", "127.0.0.1:0", "--local-addr", "127.0.0.1"]
    launcher = subprocess.Popen(
        [program, *address, "--nproc-per-node", "2", "--no-python", summand_testing.BIN / "summand", *map(str, words)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, **LOOPBACK})  # fmt: skip
    try:
        yield launcher
    finally:
        if launcher.poll() is None:
            launcher.terminate()  # it ends its ranks
            launcher.communicate(timeout=LIMIT)


def complaints(error):
    return [line for line in error.splitlines() if line.startswith("summand: ")]


def losses(run):
    return [line["train"]["loss"] for line in training.metrics(run) if "train" in line]


def validations(run):
    return [line["valid"]["loss"] for line in training.metrics(run) if "valid" in line]


def outcome(run):
    """Everything that a run comes to, without how long it took."""
    lines = training.metrics(run)
    for line in lines:
        for key in TIMES:
            line.pop(key, None)
    state = json.loads((run / "last" / "state.json").read_text())
    del state["seconds"], state["interval"], state["metrics_bytes"]
    return lines, state, (run / "last" / "model.safetensors").read_bytes(), (run / "last" / "optimizer.safetensors").read_bytes()


def apart(some, others):
    assert len(some) == len(others) > 0, (len(some), len(others))
    return max(abs(a - b) for a, b in zip(some, others))


def check_close(run, other, what):
    by_step, valid = apart(losses(run), losses(other)), apart(validations(run), validations(other))
    own, theirs = (safetensors.numpy.load_file(one / "last" / "model.safetensors") for one in (run, other))
    # Softmax does not see a key's bias, so its gradient is rounding alone, which Adam makes as large as any other.
    seen = [name for name in own if not name.endswith("key.bias")]
    parameters, worst = max((float(abs(own[name] - theirs[name]).max()), name) for name in seen)
    print(f"{what}: losses {by_step:.1e} apart, validations {valid:.1e}, parameters {parameters:.1e} ({worst})", flush=True)
    assert by_step < LOSSES_AGREE and valid < LOSSES_AGREE and parameters < PARAMETERS_AGREE


class Bench(training.Bench):
    def words(self, run, *more, **changes):
        options = {"--steps": STEPS, "--warmup": 10, "--batch-tokens": 512, "--length": "32:0.8,64:0.2", "--pairs": "next_sentence",
                   "--log-every": 1, "--validate-every": 25, "--valid-sequences": 20, "--checkpoint-every": 10, "--accumulate": 2,
                   "--seed": 3, "--threads": 1, **{"--" + key.replace("_", "-"): value for key, value in changes.items()}}  # fmt: skip
        return ["pretrain", self.texts, "--valid", self.valid, "--tokenizer", self.tokenizer, "--config", self.config,
                "-o", self.folder / run, *(word for pair in options.items() for word in pair), *more]  # fmt: skip


def check_agreement(bench):
    one, two, again = (bench.folder / name for name in ("one", "two", "again"))
    alone = run_alone(bench.words("one"))
    with torchrun(*bench.words("two")) as launcher:
        [(status, output, error)] = ended([launcher])
    assert status == 0 and not complaints(error), (status, error)
    shown = output.splitlines()
    assert len(shown) == len(alone.stdout.splitlines()) == 3, shown  # rank 0 alone prints
    check_close(two, one, "two ranks and one process")
    run_ranks(bench.words("again"))
    assert outcome(again) == outcome(two), "two ranks have other bits than before"
    assert sorted(path.name for path in two.iterdir()) == sorted(path.name for path in one.iterdir())
    print("two ranks, by torchrun and by hand: the same bits")
    three = bench.folder / "three"
    run_ranks(bench.words("three"), size=3)
    check_close(three, one, "three ranks and one process")


def wait_for(path):
    limit = time.monotonic() + LIMIT
    while not path.exists():
        assert time.monotonic() < limit, f"{path} does not come"
        time.sleep(0.01)


def process_of_rank(rank, run):
    """The process that writes, or helps to write, this run."""
    for folder in pathlib.Path("/proc").iterdir():
        try:
            is_trainer = (folder / "exe").readlink().name == "summand-train"
            if is_trainer and str(run).encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                if f"RANK={rank}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    return int(folder.name)
        except OSError:
            continue
    raise AssertionError(f"no process of rank {rank}")


def check_killed(bench):
    """A rank that is killed after a checkpoint, each by hand, and one under torchrun."""
    steps = {"steps": 2000, "checkpoint_every": 5, "validate_every": 500, "warmup": 100}
    for killed in (0, 1):
        run = bench.folder / f"killed{killed}"
        with ranks(*[bench.words(run.name, **steps)] * 2) as processes:
            wait_for(run / "last")
            processes[killed].kill()
            status, _, error = ended(processes)[1 - killed]
        assert status == 1 and error.count("\n") == 1, (status, error)
        assert f"[rank {1 - killed} of 2] the connection to rank {killed} is lost: " in error, error
        print(error.strip())
        safetensors.numpy.load_file(run / "last" / "model.safetensors")
    run = bench.folder / "killed by torchrun"
    with torchrun(*bench.words(run.name, **steps)) as launcher:
        wait_for(run / "last")
        os.kill(process_of_rank(1, run), signal.SIGKILL)
        [(status, _, error)] = ended([launcher])
    assert status != 0 and len(complaints(error)) == 1, error
    print("under torchrun:", complaints(error)[0])


def check_resumed(bench):
    """Broken by a kill at a step between two checkpoints, and continued."""
    two = bench.folder / "two"
    broken = bench.folder / "broken"
    with ranks(*[bench.words("broken")] * 2) as processes:
        wait_for(broken / "checkpoints" / "step-00000020")
        processes[1].kill()
        assert ended(processes)[0][0] == 1
    step = json.loads((broken / "last" / "state.json").read_text())["step"]
    assert step < STEPS, "it ended before it was killed"
    by_one = bench.folder / "by one"
    shutil.copytree(broken, by_one, symlinks=True)
    run_ranks([*bench.words("broken"), "--resume"])
    assert outcome(broken) == outcome(two), "a run that was continued by two ranks has other bits"
    told = run_alone([*bench.words("by one"), "--resume"])
    assert "processes: expected 2, as the run began, got 1" in told.stderr, told.stderr
    check_close(by_one, two, f"continued after step {step} by one process")


def check_interrupted(bench):
    """Rank 0 is asked to stop: it saves, the other ends too, and the run continues to the same bits."""
    run = bench.folder / "interrupted"
    with ranks(*[bench.words("interrupted")] * 2) as processes:
        wait_for(run / "last")
        for process in processes:
            process.send_signal(signal.SIGTERM)
        (first, _, error), (other, output, silence) = ended(processes)
    assert first == 128 + signal.SIGTERM and "--resume goes on" in error, (first, error)
    assert other == 0 and output == silence == "", (other, output, silence)
    run_ranks([*bench.words("interrupted"), "--resume"])
    assert outcome(run) == outcome(bench.folder / "two"), "a run that was interrupted has other bits"
    print("SIGTERM:", error.strip())


def check_finetuning(bench):
    model = bench.folder / "model"
    head_models.head_directory(model, "pre-training", hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1)
    for task, shape in (("classify", {"windows": "mean", "overlap": 5, "class_weights": "balanced"}), ("tag", {}),
                        ("rank", {"windows": "transformer", "window_layers": 1, "overlap": 3})):  # fmt: skip
        suffix = ".jsonl" if task == "tag" else ".tsv"
        train = finetuning.write(bench.folder / f"{task}{suffix}", finetuning.rows(task, 66, 1))
        test = finetuning.write(bench.folder / f"{task}-test{suffix}", finetuning.rows(task, 30, 2))

        def words(run):
            return ["finetune", "--task", task, "--model", model, "--train", train, "--test", test, "-o", bench.folder / run,
                    *finetuning.words_of(epochs=3, batch_size=8, batch_tokens=128, max_length=24, log_every=1, seed=3, threads=1,
                                         learning_rate=1e-3, **shape)]  # fmt: skip

        one, two = bench.folder / f"{task}-one", bench.folder / f"{task}-two"
        run_alone(words(one.name))
        run_ranks(words(two.name))
        check_close(two, one, f"finetune --task {task}")
        own, theirs = (json.loads((run / "metrics.json").read_text())["test"]["scores"] for run in (two, one))
        for name, score in own.items():
            assert abs(score["value"] - theirs[name]["value"]) < 1e-4, (name, score, theirs[name])


def refused(results, status, *parts):
    """All processes fail, and one line in all says why."""
    lines = [line for _, _, error in results for line in error.splitlines()]
    assert all(result[0] in (1, 2) for result in results) and len(lines) == 1, results
    assert status in [result[0] for result in results] and lines[0].startswith("summand: "), results
    for part in parts:
        assert part in lines[0], (part, lines[0])
    print(lines[0])


def refused_alone(words, variables, status, *parts):
    process = start(words, variables)
    output = process.communicate(timeout=LIMIT)
    refused([(process.returncode, *output)], status, *parts)


def check_faults(bench):
    words = bench.words("faults")
    port = free_port()
    refused_alone(words, of_rank("one", 2, port), 2, "[RANK] expected a number from 0 to 1, got 'one'")
    refused_alone(words, of_rank(2, 2, port), 2, "[RANK] expected a number from 0 to 1, got '2'")
    refused_alone(words, of_rank(0, 0, port), 2, "[WORLD_SIZE] expected a number from 1 to", "got '0'")
    refused_alone(words, {"RANK": 0}, 2, "[WORLD_SIZE] expected a value")
    refused_alone(words, of_rank(1, 2, "x"), 2, "[MASTER_PORT] expected a number")
    refused_alone(words, {"RANK": 0, "WORLD_SIZE": 2}, 2, "[MASTER_ADDR] expected a value")
    refused_alone(words, of_rank(0, 2, port, SUMMAND_JOIN_SECONDS=1), 1, f"[127.0.0.1:{port}] expected the store of MASTER_ADDR and MASTER_PORT")
    refused_alone(words, of_rank(1, 2, port, SUMMAND_JOIN_SECONDS=1), 1, f"[127.0.0.1:{port}] expected the store of MASTER_ADDR and MASTER_PORT")

    def together(*words_of_ranks):
        with ranks(*words_of_ranks) as processes:
            return ended(processes)

    refused(together(words, bench.words("faults", seed=4)), 2, "[rank 1] options.seed: expected 3, as rank 0 has, got 4")
    other = [bench.texts if word == bench.valid else word for word in words]
    refused(together(words, other), 2, "[rank 1] data.valid: not what rank 0 has: expected the hash")
    refused(together(*[bench.words("faults", batch_tokens=100, length=64)] * 2), 2, "[--batch-tokens] expected at least 128", "got 100")
    refused(together(*[bench.words("faults", mask_rate="many")] * 2), 2, "--mask-rate")
    assert not (bench.folder / "faults").exists()
    refused(together(*[bench.words("two")] * 2), 2, "expected a new folder, got a run's: --resume goes on with it")
    refused(together(*[bench.words("nan", learning_rate=1e30, warmup=0)] * 2), 1, "expected a finite number")
    finetune = ["finetune", "--model", bench.folder / "model", "--train", bench.folder / "classify.tsv", "-o", bench.folder / "faults"]
    refused(together(*[[*finetune, "--task", "embed"]] * 2), 2, "[--task] expected another task than embed with several processes, got 2")
    refused(together(*[[*finetune, "--task", "classify", "--batch-size", 1]] * 2), 2, "[--batch-size] expected at least 2, a row for each process, got 1")
    refused(together(*[["study", "plan.json", "-o", bench.folder / "faults"]] * 2), 2, "[study] expected one process, got 2")


def main():
    with tempfile.TemporaryDirectory() as name:
        bench = Bench(pathlib.Path(name))
        bench.config = training.config(bench.folder, **training.SMALL, hidden_dropout_prob=0.1, attention_probs_dropout_prob=0.1)
        check_agreement(bench)
        check_resumed(bench)
        check_interrupted(bench)
        check_killed(bench)
        check_finetuning(bench)
        check_faults(bench)


if __name__ == "__main__":
    main()
