#pragma once

#include <cstddef>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace variance_shares_parts {
inline constexpr NumberName kDominated{"variance_shares", "dominated"};
inline constexpr NumberName kDominatedAll{"variance_shares", "dominated_all"};
inline constexpr NumberName kDominatedTurned{"variance_shares", "dominated_turned"};
inline constexpr NumberName kTokensThere{"variance_shares", "tokens_there"};
inline constexpr NumberName kLargest{"variance_shares", "largest_dimension"};
inline constexpr NumberName kLargestIs{"variance_shares", "largest_dimension_is"};  // families: of which tokens
inline constexpr NumberName kLargestPosition{"variance_shares", "largest_dimension_position"};
inline constexpr NumberName kTokenShare{"variance_shares", "token_share"};
inline constexpr NumberName kPositionShare{"variance_shares", "position_share"};
inline constexpr NumberName kSegmentShare{"variance_shares", "segment_share"};
/// Of the shares: over the corpus' words, and over its tokens with the special ones, before normalisation.
inline constexpr const char* kWords = "words";
inline constexpr const char* kCorpus = "corpus";
}  // namespace variance_shares_parts

/// Tokens of the corpus, text after text, and where each text begins; with the special ones and without.
struct SampledTokens {
  CorpusItems all, words;
};

/// Whole texts of the corpus, drawn without repetition until they are enough for an interval and have at least so many
/// tokens, or all.
[[nodiscard]] SampledTokens sampled_tokens(const Subject& subject, size_t tokens, RandomStream& stream);

/// The addends of some tokens and of uniform combinations, before and after the first normalisation.
struct PartSamples {
  const SampledTokens& tokens;
  const std::vector<SumItem>& uniform_items;
  PartRows all, words, all_after, words_after, uniform_after;

  PartSamples(const InputParts& parts, const FirstNorm& norm, const SampledTokens& of,
              const std::vector<SumItem>& uniform);
};

/// Positions turned at random: of the same variance, no dimension is theirs.
[[nodiscard]] InputParts turned(InputParts parts, RandomStream& stream);
/// Positions of noise, every tenth dimension theirs: there four times the
/// tokens' variance over these words, elsewhere a tenth of it.
[[nodiscard]] InputParts with_own_dimensions(InputParts parts, const PartRows& words, RandomStream& stream);

/// How much of the variance lies where positions dominate, and what it takes to say so.
struct Dominance {
  Interval dominated;       ///< over texts
  Interval position_share;  ///< of the whole, over texts
  Interval tokens_there;    ///< over texts
  double turned_high = 0;   ///< upper end of the middle 95 % of positions turned at random
};

/// @param turned_high  of the same positions turned
[[nodiscard]] Dominance dominance_of(const PartSamples& samples, double turned_high, const Draws& draws);

/// In how many dimensions positions have over half of the variance, how much these dimensions hold, and what share each
/// part has: first the one that decides, of the corpus' words before normalisation.
[[nodiscard]] BareNumbers bare_dominance_numbers(const PartSamples& samples, const InputParts& parts,
                                                 const Conditions& conditions);

}  // namespace summand::lab
