#include "text/learning/counted_words.hpp"

#include <algorithm>
#include <utility>

#include "base/thread_pool.hpp"
#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::text {

void for_each_word(std::string_view text, const NormalizerSettings& settings,
                   const std::function<void(std::string_view word)>& take) {
  const std::string normalized = normalize(text, settings).text;
  const std::string_view all = normalized;
  size_t word = 0;
  const auto end_word = [&](size_t at) {
    if (at > word) take(all.substr(word, at - word));
  };
  for (size_t at = 0; at < all.size();) {
    const DecodedCharacter decoded = decode_valid_utf8(all.data() + at);
    const uint16_t flags = unicode_flags(decoded.code_point);
    const size_t next = at + decoded.bytes;
    if (flags & (kWhitespace | kPunctuation)) {
      end_word(at);
      if (!(flags & kWhitespace)) take(all.substr(at, decoded.bytes));
      word = next;
    }
    at = next;
  }
  end_word(all.size());
}

void WordCounts::Counter::add(std::string_view text, const NormalizerSettings& settings) {
  for_each_word(text, settings, [this](std::string_view word) {
    ++total;
    if (const auto found = counts.find(word); found != counts.end()) {
      ++found->second;
    } else {
      counts.emplace(word, 1);
    }
  });
}

WordCounts::WordCounts(const NormalizerSettings& settings, int threads)
    : settings_(settings), counters_(static_cast<size_t>(std::max(threads, 1))) {}

void WordCounts::add(std::span<const std::string> texts) {
  ThreadPool::shared().run(texts.size(), static_cast<int>(counters_.size()), [&](size_t text, int participant) {
    Counter& counter = counters_[static_cast<size_t>(participant)];
    refuse_long_text(texts[text]);
    if (is_valid_utf8(texts[text])) {
      counter.add(texts[text], settings_);
    } else {
      counter.add(RepairedText(texts[text]).text(), settings_);
    }
  });
}

uint64_t WordCounts::total() const {
  uint64_t total = 0;
  for (const Counter& counter : counters_) total += counter.total;
  return total;
}

std::vector<CountedWord> WordCounts::sorted() && {
  Counts& sum = counters_.front().counts;
  for (Counter& counter : std::span(counters_).subspan(1)) {
    for (const auto& [word, count] : counter.counts) sum[word] += count;
    counter.counts = {};
  }
  std::vector<CountedWord> words;
  words.reserve(sum.size());
  while (!sum.empty()) {
    auto entry = sum.extract(sum.begin());
    words.push_back({std::move(entry.key()), entry.mapped()});
  }
  std::ranges::sort(words, {}, &CountedWord::word);
  return words;
}

}  // namespace summand::text
