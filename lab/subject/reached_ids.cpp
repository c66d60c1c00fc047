#include "lab/subject/reached_ids.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/normalizer.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// What a tokenizer makes of texts, one at a time.
class AskedTokenizer {
 public:
  explicit AskedTokenizer(const text::Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  [[nodiscard]] const text::Tokenizer& tokenizer() const { return tokenizer_; }

  [[nodiscard]] bool gives(std::string_view text, int32_t id) {
    encode(text);
    return std::ranges::count(encoding_.ids, id) > 0;
  }
  [[nodiscard]] bool keeps_together(std::string_view text) {
    encode(text);
    return std::ranges::all_of(encoding_.words, [](int32_t word) { return word == 0; });
  }

 private:
  void encode(std::string_view text) {
    try {
      tokenizer_.encode_into(text, {.special_tokens = SpecialTokens::omit}, workspace_, encoding_);
    } catch (const TextError&) {  // no token stands for what the vocabulary lacks
      encoding_ = {};
    }
  }

  const text::Tokenizer& tokenizer_;
  text::Tokenizer::Workspace workspace_;
  text::Encoding encoding_;
};

bool is_one_character(std::string_view token) {
  return !token.empty() && decode_utf8(token).bytes == token.size();
}

/// Single characters of the vocabulary that go on with what follows.
std::vector<std::string> beginnings(AskedTokenizer& asked, int32_t ids) {
  std::vector<std::string> characters;
  for (int32_t id = 0; id < ids; ++id) {
    const std::string character(asked.tokenizer().token(id));
    if (is_one_character(character) && asked.gives(character, id) && asked.keeps_together(character + character)) {
      characters.push_back(character);
    }
  }
  return characters;
}

/// @param rest  of a word, without the sign that it continues one
bool continues_a_word(AskedTokenizer& asked, const std::vector<std::string>& before, const std::string& rest,
                      int32_t id) {
  if (before.empty() || text::normalize(rest, asked.tokenizer().normalizer()).text != rest) return false;
  if (!asked.keeps_together(before.front() + rest)) return false;
  return std::ranges::any_of(before, [&](const std::string& character) { return asked.gives(character + rest, id); });
}

std::vector<bool> put_in_by_the_program(const text::Tokenizer& tokenizer, int32_t ids) {
  std::vector<bool> special(static_cast<size_t>(ids));
  for (const auto& id : {tokenizer.cls_id(), tokenizer.sep_id(), tokenizer.unk_id(), tokenizer.mask_id()}) {
    if (id && *id < ids) special[static_cast<size_t>(*id)] = true;
  }
  for (const int32_t id : tokenizer.encode_pair("", "").ids) {
    if (id < ids) special[static_cast<size_t>(id)] = true;
  }
  return special;
}

}  // namespace

std::optional<int32_t> mask_id(const text::Tokenizer& tokenizer, Index rows) {
  const auto id = tokenizer.mask_id();
  return id && *id < rows ? id : std::nullopt;
}

std::vector<Index> reached_ids(const text::Tokenizer& tokenizer, Index rows) {
  const auto ids = static_cast<int32_t>(std::min(rows, static_cast<Index>(tokenizer.vocabulary_size())));
  const std::string_view continuing = tokenizer.continuing_prefix();
  const auto special = put_in_by_the_program(tokenizer, ids);
  AskedTokenizer asked(tokenizer);
  const auto before = beginnings(asked, ids);
  std::vector<Index> reached;
  for (int32_t id = 0; id < ids; ++id) {
    const std::string_view token = tokenizer.token(id);
    if (token.empty()) continue;
    const bool may_continue = token.size() > continuing.size() && token.starts_with(continuing);
    if (special[static_cast<size_t>(id)] || asked.gives(token, id) ||
        (may_continue && continues_a_word(asked, before, std::string(token.substr(continuing.size())), id))) {
      reached.push_back(id);
    }
  }
  return reached;
}

Index reached_segments(const text::Tokenizer& tokenizer, Index rows) {
  const auto ids = tokenizer.encode_pair("", "").segments;
  const int32_t last = ids.empty() ? 0 : *std::ranges::max_element(ids);
  return std::min(rows, static_cast<Index>(last) + 1);
}

}  // namespace summand::lab
