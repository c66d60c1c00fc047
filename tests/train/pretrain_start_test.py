"""What `summand pretrain --start` begins with: the sum's own function, or other draws on the same texts and masks."""

import json
import pathlib
import subprocess
import tempfile

import numpy as np
import safetensors.numpy
import summand_testing
import training

TEXT = ("The lake froze in January.", "People walked across it.")
AGREE = 1e-4  # of hidden states of a few units; a gate's factor passes a normalisation
COMPOSITIONS = ("concatenate_project", "vector_gate", "scalar_gate")


def hidden_states(checkpoint, folder):
    out = folder / "hidden.safetensors"
    subprocess.run([summand_testing.BIN / "summand", "hidden", "--model", checkpoint, "--text", TEXT[0], "--text-pair", TEXT[1],
                    "-o", out, "--overwrite"], check=True, capture_output=True)  # fmt: skip
    return np.stack([value for name, value in safetensors.numpy.load_file(out).items() if "hidden" in name])


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        bench = training.Bench(folder)
        plain = json.loads(bench.config.read_text())

        def run(to, start, composition="sum", steps=2):
            config = folder / f"{to}.json"
            config.write_text(json.dumps({**plain, "summand": {"composition": composition}}))
            words = [bench.texts, "--valid", bench.valid, "--tokenizer", bench.tokenizer, "--config", config, "--steps", steps, "--warmup", 1,
                     "--length", 32, "--batch-tokens", 256, "--keep", 0, "--pairs", "next_sentence", "--threads", 1, "--seed", 5]  # fmt: skip
            training.pretrain(*words, "-o", folder / to, *(["--start", start] if start else []))
            return folder / to

        def first(run):
            return run / "checkpoints" / "step-00000000"

        def weights(run):
            return safetensors.numpy.load_file(first(run) / "model.safetensors")

        of_sum = run("sum", None)
        wanted = hidden_states(first(of_sum), folder)
        for composition in COMPOSITIONS:
            started, drawn = (run(f"{composition}-{start}", start, composition) for start in ("sum", "drawn"))
            assert abs(hidden_states(first(started), folder) - wanted).max() < AGREE, composition
            assert abs(hidden_states(first(drawn), folder) - wanted).max() > 5 * AGREE, composition

        # Drawn anew: every table is another one, and the texts and masks are the same.
        redrawn = run("redrawn", "redrawn")
        one, other = weights(of_sum), weights(redrawn)
        assert one.keys() == other.keys()
        varied = [key for key, value in one.items() if np.ptp(value) > 0]
        assert len(varied) > 5 and all((one[key] != other[key]).mean() > 0.9 for key in varied)
        seen = [training.metrics(one)[-1]["predicted"] if "predicted" in training.metrics(one)[-1] else
                json.loads((one / "last" / "state.json").read_text())["seen"] for one in (of_sum, redrawn)]  # fmt: skip
        assert seen[0] == seen[1]

        refusal = training.pretrain(bench.texts, "--valid", bench.valid, "--init", of_sum / "last", "--start", "sum", "-o", folder / "no", check=False)
        assert refusal.returncode == 2 and "expected --config with --start" in refusal.stderr, refusal.stderr
        config = folder / "no.json"
        config.write_text(json.dumps({**plain, "summand": {"composition": "multiplicative"}}))
        refusal = training.pretrain(bench.texts, "--valid", bench.valid, "--tokenizer", bench.tokenizer, "--config", config, "--start", "sum",
                                    "-o", folder / "no", check=False)  # fmt: skip
        assert refusal.returncode == 1 and "start: expected a composition that begins as the sum" in refusal.stderr, refusal.stderr
        print("starts: the sum's function, other draws on the same texts")


if __name__ == "__main__":
    main()
