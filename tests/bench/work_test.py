"""The four kinds of work: the same every time, and cut as they say."""

import pathlib
import statistics
import sys

import bench_support
import summand_testing
from tokenizers import Tokenizer

import work

# Of SPEED: tokens in the mean. What a corpus has differs a little.
SENTENCE_MEAN, PARAGRAPH_MEAN, NEAR = 34, 191, 3


def counted(texts):
    """Tokens by the real model's own tokenizer, not cut."""
    tokenizer = Tokenizer.from_file(str(summand_testing.minilm() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return [len(tokenizer.encode(text).ids) for text in texts]


def built_in_lines():
    there, work.LINES_FILE = work.LINES_FILE, pathlib.Path("/nowhere")
    source, origin = work.lines()
    work.LINES_FILE = there
    assert origin == "built-in texts", origin
    return source


def sources():
    if work.LINES_FILE.exists():
        yield work.lines()[0]
    yield built_in_lines()


def the_same_lines_give_the_same_texts():
    for source in sources():
        assert work.all_work(source, 64, 8) == work.all_work(list(source), 64, 8)
    assert built_in_lines() == built_in_lines()


def texts_have_the_tokens_that_they_are_named_after():
    for source in sources():
        works = work.all_work(source, 512, 64)
        assert list(works) == list(work.KINDS)
        assert counted(works["short"].texts) == [7] and counted(works["medium"].texts) == [119]
        for each in works.values():
            assert each.lengths == [min(count, 256) for count in counted(each.texts)], each.name
        assert len(works["sentences"].texts) == 512 and len(works["paragraphs"].texts) == 64
        assert min(works["sentences"].lengths) >= 3 and max(works["sentences"].lengths) <= 116
        assert max(works["paragraphs"].lengths) == 256 and max(counted(works["paragraphs"].texts)) > 256
        assert abs(statistics.mean(works["paragraphs"].lengths) - PARAGRAPH_MEAN) < NEAR


def sentences_of_the_corpus_have_its_mean_and_come_in_no_order():
    if not work.LINES_FILE.exists():
        return
    sentences = work.all_work(work.lines()[0], 512, 64)["sentences"]
    assert abs(statistics.mean(sentences.lengths) - SENTENCE_MEAN) < NEAR, statistics.mean(sentences.lengths)
    ascending = sum(a < b for a, b in zip(sentences.lengths, sentences.lengths[1:]))
    assert 200 < ascending < 310, ascending


def every_text_in_so_many_is_searched_on():
    part = work.all_work(built_in_lines(), 64, 8)["sentences"].every(4)
    assert len(part.texts) == 16 and part.lengths == counted(part.texts)


def long_texts_are_long_enough_to_be_cut():
    for tokens in (128, 512):
        assert min(counted(work.long_texts(built_in_lines(), tokens, 8, work.TokenCounter()))) >= tokens


def lines_for_quality_are_distinct():
    lines = work.lines_for_quality(built_in_lines(), 500, work.TokenCounter())
    assert len(set(lines)) == len(lines) == 500


if __name__ == "__main__":
    sys.exit(
        bench_support.run([
            the_same_lines_give_the_same_texts,
            texts_have_the_tokens_that_they_are_named_after,
            sentences_of_the_corpus_have_its_mean_and_come_in_no_order,
            every_text_in_so_many_is_searched_on,
            long_texts_are_long_enough_to_be_cut,
            lines_for_quality_are_distinct,
        ])
    )
