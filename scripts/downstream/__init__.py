"""The study on real tasks. It writes numbers as the ledger does, and draws with the report's theme."""

import pathlib
import sys

LAB = pathlib.Path(__file__).resolve().parents[2] / "lab"
sys.path += [str(LAB / "ledger"), str(LAB / "report")]
