"""Answers as the question-answering pipeline of transformers gave them, written to be read.

transformers 5 has no such pipeline any more; 4.57 was its last version. Two things differ from it: scores are computed in
double, and spans that cannot be an answer (which end before they begin, are too long, or begin in the question) are not
among the candidates. There they had a score of exactly 0 and filled the list where a context had too few spans.
"""

import numpy as np
import torch

MAX_LENGTH, STRIDE, MAX_ANSWER = 384, 128, 15


def windows(tokenizer, question, context, max_length=None, stride=None):
    """The encoding of each window, as the pipeline asks the tokenizer for them."""
    max_length = max_length or min(tokenizer.model_max_length, MAX_LENGTH)
    stride = min(max_length // 2, STRIDE) if stride is None else stride
    encoded = tokenizer(
        question, context, truncation="only_second", max_length=max_length, stride=stride, return_overflowing_tokens=True
    )  # fmt: skip
    return encoded.encodings


def logits_of(model, encoding):
    """[tokens, 2]: of an answer's first token, and of its last."""
    with torch.no_grad():
        output = model(input_ids=torch.tensor([encoding.ids]), token_type_ids=torch.tensor([encoding.type_ids]))
    return torch.stack([output.start_logits[0], output.end_logits[0]], dim=-1).double().numpy()


def softmax(logits, counts):
    exponentials = np.where(counts, np.exp(logits - logits[counts].max()), 0.0)
    return exponentials / exponentials.sum()


def best_spans(begins, ends, context, most, max_answer):
    """(score, first, last) of spans within the context, best first."""
    spans = [
        (begins[first] * ends[last], first, last)
        for first in context
        for last in context
        if first <= last < first + max_answer
    ]
    return sorted(spans, key=lambda span: (-span[0], *span[1:]))[:most]


def place_in_text(encoding, first, last, align):
    """Characters of the context. Aligned, a span is widened to its words, as far as the window holds them."""
    if not align:
        return encoding.offsets[first][0], encoding.offsets[last][1]
    word_of = encoding.token_to_word
    return encoding.word_to_chars(word_of(first), 1)[0], encoding.word_to_chars(word_of(last), 1)[1]


def answers(model, tokenizer, question, context, *, top=1, no_answer=False, max_answer=MAX_ANSWER, align=True, **cut):
    """(answers, score of there being none); an answer is {"answer", "score", "start", "end"}, in characters."""
    found, least = [], np.inf
    for encoding in windows(tokenizer, question, context, **cut):
        logits = logits_of(model, encoding)
        of_context = [token for token, sequence in enumerate(encoding.sequence_ids) if sequence == 1]
        counts = np.array(encoding.ids) == tokenizer.cls_token_id
        counts[of_context] = True
        begins, ends = softmax(logits[:, 0], counts), softmax(logits[:, 1], counts)
        least = min(least, begins[0] * ends[0])
        for score, first, last in best_spans(begins, ends, of_context, 2 * top + 10 if align else top, max_answer):
            start, end = place_in_text(encoding, first, last, align)
            text = context[start:end]
            same = next((one for one in found if one["answer"].lower() == text.lower()), None)
            if same:
                same["score"] += score
            else:
                found.append({"answer": text, "score": score, "start": start, "end": end})
    if no_answer:
        found.append({"answer": "", "score": least, "start": 0, "end": 0})
    return sorted(found, key=lambda one: -one["score"])[:top], least
