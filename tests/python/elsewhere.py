"""Runs a test in an environment of its own, whose libraries .venv has not: elsewhere.py ENVIRONMENT SCRIPT [ARGUMENT]…; exit status 77
where `make test-all` has not made it."""

import os
import sys

import summand_testing

environment, *words = sys.argv[1:]
python = summand_testing.ROOT / environment / "bin" / "python"
if not python.exists():
    print(f"skipped: no {environment} here: scripts/install_python_packages {environment.rpartition('-')[2]}")
    sys.exit(77)
os.execv(python, [str(python), *words])
