#include "api/options/option_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"

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

/// Every spelling of a truncation.
std::span<const model::EnumName<text::Truncation>> truncations() {
  using text::Truncation;
  static constexpr std::array names{
      model::EnumName{Truncation::longest_first, "longest_first"},
      model::EnumName{Truncation::only_first, "only_first"},
      model::EnumName{Truncation::only_second, "only_second"},
      model::EnumName{Truncation::none, "none"},
      model::EnumName{Truncation::head, "head"},
      model::EnumName{Truncation::tail, "tail"},
      model::EnumName{Truncation::head_tail, "head_tail"},
  };
  return names;
}

std::span<const model::EnumName<WindowPooling>> window_poolings() {
  static constexpr std::array names{model::EnumName{WindowPooling::mean, "mean"},
                                    model::EnumName{WindowPooling::maximum, "max"}};
  return names;
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
  return named(window_poolings(), "windows", name);
}

Aggregation aggregation_named(std::string_view name) {
  return named(enum_names(Aggregation{}), "aggregate", name);
}

Precision precision_named(std::string_view name) {
  return named(precisions(), "precision", name);
}

text::Truncation truncation_named(std::string_view name) {
  return named(truncations(), "truncation", name);
}

std::string_view name_of(Similarity measure) {
  return first_name(similarities_known(), measure);
}

std::string_view name_of(WindowPooling pooling) {
  return first_name(window_poolings(), pooling);
}

std::string_view name_of(Precision precision) {
  return first_name(precisions(), precision);
}

std::string_view name_of(text::Truncation truncation) {
  return first_name(truncations(), truncation);
}

}  // namespace summand::api
