#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "serve/routes/body.hpp"

namespace summand::serve {

/// One text, one pair, or one sequence of ids.
struct InputItem {
  std::string text;
  std::optional<std::string> pair = {};
  std::optional<std::vector<int32_t>> ids = {};  ///< the sequence as it is, special tokens included
};

/// What a request asks to be computed.
struct Input {
  std::vector<InputItem> items;
  bool single = false;  ///< one item that did not stand in a list
};

/// Reads `"s"`, `["s", …]`, `[int, …]` (one sequence) or a list with texts and sequences.
/// @throws Refused if the field is missing, empty or of another form
[[nodiscard]] Input read_input(Body& body, const std::string& field);

/// Reads what text-embeddings-inference's /predict takes: `"s"`, `["a", "b"]` (one pair), or a list of `["s"]`,
/// `["a", "b"]` and `"s"`.
[[nodiscard]] Input read_pairs(Body& body, const std::string& field);

}  // namespace summand::serve
