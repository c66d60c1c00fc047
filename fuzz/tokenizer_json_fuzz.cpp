// Bytes as tokenizer.json, or, behind "%% " lines, as any of the files of both layouts.
#include <array>
#include <optional>

#include "base/hash.hpp"
#include "base/utf8.hpp"
#include "target.hpp"
#include "text/tokenizer.hpp"
#include "text/tokenizer_settings.hpp"

using namespace summand;

namespace {

constexpr std::array<std::string_view, 6> kFiles{"tokenizer.json",          "tokenizer_config.json", "vocab.txt",
                                                 "special_tokens_map.json", "added_tokens.json",     "config.json"};

/// The tables for all of Unicode cost milliseconds, so that only some inputs get them.
constexpr uint64_t kWholeTokenizers = 16;

void check_settings(const text::TokenizerSettings& settings) {
  for (const std::string& notice : settings.notices) fuzz::expect(test::is_one_line(notice), "a notice is one line");
  for (const auto& [token, id] : settings.vocabulary.tokens()) {
    fuzz::expect(settings.vocabulary.token(id) == token, "a token is found by its id");
  }
  for (const text::AddedToken& token : settings.added_tokens) {
    fuzz::expect(token.id >= 0 && !token.normal_form.empty(), "an added token has an id and a form");
  }
}

void use(const text::Tokenizer& tokenizer) {
  const std::string input = "Hello unaffable [MASK] \xE4\xB8\xAD\xC3\xA9\xCC\x81 x";
  fuzz::accepts([&] {
    const text::Encoding encoding = tokenizer.encode(input);
    for (const auto [begin, end] : encoding.offsets) {
      fuzz::expect(begin <= end && end <= input.size(), "offsets lie in the text");
    }
    fuzz::expect(is_valid_utf8(tokenizer.decode(encoding.ids, text::SpecialTokens::add)), "decoding gives UTF-8");
    (void)tokenizer.encode_pair(input, input, {.max_length = 12});
  });
  for (const auto id :
       {tokenizer.pad_id(), tokenizer.unk_id(), tokenizer.cls_id(), tokenizer.sep_id(), tokenizer.mask_id()}) {
    fuzz::expect(!id || static_cast<size_t>(*id) < tokenizer.vocabulary_size(), "named tokens are in the vocabulary");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  folder.fill(fuzz::parts_of(input, kFiles[0]), kFiles);
  Hash hash;
  hash.add(input);
  const bool whole = hash.value() % kWholeTokenizers == 0;
  fuzz::accepts([&] {
    if (whole) {
      use(text::Tokenizer::load(folder.path()));
    } else {
      check_settings(text::read_tokenizer_folder(folder.path()));
    }
  });
  return 0;
}
