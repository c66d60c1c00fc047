#pragma once

#include <span>
#include <string>
#include <string_view>

#include "serve/live/look.hpp"

namespace summand::serve::live {

/// What a page must know of a model before it asks.
struct LiveFacts {
  std::string name;
  size_t layers = 0, heads = 0, hidden = 0;
  size_t limit = 0;                ///< tokens of a text
  std::string mask_token = {};     ///< empty if masks cannot be filled
  std::string unknown_token = {};  ///< empty if the vocabulary has none
  bool takes_pairs = false;
  bool has_vectors = false;
  bool adds_three_tables = false;  ///< sums can be read back, and the first layer's scores split
  std::string composition, formula;
  bool token = false, position = false, segment = false;  ///< whether each part's strength can be changed
};

[[nodiscard]] std::string to_json(const LiveFacts& facts);

/// @throws ConfigError for what is no JSON object, or has another key or type than expected
[[nodiscard]] LookRequest look_request(std::string_view json);

/// @param request  that it answers
[[nodiscard]] std::string to_json(const Look& look, const LookRequest& request);

}  // namespace summand::serve::live
