#include "lab/ledger/ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

#include "lab/ledger/ledger_files.hpp"

namespace summand::lab {

namespace {

using Json = nlohmann::json;

const Json& files() {
  static const auto parsed = Json::parse(ledger_files());
  return parsed;
}

/// Empty if the text is left out.
LocalizedText words_at(const Json& json, const char* name) {
  const auto found = json.find(name);
  if (found == json.end()) return {};
  return {found->at("en").get<std::string>(), found->at("zh").get<std::string>()};
}

Quote quote_of(const Json& claim) {
  const auto found = claim.find("quote");
  if (found == claim.end()) return {};
  return {found->at("text").get<std::string>(), found->at("line").get<size_t>()};
}

Evidence evidence_of(const Json& claim) {
  const auto name = claim.at("evidence").get<std::string>();
  if (name == "checkpoint") return Evidence::checkpoint;
  if (name == "trained_controls") return Evidence::trained_controls;
  throw std::out_of_range(fmt::format("the ledger has no evidence '{}'", name));
}

Claim claim_of(const Json& claim, const Json& document) {
  return {.id = claim.at("id").get<std::string>(),
          .document = document.at("name").get<std::string>(),
          .quote = quote_of(claim),
          .brief = words_at(claim, "brief"),
          .claim = words_at(claim, "claim"),
          .test = words_at(claim, "test"),
          .published = words_at(claim, "published"),
          .worked_out = words_at(claim, "worked_out"),
          .evidence = evidence_of(claim),
          .so_far = words_at(claim, "so_far"),
          .study = study_answer(claim.at("id").get<std::string>())};
}

std::vector<Claim> all_claims() {
  std::vector<Claim> all;
  for (const auto& document : files()) {
    for (const auto& claim : document.at("claims")) all.push_back(claim_of(claim, document));
  }
  return all;
}

std::vector<Document> all_documents() {
  std::vector<Document> all;
  for (const auto& document : files()) {
    all.push_back({.name = document.at("name").get<std::string>(),
                   .title = words_at(document, "title"),
                   .address = document.at("address").get<std::string>()});
  }
  return all;
}

}  // namespace

const std::vector<Document>& documents() {
  static const std::vector<Document> all = all_documents();
  return all;
}

const std::vector<Claim>& ledger() {
  static const std::vector<Claim> all = all_claims();
  return all;
}

const Claim& claim(std::string_view id) {
  const auto found = std::ranges::find(ledger(), id, &Claim::id);
  if (found == ledger().end()) throw std::out_of_range(fmt::format("the ledger has no claim '{}'", id));
  return *found;
}

}  // namespace summand::lab
