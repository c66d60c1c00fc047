"""Fine-tuning with --windows beside transformers: each window of a long text by itself, the mean or the maximum of their
logits, and PyTorch's loss of that. Losses of 16 steps and of the last validation agree to 1e-4. RUN/best with summand
classify, tag and rerank gives the predictions of the run, with the same options and without, as the checkpoint says how its
texts were read; so it does of texts that were cut. Texts that fit are learned to the same bits as without --windows."""

import json
import pathlib
import subprocess
import tempfile
import unittest

import summand_testing
import torch
import transformers

import finetuning
import head_models
from transformers_test import LABELS, Case

ROWS = 64
BATCH = 8
EPOCHS = 2
STEPS = EPOCHS * ROWS // BATCH
RATE = 1e-3
SEED = 5
LONGEST = 12
AGREE = 1e-4
SAME = 2e-6  # scores have six digits
DIVIDED = {"classify": ("mean", 3), "tag": ("max", 4), "rank": ("max", 0), "several": ("mean", 0)}
NAMES = ("train", "valid", "test", "predict")


def ranges(words, room, overlap):
    """Where windows of whole words begin and end. @param words  of each token, its word"""
    bounds = [i for i in range(len(words) + 1) if i in (0, len(words)) or words[i] != words[i - 1]]
    begin = 0
    while len(words) - begin > room:
        end = max(bound for bound in bounds if bound <= begin + room)
        following = min(bound for bound in bounds if bound > end)
        yield begin, end
        begin = min(bound for bound in bounds if bound >= max(end - overlap, following - room))
    yield begin, len(words)


class Divided:
    """A row as windows: tokens, segments, and the place in the row of each token of its divided text."""

    def __init__(self, tokenizer, row, overlap):
        text = row.get("tokens") or row.get("text_pair") or row["text"]
        tokens = tokenizer(text, add_special_tokens=False, is_split_into_words="tokens" in row)
        first = tokenizer(row["text"], add_special_tokens=False)["input_ids"] + [tokenizer.sep_token_id] if "text_pair" in row else []
        self.ids, self.words, self.before = tokens["input_ids"], tokens.word_ids(), [tokenizer.cls_token_id, *first]
        self.ranges = list(ranges(self.words, LONGEST - len(self.before) - 1, overlap))
        self.after = tokenizer.sep_token_id

    def logits(self, model, pooling):
        """[1, labels], or [tokens, labels] of a tagger."""
        of_windows, of_tokens = [], [[] for _ in self.ids]
        for begin, end in self.ranges:
            ids = [*self.before, *self.ids[begin:end], self.after]
            segments = [0] * len(self.before) + [int(len(self.before) > 1)] * (len(ids) - len(self.before))
            logits = model(input_ids=torch.tensor([ids]), token_type_ids=torch.tensor([segments])).logits[0]
            of_windows.append(logits)
            for place in range(begin, end) if logits.dim() > 1 else ():
                of_tokens[place].append(logits[len(self.before) + place - begin])
        combine = (lambda parts: torch.stack(parts).mean(0)) if pooling == "mean" else (lambda parts: torch.stack(parts).max(0).values)
        return torch.stack([combine(parts) for parts in (of_tokens if of_windows[0].dim() > 1 else [of_windows])])


class Reference:
    """A task's rows, divided, and their losses."""

    def __init__(self, case, model, tokenizer, rows, pooling, overlap):
        self.case, self.model, self.pooling, self.rows = case, model, pooling, rows
        self.divided = [Divided(tokenizer, row, overlap) for row in rows]

    def targets(self, row):
        """Of one row, or of each of its tokens."""
        if self.case.name != "tag":
            return self.case.targets(None, [self.rows[row]])
        words = self.divided[row].words
        labels = self.rows[row]["labels"]
        return torch.tensor([-100 if i > 0 and words[i - 1] == word else self.case.labels.index(labels[word]) for i, word in enumerate(words)])

    def loss(self, chosen):
        logits = torch.cat([self.divided[row].logits(self.model, self.pooling) for row in chosen])
        return self.case.loss(logits, torch.cat([self.targets(row) for row in chosen]), None)

    def windows(self):
        return [len(one.ranges) for one in self.divided]


def order():
    words = [summand_testing.BIN / "row_probe", ROWS, BATCH, SEED, STEPS]
    return [json.loads(line) for line in subprocess.run(map(str, words), capture_output=True, text=True, check=True).stdout.splitlines()]


def train(reference):
    parameters = list(reference.model.parameters())
    groups = [{"params": [p for p in parameters if (p.dim() > 1) == matrices], "weight_decay": 0.01 * matrices} for matrices in (True, False)]
    optimiser = torch.optim.AdamW(groups, lr=RATE)
    losses = []
    for chosen in order():
        loss = reference.loss(chosen)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        losses.append(loss.item())
    return losses


def own_losses(run):
    lines = finetuning.lines_of(run / "metrics.jsonl")
    return ([line["train"]["loss"] for line in lines if "train" in line], [line["valid"]["loss"] for line in lines if "valid" in line])


def verb(name, *words):
    """@return its lines, and what it told"""
    process = subprocess.run([summand_testing.BIN / "summand", name, *map(str, words)], capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    return [json.loads(line) for line in process.stdout.splitlines()], process.stderr


class WindowedRuns(unittest.TestCase):
    """Runs of a case, and what the verbs make of RUN/best."""

    @classmethod
    def setUpClass(cls):
        torch.set_num_threads(1)

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def start(self, case):
        labels = LABELS[case.name]
        return head_models.head_directory(
            self.folder / "start", case.kind, id2label=dict(enumerate(labels)), label2id={label: i for i, label in enumerate(labels)},
            hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, initializer_range=0.05)[0]  # fmt: skip

    def finetune(self, case, start, tables, run, *more, **options):
        files = {name: finetuning.write(self.folder / f"{name}.jsonl", rows) for name, rows in tables.items()}
        return finetuning.finetune(
            "--task", case.task, "--model", start, "-o", self.folder / run, *(word for name, path in files.items() for word in ("--" + name, path)),
            *case.options(), *finetuning.words_of(epochs=EPOCHS, batch_size=BATCH, learning_rate=RATE, warmup=0, schedule="constant",
                                                  seed=SEED, log_every=1, threads=1, **options), *more)  # fmt: skip

    def check_verbs(self, case, run, tables, options, taken):
        """@param taken  how the line begins that says what the verbs take from the checkpoint; empty: no line"""
        lines = finetuning.lines_of(run / "predictions.jsonl")
        for name in ("test", "predict"):
            rows, own = tables[name], [line for line in lines if line["from"] == name]
            self.assertEqual(len(own), len(rows))
            check = {"classify": self.check_labels, "several": self.check_label_sets, "tag": self.check_tags, "rank": self.check_ranks}[case.name]
            told = check(run / "best", rows, own, options)
            self.assertEqual("texts are read as the model was trained: " + taken in told, taken != "")

    def texts(self, rows):
        return finetuning.write(self.folder / "texts.jsonl", [{key: row[key] for key in row if key in ("text", "tokens")} for row in rows])

    def check_labels(self, best, rows, own, options):
        lines, told = verb("classify", "--model", best, self.texts(rows), "--json", *options)
        for line, made in zip(own, lines, strict=True):
            first = max(made["labels"], key=lambda label: label["score"])
            self.assertEqual(line["label"], first["label"])
            self.assertAlmostEqual(line["probability"], first["score"], delta=SAME)
        return told

    def check_label_sets(self, best, rows, own, options):
        lines, told = verb("classify", "--model", best, self.texts(rows), "--json", *options)
        for line, made in zip(own, lines, strict=True):
            for label in made["labels"]:
                self.assertAlmostEqual(line["probabilities"][label["label"]], label["score"], delta=SAME)
        return told

    def check_tags(self, best, rows, own, options):
        lines, told = verb("tag", "--model", best, self.texts(rows), "--aggregate", "none", "--json", *options)
        for line, made in zip(own, lines, strict=True):
            first = {}  # tag of each word's first piece
            for tag in made["tags"]:
                first.setdefault(tag["words"][0], tag)
            self.assertEqual({i for i, label in enumerate(line["labels"]) if label is not None}, set(first))
            for word, tag in first.items():
                self.assertEqual(line["labels"][word], tag["label"])
                self.assertAlmostEqual(line["probabilities"][word], tag["score"], delta=SAME)
        return told

    def check_ranks(self, best, rows, own, options):
        by_query = {}
        for row, line in zip(rows, own, strict=True):
            by_query.setdefault(row["text"], []).append((row["text_pair"], line["score"]))
        for query, passages in by_query.items():
            texts = self.texts([{"text": passage} for passage, _ in passages])
            made, told = verb("rerank", "--model", best, "--query", query, texts, "--json", *options)
            self.assertEqual(len(made), len(passages))
            for one in made:
                self.assertAlmostEqual(passages[one["index"]][1], one["score"], delta=SAME)
        return told


class WindowsTest(WindowedRuns):
    def test_losses_are_those_of_pytorch_and_predictions_those_of_the_verbs(self):
        for name, (pooling, overlap) in DIVIDED.items():
            with self.subTest(name):
                self.check(Case(name), pooling, overlap)

    def check(self, case, pooling, overlap):
        start = self.start(case)
        tables = {name: case.rows(ROWS if name == "train" else 24, name) for name in NAMES}
        windows = finetuning.words_of(windows=pooling, overlap=overlap, max_length=LONGEST)
        run = self.folder / case.name
        told = self.finetune(case, start, tables, run, *windows, batch_tokens=30).stderr
        losses, validations = own_losses(run)
        model = head_models.CLASSES[case.kind].from_pretrained(start, attn_implementation="eager")
        tokenizer = transformers.AutoTokenizer.from_pretrained(start)
        reference, valid = (Reference(case, model, tokenizer, tables[one], pooling, overlap) for one in ("train", "valid"))
        divided = [count for count in reference.windows() if count > 1]
        self.assertIn(f"train.jsonl: {len(divided)} of {ROWS} rows are divided into {sum(divided)} windows of at most {LONGEST} tokens", told)
        self.assertNotIn("are cut", told)
        theirs = train(reference)
        with torch.no_grad():
            last = valid.loss(range(len(valid.rows))).item()
        worst = max(abs(a - b) for a, b in zip(losses, theirs, strict=True))
        print(f"{case.name}: {len(divided)} of {ROWS} rows in {sum(divided)} windows; losses {losses[0]:.4f} to {losses[-1]:.4f}, {worst:.1e} "
              f"apart; validation {validations[-1]:.4f}, {abs(validations[-1] - last):.1e} apart")  # fmt: skip
        self.assertLess(worst, AGREE)
        self.assertLess(abs(validations[-1] - last), AGREE)
        self.assertGreater(sum(divided) / len(divided), 2)
        for options in ((), windows):
            self.check_verbs(case, run, tables, options, "" if options else f"--max-length {LONGEST} --windows {pooling}")

    def test_texts_that_were_cut_are_cut_likewise(self):
        for name, truncation in (("classify", "head_tail"), ("tag", "head"), ("rank", "only_second"), ("several", "longest_first")):
            case = Case(name)
            start = self.start(case)
            tables = {table: case.rows(24, table) for table in NAMES}
            cut = finetuning.words_of(truncation=truncation, max_length=LONGEST)
            self.assertIn("rows are cut to 12 tokens", self.finetune(case, start, tables, self.folder / name, *cut).stderr)
            best = self.folder / name / "best"
            reading = {"max_length": LONGEST, "truncation": truncation}
            self.assertEqual(json.loads((best / "config.json").read_text())["summand"], {"reading": reading})
            words = f"--max-length {LONGEST} --truncation {truncation}"
            for options, taken in (((), words), (cut, ""), (cut[:2], f"--max-length {LONGEST}")):
                self.check_verbs(case, self.folder / name, tables, options, taken)
            model, loading = head_models.CLASSES[case.kind].from_pretrained(best, output_loading_info=True)
            self.assertEqual([len(problems) for problems in loading.values()], [0] * len(loading))
            self.assertEqual(model.config.summand, {"reading": reading})

    def test_the_usual_way_is_not_said(self):
        case = Case("classify")
        self.finetune(case, self.start(case), {"train": case.rows(24, "train")}, self.folder / "usual")
        self.assertNotIn("summand", json.loads((self.folder / "usual/best/config.json").read_text()))

    def test_texts_that_fit_are_learned_to_the_same_bits(self):
        for name in ("classify", "tag"):
            case = Case(name)
            start = self.start(case)
            fits = lambda row: len(row.get("tokens") or row["text"].split()) < 20
            tables = {table: [row for row in case.rows(40, table) if fits(row)] for table in NAMES}
            for run, more in (("plain", ()), ("windows", ("--windows", "max", "--overlap", 7))):
                told = self.finetune(case, start, tables, run, *more, "--overwrite", max_length=80, batch_tokens=160).stderr
                self.assertNotIn("divided", told)
            plain, windows = self.folder / "plain", self.folder / "windows"
            self.assertEqual(own_losses(plain), own_losses(windows))
            for file in ("last/model.safetensors", "predictions.jsonl", "metrics.json"):
                self.assertEqual((plain / file).read_bytes(), (windows / file).read_bytes(), file)


if __name__ == "__main__":
    summand_testing.run_cases()
