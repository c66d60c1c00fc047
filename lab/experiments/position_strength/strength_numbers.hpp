// 4.9: has the length of the position rows anything to do with attention scores?
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/position_strength/logit_groups.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace position_strength {

inline constexpr const char* kHalving = "halving";
inline constexpr const char* kDoubling = "doubling";
// Members of a family beside the one that is judged: with row 0 strengthened too, and without special tokens or,
// where those are left out anyway, with them.
inline constexpr const char* kAllRows = "all_rows";
inline constexpr const char* kWords = "words";
inline constexpr const char* kAllTokens = "all_tokens";

inline constexpr NumberName kMovedBy{"position_strength", "moved_by"};  // a family: by a named strength
inline constexpr NumberName kCrossSpread{"position_strength", "cross_spread"};
inline constexpr NumberName kShareOfNorms{"position_strength", "position_share_of_norms"};
inline constexpr NumberName kShareOfLogits{"position_strength", "position_share_of_logits"};

}  // namespace position_strength

/// A strength of the positions that has numbers; figures have more.
struct NamedStrength {
  double strength = 1;
  const char* name = "";
  LocalizedText words;
};
/// None, half and twice the model's own.
[[nodiscard]] const std::array<NamedStrength, 3>& named_strengths();

/// How much of it is done.
struct StrengthSize {
  size_t texts = 24;    ///< whose logits are split
  size_t longest = 64;  ///< tokens
  size_t watched = 10;  ///< of them, through taps
  size_t resamplings = 500;
  std::vector<double> strengths{0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3};           ///< of the figure
  std::vector<LogitGroup> zeroed{kLogitGroups.begin(), kLogitGroups.end()};  ///< whose loss the output is asked for

  [[nodiscard]] static StrengthSize quick();
  [[nodiscard]] static StrengthSize of(const Conditions& conditions);
};

/// How far the first layer's attention moves with the positions' strength, and whose its logits are.
/// @param draws  of texts, for intervals
/// @return the terms' shares, for a figure
TermShares add_logit_numbers(const Subject& subject, const FirstLogits& logits, const Texts& texts,
                             const Conditions& conditions, const Draws& draws, Numbers& numbers);

}  // namespace summand::lab
