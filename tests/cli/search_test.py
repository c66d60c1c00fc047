"""search and similarity against numpy in double precision and sentence-transformers' semantic_search."""

import json
import os
import pathlib
import sys
import tempfile
import unittest

import numpy as np
import sentence_models
from command_line import summand
from sentence_transformers.util import quantize_embeddings, semantic_search

CORPUS = ["The cat sat.", "我喜欢猫", "A river in spring", "", "Ünïcode straße", "the river bank", "cats and dogs", "word word word"]
QUERIES = ["a river", "the cat", "straße"]
# A cosine of unit vectors of 384 floats, from their float32 sums against those in double precision.
SINGLE = 1e-5


def cosines(a, b):
    a, b = a.astype(np.float64), b.astype(np.float64)
    return (a @ b.T) / np.outer(np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1))


def similarities(name, a, b):
    """By their definitions, in double precision. Source: sentence-transformers, util/similarity.py."""
    a, b = a.astype(np.float64), b.astype(np.float64)
    differences = a[:, None] - b[None]
    return {"cosine": lambda: cosines(a, b), "dot": lambda: a @ b.T,
            "euclidean": lambda: -np.sqrt((differences**2).sum(-1)), "manhattan": lambda: -np.abs(differences).sum(-1)}[name]()  # fmt: skip


class Search(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.keep.cleanup)
        folder = pathlib.Path(cls.keep.name)
        cls.model = sentence_models.transformer_directory(folder / "model")
        for name, texts in (("corpus", CORPUS), ("queries", QUERIES)):
            (folder / f"{name}.txt").write_text("".join(text + "\n" for text in texts))
            result = summand("embed", "--model", cls.model, folder / f"{name}.txt", "-o", folder / f"{name}.npy")
            assert result.returncode == 0, result.stderr
        cls.corpus, cls.queries = np.load(folder / "corpus.npy"), np.load(folder / "queries.npy")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.kept = pathlib.Path(self.keep.name)

    def run_ok(self, *arguments, **options):
        result = summand(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def refused(self, *arguments, status=1):
        result = summand(*arguments)
        self.assertEqual((result.returncode, result.stdout, result.stderr.count("\n")), (status, "", 1), result.stderr)
        return result.stderr

    def search(self, corpus, *arguments, **options):
        result = self.run_ok("search", "--model", self.model, "--corpus", corpus, *arguments, "--json", **options)
        self.said = result.stderr
        return [json.loads(line) for line in result.stdout.splitlines()]

    def check_hits(self, lines, scores):
        self.assertEqual(len(lines), len(scores))
        for line, row in zip(lines, scores, strict=True):
            order = np.argsort(-row, kind="stable")[: len(line["hits"])]
            self.assertEqual([hit["index"] for hit in line["hits"]], order.tolist())
            self.assertEqual([hit["rank"] for hit in line["hits"]], list(range(1, len(order) + 1)))
            np.testing.assert_allclose([hit["score"] for hit in line["hits"]], row[order], rtol=0, atol=1e-13)

    def test_queries_and_corpus_have_a_prompt_each(self):
        prompts = {"query": "the cat ", "passage": "a river "}
        _, model = sentence_models.sentence_model(self.folder / "model", prompts=prompts)
        settings = model / "config_sentence_transformers.json"
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"default_prompt_name": "passage"}))
        files = {}
        for name, given in (("queries", "query"), ("queries", "passage"), ("corpus", "query"), ("corpus", "passage"), ("corpus", "")):
            out = self.folder / f"{name}-{given}.npy"
            prompt = ("--prompt-name", given) if given else ("--prompt", "")
            self.run_ok("embed", "--model", model, self.kept / f"{name}.txt", "-o", out, *prompt)
            files[name, given] = np.load(out)
        for asked, pair in (((), ("passage", "passage")), (("--prompt-name", "query"), ("query", "passage")),
                            (("--corpus-prompt-name", "query"), ("passage", "query")),
                            (("--prompt-name", "query", "--corpus-prompt", ""), ("query", ""))):  # fmt: skip
            result = self.run_ok("search", "--model", model, "--corpus", self.kept / "corpus.txt", self.kept / "queries.txt", "--json", *asked)
            self.check_hits([json.loads(line) for line in result.stdout.splitlines()],
                            cosines(files["queries", pair[0]], files["corpus", pair[1]]))  # fmt: skip
            self.assertRegex(result.stderr, f"prompt '{pair[0]}' stands before every query: '{prompts[pair[0]]}'")
            self.assertEqual("before every text of the corpus" in result.stderr, pair[1] != "", result.stderr)
        said = self.refused("search", "--model", model, "--corpus", self.kept / "corpus.txt", "--query", "a", "--corpus-prompt-name", "pasage", status=2)
        self.assertIn("passage", said)

    def test_hits_are_those_of_numpy_and_of_sentence_transformers(self):
        queries = self.kept / "queries.txt"
        for corpus in (self.kept / "corpus.npy", self.kept / "corpus.txt"):
            lines = self.search(corpus, queries, "--top", 5)
            self.assertEqual([line["query"] for line in lines], QUERIES)
            self.check_hits(lines, cosines(self.queries, self.corpus))
            for line, hits in zip(lines, semantic_search(self.queries, self.corpus, top_k=5), strict=True):
                self.assertEqual([hit["index"] for hit in line["hits"]], [hit["corpus_id"] for hit in hits])
                np.testing.assert_allclose([hit["score"] for hit in line["hits"]], [hit["score"] for hit in hits], atol=SINGLE)

    def test_texts_stand_beside_their_scores(self):
        texts = self.kept / "corpus.txt"
        for corpus in ((texts,), (self.kept / "corpus.npy", "--corpus-texts", texts)):
            line = self.search(*corpus, "--query", "a river", "--top", 99)[0]
            self.assertEqual(len(line["hits"]), len(CORPUS))
            for hit in line["hits"]:
                self.assertEqual(hit["text"], CORPUS[hit["index"]])
        self.assertNotIn("text", self.search(self.kept / "corpus.npy", "--query", "a river")[0]["hits"][0])
        shown = self.run_ok("search", "--model", self.model, "--corpus", texts, "--query", "a river", "--top", 8).stdout
        self.assertRegex(shown, r"^a river\n *rank +score +line +text")
        self.assertIn("A river in spring", shown)

    def test_ids_are_read_from_the_file_beside(self):
        vectors = self.folder / "v.npy"
        np.save(vectors, self.corpus)
        ids = ["first", 7, {"a": 1}, "x", "y", "z", None, [1]]
        beside = self.folder / "v.npy.ids.jsonl"
        beside.write_text("".join(json.dumps(one) + "\n" for one in ids))
        for hit in self.search(vectors, "--query", "the cat")[0]["hits"]:
            self.assertEqual(hit["id"], ids[hit["index"]])
        self.assertIn("first", self.run_ok("search", "--model", self.model, "--corpus", vectors, "--query", "the cat").stdout)
        beside.write_text('"one"\n')
        self.assertIn("expected a line for each of 8 vectors, got 1", self.refused("search", "--model", self.model, "--corpus", vectors, "--query", "a"))

    def test_threads_and_other_queries_change_no_bit(self):
        corpus = self.folder / "c.npy"
        np.save(corpus, np.random.default_rng(0).standard_normal((3000, 24)).astype(np.float32))
        lines = self.search(corpus, self.kept / "queries.txt", "--threads", 1)
        self.assertEqual(self.search(corpus, self.kept / "queries.txt", "--threads", 3), lines)
        self.assertEqual([self.search(corpus, "--query", query)[0] for query in QUERIES], lines)
        longer = self.search(corpus, "--query", QUERIES[1], "--top", 3000)[0]["hits"]
        self.assertEqual(longer[:10], lines[1]["hits"])

    def test_a_corpus_in_other_types_is_compared_as_what_it_stands_for(self):
        corpus, width = self.folder / "c.npy", self.corpus.shape[1]
        queries = self.kept / "queries.txt"
        for dtype in ("float16", "float64"):
            np.save(corpus, self.corpus.astype(dtype))
            self.check_hits(self.search(corpus, queries), cosines(self.queries, self.corpus.astype(dtype)))
            self.assertEqual("rounded to float32" in self.said, dtype == "float64")
        ranges = np.vstack([self.corpus.min(0), self.corpus.max(0)])
        steps = (ranges[1] - ranges[0]) / np.float32(255)
        for dtype in ("int8", "uint8"):
            codes = quantize_embeddings(self.corpus, dtype)
            np.save(corpus, codes)
            np.save(self.folder / "c.npy.ranges.npy", ranges)
            read = codes.astype(np.float64) + (128 if dtype == "int8" else 0)
            read = (read * steps + ranges[0]).astype(np.float32)
            self.check_hits(self.search(corpus, queries), cosines(self.queries, read))
        (self.folder / "c.npy.ranges.npy").unlink()
        self.assertIn("expected c.npy.ranges.npy next to it", self.refused("search", "--model", self.model, "--corpus", corpus, queries))
        bits = np.unpackbits(quantize_embeddings(self.corpus, "ubinary"), axis=1)[:, :width]
        for dtype in ("binary", "ubinary"):
            np.save(corpus, quantize_embeddings(self.corpus, dtype))
            lines = self.search(corpus, queries)
            self.check_hits(lines, cosines(self.queries, 2.0 * bits - 1))
            # sentence-transformers ranks candidates by query · bits, which is the same order.
            for line, query in zip(lines, self.queries, strict=True):
                order = np.argsort(-(query.astype(np.float64) @ bits.T), kind="stable")
                self.assertEqual([hit["index"] for hit in line["hits"]], order.tolist())

    def test_dot_products_rank_vectors_that_are_not_normalised(self):
        corpus = self.folder / "c.npy"
        long = self.corpus * np.arange(1, 9, dtype=np.float32)[:, None]
        np.save(corpus, long)
        lines = self.search(corpus, self.kept / "queries.txt", "--similarity", "dot")
        for line, row in zip(lines, self.queries.astype(np.float64) @ long.astype(np.float64).T, strict=True):
            order = np.argsort(-row)
            self.assertEqual([hit["index"] for hit in line["hits"]], order.tolist())
            np.testing.assert_allclose([hit["score"] for hit in line["hits"]], row[order], rtol=1e-12)

    def test_the_similarity_is_what_the_model_names_unless_another_is_asked_for(self):
        library, model = sentence_models.sentence_model(self.folder / "model", "max")
        settings = model / "config_sentence_transformers.json"
        own = json.loads(settings.read_text())
        rows = library.encode(QUERIES), library.encode(CORPUS)
        self.assertGreater(np.ptp(np.linalg.norm(rows[1], axis=1)), 0.05)  # of unequal lengths
        files = self.kept / "queries.txt", self.kept / "corpus.txt"
        vectors = []
        for i, path in enumerate(files):
            self.run_ok("embed", "--model", model, path, "-o", self.folder / f"{i}.npy")
            vectors.append(np.load(self.folder / f"{i}.npy"))
        names = ("cosine", "dot", "euclidean", "manhattan")
        for named in (*names, None):
            settings.write_text(json.dumps(own | {"similarity_fn_name": named}))
            library = type(library)(str(model), device="cpu")
            self.assertEqual(library.similarity_fn_name, named or "cosine")
            for asked in ("", *names):
                measure = asked or named or "cosine"
                with self.subTest(named=named, asked=asked):
                    options = ("--similarity", asked) if asked else ()
                    want = similarities(measure, *vectors)
                    library.similarity_fn_name = measure
                    np.testing.assert_allclose(library.similarity(*rows), want, rtol=1e-4, atol=1e-4)
                    found = self.run_ok("search", "--model", model, "--corpus", files[1], files[0], "--json", *options)
                    lines = [json.loads(line) for line in found.stdout.splitlines()]
                    self.assertEqual({line["similarity_fn_name"] for line in lines}, {measure})
                    for line, row in zip(lines, want, strict=True):
                        order = np.argsort(-row, kind="stable")
                        self.assertEqual([hit["index"] for hit in line["hits"]], order.tolist())
                        np.testing.assert_allclose([hit["score"] for hit in line["hits"]], row[order], rtol=1e-13, atol=1e-13)
                    compared = self.run_ok("similarity", "--model", model, *files, "--json", *options)
                    shown = json.loads(compared.stdout)
                    self.assertEqual(shown["similarity_fn_name"], measure)
                    np.testing.assert_allclose(shown["similarity"], want, rtol=1e-13, atol=1e-13)
                    said = f"summand: the model's similarity_fn_name is {measure}"
                    for result in (found, compared):
                        self.assertEqual(result.stderr.count(said), int(not asked and measure != "cosine"), result.stderr)
        out = self.folder / "out.npy"
        said = self.run_ok("similarity", "--model", model, *files, "-o", out, "--similarity", "manhattan").stderr
        self.assertIn(f"3 x 8 similarities (manhattan) in {out}", said)
        np.testing.assert_array_equal(np.load(out), similarities("manhattan", *vectors).astype(np.float32))

    def test_a_similarity_that_the_library_passes_over_is_said_and_a_wrong_option_refused(self):
        _, model = sentence_models.sentence_model(self.folder / "model")
        settings = model / "config_sentence_transformers.json"
        settings.write_text(json.dumps(json.loads(settings.read_text()) | {"similarity_fn_name": "maxsim"}))
        for verb in ("search", "similarity"):
            corpus = ("--corpus", self.kept / "corpus.txt") if verb == "search" else ()
            result = self.run_ok(verb, "--model", model, *corpus, "--text", "a", "--text", "b", "--json")
            self.assertIn('similarity_fn_name: expected one of cosine, dot, euclidean, manhattan, got "maxsim"; cosine is used', result.stderr)
            shown = json.loads(result.stdout.splitlines()[0] if verb == "search" else result.stdout)
            self.assertEqual(shown["similarity_fn_name"], "cosine")
            refused = summand(verb, "--model", model, *corpus, "--text", "a", "--similarity", "maxsim")
            self.assertEqual(refused.returncode, 2)
            self.assertIn("expected one of cosine, dot, euclidean, manhattan, got maxsim", refused.stderr)

    def test_distances_to_stored_numbers_and_none_to_bits(self):
        corpus, queries = self.folder / "c.npy", self.kept / "queries.txt"
        for dtype in (np.float16, np.float64):
            np.save(corpus, self.corpus.astype(dtype))
            for name in ("euclidean", "manhattan"):
                self.check_hits(self.search(corpus, queries, "--similarity", name), similarities(name, self.queries, np.load(corpus)))
        self.run_ok("embed", "--model", self.model, self.kept / "corpus.txt", "-o", corpus, "--dtype", "int8", "--overwrite")
        ranges = np.load(self.folder / "c.npy.ranges.npy")
        steps = (ranges[1] - ranges[0]) / np.float32(255)
        read = ((np.load(corpus).astype(np.float64) + 128) * steps + ranges[0]).astype(np.float32)
        self.assertLess(np.abs(read - self.corpus).max(), steps.max() * 1.01)
        self.check_hits(self.search(corpus, queries, "--similarity", "euclidean"), similarities("euclidean", self.queries, read))
        (self.folder / "c.npy.ranges.npy").unlink()
        np.save(corpus, quantize_embeddings(self.corpus, "ubinary"))
        for name in ("euclidean", "manhattan"):
            said = self.refused("search", "--model", self.model, "--corpus", corpus, queries, "--similarity", name, status=2)
            self.assertIn("expected numbers for a distance, got bits, which keep no lengths: of these cosine and dot can be had", said)

    def test_what_cannot_be_searched_is_said(self):
        corpus = self.folder / "c.npy"
        common = ("search", "--model", self.model, "--corpus", corpus)
        np.save(corpus, np.ones((3, 768), np.float32))
        self.assertIn("expected vectors of 24 numbers, as the queries have, got 768", self.refused(*common, "--query", "a"))
        np.save(corpus, np.ones((0, 24), np.float32))
        self.assertIn("expected a corpus to search in, got an empty one", self.refused(*common, "--query", "a"))
        np.save(corpus, np.full((3, 24), np.nan, np.float32))
        self.assertIn("expected finite numbers, got", self.refused(*common, "--query", "a"))
        np.save(corpus, np.asfortranarray(np.ones((3, 24), np.float32)))
        self.assertIn("expected rows one after the other", self.refused(*common, "--query", "a"))
        np.save(corpus, self.corpus)
        self.assertIn("expected queries", self.refused(*common, status=2))
        texts = self.folder / "texts.txt"
        texts.write_text("one\n")
        self.assertIn("expected a line for each of 8 vectors, got 1", self.refused(*common, "--corpus-texts", texts, "--query", "a"))
        self.assertIn("got standard input", self.refused("search", "--model", self.model, "--corpus", "-", "--query", "a", status=2))
        texts.write_text("")
        self.assertIn("got an empty one", self.refused("search", "--model", self.model, "--corpus", texts, "--query", "a"))

    def test_bytes_that_are_not_utf_8_are_replaced_in_queries_and_corpus(self):
        corpus, queries, vectors = self.folder / "corpus.txt", self.folder / "queries.txt", self.folder / "corpus.npy"
        texts, asked = [b"the cat", b"caf\xe9 au lait", b"a \xff river\xc3"], [b"caf\xe9", b"a river"]
        corpus.write_bytes(b"".join(text + b"\n" for text in texts))
        queries.write_bytes(b"".join(text + b"\n" for text in asked))
        read = [text.decode("utf-8", "replace") for text in texts]
        (self.folder / "read.txt").write_text("".join(text + "\n" for text in read))
        self.run_ok("embed", "--model", self.model, self.folder / "read.txt", "-o", vectors)
        common = ("search", "--model", self.model)
        self.assertIn("corpus.txt:2] expected UTF-8, got 0xE9 at byte 4", self.refused(*common, "--corpus", corpus, "--query", "a"))
        self.assertIn("queries.txt:1] expected UTF-8, got 0xE9 at byte 4", self.refused(*common, "--corpus", vectors, queries))
        shown_beside = ("--corpus", vectors, "--corpus-texts", corpus)
        self.assertIn("corpus.txt:2] expected UTF-8", self.refused(*common, *shown_beside, "--query", "a"))

        read_queries = self.folder / "read_queries.txt"
        read_queries.write_text("".join(text.decode("utf-8", "replace") + "\n" for text in asked))
        expected = self.search(self.folder / "read.txt", read_queries)
        for given in ((corpus,), (vectors, "--corpus-texts", corpus)):
            lines = self.search(*given, queries, "--invalid-utf8", "replace")
            self.assertEqual(lines, expected)
            self.assertEqual([hit["text"] for hit in lines[0]["hits"]], [read[hit["index"]] for hit in lines[0]["hits"]])
            for count in ("2 of 3 texts", "1 of 2 texts"):
                self.assertEqual(self.said.count(f"{count} held bytes that are not UTF-8"), 1, self.said)
        on_the_line = self.search(corpus, "--query", os.fsdecode(asked[0]), "--invalid-utf8", "replace")
        self.assertEqual(on_the_line, expected[:1])
        said = self.refused("search", "--model", self.model, "--corpus", vectors, "--query", "a", "--query", os.fsdecode(asked[0]))
        self.assertIn("[--query 2] expected UTF-8, got 0xE9 at byte 4", said)

    def test_advice_names_the_options_of_the_corpus(self):
        common = ("search", "--model", self.model, "--query", "a", "--corpus")
        texts, vectors = self.kept / "corpus.txt", self.kept / "corpus.npy"
        self.assertIn("[corpus-prompt-name] ", self.refused(*common, texts, "--corpus-prompt-name", "nosuch", status=2))
        for options in (("--corpus-prompt", "a: "), ("--corpus-field", "title"), ("--corpus-format", "csv")):
            self.assertIn("got vectors\n", self.refused(*common, vectors, *options, status=2))
        self.assertIn("expected --query TEXT or a file of queries, got 'river'", self.refused("search", "--model", self.model, "--corpus", texts, "river", status=2))
        self.assertIn("expected texts, got vectors", self.refused("similarity", "--model", self.model, vectors, texts, status=2))
        self.assertIn(".gz or .zst behind it or not, or --corpus-format\n", self.refused(*common, self.folder / "nowhere", status=2))
        table = self.folder / "table.csv"
        table.write_text("title,body\na,b\n")
        self.assertIn("; --corpus-field names another\n", self.refused(*common, table))

    def test_a_corpus_that_cannot_be_read_twice_is_refused_before_it_is_opened(self):
        vectors, pipe = self.folder / "v.npy", self.folder / "pipe"
        np.save(vectors, self.corpus)
        os.mkfifo(pipe)  # which nobody writes to: opening it would wait for ever
        common = ("search", "--model", self.model, "--query", "a")
        message = "expected a regular file, since hits are read again"
        for name in ("pipe.txt", "pipe.jsonl", "pipe.npy"):
            named = pipe.rename(self.folder / name)
            self.assertIn(f"[{named}] {message}", self.refused(*common, "--corpus", named, status=2))
            named.rename(pipe)
        self.assertIn(f"[{pipe}] {message}", self.refused(*common, "--corpus", pipe, "--corpus-format", "txt", status=2))
        self.assertIn(f"[{pipe}] {message}", self.refused(*common, "--corpus", vectors, "--corpus-texts", pipe, status=2))
        ids = self.folder / "v.npy.ids.jsonl"
        os.mkfifo(ids)
        self.assertIn(f"[{ids}] {message}", self.refused(*common, "--corpus", vectors, status=2))
        standard_input = summand(*common, "--corpus", "/dev/stdin", "--corpus-format", "txt", stdin="a cat\n")
        self.assertEqual((standard_input.returncode, standard_input.stdout), (2, ""))
        self.assertIn(f"[/dev/stdin] {message}", standard_input.stderr)

    def test_texts_of_which_nothing_is_left_are_counted(self):
        texts = self.folder / "texts.txt"
        texts.write_bytes(b"\xff\xfd\xfc\n\na cat\n")
        said = self.run_ok("embed", "--model", self.model, texts, "--invalid-utf8", "replace", "-o", self.folder / "v.npy").stderr
        self.assertIn("2 of 3 texts have no token: their numbers are those of an empty text\n", said)
        self.assertIn("1 of 1 text has no token: its numbers are those", self.run_ok("embed", "--model", self.model, "--text", "").stderr)

    def test_queries_may_come_through_a_pipe(self):
        expected = self.search(self.kept / "corpus.txt", self.kept / "queries.txt")
        for path in ("-", "/dev/stdin"):
            lines = self.search(self.kept / "corpus.txt", path, "--format", "txt", stdin="".join(query + "\n" for query in QUERIES))
            self.assertEqual(lines, expected)

    def test_help_names_an_example(self):
        for verb in ("search", "similarity"):
            text = self.run_ok(verb, "--help").stdout
            for part in ("Example", f"summand {verb}", "--json", "--threads"):
                self.assertIn(part, text)

    def test_two_files_are_compared_text_by_text(self):
        files = self.kept / "queries.txt", self.kept / "corpus.txt"
        shown = json.loads(self.run_ok("similarity", "--model", self.model, *files, "--json").stdout)
        self.assertEqual((shown["texts"], shown["others"]), (QUERIES, CORPUS))
        want = cosines(self.queries, self.corpus)
        np.testing.assert_allclose(shown["similarity"], want, rtol=0, atol=1e-13)
        table = self.run_ok("similarity", "--model", self.model, *files).stdout
        self.assertIn(f"{want[2, 4]:.2f}", table.splitlines()[-1])
        out = self.folder / "out.npy"
        self.run_ok("similarity", "--model", self.model, *files, "-o", out)
        np.testing.assert_array_equal(np.load(out), np.array(shown["similarity"], np.float32))
        self.assertIn("--overwrite", self.refused("similarity", "--model", self.model, *files, "-o", out, status=1))
        self.run_ok("similarity", "--model", self.model, files[0], "-o", out, "--overwrite")
        np.testing.assert_allclose(np.load(out), cosines(self.queries, self.queries), atol=1e-7)
        self.assertIn("ends in .npy", self.refused("similarity", "--model", self.model, *files, "-o", self.folder / "a.csv", status=2))

    def test_a_matrix_has_the_ids_of_its_rows_beside_it_and_no_others(self):
        records = self.folder / "records.jsonl"
        records.write_text("".join(json.dumps({"id": f"q{i}", "text": text}) + "\n" for i, text in enumerate(QUERIES)))
        out, ids = self.folder / "out.npy", self.folder / "out.npy.ids.jsonl"
        similarity = ("similarity", "--model", self.model, records, self.kept / "corpus.txt", "-o", out)
        self.run_ok(*similarity)
        self.assertEqual([json.loads(line) for line in ids.read_text().splitlines()], [f"q{i}" for i in range(len(QUERIES))])
        out.unlink()
        self.assertIn("out.npy.ids.jsonl] expected a new file", self.refused(*similarity))
        self.run_ok("similarity", "--model", self.model, self.kept / "corpus.txt", "-o", out, "--overwrite")
        self.assertFalse(ids.exists())  # of other rows
        result = summand("similarity", "--model", self.model, "-", "-", "--format", "txt", stdin="a\n")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("expected standard input, -, once, got it again", result.stderr)

    def test_a_matrix_that_nobody_can_read_is_refused_before_it_is_computed(self):
        texts = self.folder / "many.txt"
        texts.write_text("".join(f"text {i}\n" for i in range(20000)))
        for options, part in (((), "at most 60 columns for a table, got 20000"), (("--json",), "got 20000 x 20000")):
            said = self.refused("similarity", "--model", self.model, texts, *options, status=2)
            self.assertIn(part, said)
            self.assertIn("-o OUT.npy, or find the nearest with 'summand search'", said)
        texts.write_text("".join(f"text {i}\n" for i in range(300)))
        out = self.folder / "out.npy"
        self.run_ok("similarity", "--model", self.model, texts, "-o", out)
        self.assertEqual(np.load(out).shape, (300, 300))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
