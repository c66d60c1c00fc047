// Source: what from_pretrained of transformers 5.24 makes of these files
#include "text/special_files.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

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

}  // namespace

SpecialFiles read_special_files(const std::filesystem::path& directory, const std::optional<JsonObject>& config,
                                std::span<const WrittenToken> of_json) {
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
    for (const auto& [id, token] : of_json) files.by_id.insert_or_assign(id, token);
  }
  return files;
}

SpecialNames names_with_defaults(const std::optional<JsonObject>& config, SpecialFiles& files) {
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

SpecialNames names_without_defaults(const SpecialFiles& files) {
  SpecialNames names;
  const auto take = [&](const char* key, std::optional<std::string>& name) {
    if (const auto found = files.named.find(key); found != files.named.end()) name = found->second.content;
  };
  take("unk_token", names.unk);
  take("sep_token", names.sep);
  take("pad_token", names.pad);
  take("cls_token", names.cls);
  take("mask_token", names.mask);
  return names;
}

void add_tokens(const SpecialFiles& files, TokenizerSettings& settings) {
  std::set<std::string_view> named;
  for (const auto& [name, token] : files.named) named.insert(token.content);
  for (const AddedToken& token : files.model_specific) named.insert(token.content);
  std::set<std::string> known;  // the reference compares by normal forms
  for (const AddedToken& token : settings.added_tokens) known.insert(token.normal_form);
  std::vector<OtherId> others;
  std::set<std::string_view> seen;
  for (const auto& [id, token] : files.by_id) {
    if (token.content.empty() || !seen.insert(token.content).second) continue;
    const bool is_new = !settings.added_places.contains(token.content);
    AddedToken fresh = token;
    fresh.special = fresh.special || named.contains(fresh.content);
    add_token(settings, std::move(fresh));
    known.insert(token.content);
    const AddedToken& added = settings.added_tokens[settings.added_places.at(token.content)];
    if (is_new && static_cast<uint64_t>(added.id) != id) others.push_back({token.content, added.id, id});
  }
  note_other_ids(others, "its file", settings.notices);
  const auto add_missing = [&](AddedToken token) {
    if (!known.insert(token.content).second) return;
    token.special = token.special || named.contains(token.content);
    add_token(settings, std::move(token));
  };
  for (const std::string_view name : kNames) {
    const auto found = files.named.find(std::string(name));
    if (found != files.named.end()) add_missing(found->second);
  }
  for (const AddedToken& token : files.model_specific) add_missing(token);
  for (const AddedToken& token : files.extra) add_missing(token);
}

}  // namespace summand::text
