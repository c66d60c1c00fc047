#pragma once

#include <cstddef>
#include <string>

#include "lab/probing/changed_model.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// One head's query and key map in the form that belongs to its scores alone: W_Qᵀ W_K = U S Vᵀ, query S^½ Uᵀ, key
/// S^½ Vᵀ. Maps A W_Q and A⁻ᵀ W_K have the same scores for any invertible A, and this form; its queries' inner
/// products are the root of M Mᵀ, with M for W_Qᵀ W_K.
struct BalancedHead {
  Table query;  ///< [head size, inputs of the query]
  Table key;    ///< [head size, inputs of the key]
};

/// @param query, key  [head size, inputs]; a bias is the column of an input that is 1
[[nodiscard]] BalancedHead balanced_head(const Table& query, const Table& key);

/// All heads of a layer, one below the other.
struct BalancedLayer {
  Table query;        ///< [hidden, hidden]
  Vector query_bias;  ///< [hidden]
  Table key;          ///< [hidden, hidden]
};

/// Every head balanced, with the query's bias, of the smallest maps that make the same of all that the normalisation
/// before them can give, taken of its outputs less their bias, in
/// units of their scale. The key's bias is left out: it adds one number to all
/// scores of a row, which the softmax takes out.
[[nodiscard]] BalancedLayer balanced_layer(const ChangedModel& model, size_t layer);

/// Every head of all layers balanced, the key's bias 0. Attention stays as it is.
[[nodiscard]] ChangedModel with_balanced_maps(ChangedModel model);

/// Puts a linear map in the place of another.
/// @param name  as in "encoder.layer.0.attention.self.query" @param weight  [out, in] @param bias  [out]
void set_map(ChangedModel& model, const std::string& name, const Table& weight, const Vector& bias);

}  // namespace summand::lab
