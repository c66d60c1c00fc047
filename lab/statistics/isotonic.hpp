#pragma once

#include "lab/statistics/table.hpp"

namespace summand::lab {

enum class Order { rising, falling };

/// Isotonic regression: the values in the order asked for that are nearest to these, by weighted least squares (pool
/// adjacent violators). Takes n steps.
/// @param values  [n] @param weights  [n], above 0 @return [n]
/// @throws UsageError if the two differ in length
/// Source: Barlow, Bartholomew, Bremner & Brunk 1972
[[nodiscard]] Vector isotonic(const Vector& values, const Vector& weights, Order order);

}  // namespace summand::lab
