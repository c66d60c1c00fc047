// Reads a folder's tokenizer as AutoTokenizer of transformers 5.24 does.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "text/special_files.hpp"
#include "text/tokenizer_class.hpp"
#include "text/tokenizer_config.hpp"
#include "text/tokenizer_difference.hpp"
#include "text/tokenizer_json.hpp"
#include "text/tokenizer_settings.hpp"

namespace summand::text {

namespace {

TokenizerSettings settings_for(Vocabulary vocabulary, const SpecialNames& names) {
  return {.vocabulary = std::move(vocabulary),
          .normalizer = {},
          .word_piece = {.unk_token = *names.unk},
          .added_tokens = {},
          .templates = {},
          .decoder = DecoderSettings{},
          .names = names,
          .model_max_length = {},
          .notices = {}};
}

/// Adds the tokens of the files, and puts the class and separator tokens around texts.
void finish_as_bert(const SpecialFiles& files, TokenizerSettings& settings) {
  add_tokens(files, settings);
  const auto id_of = [&settings](const std::string& content) {
    return settings.added_tokens[settings.added_places.at(content)].id;
  };
  settings.templates = SpecialTemplates::bert(id_of(*settings.names.cls), id_of(*settings.names.sep));
}

/// All but the vocabulary and its added tokens comes from tokenizer_config.json or is BERT's.
TokenizerSettings read_as_bert(const std::filesystem::path& directory, const TokenizerOrigin& origin) {
  const auto& [chosen, config, json] = origin;
  const auto of_json = json ? json->added_tokens() : std::vector<WrittenToken>();
  SpecialFiles files = read_special_files(directory, config, of_json);
  const SpecialNames names = names_with_defaults(config, files);
  auto settings = settings_for(json ? json->vocabulary() : Vocabulary::read(directory / "vocab.txt"), names);
  if (config) {
    settings.normalizer.lowercase = !chosen.reads_casing || config->boolean("do_lower_case").value_or(true);
    settings.normalizer.handle_chinese_chars = config->boolean("tokenize_chinese_chars").value_or(true);
    settings.normalizer.strip_accents = config->boolean("strip_accents").value_or(settings.normalizer.lowercase);
  }
  finish_as_bert(files, settings);
  return settings;
}

/// The tokens of tokenizer.json in its own order.
void add_as_written(const TokenizerJson& json, TokenizerSettings& settings) {
  std::vector<OtherId> others;
  for (auto& [written, token] : json.added_tokens()) {
    const std::string content = token.content;
    add_token(settings, token);
    const auto place = settings.added_places.find(content);
    if (place == settings.added_places.end()) continue;
    const int32_t id = settings.added_tokens[place->second].id;
    if (static_cast<uint64_t>(id) != written) others.push_back({content, id, written});
  }
  note_other_ids(others, json.file().where(), settings.notices);
}

/// Padding names the token that pads, where tokenizer_config.json says nothing of it.
void take_padding_token(const TokenizerJson& json, const std::optional<JsonObject>& config, SpecialFiles& files) {
  const auto token = json.padding_token();
  if (!token || (config && config->json().contains("pad_token"))) return;
  files.named.emplace("pad_token", AddedToken{.content = *token, .special = true, .normalized = false});
}

/// All that tokenizer.json says, but the tokens of the other files.
TokenizerSettings settings_of(const TokenizerJson& json) {
  const WordPieceSettings word_piece = json.word_piece();
  TokenizerSettings settings{.vocabulary = json.vocabulary(),
                             .normalizer = json.normalizer(),
                             .word_piece = word_piece,
                             .added_tokens = {},
                             .templates = {},
                             .decoder = json.decoder(),
                             .names = {},
                             .model_max_length = {},
                             .notices = {}};
  settings.word_split = json.word_split();
  add_as_written(json, settings);
  return settings;
}

/// tokenizer.json unchanged, plus the special and added tokens of the other files.
TokenizerSettings read_as_it_stands(const std::filesystem::path& directory, const std::optional<JsonObject>& config,
                                    const TokenizerJson& json) {
  TokenizerSettings settings = settings_of(json);
  settings.templates = json.templates();
  SpecialFiles files = read_special_files(directory, config, json.added_tokens());
  take_padding_token(json, config, files);
  add_tokens(files, settings);
  settings.names = names_without_defaults(files);
  settings.names.unk = settings.word_piece.unk_token;
  return settings;
}

/// The same with BERT's names for special tokens, and BERT's tokens around texts.
TokenizerSettings read_with_bert_tokens(const std::filesystem::path& directory, const std::optional<JsonObject>& config,
                                        const TokenizerJson& json) {
  TokenizerSettings settings = settings_of(json);
  SpecialFiles files = read_special_files(directory, config, json.added_tokens());
  settings.names = names_with_defaults(config, files);
  finish_as_bert(files, settings);
  return settings;
}

TokenizerSettings read_as_chosen(const std::filesystem::path& directory, const TokenizerOrigin& origin) {
  switch (origin.chosen.source) {
    case TokenizerSource::bert_settings:
      return read_as_bert(directory, origin);
    case TokenizerSource::tokenizer_json:
      return read_as_it_stands(directory, origin.config, *origin.json);
    case TokenizerSource::json_with_bert_tokens:
      return read_with_bert_tokens(directory, origin.config, *origin.json);
  }
  __builtin_unreachable();
}

TruncationSide truncation_side(const std::optional<JsonObject>& config, const std::optional<TokenizerJson>& json) {
  auto side = config ? config->string("truncation_side") : std::nullopt;
  if (side && side != "left" && side != "right") config->refuse("truncation_side", "left or right");
  if (!side && json && json->truncation_direction() == "Left") side = "left";
  return side == "left" ? TruncationSide::beginning : TruncationSide::end;
}

/// Whether the model is fed segments.
bool has_segments(const std::optional<JsonObject>& config, const TokenizerClass& chosen) {
  const Json* const inputs = config ? config->find("model_input_names") : nullptr;
  if (!inputs) return chosen.tells_segments;
  if (!inputs->is_array()) config->refuse("model_input_names", "a list of names");
  return std::ranges::find(*inputs, Json("token_type_ids")) != inputs->end();
}

void leave_out_segments(SpecialTemplates& templates) {
  for (auto* const special : {&templates.single, &templates.pair}) {
    for (auto& piece : special->pieces) piece.segment = 0;
  }
}

/// What tokenizer_config.json says to every class.
void take_config(const JsonObject& config, TokenizerSettings& settings) {
  settings.model_max_length = read_model_max_length(config);
  settings.cleans_up_decoded = config.boolean("clean_up_tokenization_spaces").value_or(false);
  if (config.boolean("split_special_tokens").value_or(false)) {
    settings.special_tokens_in_text = SpecialTokensInText::split;
  }
  if (config.has("fast_tokenizer_files")) config.refuse_setting("fast_tokenizer_files");
}

void note_left_out(const JsonObject& file, std::vector<std::string>& notices) {
  for (const std::string_view key : {"truncation", "padding"}) {
    if (!file.find(key)) continue;
    notices.push_back(fmt::format("{}: its settings for {} are left to the program's own options", file.where(), key));
  }
}

}  // namespace

TokenizerSettings read_tokenizer_folder(const std::filesystem::path& directory) {
  const bool has_json = is_there(directory / "tokenizer.json");
  if (!has_json && !is_there(directory / "vocab.txt")) {
    throw IoError(path_text(directory), "expected a directory with tokenizer.json or vocab.txt, got neither file");
  }
  const auto config = read_config(directory);
  const auto chosen = tokenizer_class(
      directory, config, has_json ? TokenizerFiles::with_tokenizer_json : TokenizerFiles::vocabulary_alone);
  std::optional<TokenizerJson> json;
  if (has_json) json.emplace(directory / "tokenizer.json");
  const TokenizerOrigin origin{chosen, config, json};
  auto settings = read_as_chosen(directory, origin);
  settings.class_name = chosen.name;
  settings.truncation_side = truncation_side(config, json);
  if (config) take_config(*config, settings);
  if (!has_segments(config, chosen)) leave_out_segments(settings.templates);
  if (json) note_left_out(json->file(), settings.notices);
  settings.difference = describe_difference(directory, origin, settings);
  if (settings.difference) settings.notices.push_back(*settings.difference);
  return settings;
}

TokenizerSettings read_bare_vocabulary(const std::filesystem::path& vocab_txt, Lowercase lowercase) {
  SpecialFiles files;
  const SpecialNames names = names_with_defaults(std::nullopt, files);
  TokenizerSettings settings = settings_for(Vocabulary::read(vocab_txt), names);
  settings.normalizer.lowercase = lowercase == Lowercase::yes;
  settings.normalizer.strip_accents = settings.normalizer.lowercase;
  finish_as_bert(files, settings);
  return settings;
}

}  // namespace summand::text
