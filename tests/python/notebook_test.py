"""The notebook of examples/ runs from its first cell to its last."""

import os
import sys
import unittest

import nbclient
import nbformat
import summand_testing


class Notebook(unittest.TestCase):
    def test_every_cell_runs_and_shows_something(self):
        os.environ |= {"MODEL": str(summand_testing.minilm()), "PYTHONPATH": str(summand_testing.PACKAGE), "PYDEVD_DISABLE_FILE_VALIDATION": "1"}
        notebook = nbformat.read(summand_testing.ROOT / "examples" / "sum.ipynb", as_version=4)
        self.assertEqual([cell for cell in notebook.cells if cell.get("outputs")], [], "outputs are not kept in the repository")
        client = nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": str(summand_testing.ROOT / "examples")}})
        client.km = client.create_kernel_manager()
        client.km.kernel_spec.argv[0] = sys.executable  # this environment's Python, and not another that is installed
        client.execute()
        code = [cell for cell in notebook.cells if cell.cell_type == "code"]
        self.assertEqual([cell.source for cell in code if not cell.outputs], [])
        shown = {kind for cell in code for output in cell.outputs for kind in output.get("data", {})}
        self.assertLessEqual({"text/html", "application/vnd.vegalite.v6+json"}, shown)


if __name__ == "__main__":
    summand_testing.run_cases()
