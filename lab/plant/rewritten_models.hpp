#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "io/checkpoint.hpp"
#include "model/config.hpp"
#include "model/enum_names.hpp"
#include "model/parameters.hpp"
#include "model/sentence_modules.hpp"
#include "model/weights.hpp"

namespace summand::lab {

/// Checkpoints with a known truth, made of another one. The first seven compute what that one computes.
enum class PlantedModel {
  shifted,          ///< W + c and P − c: one vector moved from the positions to the tokens
  scaled,           ///< all three tables times one number, which the normalisation behind them takes out again
  rewritten,        ///< both
  offset,           ///< to every row of each table a number of its own, which the normalisation behind them takes out
  gauge,            ///< what attention and normalisations leave free, in every layer: change_gauge()
  permuted,         ///< the hidden coordinates in another order, throughout the model
  unreached,        ///< token rows that no text reaches overwritten by others
  no_order,         ///< all position rows but row 0 are their mean
  white_positions,  ///< every position row in a random direction, as long as it was
  random,           ///< a BERT of other sizes as training begins, with a masked-language head tied to the token table
};
[[nodiscard]] std::span<const model::EnumName<PlantedModel>> enum_names(PlantedModel);

/// Whether it computes what its source computes.
[[nodiscard]] bool keeps_function(PlantedModel kind);

struct PlantedModelSettings {
  double scale = 1.0 / 32;                   ///< scaled, rewritten; a power of two rounds nothing
  double shift = 1;                          ///< shifted, rewritten: length of c, in mean lengths of a token row
  size_t layers = 4;                         ///< random
  size_t hidden = 128;                       ///< random
  size_t heads = 2;                          ///< random
  std::vector<Eigen::Index> unreached = {};  ///< unreached: rows of the token table; see unreached_ids()
};

/// A model's parameters, and how they stand to those of the model they were made of.
struct RewrittenModel {
  model::Config config;
  model::ModelParts parts;
  model::Weights weights;
  /// sentence-transformers' modules behind the pooling; those that read hidden vectors adapted to the coordinates.
  std::vector<model::SentenceStep> steps;
  /// Coordinate i here is coordinate permutation[i] there; empty where the order is the same.
  std::vector<size_t> permutation = {};
  /// scaled, rewritten: the largest relative change of a normalised sum that the normalisation's epsilon, which stays
  /// while its input shrinks, makes over all token rows, each at one position and segment.
  double epsilon_error = 0;
};

/// Rewrites a model, or draws one; all that is random in it comes from the stream.
///
/// Scaling: LN(s·x) with epsilon e is LN(x) with epsilon e/s². All layers share one epsilon in config.json, so it stays
/// what it is, and epsilon_error says what that changes. Where the token table is the decoder too, the normalisation
/// before the decoder is divided by s, which keeps the logits. Shifting adds one number to all logits of a token
/// there, which keeps the probabilities.
///
/// Offsets, and rows that no text reaches: where the token table is the decoder too, its rows stay as they are.
///
/// Rows that no text reaches are put equal, in turn, to a reached token's row, from the first one on, to a multiple of
/// a position's, and to a long one along a direction that they share: what would make a token unreadable, lay the
/// positions' directions into the tokens', and own the tokens' covariance.
///
/// Permuting: everything that is read off the hidden states comes out as it was, as pooled output, logits, attention
/// and vectors behind a Dense module; hidden states, and sentence vectors where no Dense module follows, come permuted.
/// @param checkpoint  its weights, configuration, parts and sentence modules are read
/// @throws UsageError for settings that make no model, the option named as `summand lab plant` has it
/// @throws CheckpointError if the weights are in 8 bits
/// @throws ConfigError if the three rows are not added, or the positions are no table of their own; not for `random`
[[nodiscard]] RewrittenModel rewritten_model(PlantedModel kind, const io::Checkpoint& checkpoint,
                                             const PlantedModelSettings& settings, RandomStream& stream);

}  // namespace summand::lab
