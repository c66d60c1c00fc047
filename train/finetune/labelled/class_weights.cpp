#include "train/finetune/labelled/class_weights.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/nearest_name.hpp"

namespace summand::train {

namespace {

// Of a file; losses stay in the range of single precision, with much room.
constexpr double kLeastWeight = 1e-6, kMostWeight = 1e6;

/// How many rows, or words, have each label. [labels]
std::vector<double> label_counts(std::span<const EncodedRow> rows, size_t labels) {
  std::vector<double> counts(labels);
  for (const EncodedRow& row : rows) {
    for (const int32_t label : row.labels) {
      if (label != kNoLabel) ++counts[static_cast<size_t>(label)];
    }
  }
  return counts;
}

std::vector<double> balanced(std::span<const EncodedRow> rows, size_t labels, LabelShape shape) {
  const std::vector<double> counts = label_counts(rows, labels);
  double all = 0;
  for (const double count : counts) all += count;
  const auto present = static_cast<double>(std::ranges::count_if(counts, [](double count) { return count > 0; }));
  std::vector<double> weights;
  for (const double count : counts) {
    const double several = (static_cast<double>(rows.size()) - count) / count;
    const double weight = shape == LabelShape::several ? several : all / (present * count);
    weights.push_back(count > 0 && weight > 0 ? weight : 1);  // 1: no row has it, or all have
  }
  return weights;
}

std::vector<double> from_file(const std::string& path, std::span<const std::string> names) {
  const JsonObject object(read_json(path), path);
  for (const auto& [key, value] : object.json().items()) {
    if (std::ranges::find(names, key) != names.end()) continue;
    throw ConfigError(path, fmt::format("expected one of the labels {}, got '{}'{}", quoted_list(names), printable(key),
                                        did_you_mean(key, names)));
  }
  std::vector<double> weights;
  for (const std::string& name : names) {
    const Json* value = object.find(name);
    if (value == nullptr) throw ConfigError(path, fmt::format("'{}': expected its weight, got none", printable(name)));
    const double weight = value->is_number() ? value->get<double>() : 0;
    if (!(weight >= kLeastWeight && weight <= kMostWeight)) {
      object.refuse(name, fmt::format("a number from {:g} to {:g}", kLeastWeight, kMostWeight));
    }
    weights.push_back(weight);
  }
  return weights;
}

}  // namespace

std::vector<double> class_weights(const std::string& how, std::span<const EncodedRow> rows,
                                  std::span<const std::string> names, LabelShape shape) {
  if (how == "none") return {};
  return how == "balanced" ? balanced(rows, names.size(), shape) : from_file(how, names);
}

}  // namespace summand::train
