#include "api/embedding/resume_state.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/paths.hpp"

namespace summand::api {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 3;
constexpr size_t kLargest = size_t{1} << 20;

std::optional<uint64_t> number(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<uint64_t>();
}

std::optional<bool> truth(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end() || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

std::optional<std::vector<ResultSetting>> settings_in(const Json& json) {
  const auto found = json.find("settings");
  if (found == json.end() || !found->is_object()) return std::nullopt;
  std::vector<ResultSetting> settings;
  for (const auto& [name, value] : found->items()) {
    if (!value.is_string()) return std::nullopt;
    settings.push_back({name, value.get<std::string>()});
  }
  return settings;
}

}  // namespace

ResumeState parse_resume_state(std::string_view text, std::string_view where) {
  const auto json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) refuse_to_resume(where, "a damaged file");
  if (number(json, "version") != kVersion) refuse_to_resume(where, "the file of another version of this program");
  auto settings = settings_in(json);
  const auto rows = number(json, "rows");
  const auto bytes = number(json, "bytes");
  const auto hash = number(json, "texts");
  const auto ids = truth(json, "ids");
  if (!settings || !rows || *rows == 0 || !bytes || !hash || !ids) refuse_to_resume(where, "a damaged file");
  return {.settings = std::move(*settings),
          .rows = *rows,
          .bytes = *bytes,
          .texts_hash = *hash,
          .id_bytes = number(json, "id_bytes"),
          .has_ids = *ids,
          .appearing = truth(json, "appearing").value_or(false)};
}

std::string to_json(const ResumeState& finished) {
  Json json{{"version", kVersion}, {"settings", Json::object()}};
  for (const auto& setting : finished.settings) json["settings"][setting.name] = setting.value;
  json["rows"] = finished.rows;
  json["bytes"] = finished.bytes;
  json["texts"] = finished.texts_hash;
  json["ids"] = finished.has_ids;
  if (finished.id_bytes) json["id_bytes"] = *finished.id_bytes;
  if (finished.appearing) json["appearing"] = true;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

ResumeState read_resume_state(const std::filesystem::path& path) {
  return parse_resume_state(read_file(path, kLargest), path_text(path));
}

void refuse_to_resume(std::string_view where, std::string_view got) {
  throw IoError(where,
                fmt::format("expected what an interrupted run has finished, got {}; --restart begins anew", got));
}

}  // namespace summand::api
