"""`summand vocab` against the WordPieceTrainer of tokenizers; what it writes against tokenizers, transformers and itself."""

import collections
import gzip
import json
import pathlib
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import summand_testing
from command_line import summand
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers
from transformers import AutoTokenizer

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
TEXTS = summand_testing.SAMPLE
HARD = [
    "", " ", "The naïve café's RÉSUMÉ, unaffable!", "今天天气真好，ABC们", "🙂🙂 ok 👩‍👩‍👧", "Ωmega ﷺ ꙮ", "a" * 100, "a" * 101, "über" * 40,
    "e\u0301e\u0327\u0301 \u1e9b\u0323", "İstanbul DŽ", "[MASK] [CLS]x [mask]", "tab\tnew\u2028line\u00a0end", "中a中", "\u200bzero\ufeff", "don't -- stop...", "漢字かなカナ한국어",
]  # fmt: skip


def trained(lines, size, min_count, special, lowercase=True, alphabet=None):
    """The vocabulary, by id, that the trainer of tokenizers makes."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    limit = {} if alphabet is None else {"limit_alphabet": alphabet}
    trainer = trainers.WordPieceTrainer(vocab_size=size, min_frequency=min_count, special_tokens=special, show_progress=False, **limit)
    tokenizer.train_from_iterator(lines, trainer)
    vocabulary = tokenizer.get_vocab()
    return sorted(vocabulary, key=vocabulary.get)


def is_character(token):
    return len(token.removeprefix("##")) == 1


class Vocab(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.runs = 0

    def write(self, lines, name="texts.txt"):
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        return path

    def learn(self, *arguments, size=1000):
        """A directory that was written."""
        self.runs += 1
        out = self.folder / f"out{self.runs}"
        self.result = summand("vocab", *arguments, "-o", out, "--size", size)
        self.assertEqual(self.result.returncode, 0, self.result.stderr)
        return out

    def vocabulary(self, *arguments, size=1000):
        """By id; the three files agree in it."""
        out = self.learn(*arguments, size=size)
        self.assertEqual({path.name for path in out.iterdir()}, {"vocab.txt", "tokenizer.json", "tokenizer_config.json"})
        tokens = (out / "vocab.txt").read_text(encoding="utf-8").split("\n")
        self.assertEqual(tokens.pop(), "")
        self.assertEqual(json.loads((out / "tokenizer.json").read_text())["model"]["vocab"], {token: i for i, token in enumerate(tokens)})
        return tokens

    def check_trainer(self, lines, size, min_count, *options, **trainer):
        """The same tokens with the same ids. The trainer's ids of characters behind ## are of chance, and what it merges of
        equal pairs goes by ids: given to it as special tokens, the characters have the ids that they have here."""
        path = self.write(lines)
        ours = self.vocabulary(path, "--mode", "frequency", "--min-count", min_count, *options, size=size)
        characters = [token for token in ours[5:] if is_character(token)]
        self.assertEqual(ours, trained(lines, size, min_count, SPECIAL + characters, **trainer))
        return ours

    # Against the trainer.

    def test_frequency_gives_the_trainers_vocabulary_id_by_id(self):
        for name, smallest in (("english", 600), ("chinese", 950)):
            lines = (TEXTS / f"{name}.txt").read_text(encoding="utf-8").split("\n")
            for size, min_count in ((smallest, 2), (smallest + 200, 1), (10000, 2)):
                with self.subTest(name=name, size=size, min_count=min_count):
                    self.check_trainer(lines, size, min_count)
                    self.check_trainer(lines, size, min_count, "--cased", lowercase=False)

    def test_so_it_does_on_a_larger_text(self):
        """English and Chinese, with numbers and signs."""
        lines = (summand_testing.ROOT / "docs" / "findings.md").read_text(encoding="utf-8").split("\n")
        self.assertEqual(len(self.check_trainer(lines, 2500, 2)), 2500)

    def test_so_it_does_where_different_pairs_make_one_piece(self):
        chance = random.Random(1)
        for corpus in range(60):
            letters = "abcdé"[: chance.randint(1, 4)]
            words = ["".join(chance.choice(letters) for _ in range(chance.randint(1, 12))) for _ in range(chance.randint(1, 40))]
            line = " ".join(chance.choice(words) for _ in range(chance.choice([5, 100, 1000])))
            with self.subTest(corpus=corpus):
                self.check_trainer([line], chance.choice([40, 100, 2000]), chance.choice([1, 2, 3]))

    def test_where_no_ids_of_chance_decide_the_trainer_needs_no_help(self):
        """Seven words of four characters each, no character in two of them. Only pairs of one word have equal counts, and
        for these the trainer's ids are in the order of the word, whichever word it comes to first."""
        words = ["".join(chr(0x430 + 4 * i + k) for k in range(4)) for i in range(7)]
        lines = [" ".join([word] * (3**i)) for i, word in enumerate(words)]
        ours = self.vocabulary(self.write(lines), "--mode", "frequency", size=60)
        theirs = trained(lines, 60, 2, SPECIAL)
        self.assertEqual(set(ours), set(theirs))
        alphabet = [token for token in theirs if token in SPECIAL or len(token) == 1]
        self.assertEqual(ours[: len(alphabet)], alphabet)

    def test_the_alphabet_is_limited_as_the_trainer_limits_it(self):
        lines = ["aaaa abab bcbc cdcd cede" * 3, "abacade", "ffe a"]
        for alphabet in (2, 3, 6):
            with self.subTest(alphabet=alphabet):
                path = self.write(lines)
                ours = self.vocabulary(path, "--mode", "frequency", "--alphabet", alphabet, size=60)
                self.assertEqual(sum(len(token) == 1 for token in ours), alphabet)
                continuing = [token for token in ours if token.startswith("##") and is_character(token)]
                letters = [token for token in ours if len(token) == 1]
                self.assertEqual(ours, trained(lines, 60, 2, SPECIAL + letters + continuing, alphabet=alphabet))
        self.assertEqual(self.result.stderr.count("alphabet"), 0)
        self.learn(path, "--alphabet", 2, size=60)
        self.assertIn("4 rarer characters had no room in the alphabet of 2", self.result.stderr)

    # What is written.

    def segmentations(self, out, texts):
        """Ids of each text by tokenizers, by transformers, and by this program."""
        theirs = Tokenizer.from_file(str(out / "tokenizer.json"))
        auto = AutoTokenizer.from_pretrained(out)
        self.assertIn(type(auto).__name__, ("BertTokenizer", "BertTokenizerFast"))
        lines = "".join(json.dumps({"text": text}) + "\n" for text in texts)
        ours = summand("tokenize", "--model", out, "-", "--format", "jsonl", stdin=lines)
        self.assertEqual(ours.returncode, 0, ours.stderr)
        return (
            [theirs.encode(text).ids for text in texts],
            auto(texts)["input_ids"],
            [json.loads(line)["ids"] for line in ours.stdout.splitlines()],
        )

    def test_three_tokenizers_read_the_directory_and_segment_alike(self):
        inputs = [TEXTS / "english.txt", TEXTS / "chinese.txt"]
        for options in ([], ["--cased"], ["--mode", "frequency"], ["--mode", "frequency", "--cased"]):
            with self.subTest(options=options):
                out = self.learn(*inputs, *options, size=1500)
                texts = HARD + [line for path in inputs for line in path.read_text(encoding="utf-8").split("\n")]
                tokenizers, transformers, ours = self.segmentations(out, texts)
                self.assertEqual(ours, tokenizers)
                self.assertEqual(ours, transformers)
                used = {id for ids in ours for id in ids}
                self.assertGreater(len(used), 400)
                self.assertEqual(ours[0], [2, 3])
                self.assertIn(1, used)
                bare = summand("tokenize", "--vocab", out / "vocab.txt", "--lowercase", "false" if "--cased" in options else "true", "--text", HARD[2])
                self.assertEqual(json.loads(bare.stdout)["ids"], ours[2])

    def test_no_word_of_the_texts_is_unknown(self):
        path = TEXTS / "chinese.txt"
        out = self.learn(path, size=1500)
        _, _, ours = self.segmentations(out, path.read_text(encoding="utf-8").split("\n"))
        self.assertNotIn(1, {id for ids in ours for id in ids})

    def test_ids_are_special_tokens_characters_and_merges(self):
        tokens = self.vocabulary(TEXTS / "english.txt", size=900)
        self.assertEqual(tokens[:5], SPECIAL)
        kinds = [0 if len(token) == 1 else 1 if is_character(token) else 2 for token in tokens[5:]]
        self.assertEqual(kinds, sorted(kinds))
        characters = [token for token in tokens if len(token) == 1]
        self.assertEqual(characters, sorted(characters))
        self.assertEqual(len(tokens), 900)

    def test_likelihood_merges_the_largest_ratio_first(self):
        words = collections.Counter({"hug": 10, "pug": 5, "pun": 12, "bun": 4, "hugs": 5})  # the course's example
        lines = [" ".join([word] * count) for word, count in words.items()]
        tokens = self.vocabulary(self.write(lines), "--min-count", "1", size=18)
        # 1/20, then 1/36 of all that are left, of which p and ##u are the most frequent
        self.assertEqual([token for token in tokens[5:] if not is_character(token)], ["##gs", "pu"])

    # Input.

    def test_all_inputs_give_one_vocabulary(self):
        lines = (TEXTS / "english.txt").read_text(encoding="utf-8").split("\n")
        half = len(lines) // 2
        expected = self.vocabulary(self.write(lines), size=800)
        (self.folder / "texts.txt.gz").write_bytes(gzip.compress((self.folder / "texts.txt").read_bytes()))
        jsonl = self.folder / "texts.jsonl"
        jsonl.write_text("".join(json.dumps({"text": a, "text_pair": b}) + "\n" for a, b in zip(lines[:half], lines[half:])) + json.dumps({"tokens": lines[2 * half :]}) + "\n")
        inputs = (
            [self.folder / "texts.txt.gz"],
            [self.write(lines[:half], "a.txt"), self.write(lines[half:], "b.txt")],
            [jsonl],
            [self.folder / "texts.txt", "--threads", "1"],
            [self.folder / "texts.txt", "--threads", "7"],
        )
        for input in inputs:
            with self.subTest(input=input):
                self.assertEqual(self.vocabulary(*input, size=800), expected)

    def test_the_report_counts(self):
        path = self.write(["Hello, hello WORLD", "", "你好 hello"])
        self.learn(path, "--json", size=100)
        report = json.loads(self.result.stdout)
        self.assertEqual((report["texts"], report["words"], report["distinct_words"]), (3, 7, 5))
        self.assertEqual(report["tokens"], len((pathlib.Path(report["out"]) / "vocab.txt").read_text().splitlines()))
        self.assertIn(f"the texts gave {report['tokens']} tokens, fewer than the 100 asked for", self.result.stderr)
        self.assertEqual(len(self.result.stderr.splitlines()), 1)

    def test_help_has_an_example(self):
        text = summand("vocab", "--help").stdout
        for part in ("Example:", "summand vocab", "--json", "--threads", "[MASK] 4"):
            self.assertIn(part, text)

    # What cannot be done.

    def check_refused(self, *arguments, message, status=1, **options):
        before = sorted(self.folder.rglob("*"))
        result = summand("vocab", *arguments, **options)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stdout, "")
        self.assertEqual(len(result.stderr.splitlines()), 1, result.stderr)
        self.assertIn(message, result.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    def test_what_cannot_be_done_is_one_line_and_leaves_nothing(self):
        texts = self.write(["some words"])
        to = ["-o", self.out, "--size"]
        self.check_refused(texts, *to, "12", message="expected a size of at least 18 (5 special tokens, 7 characters, 6 of them also behind ##)")
        self.check_refused(self.folder / "no.txt", *to, "50", message="No such file")
        self.check_refused(self.write(["", " \t"], "blank.txt"), *to, "50", message="expected texts with words, got 2 without any")
        latin = self.folder / "latin.txt"
        latin.write_bytes("ok\ncafé\n".encode("latin-1"))
        self.check_refused(latin, *to, "50", message="latin.txt:2")
        full = self.learn(texts, size=50)
        self.check_refused(texts, "-o", full, "--size", "50", message="expected a new or an empty directory")
        self.check_refused(texts, "-o", self.out / "deep", "--size", "50", message="no directory")
        self.check_refused(texts, *to, "0", message="--size", status=2)
        self.check_refused(texts, *to, "9999999", message="expected 1 to 524288 tokens, got 9999999", status=2)
        self.check_refused(texts, *to, "50", "--mode", "fast", message="--mode", status=2)
        self.check_refused(texts, *to, "50", "--min-count", "0", message="--min-count", status=2)
        self.check_refused(texts, "--size", "50", message="--output is required", status=2)
        self.check_refused(*to, "50", message="expected INPUT or --text", status=2)

    def test_a_full_disk_leaves_nothing(self):
        texts = TEXTS / "english.txt"
        for limit in (100, 10000):
            self.check_refused(
                texts, "-o", self.out, "--size", "900", message="File too large",
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
            )  # fmt: skip

    def test_an_interrupted_run_leaves_nothing(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            command = [summand_testing.BIN / "summand", "vocab", "-", "--format", "txt", "-o", self.out, "--size", "100"]
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            process.stdin.write("some words\n" * 10000)
            process.stdin.flush()
            while not list(self.folder.glob("*.part")):
                time.sleep(0.01)
            process.send_signal(number)
            _, errors = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 128 + number)
            self.assertEqual(errors, "summand: interrupted; nothing was written\n")
            self.assertEqual(list(self.folder.iterdir()), [])


if __name__ == "__main__":
    sys.exit(unittest.main(verbosity=2))
