"""The clients that people have, as their own pages use them, against `summand serve`: only the address is another.

Each must give the vectors, scores and labels that summand's own verbs give.
"""

import asyncio
import pathlib
import re
import sys
import tempfile
import unittest

import cohere
import numpy
import openai
from haystack import Document
from haystack.components.embedders import OpenAIDocumentEmbedder, OpenAITextEmbedder
from haystack.utils import Secret
from huggingface_hub import AsyncInferenceClient, InferenceClient
from langchain_huggingface import HuggingFaceEndpointEmbeddings
from langchain_openai import OpenAIEmbeddings
from llama_index.embeddings.text_embeddings_inference import TextEmbeddingsInference

import summand_testing
from served import Served

TEXTS = ["A cat sat on the mat.", "The dog ran away, over the hills.", "一只猫。", "Winter is long here."]
SENTENCES = summand_testing.ROOT / "models" / "summand-mini-sentences"
MASKED = summand_testing.ROOT / "models" / "summand-mini"
PREPARED = pathlib.Path(sys.argv.pop(1)) if len(sys.argv) > 1 else None  # directories with heads: clients.py


def vectors(values):
    return numpy.array(values, numpy.float32)


class Embeddings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.enterClassContext(Served(models=[SENTENCES], environment={"SUMMAND_API_KEY": "a-secret-key"}))
        answer = cls.server.post("/embed", {"inputs": TEXTS}, headers={"Authorization": "Bearer a-secret-key"})
        cls.expected = vectors(answer.json)

    def same(self, got, expected=None):
        numpy.testing.assert_allclose(vectors(got), self.expected if expected is None else expected, atol=1e-7)

    def test_openai(self):
        client = openai.OpenAI(base_url=self.server.url + "/v1", api_key="a-secret-key")
        answer = client.embeddings.create(model="text-embedding-3-small", input=TEXTS)
        numpy.testing.assert_array_equal(vectors([item.embedding for item in answer.data]), self.expected)
        self.assertGreater(answer.usage.prompt_tokens, 20)
        floats = client.embeddings.create(model="text-embedding-3-small", input=TEXTS, encoding_format="float")
        numpy.testing.assert_array_equal(vectors([item.embedding for item in floats.data]), self.expected)
        self.assertEqual([model.id for model in client.models.list()], ["summand-mini-sentences"])
        self.assertEqual(client.models.retrieve("summand-mini-sentences").owned_by, "summand")
        with self.assertRaises(openai.BadRequestError) as caught:
            client.embeddings.create(model="any", input=["a", ""])
        self.assertIn("input[1]", str(caught.exception))
        with self.assertRaises(openai.AuthenticationError):
            openai.OpenAI(base_url=self.server.url + "/v1", api_key="another").embeddings.create(model="any", input="a")

    def test_openai_asynchronously(self):
        async def ask():
            async with openai.AsyncOpenAI(base_url=self.server.url + "/v1", api_key="a-secret-key") as client:
                return await asyncio.gather(*(client.embeddings.create(model="any", input=text) for text in TEXTS))

        numpy.testing.assert_array_equal(vectors([answer.data[0].embedding for answer in asyncio.run(ask())]), self.expected)

    def test_huggingface_hub(self):
        client = InferenceClient(self.server.url, token="a-secret-key")
        for text, vector in zip(TEXTS, self.expected):
            numpy.testing.assert_array_equal(client.feature_extraction(text)[0], vector)
        scores = client.sentence_similarity(TEXTS[0], other_sentences=TEXTS[1:])
        numpy.testing.assert_allclose(scores, self.expected[1:] @ self.expected[0], atol=1e-6)

        async def ask():
            async with AsyncInferenceClient(self.server.url, token="a-secret-key") as one:
                return await one.feature_extraction(TEXTS[0])

        numpy.testing.assert_array_equal(asyncio.run(ask())[0], self.expected[0])

    def test_langchain_openai(self):
        embeddings = OpenAIEmbeddings(base_url=self.server.url + "/v1", api_key="a-secret-key", model="any",
                                      check_embedding_ctx_length=False)  # fmt: skip
        self.same(embeddings.embed_documents(TEXTS))
        self.same(embeddings.embed_query(TEXTS[2]), self.expected[2])

    def test_langchain_huggingface(self):
        # Since 1.2 it takes no address as its model; its client does.
        embeddings = HuggingFaceEndpointEmbeddings(model="any/model", huggingfacehub_api_token="a-secret-key")
        embeddings.client = InferenceClient(self.server.url, token="a-secret-key")
        self.same(embeddings.embed_documents(TEXTS))
        self.same(embeddings.embed_query(TEXTS[2]), self.expected[2])

    def test_llama_index(self):
        embedding = TextEmbeddingsInference(model_name="summand-mini-sentences", base_url=self.server.url,
                                            auth_token="a-secret-key", embed_batch_size=3)  # fmt: skip
        # It puts BERT's usual instructions in front where the model is one of those that it knows; here none.
        self.same(embedding.get_text_embedding_batch(TEXTS))
        self.same(embedding.get_text_embedding(TEXTS[1]), self.expected[1])

    def test_haystack(self):
        options = dict(api_key=Secret.from_token("a-secret-key"), api_base_url=self.server.url + "/v1", model="any")
        self.same(OpenAITextEmbedder(**options).run(TEXTS[0])["embedding"], self.expected[0])
        documents = OpenAIDocumentEmbedder(**options, progress_bar=False).run([Document(content=text) for text in TEXTS])["documents"]
        self.same([document.embedding for document in documents])


class Page(unittest.TestCase):
    """The programs of docs/serving.md that ask a server."""

    def test_both_give_the_servers_vectors(self):
        page = (summand_testing.ROOT / "docs" / "serving.md").read_text()
        programs = [text for text in re.findall(r"```py\n(.*?)```", page, re.DOTALL) if "127.0.0.1:8080" in text]
        self.assertEqual(len(programs), 2)
        with Served(models=[SENTENCES]) as server:
            for text in programs:
                names = {}
                exec(compile(text.replace("127.0.0.1:8080", f"127.0.0.1:{server.port}"), "serving.md", "exec"), names)
                expected = server.post("/embed", {"inputs": ["a cat on the mat", "a kitten on a rug"]}).json
                numpy.testing.assert_array_equal(vectors(names["vectors"]), vectors(expected))


class Heads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if PREPARED is None:
            raise unittest.SkipTest("no directories with heads were given")

    def test_cohere(self):
        with Served(models=[PREPARED / "ranking"]) as server:
            expected = server.post("/rerank", {"query": "a cat", "texts": TEXTS}).json
            for client in (cohere.ClientV2("a-key", base_url=server.url), cohere.Client("a-key", base_url=server.url)):
                ranked = client.rerank(model="any", query="a cat", documents=TEXTS, top_n=3).results
                self.assertEqual([one.index for one in ranked], [one["index"] for one in expected[:3]])
                numpy.testing.assert_allclose([one.relevance_score for one in ranked], [one["score"] for one in expected[:3]])

    def test_huggingface_hub_of_heads(self):
        with Served(models=[MASKED]) as server:
            filled = InferenceClient(server.url).fill_mask("The president of the united [MASK] spoke.", top_k=3)
            self.assertEqual([one.token_str for one in filled],
                             [one["token_str"] for one in server.post("/fill_mask", {"inputs": "The president of the united [MASK] spoke.", "top_k": 3}).json])  # fmt: skip
        with Served(models=[PREPARED / "labels"]) as server:
            labels = InferenceClient(server.url).text_classification(TEXTS[0])
            self.assertEqual([one.label for one in labels], [one["label"] for one in server.post("/predict", {"inputs": TEXTS[0]}).json])
        with Served(models=[PREPARED / "tags"]) as server:
            tags = InferenceClient(server.url).token_classification(TEXTS[0], aggregation_strategy="simple")
            for one in tags:
                self.assertEqual(TEXTS[0][one.start:one.end].lower(), one.word)  # fmt: skip


if __name__ == "__main__":
    summand_testing.run_cases()
