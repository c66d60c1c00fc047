#!/usr/bin/env python3
"""`summand pretrain` with each kind of attention, in turns, on the same texts: tokens per second, and their share of plain BERT's.

Model: 4 layers, 256 wide, a vocabulary of 8,000 words, masked tokens and next sentences, dropout of .1.

  bench/attention_kinds.py [--rounds 3] [--threads 2] [--texts FILE] [--only fp32,bf16]
"""

import json
import pathlib
import shutil
import statistics
import tempfile

from training_turns import PROGRAM, arguments, finished, own_speed

WARM, MEASURED = 6, 24
LINES = 60_000  # of the texts
PLAIN = "plain BERT"
ABSOLUTE = ("tupe_absolute", "diet_absolute", "rows")  # these keep the table of positions, the others replace it
KINDS = ("t5_bias", "alibi", "rotary", "shaw", "relative_key", "relative_key_query", "transformer_xl", "tupe_absolute", "tupe_relative",
         "diet_absolute", "diet_relative", "deberta", "rows", "pair_bias")
ARMS = {
    PLAIN: {},
    **{kind: {"position_kind": "learned" if kind in ABSOLUTE else "none", "position_attention": kind} for kind in KINDS},
    "segments by pair_bias": {"segment_attention": "pair_bias"},
}


def speed(folder, arm, precision, threads):
    """@return tokens per second"""
    config = {"model_type": "bert", "hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 4, "intermediate_size": 1024,
              "max_position_embeddings": 128, "type_vocab_size": 2, "hidden_act": "gelu", "hidden_dropout_prob": 0.1,
              "attention_probs_dropout_prob": 0.1}
    if ARMS[arm]:
        config["summand"] = ARMS[arm]
    (folder / "config.json").write_text(json.dumps(config))
    run = folder / "run"
    shutil.rmtree(run, ignore_errors=True)
    finished([PROGRAM, "pretrain", folder / "texts.txt", "--valid", folder / "valid.txt", "--tokenizer", folder / "tokenizer", "--config",
              folder / "config.json", "-o", run, "--tokens", folder / "tokens", "--pairs", "next_sentence", "--length", 128,
              "--batch-tokens", 4096, "--steps", WARM + MEASURED, "--log-every", WARM, "--validate-every", 1000, "--valid-sequences", 1,
              "--checkpoint-every", 1000, "--precision", precision, "--threads", threads])
    return own_speed(run)


def main():
    options = arguments(__doc__, "english_train.txt")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        lines = options.texts.read_text(encoding="utf-8").split("\n")[:LINES]
        (folder / "texts.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "valid.txt").write_text("One sentence here.\nAnd another one.\n\nA third.\nAnd a fourth.\n")
        finished([PROGRAM, "vocab", folder / "texts.txt", "-o", folder / "tokenizer", "--size", 8000])
        for precision in options.only:
            found = {arm: [] for arm in ARMS}
            for _ in range(options.rounds):
                for arm, speeds in found.items():
                    speeds.append(speed(folder, arm, precision, options.threads))
            medians = {arm: statistics.median(speeds) for arm, speeds in found.items()}
            print(f"\n{precision}, {options.threads} threads, medians of {options.rounds} rounds in turns\n")
            print("| attention | tokens per second | of plain BERT's |\n|---|---|---|")
            for arm, median in medians.items():
                print(f"| {arm} | {median:.0f} | {median / medians[PLAIN]:.2f} |", flush=True)


if __name__ == "__main__":
    main()
