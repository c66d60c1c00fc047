#pragma once

#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/readings.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/probing/input_parts.hpp"

namespace summand::lab {

namespace variance_shares_parts {
inline constexpr NumberName kDominated{"variance_shares", "dominated"};
inline constexpr NumberName kDominatedAfter{"variance_shares", "dominated_after"};
inline constexpr NumberName kTokensThere{"variance_shares", "tokens_there"};
inline constexpr NumberName kTokenShare{"variance_shares", "token_share"};
inline constexpr NumberName kPositionShare{"variance_shares", "position_share"};
inline constexpr NumberName kSegmentShare{"variance_shares", "segment_share"};
/// Of the shares: over the corpus, before normalisation.
inline constexpr const char* kCorpus = "corpus";
}  // namespace variance_shares_parts

/// The addends of the corpus' tokens and of uniform combinations, before and after the first normalisation.
struct PartSamples {
  std::vector<SumItem> corpus_items, uniform_items;
  PartRows corpus, corpus_after, uniform_after;
};

[[nodiscard]] PartSamples samples_of(const InputParts& parts, const FirstNorm& norm, std::vector<SumItem> corpus,
                                     std::vector<SumItem> uniform);
/// The same tokens and combinations of other parts.
[[nodiscard]] PartSamples samples_like(const PartSamples& samples, const InputParts& parts, const FirstNorm& norm);

/// Positions turned at random, with a tenth of the variance of the corpus: no dimension is theirs.
[[nodiscard]] InputParts evenly_spread(InputParts parts, const PartRows& corpus, RandomStream& stream);
/// Every tenth dimension the positions': there four times the tokens' variance in the corpus, elsewhere a tenth of it.
[[nodiscard]] InputParts with_own_dimensions(InputParts parts, const PartRows& corpus);

/// In how many dimensions positions have over half of the variance, and what share each part has: first the one that
/// decides, of the corpus before normalisation.
[[nodiscard]] Readings dominance_readings(const PartSamples& samples, const InputParts& parts,
                                          const Conditions& conditions);

}  // namespace summand::lab
