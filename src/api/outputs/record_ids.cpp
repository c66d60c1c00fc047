#include "api/outputs/record_ids.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>

#include "io/output_file.hpp"

namespace summand::api {

std::filesystem::path ids_path(const std::filesystem::path& out) {
  std::filesystem::path path = out;
  path += ".ids.jsonl";
  return path;
}

std::string id_lines(std::span<const std::string> ids) {
  std::string lines;
  for (const auto& id : ids) (lines += id.empty() ? "null" : id) += '\n';
  return lines;
}

std::string id_field(const std::string& id) {
  if (!id.starts_with('"')) return id;
  const auto text = nlohmann::json::parse(id).get<std::string>();
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field.append(c == '"' ? 2 : 1, c);
  return field + '"';
}

std::vector<std::string> record_ids(std::span<const text::InputRecord> records) {
  std::vector<std::string> ids;
  for (const auto& record : records) ids.push_back(record.id);
  return ids;
}

void write_ids(std::span<const std::string> ids, const std::filesystem::path& out) {
  if (io::OutputFile::is_written_through(out)) return;
  std::error_code ignored;
  if (std::ranges::all_of(ids, &std::string::empty)) {
    std::filesystem::remove(ids_path(out), ignored);
    return;
  }
  io::OutputFile file(ids_path(out));
  file.write(id_lines(ids));
  file.commit();
}

}  // namespace summand::api
