"""The adapters for other libraries: each has the bits of summand.Encoder, and finds the nearest text as its library is used.

Runs where at least one of the libraries of requirements/adapters.txt is installed; a class of tests whose library is missing is
skipped. An audit hook notices every attempt to reach a network."""

import asyncio
import concurrent.futures
import contextlib
import copy
import functools
import importlib
import importlib.util
import io
import json
import os
import pathlib
import pickle
import re
import struct
import subprocess
import sys
import tempfile
import unittest
import warnings
from unittest import mock

import numpy as np
import summand_testing

PACKAGES = {"langchain_core": "langchain-core", "llama_index": "llama-index-core", "haystack": "haystack-ai", "sklearn": "scikit-learn",
            "chromadb": "chromadb", "lancedb": "lancedb"}  # fmt: skip
ADAPTERS = {"langchain": "langchain_core", "llama_index": "llama_index", "haystack": "haystack", "sklearn": "sklearn", "chroma": "chromadb",
            "lancedb": "lancedb"}  # fmt: skip
MISSING = [package for module, package in PACKAGES.items() if importlib.util.find_spec(module) is None]
if len(MISSING) == len(PACKAGES):
    print(f"skipped: none of {', '.join(MISSING)} is installed")
    sys.exit(77)

os.environ |= {"ANONYMIZED_TELEMETRY": "False", "HAYSTACK_TELEMETRY_ENABLED": "False", "DO_NOT_TRACK": "1"}
PACKAGE = str(summand_testing.PACKAGE)
sys.path.insert(0, PACKAGE)
import summand  # noqa: E402
from summand.integrations import shared  # noqa: E402

PAGE = summand_testing.ROOT / (sys.argv.pop(1) if sys.argv[1:] and sys.argv[1].endswith(".md") else "docs/python-adapters.md")
MODEL = str(summand_testing.minilm())
TEXTS = ["A cat sat on the mat.", "The bank raised its interest rate.", "He repairs the pump.", "银行提高了利率。", "word " * 300]
QUERY, NEAREST = "a kitten on a rug", 0
OPTIONS = [
    {},
    {"dimensions": 64},
    {"dimensions": 64, "normalize": True},
    {"precision": "bf16", "threads": 1},
    {"encode_options": {"windows": "mean", "overlap": 16}},
]
reached = []  # outside of this machine


def note_network(event, arguments):
    if event == "socket.getaddrinfo" or event == "socket.connect" and isinstance(arguments[1], tuple):
        reached.append((event, arguments))


sys.addaudithook(note_network)


def tearDownModule():
    assert not reached, reached


def needs(module):
    return unittest.skipIf(PACKAGES[module] in MISSING, f"{PACKAGES[module]} is not installed")


def temporary_folder(case):
    return pathlib.Path(case.enterClassContext(tempfile.TemporaryDirectory()))


def rows(vectors):
    """Lists of numbers, or arrays, as bytes of float32. A float that float32 cannot hold is an error."""
    wide = np.asarray(vectors, dtype="float64")
    narrow = wide.astype("float32")
    assert np.array_equal(wide, narrow)
    return narrow.tobytes()


def model_with_prompts(folder):
    """The real model, with prompts for queries and documents."""
    for path in pathlib.Path(MODEL).iterdir():
        if path.name != "config_sentence_transformers.json":
            (folder / path.name).symlink_to(path)
    prompts = {"query": "query: ", "document": "passage: "}
    (folder / "config_sentence_transformers.json").write_text(json.dumps({"prompts": prompts, "default_prompt_name": None, "similarity_fn_name": "dot"}))
    return str(folder)


def cross_encoder(folder):
    """tests/data/tiny_mlm with a random pooler and a random classifier of one label."""
    given = summand_testing.DATA / "tiny_mlm"
    for name in ("vocab.txt", "tokenizer_config.json"):
        (folder / name).symlink_to(given / name)
    config = json.loads((given / "config.json").read_text())
    config |= {"architectures": ["BertForSequenceClassification"], "id2label": {"0": "LABEL_0"}, "label2id": {"LABEL_0": 0}}
    (folder / "config.json").write_text(json.dumps(config))
    stored = (given / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", stored[:8])
    header, body = json.loads(stored[8 : 8 + length]), stored[8 + length :]
    random = np.random.default_rng(0)
    for name, shape in {"bert.pooler.dense.weight": (64, 64), "bert.pooler.dense.bias": (64,), "classifier.weight": (1, 64), "classifier.bias": (1,)}.items():
        values = random.normal(0, 0.3, shape).astype("float16").tobytes()
        header[name] = {"dtype": "F16", "shape": list(shape), "data_offsets": [len(body), len(body) + len(values)]}
        body += values
    written = json.dumps(header).encode()
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(written)) + written + body)
    return str(folder)


@functools.cache
def encoder_of(model, precision=None):
    """What the adapters are compared with."""
    return summand.Encoder(model, precision=precision)


def ranked(model, query, texts, count):
    return [(texts[one["corpus_id"]], one["score"]) for one in summand.CrossEncoder(model).rank(query, texts, count)]


class Package(unittest.TestCase):
    def test_importing_the_package_imports_no_library(self):
        program = f"import sys, summand, summand.integrations; print(*{set(PACKAGES)} & set(sys.modules))"
        done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": PACKAGE}, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stdout.strip(), done.stderr), (0, "", ""))

    def test_a_missing_library_is_one_line_that_names_its_package(self):
        for adapter, module in ADAPTERS.items():
            without = {name: one for name, one in sys.modules.items() if name.partition(".")[0] != module and name != f"summand.integrations.{adapter}"}
            with self.subTest(adapter), mock.patch.dict(sys.modules, without | {module: None}, clear=True):
                with self.assertRaises(ImportError) as caught:
                    importlib.import_module(f"summand.integrations.{adapter}")
                self.assertRegex(str(caught.exception), f"needs {module}, .*: pip install {PACKAGES[module]}$")
                self.assertNotIn("\n", str(caught.exception))

    def test_another_missing_module_keeps_its_own_error(self):
        with self.assertRaisesRegex(ModuleNotFoundError, "no_such_module"), shared.imports_of("sklearn", "scikit-learn"):
            importlib.import_module("no_such_module")

    def test_threads_that_begin_together_load_the_model_once(self):
        lazy = [shared.LazyEncoder(MODEL) for _ in range(4)]
        with mock.patch.object(shared.LazyEncoder, "kind", mock.Mock(side_effect=summand.Encoder)) as kind:
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                found = list(pool.map(lambda one: rows(one.documents(TEXTS[:2])), lazy * 4))
        self.assertEqual((kind.call_count, len(set(found))), (1, 1))

    def test_a_relative_path_is_that_of_the_present_folder(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        for name in ("one", "two"):
            (folder / name).mkdir()
        (folder / "one" / "model").symlink_to(MODEL)
        with contextlib.chdir(folder / "one"):
            kept = shared.LazyEncoder("model").load()
        with contextlib.chdir(folder / "two"), self.assertRaises(summand.Error):
            shared.LazyEncoder("model").load()
        self.assertFalse(kept.closed)

    def test_a_closed_model_is_loaded_again(self):
        lazy = shared.LazyEncoder(MODEL)
        lazy.load().close()
        self.assertEqual(rows(shared.LazyEncoder(MODEL).documents(TEXTS[:1])), rows(encoder_of(MODEL).encode(TEXTS[:1])))


class Quiet(unittest.TestCase):
    """Says nothing of texts that are cut."""

    def setUp(self):
        self.enterContext(warnings.catch_warnings())
        warnings.simplefilter("ignore", summand.CutWarning)


class SameBits(Quiet):
    """What holds of every adapter of queries and documents. A class has adapter(model, **options), documents_of(adapter, texts) and
    query_of(adapter, text); PROMPTS are the names of its parameters for the two prompts."""

    PROMPTS = ("query_prompt", "document_prompt")

    @classmethod
    def setUpClass(cls):
        cls.prompted = model_with_prompts(temporary_folder(cls))

    def assert_same(self, adapter, encoder, query=None, document=None, **options):
        expected = encoder.encode_document(TEXTS, prompt=document, **options)
        self.assertEqual(rows(self.documents_of(adapter, TEXTS)), rows(expected))
        self.assertEqual(rows(self.query_of(adapter, QUERY)), rows(encoder.encode_query(QUERY, prompt=query, **options)))

    def test_vectors_have_the_bits_of_the_encoder(self):
        for options in OPTIONS:
            with self.subTest(**options):
                encoder = encoder_of(self.prompted, options.get("precision"))
                encoded = {name: value for name, value in options.items() if name in ("dimensions", "normalize")} | options.get("encode_options", {})
                self.assert_same(self.adapter(self.prompted, **options), encoder, **encoded)

    def test_queries_and_documents_have_prompts_of_their_own(self):
        encoder = encoder_of(self.prompted)
        plain = encoder.encode(QUERY, prompt="")
        self.assertEqual(len({rows(plain), rows(encoder.encode_query(QUERY)), rows(encoder.encode_document(QUERY))}), 3)
        self.assert_same(self.adapter(self.prompted), encoder)
        query, document = self.PROMPTS
        if query == document:
            self.assert_same(self.adapter(self.prompted, **{query: "Ask: "}), encoder, "Ask: ", "Ask: ")
        else:
            self.assert_same(self.adapter(self.prompted, **{query: "Ask: ", document: "Say: "}), encoder, "Ask: ", "Say: ")
        self.assertEqual(rows(self.query_of(self.adapter(self.prompted, **{query: ""}), QUERY)), rows(plain))

    def test_copies_have_the_same_bits(self):
        adapter = self.adapter(self.prompted, dimensions=32)
        expected = rows(self.documents_of(adapter, TEXTS))
        for made in (copy.deepcopy(adapter), pickle.loads(pickle.dumps(adapter))):
            self.assertEqual(rows(self.documents_of(made, TEXTS)), expected)

    def test_the_model_is_loaded_once_and_at_first_use(self):
        with mock.patch.object(shared.LazyEncoder, "kind", mock.Mock(side_effect=summand.Encoder)) as kind:
            first, second = self.adapter(self.prompted), self.adapter(pathlib.Path(self.prompted))
            kind.assert_not_called()
            for adapter in (first, first, second):
                self.documents_of(adapter, TEXTS)
                self.query_of(adapter, QUERY)
            self.assertEqual(kind.call_count, 1)

    def test_a_model_that_is_not_there_is_told_at_first_use(self):
        adapter = self.adapter("/no/such/model")
        with self.assertRaises(summand.Error):
            self.documents_of(adapter, TEXTS)


@needs("langchain_core")
class LangChain(SameBits):
    def adapter(self, model, **options):
        from summand.integrations.langchain import SummandEmbeddings

        return SummandEmbeddings(model, **options)

    def documents_of(self, adapter, texts):
        return adapter.embed_documents(texts)

    def query_of(self, adapter, text):
        return adapter.embed_query(text)

    def test_a_vector_store_finds_the_nearest(self):
        from langchain_core.vectorstores import InMemoryVectorStore

        store = InMemoryVectorStore(self.adapter(MODEL))
        store.add_texts(TEXTS, ids=[str(place) for place in range(len(TEXTS))])
        self.assertEqual(store.similarity_search(QUERY, k=1)[0].page_content, TEXTS[NEAREST])
        self.assertEqual(store.as_retriever(search_kwargs={"k": 1}).invoke(QUERY)[0].page_content, TEXTS[NEAREST])
        self.assertEqual(rows([store.store[str(place)]["vector"] for place in range(len(TEXTS))]), rows(encoder_of(MODEL).encode(TEXTS)))

    def test_asynchronous_calls_have_the_same_bits(self):
        async def both(adapter):
            return await asyncio.gather(adapter.aembed_documents(TEXTS), adapter.aembed_query(QUERY))

        adapter = self.adapter(MODEL)
        self.assertEqual(asyncio.run(both(adapter)), [adapter.embed_documents(TEXTS), adapter.embed_query(QUERY)])
        self.assertEqual(adapter.embed_documents([]), [])

    def test_a_reranker_has_the_scores_of_the_cross_encoder(self):
        from langchain_core.documents import Document
        from summand.integrations.langchain import SummandReranker

        model = cross_encoder(temporary_folder(type(self)))
        given = [Document(text, metadata={"place": place}) for place, text in enumerate(TEXTS)]
        for reranker in (SummandReranker(model, top_n=2), pickle.loads(pickle.dumps(SummandReranker(model, top_n=2)))):
            found = reranker.compress_documents(given, QUERY)
            self.assertEqual([(one.page_content, one.metadata["relevance_score"]) for one in found], ranked(model, QUERY, TEXTS, 2))
            self.assertEqual([TEXTS[one.metadata["place"]] for one in found], [one.page_content for one in found])
        self.assertEqual(len(SummandReranker(model, top_n=None).compress_documents(given, QUERY)), len(TEXTS))
        self.assertEqual(list(SummandReranker(model).compress_documents([], QUERY)), [])
        self.assertNotIn("relevance_score", given[0].metadata)
        with self.assertRaises(ValueError):
            SummandReranker(model, top_m=2)


@needs("llama_index")
class LlamaIndex(SameBits):
    PROMPTS = ("query_prompt", "text_prompt")

    def adapter(self, model, **options):
        from summand.integrations.llama_index import SummandEmbedding

        return SummandEmbedding(model, **options)

    def documents_of(self, adapter, texts):
        return adapter.get_text_embedding_batch(texts)

    def query_of(self, adapter, text):
        return adapter.get_query_embedding(text)

    def test_an_index_finds_the_nearest(self):
        from llama_index.core import Document, StorageContext, VectorStoreIndex, load_index_from_storage

        adapter, folder = self.adapter(MODEL), temporary_folder(type(self))
        index = VectorStoreIndex.from_documents([Document(text=text) for text in TEXTS[:4]], embed_model=adapter)
        self.assertEqual(index.as_retriever(similarity_top_k=1).retrieve(QUERY)[0].node.text, TEXTS[NEAREST])
        stored = {index.docstore.docs[name].text: vector for name, vector in index.vector_store.data.embedding_dict.items()}
        self.assertEqual(rows([stored[text] for text in TEXTS[:4]]), rows(encoder_of(MODEL).encode(TEXTS[:4])))
        index.storage_context.persist(folder)
        again = load_index_from_storage(StorageContext.from_defaults(persist_dir=str(folder)), embed_model=adapter)
        self.assertEqual(again.as_retriever(similarity_top_k=1).retrieve(QUERY)[0].node.text, TEXTS[NEAREST])

    def test_batches_do_not_change_bits(self):
        adapter = self.adapter(MODEL, embed_batch_size=2)
        calls = mock.Mock(side_effect=adapter._encoder.documents)
        with mock.patch.object(adapter._encoder, "documents", calls):
            found = adapter.get_text_embedding_batch(TEXTS)
        self.assertEqual([len(one.args[0]) for one in calls.call_args_list], [2, 2, 1])
        self.assertEqual(rows(found), rows(encoder_of(MODEL).encode(TEXTS)))
        self.assertEqual(adapter.get_text_embedding(TEXTS[1]), found[1])

    def test_dictionaries_hold_all_options(self):
        options = {"dimensions": 16, "query_prompt": "q: ", "text_prompt": "t: ", "encode_options": {"windows": "max"}, "embed_batch_size": 3}
        adapter = self.adapter(self.prompted, **options)
        kept = json.loads(json.dumps(adapter.to_dict()))
        for made in (type(adapter).from_dict(kept), type(adapter).from_json(adapter.to_json())):
            self.assertEqual(made.to_dict(), adapter.to_dict())
            self.assertEqual(made.get_query_embedding(QUERY), adapter.get_query_embedding(QUERY))
            self.assertEqual(made.get_text_embedding_batch(TEXTS), adapter.get_text_embedding_batch(TEXTS))

    def test_asynchronous_calls_have_the_same_bits(self):
        adapter = self.adapter(MODEL)
        self.assertEqual(asyncio.run(adapter.aget_query_embedding(QUERY)), adapter.get_query_embedding(QUERY))
        self.assertEqual(asyncio.run(adapter.aget_text_embedding_batch(TEXTS)), adapter.get_text_embedding_batch(TEXTS))


@needs("haystack")
class Haystack(SameBits):
    PROMPTS = ("prefix", "prefix")
    MODULES = ["summand.integrations.haystack"]

    def adapter(self, model, **options):
        from summand.integrations.haystack import SummandDocumentEmbedder, SummandTextEmbedder

        return SummandTextEmbedder(model, **options), SummandDocumentEmbedder(model, **options)

    def documents_of(self, adapter, texts):
        from haystack import Document

        return [one.embedding for one in adapter[1].run(documents=[Document(content=text) for text in texts])["documents"]]

    def query_of(self, adapter, text):
        return adapter[0].run(text=text)["embedding"]

    def test_pipelines_find_the_nearest_and_can_be_stored(self):
        from haystack import Document, Pipeline
        from haystack.components.retrievers.in_memory import InMemoryEmbeddingRetriever
        from haystack.components.writers import DocumentWriter
        from haystack.document_stores.in_memory import InMemoryDocumentStore

        text_embedder, document_embedder = self.adapter(MODEL)
        store = InMemoryDocumentStore(embedding_similarity_function="cosine")
        indexing, asking = Pipeline(), Pipeline()
        indexing.add_component("embedder", document_embedder)
        indexing.add_component("writer", DocumentWriter(store))
        indexing.connect("embedder", "writer")
        asking.add_component("embedder", text_embedder)
        asking.add_component("retriever", InMemoryEmbeddingRetriever(store, top_k=1))
        asking.connect("embedder.embedding", "retriever.query_embedding")
        indexing.run({"embedder": {"documents": [Document(content=text) for text in TEXTS]}})
        found = asking.run({"embedder": {"text": QUERY}})["retriever"]["documents"][0]
        self.assertEqual(found.content, TEXTS[NEAREST])
        stored = {one.content: one.embedding for one in store.filter_documents()}
        self.assertEqual(rows([stored[text] for text in TEXTS]), rows(encoder_of(MODEL).encode(TEXTS)))
        for pipeline in (indexing, asking):
            again = Pipeline.loads(pipeline.dumps(), allowed_modules=self.MODULES)
            self.assertEqual(again.to_dict(), pipeline.to_dict())
        self.assertEqual(again.get_component("embedder").run(text=QUERY), text_embedder.run(text=QUERY))

    def test_warm_up_loads_the_model(self):
        with mock.patch.object(shared.LazyEncoder, "kind", mock.Mock(side_effect=summand.Encoder)) as kind:
            for embedder in self.adapter(self.prompted):
                embedder.warm_up()
        self.assertEqual(kind.call_count, 1)

    def test_fields_prefix_and_suffix_are_put_around_the_content(self):
        from haystack import Document
        from summand.integrations.haystack import SummandDocumentEmbedder

        encoder = encoder_of(MODEL)
        embedder = SummandDocumentEmbedder(MODEL, prefix="p: ", suffix=" end", meta_fields_to_embed=["title", "year", "none", "absent"], embedding_separator=" | ")
        given = Document(content="content", meta={"title": "Title", "year": 0, "none": None})
        found = embedder.run(documents=[given, Document()])["documents"]
        expected = [encoder.encode("Title | 0 | content end", prompt="p: "), encoder.encode(" end", prompt="p: ")]
        self.assertEqual(rows([one.embedding for one in found]), rows(expected))
        self.assertIsNone(given.embedding)
        self.assertEqual((found[0].id, found[0].meta), (given.id, given.meta))
        made = SummandDocumentEmbedder.from_dict(embedder.to_dict())
        self.assertEqual(made.run(documents=[given])["documents"][0].embedding, found[0].embedding)
        self.assertEqual(embedder.run(documents=[]), {"documents": []})

    def test_inputs_of_another_kind_are_refused(self):
        text_embedder, document_embedder = self.adapter(MODEL)
        with self.assertRaisesRegex(TypeError, r"^\[text\] expected str, got list"):
            text_embedder.run(text=TEXTS)
        with self.assertRaisesRegex(TypeError, r"^\[documents\] expected a list of Document, got str"):
            document_embedder.run(documents=TEXTS)

    def test_a_ranker_has_the_scores_of_the_cross_encoder(self):
        from haystack import Document, Pipeline
        from summand.integrations.haystack import SummandRanker

        model = cross_encoder(temporary_folder(type(self)))
        pipeline, given = Pipeline(), [Document(content=text) for text in TEXTS]
        pipeline.add_component("ranker", SummandRanker(model, top_k=3))
        pipeline = Pipeline.loads(pipeline.dumps(), allowed_modules=self.MODULES)
        for count in (3, 2):
            found = pipeline.run({"ranker": {"query": QUERY, "documents": given, **({} if count == 3 else {"top_k": count})}})["ranker"]["documents"]
            self.assertEqual([(one.content, one.score) for one in found], ranked(model, QUERY, TEXTS, count))
        self.assertEqual(SummandRanker(model).run(query=QUERY, documents=[]), {"documents": []})


@needs("sklearn")
class ScikitLearn(Quiet):
    # Of sklearn.utils.estimator_checks, those that ask nothing of numbers: texts are put in place of their rows.
    CHECKS = (
        "estimator_cloneable", "estimator_tags_renamed", "valid_tag_types", "estimator_repr", "no_attributes_set_in_init",
        "do_not_raise_errors_in_init_or_set_params", "mixin_order", "get_params_invariance", "set_params", "parameters_default_constructible",
        "fit_check_is_fitted", "estimators_pickle", "estimators_overwrite_params", "estimators_fit_returns_self", "fit_score_takes_y",
        "fit_idempotent", "pipeline_consistency", "transformers_unfitted", "transformer_n_iter",
    )  # fmt: skip
    REVIEWS = ["a wonderful film", "I loved every minute", "great acting and a good story", "the best of this year",
               "a terrible film", "I hated every minute", "bad acting and a dull story", "the worst of this year"]  # fmt: skip
    LIKED = [1, 1, 1, 1, 0, 0, 0, 0]

    def vectorizer(self, **options):
        from summand.integrations.sklearn import SummandVectorizer

        return SummandVectorizer(MODEL, **options)

    def classifier(self):
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        return make_pipeline(self.vectorizer(), LogisticRegression())

    def test_vectors_have_the_bits_of_the_encoder(self):
        for options in [*OPTIONS, {"prompt": "Ask: "}, {"prompt_name": "query"}]:
            with self.subTest(**options):
                encoder = encoder_of(MODEL, options.get("precision"))
                encoded = {name: value for name, value in options.items() if name not in ("precision", "threads", "encode_options")}
                found = self.vectorizer(**options).fit_transform(TEXTS)
                self.assertEqual(found.dtype, np.float32)
                self.assertEqual(rows(found), rows(encoder.encode(TEXTS, **encoded, **options.get("encode_options", {}))))

    def test_checks_of_scikit_learn(self):
        from sklearn.utils import estimator_checks

        def texts(estimator, X, **_):
            return np.array([" ".join(f"{x:.1f}" for x in np.ravel(row)) for row in X], dtype=object)

        with mock.patch.object(estimator_checks, "_enforce_estimator_tags_X", texts):
            for name in self.CHECKS:
                with self.subTest(name):
                    getattr(estimator_checks, f"check_{name}")("SummandVectorizer", self.vectorizer(dimensions=8))

    def test_a_classifier_learns_and_its_copies_agree(self):
        from sklearn.base import clone

        made = self.classifier().fit(self.REVIEWS, self.LIKED)
        asked = ["what a lovely story", "dull and bad"]
        self.assertEqual(made.predict(asked).tolist(), [1, 0])
        for copied in (clone(made).fit(self.REVIEWS, self.LIKED), pickle.loads(pickle.dumps(made))):
            self.assertEqual(copied.predict_proba(asked).tolist(), made.predict_proba(asked).tolist())

    def test_a_grid_search_loads_the_model_once(self):
        from sklearn.model_selection import GridSearchCV

        search = GridSearchCV(self.classifier(), {"summandvectorizer__dimensions": [4, None], "summandvectorizer__normalize": [None, True]}, cv=2)
        with mock.patch.object(shared.LazyEncoder, "kind", mock.Mock(side_effect=summand.Encoder)) as kind:
            search.fit(self.REVIEWS, self.LIKED)
        self.assertEqual(kind.call_count, 1)
        self.assertEqual(search.predict(["dull and bad"]).tolist(), [0])

    def test_changed_parameters_load_another_model(self):
        vectorizer = self.vectorizer().fit(TEXTS)
        found = vectorizer.set_params(precision="bf16").fit_transform(TEXTS)
        self.assertEqual(rows(found), rows(encoder_of(MODEL, "bf16").encode(TEXTS)))

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_columns_and_names_of_features(self):
        import pandas
        from sklearn.compose import ColumnTransformer

        frame = pandas.DataFrame({"text": TEXTS, "number": range(len(TEXTS))})
        transformer = ColumnTransformer([("vector", self.vectorizer(dimensions=3), "text")], remainder="passthrough").set_output(transform="pandas")
        found = transformer.fit_transform(frame)
        self.assertEqual(list(found), ["vector__summandvectorizer0", "vector__summandvectorizer1", "vector__summandvectorizer2", "remainder__number"])
        self.assertEqual(rows(found.iloc[:, :3]), rows(encoder_of(MODEL).encode(TEXTS, dimensions=3)))

    def test_what_is_no_list_of_texts_is_refused(self):
        from sklearn.exceptions import NotFittedError

        with self.assertRaises(NotFittedError):
            self.vectorizer().transform(TEXTS)
        with self.assertRaisesRegex(ValueError, "expected an iterable of str, got one str"):
            self.vectorizer().fit(TEXTS[0])
        for wrong in ([1, 2], [None], [["a", "b", "c"]]):
            with self.assertRaises((TypeError, summand.TextError)):
                self.vectorizer().fit(TEXTS).transform(wrong)


@needs("chromadb")
class Chroma(SameBits):
    def adapter(self, model, **options):
        from summand.integrations.chroma import SummandEmbeddingFunction

        return SummandEmbeddingFunction(model, **options)

    def documents_of(self, adapter, texts):
        return adapter(texts)

    def query_of(self, adapter, text):
        return adapter.embed_query([text])[0]

    def test_a_collection_is_stored_and_opened_again_by_another_process(self):
        import chromadb

        folder = temporary_folder(type(self))
        collection = chromadb.PersistentClient(folder).create_collection("texts", embedding_function=self.adapter(self.prompted, dimensions=96, normalize=True))
        collection.add(ids=[str(place) for place in range(len(TEXTS))], documents=TEXTS)
        self.assertEqual(collection.query(query_texts=[QUERY], n_results=1)["ids"], [[str(NEAREST)]])
        stored = collection.get(ids=["0", "1"], include=["embeddings"])["embeddings"]
        self.assertEqual(rows(stored), rows(encoder_of(self.prompted).encode_document(TEXTS[:2], dimensions=96, normalize=True)))
        program = f"""import chromadb, summand.integrations.chroma
collection = chromadb.PersistentClient({str(folder)!r}).get_collection("texts")
print(collection.query(query_texts=[{QUERY!r}], n_results=1)["ids"])"""
        done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": PACKAGE}, capture_output=True, text=True)
        self.assertEqual((done.stdout.strip(), done.returncode), (f"[['{NEAREST}']]", 0), done.stderr)

    def test_a_collection_in_memory_takes_the_models_similarity(self):
        import chromadb

        for model, space in ((MODEL, "cosine"), (self.prompted, "ip")):
            collection = chromadb.EphemeralClient().create_collection(f"texts_{space}", embedding_function=self.adapter(model))
            self.assertEqual(collection.configuration["hnsw"]["space"], space)
            collection.add(ids=[str(place) for place in range(len(TEXTS))], documents=TEXTS)
            self.assertEqual(collection.query(query_texts=[QUERY], n_results=1)["ids"], [[str(NEAREST)]])

    def test_the_configuration_holds_all_options(self):
        adapter = self.adapter(pathlib.Path(self.prompted), dimensions=16, query_prompt="q: ", document_prompt="d: ", encode_options={"windows": "max"})
        made = type(adapter).build_from_config(json.loads(json.dumps(adapter.get_config())))
        self.assertEqual(made.get_config(), adapter.get_config())
        self.assertEqual(rows(made(TEXTS)), rows(adapter(TEXTS)))
        self.assertEqual((adapter.name(), adapter.is_legacy()), ("summand", False))

    def test_a_collection_keeps_what_its_vectors_depend_on(self):
        import chromadb

        given = self.adapter(MODEL)
        collection = chromadb.EphemeralClient().create_collection("kept", embedding_function=given)
        collection.modify(configuration={"embedding_function": self.adapter(MODEL, threads=1)})
        with self.assertRaisesRegex(ValueError, r"^\[dimensions\] expected None, as in the collection, got 8"):
            collection.modify(configuration={"embedding_function": self.adapter(MODEL, dimensions=8)})


@needs("lancedb")
class LanceDB(SameBits):
    def adapter(self, model, **options):
        import summand.integrations.lancedb  # noqa: F401
        from lancedb.embeddings import get_registry

        return get_registry().get("summand").create(name=model, **options)

    def documents_of(self, adapter, texts):
        return adapter.compute_source_embeddings(texts)

    def query_of(self, adapter, text):
        return adapter.compute_query_embeddings(text)[0]

    def test_a_table_is_stored_and_opened_again_by_another_process(self):
        import lancedb
        from lancedb.pydantic import LanceModel, Vector

        folder, function = temporary_folder(type(self)), self.adapter(self.prompted, dimensions=96, encode_options={"windows": "mean"})

        class Row(LanceModel):
            text: str = function.SourceField()
            vector: Vector(function.ndims()) = function.VectorField()

        table = lancedb.connect(folder).create_table("texts", schema=Row)
        table.add([{"text": text} for text in TEXTS])
        self.assertEqual(table.search(QUERY).limit(1).to_pydantic(Row)[0].text, TEXTS[NEAREST])
        stored = table.to_arrow()
        self.assertEqual(stored["text"].to_pylist(), TEXTS)
        self.assertEqual(rows(stored["vector"].to_pylist()), rows(encoder_of(self.prompted).encode_document(TEXTS, dimensions=96, windows="mean")))
        program = f"""import lancedb, summand.integrations.lancedb
print(lancedb.connect({str(folder)!r}).open_table("texts").search({QUERY!r}).limit(1).to_list()[0]["text"])"""
        done = subprocess.run([sys.executable, "-c", program], env=os.environ | {"PYTHONPATH": PACKAGE}, capture_output=True, text=True)
        self.assertEqual((done.stdout.strip(), done.returncode), (TEXTS[NEAREST], 0), done.stderr)

    def test_functions_are_compared_by_their_options(self):
        made = [self.adapter(MODEL), self.adapter(MODEL), self.adapter(MODEL, dimensions=8)]
        self.assertEqual((made[0] == made[1], made[0] == made[2], len(set(made))), (True, False, 2))
        self.assertEqual([one.ndims() for one in made], [384, 384, 8])


class Page(unittest.TestCase):
    """docs/python-adapters.md: every Python block runs, and prints what its comments say."""

    def test_blocks_print_what_the_page_says(self):
        blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
        self.assertEqual(len(blocks), len(ADAPTERS))
        for block in blocks:
            adapter = re.search(r"summand\.integrations\.(\w+)", block)[1]
            with self.subTest(adapter), tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
                if PACKAGES[ADAPTERS[adapter]] in MISSING:
                    self.skipTest(f"{adapter} is not installed")
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(block.replace("path/to/all-MiniLM-L6-v2", MODEL), f"{PAGE.name}: {adapter}", "exec"), {"__name__": "__main__"})
                self.assertEqual(printed.getvalue().splitlines(), re.findall(r"^print\(.*\)  # (.*)$", block, re.MULTILINE))


del SameBits, Quiet  # the loader looks for cases among the names of this module


if __name__ == "__main__":
    summand_testing.run_cases()
