#include "lab/probing/texts.hpp"
#include "lab/subject/subject.hpp"

#include <algorithm>
#include <span>

namespace summand::lab {

size_t longest_of(const Texts& texts) {
  size_t longest = 0;
  for (size_t text = 0; text < texts.batch.texts(); ++text) longest = std::max(longest, texts.batch.length(text));
  return longest;
}

std::vector<Eigen::Index> ordinary_words(const Texts& texts, size_t text) {
  std::vector<Eigen::Index> words;
  const size_t begin = texts.batch.offsets[text];
  for (size_t t = 0; t < texts.batch.length(text); ++t) {
    if (!texts.special[begin + t]) words.push_back(static_cast<Eigen::Index>(t));
  }
  return words;
}

void add_text(Texts& texts, const Texts& from, size_t text) {
  const size_t begin = from.batch.offsets[text];
  const size_t length = from.batch.length(text);
  texts.text.insert(texts.text.end(), length, texts.batch.texts());
  for (size_t t = begin; t < begin + length; ++t) texts.special.push_back(from.special[t]);
  texts.batch.add(std::span(from.batch.ids).subspan(begin, length),
                  std::span(from.batch.segments).subspan(begin, length));
}

Texts with_words(const Texts& texts) {
  Texts kept;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    if (!ordinary_words(texts, text).empty()) add_text(kept, texts, text);
  }
  return kept;
}

Texts texts_of(const Subject& subject, const TextChoice& choice, RandomStream& stream) {
  const auto& sentences = subject.corpus.sentences;
  std::vector<size_t> chosen;
  for (size_t i = 0; i < sentences.size(); ++i) {
    if (!sentences[i].ids.empty() && sentences[i].ids.size() >= choice.shortest) chosen.push_back(i);
  }
  if (chosen.size() > choice.most) {
    stream.shuffle(std::span(chosen));
    chosen.resize(choice.most);
    std::ranges::sort(chosen);
  }
  const auto last_segment = static_cast<int32_t>(std::max<Eigen::Index>(subject.segments.rows(), 1)) - 1;
  Texts texts;
  for (const size_t i : chosen) {
    const auto& one = sentences[i];
    const size_t length = std::min(one.ids.size(), choice.longest);
    const std::span<const int32_t> ids(one.ids);
    std::vector<int32_t> segments(one.segments.begin(), one.segments.begin() + static_cast<std::ptrdiff_t>(length));
    for (int32_t& segment : segments) segment = std::min(segment, last_segment);
    texts.text.insert(texts.text.end(), length, texts.batch.texts());
    texts.batch.add(ids.first(length), segments);
    for (size_t t = 0; t < length; ++t) texts.special.push_back(one.special[t]);
  }
  return texts;
}

}  // namespace summand::lab
