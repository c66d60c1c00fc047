#include "train/finetune/vectors/embed_evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.hpp"
#include "train/finetune/judging/shown_rows.hpp"

namespace summand::train {

namespace {

using OrderedJson = nlohmann::ordered_json;

/// A row whose own text is not the first, or a pair whose cosine is another.
Mistake mistake_of(SentenceLoss loss, const EmbedRows& rows, const SentenceJudgement& judgement, size_t row) {
  const Text& text = rows.texts[row].text;
  const std::string second = printable(text.text_pair.value_or(""), kMostText);
  Mistake mistake;
  mistake.where = rows.texts[row].where;
  mistake.text = printable(text.text, kMostText);
  if (loss == SentenceLoss::ranking) {
    mistake.truth = second;
    const size_t best = judgement.best[row];
    mistake.predicted = printable(
        judgement.best_is_negative[row] != 0 ? rows.negatives[best] : rows.texts[best].text.text_pair.value_or(""),
        kMostText);
    mistake.severity = judgement.losses[row];
  } else {
    mistake.text += " | " + second;
    mistake.truth = fmt::format("{:.3f}", judgement.truth[row]);
    mistake.predicted = fmt::format("{:.3f}", judgement.similarities[row]);
    mistake.severity = std::abs(judgement.truth[row] - judgement.similarities[row]);
  }
  return mistake;
}

std::string prediction(SentenceLoss loss, const EmbedRows& rows, const SentenceJudgement& judgement, size_t row) {
  OrderedJson json{{"where", rows.texts[row].where}};
  switch (loss) {
    case SentenceLoss::ranking:
      json["first"] = nullptr;
      if (judgement.comparable[row] == 0) break;
      json["first"] = rows.texts[judgement.best[row]].where;  // the row whose second text, or negative, is the nearest
      if (!rows.negatives.empty()) json["first_is_negative"] = judgement.best_is_negative[row] != 0;
      break;
    case SentenceLoss::cosine:
      json["label"] = rounded(judgement.truth[row]);
      json["cosine"] = rounded(judgement.similarities[row]);
      break;
    case SentenceLoss::distillation:
      break;
  }
  json["loss"] = rounded(judgement.losses[row]);
  return prediction_line(json);
}

bool is_mistake(SentenceLoss loss, const SentenceJudgement& judgement, size_t row) {
  if (loss == SentenceLoss::ranking) return judgement.hits[row] == 0;
  return loss == SentenceLoss::cosine && judgement.truth[row] != judgement.similarities[row];
}

}  // namespace

Evaluation embed_evaluation(SentenceLoss loss, const EmbedRows& rows, const SentenceJudgement& judgement,
                            const Resampling& resampling) {
  Evaluation evaluation;
  evaluation.rows = rows.size();
  if (loss == SentenceLoss::ranking) {
    evaluation.rows = static_cast<size_t>(std::ranges::count(judgement.comparable, 1));
  }
  evaluation.scores = sentence_scores(loss, judgement, resampling);
  for (size_t row = 0; row < rows.size(); ++row) {
    evaluation.predictions.push_back(prediction(loss, rows, judgement, row));
    if (is_mistake(loss, judgement, row)) evaluation.mistakes.push_back(mistake_of(loss, rows, judgement, row));
  }
  keep_worst(evaluation.mistakes);
  return evaluation;
}

}  // namespace summand::train
