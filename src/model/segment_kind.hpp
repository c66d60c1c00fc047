#pragma once

#include <array>
#include <span>

#include "model/enum_names.hpp"

namespace summand::model {

/// How a model is told which segment a token is of.
enum class SegmentKind {
  learned,  ///< a table of free rows: BERT
  none,     ///< not at all: its part of the input is 0
};

[[nodiscard]] inline std::span<const EnumName<SegmentKind>> enum_names(SegmentKind) {
  static constexpr std::array names{
      EnumName{SegmentKind::learned, "learned"},
      EnumName{SegmentKind::none, "none"},
  };
  return names;
}

}  // namespace summand::model
