#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "base/matrix.hpp"
#include "model/enum_names.hpp"

namespace summand::model {

/// Which position encoding a model has.
enum class PositionKind {
  learned,     ///< a table of free rows: BERT
  sinusoidal,  ///< a table of sines and cosines (Vaswani et al. 2017)
  none,        ///< no position information at all
  relative,    ///< learned vectors per distance on the keys (Shaw et al. 2018)
  bias,        ///< a learned number per distance and head (Raffel et al. 2020, T5)
  alibi,       ///< a fixed slope times the distance (Press et al. 2022)
  rotary,      ///< query and key rotated by their position (Su et al. 2021)
};

/// Where an encoding enters the model.
enum class PositionSite { input, scores, query_and_key, nowhere };

/// How sine and cosine columns of one frequency lie.
enum class SinusoidLayout {
  interleaved,  ///< columns 2i and 2i+1 share one frequency (Vaswani et al. 2017)
  halves,       ///< columns i and i+width/2 share one frequency (tensor2tensor's code)
};

[[nodiscard]] std::span<const EnumName<PositionKind>> enum_names(PositionKind);
[[nodiscard]] std::span<const EnumName<SinusoidLayout>> enum_names(SinusoidLayout);

/// A position encoding with everything that libraries silently differ in.
struct PositionEncoding {
  PositionKind kind = PositionKind::learned;
  // What a sinusoidal table honours, and no other kind:
  double base = 10000.0;    ///< above 0; the longest wavelength is 2π·base
  int64_t first_index = 0;  ///< the position of a text's first token
  SinusoidLayout layout = SinusoidLayout::interleaved;
  double scale = 1.0;  ///< multiplies the table

  bool operator==(const PositionEncoding&) const = default;
};

/// Visits the fields that the encoding's kind honours, each with its name in the configuration: `kind` itself first, so
/// that reading it decides what may follow. Files hold, and tables show, these and no others.
template <class Encoding, class Visitor>
void visit_position_fields(Encoding& encoding, Visitor&& visit) {
  visit("kind", encoding.kind);
  if (encoding.kind != PositionKind::sinusoidal) return;
  visit("base", encoding.base);
  visit("first_index", encoding.first_index);
  visit("layout", encoding.layout);
  visit("scale", encoding.scale);
}

[[nodiscard]] PositionSite site_of(PositionKind kind);

/// For what computes with positions on the input alone.
/// @param where  who cannot, for the message
/// @throws ConfigError naming the kind if it acts inside attention
void require_outside_attention(PositionKind kind, std::string_view where);

/// The table that a sinusoidal encoding adds to the input.
/// @param length  rows; row r is position first_index + r
/// @param width   even
/// @return [length, width], times `scale`
/// @throws ConfigError if the kind is not sinusoidal or the width is odd
/// Source: Vaswani et al. 2017, section 3.5
[[nodiscard]] Matrix<double> sinusoidal_table(const PositionEncoding& encoding, size_t length, size_t width);

}  // namespace summand::model
