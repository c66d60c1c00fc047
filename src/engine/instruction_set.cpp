#include "engine/instruction_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

namespace summand::engine {

namespace {

std::string names_of_available() {
  std::string list;
  for (const InstructionSet set : available_instruction_sets()) {
    if (!list.empty()) list += ", ";
    list += model::name_of(set);
  }
  return list;
}

InstructionSet choose() {
  const auto available = available_instruction_sets();
  const char* const forced = std::getenv("SUMMAND_ISA");
  if (forced == nullptr) return available.back();
  const auto named = model::value_named<InstructionSet>(forced);
  if (named && std::ranges::count(available, *named) > 0) return *named;
  throw UsageError("SUMMAND_ISA", fmt::format("expected one that this machine has ({}), got '{}'", names_of_available(),
                                              printable(forced)));
}

}  // namespace

std::span<const model::EnumName<InstructionSet>> enum_names(InstructionSet) {
  static constexpr std::array names{
      model::EnumName{InstructionSet::generic, "generic"},
      model::EnumName{InstructionSet::avx2, "avx2"},
      model::EnumName{InstructionSet::avx512, "avx512"},
      model::EnumName{InstructionSet::avx512_vnni, "avx512_vnni"},
      model::EnumName{InstructionSet::avx512_bf16, "avx512_bf16"},
  };
  return names;
}

std::vector<InstructionSet> available_instruction_sets() {
  std::vector<InstructionSet> available{InstructionSet::generic};
#ifdef SUMMAND_ENGINE_X86
  __builtin_cpu_init();
  // The names must be literals, one call each.
  const std::array supported{
      std::pair{InstructionSet::avx2, __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0},
      std::pair{InstructionSet::avx512,
                __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0 &&
                    __builtin_cpu_supports("avx512dq") != 0 && __builtin_cpu_supports("avx512vl") != 0},
      std::pair{InstructionSet::avx512_vnni, __builtin_cpu_supports("avx512vnni") != 0},
      std::pair{InstructionSet::avx512_bf16, __builtin_cpu_supports("avx512bf16") != 0},
  };
  for (const auto& [set, is_supported] : supported) {
    if (!is_supported) break;
    available.push_back(set);
  }
#endif
  return available;
}

InstructionSet chosen_instruction_set() {
  static const InstructionSet chosen = choose();
  return chosen;
}

}  // namespace summand::engine
