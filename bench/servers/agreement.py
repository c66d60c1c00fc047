"""Whether servers give the same answers: before they are timed, each is compared with the first."""

import json
import math

COMPARED = 8  # requests
COSINE, INT8_COSINE = 0.999, 0.99  # at least


def vectors(body):
    answer = json.loads(body)
    if "data" in answer:
        return [one["embedding"] for one in answer["data"]]
    scores = {one["index"]: one["relevance_score"] for one in answer["results"]}
    return [[math.log(scores[i] / (1 - scores[i])) for i in sorted(scores)]]


def centred(vector):
    mean = sum(vector) / len(vector)
    return [value - mean for value in vector]


def cosine(one, other):
    return sum(map(lambda a, b: a * b, one, other)) / math.hypot(*one) / math.hypot(*other)


def answers(contestant):
    return [vector for raw in contestant.requests.raw[:COMPARED] for vector in vectors(contestant.process.ask(raw))]


def check(kind, contestants):
    """Compares the last of them with the first. Scores are compared as logits around their mean.
    @throws SystemExit  if they do not agree"""
    newest = contestants[-1]
    newest.answers = [centred(vector) for vector in answers(newest)] if kind == "rerank" else answers(newest)
    newest.cosine = min(map(cosine, contestants[0].answers, newest.answers))
    least = INT8_COSINE if newest.name.endswith("int8") else COSINE
    if len(newest.answers) != len(contestants[0].answers) or newest.cosine < least:
        raise SystemExit(f"serving.py: {kind}: expected the answers of {contestants[0].name}, "
                         f"got a cosine of {newest.cosine:.5f} from {newest.name}")  # fmt: skip
