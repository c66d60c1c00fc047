#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "api/inspection/input_tables.hpp"
#include "model/part_ops.hpp"
#include "text/encoding.hpp"

namespace summand::api {

/// Shares of the variance of x = common + token + position + segment + together: Cov(part, x) / Var(x). They add up to
/// 1; a part that runs against x has a negative share. x varies over the coordinates of one token, or over the tokens
/// of a text.
struct PartShares {
  double common = 0, token = 0, position = 0, segment = 0;
  std::optional<double> together;  ///< interaction; nothing if the composition has none
};

/// The parts of one token's input vector x, before normalisation.
struct TokenParts {
  std::string token;
  int32_t position = 0;
  int32_t segment = 0;
  /// Euclidean norms of the composed rows, not centred; for a sum, of the rows themselves.
  double token_norm = 0, position_norm = 0, segment_norm = 0;
  double centred_token_norm = 0, centred_position_norm = 0, centred_segment_norm = 0;
  std::optional<double> together_norm, centred_together_norm;  ///< as PartShares::together
  PartShares share;                                            ///< over the coordinates of the token
  std::vector<model::GateValue> gates;                         ///< empty if the composition has none
};

struct TextParts {
  std::vector<TokenParts> tokens;
  /// Over the text's tokens, with covariance and variance summed over coordinates. A constant common vector, as in a
  /// sum, has share 0. If all tokens are equal, all shares are 0.
  PartShares share_between_tokens;
  /// The same without added special tokens, whose rows are unlike any word's and can dominate the variance. None if
  /// there are no such tokens.
  std::optional<PartShares> share_without_special;
};

/// One token's input vector as a sum of parts, and the values of its gates.
struct InputInParts {
  model::RowInParts row;
  std::vector<model::GateValue> gates;
};

/// What is changed of a text's input. The default changes nothing.
struct InputChange {
  /// Factors of the tables' centred rows; the mean rows stay. With a joint table all are 1.
  double token = 1, position = 1, segment = 1;
  /// [tokens], which position each takes; none: 0, 1, 2, …
  std::span<const int32_t> positions = {};
};

/// Splits the input vectors of a text's tokens into parts by model::PartOps: each part is the composition of a table's
/// centred rows.
/// @param encoding  must fit the model, as must the positions
/// @return [tokens]
[[nodiscard]] std::vector<InputInParts> input_in_parts(const InputTables& tables, const text::Encoding& encoding,
                                                       const InputChange& change = {});

/// Norms of the parts and their shares of x; parameters as above.
[[nodiscard]] TextParts parts_of(const InputTables& tables, const text::Tokenizer& tokenizer,
                                 const text::Encoding& encoding, const InputChange& change = {});

}  // namespace summand::api
