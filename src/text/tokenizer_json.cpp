// Reads tokenizer.json, the file of `tokenizers`.
#include <fmt/format.h>

#include <array>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "text/tokenizer_config.hpp"
#include "text/tokenizer_settings.hpp"

namespace summand::text {

namespace {

bool required_flag(const JsonObject& object, std::string_view key) {
  return object.require(key, object.boolean(key), "true or false");
}

std::string required_string(const JsonObject& object, std::string_view key) {
  return object.require(key, object.string(key), "a string");
}

bool is_id(const Json& value) {
  constexpr uint64_t kMost = std::numeric_limits<int32_t>::max();
  return value.is_number_unsigned() && value.get<uint64_t>() <= kMost;
}

[[noreturn]] void refuse_id(const JsonObject& object, std::string_view key, const Json& value) {
  object.refuse(key, "an id", value);
}

int32_t to_id(const JsonObject& object, std::string_view key, const Json& value) {
  if (!is_id(value)) refuse_id(object, key, value);
  return value.get<int32_t>();
}

void require_type(const JsonObject& object, std::string_view type) {
  if (object.string("type") != type) object.refuse("type", type);
}

NormalizerSettings read_normalizer(const JsonObject& file) {
  const auto object = file.object("normalizer");
  if (!object) return {false, false, false, false};
  require_type(*object, "BertNormalizer");
  NormalizerSettings settings;
  settings.clean_text = required_flag(*object, "clean_text");
  settings.handle_chinese_chars = required_flag(*object, "handle_chinese_chars");
  settings.lowercase = required_flag(*object, "lowercase");
  settings.strip_accents = object->boolean("strip_accents").value_or(settings.lowercase);
  return settings;
}

void check_pre_tokenizer(const JsonObject& file) {
  const auto object = file.object("pre_tokenizer");
  if (!object) file.refuse("pre_tokenizer", "BertPreTokenizer");
  require_type(*object, "BertPreTokenizer");
}

/// @param members  of the vocabulary
Vocabulary read_vocabulary(const JsonObject& model, std::span<const JsonMember> members) {
  const auto object = model.object("vocab");
  if (!object) model.refuse("vocab", "an object of tokens and ids");
  std::vector<Vocabulary::Token> tokens;
  tokens.reserve(members.size());
  std::map<std::string_view, const Json*> without_id;  // of a token that stands twice the last counts
  for (const auto& [token, id] : members) {
    if (is_id(id)) {
      tokens.push_back({token, id.get<int32_t>()});
      without_id.erase(token);
    } else {
      without_id[token] = &id;
    }
  }
  for (const auto& [token, id] : without_id) refuse_id(*object, token, *id);
  return {tokens, model.where()};
}

WordPieceSettings read_word_piece(const JsonObject& model) {
  if (model.find("type")) require_type(model, "WordPiece");
  return {.unk_token = required_string(model, "unk_token"),
          .continuing_subword_prefix = required_string(model, "continuing_subword_prefix"),
          .max_input_chars_per_word =
              model.require("max_input_chars_per_word", model.number("max_input_chars_per_word"), "a whole number")};
}

std::optional<DecoderSettings> read_decoder(const JsonObject& file) {
  const auto object = file.object("decoder");
  if (!object) return std::nullopt;
  require_type(*object, "WordPiece");
  return DecoderSettings{required_string(*object, "prefix"), required_flag(*object, "cleanup")};
}

// "sep": ["[SEP]", 102]
int32_t named_id(const JsonObject& object, std::string_view key) {
  const Json* value = object.find(key);
  if (!value || !value->is_array() || value->size() != 2) object.refuse(key, "a token and its id");
  return to_id(object, key, value->at(1));
}

std::vector<int32_t> special_ids(const JsonObject& special_tokens, const std::string& name) {
  const auto object = special_tokens.object(name);
  if (!object) special_tokens.refuse(name, "the special token that the template uses");
  const Json* values = object->find("ids");
  if (!values || !values->is_array()) object->refuse("ids", "a list of ids");
  std::vector<int32_t> ids;
  for (const Json& value : *values) ids.push_back(to_id(*object, "ids", value));
  return ids;
}

enum class Texts { one, two };

SpecialTemplate read_template(const JsonObject& object, std::string_view key, Texts texts) {
  const Json* values = object.find(key);
  if (!values || !values->is_array()) object.refuse(key, "a list of pieces");
  const auto special_tokens = object.object("special_tokens");
  if (!special_tokens) object.refuse("special_tokens", "an object");
  SpecialTemplate result;
  for (const Json& value : *values) {
    const JsonObject piece = object.below(key, value);
    const auto sequence = piece.object("Sequence");
    const auto special = piece.object("SpecialToken");
    if (!sequence && !special) object.refuse(key, "pieces Sequence or SpecialToken");
    const JsonObject& content = sequence ? *sequence : *special;
    const Json* type = content.find("type_id");
    if (!type) content.refuse("type_id", "a segment");
    SpecialTemplate::Piece& added = result.pieces.emplace_back();
    added.segment = to_id(content, "type_id", *type);
    const std::string id = required_string(content, "id");
    if (special) {
      added.kind = SpecialTemplate::Kind::special;
      added.ids = special_ids(*special_tokens, id);
    } else {
      if (id != "A" && (id != "B" || texts == Texts::one)) content.refuse("id", texts == Texts::one ? "A" : "A or B");
      added.kind = id == "A" ? SpecialTemplate::Kind::first : SpecialTemplate::Kind::second;
    }
  }
  return result;
}

SpecialTemplates read_templates(const JsonObject& file) {
  const auto object = file.object("post_processor");
  if (!object) return SpecialTemplates::bare();
  const auto type = object->string("type");
  if (type == "BertProcessing") return SpecialTemplates::bert(named_id(*object, "cls"), named_id(*object, "sep"));
  if (type != "TemplateProcessing") object->refuse("type", "BertProcessing or TemplateProcessing");
  return {read_template(*object, "single", Texts::one), read_template(*object, "pair", Texts::two)};
}

void read_added_tokens(const JsonObject& file, TokenizerSettings& settings) {
  const Json* values = file.find("added_tokens");
  if (!values) return;
  if (!values->is_array()) file.refuse("added_tokens", "a list");
  std::vector<OtherId> others;
  for (const Json& value : *values) {
    const JsonObject object = file.below("added_tokens", value);
    const std::string content = required_string(object, "content");
    add_token(settings, {.content = content,
                         .special = required_flag(object, "special"),
                         .single_word = required_flag(object, "single_word"),
                         .lstrip = required_flag(object, "lstrip"),
                         .rstrip = required_flag(object, "rstrip"),
                         .normalized = required_flag(object, "normalized")});
    const auto written = object.require("id", object.number("id"), "an id");
    const auto place = settings.added_places.find(content);
    if (place == settings.added_places.end()) continue;
    const AddedToken& added = settings.added_tokens[place->second];
    if (static_cast<uint64_t>(added.id) != written) others.push_back({content, added.id, written});
  }
  note_other_ids(others, file.where(), settings.notices);
}

void note_ignored(const JsonObject& file, std::vector<std::string>& notices) {
  for (const std::string_view key : {"truncation", "padding"}) {
    if (!file.find(key)) continue;
    notices.push_back(fmt::format("{}: its settings for {} are left to the program's own options", file.where(), key));
  }
}

void take_config(const JsonObject& config, TokenizerSettings& settings) {
  read_names(config, settings.names);
  settings.model_max_length = read_model_max_length(config);
  const auto lowercase = config.boolean("do_lower_case");
  if (!lowercase || *lowercase == settings.normalizer.lowercase) return;
  settings.notices.push_back(
      fmt::format("do_lower_case in {} is ignored: tokenizer.json says otherwise", config.where()));
}

}  // namespace

TokenizerSettings read_tokenizer_json(const std::filesystem::path& directory) {
  const std::filesystem::path path = directory / "tokenizer.json";
  constexpr std::array<std::string_view, 2> kVocabulary{"model", "vocab"};
  auto [document, vocabulary] =
      parse_json_with_members(read_json_text(path, kLongestTokenizer), path_text(path), kVocabulary);
  const JsonObject file(std::move(document), path_text(path));
  if (const auto version = file.string("version"); version && version != "1.0") file.refuse("version", "1.0");
  const auto model = file.object("model");
  if (!model) file.refuse("model", "WordPiece");
  const WordPieceSettings word_piece = read_word_piece(*model);
  check_pre_tokenizer(file);
  TokenizerSettings settings{.vocabulary = read_vocabulary(*model, vocabulary),
                             .normalizer = read_normalizer(file),
                             .word_piece = word_piece,
                             .added_tokens = {},
                             .templates = read_templates(file),
                             .decoder = read_decoder(file),
                             .names = {},
                             .model_max_length = {},
                             .notices = {}};
  settings.names.unk = word_piece.unk_token;
  note_ignored(file, settings.notices);
  read_added_tokens(file, settings);
  if (const auto config = read_config(directory)) take_config(*config, settings);
  return settings;
}

}  // namespace summand::text
