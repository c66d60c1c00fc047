#include "api/next_sentence.hpp"

#include "api/batch_taps.hpp"
#include "api/heads.hpp"
#include "api/scores.hpp"
#include "base/error.hpp"

namespace summand::api {

void require_pairs(const RecordBatch& batch) {
  for (size_t i = 0; i < batch.texts.size(); ++i) {
    if (!batch.texts[i].text_pair) {
      throw TextError("next-sentence", place_of(batch.first + i) + "expected a pair of texts, got one text");
    }
  }
}

std::vector<NextSentence> next_sentences(const LoadedModel& model, const RecordBatch& batch, const Taps& taps) {
  require_head(model, model::Head::next_sentence);
  require_pairs(batch);
  BatchTaps batch_taps(taps, batch);
  const auto logits =
      engine::head_logits(model.engine(), batch.batch, model::Head::next_sentence, {}, batch_taps.for_engine());
  std::vector<NextSentence> sentences;
  for (size_t pair = 0; pair < logits.rows(); ++pair) {
    const auto row = logits.row(pair);
    const auto scores = scores_of(row, ScoreFunction::softmax);
    sentences.push_back({.is_next = scores[0], .not_next = scores[1], .logits = {row[0], row[1]}});
  }
  return sentences;
}

}  // namespace summand::api
