#include "text/tokenizer_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "base/paths.hpp"

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

NormalizerSettings bert_normalizer(const JsonObject& object) {
  NormalizerSettings settings;
  settings.clean_text = required_flag(object, "clean_text");
  settings.handle_chinese_chars = required_flag(object, "handle_chinese_chars");
  settings.lowercase = required_flag(object, "lowercase");
  settings.strip_accents = object.boolean("strip_accents").value_or(settings.lowercase);
  return settings;
}

/// The steps of a single normaliser or of a Sequence.
void add_steps(const JsonObject& object, std::vector<NormalizerStep>& steps) {
  const auto type = object.string("type");
  if (type == "NFD") {
    steps.push_back(NormalizerStep::decompose);
  } else if (type == "Lowercase") {
    steps.push_back(NormalizerStep::lowercase);
  } else if (type == "StripAccents") {
    steps.push_back(NormalizerStep::strip_marks);
  } else if (type == "BertNormalizer") {
    const auto bert = bert_normalizer(object).in_order();
    steps.insert(steps.end(), bert.begin(), bert.end());
  } else if (type == "Sequence") {
    const Json* const list = object.find("normalizers");
    if (!list || !list->is_array()) object.refuse("normalizers", "a list of normalizers");
    for (const Json& value : *list) add_steps(object.below("normalizers", value), steps);
  } else {
    object.refuse("type", "BertNormalizer, NFD, Lowercase, StripAccents or a Sequence of these");
  }
}

/// @param members  of the vocabulary
Vocabulary read_vocabulary(const JsonObject& model, std::span<const JsonMember> members) {
  const auto object = model.object("vocab");
  if (!object) model.refuse("vocab", "an object of tokens and ids");
  std::vector<Vocabulary::Token> tokens;
  tokens.reserve(members.size());
  std::map<std::string_view, const Json*> without_id;  // the last of duplicates counts
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

JsonWithMembers parsed(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 2> kVocabulary{"model", "vocab"};
  return parse_json_with_members(read_json_text(path, kLongestTokenizer), path_text(path), kVocabulary);
}

}  // namespace

TokenizerJson::TokenizerJson(const std::filesystem::path& path) : TokenizerJson(path_text(path), parsed(path)) {}

TokenizerJson::TokenizerJson(std::string where, JsonWithMembers read)
    : file_(std::move(read.document), std::move(where)), members_(std::move(read.members)) {
  if (const auto version = file_.string("version"); version && version != "1.0") file_.refuse("version", "1.0");
  if (!file_.has("model")) file_.refuse("model", "WordPiece");
  const JsonObject model = *file_.object("model");
  if (model.find("type")) require_type(model, "WordPiece");
}

Vocabulary TokenizerJson::vocabulary() const {
  return read_vocabulary(*file_.object("model"), members_);
}

WordPieceSettings TokenizerJson::word_piece() const {
  const JsonObject model = *file_.object("model");
  return {.unk_token = required_string(model, "unk_token"),
          .continuing_subword_prefix = required_string(model, "continuing_subword_prefix"),
          .max_input_chars_per_word =
              model.require("max_input_chars_per_word", model.number("max_input_chars_per_word"), "a whole number")};
}

NormalizerSettings TokenizerJson::normalizer() const {
  const auto object = file_.object("normalizer");
  if (!object) return {false, false, false, false};
  if (object->string("type") == "BertNormalizer") return bert_normalizer(*object);
  std::vector<NormalizerStep> steps;
  add_steps(*object, steps);
  NormalizerSettings settings{false, false, false, false};
  if (steps.size() > settings.steps.size()) {
    file_.refuse("normalizer", fmt::format("a normalizer of at most {} steps", settings.steps.size()));
  }
  std::ranges::copy(steps, settings.steps.begin());
  return settings;
}

WordSplit TokenizerJson::word_split() const {
  constexpr std::string_view kExpected = "BertPreTokenizer or Whitespace";
  const auto object = file_.object("pre_tokenizer");
  if (!object) file_.refuse("pre_tokenizer", kExpected);
  const auto type = object->string("type");
  if (type == "BertPreTokenizer") return WordSplit::bert;
  if (type == "Whitespace") return WordSplit::white_space;
  object->refuse("type", kExpected);
}

SpecialTemplates TokenizerJson::templates() const {
  const auto object = file_.object("post_processor");
  if (!object) return SpecialTemplates::bare();
  const auto type = object->string("type");
  if (type == "BertProcessing") return SpecialTemplates::bert(named_id(*object, "cls"), named_id(*object, "sep"));
  if (type != "TemplateProcessing") object->refuse("type", "BertProcessing or TemplateProcessing");
  return {read_template(*object, "single", Texts::one), read_template(*object, "pair", Texts::two)};
}

std::optional<DecoderSettings> TokenizerJson::decoder() const {
  const auto object = file_.object("decoder");
  if (!object) return std::nullopt;
  require_type(*object, "WordPiece");
  return DecoderSettings{required_string(*object, "prefix"), required_flag(*object, "cleanup")};
}

std::vector<WrittenToken> TokenizerJson::added_tokens() const {
  const Json* const values = file_.find("added_tokens");
  if (!values) return {};
  if (!values->is_array()) file_.refuse("added_tokens", "a list");
  std::vector<WrittenToken> tokens;
  tokens.reserve(values->size());
  for (const Json& value : *values) {
    const JsonObject object = file_.below("added_tokens", value);
    AddedToken token{.content = required_string(object, "content"),
                     .special = required_flag(object, "special"),
                     .single_word = required_flag(object, "single_word"),
                     .lstrip = required_flag(object, "lstrip"),
                     .rstrip = required_flag(object, "rstrip"),
                     .normalized = required_flag(object, "normalized")};
    tokens.push_back({object.require("id", object.number("id"), "an id"), std::move(token)});
  }
  return tokens;
}

std::optional<std::string> TokenizerJson::padding_token() const {
  const auto padding = file_.object("padding");
  return padding ? padding->string("pad_token") : std::nullopt;
}

std::optional<std::string> TokenizerJson::truncation_direction() const {
  const auto truncation = file_.object("truncation");
  return truncation ? truncation->string("direction") : std::nullopt;
}

}  // namespace summand::text
