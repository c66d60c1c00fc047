#include "lab/own_experiment/setup_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/nearest_name.hpp"
#include "base/paths.hpp"

namespace summand::lab::own {

namespace {

using Names = std::vector<std::string>;

template <class List>
Names names_of(const List& list) {
  return {list.begin(), list.end()};
}

[[noreturn]] void refuse_name(const JsonObject& object, const std::string& key, const Names& names,
                              const std::string& got) {
  throw ConfigError(object.where(), fmt::format("{}: expected one of {}, got '{}'{}", key, fmt::join(names, ", "),
                                                printable(got), did_you_mean(got, names)));
}

/// @param prefix  of keys in messages: "intervention."
void refuse_other_keys(const JsonObject& object, const std::string& prefix, const Names& known) {
  for (const auto& [key, value] : object.json().items()) {
    if (std::ranges::count(known, key) > 0) continue;
    throw ConfigError(object.where(), fmt::format("{}{}: expected one of the keys {}, got this one{}", prefix,
                                                  printable(key), fmt::join(known, ", "), did_you_mean(key, known)));
  }
}

/// Of two values of one key a parser keeps either. @param content  that parses
void refuse_repeated_keys(const std::string& content, const std::string& where) {
  std::vector<std::set<std::string>> open;  // the keys so far of every object around
  [[maybe_unused]] const Json parsed_again =
      Json::parse(content, [&](int, Json::parse_event_t event, const Json& parsed) {
        if (event == Json::parse_event_t::object_start) open.emplace_back();
        if (event == Json::parse_event_t::object_end) open.pop_back();
        if (event == Json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
          throw ConfigError(where, fmt::format("{}: expected once, got twice", printable(parsed.get<std::string>())));
        }
        return true;
      });
}

/// @return the place among the names
size_t index_of_name(const JsonObject& object, const std::string& prefix, const char* key, const Names& names) {
  const auto got = object.require(key, object.string(key), fmt::format("one of {}", fmt::join(names, ", ")));
  const auto found = std::ranges::find(names, got);
  if (found == names.end()) refuse_name(object, prefix + key, names, got);
  return static_cast<size_t>(found - names.begin());
}

Change change_with_number(const JsonObject& change) {
  const Names names = names_of(kChangesWithNumber);
  refuse_other_keys(change, "intervention.change.", names);
  if (change.json().size() != 1) {
    throw ConfigError(change.where(), fmt::format("intervention.change: expected one of the keys {}, got {} of them",
                                                  fmt::join(names, ", "), change.json().size()));
  }
  const std::string& key = change.json().begin().key();
  const auto place = static_cast<size_t>(std::ranges::find(names, key) - names.begin());
  const auto kind = static_cast<ChangeKind>(kPlainChanges.size() + place);
  if (kind != ChangeKind::scale) {
    const auto components = change.require(key, change.size(key), "a whole number of 1 or more");
    return {.kind = kind, .number = static_cast<double>(components)};
  }
  constexpr double kLargest = 100;
  const Json& strength = change.json().begin().value();
  if (!strength.is_number() || std::abs(strength.get<double>()) > kLargest) {
    change.refuse(key, fmt::format("a number from -{0:g} to {0:g}", kLargest));
  }
  return {.kind = kind, .number = strength.get<double>()};
}

Change change_of(const JsonObject& intervention) {
  const Json* change = intervention.find("change");
  if (change != nullptr && change->is_object()) return change_with_number(intervention.below("change", *change));
  Names names = names_of(kPlainChanges);
  if (change == nullptr || !change->is_string()) {
    intervention.refuse("change", fmt::format("one of {}, or {{KEY: NUMBER}} with one of {}", fmt::join(names, ", "),
                                              fmt::join(kChangesWithNumber, ", ")));
  }
  return {.kind = static_cast<ChangeKind>(index_of_name(intervention, "intervention.", "change", names))};
}

std::optional<RowRange> rows_of(const JsonObject& intervention) {
  const Json* rows = intervention.find("rows");
  if (rows == nullptr) return {};
  const bool two = rows->is_array() && rows->size() == 2 && rows->at(0).is_number_unsigned() &&
                   rows->at(1).is_number_unsigned() && rows->at(0).get<size_t>() <= rows->at(1).get<size_t>();
  if (!two) intervention.refuse("rows", "[FIRST, LAST], both included, with FIRST <= LAST");
  return RowRange{.first = rows->at(0).get<size_t>(), .last = rows->at(1).get<size_t>()};
}

/// Of files and addresses.
std::string name_of(const JsonObject& file) {
  constexpr std::string_view kAllowed = "abcdefghijklmnopqrstuvwxyz0123456789-";
  constexpr size_t kLongest = 60;
  const char* expected = "1 to 60 of small letters, digits and hyphens";
  const auto name = file.require("name", file.string("name"), expected);
  if (name.empty() || name.size() > kLongest || name.find_first_not_of(kAllowed) != std::string::npos) {
    file.refuse("name", expected);
  }
  return name;
}

size_t repetitions_of(const JsonObject& file) {
  if (!file.has("repetitions")) return Setup{}.repetitions;
  const auto count = file.size("repetitions").value();
  if (count < kLeastRepetitions || count > kMostRepetitions) {
    file.refuse("repetitions", fmt::format("{} to {}", kLeastRepetitions, kMostRepetitions));
  }
  return count;
}

}  // namespace

Setup read_setup(const std::filesystem::path& file) {
  Setup setup;
  setup.where = path_text(file);
  setup.content = read_json_text(file);
  const JsonObject whole(parse_json(setup.content, setup.where), setup.where);
  refuse_repeated_keys(setup.content, setup.where);
  refuse_other_keys(whole, "", {"name", "title", "intervention", "readout", "null", "repetitions"});
  setup.name = name_of(whole);
  setup.title = whole.require("title", whole.string("title"), "a text");
  if (setup.title.empty()) whole.refuse("title", "a text");
  const auto intervention = whole.require("intervention", whole.object("intervention"), "an object");
  refuse_other_keys(intervention, "intervention.", {"part", "change", "rows"});
  setup.part = static_cast<Part>(index_of_name(intervention, "intervention.", "part", names_of(kParts)));
  setup.change = change_of(intervention);
  setup.rows = rows_of(intervention);
  setup.readout = static_cast<ReadoutKind>(index_of_name(whole, "", "readout", names_of(kReadouts)));
  setup.null = static_cast<NullKind>(index_of_name(whole, "", "null", names_of(kNulls)));
  setup.repetitions = repetitions_of(whole);
  return setup;
}

}  // namespace summand::lab::own
