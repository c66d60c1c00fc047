"""The safetensors package writes and this program reads, and the other way round; NumPy reads what it writes."""

import json
import pathlib
import subprocess
import sys
import tempfile

import numpy
import torch
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from summand_testing import BIN, minilm


def probe(*words):
    done = subprocess.run([BIN / "io_probe", *map(str, words)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def bits(tensor):
    return tensor.contiguous().flatten().view(torch.uint8).numpy().tobytes().hex()


def every_half(dtype):
    return torch.arange(65536, dtype=torch.int32).to(torch.uint16).view(dtype)


def same_numbers(got_hex, expected):
    """Bit for bit, except that a NaN may be any NaN."""
    got = numpy.frombuffer(bytes.fromhex(got_hex), dtype="<f4")
    expected = expected.float().flatten().numpy()
    nan = numpy.isnan(expected)
    return (numpy.isnan(got) == nan).all() and (got.view("<u4")[~nan] == expected.view("<u4")[~nan]).all()


def read_and_write(folder):
    tensors = {
        "f32": torch.randn(3, 5, generator=torch.Generator().manual_seed(1)),
        "f16": every_half(torch.float16),
        "bf16": every_half(torch.bfloat16),
        "i8": torch.arange(-128, 128, dtype=torch.int8).reshape(2, 128),
        "i64": torch.tensor([[0, 1, -(2**40)]]),
        "scalar": torch.tensor(2.5),
        "empty": torch.zeros(0, 7),
        'name "with" \\ and é': torch.ones(1, dtype=torch.int8),
    }
    others = {"f64": torch.ones(2, 2, dtype=torch.float64), "bool": torch.tensor([True]), "i32": torch.ones(3).int()}
    metadata = {"format": "pt", "é": "ü"}
    save_file(tensors | others, folder / "theirs.safetensors", metadata)
    read = probe("safetensors", folder / "theirs.safetensors")
    assert read["metadata"] == metadata
    assert read["unsupported"] == {"f64": "F64 [2, 2]", "bool": "BOOL [1]", "i32": "I32 [3]"}
    assert read["tensors"].keys() == tensors.keys()
    for name, tensor in tensors.items():
        got = read["tensors"][name]
        assert got["shape"] == list(tensor.shape), name
        assert got["bytes"] == bits(tensor), name
        assert same_numbers(got["floats"], tensor), name

    probe("copy", folder / "theirs.safetensors", folder / "ours.safetensors")
    back = load_file(folder / "ours.safetensors")
    assert back.keys() == tensors.keys()
    for name, tensor in tensors.items():
        assert back[name].dtype == tensor.dtype and back[name].shape == tensor.shape, name
        assert bits(back[name]) == bits(tensor), name
    with safe_open(folder / "ours.safetensors", "pt") as file:
        assert file.metadata() == metadata


def numpy_reads(folder):
    for rows, columns in [(0, 3), (1, 1), (7, 384), (1000, 5)]:
        probe("npy", folder / "x.npy", rows, columns)
        got = numpy.load(folder / "x.npy", allow_pickle=False)
        assert got.dtype == numpy.dtype("<f4") and got.flags.c_contiguous
        assert (got == numpy.arange(rows * columns, dtype="f4").reshape(rows, columns) / 4).all()


def refused_by_both(folder):
    """Damage that the safetensors package refuses is refused here; single bytes of the header and cuts."""
    save_file({"a": torch.ones(2, 3), "b": torch.ones(4, dtype=torch.int64)}, folder / "whole.safetensors")
    whole = (folder / "whole.safetensors").read_bytes()
    header_end = 8 + int.from_bytes(whole[:8], "little")
    disagreements = []
    for at in range(0, header_end, 3):
        damaged = bytearray(whole)
        damaged[at] ^= 1 << (at % 7)
        (folder / "damaged.safetensors").write_bytes(damaged)
        try:
            load_file(folder / "damaged.safetensors")
            theirs = True
        except Exception:
            theirs = False
        done = subprocess.run([BIN / "io_probe", "safetensors", folder / "damaged.safetensors"], capture_output=True)
        assert done.returncode in (0, 1), at
        if done.returncode == 0 and not theirs:
            disagreements.append(bytes(damaged[:header_end]))
    assert not disagreements, disagreements


def real_model():
    read = probe("checkpoint", minilm())
    expected = {name: tensor for name, tensor in load_file(minilm() / "model.safetensors").items()}
    expected.pop("embeddings.position_ids")
    assert read["weights"] == {name: f"F32 {list(tensor.shape)}" for name, tensor in expected.items()}
    assert read["pooler"] and not read["notices"], read["notices"]
    times = probe("scan", minilm() / "model.safetensors")
    print(f"finite scan of the real model: first {times['first_ms']:.1f} ms, best {times['best_ms']:.1f} ms")


def main():
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        read_and_write(folder)
        numpy_reads(folder)
        refused_by_both(folder)
    real_model()


if __name__ == "__main__":
    sys.exit(main())
