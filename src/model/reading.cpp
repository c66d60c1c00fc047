#include "model/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/nearest_name.hpp"
#include "model/reading_json.hpp"

namespace summand {

using model::EnumName;

std::span<const EnumName<Truncation>> enum_names(Truncation) {
  static constexpr std::array kNames{EnumName{Truncation::longest_first, "longest_first"},
                                     EnumName{Truncation::only_first, "only_first"},
                                     EnumName{Truncation::only_second, "only_second"},
                                     EnumName{Truncation::none, "none"},
                                     EnumName{Truncation::head, "head"},
                                     EnumName{Truncation::tail, "tail"},
                                     EnumName{Truncation::head_tail, "head_tail"}};
  return kNames;
}

std::span<const EnumName<WindowPooling>> enum_names(WindowPooling) {
  static constexpr std::array kNames{EnumName{WindowPooling::mean, "mean"}, EnumName{WindowPooling::maximum, "max"},
                                     EnumName{WindowPooling::transformer, "transformer"}};
  return kNames;
}

}  // namespace summand

namespace summand::model {

namespace {

template <class Enum>
std::optional<Enum> name_in(const JsonObject& object, const char* key) {
  if (!object.has(key)) return std::nullopt;
  const auto value = value_named<Enum>(object.string(key).value());
  if (!value) object.refuse(key, "one of " + known_names<Enum>());
  return value;
}

}  // namespace

void require_known_keys(const JsonObject& object, std::string_view name, const std::vector<std::string>& known) {
  for (const auto& [key, value] : object.json().items()) {
    if (std::ranges::count(known, key) > 0) continue;
    throw ConfigError(object.where(), fmt::format("{}.{}: expected one of {}, got another key{}", name, printable(key),
                                                  quoted_list(known), did_you_mean(key, known)));
  }
}

std::string reading_error(const Reading& reading, size_t positions) {
  const size_t longest = reading.length.max_length.value_or(positions);
  if (longest > positions) {
    return fmt::format("max_length: expected at most {}, the positions that the model has, got {}", positions, longest);
  }
  if (!reading.windows || reading.windows->overlap < longest) return "";
  return fmt::format("overlap: expected less than max_length ({}), got {}", longest, reading.windows->overlap);
}

Reading taken_from_training(const Reading& asked, const std::optional<Reading>& trained) {
  Reading taken = trained.value_or(Reading());
  if (asked.length.max_length) taken.length.max_length = {};
  if (asked.length.truncation || asked.windows) {
    taken.length.truncation = {};
    taken.windows = {};
  }
  return taken;
}

Reading as_trained(const Reading& asked, const std::optional<Reading>& trained) {
  Reading reading = taken_from_training(asked, trained);
  if (asked.length.max_length) reading.length.max_length = asked.length.max_length;
  if (asked.length.truncation) reading.length.truncation = asked.length.truncation;
  if (asked.windows) reading.windows = asked.windows;
  return reading;
}

std::string as_options(const Reading& reading) {
  std::string options;
  const auto add = [&](const char* name, const auto& value) {
    options += fmt::format("{}--{} {}", options.empty() ? "" : " ", name, value);
  };
  if (reading.length.max_length) add("max-length", *reading.length.max_length);
  if (reading.windows) {
    add("windows", name_of(reading.windows->pooling));
    if (reading.windows->overlap > 0) add("overlap", reading.windows->overlap);
  } else if (reading.length.truncation) {
    add("truncation", name_of(*reading.length.truncation));
  }
  return options;
}

Reading read_reading(const JsonObject& object) {
  require_known_keys(object, "summand.reading", {"max_length", "truncation", "windows", "overlap"});
  Reading reading;
  reading.length.max_length = object.require("max_length", object.size("max_length"), "a number of tokens");
  const auto pooling = name_in<WindowPooling>(object, "windows");
  const auto truncation = name_in<Truncation>(object, "truncation");
  if (pooling) {
    if (truncation) object.refuse("truncation", "none with windows");
    reading.windows = WindowOptions{.pooling = *pooling, .overlap = object.number("overlap").value_or(0)};
  } else {
    if (object.has("overlap")) object.refuse("overlap", "none without windows");
    reading.length.truncation = truncation.value_or(Truncation::longest_first);
  }
  return reading;
}

nlohmann::ordered_json write_reading(const Reading& reading) {
  nlohmann::ordered_json json{{"max_length", reading.length.max_length.value()}};
  if (reading.windows) {
    json["windows"] = std::string(name_of(reading.windows->pooling));
    json["overlap"] = reading.windows->overlap;
  } else {
    json["truncation"] = std::string(name_of(reading.length.truncation.value()));
  }
  return json;
}

}  // namespace summand::model
