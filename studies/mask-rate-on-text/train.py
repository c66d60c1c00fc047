"""Trains small models on texts at several mask rates, and reads all at one rate:
studies/mask-rate-on-text/train.py TRAIN VALID -o DIR [--jobs 2]

plan.json has model, training, arms and seeds. A run that is finished in DIR is not trained again. Writes losses.csv (a line for each
run: nats per masked token) and verdicts.json beside plan.json, the latter in the form of `summand study`: of each arm its loss less
that of the arm that masks 15 %, of the same seed, as a share of what that arm has learned: the distance between guessing by the
tokens' frequencies and its loss. Intervals and verdicts by Student's t, without Holm's adjustment; no damaged arm."""

import argparse
import concurrent.futures
import json
import math
import pathlib
import shutil
import statistics
import subprocess
import sys

from scipy.stats import t as student

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PLAN = json.loads((HERE / "plan.json").read_text())
TOKENIZER = ROOT / "models" / "summand-mini"


def options_of(settings):
    return [str(word) for name, value in settings.items() for word in (f"--{name}", value)]


def pretrain(texts, folder, out, *words):
    command = [ROOT / "build" / "bin" / "summand", "pretrain", texts[0], "--valid", texts[1], "--tokenizer", TOKENIZER, "--tokens", folder / "tokens", "-o", out, "--threads", "1"]
    subprocess.run([*command, *words], check=True, stdout=subprocess.DEVNULL)


def last_validation(run):
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line["valid"] for line in lines if "valid" in line][-1]


def loss_of(texts, folder, arm, seed):
    """Trains it and reads it at the rate of evaluation: nats per masked token."""
    run = folder / "runs" / arm / str(seed)
    steps = str(PLAN["training"]["steps"])
    pretrain(texts, folder, run, "--config", folder / "config.json", "--seed", str(seed), "--resume", "--validate-every", steps, "--checkpoint-every", steps,
             *options_of(PLAN["training"]), *options_of(PLAN["arms"][arm]))  # fmt: skip
    read = run.with_name(f"{seed}-read")
    shutil.rmtree(read, ignore_errors=True)
    # A step whose rate is nothing: what is validated is what was trained.
    pretrain(texts, folder, read, "--init", run / "last", "--steps", "1", "--learning-rate", "1e-12", "--length", str(PLAN["training"]["length"]), *options_of(PLAN["evaluation"]))
    return last_validation(read)["masked_loss"]


def unigram_loss(folder):
    """Of a guess by frequencies of the training texts, on the masks that all are read at: nats per masked token."""
    read = folder / "runs" / PLAN["against"] / "1-read"
    if not (read / "tokens").exists():
        (read / "tokens").symlink_to((folder / "tokens").resolve())  # where count_model.py looks
    counted = subprocess.run([sys.executable, ROOT / "models" / "count_model.py", read], check=True, capture_output=True, text=True)
    return json.loads(counted.stdout)["unigram_nats"]


def comparison(arm, losses, gap_to):
    against = PLAN["against"]
    shares = [(losses[arm, seed] - losses[against, seed]) / (gap_to - losses[against, seed]) for seed in seeds()]
    mean, deviation = statistics.mean(shares), statistics.stdev(shares)

    def interval(level):
        reach = student.ppf(1 - level / 2, len(shares) - 1) * deviation / math.sqrt(len(shares))
        return [mean - reach, mean + reach]

    margin, (low, high), narrower = PLAN["margin"], interval(PLAN["level"]), interval(2 * PLAN["level"])
    verdict = "hurts" if low > margin else "helps" if high < -margin else "equivalent" if -margin < narrower[0] and narrower[1] < margin else "inconclusive"
    return {"name": f"text: {arm} − {against}", "family": "rate", "task": "text", "arm": arm, "against": against, "margin": margin, "pairs": len(shares),
            "above_zero": sum(share > 0 for share in shares), "mean": mean, "deviation": deviation, "interval": [low, high], "narrower_interval": narrower, "verdict": verdict}  # fmt: skip


def seeds():
    return range(1, PLAN["seeds"] + 1)


def verdicts_of(losses, gap_to):
    """In the form of `summand study`. `left` of an arm: the median of its losses as a share of a guess by frequencies."""
    others = [arm for arm in PLAN["arms"] if arm != PLAN["against"]]
    arms = [{"task": "text", "arm": arm, "runs": PLAN["seeds"], "left": statistics.median(losses[arm, seed] for seed in seeds()) / gap_to, "strata": {}} for arm in PLAN["arms"]]
    return {"study": PLAN["name"], "runs": len(losses), "planned": len(losses), "level": PLAN["level"], "unigram_nats": gap_to,
            "comparisons": [comparison(arm, losses, gap_to) for arm in others], "arms": arms}  # fmt: skip


def whole(path, text):
    """Writes a file whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs=2, type=pathlib.Path, metavar="TRAIN VALID")
    parser.add_argument("-o", dest="folder", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    whole(given.folder / "config.json", json.dumps(PLAN["model"]))
    pretrain(given.texts, given.folder, given.folder / "first", "--config", given.folder / "config.json", "--steps", "1", "--resume")  # tokenizes
    runs = [(arm, seed) for seed in seeds() for arm in PLAN["arms"]]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        losses = dict(zip(runs, pool.map(lambda run: loss_of(given.texts, given.folder, *run), runs)))
    gap_to = unigram_loss(given.folder)
    lines = ["arm,seed,nats"] + [f"{arm},{seed},{loss!r}" for (arm, seed), loss in losses.items()]
    whole(HERE / "losses.csv", "\n".join(lines) + "\n")
    whole(HERE / "verdicts.json", json.dumps(verdicts_of(losses, gap_to), ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
