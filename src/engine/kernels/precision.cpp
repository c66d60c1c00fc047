#include "engine/kernels/precision.hpp"

#include <fmt/format.h>

#include <array>

namespace summand::engine {

std::span<const model::EnumName<Precision>> enum_names(Precision) {
  static constexpr std::array names{
      model::EnumName{Precision::fp32, "fp32"},
      model::EnumName{Precision::bf16, "bf16"},
      model::EnumName{Precision::fp16, "fp16"},
      model::EnumName{Precision::int8, "int8"},
  };
  return names;
}

bool is_half(Precision precision) {
  return precision == Precision::bf16 || precision == Precision::fp16;
}

std::string describe(Precision precision, Precision attention) {
  const std::string name(model::name_of(precision));
  if (precision == attention) return name;
  return fmt::format("{}, attention in {}", name, model::name_of(attention));
}

}  // namespace summand::engine
