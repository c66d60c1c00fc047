#include "api/options/option_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "model/reading.hpp"

namespace summand::api {

namespace {

template <class Value>
Value named(std::span<const model::EnumName<Value>> names, std::string_view what, std::string_view name) {
  const auto found = std::ranges::find(names, name, &model::EnumName<Value>::name);
  if (found != names.end()) return found->value;
  std::string choices;
  for (const auto& entry : names) choices += (choices.empty() ? "" : ", ") + std::string(entry.name);
  throw UsageError(what, fmt::format("expected one of {}, got '{}'", choices, printable(name)));
}

std::span<const model::EnumName<Precision>> precisions() {
  static constexpr std::array names{model::EnumName{Precision::fp32, "fp32"}, model::EnumName{Precision::bf16, "bf16"},
                                    model::EnumName{Precision::fp16, "fp16"}, model::EnumName{Precision::int8, "int8"},
                                    model::EnumName{Precision::automatic, "auto"}};
  return names;
}

template <class Value>
std::string_view first_name(std::span<const model::EnumName<Value>> names, Value value) {
  return std::ranges::find(names, value, &model::EnumName<Value>::value)->name;
}

}  // namespace

std::span<const model::EnumName<model::Pooling>> poolings() {
  return enum_names(model::Pooling{});
}

std::span<const model::EnumName<Similarity>> similarities_known() {
  return enum_names(Similarity{});
}

Similarity similarity_named(std::string_view name) {
  return named(similarities_known(), "similarity", name);
}

model::Pooling pooling_named(std::string_view name) {
  return named(poolings(), "pooling", name);
}

WindowPooling window_pooling_named(std::string_view name) {
  return named(enum_names(WindowPooling{}), "windows", name);
}

Aggregation aggregation_named(std::string_view name) {
  return named(enum_names(Aggregation{}), "aggregate", name);
}

Precision precision_named(std::string_view name) {
  return named(precisions(), "precision", name);
}

text::Truncation truncation_named(std::string_view name) {
  return named(enum_names(text::Truncation{}), "truncation", name);
}

std::string_view name_of(Similarity measure) {
  return first_name(similarities_known(), measure);
}

std::string_view name_of(WindowPooling pooling) {
  return first_name(enum_names(WindowPooling{}), pooling);
}

std::string_view name_of(Precision precision) {
  return first_name(precisions(), precision);
}

std::string_view name_of(text::Truncation truncation) {
  return first_name(enum_names(text::Truncation{}), truncation);
}

}  // namespace summand::api
