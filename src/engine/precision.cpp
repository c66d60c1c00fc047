#include "engine/precision.hpp"

#include <fmt/format.h>

#include <array>

#include "base/error.hpp"

namespace summand::engine {

namespace {

/// The poorest instruction set with native products.
InstructionSet needed_for(Precision precision) {
  switch (precision) {
    case Precision::fp32:
      return InstructionSet::generic;
    case Precision::bf16:
      return InstructionSet::avx512_bf16;
    case Precision::int8:
      return InstructionSet::avx512_vnni;
  }
  __builtin_unreachable();
}

}  // namespace

std::span<const model::EnumName<Precision>> enum_names(Precision) {
  static constexpr std::array names{
      model::EnumName{Precision::fp32, "fp32"},
      model::EnumName{Precision::bf16, "bf16"},
      model::EnumName{Precision::int8, "int8"},
  };
  return names;
}

bool runs(Precision precision, InstructionSet instruction_set) {
  return instruction_set >= needed_for(precision);
}

Precision attention_precision(Precision precision, InstructionSet instruction_set) {
  if (precision == Precision::fp32 || !runs(Precision::bf16, instruction_set)) return Precision::fp32;
  return Precision::bf16;
}

std::string describe(Precision precision, Precision attention) {
  const std::string name(model::name_of(precision));
  if (precision == attention) return name;
  return fmt::format("{}, attention in {}", name, model::name_of(attention));
}

void check_runs(Precision precision, InstructionSet instruction_set) {
  if (runs(precision, instruction_set)) return;
  throw UsageError("precision", fmt::format("{}: expected native products ({}), this run has {}; fp32 runs everywhere",
                                            model::name_of(precision), model::name_of(needed_for(precision)),
                                            model::name_of(instruction_set)));
}

}  // namespace summand::engine
