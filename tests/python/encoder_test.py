"""summand.Encoder beside sentence-transformers on the same checkpoint, and beside the program, whose bits it has."""

import io
import itertools
import multiprocessing
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings

import numpy as np
import sentence_models
import summand_testing
import torch

sys.path.insert(0, str(summand_testing.PACKAGE))
import summand  # noqa: E402

TEXTS = ["A cat sat on the mat.", "", "Ein Text über Bären.", "银行提高了利率。", "word " * 100, "🙂 née", "the", "A cat sat on the mat."]
NEAR = 1e-6
warnings.simplefilter("ignore", summand.CutWarning)


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


def embedded_by_the_program(model, texts, *words):
    with tempfile.TemporaryDirectory() as folder:
        given, out = pathlib.Path(folder) / "texts.txt", pathlib.Path(folder) / "out.npy"
        given.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        subprocess.run([summand_testing.BIN / "summand", "embed", "--model", model, given, "-o", out, *words], check=True, capture_output=True)
        return np.load(out)


def embed_in_child(encoder, queue):
    queue.put(encoder.encode(TEXTS))


class Against(unittest.TestCase):
    """Every option of sentence-transformers that means something on a CPU."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.theirs, cls.directory = sentence_models.sentence_model(folder, dense=[(20, torch.nn.Tanh())], prompts=sentence_models.PROMPTS, include_prompt=False)
        cls.ours = summand.Encoder(cls.directory)

    def assert_near(self, got, expected, what=None):
        self.assertEqual((got.shape, got.dtype), (expected.shape, expected.dtype), what)
        np.testing.assert_allclose(got, expected, rtol=0, atol=NEAR, err_msg=str(what))

    def test_prompts_lengths_and_normalisation(self):
        choices = itertools.product((None, "query", "passage"), (False, True), (None, 1, 7, 20))
        for prompt_name, normalize, dimensions in choices:
            options = {"prompt_name": prompt_name, "normalize_embeddings": normalize, "truncate_dim": dimensions}
            self.assert_near(self.ours.encode(TEXTS, **options), self.theirs.encode(TEXTS, **options), options)
        self.assert_near(self.ours.encode(TEXTS, prompt="Say: "), self.theirs.encode(TEXTS, prompt="Say: "))

    def test_one_text_is_one_vector(self):
        for text in TEXTS:
            self.assert_near(self.ours.encode(text), self.theirs.encode(text), text)

    def test_queries_and_documents(self):
        self.assert_near(self.ours.encode_query(TEXTS), self.theirs.encode_query(TEXTS))
        self.assert_near(self.ours.encode_document(TEXTS), self.theirs.encode_document(TEXTS))
        self.assertFalse(np.array_equal(self.ours.encode_query("a"), self.ours.encode_document("a")))

    def test_number_types(self):
        ranges = np.array([[-1] * 20, [1] * 20], dtype=np.float32)
        for kind in ("int8", "uint8", "binary", "ubinary"):
            ours, theirs = self.ours.encode(TEXTS, precision=kind), self.theirs.encode(TEXTS, precision=kind)
            self.assertEqual((ours.dtype, ours.shape), (theirs.dtype, theirs.shape))
            apart = np.abs(ours.astype(int) - theirs.astype(int))  # a coordinate next to an edge may fall on either side
            self.assertLessEqual(apart.max() if kind in ("int8", "uint8") else 0, 1, kind)
            if kind in ("binary", "ubinary"):
                bits = [np.unpackbits((each.astype(int) % 256 + (128 if kind == "binary" else 0)).astype(np.uint8)) for each in (ours, theirs)]
                self.assertLess((bits[0] != bits[1]).mean(), 0.01, kind)
        self.assertEqual(self.ours.encode(TEXTS, dtype="float16").dtype, np.float16)
        exact = self.ours.encode(TEXTS)
        self.assertTrue(np.array_equal(self.ours.encode(TEXTS, dtype="float16"), exact.astype(np.float16)))
        self.assertTrue(np.array_equal(self.ours.encode(TEXTS[:1], dtype="int8", ranges=ranges), self.ours.encode(TEXTS, dtype="int8", ranges=ranges)[:1]))

    def test_max_seq_length(self):
        self.assertEqual(self.ours.max_seq_length, self.theirs.max_seq_length)
        old = self.theirs.max_seq_length
        try:
            self.ours.max_seq_length = self.theirs.max_seq_length = 5
            self.assert_near(self.ours.encode(TEXTS), self.theirs.encode(TEXTS))
        finally:
            self.ours.max_seq_length = self.theirs.max_seq_length = old
        with self.assertRaisesRegex(summand.UsageError, r"\[max_seq_length\] expected at most 80"):
            self.ours.max_seq_length = 81

    def test_token_embeddings(self):
        ours, theirs = (model.encode(TEXTS, output_value="token_embeddings") for model in (self.ours, self.theirs))
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other.numpy(), rtol=0, atol=4 * NEAR)  # of length 5, not 1
        for prompt in ({"prompt_name": "query"}, {"prompt": "Say: "}):
            ours, theirs = (model.encode(TEXTS, output_value="token_embeddings", **prompt) for model in (self.ours, self.theirs))
            for one, other in zip(ours, theirs, strict=True):
                np.testing.assert_allclose(one, other.numpy(), rtol=0, atol=4 * NEAR)
        with self.assertRaisesRegex(summand.UsageError, r"\[prompt\] expected either"):
            self.ours.encode("a", output_value="token_embeddings", prompt="Say: ", prompt_name="query")

    def test_tensors(self):
        self.assertTrue(torch.equal(self.ours.encode(TEXTS, convert_to_tensor=True), torch.from_numpy(self.ours.encode(TEXTS))))
        rows = self.ours.encode(TEXTS[:2], convert_to_numpy=False)
        self.assertEqual([row.shape for row in rows], [(20,), (20,)])

    def test_similarity(self):
        a, b = self.ours.encode(TEXTS[:3]), self.ours.encode(TEXTS[2:5])
        for measure in ("cosine", "dot", "euclidean", "manhattan"):
            self.theirs.similarity_fn_name = self.ours.similarity_fn_name = measure
            np.testing.assert_allclose(self.ours.similarity(a, b), self.theirs.similarity(a, b).numpy(), atol=2e-6)
            np.testing.assert_allclose(self.ours.similarity_pairwise(a, b), self.theirs.similarity_pairwise(a, b).numpy(), atol=2e-6)

    def test_search(self):
        from sentence_transformers.util import semantic_search

        corpus, queries = self.ours.encode(TEXTS[:7]), self.ours.encode(["a cat", "bank"])
        ours, theirs = summand.search(queries, corpus, 3), semantic_search(torch.from_numpy(queries), torch.from_numpy(corpus), top_k=3)
        for one, other in zip(ours, theirs, strict=True):
            self.assertEqual([hit["corpus_id"] for hit in one], [hit["corpus_id"] for hit in other])
            np.testing.assert_allclose([hit["score"] for hit in one], [hit["score"] for hit in other], atol=1e-6)
        indices, scores = summand.search(queries, corpus, 3, as_arrays=True)
        self.assertEqual((indices.shape, scores.shape), ((2, 3), (2, 3)))

    def test_search_of_packed_bits_compares_bits(self):
        vectors = self.ours.encode([f"{text} {number}" for text in TEXTS for number in range(8)])
        signs = np.where(vectors > 0, 1.0, -1.0)[:, :16]
        expected = summand.search(signs, signs, 5)
        for dtype in ("binary", "ubinary"):
            packed = summand.quantize(vectors[:, :16], dtype)
            self.assertEqual(summand.search(packed, packed, 5, packed_bits=True), expected)
            self.assertEqual(summand.search(signs, packed, 5, packed_bits=True), expected)
            self.assertEqual(summand.search(signs, packed[:0], 5, packed_bits=True), [[]] * len(signs))
            with self.assertRaisesRegex(summand.UsageError, r"^\[queries\] expected packed bits, or vectors of 16 numbers"):
                summand.search(signs[:, :2], packed, packed_bits=True)

    def test_columns_of_vectors_are_searched(self):
        import pandas
        import polars
        import pyarrow

        texts = [f"{text} {number}" for text in TEXTS for number in range(3)]
        vectors = self.ours.encode(texts)
        expected = summand.search(vectors[:2], vectors, 3)
        columns = [self.ours.encode_column(column) for column in (polars.Series(texts), pyarrow.array(texts), pandas.Series(texts))]
        half = pyarrow.chunked_array([columns[1][:4], columns[1][4:]])
        for column in (*columns, half, pandas.Series(list(vectors)), columns[1]):
            self.assertEqual(summand.search(vectors[:2], column, 3), expected, type(column))
        self.assertEqual(summand.search(vectors[5:6], columns[1][5:], 1)[0][0]["corpus_id"], 0)
        with self.assertRaisesRegex(summand.UsageError, r"^\[corpus\] expected a column of vectors of one width"):
            summand.search(vectors[:2], pandas.Series([[1.0], [1.0, 2.0]]))

    def test_no_vectors(self):
        none, some = self.ours.encode([]), self.ours.encode(TEXTS)
        self.assertEqual((summand.search(none, some), summand.search(some, none)), ([], [[]] * len(TEXTS)))
        self.assertEqual((self.ours.similarity(none, some).shape, self.ours.similarity(some, none).shape), ((0, len(TEXTS)), (len(TEXTS), 0)))
        self.assertEqual(summand.quantize(none, "float16").shape, none.shape)

    def test_names_of_the_model(self):
        self.assertEqual(self.ours.get_embedding_dimension(), self.theirs.get_embedding_dimension())
        self.assertEqual({name: text for name, text in self.ours.prompts.items() if text}, sentence_models.PROMPTS)
        self.assertEqual(self.ours.default_prompt_name, self.theirs.default_prompt_name)


class Bits(unittest.TestCase):
    """MiniLM: the program's bits, in every way that Python has to ask for them."""

    @classmethod
    def setUpClass(cls):
        cls.model = summand_testing.minilm()
        cls.encoder = summand.Encoder(cls.model)
        cls.expected = cls.encoder.encode(TEXTS)

    def test_the_programs_bits(self):
        self.assertTrue(same_bits(self.expected, embedded_by_the_program(self.model, TEXTS)))
        for words, options in ((("--no-normalize",), {"normalize": False}), (("--dimensions", "100"), {"dimensions": 100}),
                               (("--pooling", "cls"), {"pooling": "cls"}), (("--prompt", "query: "), {"prompt": "query: "}),
                               (("--windows", "max", "--overlap", "3"), {"windows": "max", "overlap": 3}),
                               (("--truncation", "tail"), {"truncation": "tail"})):  # fmt: skip
            self.assertTrue(same_bits(self.encoder.encode(TEXTS, **options), embedded_by_the_program(self.model, TEXTS, *words)), words)

    def test_sentence_transformers_numbers(self):
        from sentence_transformers import SentenceTransformer

        theirs = SentenceTransformer(str(self.model), device="cpu").encode(TEXTS)
        np.testing.assert_allclose(self.expected, theirs, atol=NEAR, rtol=0)

    def test_alone_in_any_order_and_size_of_batch(self):
        alone = np.stack([self.encoder.encode(text) for text in TEXTS])
        reverse = self.encoder.encode(TEXTS[::-1], batch_tokens=8)[::-1]
        self.assertTrue(same_bits(alone, self.expected) and same_bits(np.ascontiguousarray(reverse), self.expected))

    def test_every_kind_of_list(self):
        import pandas
        import polars
        import pyarrow

        kinds = (tuple(TEXTS), iter(TEXTS), np.array(TEXTS), np.array(TEXTS, dtype=object), pandas.Series(TEXTS), pandas.Series(TEXTS, dtype=object), pandas.Series(TEXTS).astype("category"),
                 polars.Series(TEXTS), pyarrow.array(TEXTS), pyarrow.array(TEXTS, pyarrow.large_string()), pyarrow.array(TEXTS, pyarrow.string_view()),
                 pyarrow.chunked_array([TEXTS[:3], TEXTS[3:]]), pyarrow.array(["x", *TEXTS])[1:], polars.Series(["x", *TEXTS])[1:])  # fmt: skip
        for texts in kinds:
            self.assertTrue(same_bits(self.encoder.encode(texts), self.expected), type(texts))

    def test_columns_come_back_as_columns(self):
        import pandas
        import polars
        import pyarrow

        frame = pandas.DataFrame({"text": TEXTS}, index=range(10, 10 + len(TEXTS)))
        column = self.encoder.encode_column(frame["text"])
        self.assertEqual((list(column.index), column.name), (list(frame.index), "text"))
        self.assertTrue(np.array_equal(np.stack(column.to_list()), self.expected))
        series = self.encoder.encode_column(polars.Series("text", TEXTS))
        self.assertEqual(series.dtype, polars.Array(polars.Float32, 384))
        self.assertTrue(np.array_equal(series.to_numpy(), self.expected))
        array = self.encoder.encode_column(pyarrow.array(TEXTS))
        self.assertEqual(array.type, pyarrow.list_(pyarrow.float32(), 384))
        self.assertTrue(np.array_equal(np.stack(array.to_numpy(zero_copy_only=False)), self.expected))

    def test_a_column_of_pyarrow_is_not_copied(self):
        import pyarrow

        vectors = self.encoder.encode(TEXTS)
        from summand import columns

        array = columns.like(pyarrow.array(TEXTS), vectors)
        self.assertEqual(array.flatten().buffers()[1].address, vectors.ctypes.data)

    def test_out_is_filled(self):
        out = np.full((len(TEXTS), 384), np.nan, dtype=np.float32)
        self.assertIs(self.encoder.encode(TEXTS, out=out), out)
        self.assertTrue(same_bits(out, self.expected))

    def test_a_stream_has_the_same_bits_and_takes_few_texts_ahead(self):
        taken = []

        def texts():
            for text in itertools.cycle(TEXTS):
                taken.append(text)
                yield text

        stream = self.encoder.stream(texts(), batch_tokens=64)
        first = np.stack(list(itertools.islice(stream, 2 * len(TEXTS))))
        self.assertTrue(same_bits(first, np.concatenate([self.expected, self.expected])))
        self.assertLess(len(taken), 10 * len(TEXTS))
        empty = self.encoder.stream(itertools.repeat(""), batch_tokens=64)  # endless
        self.assertEqual(next(empty).shape, (384,))
        with self.assertRaisesRegex(TypeError, r"^\[sentences\[\d+\]\] expected str or a pair of str, got NoneType, counted after \d+ texts of the stream$"):
            list(self.encoder.stream(["a b c"] * 50 + [None], batch_tokens=64))
        for name in ("dtype", "precision"):
            with self.assertRaisesRegex(summand.UsageError, r"^\[ranges\] expected"):
                self.encoder.stream(TEXTS, **{name: "int8"})

    def test_no_text(self):
        self.assertEqual(self.encoder.encode([]).shape, (0, 384))
        self.assertEqual(list(self.encoder.stream([])), [])
        for dtype, width in (("float16", 384), ("int8", 384), ("binary", 48), ("ubinary", 48)):
            found = self.encoder.encode([], dtype=dtype)
            self.assertEqual((found.shape, found.dtype), ((0, width), self.encoder.encode(TEXTS, dtype=dtype).dtype))

    def test_several_threads_at_once(self):
        found = {}

        def call(number):
            found[number] = self.encoder.encode(TEXTS[number:] + TEXTS[:number])

        threads = [threading.Thread(target=call, args=(number,)) for number in range(len(TEXTS))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for number, vectors in found.items():
            self.assertTrue(same_bits(np.roll(vectors, number, axis=0), self.expected), number)

    def test_other_python_threads_run_meanwhile(self):
        """As fast as beside an idle thread, nearly: a call that held the GIL would let through a hundredth."""
        counted, done, encoder = [0], threading.Event(), summand.Encoder(self.model, threads=1)

        def count():
            while not done.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        rates = []
        for call in (lambda: time.sleep(0.3), lambda: encoder.encode(["a sentence that takes its time " * 20 + str(number) for number in range(100)])):
            before, begin = counted[0], time.perf_counter()
            call()
            rates.append((counted[0] - before) / (time.perf_counter() - begin))
        done.set()
        thread.join()
        self.assertGreater(rates[1], 0.1 * rates[0])

    def test_a_process_ends_while_its_daemon_threads_compute(self):
        script = "import sys, threading, time, summand\nencoder = summand.Encoder(sys.argv[1], threads=int(sys.argv[2]))\ntexts = [str(n) + ' a long text ' * 100 for n in range(int(sys.argv[3]))]\ndef call():\n    while True:\n        encoder.encode(texts)\nthreading.Thread(target=call, daemon=True).start()\ntime.sleep(0.3)\nprint('end')\nsys.exit(3)\n"
        for threads, texts in (("1", "3000"), ("2", "3000"), *[("1", "1")] * 5):  # one long call, or many that begin and end
            done = subprocess.run([sys.executable, "-c", script, self.model, threads, texts], capture_output=True, text=True, timeout=300,
                                  env=os.environ | {"PYTHONPATH": str(summand_testing.PACKAGE), "PYTHONWARNINGS": "ignore"})  # fmt: skip
            self.assertEqual((done.returncode, done.stdout, done.stderr), (3, "end\n", ""))

    def test_a_forked_process_goes_on(self):
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = context.Process(target=embed_in_child, args=(self.encoder, queue))
            child.start()
        found = queue.get(timeout=300)
        child.join(300)
        self.assertEqual(child.exitcode, 0)
        self.assertTrue(same_bits(found, self.expected))

    def test_pickle_opens_the_model_again(self):
        encoder = summand.Encoder(self.model, threads=1, truncate_dim=10)
        encoder.max_seq_length = 7
        again = pickle.loads(pickle.dumps(encoder))
        self.assertEqual((again.encode("a").shape, again.max_seq_length), ((10,), 7))
        encoder.truncate_dim, encoder.similarity_fn_name = 5, "dot"
        again = pickle.loads(pickle.dumps(encoder))
        self.assertEqual((again.encode("a").shape, again.similarity_fn_name), ((5,), "dot"))
        encoding = pickle.loads(pickle.dumps(encoder.tokenize("a cat")))
        self.assertEqual((encoding.tokens, encoding.offsets), (["[CLS]", "a", "cat", "[SEP]"], [(0, 0), (0, 1), (2, 5), (0, 0)]))

    def test_the_cache_of_packed_weights(self):
        with tempfile.TemporaryDirectory() as folder:
            for _ in range(2):
                with summand.Encoder(self.model, cache=folder) as encoder:
                    self.assertTrue(same_bits(encoder.encode(TEXTS), self.expected))
            self.assertTrue(list(pathlib.Path(folder).iterdir()))

    def test_a_closed_model_refuses(self):
        with summand.Encoder(self.model) as encoder:
            pass
        self.assertTrue(encoder.closed)
        with self.assertRaisesRegex(summand.UsageError, r"\[model\] expected an open model"):
            encoder.encode("a")

    def test_closing_lets_running_calls_end(self):
        encoder, found, running = summand.Encoder(self.model), [], threading.Event()

        def call():
            with summand.Taps(encoder, "sum", lambda visit: running.set()):
                found.append(encoder.encode(TEXTS * 20))

        thread = threading.Thread(target=call)
        thread.start()
        running.wait(300)
        encoder.close()
        self.assertEqual((found, encoder.closed), ([], True))
        thread.join()
        self.assertTrue(same_bits(found[0][: len(TEXTS)], self.expected))

    def test_ctrl_c_ends_a_call(self):
        script = "import sys, summand\nencoder = summand.Encoder(sys.argv[1])\ntexts = ['a long text ' * 100 + str(n) for n in range(100000)]\ntry:\n    print('go', flush=True)\n    encoder.encode(texts)\nexcept KeyboardInterrupt:\n    print('interrupted', encoder.encode('a').shape)\n"
        command = [sys.executable, "-c", script, self.model]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(summand_testing.PACKAGE), "PYTHONWARNINGS": "ignore"},
                                 preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))  # fmt: skip
        self.assertEqual(child.stdout.readline(), "go\n")
        child.send_signal(signal.SIGINT)
        self.assertEqual(child.communicate(timeout=600)[0], "interrupted (384,)\n")

    def test_progress_counts_every_text(self):
        import tqdm.auto

        shown = io.StringIO()
        old, sys.stderr = sys.stderr, shown
        try:
            self.encoder.encode(TEXTS, show_progress_bar=True)
        finally:
            sys.stderr = old
        self.assertIn(f"{len(TEXTS)}/{len(TEXTS)}", shown.getvalue())
        self.assertTrue(tqdm.auto)

    def test_a_cut_text_is_told(self):
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            self.encoder.encode(["a", "word " * 400])
            self.encoder.encode_query(["a", "word " * 400])
            list(self.encoder.stream(["a", "word " * 400]))
        self.assertEqual([(str(one.message), one.filename) for one in told], 3 * [("1 of 2 texts were cut at 256 tokens", __file__)])

    def test_import_is_light(self):
        script = "import sys, summand; print([name for name in ('numpy', 'pandas', 'torch', 'tqdm', 'subprocess') if name in sys.modules])"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": str(summand_testing.PACKAGE)})
        self.assertEqual(done.stdout, "[]\n", done.stderr)


if __name__ == "__main__":
    summand_testing.run_cases()
