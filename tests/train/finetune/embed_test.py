"""summand finetune --task embed beside sentence-transformers: the losses of 50 steps with the library's own losses; what a
run leaves, in the library and in summand embed; a run that is killed and goes on; what goes wrong, in one line."""

import json
import pathlib
import random
import subprocess
import tempfile
import time
import unittest

import numpy as np
import sentence_transformers
import summand_testing
import torch
import training
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer import losses, modules
from transformers import AutoModel, BertConfig, BertModel, BertTokenizerFast

ROWS = 101  # the last of an epoch's 13 steps has fewer rows
BATCH = 8
EPOCHS = 4
STEPS = 52
SEED = 5
LEARNING_RATE = 1e-3
AGREE = 1e-4  # the bar; single precision over 50 steps leaves about 1e-5
SAME_VECTORS = 1e-5
WIDTH = 24


def summand(*words, check=True):
    done = subprocess.run([summand_testing.BIN / "summand", *map(str, words)], capture_output=True, text=True)
    assert not check or done.returncode == 0, done.stderr
    return done


def command(*words):
    return [summand_testing.BIN / "summand-train", "finetune", "--task", "embed", "--threads", "1", *map(str, words)]


def finetune(*words, check=True):
    done = subprocess.run(command(*words), capture_output=True, text=True)
    assert not check or done.returncode == 0, done.stderr
    return done


class Data:
    """A tiny BERT without dropout, as sentence-transformers saves it; pairs of sentences, and a teacher's vectors."""

    def __init__(self, folder):
        self.folder = folder
        texts = training.corpus(folder)
        vocabulary = training.vocabulary(folder, texts, 600) / "vocab.txt"
        base = folder / "base"
        torch.manual_seed(3)
        config = BertConfig(
            vocab_size=len(vocabulary.read_text().splitlines()), hidden_size=WIDTH, num_attention_heads=3, num_hidden_layers=2,
            intermediate_size=40, max_position_embeddings=64, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
            initializer_range=0.2)
        BertModel(config).save_pretrained(base)
        BertTokenizerFast(vocab=str(vocabulary), do_lower_case=True, model_max_length=64).save_pretrained(base)
        self.base = base
        sentences = [line for line in texts.read_text().splitlines() if line]
        self.sentences = list(dict.fromkeys(sentences))
        assert len(self.sentences) > ROWS + 40, len(self.sentences)
        # Each sentence's words in two halves belong together.
        halves = [(words[: len(words) // 2], words[len(words) // 2 :]) for words in map(str.split, self.sentences)]
        every = [(" ".join(a), " ".join(b)) for a, b in halves if len(a) > 1]
        self.pairs, self.held = every[:ROWS], every[ROWS : ROWS + 16]
        self.negatives = [f"{b} {a}" for a, b in every]  # near to the anchor, and no other row's text
        self.labels = [round(float(x), 3) for x in np.random.default_rng(5).uniform(-1, 1, ROWS + 16)]
        self.train = self.table("train.tsv", self.pairs, self.labels)
        self.valid = self.table("valid.tsv", self.held, self.labels[ROWS:])

    def table(self, name, pairs, labels=None):
        path = self.folder / name
        rows = ["\t".join(["text", "text_pair"] + ["similarity"] * (labels is not None))]
        rows += ["\t".join([a, b] + ([str(labels[i])] if labels is not None else [])) for i, (a, b) in enumerate(pairs)]
        path.write_text("\n".join(rows) + "\n")
        return path

    def triples(self, name, pairs, negatives):
        path = self.folder / name
        rows = "".join(f"{a}\t{b}\t{c}\n" for (a, b), c in zip(pairs, negatives, strict=True))
        path.write_text("text\ttext_pair\tother\n" + rows)
        return path

    def lines(self, name, texts):
        path = self.folder / name
        path.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
        return path

    def teacher(self, name, rows, width, seed=1):
        path = self.folder / name
        vectors = np.random.default_rng(seed).normal(size=(rows, width)).astype(np.float32)
        np.save(path, vectors / np.linalg.norm(vectors, axis=1, keepdims=True))
        return path

    def library_model(self, name, *behind, pooling="mean", **settings):
        chain = [modules.Transformer(str(self.base)), modules.Pooling(WIDTH, pooling_mode=pooling), *behind]
        model = SentenceTransformer(modules=chain, device="cpu", **settings)
        model.save(str(self.folder / name))
        return model, self.folder / name


def lines_in(path):
    return path.read_bytes().count(b"\n") if path.exists() else 0


def features(model, texts):
    return model.preprocess(list(texts)) if hasattr(model, "preprocess") else model.tokenize(list(texts))


def order():
    """The rows of each step."""
    words = [summand_testing.BIN / "row_probe", str(ROWS), str(BATCH), str(SEED), str(STEPS)]
    return [json.loads(line) for line in subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()]


def library_losses(model, loss, columns, labels):
    """[steps] losses, while the model is trained."""
    model.train()
    parameters = [p for p in model.parameters() if p.requires_grad]
    optimiser = torch.optim.AdamW(
        [{"params": [p for p in parameters if p.dim() > 1], "weight_decay": 0.01},
         {"params": [p for p in parameters if p.dim() <= 1], "weight_decay": 0}], lr=LEARNING_RATE)
    found = []
    for chosen in order():
        texts = [features(model, [column[row] for row in chosen]) for column in columns]
        value = loss(texts, None if labels is None else labels[chosen])
        optimiser.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        found.append(value.item())
    model.eval()
    return found


class EmbedTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.holder.name)
        cls.data = Data(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def run_beside(self, name, model, directory, loss, columns, labels, words):
        """The same steps here and there."""
        run = self.folder / f"run-{name}"
        finetune("--model", directory, "-o", run, "--epochs", EPOCHS, "--batch-size", BATCH, "--batch-tokens", 160, "--warmup", 0,
                 "--schedule", "constant", "--learning-rate", LEARNING_RATE, "--log-every", 1, "--seed", SEED, *words)
        own = [line["train"]["loss"] for line in training.metrics(run) if "train" in line]
        theirs = library_losses(model, loss, columns, labels)
        worst = max(abs(a - b) for a, b in zip(own, theirs))
        probe = self.data.sentences[:30]
        trained = SentenceTransformer(str(run / "last"), device="cpu").encode(probe)
        apart = float(abs(trained - model.encode(probe)).max())
        print(f"{name}: losses {own[0]:.4f} to {own[-1]:.4f}, {worst:.1e} apart; vectors afterwards {apart:.1e} apart")
        self.assertEqual(len(own), STEPS)
        self.assertLess(sum(own[-10:]), 0.9 * sum(own[:10]), "nothing was learned")
        self.assertLess(worst, AGREE)
        self.assertLess(apart, 10 * AGREE)
        return run

    def test_ranking_with_cached_gradients_has_the_losses_of_the_library(self):
        model, directory = self.data.library_model("ranking")
        self.run_beside("ranking", model, directory, losses.MultipleNegativesRankingLoss(model), list(zip(*self.data.pairs)), None,
                        ["--train", self.data.train, "--valid", self.data.valid])

    def test_hard_negatives_have_the_losses_of_the_library_cached_or_not(self):
        held = self.data.negatives[ROWS : ROWS + 16]
        columns = [*zip(*self.data.pairs), self.data.negatives[:ROWS]]
        train = self.data.triples("triples.tsv", self.data.pairs, self.data.negatives[:ROWS])
        valid = self.data.triples("held.tsv", self.data.held, held)
        model, directory = self.data.library_model("negatives")
        model.max_seq_length = 48
        run = self.run_beside("negatives", model, directory, losses.MultipleNegativesRankingLoss(model), columns, None,
                              ["--train", train, "--valid", valid, "--test", valid, "--negative-column", "other", "--max-length", 48])
        cached, _ = self.data.library_model("cached")
        cached.max_seq_length = 48
        cached.load_state_dict(SentenceTransformer(str(directory), device="cpu").state_dict())
        theirs = library_losses(cached, losses.CachedMultipleNegativesRankingLoss(cached, mini_batch_size=3), columns, None)
        own = [line["train"]["loss"] for line in training.metrics(run) if "train" in line]
        apart = max(abs(a - b) for a, b in zip(own, theirs, strict=True))
        print(f"negatives, cached: losses {apart:.1e} apart")
        self.assertLess(apart, AGREE)
        self.check_triples(run, held)

    def check_triples(self, run, negatives):
        """The nearest text of each row, among all second texts and negatives, whatever --batch-size is, and its loss."""
        library = SentenceTransformer(str(run / "best"), device="cpu")
        anchors, positives = zip(*self.data.held)
        anchors, positives, negatives = (library.encode(list(texts), convert_to_tensor=True) for texts in (anchors, positives, negatives))
        lines = [json.loads(line) for line in (run / "predictions.jsonl").read_text().splitlines()]
        self.assertEqual(len(lines), 16)
        found = []
        logits = 20 * sentence_transformers.util.cos_sim(anchors, torch.cat([positives, negatives]))
        expected = torch.nn.functional.cross_entropy(logits, torch.arange(16), reduction="none")
        for line, row, loss in zip(lines, logits, expected):
            best = int(row.argmax())
            self.assertEqual((line["first"].split(":")[-1], line["first_is_negative"]), (str(2 + best % 16), best >= 16))
            self.assertAlmostEqual(line["loss"], float(loss), delta=AGREE)
            found.append(line["first_is_negative"])
        self.assertEqual(set(found), {True, False})

    def test_ranking_is_judged_among_the_same_rows_whatever_a_step_has(self):
        """The model before training, on 101 rows: in the library, in groups of 50 and 51 rows."""
        library = SentenceTransformer(str(self.data.base), device="cpu")
        anchors, positives = (library.encode(list(texts), convert_to_tensor=True) for texts in zip(*self.data.pairs))
        losses, hits = [], []
        for rows in (slice(0, 50), slice(50, ROWS)):
            logits = 20 * sentence_transformers.util.cos_sim(anchors[rows], positives[rows])
            own = torch.arange(len(logits))
            losses += torch.nn.functional.cross_entropy(logits, own, reduction="none").tolist()
            hits += (logits.argmax(1) == own).tolist()
        for batch, tokens in ((2, 200), (40, 4000)):
            run = self.folder / f"judged-{batch}"
            finetune("--model", self.data.base, "-o", run, "--train", self.data.valid, "--valid", self.data.train, "--test", self.data.train,
                     "--loss", "ranking", "--epochs", 1, "--batch-size", batch, "--batch-tokens", tokens)
            metrics = json.loads((run / "metrics.json").read_text())
            for part in ("validation", "test"):
                scores = metrics[part]["baselines"]["before training"]
                self.assertEqual(metrics[part]["rows"], ROWS)
                self.assertAlmostEqual(scores["accuracy"]["value"], sum(hits) / ROWS, delta=1e-9)
                self.assertAlmostEqual(scores["loss"]["value"], sum(losses) / ROWS, delta=AGREE)

    def test_rows_without_a_wrong_text_are_told_and_not_judged(self):
        alike = self.data.table("alike.tsv", [(a, b if row == 7 else "one answer") for row, (a, b) in enumerate(self.data.held)])
        run = self.folder / "alike"
        # One text is another than those of all other rows, so that each row has a wrong one.
        first = self.data.held[0][0]
        known = self.data.table("known.tsv", [(first, b) for _, b in self.data.held[:5]] + [self.data.held[7]])
        said = finetune("--model", self.data.base, "-o", run, "--train", self.data.train, "--valid", alike, "--test", known, "--epochs", 1).stderr
        self.assertNotIn("alike.tsv", said)
        self.assertNotIn("known.tsv:", said)
        same = self.data.table("same.tsv", [(a, "one answer") for a, _ in self.data.held])
        both = self.data.table("both.tsv", [(first, "x"), (first, "y"), (self.data.held[1][0], "x")])
        said = finetune("--model", self.data.base, "-o", run, "--overwrite", "--train", self.data.train, "--valid", same, "--test", both,
                        "--epochs", 1).stderr
        so = "have no wrong text in their group of at most 64 rows, the first one here; accuracy and loss leave them out"
        self.assertIn(f"same.tsv:2: 16 of the 16 rows of {same} {so}, and are 0 without any\n", said)
        self.assertIn(f"both.tsv:2: 2 of the 3 rows of {both} {so}\n", said)
        metrics = json.loads((run / "metrics.json").read_text())
        self.assertEqual((metrics["validation"]["rows"], metrics["test"]["rows"]), (0, 1))
        self.assertEqual(metrics["validation"]["scores"]["accuracy"]["value"], 0)
        lines = [json.loads(line) for line in (run / "predictions.jsonl").read_text().splitlines()]
        self.assertEqual([line["first"] is None for line in lines], [True, True, False])
        self.assertAlmostEqual(metrics["test"]["scores"]["loss"]["value"], lines[2]["loss"], delta=1e-6)

    def test_cosines_that_are_all_the_same_are_told(self):
        same, other = self.data.table("equal.tsv", self.data.held, [0.5] * 16), self.data.table("minus.tsv", self.data.held[:3], [-1] * 3)
        said = finetune("--model", self.data.base, "-o", self.folder / "equal", "--train", same, "--valid", self.data.valid, "--test", other,
                        "--label-column", "similarity", "--epochs", 1).stderr
        self.assertIn("equal.tsv: all 16 labels to train on are 0.5: there is nothing to learn\n", said)
        self.assertIn("minus.tsv: all 3 labels are -1, so Pearson's and Spearman's correlations with them are 0\n", said)
        self.assertNotIn("valid.tsv: all", said)

    def test_cosine_has_the_losses_of_the_library(self):
        model, directory = self.data.library_model("cosine", modules.Dense(WIDTH, 10, activation_function=torch.nn.Tanh()))
        run = self.run_beside(
            "cosine", model, directory, losses.CosineSimilarityLoss(model), list(zip(*self.data.pairs)),
            torch.tensor(self.data.labels[:ROWS]),
            ["--train", self.data.train, "--valid", self.data.valid, "--label-column", "similarity"])
        self.same_vectors(run)

    def test_distillation_has_the_losses_of_the_library(self):
        model, directory = self.data.library_model(
            "distillation", modules.Dense(WIDTH, 16, activation_function=torch.nn.Identity()), modules.Normalize())
        teacher = self.data.teacher("teacher.npy", ROWS, 16)
        texts = self.data.lines("texts.jsonl", self.data.sentences[:ROWS])
        held = self.data.lines("held.jsonl", self.data.sentences[ROWS : ROWS + 16])
        run = self.run_beside(
            "distillation", model, directory, losses.MSELoss(model), [self.data.sentences[:ROWS]], torch.tensor(np.load(teacher)),
            ["--train", texts, "--teacher", teacher, "--valid", held, "--valid-teacher", self.data.teacher("held.npy", 16, 16, 2)])
        self.same_vectors(run)

    def same_vectors(self, run):
        """The library and summand load the directory without a gap, and make the same vectors."""
        _, info = AutoModel.from_pretrained(run / "best", output_loading_info=True)
        self.assertFalse(info["missing_keys"], info)
        self.assertFalse(info["unexpected_keys"], info)
        probe = self.data.sentences[20:60]
        library = SentenceTransformer(str(run / "best"), device="cpu")
        theirs = library.encode(probe)
        texts = self.folder / "probe.txt"
        texts.write_text("\n".join(probe) + "\n")
        out = self.folder / f"{run.name}.npy"
        summand("embed", "--model", run / "best", texts, "-o", out)
        own = np.load(out)
        apart = float(abs(own - theirs).max())
        print(f"{run.name}: vectors {own.shape}, {apart:.1e} apart in sentence-transformers {sentence_transformers.__version__}")
        self.assertEqual(own.shape, theirs.shape)
        self.assertLess(apart, SAME_VECTORS)
        return library

    def test_a_wider_teacher_is_met_by_a_dense_module_that_others_load(self):
        run = self.folder / "wider"
        texts = self.data.lines("all.jsonl", self.data.sentences[:120])
        finetune("--model", self.data.base, "-o", run, "--train", texts, "--teacher", self.data.teacher("wide.npy", 120, 40),
                 "--epochs", 2, "--pooling", "cls", "--activation", "tanh", "--max-length", 32)
        library = self.same_vectors(run)
        self.assertEqual([type(module).__name__ for module in library], ["Transformer", "Pooling", "Dense"])
        self.assertEqual(library[1].pooling_mode, "cls")
        self.assertEqual(type(library[2].activation_function), torch.nn.Tanh)
        self.assertEqual(library.max_seq_length, 32)
        metrics = json.loads((run / "metrics.json").read_text())
        print(json.dumps(metrics)[:600])

    def test_modules_of_every_kind_and_a_prompt_are_trained_and_written_as_others_read_them(self):
        layer_norm = modules.LayerNorm(20)
        with torch.no_grad():
            layer_norm.norm.weight.uniform_(0.5, 2)
        _, directory = self.data.library_model(
            "every-kind", modules.Dense(2 * WIDTH, 20, bias=False, activation_function=torch.nn.GELU()), layer_norm,
            modules.Dense(20, 12, activation_function=torch.nn.Identity(), use_residual=True), modules.Normalize(),
            pooling=("mean", "cls"), prompts={"query": "query : ", "document": ""}, default_prompt_name="query")
        run = self.folder / "every-kind-run"
        finetune("--model", directory, "-o", run, "--train", self.data.train, "--epochs", 1, "--learning-rate", 0.01, "--warmup", 0)
        library = self.same_vectors(run)
        self.assertEqual(library.default_prompt_name, "query")
        self.assertEqual([type(module).__name__ for module in library],
                         ["Transformer", "Pooling", "Dense", "LayerNorm", "Dense", "Normalize"])
        before = SentenceTransformer(str(directory), device="cpu").state_dict()
        for name, tensor in library.state_dict().items():
            if "pooler" in name:
                self.assertTrue(torch.equal(tensor, before[name]), "nothing reads the pooler, so it stays")
            moves = name.startswith(("2.", "3.", "4.")) or "encoder" in name
            if moves and not name.endswith("key.bias"):  # which no attention weight depends on
                self.assertGreater(float((tensor - before[name]).abs().max()), 1e-4, name)

    @summand_testing.long
    def test_in_bf16_the_losses_stay_near_those_of_fp32(self):
        found = {}
        for precision in ("fp32", "bf16"):
            run = self.folder / precision
            finetune("--model", self.data.base, "-o", run, "--train", self.data.train, "--epochs", 2, "--log-every", 1,
                     "--precision", precision, "--batch-tokens", 160)
            found[precision] = [line["train"]["loss"] for line in training.metrics(run) if "train" in line]
        apart = max(abs(a - b) for a, b in zip(found["fp32"], found["bf16"], strict=True))
        print(f"bf16: losses {apart:.1e} apart")
        self.assertNotEqual(found["fp32"], found["bf16"])
        self.assertLess(apart, 0.1)

    def test_killed_at_some_moments_a_run_ends_with_the_same_bits(self):
        self.kill(3)

    @summand_testing.long
    def test_and_so_it_does_killed_at_30(self):
        self.kill(30)

    def kill(self, times):
        texts = self.data.lines("kill.jsonl", self.data.sentences[:120])
        teacher = self.data.teacher("kill.npy", 120, 30)
        words = ["--model", self.data.base, "--train", texts, "--teacher", teacher, "--epochs", 20, "--batch-size", 8, "--dropout", 0.1,
                 "--checkpoint-every", 7, "--log-every", 5, "--seed", 2]
        whole, broken = self.folder / f"whole-{times}", self.folder / f"broken-{times}"
        finetune(*words, "-o", whole)
        curve, lines = broken / "metrics.jsonl", lines_in(whole / "metrics.jsonl")
        kills = 0
        for goal in sorted(random.Random(1).sample(range(1, lines - lines // 10), times)):
            process = subprocess.Popen(command(*words, "-o", broken, "--resume"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            while process.poll() is None and lines_in(curve) < goal:
                time.sleep(0.002)
            process.kill()
            kills += process.wait() != 0
        finetune(*words, "-o", broken, "--resume")
        self.assertGreaterEqual(kills, times - 1)
        for name in ("last/model.safetensors", "last/2_Dense/model.safetensors", "last/optimizer.safetensors",
                     "best/model.safetensors", "best/2_Dense/model.safetensors", "last/modules.json"):
            self.assertEqual((whole / name).read_bytes(), (broken / name).read_bytes(), name)

    def test_damage_to_a_module_is_noticed(self):
        run = self.folder / "damaged"
        texts = self.data.lines("damaged.jsonl", self.data.sentences[:30])
        words = ["--model", self.data.base, "--train", texts, "--teacher", self.data.teacher("damaged.npy", 30, 8), "-o", run]
        finetune(*words, "--epochs", 1)
        path = run / "last" / "2_Dense" / "model.safetensors"
        damaged = bytearray(path.read_bytes())
        damaged[-1] ^= 1
        path.write_bytes(damaged)
        done = finetune(*words, "--epochs", 1, "--resume", check=False)
        self.assertEqual(done.returncode, 1)
        self.assertIn("is damaged or was changed", done.stderr)

    def test_what_goes_wrong_is_said_in_one_line_before_anything_is_written(self):
        data = self.data
        texts = data.lines("bad.jsonl", data.sentences[:24])
        teacher = data.teacher("bad.npy", 24, 16)
        broken = np.load(teacher)
        broken[3, 5] = np.nan
        np.save(data.folder / "nan.npy", broken)
        one_column = data.folder / "one.tsv"
        one_column.write_text("text\n" + "\n".join(data.sentences[:10]) + "\n")
        words = data.folder / "words.tsv"
        words.write_text("text\ttext_pair\tlabel\n" + "".join(f"{a}\t{b}\tyes\n" for a, b in data.pairs))
        large = data.table("large.tsv", data.pairs, [4.5] * ROWS)
        valid = ["--valid", texts]
        triples = data.triples("same.tsv", data.pairs[:3], ["x", data.pairs[1][1], "y"])
        blank = data.triples("blank.tsv", data.pairs[:3], ["x", "y", " "])
        alike = data.table("alike.tsv", [(a, "one answer") for a, _ in data.pairs])
        one_first = data.table("first.tsv", [("one question", b) for _, b in data.pairs])
        crossed = data.table("crossed.tsv", [(a, b) for a in ("one", "two") for b in ("three", "four")])
        for arguments, expected in [
            (["--train", alike, "--valid", data.valid], "alike.tsv] expected second texts that differ, got the same tokens in all 101 rows"),
            (["--train", one_first, "--valid", data.valid], "101 rows to train on, which pair the same first text with all"),
            (["--train", crossed, "--valid", data.valid],
             "crossed.tsv] expected a second text that is wrong for some first text, got none in the 4 rows to train on, which pair each "
             "first text with all"),
            (["--train", data.train, "--teacher", data.teacher("pairs.npy", ROWS, 16)],
             "train.tsv:2] expected one text, as --teacher has one vector for each row, got two; leave out 'text_pair'"),
            (["--train", data.train, "--activation", "tanh"],
             "[--activation] expected a --teacher whose vectors have another width than the model's, for which a dense module is added, got none"),
            (["--train", texts, "--teacher", data.teacher("as-wide.npy", 24, WIDTH), "--activation", "identity"], "got 24 dimensions of both"),
            (["--train", data.train, "--metric", ""], "[--metric] expected one of accuracy, loss for --loss ranking, got ''"),
            (["--train", data.train, "--truncation", "none", "--max-length", 4], "] --truncation none: expected at most 4 tokens, got "),
            (["--train", texts, "--teacher", data.teacher("few.npy", 23, 16)], "expected a vector for each of the 24 rows"),
            (["--train", texts, "--teacher", data.folder / "nan.npy"], "expected finite numbers, got nan at [3, 5]"),
            (["--train", texts, "--teacher", teacher, *valid], "--valid-teacher"),
            (["--train", texts, "--teacher", teacher, *valid, "--valid-teacher", data.teacher("narrow.npy", 24, 15)],
             "expected vectors of 16 dimensions"),
            (["--train", texts, "--teacher", teacher, "--test", texts], "--test"),
            (["--train", texts, "--teacher", texts], "bad.jsonl"),
            (["--train", data.train, "--teacher", teacher, "--loss", "ranking"], "--teacher"),
            (["--train", data.train, "--loss", "distillation"], "--teacher"),
            (["--train", one_column], "expected two texts, got one"),
            (["--train", words], "expected it, as the label"),
            (["--train", words, "--loss", "cosine"], "expected a number as label"),
            (["--train", large, "--label-column", "similarity"], "expected a cosine, from -1 to 1, as label, got 4.5"),
            (["--train", data.train, "--batch-size", 1], "--batch-size"),
            (["--train", data.train, "--batch-tokens", 100], "--batch-tokens"),
            (["--train", data.train, "--max-length", 65], "--max-length"),
            (["--train", data.train, "--metric", "spearman"], "expected one of accuracy, loss"),
            (["--train", data.train, "--predict", data.train], "--predict"),
            (["--train", data.train, "--pair-column", "second"], "second"),
            (["--train", data.train, "--windows", "mean"], "[--windows] expected with a task other than embed, got it with embed"),
            (["--train", triples, "--negative-column", "other"], "same.tsv:3] expected a hard negative, got one of the row's other texts"),
            (["--train", blank, "--negative-column", "other"], "blank.tsv:4] expected a hard negative, got an empty text"),
            (["--train", triples, "--negative-column", "text"], "same.tsv:2] expected a hard negative, got one of the row's other texts"),
            (["--train", triples, "--negative-column", "no"],
             "same.tsv:1] expected the column 'no', got 'text', 'text_pair', 'other'; --negative-column names another"),
            (["--train", data.train, "--negative-column", "text", "--label-column", "similarity"],
             "[--negative-column] expected --loss ranking with it, got cosine"),
        ]:
            with self.subTest(expected):
                out = data.folder / "never"
                done = finetune("--model", data.base, "-o", out, *arguments, check=False)
                self.assertIn(done.returncode, (1, 2), done.stderr)
                self.assertEqual(len(done.stderr.strip().splitlines()), 1, done.stderr)
                self.assertIn(expected, done.stderr)
                self.assertFalse(out.exists())


if __name__ == "__main__":
    summand_testing.run_cases()
