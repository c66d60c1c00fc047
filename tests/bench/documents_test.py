"""The documents' tables: what a planted run gives, and that docs/performance gives what the documents have."""

import subprocess
import sys

import bench_support
import summand_testing

from comparison import documents, machine
from comparison.contestants import OURS


def model():
    def entry(name, seconds, quality=None, absent=None):
        works = {work: {"seconds": each, "spread": 0, "settings": {}} for work, each in seconds.items()}
        return {"name": name, "precision": "int8", "version": "9", "absent": absent, "quality": quality, "works": works}

    quality = {"mean": 0.5, "worst": 0.25, "spearman": 0.125}
    return {
        "precisions": ["int8"],
        "works": {"short": {"tokens": 7, "texts": ""}, "sentences": {"tokens": 1000, "texts": ""}},
        "contestants": [
            entry(OURS, {"short": 0.001, "sentences": 0.5}, quality),
            entry("Slow", {"short": 0.004, "sentences": 2.0}),
            entry("Fast", {"short": 0.003, "sentences": 0.75}),
            entry("Gone", {}, absent="no such thing"),
        ],
        "limit_seconds": {"int8": {"short": 0.00025, "sentences": None}},
    }


RESULTS = {
    "models": {"Planted": model()},
    "machine": {"kind": "Some Kind", "processor": "A processor", "flags": ["one", "two"], "memory_gb": 3, "kernel": "6"},
    "threads": 2, "rounds": 5, "date": "2026-01-01",
    "targets": [
        {"model": "Planted", "precision": "int8", "what": "short: times as fast as the best rival", "bound": 2, "measured": 1.5, "unit": "times",
         "at_least": True, "reason": "", "verdict": "missed"},
        {"model": "Planted", "precision": "", "what": "that", "bound": 120, "measured": None, "unit": "ms",
         "at_least": False, "reason": "Gone did not take part", "verdict": "not shown"},
    ],
}  # fmt: skip


def a_row_has_the_best_rival_and_the_share_of_the_limit():
    rows = list(documents.speed_table(RESULTS))
    assert rows[:2] == ["| | int8 |", "|---|---|"]
    assert rows[2] == "| Planted, short | **1.00 ms** · 3.00 × Fast · 25 % |"
    assert rows[3] == "| Planted, sentences | **2.00** · 1.50 × Fast |"


def a_short_table_is_of_the_newest_run_and_has_no_share_of_the_limit():
    rows = list(documents.short_speed_table(RESULTS))
    assert rows[2:] == ["| Planted, short | **1.00 ms**, 3.00 × |", "| Planted, sentences | **2.00**, 1.50 × |"]
    line = "Some Kind, 2 threads, 2026-01-01; medians of 5 rounds. Rivals: Slow 9, Fast 9."
    assert documents.short_conditions(RESULTS) == line
    assert documents.short_conditions(RESULTS, "zh") == "Some Kind，2 个线程，2026-01-01；5 轮的中位数。对手：Slow 9、Fast 9。"
    begin, end = documents.BEGIN.format("speed in short"), documents.END.format("speed in short")
    other = RESULTS | {"machine": RESULTS["machine"] | {"kind": "Another"}}
    new = documents.renewed(f"{begin}\n{end}\n", [RESULTS, other])
    assert new.startswith(f"{begin}\n{line}\n\n| | int8 |\n") and new.endswith(f"\n{rows[-1]}\n{end}\n") and "Another" not in new


def a_promise_that_was_missed_or_not_shown_says_so():
    rows = list(documents.target_table(RESULTS))
    assert rows[2] == "| Planted | int8 | short: times as fast as the best rival, ≥ 2 times | 1.5 | 12.00 | **missed** |"
    assert rows[3] == "| Planted |  | that, ≤ 120 ms |  |  | not shown: Gone did not take part |"


def vectors_and_conditions_are_told():
    assert list(documents.quality_table(RESULTS))[2:] == [f"| Planted | {OURS} int8 | 0.50000 | 0.2500 | 0.12500 |"]
    line = documents.conditions(RESULTS)
    assert line.startswith("**Some Kind, 2026-01-01.** A processor (one, two), 2 threads, 3 GB, Linux 6; medians of 5 rounds, compared with ")
    assert line.endswith("Slow 9, Fast 9.")


def a_chinese_document_has_them_in_chinese():
    rows = list(documents.speed_table(RESULTS, "zh"))
    assert rows[2] == "| Planted，短句 | **1.00 ms** · 3.00 × Fast · 25 % |"
    line = documents.conditions(RESULTS, "zh")
    assert line == "**Some Kind，2026-01-01。**A processor（one、two），2 个线程，3 GB 内存，Linux 6；5 轮的中位数，同场的有 Slow 9、Fast 9。"


def a_block_is_written_anew_and_nothing_else():
    begin, end = documents.BEGIN.format("speed"), documents.END.format("speed")
    text = f"before\n{begin}\nold \\1\n{end}\nafter\n"
    new = documents.renewed(text, [RESULTS])
    assert new.startswith(f"before\n{begin}\n**Some Kind, ") and new.endswith(f"|\n{end}\nafter\n") and "old" not in new
    assert documents.renewed(new, [RESULTS]) == new
    other = RESULTS | {"machine": RESULTS["machine"] | {"kind": "Another"}}
    two = documents.renewed(text, [RESULTS, other])
    assert two.count("| | int8 |") == 2 and two.index("**Some Kind") < two.index("|\n\n**Another")
    try:
        documents.renewed(begin, [RESULTS])
        raise AssertionError("a block without an end was taken")
    except ValueError as error:
        assert str(error) == f"'{begin}' without '{end}'"


def a_processor_is_known_by_its_kind():
    def x86(vendor, family, model, flags=""):
        return machine.kind(f"vendor_id\t: {vendor}\ncpu family\t: {family}\nmodel\t\t: {model}\nmodel name\t: Any\nflags\t\t: fpu {flags}\n")

    assert x86("AuthenticAMD", 26, 2) == "AMD Zen 5"
    assert x86("AuthenticAMD", 25, 17) == "AMD Zen 4" and x86("AuthenticAMD", 25, 1) == "AMD Zen 3"
    assert x86("AuthenticAMD", 99, 1) == "AMD family 99 model 1"
    assert x86("GenuineIntel", 6, 207) == "Intel Emerald Rapids without AMX"
    assert x86("GenuineIntel", 6, 143, "amx_tile") == "Intel Sapphire Rapids with AMX"
    assert x86("GenuineIntel", 6, 106) == "Intel Ice Lake" and x86("GenuineIntel", 6, 1) == "Intel family 6 model 1"
    assert x86("AuthenticAMD", 26, 80) == "AMD family 26 model 80" and x86("AuthenticAMD", "", "") == "AMD family  model"
    assert x86("GenuineIntel", 6, "unknown") == "Intel family 6 model unknown"
    assert x86("HygonGenuine", 24, 1) == "processor HygonGenuine 24 1"
    assert machine.kind("") == "processor"
    assert machine.kind("CPU implementer\t: 0x41\nCPU part\t: 0xd40\n") == "Arm Neoverse V1"
    assert machine.kind("CPU implementer\t: 0x61\nCPU part\t: 0x022\n") == "processor 0x61 0x022"


def the_documents_and_the_figures_have_what_the_files_have():
    command = [sys.executable, summand_testing.ROOT / "bench" / "tables.py", "--check"]
    answer = subprocess.run(command, capture_output=True, text=True)
    assert answer.returncode == 0, answer.stdout + answer.stderr


CHECKS = (
    a_row_has_the_best_rival_and_the_share_of_the_limit, a_short_table_is_of_the_newest_run_and_has_no_share_of_the_limit,
    a_promise_that_was_missed_or_not_shown_says_so, vectors_and_conditions_are_told,
    a_chinese_document_has_them_in_chinese, a_block_is_written_anew_and_nothing_else,
    a_processor_is_known_by_its_kind,
    the_documents_and_the_figures_have_what_the_files_have,
)  # fmt: skip

if __name__ == "__main__":
    sys.exit(bench_support.run(CHECKS))
