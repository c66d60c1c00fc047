"""Every arm that pretrain can write, in transformers: refused, or the same logits. Refused are those alone that it would compute
as another model."""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import summand_testing
import torch
import transformers

AGREE = 1e-4
LOADERS = (transformers.BertForMaskedLM, transformers.BertModel, transformers.AutoModelForMaskedLM, transformers.AutoModel)
EQUAL = {"plain", "composition sum", "positions learned", "positions fixed", "position attention none",
         "segment attention none"}  # and every activation but half


def logits_of(model, expected):
    with torch.no_grad():
        return model.eval()(input_ids=torch.tensor([expected["ids"]]), token_type_ids=torch.tensor([expected["segments"]])).logits[0].numpy()


def refused(loader, folder):
    try:
        loader.from_pretrained(folder)
    except ValueError as error:
        assert "summand-bert" in str(error) or "quant_method" in str(error), error
        return True
    return False


def without_mark(folder):
    """The checkpoint as an older summand wrote it."""
    config = json.loads((folder / "config.json").read_text())
    config["model_type"] = "bert"
    config["architectures"] = [name.removeprefix("Summand") for name in config["architectures"]]
    config.pop("quantization_config", None)
    (folder / "config.json").write_text(json.dumps(config))


def computes_the_same(folder, expected):
    try:
        model, report = transformers.BertForMaskedLM.from_pretrained(folder, output_loading_info=True)
    except Exception:  # of other shapes, or without such an activation
        return False
    if report["missing_keys"] or report["mismatched_keys"]:
        return False
    return bool(np.abs(logits_of(model, expected) - np.array(expected["logits"])).max() < AGREE)


def main():
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    torch.manual_seed(0)
    equal, elsewhere = set(), []
    with tempfile.TemporaryDirectory() as name:
        subprocess.run([summand_testing.BIN / "arms_probe", name], check=True)
        folders = sorted((path for path in pathlib.Path(name).iterdir()), key=lambda path: int(path.name))
        for folder in folders:
            expected = json.loads((folder / "expected.json").read_text())
            config = json.loads((folder / "config.json").read_text())
            refusals = {refused(loader, folder) for loader in LOADERS}
            assert len(refusals) == 1, (expected["name"], "refused by some alone")
            assert refusals == {config["model_type"] != "bert"}, expected["name"]
            if refusals == {True}:
                assert config["architectures"] == ["SummandBertForMaskedLM"], config
                elsewhere.append(folder)
            else:
                equal.add(expected["name"])
                worst = np.abs(logits_of(transformers.BertForMaskedLM.from_pretrained(folder), expected) - np.array(expected["logits"])).max()
                assert worst < AGREE, (expected["name"], worst)
        assert {one for one in equal if not one.startswith("activation ")} == EQUAL, equal
        assert "activation half" not in equal and sum(one.startswith("activation ") for one in equal) >= 5, equal
        for folder in elsewhere:  # nothing is refused that is the same model there
            expected = json.loads((folder / "expected.json").read_text())
            without_mark(folder)
            assert not computes_the_same(folder, expected), (expected["name"], "is refused, and is the same there")
    print(f"{len(folders)} arms: {len(equal)} have the same logits in transformers, {len(elsewhere)} are refused there")
    assert len(elsewhere) > 40


if __name__ == "__main__":
    sys.exit(main())
