#include "lab/experiments/interventions/text_pairs.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lab/subject/subject.hpp"
#include "text/encoding.hpp"

namespace summand::lab {

namespace {

bool is_pair(const text::Encoding& text) {
  return std::ranges::any_of(text.segments, [](int32_t segment) { return segment > 0; });
}

text::Encoding joined(const text::Encoding& first, const text::Encoding& second) {
  text::Encoding pair = first;
  const size_t from = second.special.front() ? 1 : 0;
  for (size_t i = from; i < second.ids.size(); ++i) {
    pair.ids.push_back(second.ids[i]);
    pair.segments.push_back(1);
    pair.special.push_back(second.special[i]);
  }
  return pair;
}

/// @param last  the model's last segment: a tokenizer may name one that it does not have
void add(const text::Encoding& text, const PairChoice& choice, int32_t last, Texts& texts) {
  if (text.ids.size() > choice.longest || texts.batch.texts() >= choice.most) return;
  texts.text.insert(texts.text.end(), text.ids.size(), texts.batch.texts());
  std::vector<int32_t> segments = text.segments;
  for (int32_t& segment : segments) segment = std::min(segment, last);
  texts.batch.add(text.ids, segments);
  texts.special.insert(texts.special.end(), text.special.begin(), text.special.end());
}

}  // namespace

TextsByKind texts_by_kind(const Subject& subject, const PairChoice& choice) {
  const auto last = static_cast<int32_t>(subject.segments.rows() - 1);
  TextsByKind texts;
  const text::Encoding* waiting = nullptr;
  for (const auto& text : subject.corpus.sentences) {
    if (text.ids.empty()) continue;
    if (is_pair(text)) {
      add(text, choice, last, texts.pairs);
      waiting = nullptr;
      continue;
    }
    add(text, choice, last, texts.singles);
    const bool fits = 2 * text.ids.size() <= choice.longest;  // leaves room for another of its size
    if (waiting && fits) add(joined(*waiting, text), choice, last, texts.pairs);
    // The next one is joined to its own neighbour alone.
    waiting = fits && !waiting ? &text : nullptr;
  }
  return texts;
}

}  // namespace summand::lab
