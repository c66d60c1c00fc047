#include "model/part_ops.hpp"

#include <algorithm>
#include <numeric>

namespace summand::model {

namespace {

using Row = RowInParts::Row;

constexpr std::string_view kBias = ".bias";

/// A map of rows on every addend that is there.
template <class Map>
RowInParts each(const RowInParts& value, const Map& map) {
  RowInParts result;
  for (const Addend addend : kAddends) {
    if (!value.of(addend).empty()) result.of(addend) = map(value.of(addend));
  }
  return result;
}

/// What a product of two addends is of.
Addend of_product(Addend left, Addend right) {
  if (left == right || right == Addend::common) return left;
  if (left == Addend::common) return right;
  return Addend::together;
}

void add(Row& to, Row row) {
  if (to.empty()) {
    to = std::move(row);
    return;
  }
  for (size_t i = 0; i < to.size(); ++i) to[i] += row[i];
}

}  // namespace

size_t RowInParts::width() const {
  size_t width = 0;
  for (const Row& row : addends) width = std::max(width, row.size());
  return width;
}

Row RowInParts::total() const {
  Row total(width());
  for (const Row& row : addends) {
    if (!row.empty()) add(total, row);
  }
  return total;
}

PartParameters part_parameters(RowOps<double>::Parameters parameters) {
  PartParameters apart;
  for (auto& [name, matrix] : parameters) {
    (name.ends_with(kBias) ? apart.biases : apart.factors).emplace(name, std::move(matrix));
  }
  return apart;
}

RowInParts PartOps::plus(Value left, const Value& right) const {
  for (const Addend addend : kAddends) {
    if (!right.of(addend).empty()) add(left.of(addend), right.of(addend));
  }
  return left;
}

RowInParts PartOps::minus(Value left, const Value& right) const {
  return plus(std::move(left), each(right, [&](const Row& row) { return rows_.minus(Row(row.size()), row); }));
}

RowInParts PartOps::times(const Value& left, const Value& right) const {
  Value result;
  for (const Addend of_left : kAddends) {
    for (const Addend of_right : kAddends) {
      if (left.of(of_left).empty() || right.of(of_right).empty()) continue;
      add(result.of(of_product(of_left, of_right)), rows_.times(left.of(of_left), right.of(of_right)));
    }
  }
  return result;
}

RowInParts PartOps::side_by_side(const Value& left, const Value& right) const {
  const auto filled = [](const Row& row, size_t width) { return row.empty() ? Row(width) : row; };
  Value result;
  for (const Addend addend : kAddends) {
    if (left.of(addend).empty() && right.of(addend).empty()) continue;
    result.of(addend) =
        rows_.side_by_side(filled(left.of(addend), left.width()), filled(right.of(addend), right.width()));
  }
  return result;
}

RowInParts PartOps::scale(const Value& value, std::string_view name) const {
  return each(value, [&](const Row& row) { return rows_.scale(row, name); });
}

RowInParts PartOps::linear(const Value& value, std::string_view name) const {
  Value result = each(value, [&](const Row& row) { return rows_.linear(row, name); });
  if (const auto bias = parameters_.biases.find(std::string(name) + std::string(kBias));
      bias != parameters_.biases.end()) {
    const auto row = bias->second.row(0);
    add(result.of(Addend::common), Row(row.begin(), row.end()));
  }
  result.map = name;
  return result;
}

RowInParts PartOps::transposed(const Value& value, std::string_view name) const {
  return each(value, [&](const Row& row) { return rows_.transposed(row, name); });
}

RowInParts PartOps::logistic(const Value& value) {
  Value gate;
  gate.of(Addend::common) = rows_.logistic(value.total());
  const Row& factors = gate.of(Addend::common);
  gates_.push_back(
      {value.map, std::accumulate(factors.begin(), factors.end(), 0.0) / static_cast<double>(factors.size())});
  return gate;
}

}  // namespace summand::model
