// Reads vocab.txt and the files beside it, as BertTokenizer of transformers 5.23 does.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "text/tokenizer_config.hpp"
#include "text/tokenizer_settings.hpp"

namespace summand::text {

namespace {

constexpr std::array<std::string_view, 7> kNames{"bos_token", "eos_token", "unk_token", "sep_token",
                                                 "pad_token", "cls_token", "mask_token"};

// Whether a token whose file does not say so counts as special.
enum class Special { no, yes };

AddedToken special_token(std::string content) {
  return {.content = std::move(content), .special = true, .normalized = false};
}

// A token as a string, or as an object with flags.
AddedToken token_from(const JsonObject& object, std::string_view key, const Json& value, Special special) {
  if (value.is_string()) return special_token(value.get<std::string>());
  if (!value.is_object()) object.refuse(key, "a token", value);
  const JsonObject token = object.below(key, value);
  const bool is_special = special == Special::yes || token.boolean("special").value_or(false);
  return {.content = token.require("content", token.string("content"), "a token"),
          .special = is_special,
          .single_word = token.boolean("single_word").value_or(false),
          .lstrip = token.boolean("lstrip").value_or(false),
          .rstrip = token.boolean("rstrip").value_or(false),
          .normalized = token.boolean("normalized").value_or(!is_special)};
}

// Everything the files say about tokens, in the order in which the reference adds it.
struct SpecialFiles {
  std::map<uint64_t, AddedToken> by_id;     // added_tokens_decoder or added_tokens.json
  std::map<std::string, AddedToken> named;  // by "cls_token" and so on
  std::vector<AddedToken> model_specific;   // further keys that end in "_token"
  std::vector<AddedToken> extra;
};

bool is_name(std::string_view key) {
  return std::find(kNames.begin(), kNames.end(), key) != kNames.end();
}

void read_extra(const JsonObject& object, std::string_view key, SpecialFiles& files) {
  const Json* values = object.find(key);
  if (!values) return;
  if (!values->is_array() && !values->is_object()) object.refuse(key, "a list of tokens");
  std::vector<AddedToken>& list = values->is_array() ? files.extra : files.model_specific;
  for (const Json& value : *values) list.push_back(token_from(object, key, value, Special::yes));
}

void read_named(const JsonObject& object, Special special, SpecialFiles& files) {
  for (const auto& [key, value] : object.json().items()) {
    if (value.is_null()) continue;
    if (is_name(key)) {
      AddedToken token = token_from(object, key, value, special);
      const bool around_texts = key == "cls_token" || key == "sep_token";
      if (around_texts && token.content.empty()) object.refuse(key, "a token that is not empty");
      files.named.insert_or_assign(key, std::move(token));
    } else if (key.ends_with("_token") && value.is_string()) {
      files.model_specific.push_back(special_token(value.get<std::string>()));
    }
  }
}

void read_added_tokens_decoder(const JsonObject& config, SpecialFiles& files) {
  const auto decoder = config.object("added_tokens_decoder");
  for (const auto& [key, value] : decoder->json().items()) {
    const bool digits = !key.empty() && key.size() < 10 && key.find_first_not_of("0123456789") == key.npos;
    if (!digits || !value.is_object()) decoder->refuse(key, "an id with a token");
    files.by_id.emplace(std::stoull(key), token_from(*decoder, key, value, Special::no));
  }
}

void read_special_tokens_map(const std::filesystem::path& directory, SpecialFiles& files) {
  const auto object = read_json_object(directory / "special_tokens_map.json");
  if (!object) return;
  read_named(*object, Special::yes, files);
  read_extra(*object, "extra_special_tokens", files);
  if (files.extra.empty()) read_extra(*object, "additional_special_tokens", files);
}

void read_added_tokens_file(const std::filesystem::path& directory, SpecialFiles& files) {
  const auto object = read_json_object(directory / "added_tokens.json");
  if (!object) return;
  std::set<std::string> special;
  for (const auto& [name, token] : files.named) special.insert(token.content);
  for (const AddedToken& token : files.extra) special.insert(token.content);
  for (const auto& [content, id] : object->json().items()) {
    if (!id.is_number_unsigned()) object->refuse(content, "an id");
    const bool is_special = special.contains(content);
    files.by_id[id.get<uint64_t>()] = {.content = content, .special = is_special, .normalized = !is_special};
  }
}

SpecialFiles read_special_files(const std::filesystem::path& directory, const std::optional<JsonObject>& config) {
  SpecialFiles files;
  if (config) {
    read_named(*config, Special::no, files);
    read_extra(*config, "extra_special_tokens", files);
    if (files.extra.empty()) read_extra(*config, "additional_special_tokens", files);
  }
  if (config && config->find("added_tokens_decoder")) {
    read_added_tokens_decoder(*config, files);
  } else {
    read_special_tokens_map(directory, files);
    read_added_tokens_file(directory, files);
  }
  return files;
}

// The names BERT has without any file, then those of the files.
SpecialNames names_of(const std::optional<JsonObject>& config, SpecialFiles& files) {
  SpecialNames names;
  const auto take = [&](std::string_view key, std::optional<std::string>& name, bool needed) {
    const bool is_null = config && config->json().contains(key) && config->json()[key].is_null();
    if (const auto found = files.named.find(std::string(key)); found != files.named.end()) {
      name = found->second.content;
    } else if (!is_null) {
      files.named.emplace(key, special_token(*name));
    } else if (needed) {
      config->refuse(key, "a token");
    } else {
      name = std::nullopt;
    }
  };
  take("unk_token", names.unk, true);
  take("sep_token", names.sep, true);
  take("pad_token", names.pad, false);
  take("cls_token", names.cls, true);
  take("mask_token", names.mask, false);
  return names;
}

void add_tokens(const SpecialFiles& files, TokenizerSettings& settings) {
  std::set<std::string_view> named;
  for (const auto& [name, token] : files.named) named.insert(token.content);
  for (const AddedToken& token : files.model_specific) named.insert(token.content);
  std::set<std::string_view> seen;
  const auto add = [&](AddedToken token, std::string_view content) {
    if (!seen.insert(content).second) return;
    token.special = token.special || named.contains(content);
    add_token(settings, std::move(token));
  };
  std::vector<OtherId> others;
  for (const auto& [id, token] : files.by_id) {
    if (token.content.empty()) continue;  // the reference adds no such token either
    add(token, token.content);
    const AddedToken& added = settings.added_tokens.back();
    if (added.content != token.content || static_cast<uint64_t>(added.id) == id) continue;
    others.push_back({token.content, added.id, static_cast<uint64_t>(id)});
  }
  note_other_ids(others, "its file", settings.notices);
  for (const std::string_view name : kNames) {
    const auto found = files.named.find(std::string(name));
    if (found != files.named.end()) add(found->second, found->second.content);
  }
  for (const AddedToken& token : files.model_specific) add(token, token.content);
  for (const AddedToken& token : files.extra) add(token, token.content);
}

void check_config(const JsonObject& config, std::vector<std::string>& notices) {
  static const std::set<std::string_view> kKnown{"Bert",     "DistilBert",  "Electra", "MobileBert",
                                                 "ConvBert", "SqueezeBert", "Lxmert",  "RetriBert"};
  if (const auto name = config.string("tokenizer_class")) {
    std::string_view family = *name;
    if (family.ends_with("Fast")) family.remove_suffix(4);
    if (family.ends_with("Tokenizer")) family.remove_suffix(9);
    if (!kKnown.contains(family)) config.refuse("tokenizer_class", "BertTokenizer");
  }
  if (!config.boolean("do_basic_tokenize").value_or(true)) config.refuse("do_basic_tokenize", "true");
  if (config.boolean("split_special_tokens").value_or(false)) config.refuse("split_special_tokens", "false");
  if (const Json* never = config.find("never_split"); never && !never->empty()) {
    notices.push_back(fmt::format("never_split in {} is ignored, as transformers 5 does", config.where()));
  }
  if (config.string("truncation_side") == "left") {
    notices.push_back(fmt::format("truncation_side in {} is ignored: texts are cut at their end", config.where()));
  }
}

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

void finish(const SpecialFiles& files, TokenizerSettings& settings) {
  add_tokens(files, settings);
  const auto id_of = [&settings](const std::string& content) {
    const auto is_it = [&content](const AddedToken& token) { return token.content == content; };
    return std::find_if(settings.added_tokens.begin(), settings.added_tokens.end(), is_it)->id;
  };
  settings.templates = SpecialTemplates::bert(id_of(*settings.names.cls), id_of(*settings.names.sep));
}

}  // namespace

TokenizerSettings read_vocabulary_layout(const std::filesystem::path& directory) {
  const std::optional<JsonObject> config = read_config(directory);
  SpecialFiles files = read_special_files(directory, config);
  const SpecialNames names = names_of(config, files);
  TokenizerSettings settings = settings_for(Vocabulary::read(directory / "vocab.txt"), names);
  if (config) {
    check_config(*config, settings.notices);
    settings.normalizer.lowercase = config->boolean("do_lower_case").value_or(true);
    settings.normalizer.handle_chinese_chars = config->boolean("tokenize_chinese_chars").value_or(true);
    settings.normalizer.strip_accents = config->boolean("strip_accents").value_or(settings.normalizer.lowercase);
    settings.model_max_length = read_model_max_length(*config);
  }
  finish(files, settings);
  return settings;
}

TokenizerSettings read_bare_vocabulary(const std::filesystem::path& vocab_txt, Lowercase lowercase) {
  SpecialFiles files;
  const SpecialNames names = names_of(std::nullopt, files);
  TokenizerSettings settings = settings_for(Vocabulary::read(vocab_txt), names);
  settings.normalizer.lowercase = lowercase == Lowercase::yes;
  settings.normalizer.strip_accents = settings.normalizer.lowercase;
  finish(files, settings);
  return settings;
}

}  // namespace summand::text
