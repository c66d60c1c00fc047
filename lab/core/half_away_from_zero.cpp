#include "lab/core/half_away_from_zero.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

namespace summand::lab {

namespace {

constexpr int kMostDecimals = 22;  // 10 to this power is a double

/// Decimals that a format keeps; below zero, digits before the point that it drops. Nothing where it keeps all.
std::optional<int> decimals_of(double value, std::string_view format) {
  const size_t dot = format.find('.');
  if (dot == std::string_view::npos) return {};
  int precision = 0;
  std::from_chars(format.data() + dot + 1, format.data() + format.size(), precision);
  if (format.ends_with('f')) return precision;
  const int digits = format.ends_with('e') ? precision + 1 : std::max(precision, 1);
  return digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(value))));
}

/// Whether a number lies exactly halfway between two with so many decimals.
bool is_half(double value, int decimals) {
  if (std::abs(decimals) > kMostDecimals) return false;
  const double unit = std::pow(10.0, std::abs(decimals));
  if (decimals < 0) return 2 * std::fmod(std::abs(value), unit) == unit;
  const double halves = 2 * unit * value;
  const bool is_exact = std::fma(2 * unit, value, -halves) == 0;
  return is_exact && std::fmod(std::abs(halves), 2) == 1;
}

}  // namespace

double away_from_half(double value, std::string_view format) {
  if (!std::isfinite(value) || value == 0) return value;
  const auto decimals = decimals_of(value, format);
  if (!decimals || !is_half(value, *decimals)) return value;
  return std::nextafter(value, std::copysign(std::numeric_limits<double>::infinity(), value));
}

}  // namespace summand::lab
