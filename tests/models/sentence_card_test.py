"""The numbers of summand-mini-sentences' card, measured again where its texts are. Skipped without the texts."""

import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import summand_testing

MODELS = summand_testing.ROOT / "models"
SENTENCES = MODELS / "summand-mini-sentences"
LEAST_SPEARMAN = 0.8  # below it the model would not ship


def main():
    script = summand_testing.script("measure_finetuning")
    texts = script.lines_of(summand_testing.shared("data", "english_valid.txt"))
    with tempfile.TemporaryDirectory() as folder:
        held = pathlib.Path(folder) / "held.txt"
        held.write_text("\n".join(texts) + "\n", encoding="utf-8")
        vectors = []
        for number, model in enumerate((summand_testing.minilm(), MODELS / "summand-mini", SENTENCES)):
            out = pathlib.Path(folder) / f"{number}.npy"
            subprocess.run([summand_testing.BIN / "summand", "embed", held, "--model", model, "-o", out], check=True)
            vectors.append(np.load(out))
    teacher, before, after = vectors
    card = (SENTENCES / "README.md").read_text()
    for name, student in (("before", before), ("after", after)):
        spearman = script.spearman_of_similarities(teacher, student)
        print(name, spearman)
        assert f"{spearman:.3f}" in card, f"the card lacks {name}, {spearman:.3f}"
    assert spearman >= LEAST_SPEARMAN
    assert f"{len(texts):,} sentences" in card
    return 0


if __name__ == "__main__":
    sys.exit(main())
