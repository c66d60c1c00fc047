#include "lab/probing/joined_texts.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "summand/assert.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

size_t ordinary_length(const text::Encoding& encoding) {
  return static_cast<size_t>(std::ranges::count(encoding.special, uint8_t{0}));
}

}  // namespace

std::vector<int32_t> ordinary_tokens(const Subject& subject, size_t text) {
  const auto& encoding = subject.corpus.sentences.at(text);
  std::vector<int32_t> ids;
  for (size_t t = 0; t < encoding.ids.size(); ++t) {
    if (encoding.special[t] == 0) ids.push_back(encoding.ids[t]);
  }
  return ids;
}

std::vector<size_t> texts_of_length(const Subject& subject, size_t least, size_t most) {
  const auto& sentences = subject.corpus.sentences;
  std::vector<size_t> texts;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const size_t length = ordinary_length(sentences[i]);
    if (length >= least && length <= most) texts.push_back(i);
  }
  return texts;
}

std::vector<size_t> longest_texts(const Subject& subject, size_t tokens) {
  const auto& sentences = subject.corpus.sentences;
  auto texts = texts_of_length(subject, 1, std::numeric_limits<size_t>::max());
  std::ranges::stable_sort(texts, std::ranges::greater(), [&](size_t i) { return ordinary_length(sentences[i]); });
  size_t total = 0;
  size_t count = 0;
  while (count < texts.size() && total < tokens) total += ordinary_length(sentences[texts[count++]]);
  texts.resize(count);
  std::ranges::sort(texts);
  return texts;
}

JoinedText joined_text(const Subject& subject, std::vector<size_t> texts, size_t tokens, RandomStream& stream) {
  JoinedText joined;
  while (joined.ids.size() < tokens) {
    stream.shuffle(std::span(texts));
    const size_t before = joined.ids.size();
    for (const size_t text : texts) {
      const auto ids = ordinary_tokens(subject, text);
      joined.ids.insert(joined.ids.end(), ids.begin(), ids.end());
      joined.texts.push_back(text);
      joined.starts.push_back(joined.ids.size());
      if (joined.ids.size() >= tokens) break;
    }
    SUMMAND_ASSERT(joined.ids.size() > before);
  }
  return joined;
}

Frame frame_of(const Subject& subject) {
  Frame frame;
  const auto& tokenizer = subject.model->tokenizer();
  if (const auto id = tokenizer.cls_id()) frame.front.push_back(*id);
  if (const auto id = tokenizer.sep_id()) frame.back.push_back(*id);
  return frame;
}

void add_framed(model::Batch& batch, const Frame& frame, std::span<const int32_t> ids, size_t skipped) {
  std::vector<int32_t> whole(frame.front);
  whole.insert(whole.end(), ids.begin(), ids.end());
  whole.insert(whole.end(), frame.back.begin(), frame.back.end());
  const size_t first = batch.tokens() + frame.front.size();
  batch.add(whole, std::vector<int32_t>(whole.size(), 0));
  for (size_t t = first; t < batch.tokens(); ++t) batch.positions[t] += static_cast<int32_t>(skipped);
}

Table last_states(const engine::Engine& engine, const model::Batch& batch) {
  const std::array layers{static_cast<size_t>(engine.config().num_hidden_layers)};
  const auto states = engine::hidden_states(engine, batch, layers);
  return table_of(states.front().view());
}

}  // namespace summand::lab
