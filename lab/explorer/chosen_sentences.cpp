#include "lab/explorer/chosen_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "lab/explorer/exploration.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr size_t kInAll = 4;     // unless more are given
constexpr size_t kShortest = 7;  // tokens: five and the two around them
constexpr size_t kOrdinary = 14;
constexpr std::string_view kBetween = "|||";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto begin = text.find_first_not_of(kSpace);
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

bool is_ideograph(std::string_view token) {
  if (token.empty()) return false;
  const auto [code_point, bytes, valid] = decode_utf8(token);
  return valid && code_point >= 0x4E00 && code_point <= 0x9FFF;
}

/// Tokens of one segment as a text; special tokens that were put around it left out.
std::string text_of(const text::Tokenizer& tokenizer, const text::Encoding& encoding, bool (*is_second)(int32_t)) {
  std::vector<int32_t> ids;
  for (size_t i = 0; i < encoding.ids.size(); ++i) {
    if (encoding.special[i] == 0 && is_second(encoding.segments[i])) ids.push_back(encoding.ids[i]);
  }
  return tokenizer.decode(ids, text::SpecialTokens::add);
}

/// How many segments a text may have: those of the table, or of the model where it has none.
int64_t segments_of(const Subject& subject) {
  return subject.segments.rows() > 0 ? subject.segments.rows() : subject.model->config().type_vocab_size;
}

/// Whether the model knows the segment of every token: one of a single segment takes no pairs.
bool has_segments(const Subject& subject, const text::Encoding& encoding) {
  return std::ranges::all_of(encoding.segments, [&](int32_t segment) { return segment < segments_of(subject); });
}

/// The corpus' sentences, and what speaks for each.
class Candidates {
 public:
  explicit Candidates(const Subject& subject) : subject_(subject), tokenizer_(subject.model->tokenizer()) {
    const auto& sentences = subject.corpus.sentences;
    for (size_t i = 0; i < sentences.size(); ++i) {
      const size_t length = sentences[i].ids.size();
      if (length < kShortest || length > kExploredTokens) continue;
      if (has_segments(subject, sentences[i])) left_.push_back(i);
    }
    // A corpus of long or of tiny texts only.
    for (size_t i = 0; i < sentences.size() && left_.empty(); ++i) {
      if (!sentences[i].ids.empty() && has_segments(subject, sentences[i])) left_.push_back(i);
    }
  }

  /// Takes the one with the highest mark; none where all are 0.
  template <class Mark>
  void take(const LocalizedText& why, Mark mark, std::vector<ChosenSentence>& chosen) {
    size_t highest = 0;
    size_t best = 0;
    for (size_t i = 0; i < left_.size(); ++i) {
      const size_t own = mark(subject_.corpus.sentences[left_[i]]);
      if (own > highest) std::tie(highest, best) = std::pair(own, i);
    }
    if (highest == 0 || chosen.size() >= kInAll) return;
    chosen.push_back(sentence(subject_.corpus.sentences[left_[best]], why));
    left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(best));
  }

  /// Where nothing so far is a pair and the model takes pairs: the two that come first of at most half the tokens each.
  void put_together(const LocalizedText& why, size_t limit, std::vector<ChosenSentence>& chosen) const {
    const auto pairs = [](const ChosenSentence& one) { return is_pair(one.encoding) > 0; };
    if (segments_of(subject_) < 2 || chosen.size() >= kInAll || std::ranges::any_of(chosen, pairs)) return;
    std::vector<std::string> texts;
    for (const size_t i : left_) {
      const auto& encoding = subject_.corpus.sentences[i];
      if (texts.size() < 2 && encoding.ids.size() <= limit / 2 + 1) texts.push_back(sentence(encoding, why).text);
    }
    if (texts.size() < 2 || texts[0].empty() || texts[1].empty()) return;
    const text::InputRecord record{texts[0], texts[1]};
    ChosenSentence pair{
        .encoding = subject_.model->encode(record, {}, limit), .text = texts[0], .text_pair = texts[1], .why = why};
    if (has_segments(subject_, pair.encoding) && pairs(pair)) chosen.push_back(std::move(pair));
  }

  [[nodiscard]] static size_t is_pair(const text::Encoding& encoding) {
    return std::ranges::count(encoding.segments, 1) > 0 ? 1 : 0;
  }
  /// The longest of at most kOrdinary tokens first.
  [[nodiscard]] static size_t of_ordinary_length(const text::Encoding& encoding) {
    return encoding.ids.size() <= kOrdinary ? encoding.ids.size() : 1;
  }
  /// How often a word stands again.
  [[nodiscard]] size_t repetitions(const text::Encoding& encoding) const {
    std::map<int32_t, size_t> counts;
    for (size_t i = 0; i < encoding.ids.size(); ++i) {
      const int32_t id = encoding.ids[i];
      const bool is_word = encoding.special[i] == 0 && id != tokenizer_.unk_id() && tokenizer_.token(id).size() > 1;
      if (is_word) ++counts[id];
    }
    size_t again = 0;
    for (const auto& [id, count] : counts) again += count - 1;
    return again;
  }
  /// How many of its tokens are Chinese; 0 if less than half are, or one is not in the vocabulary.
  [[nodiscard]] size_t ideographs(const text::Encoding& encoding) const {
    if (tokenizer_.unk_id() && std::ranges::count(encoding.ids, *tokenizer_.unk_id()) > 0) return 0;
    const auto count = static_cast<size_t>(
        std::ranges::count_if(encoding.ids, [&](int32_t id) { return is_ideograph(tokenizer_.token(id)); }));
    return 2 * count >= encoding.ids.size() ? count : 0;
  }

 private:
  [[nodiscard]] ChosenSentence sentence(const text::Encoding& whole, const LocalizedText& why) const {
    text::Encoding encoding = whole;
    const size_t length = std::min(whole.ids.size(), kExploredTokens);
    encoding.cut += whole.ids.size() - length;
    encoding.ids.resize(length);
    encoding.segments.resize(length);
    encoding.special.resize(length);
    ChosenSentence chosen{.encoding = std::move(encoding), .text = {}, .text_pair = {}, .why = why};
    chosen.text = text_of(tokenizer_, chosen.encoding, [](int32_t segment) { return segment == 0; });
    chosen.text_pair = text_of(tokenizer_, chosen.encoding, [](int32_t segment) { return segment != 0; });
    return chosen;
  }

  const Subject& subject_;
  const text::Tokenizer& tokenizer_;
  std::vector<size_t> left_;
};

text::InputRecord given_sentence(std::string_view option) {
  (void)text::check_utf8(option, "--sentence", {});
  const auto refuse = [&](const char* got) {
    throw UsageError("--sentence", fmt::format("expected a text, or a pair as 'A {} B', got {}", kBetween, got));
  };
  const auto at = option.find(kBetween);
  const auto first = trimmed(option.substr(0, at));
  if (first.empty()) refuse("an empty text");
  if (at == option.npos) return first;
  const auto second = trimmed(option.substr(at + kBetween.size()));
  if (second.empty()) refuse("an empty second text");
  if (second.find(kBetween) != second.npos) refuse("more than two texts");
  return {std::string(first), std::string(second)};
}

}  // namespace

std::vector<text::InputRecord> given_sentences(std::span<const std::string> options) {
  if (options.size() > kMostGiven) {
    throw UsageError("--sentence", fmt::format("expected at most {} of them, got {}", kMostGiven, options.size()));
  }
  std::vector<text::InputRecord> given;
  for (const auto& option : options) given.push_back(given_sentence(option));
  return given;
}

std::vector<ChosenSentence> chosen_sentences(const Subject& subject, std::span<const text::InputRecord> given) {
  std::vector<ChosenSentence> chosen;
  const size_t limit = std::min(kExploredTokens, subject.model->position_limit());
  for (const auto& record : given) {
    chosen.push_back({.encoding = subject.model->encode(record, {}, limit),
                      .text = record.text,
                      .text_pair = record.text_pair.value_or(""),
                      .why = {"given by --sentence", "由 --sentence 给出"}});
    const auto& encoding = chosen.back().encoding;
    if (encoding.ids.empty()) throw UsageError("--sentence", "expected a text with a token, got none");
    if (!has_segments(subject, encoding)) {
      throw UsageError("--sentence", "expected one text, since the model has one segment, got a pair");
    }
  }
  Candidates candidates(subject);
  candidates.take({"a pair: sentence A and sentence B", "句对：句 A 与句 B"}, Candidates::is_pair, chosen);
  candidates.put_together({"two texts of the corpus, as a pair", "语料中的两段文本，组成句对"}, limit, chosen);
  candidates.take(
      {"the same words at several positions", "同一词出现在多个位置"},
      [&](const text::Encoding& encoding) { return candidates.repetitions(encoding); }, chosen);
  candidates.take(
      {"Chinese", "中文"}, [&](const text::Encoding& encoding) { return candidates.ideographs(encoding); }, chosen);
  for (size_t i = 0; i < kInAll; ++i) {
    candidates.take({"of the corpus", "取自语料"}, Candidates::of_ordinary_length, chosen);
  }
  return chosen;
}

}  // namespace summand::lab
