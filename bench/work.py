"""The four kinds of work: texts cut from ../shared/data/english_valid.txt, or from built-in lines where it is absent.

`short` is one text of 7 tokens, `medium` one of 119, `sentences` many of 3 to 116 tokens, `paragraphs` many that are
cut at 256. The same lines give the same texts, always. Token counts include [CLS] and [SEP].
"""

import dataclasses
import itertools
import pathlib
import random
import statistics

ROOT = pathlib.Path(__file__).resolve().parents[1]
LINES_FILE = ROOT.parent / "shared" / "data" / "english_valid.txt"
VOCABULARY = ROOT / "tests" / "data" / "vocab" / "bert-base-uncased.txt"
SHORT_TOKENS, MEDIUM_TOKENS = 7, 119
SENTENCE_TOKENS = range(3, 117)
# Below 1: longer lines somewhat more often than the corpus has them, so that the mean is 34 tokens.
SENTENCE_SKEW = 0.65
# Evenly between these, cut at LONGEST: 191 tokens in the mean.
PARAGRAPH_TOKENS = (105, 280)
LONGEST = 256
KINDS = ("short", "medium", "sentences", "paragraphs")

BUILT_IN = """The tower was built in 1889 and, despite many objections, it has stood there ever since.
She asked whether the clerk would open the window; he didn't answer.
Interest rates rose by 0.25 percent on Tuesday, the third increase since January.
Nobody knows who planted the oak, but it was already old when the mill was new.
Two trains leave the harbour every morning, one for the coast and one for the mountains.
He read the letter twice, folded it, and put it back where he had found it.
A committee of nine will decide in spring whether the bridge is to be repaired or replaced.
Rain.
The results, published last week, agree with those of an earlier and smaller study.
When the river rises, the cellars of the lower town are emptied first, then the shops, and then, if need be, the school.
Bread is baked twice a day.
It takes a careful ear to hear the difference between the two recordings.
Prices of copper, tin and zinc fell for a fourth month, while gold hardly moved.
My grandmother kept bees, and she spoke to them as one speaks to neighbours.
The committee's report, four hundred pages long, was read by almost nobody.""".splitlines()


@dataclasses.dataclass(frozen=True)
class Work:
    """Texts to embed at once, and how many tokens each has."""

    name: str
    texts: list
    lengths: list

    @property
    def tokens(self):
        return sum(self.lengths)

    def every(self, step):
        """The same kind of work with one text in `step`: what settings are searched on."""
        return Work(f"{self.name}_{step}", self.texts[::step], self.lengths[::step])

    def describe(self):
        if len(self.texts) == 1:
            return f"1 text of {self.tokens} tokens"
        mean = statistics.mean(self.lengths)
        return f"{len(self.texts)} texts of {min(self.lengths)} to {max(self.lengths)} tokens, mean {mean:.0f}"


def lines():
    """The lines that texts are cut from, and where they come from."""
    if LINES_FILE.exists():
        return [line for line in LINES_FILE.read_text().splitlines() if line], LINES_FILE.name
    numbers = random.Random(0)
    return [" ".join(numbers.choices(BUILT_IN, k=numbers.randint(1, 3))) for _ in range(3000)], "built-in texts"


class TokenCounter:
    """Counts tokens as an uncased BERT does, [CLS] and [SEP] included."""

    def __init__(self):
        from tokenizers import BertWordPieceTokenizer

        self.tokenizer = BertWordPieceTokenizer(str(VOCABULARY), lowercase=True)

    def __call__(self, text):
        return len(self.tokenizer.encode(text).ids)

    def many(self, texts):
        return [len(encoding.ids) for encoding in self.tokenizer.encode_batch(texts)]


def running_words(source, first_line):
    """All words from a line on, and from the beginning again."""
    return itertools.chain.from_iterable(line.split() for line in itertools.chain(source[first_line:], source))


def text_of(source, first_line, tokens, count):
    """Words from a line on, as many as fit into `tokens`."""
    kept, used = [], 2
    for word in running_words(source, first_line):
        used += count(word) - 2
        if used > tokens:
            break
        kept.append(word)
    return " ".join(kept)


def exact_text(source, tokens, count):
    """The first text, from the beginning of a line, that has exactly `tokens` tokens."""
    candidates = (text_of(source, first, tokens, count) for first in range(len(source)))
    return next(text for text in candidates if count(text) == tokens)


def places(number, of, skew=1.0):
    """`number` places below `of`, in order, evenly spread, or denser towards the end with a skew below 1."""
    return [int(((i + 0.5) / number) ** skew * of) for i in range(number)]


def shuffled(items):
    return random.Random(0).sample(items, len(items))


def sentences(source, number, count):
    """Lines of all lengths."""
    by_length = sorted(zip(count.many(source), source))
    fitting = [line for length, line in by_length if length in SENTENCE_TOKENS]
    return shuffled([fitting[place] for place in places(number, len(fitting), SENTENCE_SKEW)])


def paragraphs(source, number, count):
    """Running text of all lengths."""
    low, high = PARAGRAPH_TOKENS
    sizes = shuffled([low + place for place in places(number, high - low)])
    return [text_of(source, start, size, count) for start, size in zip(places(number, len(source)), sizes)]


def lines_for_quality(source, number, count):
    """Different lines of all lengths, or all there are."""
    fitting = [line for line, length in zip(source, count.many(source)) if length in SENTENCE_TOKENS]
    distinct = list(dict.fromkeys(fitting))
    return [distinct[place] for place in places(min(number, len(distinct)), len(distinct))]


def long_texts(source, tokens, number, count):
    """Running text that is cut at exactly `tokens`."""
    return [text_of(source, start, tokens + 20, count) for start in places(number, len(source))]


def all_work(source, number_of_sentences, number_of_paragraphs):
    """Every kind of work by name. @param source  lines()"""
    count = TokenCounter()
    texts = {
        "short": [exact_text(source, SHORT_TOKENS, count)],
        "medium": [exact_text(source, MEDIUM_TOKENS, count)],
        "sentences": sentences(source, number_of_sentences, count),
        "paragraphs": paragraphs(source, number_of_paragraphs, count),
    }
    return {name: Work(name, kept, [min(n, LONGEST) for n in count.many(kept)]) for name, kept in texts.items()}
