"""Runs clients_test.py in .venv-clients beside models with heads, which only .venv can make; exit status 77 where `make test-all`
has not made that environment."""

import os
import pathlib
import subprocess
import sys
import tempfile

import head_models
import summand_testing

python = summand_testing.ROOT / ".venv-clients" / "bin" / "python"
if not python.exists():
    print("skipped: no .venv-clients here: scripts/install_python_packages clients")
    sys.exit(77)
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    head_models.head_directory(folder / "ranking", "sequence-classification", num_labels=1)
    head_models.head_directory(folder / "labels", "sequence-classification", num_labels=3)
    head_models.head_directory(folder / "tags", "token-classification", num_labels=5)
    environment = {**os.environ, "HF_HUB_OFFLINE": "0"}  # else huggingface_hub asks nobody, not even this machine
    sys.exit(subprocess.run([python, pathlib.Path(__file__).with_name("clients_test.py"), folder], env=environment).returncode)
