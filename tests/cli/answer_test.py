"""summand answer against transformers' question-answering pipeline as it was (support/question_answering.py), on random
models with a real vocabulary: short and long contexts, Chinese, accents and emoji, no answer, files, and bad input."""

import gzip
import json
import random
import unittest

import head_models
import numpy as np
import question_answering
from command_line import summand
from heads_test import LOGIT_TOLERANCE, TOLERANCE, Heads, byte_places
from safetensors.numpy import load_file
from transformers import AutoTokenizer

ADA = "Ada Lovelace was born in London in 1815. Her father was Lord Byron, whom she never knew."
LONG = " ".join(
    f"In {1800 + i} the {who} of {where} wrote a Letter to Ünïcode straße, naïve café!"
    for i, (who, where) in enumerate(zip(["king", "queen", "mayor", "Poet"] * 9, ["Paris", "London", "electroencephalography"] * 12))
)
PAIRS = [
    ("Where was Ada born?", ADA),
    ("谁喜欢猫？", "我喜欢猫，他喜欢狗。北京是中国的首都。"),
    ("What?", "☃ 𓀀 ꙮ unknown 🎉 words élan vital a\u0308 e\u0301lan 🎉🎉 the ﬁne end"),
    ("Who wrote the letter?", LONG),
    ("  ", "a context of words, and a question without any"),
    ("Which word comes twice?", "Word word WORD other word. Straße STRASSE straße ΟΔΟΣ οδος"),
    ("Ünïcode?", "unaffable electroencephalography " * 30),
    ("one", "one"),
    ("nothing?", " \n "),
    ("specials?", "the [MASK] and [SEP] of [CLS] it"),
]  # fmt: skip


def as_options(**asked):
    names = dict(top="--top", max_answer="--max-answer", max_length="--max-length", stride="--stride")
    options = [str(x) for key, value in asked.items() if key in names for x in (names[key], value)]
    options += ["--no-answer"] if asked.get("no_answer") else []
    return options + ([] if asked.get("align", True) else ["--align", "tokens"])


class Answer(Heads):
    def setUp(self):
        super().setUp()
        self.directory, self.network = self.model("question-answering")
        self.tokenizer = AutoTokenizer.from_pretrained(self.directory)

    def assert_same_answers(self, line, question, context, **asked):
        expected, no_answer = question_answering.answers(self.network, self.tokenizer, question, context, **asked)
        places = byte_places(context)
        self.assertEqual([one["text"] for one in line["answers"]], [one["answer"] for one in expected])
        self.assertEqual([one["bytes"] for one in line["answers"]], [[places[one["start"]], places[one["end"]]] for one in expected])
        np.testing.assert_allclose([one["score"] for one in line["answers"]], [one["score"] for one in expected], atol=TOLERANCE)
        np.testing.assert_allclose(line["no_answer"], no_answer, atol=TOLERANCE)
        for one in line["answers"]:
            begin, end = one["bytes"]
            self.assertEqual(context.encode()[begin:end].decode(), one["text"])

    def questions(self, pairs=PAIRS):
        return self.records(*({"question": question, "context": context} for question, context in pairs))

    def test_answers_are_those_of_the_pipeline(self):
        several = 0
        for asked in (
            {}, dict(top=5), dict(top=3, no_answer=True), dict(top=4, align=False), dict(top=5, max_answer=2),
            dict(top=5, max_length=40, stride=7), dict(top=5, max_length=60, stride=0, no_answer=True), dict(top=500),
        ):  # fmt: skip
            lines = self.lines("answer", "--model", self.directory, self.questions(), *as_options(**asked))
            for (question, context), line in zip(PAIRS, lines, strict=True):
                with self.subTest(asked, question=question):
                    self.assert_same_answers(line, question, context, **asked)
                    windows = question_answering.windows(self.tokenizer, question, context, asked.get("max_length"), asked.get("stride"))
                    several += len(windows) > 1
        self.assertGreater(several, 10)

    def test_windows_of_384_tokens_that_share_128_where_the_model_has_room(self):
        self.directory, self.network = self.model("question-answering", max_position_embeddings=512)
        head_models.save_tokenizer(self.directory, model_max_length=512)
        self.tokenizer = AutoTokenizer.from_pretrained(self.directory)
        result = self.run_ok("answer", "--model", self.directory, "--question", PAIRS[3][0], "--context-text", LONG, "--json", "--top", "6")
        self.assert_same_answers(json.loads(result.stdout), PAIRS[3][0], LONG, top=6)
        encodings = question_answering.windows(self.tokenizer, PAIRS[3][0], LONG)
        self.assertEqual(len(encodings[0].ids), 384)
        self.assertIn(f"1 of 1 text took more than one window, {len(encodings)} windows in all", result.stderr)

    def test_a_cased_and_a_chinese_vocabulary(self):
        for vocabulary in ("cased", "chinese"):
            self.directory, self.network = self.model("question-answering", vocabulary=vocabulary)
            self.tokenizer = AutoTokenizer.from_pretrained(self.directory)
            for (question, context), line in zip(PAIRS, self.lines("answer", "--model", self.directory, self.questions(), "--top", "4")):
                with self.subTest(vocabulary, question=question):
                    self.assert_same_answers(line, question, context, top=4)

    def test_a_batch_in_any_order_with_any_threads_gives_the_same_bits(self):
        pairs = [(f"{question} {i}", context) for i in range(8) for question, context in PAIRS]
        expected = self.lines("answer", "--model", self.directory, self.questions(pairs), "--top", "3", "--threads", "1")
        order = list(range(len(pairs)))
        random.Random(1).shuffle(order)
        shuffled = self.lines("answer", "--model", self.directory, self.questions([pairs[i] for i in order]), "--top", "3", "--threads", "2")
        self.assertEqual(shuffled, [expected[i] for i in order])
        for i in (0, 3, 77):
            self.assertEqual(self.lines("answer", "--model", self.directory, self.questions([pairs[i]]), "--top", "3"), [expected[i]])

    def test_one_context_and_several_questions_on_the_line_from_a_file_a_pipe_or_compressed(self):
        questions = ["Where was Ada born?", "Who was her father?"]
        asked = [x for question in questions for x in ("--question", question)]
        text, crlf = ADA + "\r\nélan 🎉\n", self.folder / "context"
        crlf.write_bytes(b"\xef\xbb\xbf" + text.encode())
        (self.folder / "context.gz").write_bytes(gzip.compress(text.encode()))
        given = self.lines("answer", "--model", self.directory, *asked, "--context-text", text)
        for question, line in zip(questions, given, strict=True):
            self.assert_same_answers(line, question, text)
        for path in (crlf, self.folder / "context.gz"):
            self.assertEqual(self.lines("answer", "--model", self.directory, *asked, "--context", path), given)
        piped = self.run_ok("answer", "--model", self.directory, *asked, "--context", "-", "--json", stdin=text)
        self.assertEqual([json.loads(line) for line in piped.stdout.splitlines()], given)

    def test_tables_ids_and_fields_of_other_names(self):
        rows = self.folder / "in.csv"
        rows.write_text('id,question,context\n7,Where?,"in London, or\nin Paris"\nb,Who?,Ada\n')
        lines = self.lines("answer", "--model", self.directory, rows)
        self.assertEqual([line["id"] for line in lines], ["7", "b"])
        self.assert_same_answers(lines[0], "Where?", "in London, or\nin Paris")
        other = self.records({"id": 3, "q": "Who?", "passage": "Ada"})
        lines = self.lines("answer", "--model", self.directory, other, "--question-field", "q", "--context-field", "passage")
        self.assertEqual(lines[0]["id"], 3)
        self.assert_same_answers(lines[0], "Who?", "Ada")

    def test_the_table_shows_the_question_and_its_answers(self):
        asked = ("answer", "--model", self.directory, "--question", "Where was Ada born?", "--context-text", ADA, "--top", "3")
        best = json.loads(self.run_ok(*asked, "--json").stdout)["answers"]
        shown = self.run_ok(*asked).stdout.splitlines()
        self.assertEqual(shown[0], "Where was Ada born?")
        self.assertEqual(shown[1].split(), ["bytes", "score", "answer"])
        for row, answer in zip(shown[2:], best, strict=True):
            self.assertEqual(row.split()[0], "{}-{}".format(*answer["bytes"]))
            self.assertEqual(row.split(maxsplit=2)[2], answer["text"])
        nothing = self.run_ok("answer", "--model", self.directory, "--question", "x", "--context-text", " ").stdout
        self.assertEqual(nothing, "x\n  no answer\n")
        nothing = self.run_ok("answer", "--model", self.directory, "--question", "x", "--context-text", " ", "--no-answer").stdout
        self.assertIn("(no answer)", nothing)

    def test_raw_logits_of_every_window(self):
        out = self.folder / "logits.safetensors"
        report = json.loads(self.run_ok("answer", "--model", self.directory, self.questions(), "--logits", "-o", out, "--json").stdout)
        tensors = load_file(out)
        encodings = [question_answering.windows(self.tokenizer, question, context) for question, context in PAIRS]
        lengths = [[len(window.ids) for window in windows] for windows in encodings]
        self.assertEqual(np.diff(tensors["offsets"]).tolist(), [sum(own) for own in lengths])
        self.assertEqual(np.diff(tensors["windows"]).tolist(), [length for own in lengths for length in own])
        self.assertEqual(tensors["tokens"].tolist(), [i for own in lengths for i in range(sum(own))])
        self.assertEqual((report["rows"], report["columns"]), tensors["logits"].shape)
        expected = [question_answering.logits_of(self.network, window) for windows in encodings for window in windows]
        np.testing.assert_allclose(tensors["logits"], np.concatenate(expected), atol=LOGIT_TOLERANCE)

    def test_bad_input_is_one_line(self):
        empty, missing = self.records({"question": "a", "context": ""}), self.folder / "missing.txt"
        text = self.folder / "in.txt"
        text.write_text("a line\n")
        asked = ("--question", "a", "--context-text", "b")
        for arguments, status, *fragments in (
            ((empty,), 1, "[answer] text 1: expected a context, got an empty one"),
            (("--question", "", "--context-text", "b"), 1, "[answer] text 1: expected a question, got an empty one"),
            (("--question", "a " * 90, "--context-text", "b"), 1, "text 1: expected windows of more than 93 tokens", "take 93 of each, got 80"),
            (("--question", "a " * 60, "--context-text", "b " * 60), 1, "expected an overlap of less than 17 tokens", "got 40"),
            ((*asked, "--max-length", "81"), 2, "expected at most 80, the positions that the model has, got 81"),
            ((), 2, "expected INPUT or --question, got neither"),
            ((*asked, empty), 2, "expected INPUT or --question, got both"),
            (("--question", "a"), 2, "expected --context FILE or --context-text TEXT with --question, got neither"),
            ((*asked, "--context", text), 2, "got both"),
            ((empty, "--context", text), 2, "expected --question with a context"),
            (("--question", "a", "--context", missing), 1, "missing.txt", "--context-text takes a text itself"),
            ((text,), 2, "expected a .jsonl, .csv or .tsv input"),
        ):  # fmt: skip
            with self.subTest(fragments[0]):
                result = summand("answer", "--model", self.directory, *arguments)
                self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
                self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
                for fragment in fragments:
                    self.assertIn(fragment, result.stderr)
        wrong = self.records({"text": "a", "context": "b"})
        result = summand("answer", "--model", self.directory, wrong)
        self.assertIn("expected the key 'question', got 'text', 'context'; --question-field names another", result.stderr)
        other, _ = head_models.head_directory(self.folder / "other", "token-classification")
        result = summand("answer", "--model", other, *asked)
        self.assertIn("no question answering head; it has: token classification", result.stderr)


if __name__ == "__main__":
    unittest.main()
