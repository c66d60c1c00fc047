#include "text/tokenizer_class.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace summand::text {

namespace {

constexpr std::string_view kDistilBert = "DistilBertTokenizer";

/// BertTokenizer under another name, or with nothing changed but what DistilBERT is fed.
constexpr std::array<std::string_view, 7> kOfBert{
    "BertTokenizer",        kDistilBert,       "ElectraTokenizer", "MobileBertTokenizer",
    "SqueezeBertTokenizer", "LxmertTokenizer", "LayoutLMTokenizer"};

/// Derived from it with a beginning of their own, which drops do_lower_case.
constexpr std::array<std::string_view, 2> kOfDpr{"DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer"};

/// Derived from it with none, so that they take tokenizer.json for all but the special tokens.
constexpr std::array<std::string_view, 4> kDerived{"ConvBertTokenizer", "ConvBertTokenizerFast",
                                                   "DPRContextEncoderTokenizerFast", "DPRQuestionEncoderTokenizerFast"};

/// The class that reads tokenizer.json, and the names that lead to it.
constexpr std::string_view kOfFile = "TokenizersBackend";
constexpr std::array<std::string_view, 4> kNamesOfFile{kOfFile, "PreTrainedTokenizerFast", "PreTrainedTokenizer",
                                                       "PythonBackend"};

template <size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view without_fast(std::string_view name) {
  if (name.ends_with("Fast")) name.remove_suffix(4);
  return name;
}

TokenizerClass class_of_file(std::string_view name) {
  return {.source = TokenizerSource::tokenizer_json, .name = std::string(name), .tells_segments = false};
}

TokenizerClass class_of_bert(std::string_view name) {
  return {.source = TokenizerSource::bert_settings,
          .name = std::string(name),
          .tells_segments = without_fast(name) != kDistilBert};
}

TokenizerClass dpr_class(std::string_view name) {
  TokenizerClass result = class_of_bert(name);
  result.reads_casing = false;
  return result;
}

/// Where a class is named.
struct Folder {
  TokenizerFiles files;
  bool is_of_bert;  ///< by the model_type of config.json
};

TokenizerClass derived_class(std::string_view name, const Folder& folder) {
  TokenizerClass result = class_of_bert(name);
  if (folder.files == TokenizerFiles::with_tokenizer_json) result.source = TokenizerSource::json_with_bert_tokens;
  return result;
}

/// @param object  tokenizer_config.json or config.json
std::optional<TokenizerClass> named_class(const JsonObject& object, const Folder& folder) {
  const auto name = object.string("tokenizer_class");
  if (!name) return std::nullopt;
  if (is_among(kOfBert, without_fast(*name))) return class_of_bert(*name);
  // For a model other than a BERT, "Fast" is dropped from the name.
  if (is_among(kOfDpr, folder.is_of_bert ? *name : without_fast(*name))) return dpr_class(*name);
  if (is_among(kDerived, *name)) return derived_class(*name, folder);
  if (is_among(kNamesOfFile, *name)) return class_of_file(*name);
  object.refuse("tokenizer_class", "BertTokenizer or another that splits texts as BERT's");
}

void refuse_other(const JsonObject& object, std::string_view key, std::string_view expected) {
  const Json* const value = object.find(key);
  if (value && *value != expected) object.refuse(key, "\"" + std::string(expected) + "\"");
}

/// A list's first string: of the two places, slow and fast, one may be null.
const Json& first_name(const Json& code) {
  if (!code.is_array()) return code;
  const auto named = std::ranges::find_if(code, [](const Json& value) { return value.is_string(); });
  return named == code.end() ? code : *named;
}

/// What BertJapaneseTokenizer has, and code that comes with the folder.
void check_others(const JsonObject& object) {
  refuse_other(object, "word_tokenizer_type", "basic");
  refuse_other(object, "subword_tokenizer_type", "wordpiece");
  const Json* const map = object.find("auto_map");
  if (!map) return;
  const bool is_list = map->is_array();  // an older form, of tokenizer_config.json alone
  if (is_list || (map->is_object() && map->contains("AutoTokenizer"))) {
    const Json& code = is_list ? *map : map->at("AutoTokenizer");
    if (!code.is_null()) object.refuse("auto_map", "no tokenizer of its own code", first_name(code));
  }
}

/// Model types for which transformers takes BertTokenizer if no file names a class.
constexpr std::array<std::string_view, 28> kTypesOfBert{
    "align",   "bark",          "blip",        "bros",  "chinese_clip", "convbert",          "distilbert",
    "electra", "ernie",         "flava",       "git",   "bert",         "grounding-dino",    "layoutlm",
    "lxmert",  "megatron-bert", "mobilebert",  "nezha", "nomic_bert",   "mm-grounding-dino", "qdqbert",
    "realm",   "retribert",     "squeezebert", "tvp",   "vilt",         "visual_bert",       "summand-bert"};

/// @param model  config.json
void check_type(const JsonObject& model) {
  const auto type = model.string("model_type");
  if (type && !is_among(kTypesOfBert, *type)) {
    model.refuse("model_type", "bert or another whose tokenizer is BERT's, or a tokenizer_class");
  }
}

/// A BERT's variant keeps the tokenizer that it had before its file said that it is one.
bool is_bert_type(const JsonObject& model) {
  const Json* const type = model.find("model_type");
  return type && (*type == "bert" || *type == "summand-bert");
}

}  // namespace

TokenizerClass tokenizer_class(const std::filesystem::path& directory, const std::optional<JsonObject>& config,
                               TokenizerFiles files) {
  const auto model = read_json_object(directory / "config.json");
  if (config) check_others(*config);
  if (model) check_others(*model);
  const Folder folder{files, model && is_bert_type(*model)};
  auto named = config ? named_class(*config, folder) : std::nullopt;
  const auto by_model = model ? named_class(*model, folder) : std::nullopt;
  const JsonObject* const by = named ? &*config : by_model ? &*model : nullptr;
  if (!named) named = by_model;
  if (named && named->source == TokenizerSource::tokenizer_json && files == TokenizerFiles::vocabulary_alone) {
    by->refuse("tokenizer_class", "BertTokenizer, or a tokenizer.json next to vocab.txt");
  }
  if (named) return *std::move(named);
  if (model) check_type(*model);
  if (folder.is_of_bert || files == TokenizerFiles::vocabulary_alone) return class_of_bert("BertTokenizer");
  return {.source = TokenizerSource::tokenizer_json, .name = {}, .tells_segments = true};
}

}  // namespace summand::text
