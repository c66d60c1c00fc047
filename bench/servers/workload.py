"""What servers are asked: queries of about 10 tokens, passages of about 150, and one query with 20 passages to rank.

Texts are words drawn at random from the lines of work.py, so that all differ: no server can answer from a cache.
"""

import dataclasses
import json
import random

import work
from servers.models import EMBEDDER, RANKER

QUERY_TOKENS = (8, 12)  # [CLS] and [SEP] included
PASSAGE_TOKENS = (100, 200)
RANKED = 20
# Some requests come again when a run lasts long enough: nobody keeps results.
REQUESTS = {"short": 8192, "passages": 4096, "rerank": 256}
WARMING = 64  # of them, asked before the rest

CONNECTIONS = {"short": (1, 16, 256), "passages": (1, 16, 256), "rerank": (1, 16)}
KINDS = tuple(REQUESTS)
MODELS = {"short": EMBEDDER, "passages": EMBEDDER, "rerank": RANKER}


class TextSource:
    """Draws texts of given lengths. The same seed gives the same texts."""

    def __init__(self, seed=0):
        self.random, self.count = random.Random(seed), work.TokenCounter()
        self.words = [word for line in work.lines()[0] for word in line.split()]
        self.tokens = {}

    def tokens_of(self, word):
        if word not in self.tokens:
            self.tokens[word] = self.count(word) - 2
        return self.tokens[word]

    def text(self, lengths):
        """@param lengths: between which two the number of tokens lies"""
        left, words = self.random.randint(*lengths) - 2, []
        while left > 0:
            words.append(self.random.choice(self.words))
            left -= self.tokens_of(words[-1])
        return " ".join(words)

    def different_texts(self, number, lengths):
        texts = {}
        while len(texts) < number:
            texts[self.text(lengths)] = None
        return list(texts)

    def different_words(self):
        return [word for word in dict.fromkeys(self.words) if self.tokens_of(word) == 1]


def questions(kind, source):
    """The JSON of every request of a kind, without the model's name."""
    number = REQUESTS[kind]
    if kind == "short":
        return [{"input": text} for text in source.different_texts(number, QUERY_TOKENS)]
    if kind == "passages":
        return [{"input": text} for text in source.different_texts(number, PASSAGE_TOKENS)]
    passages = source.different_texts(number * RANKED, PASSAGE_TOKENS)
    queries = source.different_texts(number, QUERY_TOKENS)
    return [{"query": query, "documents": passages[i * RANKED :][:RANKED]} for i, query in enumerate(queries)]


def http_request(path, question):
    body = json.dumps({"model": "model", **question}).encode()
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    return head.encode() + body


@dataclasses.dataclass(frozen=True)
class Requests:
    """Whole HTTP requests, and the file in which the load generator finds them: a length in a line, then as many bytes."""

    raw: list
    file: object

    @staticmethod
    def written(raw, file):
        file.write_bytes(b"".join(b"%d\n" % len(one) + one for one in raw))
        return Requests(raw, file)
