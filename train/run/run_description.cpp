#include "train/run/run_description.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::train {

namespace {

constexpr const char* kInit = "model.init";           // the run goes on from weights of its own
constexpr const char* kTokenizer = "data.tokenizer";  // older runs have none

const Json& member_or_null(const Json& object, const std::string& key) {
  static const Json kNull;
  return object.is_object() && object.contains(key) ? object.at(key) : kNull;
}

/// How a message names the description that is expected.
struct Wording {
  const char* as;     // "as the run began"
  const char* other;  // "not what the run began with"
};

constexpr Wording kBeginning{.as = "as the run began", .other = "not what the run began with"};
constexpr Wording kFirstRank{.as = "as rank 0 has", .other = "not what rank 0 has"};

/// The first value in which two descriptions differ; empty if none.
std::string difference(const Json& expected, const Json& got, const std::string& name, const Wording& wording) {
  if (!got.is_object() || !expected.is_object()) {
    if (expected == got) return "";
    if (name.starts_with("data.") && expected.is_string() && got.is_string()) {
      return fmt::format("{}: {}: expected the hash {}, got {}", name, wording.other, expected.dump(), got.dump());
    }
    return fmt::format("{}: expected {}, {}, got {}", name, expected.dump(), wording.as, got.dump());
  }
  std::set<std::string> keys;
  for (const auto* side : {&got, &expected}) {
    for (const auto& [key, value] : side->items()) keys.insert(key);
  }
  for (const auto& key : keys) {
    if (name.empty() && key == "about") continue;  // what was, not what decides
    const std::string inside = name.empty() ? key : name + "." + key;
    if (inside == kInit && member_or_null(expected, key).is_string() && member_or_null(got, key).is_string()) continue;
    if (inside == kTokenizer && !expected.contains(key)) continue;
    std::string differs = difference(member_or_null(expected, key), member_or_null(got, key), inside, wording);
    if (!differs.empty()) return differs;
  }
  return "";
}

/// Of what does not decide a run's numbers, but may change their last bits.
std::vector<std::string> changes_of_bits(const Json& began, const Json& now) {
  std::vector<std::string> changes;
  for (const auto* key : {"processes", "threads", "device", "instruction_set", "libtorch", "summand"}) {
    const Json& old = member_or_null(began, key);
    if (old.is_null() && member_or_null(now, key) == 1) continue;  // older runs name no processes: they had one
    const std::string differs = difference(old, member_or_null(now, key), key, kBeginning);
    if (!differs.empty()) changes.push_back(differs + "; from here on bits may be others than without the break");
  }
  return changes;
}

}  // namespace

std::string difference_from_beginning(const Json& began, const Json& now) {
  return difference(began, now, "", kBeginning);
}

std::vector<std::string> changes_between(const Json& began, const Json& now) {
  std::vector<std::string> changes;
  const Json& init = member_or_null(member_or_null(began, "model"), "init");
  if (init != member_or_null(member_or_null(now, "model"), "init")) {
    changes.emplace_back(
        "model.init: the run began with another checkpoint than it is now given; it goes on from its own");
  }
  if (member_or_null(member_or_null(began, "data"), "tokenizer").is_null()) {
    changes.emplace_back(
        "data.tokenizer: an older summand began the run and kept the hash of tokenizer.json alone; the "
        "tokenizer's other files are taken as they are");
  }
  for (std::string& change : changes_of_bits(member_or_null(began, "about"), member_or_null(now, "about"))) {
    changes.push_back(std::move(change));
  }
  return changes;
}

void require_same_run(const std::string& description, Ranks& ranks) {
  const auto all = ranks.gather(description);
  const Json first = Json::parse(all[0]);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    const std::string differs = difference(first, Json::parse(all[rank]), "", kFirstRank);
    if (!differs.empty()) throw UsageError(fmt::format("rank {}", rank), differs);
  }
}

}  // namespace summand::train
