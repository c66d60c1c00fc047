#pragma once

#include "base/random_stream.hpp"
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

/// Every head balanced, with the query's bias. The key's bias is 0: it adds one number to all scores of a row, which
/// the softmax takes out. Attention stays as it is.
[[nodiscard]] ChangedModel with_balanced_maps(ChangedModel model);
/// Every head balanced, then its query map in the key's place, with its bias.
[[nodiscard]] ChangedModel with_tied_maps(ChangedModel model);
/// Query and key maps drawn anew, independent of each other, each of its balanced form's mean square and without a
/// bias.
[[nodiscard]] ChangedModel with_random_maps(ChangedModel model, RandomStream& stream);

/// Which maps the identity takes the place of. Values go with their output map: only the two maps' product counts.
enum class Identity { queries_keys, queries_keys_values };
/// With biases of 0, in all layers. @param heads  1 leaves multi-head attention aside, as the document does
[[nodiscard]] ChangedModel with_identity(ChangedModel model, Identity which, int64_t heads);

/// The same with the first layer alone.
[[nodiscard]] ChangedModel first_layer_of(ChangedModel model);

}  // namespace summand::lab
