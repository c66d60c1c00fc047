#include "text/tokenizer_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace summand::text {

namespace {

// The reference counts tokens of the vocabulary, not lines, so that an id may be given twice where a line is.
int32_t next_free_id(const TokenizerSettings& settings) {
  return std::max(static_cast<int32_t>(settings.vocabulary.tokens().size()), settings.next_added_id);
}

}  // namespace

void add_token(TokenizerSettings& settings, AddedToken token) {
  if (token.content.empty()) return;
  token.normal_form = token.normalized ? normalize(token.content, settings.normalizer).text : token.content;
  if (token.normal_form.empty()) {
    throw ConfigError("added token", fmt::format("'{}': expected a token of which normalisation leaves something",
                                                 printable(token.content)));
  }
  const auto [place, fresh] = settings.added_places.emplace(token.content, settings.added_tokens.size());
  if (!fresh) {
    AddedToken& known = settings.added_tokens[place->second];
    token.id = known.id;
    token.special = token.special || known.special;
    if (!token.normalized) token.normal_form = known.normal_form;  // decoding stays the same
    known = std::move(token);
    return;
  }
  token.id = settings.vocabulary.id(token.content).value_or(-1);
  if (token.id < 0) token.id = next_free_id(settings);
  settings.next_added_id = std::max(settings.next_added_id, token.id + 1);
  settings.added_tokens.push_back(std::move(token));
}

void note_other_ids(const std::vector<OtherId>& others, std::string_view file, std::vector<std::string>& notices) {
  constexpr size_t kMost = 10;
  for (size_t i = 0; i < std::min(others.size(), kMost); ++i) {
    notices.push_back(fmt::format("added token '{}' has id {}, not the {} that {} gives it",
                                  printable(others[i].content), others[i].id, others[i].written, file));
  }
  if (others.size() > kMost) {
    notices.push_back(
        fmt::format("{} more added tokens have other ids than {} gives them", others.size() - kMost, file));
  }
}

}  // namespace summand::text
