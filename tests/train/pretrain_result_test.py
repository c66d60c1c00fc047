"""What a run leaves: checkpoints that transformers loads with the same logits and ids, a page and curves, metrics; runs that
go on with a checkpoint, with larger tables; early stopping; and `summand runs`, which sets them side by side."""

import gzip
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import xml.etree.ElementTree

import numpy as np
import safetensors.numpy
import summand_testing
import torch
import training
import transformers

AGREE = 1e-4  # of logits, the bar
TEXTS = ["The last bus leaves at [MASK].", "Our neighbour keeps [MASK], and the shop opens at seven.", "[MASK]"]
PAIR = ("The lake froze in January.", "People walked across it.")


def summand(*words):
    result = subprocess.run([summand_testing.BIN / "summand", *map(str, words)], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def check_in_transformers(checkpoint, folder):
    model = transformers.BertForPreTraining.from_pretrained(checkpoint).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(checkpoint)
    assert tokenizer.model_max_length == 128
    worst = 0.0
    for number, text in enumerate(TEXTS):
        ours = json.loads(summand("tokenize", "--model", checkpoint, "--text", text, "--json").splitlines()[0])["ids"]
        encoded = tokenizer(text, return_tensors="pt")
        assert encoded["input_ids"][0].tolist() == ours, (text, ours)
        out = folder / f"logits{number}.safetensors"
        summand("fill-mask", "--model", checkpoint, "--text", text, "--logits", "-o", out)
        got = safetensors.numpy.load_file(out)["logits"]
        with torch.no_grad():
            want = model(**encoded).prediction_logits[0, encoded["input_ids"][0] == tokenizer.mask_token_id].numpy()
        worst = max(worst, float(abs(got - want).max()))
    out = folder / "pair.safetensors"
    summand("next-sentence", "--model", checkpoint, "--text", PAIR[0], "--text-pair", PAIR[1], "--logits", "-o", out)
    with torch.no_grad():
        want = model(**tokenizer(*PAIR, return_tensors="pt")).seq_relationship_logits.numpy()
    worst = max(worst, float(abs(safetensors.numpy.load_file(out)["logits"] - want).max()))
    print(f"transformers: logits {worst:.1e} apart, ids the same")
    assert worst < AGREE
    summand("verify", "--model", checkpoint, "--text", TEXTS[1])


def check_files(run, steps):
    page = (run / "index.html").read_text()
    assert page.count("<svg") == 5 and f"step {steps} of {steps}" in page
    xml.etree.ElementTree.parse(run / "curves.svg")
    lines = training.metrics(run)
    assert [line["step"] for line in lines if "train" in line][-1] == steps
    last = [line for line in lines if "train" in line][-1]
    assert {"token table", "position table", "segment table"} <= set(last["gradient_norms"])
    valid = [line["valid"] for line in lines if "valid" in line][-1]
    assert {"loss", "masked_loss", "perplexity", "masked_accuracy", "pair_accuracy", "pair_base_rate"} <= set(valid)
    state = json.loads((run / "last" / "state.json").read_text())
    assert sum(state["seen"]) == state["tokens"] and state["seen"][0] > 0 and sum(state["predicted"]) > 0


def check_enlarged(run, folder, words):
    old = safetensors.numpy.load_file(run / "last" / "model.safetensors")["bert.embeddings.position_embeddings.weight"]
    for rows in ("tiled", "copied", "hierarchical"):
        longer = folder / f"longer-{rows}"
        training.pretrain(*words, "--init", run / "last", "--positions", 300, "--segment-rows", 3, "--new-rows", rows, "-o", longer,
                          "--steps", 4, "--length", 200, "--keep", 0)
        first = longer / "checkpoints" / "step-00000000"
        tensors = safetensors.numpy.load_file(first / "model.safetensors")
        table = tensors["bert.embeddings.position_embeddings.weight"]
        assert table.shape == (300, 64) and (table[:128] == old).all(), rows
        if rows == "tiled":
            assert (table[128:256] == old).all() and (table[256:] == old[:44]).all()
        if rows == "copied":
            assert (table[128:] == old[127]).all()
        if rows == "hierarchical":
            alpha = 0.4
            u = (old.astype(np.float64) - alpha * old[0]) / (1 - alpha)
            want = np.stack([alpha * u[i // 128] + (1 - alpha) * u[i % 128] for i in range(300)])
            assert abs(table - want).max() < 1e-6
        assert tensors["bert.embeddings.token_type_embeddings.weight"].shape == (3, 64)
        config = json.loads((longer / "last" / "config.json").read_text())
        assert (config["max_position_embeddings"], config["type_vocab_size"]) == (300, 3)
    refusal = training.pretrain(*words, "--init", run / "last", "--positions", 100, "-o", folder / "less", check=False)
    assert refusal.returncode == 1 and "expected at least the 128" in refusal.stderr, refusal.stderr
    print("tables enlarged: tiled, copied, hierarchical")


def refused(status, said, *words):
    result = training.pretrain(*words, check=False)
    assert result.returncode == status and said in result.stderr and result.stderr.count("\n") == 1, (result.returncode, result.stderr)


def check_refusals(run, folder, texts, words):
    """What would lose work or train on something else is refused, and nothing is lost."""
    lost = folder / "lost"
    shutil.copytree(run, lost, symlinks=True)
    (lost / "checkpoints" / "mine").mkdir()
    (lost / "last").unlink()
    before = sorted(path.name for path in (lost / "checkpoints").iterdir())
    going_on = [*words, "--steps", 60, "--learning-rate", "2e-3", "-o", lost, "--resume"]
    training.pretrain(*going_on)  # as after a kill between the first checkpoint and the link to it
    assert os.readlink(lost / "last") == "checkpoints/step-00000060"
    assert sorted(path.name for path in (lost / "checkpoints").iterdir()) == before
    for said, make in (("got none", lambda link: link.mkdir()), ("got a dangling one", lambda link: link.symlink_to("checkpoints/gone"))):
        (lost / "last").unlink()
        make(lost / "last")
        refused(1, f"expected a link to the last checkpoint, {said}; the newest that is whole is checkpoints/step-00000060", *going_on)
        assert sorted(path.name for path in (lost / "checkpoints").iterdir()) == before
        if (lost / "last").is_symlink():
            (lost / "last").unlink()
        else:
            (lost / "last").rmdir()
        training.pretrain(*going_on)
    assert (lost / "checkpoints" / "mine").is_dir()

    single = folder / "single.txt"
    single.write_text("One sentence.\nAnd another one.\n")
    refused(2, "expected two documents or more for next_sentence, got 1", single, *words[1:], "--steps", 4, "-o", folder / "single")
    empty = folder / "empty.txt"
    empty.write_text("\n \n")
    begun = folder / "begun"
    refused(1, "empty.txt] expected documents with tokens, got none", empty, *words[1:], "--steps", 4, "-o", begun)
    training.pretrain(texts, *words[1:], "--steps", 4, "-o", begun)  # what never began holds nothing back
    refused(2, "expected --positions or --segment-rows with --new-rows", *words, "--steps", 4, "--new-rows", "copied", "-o", folder / "rows")
    refused(2, "--batch-tokens] expected at most", *[99999999999 if word == 512 else word for word in words], "--steps", 4, "-o", folder / "large")

    # JSON lines that were read as text by mistake are others under their own name.
    lines = folder / "lines.txt"
    lines.write_text("".join(json.dumps({"text": line}) + "\n" for line in texts.read_text().splitlines() if line))
    shared = ["--tokens", folder / "shared"]
    runs = [folder / "read-as-text", folder / "read-as-records"]
    without_pairs = [word for word in words[1:] if word not in ("--pairs", "next_sentence")]
    training.pretrain(lines, *without_pairs, *shared, "--steps", 2, "-o", runs[0])
    lines = lines.rename(folder / "lines.jsonl")
    training.pretrain(lines, *without_pairs, *shared, "--steps", 2, "-o", runs[1])
    sources = [json.loads((one / "run.json").read_text())["data"]["train"] for one in runs]
    assert sources[0] != sources[1]

    # A damaged line of metrics is named.
    (lost / "metrics.jsonl").write_text('{"step": 20, "valid": 3}\n')
    result = subprocess.run([summand_testing.BIN / "summand", "runs", lost], capture_output=True, text=True)
    assert result.returncode == 1 and "metrics.jsonl, line 1] valid: expected an object" in result.stderr, result.stderr
    print("refused: a lost link, one document, no documents, options without sense; a file's format tells tokens apart")


def check_heads_of_init(run, folder, common):
    """What of a checkpoint is left out or drawn is told; its tokenizer is taken where none is named."""
    position = common.index("--tokenizer")
    words = [*common[:position], *common[position + 2:], "--steps", 2, "--warmup", 1]
    without = folder / "without-pairs"
    told = training.pretrain(*words, "--init", run / "last", "-o", without).stderr
    assert "left out, for --pairs is none: its pooler, next sentence head" in told, told
    again = training.pretrain(*words, "--init", without / "last", "--pairs", "next_sentence", "-o", folder / "with-pairs").stderr
    assert "has no pooler, next sentence head: drawn by --seed" in again, again
    assert "--valid: the same texts as are trained on" in told
    refused(2, "expected --tokenizer with --config", *words, "--config", "x.json", "-o", folder / "no-tokenizer")
    print("heads that are left out or drawn are told")


def check_what_runs_say(folder, first, longer, words):
    """Settings that a file leaves out count as what holds; losses of other masks are not to be compared."""
    spelt = folder / "spelt.json"
    spelt.write_text(json.dumps({**json.loads(words[words.index("--config") + 1].read_text()), "summand": {"position_kind": "sinusoidal"}}))
    words = [spelt if word == words[words.index("--config") + 1] else word for word in words]
    training.pretrain(*words, "-o", folder / "sinusoidal", "--steps", 2, "--learning-rate", "2e-3")
    table = summand("runs", first, folder / "sinusoidal")
    rows = table.split("what differs")[1].splitlines()[1:]
    keys = [line.split()[0].removeprefix("summand.") for line in rows if line and not line.startswith(" ")]
    assert keys == ["position_base", "position_first_index", "position_kind", "position_layout", "position_scale", "options.steps"], table
    assert "not to be compared" not in table, table
    table = summand("runs", first, longer)
    assert "not to be compared: their masks are others, for options.valid_length differs" in table, table
    assert json.loads(summand("runs", first, longer, "--json"))["validation_differs_in"] == ["options.valid_length"]
    print("runs differ in what they do, not in what their files spell out")


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        texts = training.corpus(folder)
        tokenizer = training.vocabulary(folder, texts, 600)
        config = training.config(folder)
        packed = folder / "packed.txt.gz"
        packed.write_bytes(gzip.compress(texts.read_bytes()))
        common = ["--valid", texts, "--tokenizer", tokenizer, "--batch-tokens", 512, "--log-every", 10,
                  "--valid-sequences", 30, "--threads", 1]
        next_sentence = ["--pairs", "next_sentence"]
        short = ["--length", 96]
        usual = ["--validate-every", 20, "--warmup", 5]
        words = [texts, *common, *short, *usual]
        run = folder / "runs" / "first"
        training.pretrain(*words, *next_sentence, "--config", config, "-o", run, "--steps", 60, "--learning-rate", "2e-3")
        check_files(run, 60)
        check_in_transformers(run / "best", folder)

        # The same texts, compressed, make the same run; every other objective runs.
        again = folder / "runs" / "again"
        training.pretrain(packed, *common, *short, *usual, *next_sentence, "--config", config, "-o", again, "--steps", 60, "--learning-rate", "2e-3")
        assert (again / "last" / "model.safetensors").read_bytes() == (run / "last" / "model.safetensors").read_bytes()
        others = folder / "runs" / "others"
        training.pretrain(*words, "--config", config, "-o", others, "--steps", 20, "--mask-selection", "windows", "--mask-window", 6,
                          "--mask-unit", "word", "--mask-split", "0.7,0.2", "--segments", "parity", "--random-start", "--schedule",
                          "cosine", "--accumulate", 2, "--precision", "bf16", "--pairs", "sentence_order")
        training.pretrain(*words, "--config", config, "-o", folder / "rates", "--steps", 10, "--mask-rate", 0.3, "--corrupt-rate", 0.1,
                          "--mask-selection", "independent", "--schedule", "constant", "--pairs", "none", "--segments", "none")
        model = transformers.BertForMaskedLM.from_pretrained(folder / "rates" / "last")
        assert model.config.architectures == ["BertForMaskedLM"]

        # At a rate of learning that destroys, the loss rises, and patience ends.
        stopped = training.pretrain(texts, *common, *short, "--config", config, "-o", folder / "stopped", "--steps", 500, "--learning-rate", 0.5,
                                    "--warmup", 0, "--validate-every", 5, "--patience", 3)
        assert "3 validations without a lower loss" in stopped.stdout, stopped.stdout
        assert "is --learning-rate too high?" in stopped.stdout, stopped.stdout

        check_enlarged(run, folder, [texts, *common, *usual, *next_sentence])

        check_heads_of_init(run, folder, [texts, *common, *short])
        check_what_runs_say(folder, run, folder / "longer-tiled", [texts, *common, *short, *usual, *next_sentence, "--config", config])

        check_refusals(run, folder, texts, [texts, *common, *short, *usual, *next_sentence, "--config", config])

        listed = json.loads(summand("runs", folder / "runs", "--json"))["runs"]
        assert [one["run"] for one in listed] == ["again", "first", "others"]
        assert listed[1]["step"] == 60 and listed[1]["seconds_left"] == 0 and listed[1]["best_loss"] > 0
        table = summand("runs", folder / "runs" / "first", others)
        assert "what differs" in table and "options.mask_selection" in table and "windows" in table, table
        print(table)


if __name__ == "__main__":
    main()
