"""Bad arguments of the Python package are exceptions of one line that name the argument, and nothing crashes it."""

import os
import subprocess
import sys
import tempfile
import unittest
import warnings

import head_models
import numpy as np
import summand_testing

sys.path.insert(0, str(summand_testing.PACKAGE))
import summand  # noqa: E402

CALLS = 100_000
warnings.simplefilter("ignore", summand.CutWarning)


def a_list_that_ends_badly():
    yield "a"
    raise OSError("the disk is gone")


class Refusals(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.model = summand_testing.minilm()
        cls.encoder = summand.Encoder(cls.model)
        cls.tokenizer = summand.Tokenizer(cls.model)

    def refused(self, kind, line, call):
        with self.assertRaises(kind) as caught:
            call()
        message = str(caught.exception)
        self.assertNotIn("\n", message)
        self.assertRegex(message, line)

    def test_texts(self):
        encode = self.encoder.encode
        self.refused(TypeError, r"^\[sentences\] expected str or a list of str, got NoneType$", lambda: encode(None))
        self.refused(TypeError, r"^\[sentences\] expected a list of str, got bytes$", lambda: encode(b"a"))
        self.refused(TypeError, r"^\[sentences\] expected a list of str, got dict$", lambda: encode({"a": 1}))
        self.refused(TypeError, r"^\[sentences\] expected a list, each element str or a pair of str, got int$", lambda: encode(3))
        self.refused(TypeError, r"^\[sentences\[1\]\] expected str or a pair of str, got NoneType$", lambda: encode(["a", None]))
        self.refused(TypeError, r"^\[sentences\[0\]\] expected str or a pair of str, got bytes$", lambda: encode([b"a"]))
        self.refused(TypeError, r"^\[sentences\[0\]\[1\]\] expected str, got int$", lambda: encode([("a", 3)]))
        self.refused(summand.TextError, r"^\[sentences\[0\]\] expected str or a pair of str, got 3 elements$", lambda: encode([("a", "b", "c")]))
        self.refused(summand.TextError, r"^\[sentences\[1\]\] expected text, got a surrogate without its other half at character 2$", lambda: encode(["a", "ab\ud83d"]))
        self.refused(TypeError, r"^\[sentences\[0\]\] expected str or a pair of str, got float$", lambda: encode(np.array([1.0])))
        self.refused(summand.UsageError, r"^\[sentences\] expected an array of one dimension, got 2$", lambda: encode(np.array([["a"]])))
        self.refused(OSError, "the disk is gone", lambda: encode(a_list_that_ends_badly()))
        self.refused(OSError, "the disk is gone", lambda: list(self.encoder.stream(a_list_that_ends_badly())))

    def test_columns(self):
        import pandas
        import polars
        import pyarrow

        encode = self.encoder.encode
        for column in (pyarrow.array(["a", None]), polars.Series(["a", None]), pyarrow.chunked_array([["a"], [None]])):
            self.refused(summand.TextError, r"^\[sentences\[1\]\] expected str, got a missing value$", lambda column=column: encode(column))
        self.refused(Exception, r"^\[sentences\[1\]\] expected str", lambda: encode(pandas.Series(["a", None])))
        self.refused(TypeError, r"^\[sentences\] expected a column of strings, got Arrow's type 'l'$", lambda: encode(pyarrow.array([1])))
        self.refused(TypeError, r"^\[sentences\] expected a column of strings, got a dictionary-encoded", lambda: encode(pyarrow.array(["a"]).dictionary_encode()))
        for table in (pyarrow.table({"a": ["b"]}), polars.DataFrame({"a": ["b"]}), pandas.DataFrame({"a": ["b"]})):
            self.refused(TypeError, r"^\[sentences\] expected a column, got ", lambda table=table: encode(table))
        self.refused(TypeError, r"^\[column\] expected a column of pandas, polars or pyarrow, got list$", lambda: self.encoder.encode_column(["a"]))

    def test_out(self):
        def into(out, **options):
            return lambda: self.encoder.encode(["a", "b"], out=out, **options)

        right = np.zeros((2, 384), np.float32)
        self.refused(TypeError, r"^\[out\] expected a NumPy array, got list$", into([]))
        self.refused(summand.UsageError, r"^\[out\] expected float32 \[2, 384\], got \[1, 384\]$", into(right[:1]))
        self.refused(summand.UsageError, r"got \[3, 384\]$", into(np.zeros((3, 384), np.float32)))
        self.refused(summand.UsageError, r"got float64 \[2, 384\], C order, writable$", into(right.astype(float)))
        self.refused(summand.UsageError, r"got float32 \[2, 384\], not C order, writable$", into(np.asfortranarray(right)))
        self.refused(summand.UsageError, r"got float32 \[768\], C order, writable$", into(right.reshape(-1)))
        fixed = right.copy()
        fixed.flags.writeable = False
        self.refused(summand.UsageError, r"C order, read-only$", into(fixed))
        self.refused(summand.UsageError, r"^\[out\] expected dtype float32 with it, got int8$", into(right, dtype="int8"))

    def test_options(self):
        encode, usage = self.encoder.encode, summand.UsageError
        self.refused(TypeError, r"^\[batch_tokens\] expected a whole number, got str$", lambda: encode("a", batch_tokens="a"))
        self.refused(TypeError, r"^\[dimensions\] expected a whole number, got bool$", lambda: encode("a", dimensions=True))
        self.refused(TypeError, r"^\[normalize\] expected True or False, got int$", lambda: encode("a", normalize=1))
        self.refused(TypeError, r"^\[prompt\] expected str, got int$", lambda: encode("a", prompt=1))
        self.refused(usage, r"^\[batch_tokens\] expected a whole number from 1 on, got 0$", lambda: encode("a", batch_tokens=0))
        self.refused(usage, r"^\[batch_size\] expected a whole number from 1 on, got -1$", lambda: encode("a", batch_size=-1))
        self.refused(usage, r"^\[dimensions\] expected 1 to 384, got 1000$", lambda: encode("a", truncate_dim=1000))
        self.refused(usage, r"^\[dimensions\] expected dimensions or truncate_dim, which mean the same, got both$", lambda: encode("a", truncate_dim=10, dimensions=20))
        self.refused(usage, r"^\[prompt_name\] expected the name of one of the model's prompts", lambda: encode("a", prompt_name="x"))
        self.refused(usage, r"^\[dtype\] expected float32, float16, .* or ubinary, got 'float8'$", lambda: encode("a", dtype="float8"))
        self.refused(usage, r"^\[pooling\] expected cls, .* got 'mode'$", lambda: encode("a", pooling="mode"))
        self.refused(usage, r"^\[truncation\] expected longest_first", lambda: encode("a", truncation="yes"))
        self.refused(usage, r"^\[windows\] expected mean, max or transformer, got 'median'$", lambda: encode("a", windows="median"))
        self.refused(usage, r"^\[device\] expected 'cpu', got 'cuda'$", lambda: encode("a", device="cuda"))
        self.refused(usage, r"^\[overlap\] expected 0 without windows, got 3$", lambda: encode("a", overlap=3))
        self.refused(usage, r"^\[ranges\] expected None for float32, got an array$", lambda: encode("a", ranges=np.zeros((2, 384))))
        self.refused(usage, r"^\[windows\] expected nothing with token_embeddings, got mean$", lambda: encode("a", output_value="token_embeddings", windows="mean"))
        self.refused(usage, r"^\[truncate_dim\] expected at most 384, the vectors' width, got 1000$", lambda: summand.Encoder(self.model, truncate_dim=1000))
        for none in (lambda: encode("a", batch_tokens=None), lambda: self.tokenizer.decode([None]), lambda: self.encoder.hidden_states("a", layers=[None]),
                     lambda: summand.search([[1.0]], [[1.0]], None), lambda: encode("a", windows="mean", overlap=None)):  # fmt: skip
            self.refused(TypeError, r"^\[[a-z_]+(\[0\])?\] expected a whole number, got NoneType$", none)
        self.refused(usage, r"^\[ranges\] expected \[2, width\]", lambda: self.encoder.stream(["a"], dtype="int8"))
        self.refused(usage, r"^\[points\] expected token_part, .* got 'sums'$", lambda: summand.Taps(self.encoder, "sums"))
        self.refused(TypeError, r"^\[model\] expected a Model, got str$", lambda: summand.Taps("a", "sum"))
        self.refused(TypeError, r"^\[visit\] expected a function or None, got int$", lambda: summand.Taps(self.encoder, "sum", 3))
        self.refused(TypeError, r"^\[ids\] expected a whole number, got str$", lambda: self.tokenizer.decode(["a"]))
        self.refused(usage, r"^\[ids\] expected numbers below", lambda: self.tokenizer.decode([2**31]))

    def test_vectors(self):
        vectors, usage = np.zeros((2, 3), np.float32), summand.UsageError
        self.refused(usage, r"^\[corpus\] expected vectors of 3 numbers", lambda: summand.search(vectors, np.zeros((2, 4))))
        self.refused(usage, r"^\[queries\] expected an array of two dimensions, \[rows, width\], got 3$", lambda: summand.search(np.zeros((1, 2, 3)), vectors))
        self.refused(TypeError, r"^\[queries\] expected an array of numbers \[rows, width\], got list$", lambda: summand.search([["a"]], vectors))
        self.refused(summand.TextError, "not finite|finite", lambda: summand.search(np.full((1, 3), np.nan), vectors))
        self.refused(usage, r"^\[top_k\] expected a whole number from 1 on, got 0$", lambda: summand.search(vectors, vectors, 0))
        self.refused(usage, r"^\[similarity\] expected cosine", lambda: summand.similarity(vectors, vectors, "l3"))
        self.refused(usage, r"^\[ranges\] expected \[2, width\]", lambda: summand.quantize(vectors[:1], "int8"))
        self.refused(usage, r"^\[ranges\] expected finite numbers \[2, 3\]", lambda: summand.quantize(vectors, "int8", ranges=np.zeros((2, 4))))
        self.refused(usage, r"^\[ranges\] expected finite numbers", lambda: summand.quantize(vectors, "int8", ranges=np.full((2, 3), np.nan)))
        self.refused(usage, r"^\[corpus\] expected packed bits", lambda: summand.search(vectors, vectors, packed_bits=True))

    def test_models(self):
        self.refused(summand.CheckpointError, r"^\[/nowhere\] expected a directory", lambda: summand.Encoder("/nowhere"))
        self.refused(TypeError, r"^\[path\] expected str or os.PathLike, got NoneType$", lambda: summand.Model(None))
        self.refused(summand.UsageError, r"zero byte$", lambda: summand.Model("a\0b"))
        self.refused(summand.UsageError, r"^\[precision\] expected fp32", lambda: summand.Model(self.model, precision="fp64"))
        self.refused(summand.UsageError, r"^\[threads\] expected a whole number from 0 on, got -1$", lambda: summand.Model(self.model, threads=-1))
        self.refused(summand.UsageError, r"^\[threads\] expected at most 4096", lambda: summand.Model(self.model, threads=10**6))
        with tempfile.TemporaryDirectory() as folder:
            self.refused(summand.Error, folder, lambda: summand.Model(folder))

    def test_kinds_are_pythons_own_too(self):
        for kind, base in ((summand.UsageError, ValueError), (summand.TextError, ValueError), (summand.ConfigError, ValueError), (summand.CheckpointError, ValueError), (summand.IoError, OSError)):
            self.assertTrue(issubclass(kind, base) and issubclass(kind, summand.Error), kind)


class Fuzz(unittest.TestCase):
    def test_a_hundred_thousand_random_calls_return_or_raise(self):
        """In another process, which ends by itself."""
        with tempfile.TemporaryDirectory() as folder:
            directories = [head_models.head_directory(f"{folder}/{kind}", kind)[0] for kind in ("masked-lm", "sequence-classification", "token-classification")]
            script = summand_testing.ROOT / "tests" / "python" / "fuzz_calls.py"
            environment = os.environ | {"PYTHONPATH": str(summand_testing.PACKAGE), "PYTHONFAULTHANDLER": "1"}
            done = subprocess.run([sys.executable, script, str(CALLS), *directories], capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        returned, raised = map(int, done.stdout.split())
        self.assertEqual(returned + raised, CALLS)
        self.assertGreater(min(returned, raised), CALLS // 20, done.stdout)


if __name__ == "__main__":
    summand_testing.run_cases()
