"""The numbers of the studies, for texts with places: {NAME}, of studies/standard, or {STUDY | NAME}. NAME is
a comparison of verdicts.json     {combined: sum − gate}            its mean difference and interval, in percent of the gap
with .size behind it              {combined: sum − gate.size}       the mean alone, of one that is above zero
with .seeds behind it             {combined: sum − gate.seeds}      how many differences are above zero, of how many seeds
mean MEASURE/ARM                  {mean pos/sum}                    what an arm reached, of a study that has means
left TASK/ARM                     {left combined/none}              how much of the gap the arm leaves, in percent
baseline TASK                     {baseline pos}                    what the best trivial predictor reaches
labels TASK                       {labels pos}                      how many times as many labels the sum needs as its rival, at each number of them
mean WAY, tokens WAY, bag WAY     {mean head}, {tokens head}        accuracy of a way to read long texts, tokens of a text, accuracy of a bag of words
left TASK/ARM, STRATUM            {left combined/none, position}    likewise, of the answers that depend on this most
stuck TASK/ARM                    {stuck combined/none}             how many of its runs are stuck, of how many
plan                              {downstream | plan}               the plan's hash

study_numbers.py OUT.json ANSWERS.json VERDICTS.json…: study_answers.json with its places filled. Its `rests_on` has the
verdicts that each sentence was written for; a test compares them, and the output has it no more."""

import json
import pathlib
import re
import sys

STANDARD = "standard"
DIGITS = {"nats": 2, "points": 1, "circle_share": 2, "distance_share": 2}  # of other measures than shares of the gap


def number(value, digits, sign=""):
    if round(value, digits) == 0:
        value = 0.0  # no "−0.00"
    return f"{value:{sign}.{digits}f}".replace("-", "−")


def percent(share, language, digits, sign=""):
    return number(100 * share, digits, sign) + {"en": " %", "zh": "%"}[language]


def difference(comparison, language):
    mean, (low, high) = comparison["mean"], comparison["interval"]
    if digits := DIGITS.get(comparison.get("measure")):
        return f"{number(mean, digits, '+')} [{number(low, digits, '+')}, {number(high, digits, '+')}]"
    return f"{percent(mean, language, 2, '+')} [{number(100 * low, 2, '+')}, {number(100 * high, 2, '+')}]"


def size(comparison, language):
    value = comparison["mean"]
    digits = DIGITS.get(comparison.get("measure"))
    return number(value, digits) if digits else percent(value, language, 2)


def seeds(count, all_seeds, language):
    return {"en": f"{count} of {all_seeds} seeds", "zh": f"{all_seeds} 个种子中的 {count} 个"}[language]


def enumerated(words, language):
    if language == "zh" or len(words) == 1:
        return "、".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def texts_of(verdicts, language):
    """By NAME."""
    texts = {"plan": verdicts["plan"]}
    for one in verdicts["comparisons"]:
        texts[one["name"]] = difference(one, language)
        texts[f"{one['name']}.seeds"] = seeds(one["above_zero"], one["pairs"], language)
        if one["mean"] > 0:
            texts[f"{one['name']}.size"] = size(one, language)
    for arm in verdicts["arms"]:
        name = f"left {arm['task']}/{arm['arm']}"
        texts[name] = percent(arm["left"], language, 1)
        texts[f"stuck {arm['task']}/{arm['arm']}"] = seeds(arm["stuck"], arm["runs"], language)
        for stratum, left in arm["strata"].items():
            texts[f"{name}, {stratum}"] = percent(left, language, 1)
    for one in verdicts.get("means", []):
        texts[f"mean {one['task']}/{one['arm']}"] = number(one["mean"], DIGITS[one["measure"]])
    for one in verdicts.get("baselines", []):
        texts[f"baseline {one['task']}"] = number(one["mean"], 1)
    for one in verdicts.get("labels", []):
        if one["times"]:
            texts[f"labels {one['task']}"] = enumerated([number(times, 1) for times in one["times"]], language)
    for one in verdicts.get("ways", []):
        texts[f"tokens {one['way']}"] = f"{one['tokens']:,.0f}"
        texts[f"mean {one['way']}"] = number(one["accuracy"], 1)
        texts[f"bag {one['way']}"] = number(one["bag_of_words"], 1)
    return texts


def studies_of(files):
    """The verdicts by the study's name."""
    studies = [json.loads(pathlib.Path(file).read_text(encoding="utf-8")) for file in files]
    return {study["study"]: study for study in studies}


def filled(text, studies, language):
    """@throws KeyError naming a place that no study fills"""
    texts = {study: texts_of(verdicts, language) for study, verdicts in studies.items()}

    def text_at(place):
        study, _, name = place[1].rpartition(" | ")
        return texts[study or STANDARD][name]

    return re.sub(r"\{([^{}]+)\}", text_at, text)


def main():
    out, answers, *verdicts = sys.argv[1:]
    studies = studies_of(verdicts)
    filled_answers = json.loads(pathlib.Path(answers).read_text(encoding="utf-8"))
    for claim, answer in filled_answers.items():
        del answer["rests_on"]  # a test alone reads it
        for language in ("en", "zh"):
            try:
                answer[language] = filled(answer[language], studies, language)
            except KeyError as error:
                sys.exit(f"[{answers}] {claim}: expected a place that a study fills, got {error}")
    pathlib.Path(out).write_text(json.dumps(filled_answers, ensure_ascii=False, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
