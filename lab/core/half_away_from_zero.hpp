#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace summand::lab {

/// A number whose halves are rounded away from zero where it is formatted, as the page's JavaScript rounds them: fmt
/// rounds 3458.5 and 2.25 to the even digit, so that a terminal would show another number than the page.
struct HalfAwayFromZero {
  double value = 0;
};

/// The number, or its neighbour away from zero where this format cuts it at an exact half.
/// @param format  of fmt, behind the colon: ".3g"
[[nodiscard]] double away_from_half(double value, std::string_view format);

}  // namespace summand::lab

template <>
struct fmt::formatter<summand::lab::HalfAwayFromZero> {
  constexpr auto parse(fmt::format_parse_context& context) {
    const auto end = std::find(context.begin(), context.end(), '}');
    format_ = std::string_view(context.begin(), static_cast<size_t>(end - context.begin()));
    return end;
  }
  template <class Context>
  auto format(const summand::lab::HalfAwayFromZero& number, Context& context) const {
    const double value = summand::lab::away_from_half(number.value, format_);
    return fmt::vformat_to(context.out(), "{:" + std::string(format_) + "}", fmt::make_format_args(value));
  }

 private:
  std::string_view format_;
};
