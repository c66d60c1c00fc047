#include "lab/probing/pair_retrieval.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

#include "lab/probing/cross_entropy.hpp"
#include "text/encoding.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// A text of its own, in segment 0.
struct Single {
  std::vector<int32_t> ids;
  std::vector<uint8_t> special;
};

void add(const Single& single, Texts& texts) {
  texts.text.insert(texts.text.end(), single.ids.size(), texts.batch.texts());
  texts.batch.add(single.ids, std::vector<int32_t>(single.ids.size(), 0));
  for (const uint8_t special : single.special) texts.special.push_back(special != 0);
}

/// What the tokenizer makes of one text of a pair: of the second with the special token in front that the first has.
Single part_of(const text::Encoding& pair, int32_t segment) {
  Single single;
  const auto take = [&](size_t i) {
    single.ids.push_back(pair.ids[i]);
    single.special.push_back(pair.special[i]);
  };
  if (segment > 0 && pair.special.front() != 0) take(0);
  for (size_t i = 0; i < pair.ids.size(); ++i) {
    if ((pair.segments[i] > 0) == (segment > 0)) take(i);
  }
  return single;
}

bool is_pair(const text::Encoding& text) {
  return std::ranges::any_of(text.segments, [](int32_t segment) { return segment > 0; });
}

}  // namespace

PairRetrieval::PairRetrieval(const Subject& subject, const RetrievalChoice& choice)
    : vector_(sentence_vector_of(subject)) {
  std::vector<Single> firsts;
  std::vector<Single> seconds;
  std::vector<Single> others;
  for (const auto& text : subject.corpus.sentences) {
    if (text.ids.empty()) continue;
    Single first = part_of(text, 0);
    if (first.ids.size() > choice.longest) continue;
    if (!is_pair(text)) {
      if (others.size() < choice.most_others) others.push_back(std::move(first));
      continue;
    }
    Single second = part_of(text, 1);
    if (second.ids.size() > choice.longest || firsts.size() == choice.most_pairs) continue;
    firsts.push_back(std::move(first));
    seconds.push_back(std::move(second));
  }
  pairs_ = firsts.size();
  for (const auto* list : {&firsts, &seconds, &others}) {
    for (const Single& single : *list) add(single, texts_);
  }
}

std::vector<double> PairRetrieval::losses(const engine::Engine& engine, const Edit& edit) const {
  model::Batch batch = texts_.batch;
  if (edit) edit(batch);
  const Table states = run_texts(engine, batch, vector_).vectors;
  const Vector norms = states.rowwise().norm().cwiseMax(1e-300);
  const Table vectors = norms.cwiseInverse().asDiagonal() * states;
  const auto pairs = static_cast<Index>(pairs_);
  const Table scores = kCosineScale * vectors.topRows(pairs) * vectors.bottomRows(vectors.rows() - pairs).transpose();
  std::vector<double> losses;
  for (Index pair = 0; pair < pairs; ++pair) {
    const std::span<const double> row(scores.row(pair).data(), static_cast<size_t>(scores.cols()));
    losses.push_back(cross_entropy<double>(row, static_cast<size_t>(pair)));
  }
  return losses;
}

}  // namespace summand::lab
