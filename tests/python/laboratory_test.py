"""The laboratory from Python: the program's own numbers, as objects."""

import contextlib
import gc
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import pandas
import summand_testing

sys.path.insert(0, str(summand_testing.PACKAGE))
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
        for row in numbers.to_dict("records"):
            number = self.report.claim(row["id"])["numbers"][row["name"]]
            for name in ("label", "value", "null", "null_of", "control", "control_of"):
                self.assertEqual(row[name], number[name])
            for prefix, interval in (("", "interval"), ("null_", "null_interval"), ("control_", "control_interval")):
                ends = [row[f"{prefix}low"], row[f"{prefix}high"]]
                self.assertEqual(ends if number.get(interval) else None, number.get(interval) or None)
                self.assertEqual(number.get(interval) is None, all(map(pandas.isna, ends)))
        self.assertTrue(self.report.page.is_file())

    def test_figures_are_vega_lite_with_their_data(self):
        self.assertGreater(len(self.report.figures), 0)
        for figure in self.report.figures.values():
            bundle = figure._repr_mimebundle_()
            self.assertIn("vega-lite", bundle["application/vnd.vegalite.v6+json"]["$schema"])
            self.assertGreater(len(figure.data), 0)
            self.assertIsNone(figure.svg)
            self.assertNotIn("image/svg+xml", bundle)

    def test_figures_are_drawn_as_svg_in_their_language(self):
        report = summand.lab(self.model, only="norms", quick=True, svg=True, language="zh")
        for figure in report.figures.values():
            self.assertIn("</svg>", figure._repr_mimebundle_()["image/svg+xml"])
        self.assertEqual({figure.svg for figure in summand.Report(report.folder).figures.values()}, {None})

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

    def test_a_figure_outlives_its_report(self):
        figure = next(iter(summand.lab(self.model, only="norms", quick=True).figures.values()))
        gc.collect()
        self.assertGreater(len(figure.data), 0)
        folder = figure._path.parent
        del figure
        self.assertFalse(folder.exists())
        report, _ = summand.compare([self.model, self.model], only="norms", quick=True).reports.values()
        gc.collect()
        self.assertGreater(len(next(iter(report.figures.values())).data), 0)

    def test_experiments_are_those_that_lab_takes(self):
        known = summand.experiments()
        self.assertEqual(list(known.columns), ["id", "says", "experiment", "question"])
        self.assertLessEqual({"norms", "initialisation", "identical_words"}, set(known["experiment"]))
        judged = {claim["id"]: claim["experiment"] for claim in self.report.results["claims"] if claim["experiment"]}
        named = known.dropna()
        self.assertLessEqual(judged.items(), dict(zip(named["id"], named["experiment"])).items())
        self.assertGreater(len(judged), 0)

    def test_progress_and_errors_are_shown_where_asked(self):
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            summand.lab(self.model, only="norms", quick=True, show_progress=True)
            with self.assertRaisesRegex(summand.UsageError, r"^\[only\] expected names"):
                summand.lab(self.model, only="nonsense", show_progress=True)
        self.assertIn("norms", shown.getvalue())

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

    def test_parts_take_any_text(self):
        for text in ("a\0b", "", "-x", "--json", "a\nb \u2028 \\ \"c\" 银行"):
            encoding = summand.Tokenizer(self.model).encode(text)
            self.assertEqual(list(summand.parts(self.model, text).tokens["token"]), encoding.tokens)
        with self.assertWarnsRegex(summand.CutWarning, "cut at 512 tokens"):
            self.assertEqual(len(summand.parts(self.model, "word " * 40000).tokens), 512)
        with self.assertWarnsRegex(summand.CutWarning, "cut at 4 tokens"):
            summand.parts(self.model, "one two three", max_length=4)
        with warnings.catch_warnings(action="error"):
            summand.parts(self.model, "one two three", max_length=5)

    def test_models_are_compared(self):
        comparison = summand.compare([self.model, summand_testing.ROOT / "models" / "summand-mini"], only="norms", quick=True)
        self.assertEqual(comparison.verdicts.shape, (len(self.report.claims), 4))
        self.assertIn("<table>", comparison._repr_html_())

    def test_bad_input_is_the_programs_line(self):
        for call, line in ((lambda: summand.lab(self.model, only="nonsense"), "nonsense"), (lambda: summand.lab("/nowhere", quick=True), "/nowhere"),
                           (lambda: summand.parts(self.model, "a", max_length=10**6), r"^\[max_length\] expected at most"), (lambda: summand.Report("/nowhere"), "/nowhere"),
                           (lambda: self.report.claim("99"), "expected the id of a claim"), (lambda: summand.lab(self.model, corpus="/nowhere"), r"^\[corpus\]"),
                           (lambda: summand.lab(self.model, only="nonsense"), r"^\[only\] .* see summand.experiments\(\); got 'nonsense'$"),
                           (lambda: summand.lab(self.model, threads=10**5), r"^\[threads\] expected a whole number from 0 to 1024, got 100000$"),
                           (lambda: summand.lab(self.model, only="a\0"), r"^\[only\] expected no zero byte"), (lambda: summand.lab(self.model, name=""), r"^\[name\]"),
                           (lambda: summand.lab(self.model, sentences="a " * 10**5), r"^\[sentences\] expected at most"),
                           (lambda: summand.compare([self.model]), r"^\[models\] expected two models or more, got 1$"),
                           (lambda: summand.compare([self.model, "-x"]), r"^\[./-x\]")):  # fmt: skip
            with self.assertRaisesRegex(summand.Error, line) as caught:
                call()
            self.assertNotIn("\n", str(caught.exception))
        for call, line in ((lambda: summand.lab(None), "model"), (lambda: summand.parts(self.model, 3), "text"), (lambda: summand.compare(str(self.model)), "models"),
                           (lambda: summand.lab(self.model, sentences=[None]), r"^\[sentences\[0\]\] expected str or a pair of str, got NoneType$"),
                           (lambda: summand.lab(self.model, sentences=3), r"^\[sentences\]"), (lambda: summand.lab(self.model, name=3), r"^\[name\]")):  # fmt: skip
            with self.assertRaisesRegex(TypeError, line):
                call()

    def test_the_program_runs_from_python(self):
        done = subprocess.run([sys.executable, "-m", "summand", "--version"], capture_output=True, text=True, cwd=summand_testing.PACKAGE)
        self.assertEqual((done.returncode, summand.__version__ in done.stdout), (0, True), done.stderr)


if __name__ == "__main__":
    summand_testing.run_cases()
