"""Trains small models on texts at several mask rates: studies/mask-rate-on-text/train.py TRAIN VALID -o DIR [--jobs 2]

plan.json has model, training, arms and seeds. Every run is validated on the same masks of VALID, 15 % of the tokens, whatever it
was trained with: train/data/validation_batches.cpp. A run that is finished in DIR is not trained again.

Writes losses.csv (a line for each run: nats per masked token) and verdicts.json beside plan.json, the latter in the form of `summand
study`: of each arm its loss less that of the arm that masks 15 %, of the same seed, as a share of what that arm has learned, the
distance between guessing by the tokens' frequencies and its loss. Verdicts: studies/paired.py; the damaged arm is the plan's `assay`."""

import argparse
import concurrent.futures
import hashlib
import json
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import paired  # noqa: E402

PLAN = json.loads((HERE / "plan.json").read_text())
TOKENIZER = ROOT / "models" / "summand-mini"
SEEDS = range(1, PLAN["seeds"] + 1)
AGAINST, MARGIN, LEVEL = PLAN["against"], PLAN["margin"], PLAN["level"]


def options_of(settings):
    return [str(word) for name, value in settings.items() for word in (f"--{name}", value)]


def pretrain(texts, folder, run, *words):
    command = [ROOT / "build" / "bin" / "summand", "pretrain", texts[0], "--valid", texts[1], "--tokenizer", TOKENIZER, "--tokens", folder / "tokens",
               "--config", folder / "config.json", "-o", run, "--resume", "--threads", "1"]  # fmt: skip
    subprocess.run([*command, *words], check=True, stdout=subprocess.DEVNULL)


def loss_of(texts, folder, arm, seed):
    """Of a run's last step: nats per masked token."""
    run, steps = folder / "runs" / arm / str(seed), str(PLAN["training"]["steps"])
    pretrain(texts, folder, run, "--seed", str(seed), "--validate-every", steps, "--checkpoint-every", steps, *options_of(PLAN["training"]), *options_of(PLAN["arms"][arm]))
    lines = [json.loads(line) for line in (run / "metrics.jsonl").read_text().splitlines()]
    return [line["valid"]["masked_loss"] for line in lines if "valid" in line][-1]


def unigram_loss(folder):
    """Of a guess by frequencies of the training texts, on the masks of validation: nats per masked token."""
    run = folder / "runs" / AGAINST / "1"
    if not (run / "tokens").exists():
        (run / "tokens").symlink_to((folder / "tokens").resolve())  # where count_model.py looks
    counted = subprocess.run([sys.executable, ROOT / "models" / "count_model.py", run], check=True, capture_output=True, text=True)
    return json.loads(counted.stdout)["unigram_nats"]


def comparison(arm, losses, unigram):
    shares = [(losses[arm, seed] - losses[AGAINST, seed]) / (unigram - losses[AGAINST, seed]) for seed in SEEDS]
    family = "assay" if arm == PLAN["assay"] else "rate"
    return {"name": f"text: {arm} − {AGAINST}", "family": family, "task": "text", "arm": arm, "against": AGAINST} | paired.judged(shares, MARGIN, LEVEL)


def verdicts_of(losses, unigram, texts):
    """`left` of an arm: the median of its losses as a share of a guess by frequencies."""
    comparisons = [comparison(arm, losses, unigram) for arm in PLAN["arms"] if arm != AGAINST]
    paired.give_verdicts(comparisons, LEVEL, [PLAN["assay"]])
    arms = [{"task": "text", "arm": arm, "runs": len(SEEDS), "left": statistics.median(losses[arm, seed] for seed in SEEDS) / unigram, "stuck": 0, "strata": {}} for arm in PLAN["arms"]]
    return {"study": PLAN["name"], "plan": hashlib.sha256((HERE / "plan.json").read_bytes()).hexdigest()[:16], "texts": [hashlib.sha256(text.read_bytes()).hexdigest()[:16] for text in texts],
            "runs": len(losses), "planned": len(losses), "level": LEVEL, "unigram_nats": unigram,
            "comparisons": comparisons, "arms": arms}  # fmt: skip


def write_whole(path, text):
    part = path.with_name(path.name + ".part")
    part.write_text(text)
    part.rename(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", nargs=2, type=pathlib.Path, metavar=("TRAIN", "VALID"))
    parser.add_argument("-o", dest="folder", type=pathlib.Path, required=True, metavar="DIR")
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    write_whole(given.folder / "config.json", json.dumps(PLAN["model"]))
    pretrain(given.texts, given.folder, given.folder / "first", "--steps", "1", "--warmup", "1")  # makes the tokens that all runs share
    runs = [(arm, seed) for seed in SEEDS for arm in PLAN["arms"]]
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        losses = dict(zip(runs, pool.map(lambda run: loss_of(given.texts, given.folder, *run), runs)))
    verdicts = verdicts_of(losses, unigram_loss(given.folder), given.texts)
    write_whole(HERE / "losses.csv", "".join(f"{line}\n" for line in ["arm,seed,nats"] + [f"{arm},{seed},{loss!r}" for (arm, seed), loss in losses.items()]))
    write_whole(HERE / "verdicts.json", json.dumps(verdicts, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()
