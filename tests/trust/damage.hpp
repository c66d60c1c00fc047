#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "trust/valid_checkpoints.hpp"

namespace summand::trust {

/// A damaged directory, and what was done to it.
struct Damaged {
  Files files;
  std::string removed_for;  ///< a path that is a directory or a link to itself instead of a file, or ""
  enum class Instead { nothing, directory, loop } instead = Instead::nothing;
  std::string what;  ///< one line for people
};

/// One to four changes: bits and bytes, pieces of a file cut, doubled or exchanged, whole files removed or exchanged,
/// and, in JSON and in headers of safetensors, values of other types, extreme numbers, keys removed, renamed and
/// doubled.
/// @param seed  the same changes for the same seed
[[nodiscard]] Damaged damaged(const Files& files, uint32_t seed);

/// Every value of every .json file, the whole document included, replaced by every strange value in turn.
void for_each_replaced_value(const Files& files, const std::function<void(const Damaged&)>& use);

}  // namespace summand::trust
