#include "serve/live/laboratory.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace summand::serve::live {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string written(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// The fields of a request that say what it is about.
struct Subject {
  std::string model;
  std::vector<std::string> only = {};
};

Subject subject_of(std::string_view request) {
  const Json json = Json::parse(request, nullptr, false);
  if (!json.is_object()) throw ConfigError("request", "expected a JSON object");
  try {
    return {.model = json.value("model", ""), .only = json.value("only", std::vector<std::string>())};
  } catch (const Json::exception&) {
    throw ConfigError("request", "expected a text in `model` and texts in `only`");
  }
}

}  // namespace

Laboratory::Laboratory(LaboratoryOptions options)
    : options_(std::move(options)),
      temporary_(options_.reports.empty() ? std::make_optional<TemporaryFolder>("summand-live") : std::nullopt),
      claims_(options_.program, temporary_ ? temporary_->path() : options_.reports) {}

const NamedModel& Laboratory::named(std::string_view name) const {
  const auto found = std::ranges::find(options_.models, name, &NamedModel::name);
  if (found != options_.models.end()) return *found;
  std::vector<std::string> names;
  for (const auto& one : options_.models) names.push_back(one.name);
  throw UsageError("model", fmt::format("expected one of {}, got '{}'", fmt::join(names, ", "), printable(name)));
}

const LiveModel& Laboratory::loaded(const NamedModel& model) {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(model.name);
  if (found != loaded_.end()) return found->second;
  return loaded_.emplace(model.name, LiveModel::load(model.directory, options_.threads)).first->second;
}

std::string Laboratory::models() {
  Json list = Json::array();
  for (const auto& model : options_.models) {
    Json facts;
    try {
      facts = Json::parse(loaded(model).describe());
    } catch (const Error& error) {
      facts["error"] = error.what();
    }
    facts["name"] = model.name;
    list.push_back(std::move(facts));
  }
  return written(list);
}

std::string Laboratory::look(std::string_view request) {
  return loaded(named(subject_of(request).model)).look(request);
}

std::string Laboratory::start_claims(std::string_view request) {
  auto subject = subject_of(request);
  const auto& model = named(subject.model);
  claims_.start({.model = model.directory, .name = model.name, .only = std::move(subject.only)});
  return claims(0);
}

std::string Laboratory::cancel_claims() {
  claims_.cancel();
  return claims(0);
}

std::optional<fs::path> Laboratory::report_file(std::string_view name) const {
  const auto folder = claims_.report();
  const fs::path file(name);
  const bool is_within = !name.empty() && file.is_relative() &&
                         std::ranges::none_of(file, [](const fs::path& part) { return part == ".." || part == "."; });
  std::error_code failed;
  if (!folder || !is_within || !fs::is_regular_file(*folder / file, failed)) return std::nullopt;
  return *folder / file;
}

}  // namespace summand::serve::live
