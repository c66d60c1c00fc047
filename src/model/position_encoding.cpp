#include "model/position_encoding.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/error.hpp"

namespace summand::model {

std::span<const EnumName<PositionKind>> enum_names(PositionKind) {
  static constexpr std::array names{
      EnumName{PositionKind::learned, "learned"}, EnumName{PositionKind::sinusoidal, "sinusoidal"},
      EnumName{PositionKind::none, "none"},       EnumName{PositionKind::relative, "relative"},
      EnumName{PositionKind::bias, "bias"},       EnumName{PositionKind::alibi, "alibi"},
      EnumName{PositionKind::rotary, "rotary"},
  };
  return names;
}

std::span<const EnumName<SinusoidLayout>> enum_names(SinusoidLayout) {
  static constexpr std::array names{
      EnumName{SinusoidLayout::interleaved, "interleaved"},
      EnumName{SinusoidLayout::halves, "halves"},
  };
  return names;
}

PositionSite site_of(PositionKind kind) {
  switch (kind) {
    case PositionKind::learned:
    case PositionKind::sinusoidal:
      return PositionSite::input;
    case PositionKind::none:
      return PositionSite::nowhere;
    case PositionKind::relative:
    case PositionKind::bias:
    case PositionKind::alibi:
      return PositionSite::scores;
    case PositionKind::rotary:
      return PositionSite::query_and_key;
  }
  __builtin_unreachable();
}

void require_outside_attention(PositionKind kind, std::string_view where) {
  switch (site_of(kind)) {
    case PositionSite::input:
    case PositionSite::nowhere:
      return;
    case PositionSite::scores:
    case PositionSite::query_and_key:
      throw ConfigError(where,
                        fmt::format("position encoding '{}' acts inside attention, which is not supported, expected "
                                    "'learned', 'sinusoidal' or 'none'",
                                    name_of(kind)));
  }
}

Matrix<double> sinusoidal_table(const PositionEncoding& encoding, size_t length, size_t width) {
  if (encoding.kind != PositionKind::sinusoidal) {
    throw ConfigError("position encoding", fmt::format("expected kind 'sinusoidal', got '{}'", name_of(encoding.kind)));
  }
  if (width % 2 != 0) {
    throw ConfigError("position encoding", fmt::format("a sinusoidal table needs an even width, got {}", width));
  }
  Matrix<double> table(length, width);
  const size_t frequencies = width / 2;
  for (size_t i = 0; i < frequencies; ++i) {
    const double frequency = std::pow(encoding.base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
    const bool interleaved = encoding.layout == SinusoidLayout::interleaved;
    const size_t sine = interleaved ? 2 * i : i;
    const size_t cosine = interleaved ? 2 * i + 1 : i + frequencies;
    for (size_t row = 0; row < length; ++row) {
      const double angle = (static_cast<double>(encoding.first_index) + static_cast<double>(row)) * frequency;
      table(row, sine) = encoding.scale * std::sin(angle);
      table(row, cosine) = encoding.scale * std::cos(angle);
    }
  }
  return table;
}

}  // namespace summand::model
