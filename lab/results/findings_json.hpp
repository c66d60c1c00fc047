#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <variant>

#include "lab/core/experiment.hpp"
#include "lab/core/figure.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/numbers.hpp"
#include "lab/statistics/interval.hpp"

// Findings as JSON: as they are kept, and numbers and texts as the page takes them. results.json and compare.json say
// less, in English alone, under keys that others rely on: they are written where they are.

namespace nlohmann {

/// The value, or null.
template <class Value>
requires(!detail::is_basic_json<Value>::value) struct adl_serializer<std::optional<Value>> {
  template <class Json>
  static void to_json(Json& json, const std::optional<Value>& value) {
    json = value ? Json(*value) : Json();
  }
  template <class Json>
  static void from_json(const Json& json, std::optional<Value>& value) {
    value.reset();
    if (!json.is_null()) value = json.template get<Value>();
  }
};

/// [the place of its kind among the variant's, the value]
template <class... Kinds>
struct adl_serializer<std::variant<Kinds...>> {
  template <class Json>
  static void to_json(Json& json, const std::variant<Kinds...>& value) {
    json = Json::array({value.index(), std::visit([](const auto& one) { return Json(one); }, value)});
  }
  template <class Json>
  static void from_json(const Json& json, std::variant<Kinds...>& value) {
    const auto wanted = json.at(0).template get<size_t>();
    size_t kind = 0;
    static_cast<void>(((kind++ == wanted && (value = json.at(1).template get<Kinds>(), true)) || ...));
  }
};

}  // namespace nlohmann

namespace summand::lab {

template <class Json>
void to_json(Json& json, const LocalizedText& words) {
  json = {{"en", words.en}, {"zh", words.zh}};
}
template <class Json>
void from_json(const Json& json, LocalizedText& words) {
  json.at("en").get_to(words.en);
  json.at("zh").get_to(words.zh);
}

/// [low, high]. JSON has no infinity and no NaN: the library writes both as null, in CBOR as they are.
template <class Json>
void to_json(Json& json, const Interval& interval) {
  json = Json::array({interval.low, interval.high});
}
template <class Json>
void from_json(const Json& json, Interval& interval) {
  json.at(0).get_to(interval.low);
  json.at(1).get_to(interval.high);
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ReferenceValue, value, interval, of)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Number, name, label, value, interval, null, control)

inline void to_json(nlohmann::json& json, const Numbers& numbers) {
  json = numbers.all();
}
inline void from_json(const nlohmann::json& json, Numbers& numbers) {
  numbers = {};
  for (const auto& number : json) numbers.add(number.get<Number>());
}

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Column, name, values)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(FigureData, columns)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MatrixData, rows, columns, values, row_label, column_label, value_label, low, high,
                                   scale, divided_at)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Figure, name, title, caption, specification, data)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Findings, numbers, gaps, figures, left_out, remarks)

}  // namespace summand::lab
