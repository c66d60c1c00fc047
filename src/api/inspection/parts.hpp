#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/inspection/input_tables.hpp"
#include "model/part_ops.hpp"
#include "text/encoding.hpp"

namespace summand::api {

/// How much each part of x = common + token + position + segment + together explains of how x varies:
/// Cov(part, x)/Var(x). A part that runs against x has a negative share; the shares add up to 1. What x varies over is
/// said where they stand: the coordinates of one token, or the tokens of a text.
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
  PartShares share;                                            ///< within the token: over its coordinates
  std::vector<model::GateValue> gates;                         ///< none where the composition has none
};

struct TextParts {
  std::vector<TokenParts> tokens;
  /// Between tokens: over the text's tokens, covariance and variance summed over coordinates. A common vector that
  /// never varies, as that of a sum, has 0. A text whose tokens are all alike has no variance: all 0.
  PartShares share_between_tokens;
  /// The same without the special tokens that were put around the text, whose rows are unlike any word's and can make
  /// most of what varies. None where there are no such tokens.
  std::optional<PartShares> share_without_special;
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
