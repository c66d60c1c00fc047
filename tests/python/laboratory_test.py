"""The laboratory from Python: the program's own numbers, as objects."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import pandas
import summand_testing

sys.path.insert(0, str(summand_testing.BUILD / "python"))
import summand  # noqa: E402


class Laboratory(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = summand_testing.minilm()
        cls.folder = pathlib.Path(cls.enterClassContext(tempfile.TemporaryDirectory())) / "report"
        cls.report = summand.lab(cls.model, only=["norms", "initialisation"], quick=True, folder=cls.folder)

    def test_a_report_has_the_programs_results(self):
        results = json.loads((self.folder / "results.json").read_text())
        claims = self.report.claims
        self.assertIsInstance(claims, pandas.DataFrame)
        self.assertEqual(list(claims["id"]), [claim["id"] for claim in results["claims"]])
        self.assertIn("not measured", set(claims["observation"]))
        measured = claims[claims["observation"] != "not measured"]
        self.assertGreater(len(measured), 0)
        self.assertEqual(self.report.claim("4.8")["id"], "4.8")
        numbers = self.report.numbers
        self.assertEqual(len(numbers), sum(len(claim["numbers"]) for claim in results["claims"]))
        self.assertGreater(len(numbers), 0)
        self.assertTrue(self.report.page.is_file())

    def test_figures_are_vega_lite_with_their_data(self):
        self.assertGreater(len(self.report.figures), 0)
        for figure in self.report.figures.values():
            bundle = figure._repr_mimebundle_()
            self.assertIn("vega-lite", bundle["application/vnd.vegalite.v6+json"]["$schema"])
            self.assertGreater(len(figure.data), 0)

    def test_jupyter_shows_a_table(self):
        shown = self.report._repr_html_()
        self.assertIn("<table>", shown)
        self.assertIn("all-MiniLM" if "MiniLM" in self.report.name else self.report.name, shown)
        self.assertIn("claims measured", repr(self.report))

    def test_a_report_without_a_folder_lives_as_long_as_its_object(self):
        report = summand.lab(self.model, only="initialisation", quick=True)
        folder = report.folder
        self.assertTrue((folder / "results.json").exists())
        del report
        self.assertFalse(folder.exists())

    def test_parts_are_the_programs(self):
        parts = summand.parts(self.model, ("A cat.", "It sat."))
        words = ["parts", "--model", self.model, "--json", "--text", "A cat.", "--text-pair", "It sat."]
        expected = json.loads(subprocess.run([summand_testing.BIN / "summand", *words], capture_output=True, check=True).stdout)
        self.assertEqual(parts.results, expected)
        tokens = parts.tokens
        self.assertEqual(list(tokens["segment"]), [token["segment"] for token in expected["tokens"]])
        self.assertIn("share_position", tokens.columns)
        self.assertIn("<table>", parts._repr_html_())
        self.assertEqual(summand.parts(summand.Model(self.model), "a").results, summand.parts(self.model, "a").results)

    def test_models_are_compared(self):
        comparison = summand.compare([self.model, "summand-mini"], only="norms", quick=True)
        self.assertEqual(comparison.verdicts.shape, (len(self.report.claims), 4))
        self.assertIn("<table>", comparison._repr_html_())

    def test_bad_input_is_the_programs_line(self):
        for call, line in ((lambda: summand.lab(self.model, only="nonsense"), "nonsense"), (lambda: summand.lab("/nowhere", quick=True), "/nowhere"),
                           (lambda: summand.parts(self.model, "a", max_length=10**6), "max-length"), (lambda: summand.Report("/nowhere"), "/nowhere"),
                           (lambda: self.report.claim("99"), "expected the id of a claim")):  # fmt: skip
            with self.assertRaisesRegex(summand.Error, line) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))
        for call in (lambda: summand.lab(None), lambda: summand.parts(self.model, 3), lambda: summand.compare(str(self.model))):
            self.assertRaises(TypeError, call)

    def test_the_program_runs_from_python(self):
        done = subprocess.run([sys.executable, "-m", "summand", "--version"], capture_output=True, text=True, cwd=summand_testing.BUILD / "python")
        self.assertEqual((done.returncode, summand.__version__ in done.stdout), (0, True), done.stderr)


if __name__ == "__main__":
    summand_testing.run_cases()
