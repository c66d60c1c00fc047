"""The posteriors of the study's tasks by brute force, from the tables of a dump and its unmasked symbols.

Everything hidden (topics, paths, boundaries, masked symbols) is enumerated, and joint probabilities are summed. This is
for tiny sizes only: `combined` with n = 5 and 12 states has 248832 paths.

Shapes: n symbols in a sequence, V symbols in all, m asked positions, S states, Z topics, K slots.
"""

import itertools

import numpy as np

TASKS = ("topic", "relative", "segment", "interaction", "combined")
READERS = {  # the hidden readers of each task
    "topic": (),
    "relative": (),
    "segment": ("boundary",),
    "interaction": (),
    "combined": ("boundary", "topic", "mark", "neighbours", "position", "segment"),
}
LENGTH = 5
SYMBOLS = 3
MASKED = 2


# ---- Enumeration ----


def posteriors(dump):
    """For each sequence of the dump {"posterior": [asked, answers], "hidden": {name: [asked, answers]}}."""
    enumerate_one = {
        "topic": posterior_of_completions,
        "relative": posterior_of_completions,
        "segment": posterior_of_segment,
        "interaction": posterior_of_interaction,
        "combined": posterior_of_combined,
    }[dump["task"]]
    memory = {}
    return [enumerate_one(dump, sequence, memory) for sequence in dump["sequences"]]


def context_free(dump):
    """The distribution [answers] of a reader who sees no symbol: the mean over all positions and all boundaries."""
    task, tables, n = dump["task"], dump["tables"], dump["length"]
    nothing, everywhere = [0] * n, list(range(n))
    if task == "interaction":
        return np.full(tables["labels"], 1 / tables["labels"])
    if task in ("topic", "relative"):
        return normalised(sums_of_completions(dump, nothing, everywhere)).mean(axis=0)
    sums = sums_of_segment if task == "segment" else sums_of_combined
    memory = {}
    rows = [normalised(sums(dump, nothing, everywhere, b, memory)) for b in boundaries(tables)]
    return np.mean(rows, axis=(0, 1))


def normalised(sums):
    """Rows [m, answers] of joint probabilities as rows that sum to 1."""
    return sums / sums.sum(axis=1, keepdims=True)


def boundaries(tables):
    """The boundaries that may be drawn, each equally likely."""
    first, last = tables["boundaries"]
    return range(first, last + 1)


def all_tuples(values, length):
    """Every tuple [values ** length, length] of numbers 0 ... values - 1."""
    return np.array(list(itertools.product(range(values), repeat=length)), dtype=np.int64).reshape(-1, length)


# topic, relative: all completions of the masked symbols


def posterior_of_completions(dump, sequence, memory):
    sums = sums_of_completions(dump, sequence["symbols"], sequence["asked"])
    return {"posterior": normalised(sums), "hidden": {}}


def sums_of_completions(dump, symbols, asked):
    """Joint probabilities [m, V] of the seen symbols and each answer, summed over all completions."""
    fillings = all_tuples(dump["symbols"], len(asked))
    rows = np.tile(np.array(symbols), (len(fillings), 1))
    rows[:, asked] = fillings
    joint = (joint_of_topic if dump["task"] == "topic" else joint_of_relative)(dump, rows)
    return np.array([np.bincount(rows[:, p], weights=joint, minlength=dump["symbols"]) for p in asked])


def joint_of_topic(dump, rows):
    """Probabilities [rows] of whole sequences [rows, n]."""
    topics = np.array(dump["tables"]["topics"])
    return np.mean([topic[rows].prod(axis=1) for topic in topics], axis=0)


def joint_of_relative(dump, rows):
    """Probabilities [rows] of whole sequences [rows, n]."""
    lag, kept, count = dump["tables"]["lag"], dump["tables"]["kept"], dump["symbols"]
    joint = np.ones(len(rows))
    for p in range(rows.shape[1]):
        if p < lag:
            joint *= 1 / count
        else:
            joint *= kept * (rows[:, p] == rows[:, p - lag]) + (1 - kept) / count
    return joint


# segment, combined: all paths of the hidden states


def sums_of_paths(paths, prior, emissions, symbols, asked):
    """Joint probabilities [m, V] of the seen symbols and each answer, summed over all paths.

    paths [paths, n]; prior [paths], their probabilities; emissions [n, S, V]; masked symbols other than the answer sum to 1.
    """
    joint = prior.copy()
    for p in range(paths.shape[1]):
        if p not in asked:
            joint *= emissions[p][paths[:, p], symbols[p]]
    states = emissions.shape[1]
    return np.array([np.bincount(paths[:, p], weights=joint, minlength=states) @ emissions[p] for p in asked])


def posterior_of_segment(dump, sequence, memory):
    symbols, asked = sequence["symbols"], sequence["asked"]
    seen = sums_of_segment(dump, symbols, asked, sequence["boundary"], memory)
    hidden = sum(sums_of_segment(dump, symbols, asked, b, memory) for b in boundaries(dump["tables"]))
    return {"posterior": normalised(seen), "hidden": {"boundary": normalised(hidden)}}


def sums_of_segment(dump, symbols, asked, boundary, memory):
    """Joint probabilities [m, V], given the boundary."""
    tables, n = dump["tables"], dump["length"]
    initial, transitions, emissions = (np.array(tables[name]) for name in ("initial", "transitions", "emissions"))
    paths = all_tuples(initial.shape[1], n)
    prior = np.ones(len(paths))
    for p in range(n):
        model = int(p >= boundary)
        if p in (0, boundary):
            prior *= initial[model][paths[:, p]]
        else:
            prior *= transitions[model][paths[:, p - 1], paths[:, p]]
    return sums_of_paths(paths, prior, np.array([emissions[int(p >= boundary)] for p in range(n)]), symbols, asked)


def posterior_of_combined(dump, sequence, memory):
    def sums(boundary, reader=None):
        return sums_of_combined(dump, sequence["symbols"], sequence["asked"], boundary, memory, reader)

    seen = sequence["boundary"]
    hidden = {"boundary": sum(sums(b) for b in boundaries(dump["tables"]))}
    hidden |= {reader: sums(seen, reader) for reader in ("topic", "mark", "neighbours", "position")}
    hidden["segment"] = sums(None, "segment")
    return {"posterior": normalised(sums(seen)), "hidden": {reader: normalised(rows) for reader, rows in hidden.items()}}


def sums_of_combined(dump, symbols, asked, boundary, memory, reader=None):
    """Joint probabilities [m, V], given the boundary, under the model of a reader."""
    tables, n = dump["tables"], dump["length"]
    states = tables["topics"] * tables["slots"] * tables["marks"]
    if "paths" not in memory:
        memory["paths"] = all_tuples(states, n)
    key = (boundary, reader)
    if key not in memory:
        memory[key] = prior_of_combined(tables, memory["paths"], boundary, reader)
    emissions = np.array(tables["emissions"]).reshape(states, -1)
    return sums_of_paths(memory["paths"], memory[key], np.array([emissions] * n), symbols, asked)


def prior_of_combined(tables, paths, boundary, reader):
    """Probabilities [paths] of paths [paths, n] of states (topic * slots + slot) * marks + mark."""
    topics, slots, marks = tables["topics"], tables["slots"], tables["marks"]
    n = paths.shape[1]
    prior = np.full(len(paths), 1 / (topics * slots * marks))
    for p in range(1, n):
        topic_moves = np.full((topics, topics), 1 / topics) if reader == "topic" else np.eye(topics)
        mark_moves = np.full((marks, marks), 1 / marks) if reader == "mark" else moves_of_mark(tables)
        moves = np.kron(np.kron(topic_moves, moves_of_reader(tables, p, n, boundary, reader)), mark_moves)
        prior *= moves[paths[:, p - 1], paths[:, p]]
    return prior


def moves_of_mark(tables):
    """[2, 2], from row to column."""
    stays = tables["mark_stays"]
    return np.array([[stays, 1 - stays], [1 - stays, stays]])


def moves_of_slot(tables, anchor, segment):
    """[K, K], from row to column, into a position in that segment with that anchor (-1: none)."""
    slots = tables["slots"]
    moves = np.full((slots, slots), (1 - tables["step"]) / slots)
    for slot in range(slots):
        moves[slot, (slot + (1 if segment == 0 else -1)) % slots] += tables["step"]
    if anchor >= 0:
        moves *= 1 - tables["anchor_strength"]
        moves[:, anchor] += tables["anchor_strength"]
    return moves


def moves_of_reader(tables, p, n, boundary, reader):
    """[K, K], from row to column, into position p, under the model of a reader."""
    anchors = tables["anchors"]
    if reader == "neighbours":
        return np.tile(slot_shares(tables, n, boundary)[p], (tables["slots"], 1))
    if reader == "position":
        return np.mean([moves_of_slot(tables, anchors[q], int(p >= boundary)) for q in range(n)], axis=0)
    if reader == "segment":
        return np.mean([moves_of_slot(tables, anchors[p], int(p >= b)) for b in boundaries(tables)], axis=0)
    return moves_of_slot(tables, anchors[p], int(p >= boundary))


def slot_shares(tables, n, boundary):
    """Probabilities [n, K] of the slots of each position before any symbol is seen, by all paths of slots."""
    slots = tables["slots"]
    paths = all_tuples(slots, n)
    prior = np.full(len(paths), 1 / slots)
    for p in range(1, n):
        prior *= moves_of_reader(tables, p, n, boundary, None)[paths[:, p - 1], paths[:, p]]
    return np.array([np.bincount(paths[:, p], weights=prior, minlength=slots) for p in range(n)])


# interaction: whether the label is replaced, and by which


def posterior_of_interaction(dump, sequence, memory):
    tables = dump["tables"]
    labels, noise = tables["labels"], tables["noise"]
    rows = np.zeros((len(sequence["asked"]), labels))
    for row, p in zip(rows, sequence["asked"]):
        right = tables["token"][sequence["symbols"][p]] + tables["position"][p] + tables["segment"][sequence["segments"][p]]
        row[right % labels] += 1 - noise
        for label in range(labels):
            row[label] += noise / labels
    return {"posterior": rows, "hidden": {}}
