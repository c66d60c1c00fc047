#pragma once

#include "base/random_stream.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Every head balanced, then its query map in the key's place, with its bias.
[[nodiscard]] ChangedModel with_tied_maps(ChangedModel model);
/// Query and key maps drawn anew, independent of each other, each of its balanced form's mean square; of the inputs
/// less the bias of the normalisation that they come from.
[[nodiscard]] ChangedModel with_random_maps(ChangedModel model, RandomStream& stream);

/// Which maps the identity takes the place of. Values go with their output map: only the two maps' product counts.
enum class Identity { queries_keys, queries_keys_values };
/// Of inputs less the bias of the normalisation that they come from, queries and keys over its scale as well, the root
/// mean square of its weight: what all have in common, and how large all are, may as well lie in the maps. In all
/// layers. @param heads  1 leaves multi-head attention aside, as the document does
[[nodiscard]] ChangedModel with_identity(ChangedModel model, Identity which, int64_t heads);

/// The same with the first layer alone.
[[nodiscard]] ChangedModel first_layer_of(ChangedModel model);

}  // namespace summand::lab
