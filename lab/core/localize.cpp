#include "lab/core/localize.hpp"

#include <fmt/args.h>
#include <fmt/format.h>

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "lab/core/half_away_from_zero.hpp"
#include "lab/core/words_files.hpp"

namespace summand::lab {

namespace {

using Json = nlohmann::json;

std::map<std::string, Json, std::less<>> read_files() {
  std::map<std::string, Json, std::less<>> files;
  for (const auto& file : words_files()) files[std::string(file.folder)] = Json::parse(file.json);
  return files;
}

/// The names of a path after its folder's may hold dots of their own, as claims do ("4.10").
const Json* text_at(const Json& json, std::string_view names) {
  if (const auto found = json.find(names); found != json.end()) return &*found;
  for (size_t dot = names.find('.'); dot != std::string_view::npos; dot = names.find('.', dot + 1)) {
    const auto found = json.find(names.substr(0, dot));
    if (found == json.end()) continue;
    if (const Json* text = text_at(*found, names.substr(dot + 1))) return text;
  }
  return nullptr;
}

const Json* text_at(std::string_view path) {
  static const auto files = read_files();
  const size_t dot = path.find('.');
  const auto file = files.find(path.substr(0, dot));
  if (dot == std::string_view::npos || file == files.end()) return nullptr;
  return text_at(file->second, path.substr(dot + 1));
}

std::string filled(const std::string& text, const FormatArgs& args, Language language, std::string_view path) {
  fmt::dynamic_format_arg_store<fmt::format_context> store;
  for (const auto& fill : args) {
    const char* name = fill.name.c_str();
    if (const auto* words = std::get_if<LocalizedText>(&fill.value)) {
      store.push_back(fmt::arg(name, in(language, *words)));
    } else if (const auto* plain = std::get_if<std::string>(&fill.value)) {
      store.push_back(fmt::arg(name, *plain));
    } else {
      store.push_back(fmt::arg(name, HalfAwayFromZero{std::get<double>(fill.value)}));
    }
  }
  try {
    return fmt::vformat(text, store);
  } catch (const fmt::format_error& error) {
    throw std::out_of_range(fmt::format("text '{}' cannot be filled: {}", path, error.what()));
  }
}

}  // namespace

bool has_text(std::string_view path) {
  return text_at(path) != nullptr;
}

LocalizedText localize(std::string_view path, const FormatArgs& args) {
  const Json* text = text_at(path);
  if (text == nullptr || !text->contains("en") || !text->contains("zh")) {
    throw std::out_of_range(fmt::format("no text '{}' in the folder's words.json", path));
  }
  return {filled(text->at("en").get<std::string>(), args, Language::en, path),
          filled(text->at("zh").get<std::string>(), args, Language::zh, path)};
}

}  // namespace summand::lab
