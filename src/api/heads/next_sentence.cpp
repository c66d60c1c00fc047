#include "api/heads/next_sentence.hpp"

#include "api/heads/scores.hpp"
#include "base/error.hpp"

namespace summand::api {

void require_pairs(const RecordBatch& batch) {
  for (size_t i = 0; i < batch.texts.size(); ++i) {
    if (!batch.texts[i].text_pair) {
      throw TextError("next-sentence", error_prefix(batch.first + i) + "expected a pair of texts, got one text");
    }
  }
}

TextLogits next_sentence_logits(const LoadedModel& model, const Taps& taps, RepeatedTexts repeated) {
  return {model, model::Head::next_sentence, taps, WindowPooling::mean, repeated};
}

std::vector<NextSentence> next_sentences(TextLogits& logits, RecordBatch& batch) {
  require_pairs(batch);
  const auto rows = logits.of(batch);
  std::vector<NextSentence> sentences;
  for (size_t pair = 0; pair < rows.rows(); ++pair) {
    const auto row = rows.row(pair);
    const auto scores = to_scores(row, ScoreFunction::softmax);
    sentences.push_back({.is_next = scores[0], .not_next = scores[1], .logits = {row[0], row[1]}});
  }
  return sentences;
}

}  // namespace summand::api
