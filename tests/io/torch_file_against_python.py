"""Files that torch.save writes: what this program reads is what torch reads, and nothing in them is run."""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

import torch

from summand_testing import BIN

READ = {torch.float32: "F32", torch.float16: "F16", torch.bfloat16: "BF16", torch.int64: "I64", torch.int8: "I8"}
NAMED = {torch.float64: "F64", torch.int32: "I32", torch.int16: "I16", torch.uint8: "U8", torch.bool: "BOOL",
         torch.complex64: "C64", torch.complex128: "C128"}


def probe(path):
    return subprocess.run([BIN / "io_probe", "torch", path], capture_output=True, text=True)


def bits(tensor):
    return tensor.detach().contiguous().flatten().view(torch.uint8).numpy().tobytes().hex()


def compare(path, value, what, **options):
    """Writes the value, reads it with torch and with the program."""
    torch.save(value, path, **options)
    expected = torch.load(path, weights_only=False)  # which knows all protocols
    done = probe(path)
    assert done.returncode == 0, (what, done.stderr)
    got = json.loads(done.stdout)
    assert {*got["tensors"], *got["unsupported"]} == set(expected), what
    for name, tensor in expected.items():
        if tensor.dtype in NAMED:
            assert got["unsupported"][name] == f"{NAMED[tensor.dtype]} [{', '.join(map(str, tensor.shape))}]", name
            continue
        read = got["tensors"][name]
        assert (read["dtype"], read["shape"], read["bytes"]) == (READ[tensor.dtype], list(tensor.shape), bits(tensor)), (what, name)
    print(f"same: {what}, {len(expected)} tensors")


def refuse(path, value, message, **options):
    torch.save(value, path, **options)
    done = probe(path)
    assert done.returncode == 1 and message in done.stderr and done.stderr.count("\n") == 1, (message, done.stderr)
    print(f"refused: {done.stderr.strip()[-120:]}")


class Own:
    """What a pickle could call."""

    def __reduce__(self):
        return print, ("this must not be printed",)


def main():
    torch.manual_seed(1)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "pytorch_model.bin"
        dtypes = {str(dtype): torch.randint(0, 2, (3, 4)).to(dtype) for dtype in [*READ, *NAMED]}
        table = torch.randn(7, 5)
        shared = {"table": table, "again": table, "rows": table[2:4], "columns": table[:, 1:3], "turned": table.T,
                  "steps": table[::2, ::-1 * -2], "row": table[3], "number": table[1, 1], "empty": table[:0],
                  "three": torch.randn(2, 3, 4).permute(2, 0, 1)}  # fmt: skip
        layer = torch.nn.TransformerEncoderLayer(16, 2, 8)
        parameters = dict(layer.named_parameters())
        for protocol in (2, 3, 4, 5):
            options = {"pickle_protocol": protocol}
            compare(path, dtypes, f"every element type, protocol {protocol}", **options)
            compare(path, shared, f"views of one storage, protocol {protocol}", **options)
            compare(path, layer.state_dict(), f"a module's state dict, protocol {protocol}", **options)
            compare(path, parameters, f"parameters, protocol {protocol}", **options)
            compare(path, collections.OrderedDict(shared), f"an OrderedDict, protocol {protocol}", **options)
        compare(path, {f"layer.{i}": torch.randn(3) for i in range(2000)}, "so many that numbers take two bytes")
        compare(path, {}, "no tensors")
        refuse(path, shared, "got the older format", _use_new_zipfile_serialization=False)
        refuse(path, {"a": Own()}, "print' is not part of a dictionary of tensors, and no code of a pickle is run")
        refuse(path, {"a": torch.eye(3).to_sparse()}, "is not part of a dictionary of tensors")
        refuse(path, {"epoch": 3, "model": shared}, "'epoch': expected a tensor, got an integer")
        refuse(path, table, "expected a dictionary of tensors, got a tensor")
        refuse(path, {"a": torch.zeros(1).expand(10**9)}, "whose copies take no more than the file has")
        for view in (torch._neg_view(torch.ones(2)), torch.ones(2, dtype=torch.complex64).conj()):
            refuse(path, {"a": view}, "got one that torch negates or conjugates first")
        torch.jit.save(torch.jit.script(torch.nn.Linear(2, 2)), str(path))
        done = probe(path)
        assert done.returncode == 1 and "linear.py': expected a stored file" in done.stderr, done.stderr  # code of TorchScript


if __name__ == "__main__":
    sys.exit(main())
