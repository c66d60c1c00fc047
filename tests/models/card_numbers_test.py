"""The numbers of summand-mini's card, measured again where its texts are: the checkpoint and both models by counting on the
same masks. Skipped without the texts."""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

import summand_testing

MINI = summand_testing.ROOT / "models" / "summand-mini"
LEAST_BELOW_UNIGRAM = 1.0  # nats


def main():
    texts = [summand_testing.shared("data", f"english_{part}.txt") for part in ("train", "valid")]
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        subprocess.run([summand_testing.BIN / "summand", "pretrain", texts[0], "--valid", texts[1], "--tokenizer", MINI, "--init", MINI, "-o", run, "--steps", "1",
                        "--batch-tokens", "2048", "--length", "128", "--pairs", "next_sentence", "--learning-rate", "1e-9"], check=True, stdout=subprocess.DEVNULL)
        own = json.loads((run / "metrics.jsonl").read_text().splitlines()[-1])["valid"]
        out = subprocess.run([sys.executable, summand_testing.ROOT / "models" / "count_model.py", run, "--model", MINI], check=True, capture_output=True, text=True).stdout
    found = json.loads(out)
    print(out)
    assert abs(found["model_nats"] - own["masked_loss"]) < 1e-3, (found["model_nats"], own["masked_loss"])
    assert found["below_unigram"] > LEAST_BELOW_UNIGRAM and found["below_unigram_interval"][0] > LEAST_BELOW_UNIGRAM
    assert found["below_neighbours_interval"][0] > 0
    card = (MINI / "README.md").read_text()
    for key in ("model_nats", "unigram_nats", "neighbours_nats"):
        assert f"{found[key]:.3f}" in card, f"the card lacks {key}, {found[key]:.3f}"
    for shown in (f"perplexity {math.exp(found['model_nats']):.1f}", f"{100 * found['model_accuracy']:.1f} % right", f"pairs of texts {100 * found['model_pair_accuracy']:.1f} % are right"):
        assert shown in card, f"the card lacks '{shown}'"
    for key in ("below_unigram", "below_neighbours"):
        low, high = found[f"{key}_interval"]
        assert re.search(rf"{found[key]:.2f} \({low:.2f} to {high:.2f}\)", card), f"the card lacks {key}, {found[key]:.2f} ({low:.2f} to {high:.2f})"
    return 0


if __name__ == "__main__":
    sys.exit(main())
