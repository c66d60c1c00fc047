#include "text/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/git_lfs.hpp"
#include "base/paths.hpp"
#include "base/utf8.hpp"
#include "text/piece_trie.hpp"
#include "text/unicode.hpp"

namespace summand::text {

namespace {

std::string_view without_trailing_space(std::string_view line) {
  while (!line.empty()) {
    const char* last = previous_character(line.data() + line.size());
    if (!(unicode_flags(decode_valid_utf8(last).code_point) & kSpace)) break;
    line = line.substr(0, static_cast<size_t>(last - line.data()));
  }
  return line;
}

/// A brace and a name in quotes. As tokens they would be two lines in the other order.
bool is_json_object(std::string_view content) {
  constexpr std::string_view kBlank = " \t\r\n";
  const size_t brace = content.find_first_not_of(kBlank);
  if (brace == content.npos || content[brace] != '{') return false;
  const size_t name = content.find_first_not_of(kBlank, brace + 1);
  return name != content.npos && content[name] == '"';
}

void check_count(size_t tokens, std::string_view where) {
  if (tokens <= Vocabulary::kMostTokens) return;
  throw ConfigError(where, fmt::format("expected at most {} tokens, got {}", Vocabulary::kMostTokens, tokens));
}

constexpr auto kDropped = UINT32_MAX;

/// A token on its way to its place: most are told apart by their first bytes, as one number.
struct Sorted {
  uint64_t beginning;  ///< the first eight bytes, the first of all the highest; zeros where there are fewer
  uint32_t place;      ///< in the list given

  Sorted(std::string_view text, size_t at) : beginning(0), place(static_cast<uint32_t>(at)) {
    for (size_t i = 0; i < sizeof(beginning); ++i) {
      beginning = beginning << 8U | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
    }
  }
};

/// The places of the tokens in the order of their bytes; of equal ones the last given.
std::vector<uint32_t> places_by_bytes(std::span<const Vocabulary::Token> tokens) {
  std::vector<Sorted> sorted;
  sorted.reserve(tokens.size());
  for (size_t at = 0; at < tokens.size(); ++at) sorted.emplace_back(tokens[at].text, at);
  std::ranges::sort(sorted, [&](const Sorted& a, const Sorted& b) {
    if (a.beginning != b.beginning) return a.beginning < b.beginning;
    const int order = tokens[a.place].text.compare(tokens[b.place].text);
    return order == 0 ? a.place < b.place : order < 0;
  });
  std::vector<uint32_t> places;
  places.reserve(sorted.size());
  for (const Sorted& token : sorted) {
    if (!places.empty() && tokens[places.back()].text == tokens[token.place].text) places.pop_back();
    places.push_back(token.place);
  }
  return places;
}

}  // namespace

Vocabulary::Vocabulary(std::span<const Token> tokens, std::string_view where) {
  const auto places = places_by_bytes(tokens);
  check_count(places.size(), where);
  size_t bytes = 0;
  for (const uint32_t place : places) bytes += tokens[place].text.size();
  bytes_.reserve(bytes);
  tokens_.reserve(places.size());
  for (const uint32_t place : places) {
    const auto& [text, id] = tokens[place];
    if (id < 0 || id > PieceTrie::kLargestId) {
      throw ConfigError(where, fmt::format("token '{}': expected an id from 0 to {}, got {}", printable(text),
                                           PieceTrie::kLargestId, id));
    }
    const char* const own = bytes_.data() + bytes_.size();
    bytes_.insert(bytes_.end(), text.begin(), text.end());
    tokens_.push_back({{own, text.size()}, id});
  }
  index_ids(places, where);
}

/// @param given_at  the place of each token in the list given, which mostly is in the order of ids
void Vocabulary::index_ids(std::span<const uint32_t> given_at, std::string_view where) {
  by_id_.resize(tokens_.size());
  const auto id_at = [this](uint32_t place) { return tokens_[place].id; };
  const size_t given = given_at.empty() ? 0 : std::ranges::max(given_at) + size_t{1};
  std::vector<uint32_t> kept_as(given, kDropped);
  for (uint32_t place = 0; place < given_at.size(); ++place) kept_as[given_at[place]] = place;
  std::ranges::copy_if(kept_as, by_id_.begin(), [](uint32_t place) { return place != kDropped; });
  if (!std::ranges::is_sorted(by_id_, {}, id_at)) std::ranges::stable_sort(by_id_, {}, id_at);
  const auto twice = std::ranges::adjacent_find(by_id_, {}, id_at);
  if (twice == by_id_.end()) return;
  throw ConfigError(
      where, fmt::format("expected one token per id, got '{}' and '{}' with id {}", printable(tokens_[*twice].text),
                         printable(tokens_[*std::next(twice)].text), id_at(*twice)));
}

Vocabulary Vocabulary::read(const std::filesystem::path& vocab_txt) {
  const std::string file = read_file(vocab_txt, kLongestConfiguration);
  const std::string where = path_text(vocab_txt);
  const std::string_view content = file;
  refuse_git_lfs_pointer(content, where);
  if (is_json_object(content)) {
    throw ConfigError(where, "expected a vocab.txt with one token per line, got JSON");
  }
  const auto lines = static_cast<size_t>(std::count(content.begin(), content.end(), '\n'));
  check_count(lines, where);
  std::vector<Token> tokens;
  tokens.reserve(lines + 1);
  int32_t line_number = 0;
  for (size_t at = 0; at < content.size(); ++line_number) {
    const size_t end = std::min(content.find('\n', at), content.size());
    const std::string_view line = content.substr(at, end - at);
    if (!is_valid_utf8(line)) {
      throw ConfigError(fmt::format("{}:{}", where, line_number + 1), "expected UTF-8, got other bytes");
    }
    tokens.push_back({without_trailing_space(line), line_number});
    at = end + 1;
  }
  return {tokens, where};
}

std::optional<int32_t> Vocabulary::id(std::string_view token) const {
  const auto found = std::ranges::lower_bound(tokens_, token, {}, &Token::text);
  return found == tokens_.end() || found->text != token ? std::nullopt : std::optional(found->id);
}

std::optional<std::string_view> Vocabulary::token(int32_t id) const {
  const auto id_at = [this](uint32_t place) { return tokens_[place].id; };
  const auto at = static_cast<size_t>(id);
  // No id is left out before it, as a rule.
  if (id >= 0 && at < by_id_.size() && id_at(by_id_[at]) == id) return tokens_[by_id_[at]].text;
  const auto found = std::ranges::lower_bound(by_id_, id, {}, id_at);
  if (found == by_id_.end() || id_at(*found) != id) return std::nullopt;
  return tokens_[*found].text;
}

}  // namespace summand::text
