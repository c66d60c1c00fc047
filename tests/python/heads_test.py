"""Heads, hidden states, taps and tokens in Python beside transformers, sentence-transformers and tokenizers."""

import contextlib
import io
import json
import pathlib
import sys
import tempfile
import unicodedata
import unittest
import warnings

import head_models
import numpy as np
import summand_testing
import tokenizers
import torch
import transformers
from sentence_transformers import CrossEncoder

sys.path.insert(0, str(summand_testing.PACKAGE))
import summand  # noqa: E402

NEAR = 2e-6
LABELS = {0: "O", 1: "B-PER", 2: "I-PER", 3: "B-LOC"}
TEXTS = ["Anna lives in Berlin.", "The Ürümqi café is Zoë's 🙂 place", "银行 bank", "a"]
warnings.simplefilter("ignore", summand.CutWarning)


class Heads(unittest.TestCase):
    def directory(self, kind, **changes):
        return head_models.head_directory(self.enterContext(tempfile.TemporaryDirectory()), kind, **changes)

    def pipeline(self, task, directory, model):
        tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        return transformers.pipeline(task, model=model, tokenizer=tokenizer, device="cpu")

    def assert_same(self, ours, theirs, what=None):
        """Lists of dictionaries, whose numbers are near."""
        self.assertEqual(len(ours), len(theirs), what)
        for one, other in zip(ours, theirs):
            self.assertEqual({name: value for name, value in one.items() if name != "score"}, {name: value for name, value in other.items() if name != "score"}, what)
            self.assertAlmostEqual(one["score"], float(other["score"]), delta=NEAR)

    def test_fill_mask(self):
        directory, model = self.directory("masked-lm")
        ours, theirs = summand.Model(directory), self.pipeline("fill-mask", directory, model)
        for text in ("A [MASK] sat.", "[MASK]", "Zoë 🙂 [MASK] [MASK]"):
            expected = theirs(text, top_k=4)
            got = ours.fill_mask(text, top_k=4)
            nested = isinstance(expected[0], list)
            for one, other in zip(got if nested else [got], expected if nested else [expected], strict=True):
                self.assert_same(one, other, text)
        self.assert_same(ours.fill_mask(["A [MASK] sat."], targets=["cat", "dog"])[0], theirs("A [MASK] sat.", targets=["cat", "dog"]))
        with self.assertRaisesRegex(summand.UsageError, r"\[targets\] expected tokens of the vocabulary, got 'nosuchword'"):
            ours.fill_mask("A [MASK]", targets="nosuchword")
        with self.assertRaisesRegex(summand.TextError, "text 3"):  # numbered in the call, wherever the parts of it end
            ours.fill_mask(["[MASK] " + "word " * 30000, "[MASK]", "no mask"])

    def test_classify(self):
        directory, model = self.directory("sequence-classification", num_labels=4, id2label=LABELS, label2id={name: i for i, name in LABELS.items()})
        ours, theirs = summand.Model(directory), self.pipeline("text-classification", directory, model)
        for text, got in zip(TEXTS, ours.classify(TEXTS, top_k=4), strict=True):
            self.assert_same(got, theirs(text, top_k=4), text)
        self.assert_same(ours.classify("a"), theirs("a"))
        self.assert_same(ours.classify([("a", "b")])[0], [theirs({"text": "a", "text_pair": "b"})])

    def test_tags_count_characters(self):
        directory, model = self.directory("token-classification", num_labels=4, id2label=LABELS, label2id={name: i for i, name in LABELS.items()})
        ours, theirs = summand.Model(directory), self.pipeline("token-classification", directory, model)
        for strategy in ("none", "simple", "first", "average", "max"):
            for text, got in zip(TEXTS, ours.tag(TEXTS, aggregation_strategy=strategy), strict=True):
                self.assert_same(got, theirs(text, aggregation_strategy=strategy), (strategy, text))
        words = ours.tag([["Zoë", "🙂", "Berlin"]], is_split_into_words=True, aggregation_strategy="simple")[0]
        for tag in words:
            self.assertEqual("Zoë 🙂 Berlin"[tag["start"] : tag["end"]].lower().replace("ë", "e"), " ".join(["zoe", "🙂", "berlin"][slice(*tag["words"])]))

    def test_answers(self):
        directory, _ = self.directory("question-answering", max_position_embeddings=512)
        model = summand.Model(directory)
        context = "Zoë 🙂 lives in Berlin, and Anna in Ürümqi."
        for one in model.answer("Who lives in Berlin?", context, top_k=3):
            self.assertEqual(context[one["start"] : one["end"]], one["answer"])
        self.assertEqual(model.answer([("Who?", context)] * 2)[1], model.answer("Who?", context))

    def test_offsets_of_a_text_in_windows(self):
        text = "Zoë 🙂 lives in Ürümqi. " * 40
        plain = "".join(one for one in unicodedata.normalize("NFD", text.lower()) if unicodedata.category(one) != "Mn")
        self.assertEqual(len(plain), len(text))
        directory, _ = self.directory("token-classification", num_labels=4, id2label=LABELS, label2id={name: i for i, name in LABELS.items()})
        for windows in ("mean", "max"):
            tags = summand.Model(directory).tag(text, windows=windows, overlap=8, aggregation_strategy="none")
            self.assertGreater(tags[-1]["end"], len(text) - len("Ürümqi. "))
            for tag in tags:
                self.assertIn(tag["word"].removeprefix("##"), (plain[tag["start"] : tag["end"]], "[UNK]"))
        directory, _ = self.directory("question-answering")
        for one in summand.Model(directory).answer("Who lives?", text, top_k=20, max_seq_len=40, doc_stride=8):
            self.assertEqual(text[one["start"] : one["end"]], one["answer"])

    def test_texts_are_read_as_in_training(self):
        long = ["the cat sat on a mat " * 20, "a", "Zoë lives in Ürümqi " * 5]
        for reading in ({"max_length": 11, "truncation": "tail"}, {"max_length": 9, "windows": "max", "overlap": 2}):
            directory, _ = self.directory("sequence-classification", num_labels=1)
            plain, pairs = summand.CrossEncoder(directory), [("a cat", text) for text in long]
            expected, expected_pairs, whole = plain.classify(long, **reading), plain.predict(pairs, **reading), plain.classify(long)
            self.assertIsNone(plain.info.reading)
            trained = summand.CrossEncoder(head_models.say_reading(directory, **reading))
            self.assertEqual(trained.info.reading, reading)
            self.assertEqual(trained.classify(long), expected)
            self.assertNotEqual(expected, whole)
            np.testing.assert_array_equal(trained.predict(pairs), expected_pairs)
            self.assertEqual([one["score"] for one in sorted(trained.rank("a cat", long), key=lambda one: one["corpus_id"])], expected_pairs.tolist())
            self.assertEqual(trained.classify(long, truncation="longest_first", max_length=80), whole)
            directory, _ = self.directory("token-classification", num_labels=4, id2label=LABELS, label2id={name: i for i, name in LABELS.items()})
            expected = summand.Model(directory).tag(long, **reading)
            self.assertEqual(summand.Model(head_models.say_reading(directory, **reading)).tag(long), expected)

    def test_a_transformer_reads_windows(self):
        directory, _ = self.directory("sequence-classification", num_labels=1)
        self.assertEqual(summand.Model(directory).info.most_windows, 0)
        with self.assertRaisesRegex(summand.UsageError, "the model has no transformer over the windows of texts"):
            summand.Model(directory).classify("a", windows="transformer")
        model = summand.CrossEncoder(head_models.add_window_encoder(directory, most_windows=3, max_length=10))
        self.assertEqual(model.info.most_windows, 3)
        self.assertEqual(model.info.reading, {"max_length": 10, "windows": "transformer", "overlap": 0})
        words = "the cat sat on a mat and it was the best of all mats in this town".split() * 3
        texts = [" ".join(words[:count]) for count in (40, 24, 8)]  # eight words in a window
        long, whole, short = (one[0]["score"] for one in model.classify(texts))
        self.assertEqual(long, whole)
        self.assertNotEqual(whole, short)
        self.assertEqual([one[0]["score"] for one in model.classify(texts, windows="transformer", max_length=10)], [whole, whole, short])
        self.assertEqual([one[0]["score"] for one in model.classify(texts, truncation="head")], [short, short, short])
        np.testing.assert_array_equal(model.predict([("a", "cat " * 300)]), model.predict([("a", "cat " * 18)]))  # six in a window
        with self.assertRaisesRegex(summand.UsageError, "expected transformer, with which the model was trained, got another way"):
            model.classify(texts, windows="mean")

    def test_next_sentence(self):
        directory, model = self.directory("next-sentence")
        tokenizer = transformers.AutoTokenizer.from_pretrained(directory)
        pairs = [("a cat", "it sat"), ("银行", "bank")]
        with torch.no_grad():
            expected = [model(**tokenizer(*pair, return_tensors="pt")).logits.softmax(-1)[0, 0].item() for pair in pairs]
        np.testing.assert_allclose(summand.Model(directory).next_sentence(pairs), expected, atol=NEAR)

    def test_cross_encoder(self):
        pairs = [("a cat", text) for text in TEXTS]
        for labels in (1, 3):
            directory, _ = self.directory("sequence-classification", num_labels=labels)
            ours, theirs = summand.CrossEncoder(directory), CrossEncoder(str(directory), device="cpu", max_length=80)
            got, expected = ours.predict(pairs), theirs.predict(pairs)
            self.assertEqual((got.shape, got.dtype), (expected.shape, expected.dtype))
            np.testing.assert_allclose(got, expected, atol=NEAR)
            np.testing.assert_allclose(ours.predict(pairs[0]), theirs.predict(pairs[0]), atol=NEAR)
            np.testing.assert_allclose(ours.predict(pairs, activation_fn=torch.nn.Identity()), theirs.predict(pairs, activation_fn=torch.nn.Identity()), atol=NEAR)
            self.assertEqual(ours.num_labels, labels)
            self.shows_progress(ours, pairs)
            if labels == 1:
                ranked, wanted = (model.rank("a cat", TEXTS, top_k=3, return_documents=True) for model in (ours, theirs))
                self.assert_same(ranked, wanted)
            else:
                np.testing.assert_allclose(ours.predict(pairs, apply_softmax=True), theirs.predict(pairs, apply_softmax=True), atol=NEAR)
                with self.assertRaisesRegex(summand.UsageError, r"\[rank\] expected a model with one label, got 3 labels"):
                    ours.rank("a", ["b"])

    def shows_progress(self, model, pairs):
        """With the same bits, over a border of what is computed between two steps of the bar; faults have the caller's numbers."""
        many = pairs * 300
        with contextlib.redirect_stderr(io.StringIO()) as shown:
            self.assertEqual(model.predict(many, show_progress_bar=True).tobytes(), model.predict(many).tobytes())
            with self.assertRaisesRegex(TypeError, rf"sentences\[{len(many)}\]"):
                model.predict([*many, ("a", None)], show_progress_bar=True)
        self.assertIn(f"{len(many)}/{len(many)}", shown.getvalue())

    def test_a_cut_text_is_told(self):
        directory, _ = self.directory("sequence-classification", num_labels=1)
        long = "word " * 200
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", summand.CutWarning)
            summand.Model(directory).classify([long, "a"])
            summand.CrossEncoder(directory, max_length=20).predict([("a", long)])
            summand.Model(directory).hidden_states([long, "a"])
            summand.Model(directory).classify(long, windows="mean")
            summand.Model(head_models.say_reading(directory, max_length=30, truncation="head")).classify(long)
            summand.Model(head_models.add_window_encoder(directory, most_windows=3, max_length=30)).classify([long, "a"])
            directory, _ = self.directory("sequence-classification", num_labels=1)
            with contextlib.redirect_stderr(io.StringIO()):
                summand.CrossEncoder(directory, max_length=20).predict([("a", long)] * 600, show_progress_bar=True)
        expected = ["1 of 2 texts were cut at 80 tokens", "1 of 1 texts were cut at 20 tokens", "1 of 2 texts were cut at 80 tokens", "1 of 1 texts were cut at 30 tokens", "1 of 2 texts were cut at 3 windows", "600 of 600 texts were cut at 20 tokens"]
        self.assertEqual([(str(one.message), one.filename) for one in told], [(line, __file__) for line in expected])

    def test_a_model_without_the_head_says_which_it_has(self):
        directory, _ = self.directory("masked-lm")
        with self.assertRaisesRegex(summand.ConfigError, "classification head"):
            summand.Model(directory).classify("a")


class Inside(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = summand_testing.minilm()
        cls.model = summand.Model(cls.directory)
        cls.theirs = transformers.BertModel.from_pretrained(cls.directory, attn_implementation="eager").eval()
        cls.tokenizer = transformers.BertTokenizerFast.from_pretrained(cls.directory)

    def test_hidden_states(self):
        states = self.model.hidden_states([*TEXTS, ("a", "b")])
        for number, text in enumerate([*TEXTS, ("a", "b")]):
            with torch.no_grad():
                given = self.tokenizer(*([text] if isinstance(text, str) else text), return_tensors="pt")
                expected = self.theirs(**given, output_hidden_states=True)
            self.assertEqual(states.encodings[number].ids, given["input_ids"][0].tolist())
            for layer in states.layers:
                np.testing.assert_allclose(states.of(number, layer), expected.hidden_states[layer][0].numpy(), atol=2e-5)
            np.testing.assert_allclose(states.pooled[number], expected.pooler_output[0].numpy(), atol=2e-5)
        with self.assertRaisesRegex(summand.UsageError, r"\[layer\] expected one of 0, 1"):
            states.of(0, 9)

    def test_taps_show_attention(self):
        with summand.Taps(self.model, ["attention", "position_part"]) as taps:
            self.model.hidden_states(TEXTS)
        with torch.no_grad():
            expected = self.theirs(**self.tokenizer(TEXTS[1], return_tensors="pt"), output_attentions=True).attentions
        seen = {(visit.layer, visit.head): visit.values for visit in taps.visits if visit.text == 1 and visit.point == "attention"}
        self.assertEqual(len(seen), 6 * 12)
        for (layer, head), values in seen.items():
            np.testing.assert_allclose(values, expected[layer - 1][0, head].numpy(), atol=1e-5)
        self.assertEqual(sum(visit.point == "position_part" for visit in taps.visits), len(TEXTS))
        self.assertEqual(len(self.model.hidden_states(TEXTS).layers), 7)
        self.assertEqual(len(taps.visits), 6 * 12 * len(TEXTS) + len(TEXTS), "outside `with` nothing is watched")

    def test_taps_change_what_the_model_computes(self):
        def without_positions(visit):
            visit.values[:] = 0

        with summand.Taps(self.model, "position_part", without_positions):
            got = self.model.hidden_states("a cat sat", layers=[6]).states[0]
        table = self.theirs.embeddings.position_embeddings.weight
        kept = table.detach().clone()
        with torch.no_grad():
            table.zero_()
            expected = self.theirs(**self.tokenizer("a cat sat", return_tensors="pt")).last_hidden_state[0].numpy()
            table.copy_(kept)
        np.testing.assert_allclose(got, expected, atol=2e-5)

    def test_a_visit_may_change_neither_type_nor_shape(self):
        def wider(visit):
            visit.values.dtype = np.float64

        def turned(visit):
            visit.values.shape = visit.values.shape[::-1]

        for change in (wider, turned):
            with self.assertRaisesRegex(summand.UsageError, r"^\[values\] expected float32 \[5, 1536\] after the visit of intermediate"), summand.Taps(self.model, "intermediate", change):
                self.model.hidden_states("a cat sat")

    def test_many_texts_are_as_each_alone(self):
        texts = [f"{'long ' * 50}text {number}" for number in range(300)]  # computed in several parts
        states = self.model.hidden_states(texts, layers=[6])
        for number in (0, 150, 299):
            alone = self.model.hidden_states(texts[number], layers=[6])
            self.assertEqual(states.of(number, 6).tobytes(), alone.of(0, 6).tobytes())
            self.assertEqual(states.pooled[number].tobytes(), alone.pooled[0].tobytes())
        with self.assertRaisesRegex(summand.TextError, "text 300"):
            self.model.hidden_states([*texts[:299], "word " * 600], truncation="none")

    def test_an_exception_in_a_visit_ends_the_call(self):
        def fail(visit):
            raise ZeroDivisionError("here")

        with self.assertRaisesRegex(ZeroDivisionError, "here"), summand.Taps(self.model, "sum", fail):
            self.model.hidden_states("a")
        self.assertEqual(self.model.hidden_states("a").states[0].shape, (3, 384))

    def test_taps_are_those_of_this_model_and_thread(self):
        import threading

        other = summand.Model(self.directory)
        with summand.Taps(self.model, "sum") as taps:
            other.hidden_states("a")
            thread = threading.Thread(target=self.model.hidden_states, args=("a",))
            thread.start()
            thread.join()
        self.assertEqual(taps.visits, [])

    def test_tokens_are_those_of_tokenizers(self):
        ours, theirs = summand.Tokenizer(self.directory), self.tokenizer.backend_tokenizer
        theirs.no_truncation()
        theirs.no_padding()
        for text in [*TEXTS, "", "née [MASK]", "a\u0301b", "word " * 600]:
            for pair in (None, "second, née 🙂"):
                got, expected = ours.encode(text, pair), theirs.encode(text, pair)
                for name in ("ids", "type_ids", "tokens", "offsets", "word_ids", "special_tokens_mask", "attention_mask"):
                    self.assertEqual(getattr(got, name), getattr(expected, name), (text, pair, name))
                self.assertEqual(len(got), len(expected))
                self.assertEqual(ours.decode(got.ids), theirs.decode(expected.ids))
        words = ["Zoë's", "🙂", "place"]
        got, expected = ours.encode(words, is_pretokenized=True), theirs.encode(words, is_pretokenized=True)
        self.assertEqual((got.ids, got.word_ids, got.offsets), (expected.ids, expected.word_ids, expected.offsets))
        self.assertEqual(self.model.hidden_states([words], is_split_into_words=True).encodings[0].offsets, expected.offsets)
        self.assertEqual(ours.token_to_id("cat"), theirs.token_to_id("cat"))
        self.assertEqual((ours.id_to_token(3), ours.id_to_token(10**6), ours.token_to_id("nosuchword")), (theirs.id_to_token(3), None, None))
        self.assertEqual(ours.get_vocab_size(), theirs.get_vocab_size())
        self.assertEqual(len(ours.encode("word " * 600, max_length=10)), 10)

    def test_offsets_of_a_pair_whose_template_has_one_segment(self):
        folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        description = json.loads(pathlib.Path(self.directory, "tokenizer.json").read_text())
        for piece in description["post_processor"]["pair"]:
            next(iter(piece.values()))["type_id"] = 0
        (folder / "tokenizer.json").write_text(json.dumps(description))
        (folder / "tokenizer_config.json").write_text('{"tokenizer_class": "PreTrainedTokenizerFast"}')
        theirs = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
        theirs.no_truncation()
        theirs.no_padding()
        got, expected = (one.encode("é", "née, a longer second text") for one in (summand.Tokenizer(folder), theirs))
        self.assertEqual((got.type_ids, got.offsets), (expected.type_ids, expected.offsets))


if __name__ == "__main__":
    summand_testing.run_cases()
