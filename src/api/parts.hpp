#pragma once

#include <array>
#include <string>
#include <vector>

#include "api/loaded_model.hpp"
#include "base/matrix.hpp"

namespace summand::api {

/// The three tables of a model's input sum with their mean rows, in double.
///
/// W + c with P - c is the same model, so what belongs to which table is settled only once each table is centred: a row
/// is its table's mean plus a centred part, and the three means add up to one common vector.
struct InputTables {
  Matrix<double> token;                                         ///< [vocabulary, hidden]
  Matrix<double> position;                                      ///< [positions, hidden]; zeros where the model has none
  Matrix<double> segment;                                       ///< [segments, hidden]
  std::vector<double> token_mean, position_mean, segment_mean;  ///< [hidden], uniform over rows
};

/// @throws ConfigError if the model's composition is not the plain sum, or its positions act inside attention
[[nodiscard]] InputTables input_tables(const LoadedModel& model);

/// A quantity per part of x = common + token + position + segment.
struct PartShares {
  double common = 0, token = 0, position = 0, segment = 0;
};

/// The input vector of one token, taken apart.
struct TokenParts {
  std::string token;
  int32_t position = 0;
  int32_t segment = 0;
  double token_norm = 0, position_norm = 0, segment_norm = 0;  ///< Euclidean, of the rows as they are
  double centred_token_norm = 0, centred_position_norm = 0, centred_segment_norm = 0;
  PartShares share;  ///< Cov(part, x)/Var(x) over the coordinates; adds up to 1
};

struct TextParts {
  std::vector<TokenParts> tokens;
  /// Cov(part, x)/Var(x) over the text's tokens, both summed over coordinates. The common vector never varies: 0. A
  /// text whose tokens are all alike has no variance: all 0.
  PartShares share_over_tokens;
  /// The same without the special tokens that were put around the text, whose rows are unlike any word's and can make
  /// most of what varies.
  PartShares share_over_text;
};

[[nodiscard]] TextParts parts_of(const InputTables& tables, const text::Tokenizer& tokenizer,
                                 const text::Encoding& encoding);

}  // namespace summand::api
