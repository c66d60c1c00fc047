#include "summand/vocab.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "io/output_directory.hpp"
#include "io/output_file.hpp"
#include "text/learning/counted_words.hpp"
#include "text/learning/learn.hpp"
#include "text/tokenizer_files.hpp"
#include "text/vocabulary.hpp"

namespace summand {

namespace {

constexpr size_t kBytesAtATime = size_t{1} << 20;  // of texts: enough to share out among threads

void check(const VocabOptions& options) {
  if (options.size < 1 || options.size > text::Vocabulary::kMostTokens) {
    throw UsageError("size",
                     fmt::format("expected 1 to {} tokens, got {}", text::Vocabulary::kMostTokens, options.size));
  }
  if (options.min_count == uint64_t{0}) throw UsageError("min_count", "expected at least 1, got 0");
  if (options.alphabet == size_t{0}) throw UsageError("alphabet", "expected at least 1 character, got 0");
}

void append_strings(Text text, std::vector<std::string>& strings) {
  if (text.words) {
    for (std::string& word : *text.words) strings.push_back(std::move(word));
    return;
  }
  strings.push_back(std::move(text.text));
  if (text.text_pair) strings.push_back(*std::move(text.text_pair));
}

/// Reads all texts and counts their words.
class WordReading {
 public:
  WordReading(const VocabOptions& options, int threads)
      : options_(options),
        counts_(
            {.strip_accents = options.lowercase == Lowercase::yes, .lowercase = options.lowercase == Lowercase::yes},
            threads) {}

  void read(const NextText& next) {
    while (auto text = next()) {
      ++texts_;
      const size_t before = strings_.size();
      append_strings(*std::move(text), strings_);
      for (size_t i = before; i < strings_.size(); ++i) bytes_ += strings_[i].size();
      if (bytes_ >= kBytesAtATime || strings_.size() >= kBytesAtATime / 16) count();
    }
    count();
  }

  [[nodiscard]] size_t texts() const { return texts_; }
  [[nodiscard]] text::WordCounts& counts() { return counts_; }

 private:
  void count() {
    counts_.add(strings_);
    strings_.clear();
    bytes_ = 0;
    if (options_.on_step) options_.on_step({.texts = texts_, .words = counts_.total()});
  }

  const VocabOptions& options_;
  text::WordCounts counts_;
  std::vector<std::string> strings_;  ///< read and not counted yet
  size_t bytes_ = 0;                  ///< of these
  size_t texts_ = 0;
};

void write(const io::OutputDirectory& directory, const std::vector<text::TokenizerFile>& files) {
  for (const auto& [name, content] : files) {
    io::OutputFile file(directory.path() / name);
    file.write(content);
    file.commit();
  }
}

}  // namespace

VocabReport learn_vocabulary(const NextText& next, const std::filesystem::path& out, const VocabOptions& options) {
  check(options);
  io::OutputDirectory directory(out);
  const int threads = options.threads > 0 ? options.threads : available_threads();
  WordReading reading(options, threads);
  reading.read(next);
  VocabReport report{.out = out, .texts = reading.texts(), .words = reading.counts().total(), .threads = threads};
  if (report.words == 0) {
    throw TextError("vocabulary", fmt::format("expected texts with words, got {} without any", report.texts));
  }
  auto words = std::move(reading.counts()).sorted();
  report.distinct_words = words.size();
  const auto on_merge = [&](size_t tokens) {
    if (options.on_step) options.on_step({.texts = report.texts, .words = report.words, .tokens = tokens});
  };
  const auto learned = text::learn_vocabulary(std::move(words), {.size = options.size,
                                                                 .rule = options.rule,
                                                                 .min_count = options.min_count,
                                                                 .alphabet = options.alphabet.value_or(SIZE_MAX),
                                                                 .on_merge = on_merge});
  report.characters = learned.characters;
  report.characters_left_out = learned.characters_left_out;
  report.tokens = learned.tokens.size();
  write(directory, text::tokenizer_files(learned.tokens, options.lowercase));
  directory.commit();
  return report;
}

}  // namespace summand
