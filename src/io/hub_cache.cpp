#include "io/hub_cache.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/mapped_file.hpp"
#include "io/well_known_models.hpp"

namespace summand::io {

namespace {

namespace fs = std::filesystem;

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

fs::path home() {
  return variable("HOME").value_or("/");
}

/// A folder out of a variable, a leading ~ expanded.
std::optional<fs::path> folder(const char* name) {
  auto value = variable(name);
  if (!value) return std::nullopt;
  if (*value == "~") return home();
  if (value->starts_with("~/")) return home() / value->substr(2);
  return *value;
}

fs::path hub_folder() {
  if (const auto path = folder("HF_HUB_CACHE")) return *path;
  if (const auto path = folder("HUGGINGFACE_HUB_CACHE")) return *path;
  if (const auto path = folder("HF_HOME")) return *path / "hub";
  if (const auto path = folder("XDG_CACHE_HOME")) return *path / "huggingface" / "hub";
  return home() / ".cache" / "huggingface" / "hub";
}

/// A name of letters, digits, '.', '_' and '-', as the hub allows for organisations and models.
bool is_hub_word(std::string_view word) {
  constexpr size_t kLongestName = 96;
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-';
  };
  return !word.empty() && word.size() <= kLongestName && word.front() != '.' && word.front() != '-' &&
         word.find("..") == std::string_view::npos && word.find("--") == std::string_view::npos &&
         std::ranges::all_of(word, allowed);
}

/// Words with single slashes between them.
bool are_hub_words(std::string_view words, size_t most) {
  for (size_t count = 1; count <= most; ++count) {
    const size_t slash = words.find('/');
    if (!is_hub_word(words.substr(0, slash))) return false;
    if (slash == std::string_view::npos) return true;
    words.remove_prefix(slash + 1);
  }
  return false;
}

struct HubName {
  std::string name;
  std::string revision = "main";
};

HubName parse_hub_name(std::string_view text) {
  constexpr size_t kMostWords = 8;  // of a revision, as in refs/pr/1
  const size_t at = text.find('@');
  HubName hub{std::string(text.substr(0, at))};
  if (at != std::string_view::npos) hub.revision = text.substr(at + 1);
  if (!are_hub_words(hub.name, 2) || !are_hub_words(hub.revision, kMostWords)) {
    throw CheckpointError(printable(text), "expected a directory or a hub name (organisation/name), got neither");
  }
  return hub;
}

std::string folder_name(std::string_view name) {
  std::string result = "models--";
  for (const char c : name) result += c == '/' ? std::string("--") : std::string(1, c);
  return result;
}

/// The snapshot of a revision below one model's folder in the cache, if it is there.
std::optional<fs::path> snapshot(const fs::path& model, const std::string& revision) {
  std::error_code ignored;
  std::string commit = revision;
  if (const fs::path ref = model / "refs" / revision; fs::is_regular_file(ref, ignored)) {
    const auto file = MappedFile::open(ref);
    commit = file->text().substr(0, file->text().find_last_not_of(" \r\n") + 1);
    if (!is_hub_word(commit)) throw CheckpointError(path_text(ref), "expected a commit, got " + printable(commit));
  }
  const fs::path path = model / "snapshots" / commit;
  if (!fs::is_directory(path, ignored)) return std::nullopt;
  return path;
}

}  // namespace

std::vector<fs::path> hub_cache_folders() {
  std::vector<fs::path> folders{hub_folder()};
  if (const auto path = folder("SENTENCE_TRANSFORMERS_HOME")) folders.push_back(*path);
  return folders;
}

fs::path hub_model(std::string_view name, const std::vector<fs::path>& looked, std::string_view offer) {
  const HubName hub = parse_hub_name(name);
  const auto owner = organisation_of(hub.name);
  const bool has_owner = hub.name.find('/') != std::string::npos;
  std::vector<std::string> names{hub.name};
  if (!has_owner) names.push_back(fmt::format("{}/{}", owner.value_or("sentence-transformers"), hub.name));
  std::vector<std::string> places;
  for (const auto& folder : looked) places.push_back(path_text(folder));
  for (const auto& cache : hub_cache_folders()) {
    for (const auto& one : names) {
      const fs::path model = cache / folder_name(one);
      if (const auto found = snapshot(model, hub.revision)) return *found;
      places.push_back(path_text(model));
    }
  }
  const std::string revision = hub.revision == "main" ? "" : " --revision " + hub.revision;
  const bool is_known = has_owner || owner;
  const std::string fetched = is_known ? names.back() : "OWNER/" + hub.name;
  throw CheckpointError(path_text(fs::path(name)),
                        fmt::format("expected a directory, or a model with revision '{}' in the local hub cache, got "
                                    "none in {}; 'hf download {}{}' fetches a model of the hub{}{}",
                                    hub.revision, fmt::join(places, ", "), fetched, revision,
                                    is_known ? "" : ", with its owner's name", offer));
}

}  // namespace summand::io
