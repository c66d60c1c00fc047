#include "text/decoder.hpp"

#include <array>
#include <utility>

namespace summand::text {

namespace {

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  size_t found = text.find(from);
  if (found == std::string::npos) return;
  std::string replaced;
  size_t done = 0;
  for (; found != std::string::npos; found = text.find(from, done)) {
    replaced.append(text, done, found - done).append(to);
    done = found + from.size();
  }
  text = replaced.append(text, done);
}

using Rule = std::pair<std::string_view, std::string_view>;

/// One after another, each over the whole text. " do not" is the first reference's alone.
/// Source: the decoder WordPiece of tokenizers 0.23.3; clean_up_tokenization of transformers 5.24
constexpr std::array<Rule, 11> kRules{{{" .", "."},
                                       {" ?", "?"},
                                       {" !", "!"},
                                       {" ,", ","},
                                       {" ' ", "'"},
                                       {" n't", "n't"},
                                       {" 'm", "'m"},
                                       {" do not", " don't"},
                                       {" 's", "'s"},
                                       {" 've", "'ve"},
                                       {" 're", "'re"}}};
constexpr Rule kOfTokensAlone = kRules[7];

// Over the whole token with the space before it.
void clean_up(std::string& token) {
  for (const auto& [from, to] : kRules) replace_all(token, from, to);
}

}  // namespace

void clean_up_spaces(std::string& text) {
  for (const Rule& rule : kRules) {
    if (rule != kOfTokensAlone) replace_all(text, rule.first, rule.second);
  }
}

std::string decode_tokens(const std::vector<std::string_view>& tokens, const std::optional<DecoderSettings>& settings) {
  std::string text;
  bool first = true;
  for (const std::string_view token : tokens) {
    std::string piece;
    if (first) {
      piece = token;
    } else if (settings && token.starts_with(settings->prefix)) {
      piece = token.substr(settings->prefix.size());
    } else {
      piece = " ";
      piece += token;
    }
    if (settings && settings->cleanup) clean_up(piece);
    text += piece;
    first = false;
  }
  return text;
}

}  // namespace summand::text
