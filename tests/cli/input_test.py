"""What is read as a text, whatever it is written in: against Python's csv, json, gzip, codecs and libzstd."""

import codecs
import csv
import gzip
import io
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import unittest

import head_models
import numpy as np
import sentence_models
import summand_testing
from command_line import summand
from compressed import zstd
from safetensors.numpy import load_file
from transformers import AutoTokenizer

VOCABULARY = summand_testing.DATA / "vocab" / "bert-base-uncased.txt"
TOKENIZE = ["tokenize", "--vocab", VOCABULARY, "--lowercase", "true"]
PIECES = ["the cat", " ", "\n", "\r\n", ",", '"', '""', "\t", "我喜欢猫", "é", "un", "affable", ";", "\\", "'", "\u2028", "\x0b", "a,b", '"x"']


def json_lines(records):
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


class Input(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def run_ok(self, *arguments, **options):
        result = summand(*arguments, **options)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result

    def lines(self, *arguments, **options):
        return [json.loads(line) for line in self.run_ok(*TOKENIZE, *arguments, **options).stdout.split("\n")[:-1]]

    def refused(self, *arguments, expected, status=1, **options):
        result = summand(*TOKENIZE, *arguments, **options)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertIn(expected, result.stderr)

    def pipe(self, content, *arguments):
        """Output and messages of tokenize with these bytes on standard input."""
        command = [str(summand_testing.BIN / "summand"), *map(str, TOKENIZE), "-", *map(str, arguments)]
        result = subprocess.run(command, input=content, capture_output=True)
        return result.returncode, result.stdout.decode(), result.stderr.decode()


class Encodings(Input):
    def test_other_encodings_are_refused_with_line_byte_and_value(self):
        texts = {"latin-1": "café au lait", "cp1252": "it’s", "gb18030": "ok 今天天气很好", "shift_jis": "猫が好き", "big5": "我喜歡貓", "euc_kr": "고양이"}
        for encoding, text in texts.items():
            content = f"hello\n{text}\n".encode(encoding)
            with self.assertRaises(UnicodeDecodeError) as raised:
                content.decode()
            before = content[: raised.exception.start]
            line, byte = before.count(b"\n") + 1, len(before) - (before.rfind(b"\n") + 1) + 1
            place = f"expected UTF-8, got 0x{content[raised.exception.start]:02X} at byte {byte}; convert the text with iconv"
            with self.subTest(encoding):
                self.refused(self.file("in.txt", content), expected=f"in.txt:{line}] {place}")
                table = self.file("in.csv", b"text\n" + content)
                self.refused(table, expected=f"in.csv:{line + 1}] {place}")
                status, out, message = self.pipe(content, "--format", "txt")
                self.assertEqual(status, 1)
                self.assertIn(f"[standard input:{line}] {place}", message)
                self.assertIn("--invalid-utf8 replace", message)

    def test_utf_16_and_utf_32_are_named(self):
        names = {"utf-16-le": "UTF-16 little-endian", "utf-16-be": "UTF-16 big-endian", "utf-32-le": "UTF-32 little-endian", "utf-32-be": "UTF-32 big-endian"}
        for encoding, name in names.items():
            for ending in ("in.txt", "in.jsonl", "in.csv"):
                path = self.file(ending, "\ufeff{}\n今天\n".encode(encoding))
                for options in ([], ["--invalid-utf8", "replace"]):
                    self.refused(path, *options, expected=f"{ending}] expected UTF-8, got {name} by its byte order mark; convert it with iconv -f {name[:6]} -t UTF-8")

    def test_utf_16_and_utf_32_without_a_mark_are_known_by_their_zero_bytes(self):
        contents = {
            "in.txt": ("the cat\nsat\n", "a\nthe cat\n", "\n\nb\n", "a\n"),
            "in.jsonl": (json_lines([{"text": "the cat"}]),),
            "in.csv": ("text\nthe cat\n", "text\r\na\r\n"),
            "in.tsv": ("text\tid\na\tb\n",),
        }
        names = {"utf-16-le": "UTF-16LE", "utf-16-be": "UTF-16BE", "utf-32-le": "UTF-32LE", "utf-32-be": "UTF-32BE"}
        cases = [(encoding, name, text.encode(encoding)) for encoding in names for name, texts in contents.items() for text in texts]
        for encoding, name, content in cases:
            advice = f", as of {names[encoding][:6]}; convert it with iconv -f {names[encoding]} -t UTF-8\n"
            for options in ([], ["--invalid-utf8", "replace"]):
                with self.subTest(name, encoding=encoding, content=content, options=options):
                    self.refused(self.file(name, content), *options, expected=advice)
                    self.refused(self.file(f"{name}.gz", gzip.compress(content)), *options, expected=advice)
                    status, _, message = self.pipe(content, "--format", name[3:], *options)
                    self.assertEqual(status, 1)
                    self.assertIn("[standard input", message)
                    self.assertIn(advice, message)
        one_zero = self.file("in.txt", b"the cat sat\0on the mat\n")  # valid UTF-8, and too few for UTF-16
        self.assertEqual(len(self.lines(one_zero)), 1)

    def test_a_column_may_be_named_twice(self):
        table = self.file("in.csv", "title,body\nhello,x\nworld,y\n".encode())
        lines = self.lines(table, "--field", "title", "--id-field", "title", "--pair-field", "title")
        self.assertEqual([line["id"] for line in lines], ["hello", "world"])
        for line, word in zip(lines, ("hello", "world"), strict=True):
            self.assertEqual(line["ids"], self.lines("--text", word, "--text-pair", word)[0]["ids"])

    def test_carriage_returns_alone_end_no_lines(self):
        self.refused(self.file("in.csv", b"text,id\ra,1\rb,2\r"), expected="in.csv:1] expected lines that end in \\n or \\r\\n, got \\r alone")

    def test_texts_of_which_nothing_is_left_are_counted(self):
        path = self.file("in.txt", b"\xff\xfd\xfc\n\na cat\n")
        said = self.run_ok(*TOKENIZE, path, "--invalid-utf8", "replace").stderr
        self.assertIn("1 of 3 texts held bytes that are not UTF-8", said)

    def test_the_mark_of_utf_8_is_no_part_of_the_text(self):
        for ending, content in (("in.txt", "a cat\n"), ("in.jsonl", json_lines([{"text": "a cat"}])), ("in.csv", "text\na cat\n")):
            self.assertEqual(self.lines(self.file(ending, codecs.BOM_UTF8 + content.encode())), self.lines("--text", "a cat"))

    def test_replaced_bytes_read_as_in_python_and_are_counted_once(self):
        generator = random.Random(5)
        lines = [bytes(generator.choice(b"ab \xc3\xa9\xe4\xb8\xad\xff\xf0\x9f\x98\x80") for _ in range(12)) for _ in range(200)]
        replaced = [line.decode("utf-8", "replace") for line in lines]
        invalid = sum("\ufffd" in text for text in replaced)
        self.assertGreater(invalid, 100)
        expected = [line["ids"] for line in self.lines(self.file("in.jsonl", json_lines({"text": text} for text in replaced)))]
        said = f"summand: {invalid} of 200 texts held bytes that are not UTF-8 or half a surrogate pair: each is read as U+FFFD, which BERT's tokenizers leave out\n"
        contents = {
            "bad.txt": b"\n".join(lines) + b"\n",
            "bad.csv": b"text\n" + b"\n".join(b'"' + line + b'"' for line in lines) + b"\n",
            "bad.jsonl": b"\n".join(b'{"text": "' + line + b'"}' for line in lines) + b"\n",
        }
        for name, content in contents.items():
            result = self.run_ok(*TOKENIZE, self.file(name, content), "--invalid-utf8", "replace")
            self.assertEqual([json.loads(line)["ids"] for line in result.stdout.splitlines()], expected, name)
            self.assertEqual(result.stderr.count(said), 1, result.stderr)
        result = self.run_ok(*TOKENIZE, self.file("good.txt", "a\n"), "--invalid-utf8", "replace")
        self.assertNotIn("UTF-8", result.stderr)

    def test_half_a_surrogate_pair_reads_as_replaced_or_is_one_line(self):
        halves = ["\\ud83d", "a cat \\udc00 sat", "\\ud83d\\ude00 \\ud83d"]
        path = self.file("half.jsonl", "".join(f'{{"text": "{half}"}}\n' for half in halves))
        texts = [re.sub("[\ud800-\udfff]", "\ufffd", json.loads(f'"{half}"')) for half in halves]
        result = self.run_ok(*TOKENIZE, path, "--invalid-utf8", "replace")
        expected = self.lines(self.file("whole.jsonl", json_lines({"text": text} for text in texts)))
        self.assertEqual([json.loads(line) for line in result.stdout.splitlines()], expected)
        self.assertIn("3 of 3 texts held bytes that are not UTF-8 or half a surrogate pair", result.stderr)
        self.refused(path, expected="half.jsonl:1] expected both halves of a surrogate pair, got \\ud83d alone at byte 11; write both, or give --invalid-utf8 replace")

    def test_texts_on_the_line_are_looked_at_too(self):
        bad = os.fsencode("caf") + b"\xe9"
        command = [str(summand_testing.BIN / "summand"), *map(str, TOKENIZE), "--text", "a", "--text", bad]
        result = subprocess.run(command, capture_output=True)
        self.assertEqual((result.returncode, result.stdout), (1, b""))
        self.assertIn(b"[--text 2] expected UTF-8, got 0xE9 at byte 4; convert the text", result.stderr)
        result = subprocess.run([*command, "--invalid-utf8", "replace"], capture_output=True)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn(b"1 of 2 texts held bytes", result.stderr)
        result = subprocess.run([*command[:-1], "b", "--text-pair", "c", "--text-pair", bad], capture_output=True)
        self.assertIn(b"[--text-pair 2] expected UTF-8", result.stderr)


class Records(Input):
    def test_records_that_would_lose_something_are_refused_by_line(self):
        cases = {
            '{"text": "a", "tokens": ["b"]}': "expected 'text' or 'tokens', got both",
            '{"text": "a", "text": "b"}': "'text': expected a key once, got it twice",
            '{"text": null}': "'text': expected a string, got null",
            '{"text": "a", "text_pair": null}': "'text_pair': expected a string, got null",
            '{"text": "a", "textpair": "b"}': "expected 'text_pair' by this name, got 'textpair'",
            '{"text": "a", "text-pair": "b"}': "expected 'text_pair' by this name, got 'text-pair'",
            '{"text": "a", "token": "b"}': "expected 'tokens' by this name, got 'token'",
            '{"Text": "a"}': "expected the key 'text' or 'tokens', got 'Text'; --field names another",
            '{"text": "a", "id": 1.5}': "'id': expected a string or an integer of 64 bits, got 1.5",
        }
        for record, expected in cases.items():
            path = self.file("in.jsonl", '{"text": "fine"}\n' + record + "\n")
            self.refused(path, expected=f"in.jsonl:2] {expected}")
        self.assertEqual(len(self.lines(self.file("in.jsonl", '{"text": "a", "label": null, "title": "b", "meta": {"text": 1}}\n'))), 1)

    def test_fields_by_other_names(self):
        records = [{"_id": 7, "title": "a cat", "answer": "b", "text": 3, "tokens": 4}]
        named = ["--field", "title", "--pair-field", "answer", "--id-field", "_id"]
        expected = self.lines("--text", "a cat", "--text-pair", "b")
        self.assertEqual(self.lines(self.file("in.jsonl", json_lines(records)), *named), [{"id": 7} | expected[0]])
        self.assertEqual(self.lines(self.file("in.csv", "title,_id,answer\na cat,7,b\n"), *named), [{"id": "7"} | expected[0]])
        self.refused(self.file("in.csv", "title,body\na,b\n"), expected="in.csv:1] expected the column 'text', got 'title', 'body'; --field names another")
        self.refused(self.file("in.csv", "title,body\na,b\n"), "--field", "x", expected="in.csv:1] expected the column 'x', got 'title', 'body'")
        self.refused(self.file("in.jsonl", json_lines(records)), "--field", "x", expected="in.jsonl:1] expected the key 'x', got '_id', 'title', 'answer'")
        self.refused(self.file("in.csv", "text\na\n"), "--pair-field", "b", expected="expected the column 'b', got 'text'")
        self.refused(self.file("in.txt", "a\n"), "--field", "x", expected="fields are named", status=2)
        self.refused("--text", "a", "--field", "x", expected="fields are named", status=2)

    def test_ids_stand_first_as_they_are_written(self):
        ids = ["a", "", 'q"\\', "猫", 0, -7, 2**64 - 1, -(2**63), "17"]
        path = self.file("in.jsonl", json_lines({"text": "a", "id": one} for one in ids))
        lines = self.run_ok(*TOKENIZE, path).stdout.splitlines()
        self.assertEqual([json.loads(line)["id"] for line in lines], ids)
        self.assertTrue(all(line.startswith('{"id":') for line in lines))
        self.assertNotIn('"id"', self.run_ok(*TOKENIZE, "--text", "a").stdout)


class Tables(Input):
    def test_tables_are_what_python_reads_in_them(self):
        generator = random.Random(7)
        for delimiter, ending in ((",", "csv"), ("\t", "tsv")):
            for line_end in ("\n", "\r\n"):
                for quoting in (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC):
                    written = io.StringIO()
                    columns = generator.sample(["text", "id", "text_pair", "x"], 4)
                    writer = csv.writer(written, delimiter=delimiter, lineterminator=line_end, quoting=quoting)
                    writer.writerow(columns)
                    for _ in range(100):
                        writer.writerow(["".join(generator.choices(PIECES, k=generator.randrange(5))) for _ in columns])
                    content = written.getvalue()
                    rows = list(csv.DictReader(io.StringIO(content, newline=""), delimiter=delimiter))
                    self.assertEqual(len(rows), 100)
                    # An empty cell is no second text.
                    records = [{name: row[name] for name in ("text", "text_pair", "id") if row[name] or name != "text_pair"} for row in rows]
                    expected = self.lines(self.file("expected.jsonl", json_lines(records)))
                    self.assertEqual(self.lines(self.file("in." + ending, content)), expected)
                    status, piped, message = self.pipe(content.encode(), "--format", ending)
                    self.assertEqual(status, 0, message)
                    self.assertEqual([json.loads(line) for line in piped.split("\n")[:-1]], expected)

    def test_a_table_that_is_none_is_refused_by_line(self):
        for content, expected in {
            "": "in.csv:1] expected a line with the names of the columns, got an empty input",
            "text,id\na\n": "in.csv:2] expected 2 fields as in the header line, got 1",
            'text,id\n"a\n\nb",1\nc\n': "in.csv:5] expected 2 fields as in the header line, got 1",
            'text\n"a\n': "in.csv:2] expected a closing quote",
            'text\n"a"b\n': "in.csv:2] expected a comma or the line's end behind a closing quote, got 'b' at byte 4",
            "text\na\n\nb\n": "in.csv:3] expected a row of 1 fields, got a blank line",
            "text,Text_Pair\na,b\n": "in.csv:1] expected 'text_pair' by this name, got 'Text_Pair'",
        }.items():
            self.refused(self.file("in.csv", content), expected=expected)


class Compressed(Input):
    content = json_lines({"text": f"the {i} cats, 我喜欢猫", "id": i} for i in range(30000)).encode()

    def setUp(self):
        super().setUp()
        self.expected = self.run_ok(*TOKENIZE, self.file("plain.jsonl", self.content)).stdout

    def assert_same(self, *arguments):
        self.assertEqual(self.run_ok(*TOKENIZE, *arguments).stdout, self.expected)

    def test_compressed_files_read_as_what_they_hold(self):
        for name, compress in (("in.jsonl.gz", gzip.compress), ("in.jsonl.zst", zstd)):
            whole = compress(self.content)
            self.assertLess(len(whole), len(self.content) / 3)
            half = len(self.content) // 2
            for content in (whole, compress(self.content[:half]) + compress(b"") + compress(self.content[half:])):
                path = self.file(name, content)
                self.assert_same(path)
                self.assert_same(self.file("other.bin", content), "--format", "jsonl")
                self.assertEqual(self.pipe(content, "--format", "jsonl")[:2], (0, self.expected))
        self.assert_same(self.file("in.jsonl.gz", gzip.compress(self.content) + bytes(1000)))
        table = b"text\n\"a\nb\"\n"
        self.assertEqual(self.lines(self.file("t.csv.gz", gzip.compress(table))), self.lines(self.file("t.csv", table)))
        self.assertEqual(self.lines(self.file("t.txt.zst", zstd(b"a\n"))), self.lines("--text", "a"))

    def test_a_compressed_file_that_ends_early_or_is_damaged_is_named(self):
        for name, compress, kind in (("in.jsonl.gz", gzip.compress, "gzip"), ("in.jsonl.zst", zstd, "zstd")):
            whole = compress(self.content)
            for length in (0, 1, 3, 9, 100, len(whole) // 2, len(whole) - 1):
                self.refused(self.file(name, whole[:length]), expected=f"{name}] expected a whole compressed file, got one that ends early")
            self.refused(self.file(name, whole + whole[:50]), expected=f"{name}] expected a whole compressed file, got one that ends early")
            self.refused(self.file(name, whole + b"more"), expected=f"{name}] expected {kind} data, got other or damaged bytes: ")
            self.refused(self.file(name, self.content), expected=f"{name}] expected {kind} data, got other or damaged bytes: ")
            damaged = bytearray(whole)
            damaged[len(whole) // 2] ^= 0xFF
            result = summand(*TOKENIZE, self.file(name, bytes(damaged)))
            self.assertEqual(result.returncode, 1, result.stderr)
            self.assertIn(name, result.stderr)

    def resident(self, compress, lines):
        """Bytes resident where nearly all of this many random lines, compressed, were taken."""
        generator = random.Random(1)
        content = compress("".join(generator.randbytes(100).hex() + "\n" for _ in range(lines)).encode())
        command = [str(summand_testing.BIN / "summand"), *map(str, TOKENIZE), "-", "--format", "txt", "-o", "/dev/null"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdin.write(content[:-1])
            process.stdin.flush()
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            process.stdin.write(content[-1:])
            process.stdin.close()
            self.assertEqual(process.wait(), 0, process.stderr.read())
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) * 1024

    @unittest.skipIf(summand_testing.build_setting("SUMMAND_SANITIZE"), "the sanitizers keep what was freed")
    def test_memory_does_not_grow_with_what_is_compressed(self):
        for compress in (gzip.compress, zstd):
            # 40 MB of text against 4: what is kept of either is a few windows and one line.
            self.assertLess(self.resident(compress, 200_000), self.resident(compress, 20_000) + 8_000_000)


class Several(Input):
    def test_several_files_are_one_input(self):
        first = self.file("a.txt", "the cat\nno line end")
        second = self.file("b.jsonl", json_lines([{"text": "a", "text_pair": "b", "id": 3}]))
        third = self.file("c.csv.gz", gzip.compress(b"id,text\nx,y\n"))
        expected = [line for path in (first, second, third) for line in self.lines(path)]
        self.assertEqual(len(expected), 4)
        self.assertEqual(self.lines(first, second, third), expected)
        empty = self.file("empty.txt", "")
        self.assertEqual(self.lines(empty, first, empty, empty, second, third, empty), expected)
        out = self.folder / "out.jsonl"
        self.run_ok(*TOKENIZE, first, "-o", out, second, "--no-special", third)
        self.assertEqual(len(out.read_text().splitlines()), 4)

    def test_messages_name_the_file_and_its_own_line(self):
        first = self.file("a.jsonl", json_lines([{"text": "a"}] * 3))
        self.refused(first, self.file("b.jsonl", '{"text": "a"}\n{}\n'), expected="b.jsonl:2] expected the key 'text'")

    def test_a_file_that_cannot_be_read_is_found_before_any_work(self):
        first = self.file("a.txt", "a\n")
        for names, expected, status in (
            ([first, self.folder / "none.txt"], "No such file or directory", 1),
            ([first, self.folder], "Is a directory", 1),
            ([first, self.file("b.pdf", "")], "expected a name that ends in .txt, .jsonl, .csv or .tsv", 2),
            (["-", "-"], "standard input, -, once", 2),
        ):
            given = ["--format", "txt"] if expected == "Is a directory" or names[0] == "-" else []
            result = summand(*TOKENIZE, *names, *given, stdin="")
            self.assertEqual((result.returncode, result.stdout), (status, ""), result.stderr)
            self.assertIn(expected, result.stderr)

    def test_pipes_are_read_once(self):
        pipe = self.folder / "pipe.txt"
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.write_text("a cat\n"))
        writer.start()
        lines = self.lines(self.file("a.txt", "b\n"), pipe)
        writer.join()
        self.assertEqual(lines[1], self.lines("--text", "a cat")[0])


class Outputs(Input):
    """Ids and pairs in what the verbs print."""

    records = [{"id": "first", "text": "the cat [MASK]"}, {"text": "no id [MASK]"}, {"id": 7, "text": "a [MASK]"}]
    ids = ["first", None, 7]

    def head(self, kind, **changes):
        directory = self.folder / kind
        head_models.head_directory(directory, kind, **changes)
        return directory

    def json_lines_of(self, verb, *arguments):
        return [json.loads(line) for line in self.run_ok(verb, "--json", *arguments).stdout.splitlines()]

    def assert_ids(self, lines):
        self.assertEqual([line.get("id") for line in lines], self.ids)
        self.assertEqual([next(iter(line)) == "id" for line in lines], [True, False, True])

    def test_heads_carry_ids(self):
        path = self.file("in.jsonl", json_lines(self.records))
        pairs = self.file("pairs.jsonl", json_lines(record | {"text_pair": "b"} for record in self.records))
        self.assert_ids(self.json_lines_of("classify", "--model", self.head("sequence-classification", num_labels=3), path))
        self.assert_ids(self.json_lines_of("tag", "--model", self.head("token-classification", num_labels=3), path))
        self.assert_ids(self.json_lines_of("fill-mask", "--model", self.head("masked-lm"), path, "--top", "1"))
        self.assert_ids(self.json_lines_of("next-sentence", "--model", self.head("next-sentence"), pairs))

    def test_rerank_carries_ids_through_the_ranking(self):
        model = self.head("sequence-classification", num_labels=1)
        generator = random.Random(3)
        records = [{"text": " ".join(generator.choices(["cat", "dog", "river", "bank", "of"], k=6))} for _ in range(50)]
        for place in (7, 8, 30, 49):
            records[place]["id"] = f"passage {place}"
        path = self.file("in.jsonl", json_lines(records))
        lines = self.json_lines_of("rerank", "--model", model, "--query", "a cat", path)
        self.assertEqual(len(lines), 50)
        for line in lines:
            self.assertEqual(line.get("id"), records[line["index"]].get("id"))
        table = self.run_ok("rerank", "--model", model, "--query", "a cat", path).stdout.splitlines()
        self.assertEqual(table[0].split(), ["rank", "score", "logit", "id", "passage"])
        self.assertEqual(sum("passage 30" in line for line in table), 1)
        plain = self.run_ok("rerank", "--model", model, "--query", "a cat", "--text", "x").stdout
        self.assertEqual(plain.splitlines()[0].split(), ["rank", "score", "logit", "line", "passage"])
        bad = subprocess.run([summand_testing.BIN / "summand", "rerank", "--model", model, "--query", b"\xff", path], capture_output=True)
        self.assertIn(b"[--query] expected UTF-8, got 0xFF at byte 1", bad.stderr)

    def test_parts_are_an_object_per_line_and_similarity_names_texts(self):
        model = sentence_models.transformer_directory(self.folder / "model")
        path = self.file("in.jsonl", json_lines(self.records))
        lines = self.json_lines_of("parts", "--model", model, path)
        self.assert_ids(lines)
        self.assertEqual(set(lines[1]), {"tokens", "share_between_tokens", "share_between_tokens_without_special"})
        shown = json.loads(self.run_ok("similarity", "--model", model, path, "--json").stdout)
        self.assertEqual((shown["ids"], list(shown)), (self.ids, ["ids", "texts", "similarity_fn_name", "similarity"]))
        self.assertNotIn("ids", json.loads(self.run_ok("similarity", "--model", model, "--text", "a", "--json").stdout))
        rows = [line.split() for line in self.run_ok("similarity", "--model", model, path).stdout.splitlines()]
        self.assertEqual([row[0] for row in rows[1:4]], ["first", "2", "7"])
        self.assertIn(["first", "2", "7"], rows)

    def test_pairs_on_the_line_reach_segment_1(self):
        model = sentence_models.transformer_directory(self.folder / "model")
        pair = ["--text", "the bank", "--text-pair", "of the river"]
        path = self.file("pair.jsonl", json_lines([{"text": "the bank", "text_pair": "of the river"}]))
        encoded = AutoTokenizer.from_pretrained(model)("the bank", "of the river")
        segments = encoded["token_type_ids"]
        self.assertEqual(max(segments), 1)
        line = json.loads(self.run_ok("tokenize", "--model", model, *pair).stdout)
        self.assertEqual((line["ids"], line["segments"]), (encoded["input_ids"], segments))
        parts = self.json_lines_of("parts", "--model", model, *pair)
        self.assertEqual([token["segment"] for token in parts[0]["tokens"]], segments)
        self.assertEqual(parts, self.json_lines_of("parts", "--model", model, path))
        for source, name in ((pair, "a"), ([path], "b")):
            self.run_ok("embed", "--model", model, *source, "-o", self.folder / f"{name}.npy")
            self.run_ok("hidden", "--model", model, *source, "-o", self.folder / f"{name}.safetensors")
        np.testing.assert_array_equal(np.load(self.folder / "a.npy"), np.load(self.folder / "b.npy"))
        one, other = (load_file(self.folder / f"{name}.safetensors") for name in "ab")
        self.assertEqual(one["segments"].tolist(), segments)
        np.testing.assert_array_equal(one["hidden.0"], other["hidden.0"])
        similar = json.loads(self.run_ok("similarity", "--model", model, *pair, "--text", "x", "--text-pair", "y", "--json").stdout)
        self.assertEqual(similar["texts"], ["the bank | of the river", "x | y"])
        refused = summand("parts", "--model", model, "--text", "a", "--text", "b", "--text-pair", "c")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("expected a --text-pair for each --text, got 1 for 2", refused.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], "-v"])
