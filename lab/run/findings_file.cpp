#include "lab/run/findings_file.hpp"

#include <nlohmann/json.hpp>
#include <span>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/paths.hpp"
#include "io/output_file.hpp"
#include "lab/results/findings_json.hpp"

// CBOR through the JSON library: numbers keep their bits, and those that are not finite stay what they are.
namespace summand::lab {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(RunSettings, quick, seed, corpus, corpus_hash)

namespace {

using Json = nlohmann::json;

constexpr size_t kLongestFile = size_t{1} << 28;

/// Nothing where there is no such file, or one that is damaged: its experiment runs again.
std::optional<Json> read_file_of_findings(const std::filesystem::path& file) {
  try {
    if (!is_there(file)) return std::nullopt;
    return Json::from_cbor(read_file(file, kLongestFile));
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

void keep_findings(const std::filesystem::path& file, uint64_t key, const KeptFindings& kept) {
  const Json json{{"key", key}, {"settings", kept.settings}, {"seconds", kept.seconds}, {"findings", kept.findings}};
  const auto bytes = Json::to_cbor(json);
  io::OutputFile out(file);
  out.write(std::as_bytes(std::span(bytes)));
  out.commit();
}

std::optional<KeptFindings> find_findings(const std::filesystem::path& file, uint64_t key) {
  const auto json = read_file_of_findings(file);
  if (!json) return std::nullopt;
  try {
    if (json->at("key") != key) return std::nullopt;
    return KeptFindings{
        .findings = json->at("findings"), .seconds = json->at("seconds"), .settings = json->at("settings")};
  } catch (const Json::exception&) {
    return std::nullopt;  // damaged: the experiment runs again
  }
}

std::optional<FindingsOrigin> find_origin(const std::filesystem::path& file) {
  const auto json = read_file_of_findings(file);
  if (!json) return std::nullopt;
  try {
    return FindingsOrigin{.key = json->at("key"), .settings = json->at("settings")};
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace summand::lab
