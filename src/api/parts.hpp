#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/input_tables.hpp"
#include "model/part_ops.hpp"
#include "text/encoding.hpp"

namespace summand::api {

/// A quantity per part of x = common + token + position + segment + together.
struct PartShares {
  double common = 0, token = 0, position = 0, segment = 0;
  std::optional<double> together;  ///< nothing where the composition makes nothing of two parts together
};

/// The input vector x of one token, before it is normalised, taken apart.
struct TokenParts {
  std::string token;
  int32_t position = 0;
  int32_t segment = 0;
  /// Euclidean, of what the composition makes of the rows as they are: of a sum the rows themselves.
  double token_norm = 0, position_norm = 0, segment_norm = 0;
  double centred_token_norm = 0, centred_position_norm = 0, centred_segment_norm = 0;
  std::optional<double> together_norm, centred_together_norm;  ///< as PartShares::together
  PartShares share;                     ///< Cov(part, x)/Var(x) over the coordinates; adds up to 1
  std::vector<model::GateValue> gates;  ///< none where the composition has none
};

struct TextParts {
  std::vector<TokenParts> tokens;
  /// Cov(part, x)/Var(x) over the text's tokens, both summed over coordinates. A common vector that never varies, as
  /// that of a sum, has 0. A text whose tokens are all alike has no variance: all 0.
  PartShares share_over_tokens;
  /// The same without the special tokens that were put around the text, whose rows are unlike any word's and can make
  /// most of what varies.
  PartShares share_over_text;
};

/// The input vector of one token as the sum of its addends, and what gates its parts.
struct InputInParts {
  model::RowInParts row;
  std::vector<model::GateValue> gates;
};

/// Takes the input vectors of a text's tokens apart, as model::PartOps does: each part is what the composition makes of
/// a table's rows less their mean row.
/// @param encoding  that fits the model
/// @param position_strength  what the position rows less their mean row are multiplied by; 1: the model as it is
/// @return [tokens]
[[nodiscard]] std::vector<InputInParts> input_in_parts(const InputTables& tables, const text::Encoding& encoding,
                                                       double position_strength = 1);

/// How long the parts are, and what share of x each has; parameters as above.
[[nodiscard]] TextParts parts_of(const InputTables& tables, const text::Tokenizer& tokenizer,
                                 const text::Encoding& encoding, double position_strength = 1);

}  // namespace summand::api
