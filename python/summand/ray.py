"""Sentence vectors by Ray Data, and studies as Ray tasks. Needs `pip install "ray[data]"`."""

from __future__ import annotations

import inspect
import os
import pathlib
import shlex
import subprocess
import warnings

from . import arguments, columns, program
from .errors import Error, UsageError
from .workers import encode_options, encoder_arguments, locked, open_encoder


def embed(dataset, model, *, column="text", to="embedding", concurrency=None, threads=1, num_cpus=None, cache=None,
          batch_size=1024, precision=None, retries=3, **options):  # fmt: skip
    """A dataset with the sentence vector of each text, computed by a pool of actors that load the model once each.

    dataset      a ray.data.Dataset
    model        a directory or a name that every node of the cluster has
    column       of the texts
    to           name of the new column: fixed-size lists, float32 [width] unless dtype says otherwise
    concurrency  number of actors, or (least, most). None: from one to as many as the cluster has room for
    threads      of an actor
    num_cpus     that an actor reserves. None: one fewer than it has threads, or 0.5, so that a pool that fills the cluster
                 leaves CPUs to the tasks that read and write; without them Ray Data waits forever
    cache        a folder of the node that keeps the packed weights: its actors map them and share the memory
    batch_size   rows of a call. No vector depends on it
    precision    of the model's matrix products, as for Encoder
    retries      how often a batch whose actor died is computed again; the actor is always restarted. From Ray 2.64 on,
                 which does not take this number, without end
    options      of Encoder.encode: normalize, dimensions, dtype, prompt_name, ...; int8 and uint8 need ranges

    Returns a ray.data.Dataset. Like any of Ray Data's, it is computed when it is read or written. A row's vector has the
    same bits as in one process. A batch may be computed twice; its rows appear once.

    Raises ImportError without Ray, and TypeError or UsageError for a bad argument. Errors of the model or of a text are
    raised in the actors, and reach the caller as Ray wraps them."""
    data = _ray_data()
    if not isinstance(dataset, data.Dataset):
        arguments.refuse_type("dataset", "a ray.data.Dataset", dataset)
    encoder = encoder_arguments(model, precision, threads, cache)
    given = {"encoder": encoder, "column": arguments.text("column", column), "to": arguments.text("to", to), "options": encode_options(options)}
    remote = {"max_restarts": -1, "max_task_retries": arguments.count("retries", retries, least=0)}
    if not any(one.kind is one.VAR_KEYWORD for one in inspect.signature(dataset.map_batches).parameters.values()):
        remote = {}  # Ray 2.64 is to take them no longer
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`ray_remote_args` is deprecated")
        return dataset.map_batches(
            _Embedder,
            fn_constructor_kwargs=given,
            batch_format="pyarrow",
            batch_size=arguments.count("batch_size", batch_size),
            zero_copy_batch=True,
            compute=_pool(data, concurrency),
            num_cpus=encoder["threads"] - 1 or 0.5 if num_cpus is None else num_cpus,
            **remote,
        )


class _Embedder:
    """What an actor of embed() holds and does."""

    def __init__(self, encoder, column, to, options):
        self._encoder = open_encoder(**encoder)
        self._column, self._to, self._options = column, to, options

    def __call__(self, batch):
        """batch: a pyarrow.Table."""
        if self._column not in batch.column_names:
            raise UsageError(f"[column] expected one of {', '.join(batch.column_names)}, got {self._column!r}")
        texts = batch.column(self._column)
        vectors = columns.like(texts, self._encoder.encode(texts, **self._options))
        if self._to in batch.column_names:
            return batch.set_column(batch.column_names.index(self._to), self._to, vectors)
        return batch.append_column(self._to, vectors)


def study(plan, folder, *, concurrency=2, only=None, quick=False, retries=3):
    """Trains the runs of a study as Ray tasks of one CPU, as `summand study PLAN -o FOLDER` does in one process a run, and
    writes the report. Runs that are finished are kept, so the same call goes on with a study that was stopped.

    plan         a .json file
    folder       of the study, on a file system that all nodes share
    concurrency  runs at a time
    only         "TASK/ARM/SEED", or a list: these runs alone
    quick        as `--quick`
    retries      how often a run whose worker died is taken up again

    Returns the folder's path: it holds rows.csv, verdicts.json, index.html and runs/TASK/ARM/SEED, as after `summand study`.

    Raises ImportError without Ray, UsageError for a bad argument, and Error if runs failed, after the others have
    finished."""
    ray = _ray()
    concurrency = arguments.count("concurrency", concurrency)
    place = pathlib.Path(os.path.abspath(arguments.path("folder", folder)))
    words = ["study", os.path.abspath(arguments.path("plan", plan)), "-o", place]
    if arguments.flag("quick", quick):
        words.append("--quick")
    commands = _commands(program.run([*words, "--list-runs"]).stdout, arguments.names("only", only), place)
    train = ray.remote(_train).options(num_cpus=1, max_retries=arguments.count("retries", retries, least=0))
    running, failed = {}, []
    for name, command in commands.items():
        if len(running) == concurrency:
            failed += _collected(ray, running)
        running[train.remote(command, os.fspath(place / "runs" / name))] = name
    while running:
        failed += _collected(ray, running)
    if failed:
        raise Error("; ".join(failed))
    program.run([*words, "--report-only"])
    return place


def _commands(listed, only, place):
    """{TASK/ARM/SEED: words of its command} of what `--list-runs` printed."""
    commands = {}
    for line in listed.splitlines():
        words = shlex.split(line)
        commands[words[words.index("--only") + 1]] = words
    for name in only:
        if name not in commands and not (place / "runs" / name / "row.json").exists():
            raise UsageError(f"[only] expected runs of the plan, such as {next(iter(commands), 'TASK/ARM/SEED')}, got {name!r}")
    return {name: words for name, words in commands.items() if not only or name in only}


def _train(words, folder):
    """Trains one run. @return None, or why it failed. A run that diverged is a row like any other."""
    with locked(folder):  # its worker may have been killed, and the program may still train
        pass
    row = pathlib.Path(folder, "row.json")
    if row.exists():
        return None
    done = subprocess.run([program.path(), *words[1:]], capture_output=True, text=True)
    if row.exists():
        return None
    return (done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"])[-1]


def _collected(ray, running):
    """Takes a finished task out of {task: run}. @return why its run failed: [] or one line"""
    (task,), _ = ray.wait(list(running))
    name = running.pop(task)
    try:
        why = ray.get(task)
    except ray.exceptions.RayError as fault:  # its worker died too often
        why = str(fault).strip().splitlines()[0]
    return [] if why is None else [f"{name}: {why}"]


def _pool(data, concurrency):
    """Ray Data's ActorPoolStrategy."""
    if concurrency is None:
        return data.ActorPoolStrategy(min_size=1)
    if isinstance(concurrency, tuple) and len(concurrency) == 2:
        least, most = (arguments.count("concurrency", number) for number in concurrency)
        return data.ActorPoolStrategy(min_size=least, max_size=most)
    return data.ActorPoolStrategy(size=arguments.count("concurrency", concurrency))


def _ray():
    try:
        import ray
    except ImportError:
        raise ImportError('summand.ray needs Ray: pip install "ray[data]"') from None
    return ray


def _ray_data():
    _ray()
    try:
        import ray.data
    except ImportError:
        raise ImportError('summand.ray.embed needs Ray Data: pip install "ray[data]"') from None
    return ray.data
