#include "text/tokenizer_files.hpp"

#include <nlohmann/json.hpp>

namespace summand::text {

namespace {

using OrderedJson = nlohmann::ordered_json;  // in the order in which other programs write the keys

OrderedJson added_tokens() {
  OrderedJson list = OrderedJson::array();
  for (const std::string_view token : kSpecialTokens) {
    list.push_back({{"id", list.size()},
                    {"content", token},
                    {"single_word", false},
                    {"lstrip", false},
                    {"rstrip", false},
                    {"normalized", false},
                    {"special", true}});
  }
  return list;
}

OrderedJson tokenizer(std::span<const std::string> tokens, bool lowercase) {
  auto json = OrderedJson::parse(R"({
    "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
    "normalizer": {"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]},
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": true},
    "model": {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
              "max_input_chars_per_word": 100}
  })");
  json["added_tokens"] = added_tokens();
  json["normalizer"]["lowercase"] = lowercase;
  OrderedJson::object_t vocabulary;
  vocabulary.reserve(tokens.size());
  // Appended, since an ordered object would look for each name among those before it.
  for (const std::string& token : tokens) vocabulary.Container::emplace_back(token, vocabulary.size());
  json["model"]["vocab"] = std::move(vocabulary);
  return json;
}

OrderedJson config(bool lowercase) {
  return {{"tokenizer_class", "BertTokenizer"},
          {"do_lower_case", lowercase},
          {"strip_accents", nullptr},
          {"tokenize_chinese_chars", true},
          {"pad_token", "[PAD]"},
          {"unk_token", "[UNK]"},
          {"cls_token", "[CLS]"},
          {"sep_token", "[SEP]"},
          {"mask_token", "[MASK]"}};
}

std::string lines(std::span<const std::string> tokens) {
  std::string content;
  for (const std::string& token : tokens) content += token + "\n";
  return content;
}

}  // namespace

std::vector<TokenizerFile> tokenizer_files(std::span<const std::string> tokens, Lowercase lowercase) {
  const bool lowers = lowercase == Lowercase::yes;
  return {{"vocab.txt", lines(tokens)},
          {"tokenizer.json", tokenizer(tokens, lowers).dump(2) + "\n"},
          {"tokenizer_config.json", config(lowers).dump(2) + "\n"}};
}

}  // namespace summand::text
