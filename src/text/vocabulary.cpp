#include "text/vocabulary.hpp"

#include <fmt/format.h>

#include <algorithm>

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

}  // namespace

Vocabulary::Vocabulary(Map tokens, std::string_view where) : ids_(std::move(tokens)) {
  check_count(ids_.size(), where);
  tokens_.reserve(ids_.size());
  for (const auto& [token, id] : ids_) {
    if (id < 0 || id > PieceTrie::kLargestId) {
      throw ConfigError(where, fmt::format("token '{}': expected an id from 0 to {}, got {}", printable(token),
                                           PieceTrie::kLargestId, id));
    }
    tokens_.push_back({id, &token});
  }
  std::ranges::sort(tokens_, {}, &Numbered::id);
  const auto twice = std::ranges::adjacent_find(tokens_, {}, &Numbered::id);
  if (twice == tokens_.end()) return;
  throw ConfigError(where, fmt::format("expected one token per id, got '{}' and '{}' with id {}",
                                       printable(*twice->token), printable(*std::next(twice)->token), twice->id));
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
  Map tokens;
  tokens.reserve(lines + 1);
  int32_t line_number = 0;
  for (size_t at = 0; at < content.size(); ++line_number) {
    const size_t end = std::min(content.find('\n', at), content.size());
    const std::string_view line = content.substr(at, end - at);
    if (!is_valid_utf8(line)) {
      throw ConfigError(fmt::format("{}:{}", where, line_number + 1), "expected UTF-8, got other bytes");
    }
    tokens.insert_or_assign(std::string(without_trailing_space(line)), line_number);
    at = end + 1;
  }
  return {std::move(tokens), where};
}

std::optional<int32_t> Vocabulary::id(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string_view> Vocabulary::token(int32_t id) const {
  const auto at = static_cast<size_t>(id);
  if (id >= 0 && at < tokens_.size() && tokens_[at].id == id) return *tokens_[at].token;  // no id is left out before it
  const auto found = std::ranges::lower_bound(tokens_, id, {}, &Numbered::id);
  if (found == tokens_.end() || found->id != id) return std::nullopt;
  return *found->token;
}

}  // namespace summand::text
