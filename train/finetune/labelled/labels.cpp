#include "train/finetune/labelled/labels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::train {

namespace {

std::optional<int64_t> whole_number(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::string trimmed(std::string_view text) {
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t") - begin + 1));
}

/// A label's name: a string without blanks around it, a whole number or a boolean as JSON writes it.
std::string name_of(const Json& label, const LabelledText& row) {
  if (label.is_string()) {
    std::string name = trimmed(label.get_ref<const std::string&>());
    if (name.empty()) throw TextError(row.where, "expected a label, got an empty one");
    return name;
  }
  if (label.is_number_integer() || label.is_boolean()) return label.dump();
  throw TextError(row.where, fmt::format("expected a word or a whole number as label, got {}", shown(label)));
}

/// The names of a row's labels.
std::vector<std::string> names_of(const LabelledText& row, LabelShape shape) {
  const Json label = Json::parse(row.label);
  if (shape == LabelShape::one) {
    if (label.is_array()) {
      throw TextError(row.where,
                      fmt::format("expected one label, got a list of {}; --multi-label reads several", label.size()));
    }
    return {name_of(label, row)};
  }
  std::vector<std::string> names;
  if (label.is_array()) {
    for (const Json& one : label) names.push_back(name_of(one, row));
    return names;
  }
  if (!label.is_string()) return {name_of(label, row)};
  if (shape == LabelShape::by_word) return split_at_blanks(label.get_ref<const std::string&>());
  for (std::string_view rest = label.get_ref<const std::string&>(); !rest.empty();) {
    const std::string one = trimmed(rest.substr(0, rest.find(',')));
    rest.remove_prefix(
        std::min(rest.size(), rest.find(',') == std::string_view::npos ? rest.size() : rest.find(',') + 1));
    if (!one.empty()) names.push_back(one);
  }
  return names;
}

}  // namespace

LabelNames::LabelNames(std::vector<std::string> names) : names_(std::move(names)) {
  for (size_t i = 0; i < names_.size(); ++i) index_.emplace(names_[i], static_cast<int32_t>(i));
}

LabelNames::LabelNames(std::span<const LabelledText> train, LabelShape shape) {
  std::set<std::string> found;
  for (const LabelledText& row : train) {
    for (std::string& name : names_of(row, shape)) found.insert(std::move(name));
  }
  std::vector<std::string> names(found.begin(), found.end());  // by bytes, which is by code points
  if (std::ranges::all_of(names, [](const auto& name) { return whole_number(name).has_value(); })) {
    std::ranges::sort(names, {}, [](const auto& name) { return *whole_number(name); });
  }
  if (names.size() < (shape == LabelShape::several ? 1 : 2)) {
    throw TextError(train.empty() ? "--train" : train.front().where,
                    names.empty() ? std::string("expected labels, got none in the whole file")
                                  : fmt::format("expected two labels or more, got '{}' in all rows of the file",
                                                printable(names.front())));
  }
  *this = LabelNames(std::move(names));
}

int32_t LabelNames::index(const std::string& name, const LabelledText& row) const {
  if (const auto found = index_.find(name); found != index_.end()) return found->second;
  const bool number = whole_number(name).has_value();
  const bool numbers = std::ranges::all_of(names_, [](const auto& one) { return whole_number(one).has_value(); });
  if (number != numbers) {
    throw TextError(row.where, fmt::format("expected a label that is a {}, as in the training file, got '{}'",
                                           numbers ? "number" : "word", printable(name)));
  }
  throw TextError(row.where, fmt::format("expected one of the labels {}, got '{}', which no row of --train has: "
                                         "leave such rows out, or train on some",
                                         quoted_list(names_), printable(name)));
}

std::vector<int32_t> LabelNames::indices(const LabelledText& row, LabelShape shape) const {
  std::vector<int32_t> result;
  for (const std::string& name : names_of(row, shape)) result.push_back(index(name, row));
  if (shape == LabelShape::several) {
    std::ranges::sort(result);
    result.erase(std::ranges::unique(result).begin(), result.end());
  }
  if (shape == LabelShape::by_word) {
    const size_t words = row.text.words.value().size();
    if (words != result.size()) {
      throw TextError(row.where, fmt::format("expected {} labels, one for each word, got {}", words, result.size()));
    }
  }
  return result;
}

double number_of(const LabelledText& row) {
  const Json label = Json::parse(row.label);
  double value = std::numeric_limits<double>::quiet_NaN();
  if (label.is_number()) value = label.get<double>();
  if (label.is_string()) {
    const std::string& text = label.get_ref<const std::string&>();
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || text.empty()) value = std::nan("");
  }
  if (!std::isfinite(value))
    throw TextError(row.where, fmt::format("expected a number as label, got {}", shown(label)));
  return value;
}

}  // namespace summand::train
