"""What a run shows: met, missed and not shown, from planted figures; the table, the file and the figure of them."""

import copy
import json
import sys

import bench_support

from comparison import figure, table, targets
from comparison.arithmetic import Shape, limit_seconds
from comparison.contestants import OURS, PRECISIONS, RIVALS

SHAPE = Shape(6, 384, 1536)
GFLOPS = {"fp32": 200.0, "bf16": 400.0, "int8": 800.0}
LENGTHS = {"short": [7], "medium": [119], "sentences": [34] * 512, "paragraphs": [191] * 64}
RIVAL_SECONDS = {"short": 0.002, "medium": 0.02, "sentences": 4.0, "paragraphs": 3.0}
SETTINGS = {"variant": "planted", "batch": 16, "order": "sorted"}


def entry(name, precision, seconds):
    works = {work: {"seconds": each, "spread": 0.01, "settings": SETTINGS} for work, each in seconds.items()}
    return {"name": name, "precision": precision, "version": "1.0", "absent": None, "quality": None, "works": works}


def planted_model(times_as_fast):
    """Every rival takes RIVAL_SECONDS, later ones a little longer; this engine so many times less."""
    contestants = []
    for precision in PRECISIONS:
        ours = {work: seconds / times_as_fast for work, seconds in RIVAL_SECONDS.items()}
        contestants.append(entry(OURS, precision, ours))
        for place, name in enumerate(RIVALS[precision]):
            seconds = {work: each * (1 + place / 10) for work, each in RIVAL_SECONDS.items()}
            contestants.append(entry(name, precision, seconds))
    limits = {
        precision: {work: limit_seconds(SHAPE, lengths, precision, GFLOPS) for work, lengths in LENGTHS.items()}
        for precision in PRECISIONS
    }
    works = {work: {"tokens": sum(lengths), "texts": f"{len(lengths)} texts"} for work, lengths in LENGTHS.items()}
    return {
        "precisions": list(PRECISIONS), "works": works, "contestants": contestants, "limit_seconds": limits,
        "gflops": {precision: {"planted": rate} for precision, rate in GFLOPS.items()}, "read_seconds": 0.011,
        "start_seconds": {}, "peak_bytes": {}, "packed_bytes": {}, "long": {},
    }  # fmt: skip


def found(model, name="MiniLM"):
    """Verdicts by precision and the first word of what they are about, those of speed and those of the limit."""
    records = targets.model_targets(name, model)
    return {(one["precision"], one["what"].split(":")[0], one["unit"]): one for one in records}


def verdict(model, precision, work, unit="times", name="MiniLM"):
    return found(model, name)[precision, work, unit]["verdict"]


def twice_as_fast_is_enough_for_fp32_and_bf16_and_not_for_int8():
    model = planted_model(2.0)
    for precision, expected in (("fp32", "met"), ("bf16", "met"), ("int8", "missed")):
        assert verdict(model, precision, "sentences") == verdict(model, precision, "paragraphs") == expected
    assert abs(found(model)["fp32", "medium", "times"]["measured"] - 2.0) < 1e-12
    assert verdict(model, "int8", "medium") == verdict(model, "int8", "short") == "met"
    assert ("bf16", "short", "times") not in found(model)


def what_is_just_reached_is_met_and_what_is_just_below_is_missed():
    for precision, bounds in targets.SPEED.items():
        for work, bound in bounds.items():
            assert verdict(planted_model(bound * 1.0001), precision, work) == "met", (precision, work)
            assert verdict(planted_model(bound * 0.9999), precision, work) == "missed", (precision, work)


def the_best_rival_counts_and_not_the_first():
    model = planted_model(2.0)
    last = next(one for one in model["contestants"] if one["name"] == "CTranslate2" and one["precision"] == "fp32")
    last["works"]["medium"]["seconds"] = RIVAL_SECONDS["medium"] / 1.9
    assert targets.best_rival(model, "fp32", "medium")[0] == "CTranslate2"
    assert verdict(model, "fp32", "medium") == "missed" and verdict(model, "fp32", "sentences") == "met"


def a_rival_that_could_not_run_leaves_its_precision_not_shown():
    model = planted_model(3.0)
    rival = next(one for one in model["contestants"] if one["name"] == "OpenVINO" and one["precision"] == "bf16")
    rival |= {"absent": "no bf16 here", "works": {}}
    assert {verdict(model, "bf16", work) for work in targets.SPEED["bf16"]} == {"not shown"}
    assert "OpenVINO could not run: no bf16 here" in found(model)["bf16", "medium", "times"]["reason"]
    assert verdict(model, "fp32", "medium") == verdict(model, "int8", "medium") == "met"
    assert verdict(model, "bf16", "sentences", "%") != "not shown"


def a_rival_that_was_left_out_leaves_its_precision_not_shown():
    model = planted_model(3.0)
    model["contestants"] = [one for one in model["contestants"] if one["name"] != "PyTorch"]
    assert verdict(model, "fp32", "medium") == "not shown" and verdict(model, "int8", "medium") == "met"


def a_fast_wrong_vector_is_no_rival():
    model = planted_model(3.0)
    rival = next(one for one in model["contestants"] if one["name"] == "CTranslate2" and one["precision"] == "int8")
    rival["works"]["medium"]["seconds"] /= 100
    rival["quality"] = {"mean": 0.5, "worst": 0.1, "spearman": 0.3}
    assert targets.best_rival(model, "int8", "medium")[0] == "ONNX Runtime"
    assert verdict(model, "int8", "medium") == "not shown"


def an_engine_that_could_not_run_shows_nothing():
    model = planted_model(3.0)
    model["contestants"][0] |= {"absent": "refused", "works": {}}
    assert {record["verdict"] for (precision, *_), record in found(model).items() if precision == "fp32"} == {"not shown"}


def the_share_of_the_limit_is_that_of_the_products():
    model = planted_model(1.0)
    for precision, bound in targets.LIMIT.items():
        ours = next(one for one in model["contestants"] if one["name"] == OURS and one["precision"] == precision)
        limit = model["limit_seconds"][precision]["sentences"]
        ours["works"]["sentences"]["seconds"] = limit / (bound + 0.001)
        assert verdict(model, precision, "sentences", "%") == "met"
        ours["works"]["sentences"]["seconds"] = limit / (bound - 0.001)
        assert verdict(model, precision, "sentences", "%") == "missed"
    model["limit_seconds"]["fp32"] = {}
    assert verdict(model, "fp32", "sentences", "%") == "not shown"


def later(model, precision, work):
    """The later promise of speed."""
    (one,) = [each for each in found_all(model) if each["precision"] == precision and each["what"].startswith(f"{work}, later: ")
              and "times" in each["what"]]  # fmt: skip
    return one


def a_later_promise_that_the_limit_forbids_is_one_of_a_share_of_it():
    model = planted_model(1.4)
    limits = model["limit_seconds"]["int8"]
    best = targets.best_rival(model, "int8", "sentences")[1]
    for possible, times, expected in ((1.51, 1.5, "met"), (1.51, 1.499, "missed"), (1.49, 1.49 * 0.901, "met"), (1.49, 1.49 * 0.899, "missed")):
        limits["sentences"] = best / possible
        targets.contestants_of(model, "int8")[OURS]["works"]["sentences"]["seconds"] = best / times
        one = later(model, "int8", "sentences")
        assert (one["verdict"], one["unit"]) == (expected, "times" if possible > 1.5 else "%"), (possible, times, one)
    limits["medium"] = None
    assert later(model, "int8", "medium")["unit"] == "times" and later(model, "int8", "medium")["verdict"] == "missed"
    assert later(planted_model(1.61), "bf16", "short")["bound"] == 1.6
    shares = [one["what"] for one in found_all(model) if one["what"].endswith("later: share of the limit")]
    assert len(shares) == 8 and not [one for one in targets.model_targets("bert-base", model) if one["what"] in shares]


def a_short_text_is_held_against_reading_its_weights_in_every_precision():
    model = planted_model(2.0) | {"packed_bytes": {"fp32": 40e6, "int8": 10e6}}
    ours = targets.contestants_of(model, "int8")[OURS]["works"]["short"]
    for seconds, expected in ((0.011 / 4 * 1.14, "met"), (0.011 / 4 * 1.16, "missed")):
        ours["seconds"] = seconds
        rows = [one for one in found_all(model) if one["what"].endswith("read its weights once")]
        assert [one["precision"] for one in rows] == ["fp32", "int8"] and rows[1]["verdict"] == expected


def bert_bases_short_text_is_held_against_reading_its_weights():
    model = planted_model(2.0)
    ours = model["contestants"][0]["works"]["short"]
    for seconds, expected in ((0.011 * 1.14, "met"), (0.011 * 1.16, "missed")):
        ours["seconds"] = seconds
        assert verdict(model, "fp32", "short", name="bert-base") == expected
    assert found(model, "bert-base")["fp32", "short", "times"]["bound"] == 1.15


def quality_start_memory_and_long_texts_have_bounds_from_above_or_below():
    model = planted_model(3.0)
    ours = next(one for one in model["contestants"] if one["name"] == OURS and one["precision"] == "int8")
    ours["quality"] = {"mean": 0.9985, "worst": 0.98, "spearman": 0.9981}
    model |= {"start_seconds": {"fp32": 0.119, "int8": 0.121}, "packed_bytes": {"fp32": 42e6}}
    model |= {"peak_bytes": {"fp32": 123e6}, "long": {"fp32": {"128": 1e-4, "512": 1.5e-4}}}
    records = [(one["what"].split(":")[-1].strip(), one["precision"], one["verdict"]) for one in found_all(model)]
    for expected in (
        ("mean", "int8", "met"), ("worst", "int8", "missed"), ("spearman", "int8", "met"),
        ("process start to first vector", "fp32", "met"), ("process start to first vector", "int8", "missed"),
        ("peak memory, packed weights + 80 MB", "fp32", "missed"),
        ("time per token, 512 tokens over 128", "fp32", "met"),
    ):  # fmt: skip
        assert expected in records, expected


def found_all(model):
    return targets.model_targets("MiniLM", model)


def tokenizers_have_bounds_by_language():
    rows = [{"texts": "English, cased", "ratio": 31.0}, {"texts": "Chinese", "ratio": 19.0}]
    assert [one["verdict"] for one in targets.tokenizer_targets(rows)] == ["met", "missed"]


def planted_results():
    models = {"MiniLM": planted_model(2.0), "bert-base": planted_model(3.0)}
    rival = models["MiniLM"]["contestants"][-1]
    rival |= {"absent": "it is not installed", "works": {}}
    records = [record for name, model in models.items() for record in targets.model_targets(name, model)]
    return {
        "date": "2026-01-01", "machine": {"kind": "planted", "processor": "planted", "flags": ["avx2"]}, "threads": 2, "rounds": 5,
        "models": models, "tokenizer": [], "targets": records,
    }  # fmt: skip


def a_file_that_is_read_again_prints_the_same_table():
    results = planted_results()
    again = json.loads(json.dumps(copy.deepcopy(results)))
    printed = list(table.lines(again))
    assert printed == list(table.lines(results))
    text = "\n".join(printed)
    assert "int8: CTranslate2 could not run: it is not installed" in text
    assert "summand is 2.00 times as fast as the best rival" in text and "summand is 3.00 times" in text
    assert "\033" not in text and "\033[31m" in "\n".join(table.lines(results, colour=True))
    assert max(map(len, printed[:40])) <= 120


def the_figure_names_everybody_who_ran():
    drawn = figure.svg(planted_results())
    assert drawn.startswith("<svg")
    for name in (OURS, *RIVALS["fp32"], "all-MiniLM-L6-v2", "sentences", "2.00 ms", "1.00 ms"):
        assert f">{name}<" in drawn, name
    # Three precisions of two models, less the one that could not run.
    assert drawn.count(">CTranslate2<") == 3 and drawn.count(">OpenVINO<") == 6


if __name__ == "__main__":
    sys.exit(
        bench_support.run([
            twice_as_fast_is_enough_for_fp32_and_bf16_and_not_for_int8,
            what_is_just_reached_is_met_and_what_is_just_below_is_missed,
            the_best_rival_counts_and_not_the_first,
            a_rival_that_could_not_run_leaves_its_precision_not_shown,
            a_rival_that_was_left_out_leaves_its_precision_not_shown,
            a_fast_wrong_vector_is_no_rival,
            an_engine_that_could_not_run_shows_nothing,
            the_share_of_the_limit_is_that_of_the_products, a_later_promise_that_the_limit_forbids_is_one_of_a_share_of_it,
            a_short_text_is_held_against_reading_its_weights_in_every_precision,
            bert_bases_short_text_is_held_against_reading_its_weights,
            quality_start_memory_and_long_texts_have_bounds_from_above_or_below,
            tokenizers_have_bounds_by_language,
            a_file_that_is_read_again_prints_the_same_table,
            the_figure_names_everybody_who_ran,
        ])
    )
