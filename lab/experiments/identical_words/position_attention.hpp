#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/number_name.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace identical_words {

// The metrics of bare_numbers_of(); what they are metrics of stands before their names.
inline constexpr NumberName kToeplitz{"identical_words", "toeplitz"};
inline constexpr NumberName kSymmetry{"identical_words", "symmetry"};
inline constexpr NumberName kMonotonicity{"identical_words", "monotonicity"};
inline constexpr NumberName kDirection{"identical_words", "direction"};
inline constexpr NumberName kPublishedLocality{"identical_words", "published_locality"};
inline constexpr NumberName kPublishedSymmetry{"identical_words", "published_symmetry"};
inline constexpr NumberName kHeadToeplitz{"identical_words", "head_toeplitz"};
inline constexpr NumberName kHeadSymmetry{"identical_words", "head_symmetry"};
inline constexpr NumberName kHeadMonotonicity{"identical_words", "head_monotonicity"};
inline constexpr NumberName kLogitToeplitz{"identical_words", "logit_toeplitz"};
inline constexpr NumberName kLogitSymmetry{"identical_words", "logit_symmetry"};
inline constexpr NumberName kLogitMonotonicity{"identical_words", "logit_monotonicity"};

}  // namespace identical_words

/// Local monotonicity looks so far, in positions.
inline constexpr Eigen::Index kLocalWindow = 20;

/// What the first layer's heads do where only positions differ: averaged over texts of one word repeated.
struct PositionAttention {
  std::vector<Table> attention;  ///< [heads] of [length, length], rows sum to 1
  std::vector<Table> logits;     ///< [heads] of [length, length], scaled, before the softmax
  std::vector<Table> groups;     ///< the attention of all heads averaged, for some groups of the words

  [[nodiscard]] Table mean_attention() const;
};

/// What stands around the repeated word.
enum class Around {
  special,  ///< [CLS] and [SEP]; their columns are left out and the rows divided by what remains
  nothing,  ///< the words alone, at the same positions
};

struct Repetition {
  std::vector<int32_t> words;  ///< ids
  size_t length = 0;           ///< times that each stands in its text
  Around around = Around::special;
};

/// Ordinary whole words of the vocabulary, drawn without repetition.
[[nodiscard]] std::vector<int32_t> words_to_repeat(const Subject& subject, size_t most, RandomStream& stream);

/// @param model  its first layer alone is run @pre one word or more, and length + 2 positions
[[nodiscard]] PositionAttention position_attention(ChangedModel model, const Subject& subject,
                                                   const Repetition& repetition);

/// Heads whose logits fall with distance, with the slopes of Press et al. 2022: 2^(−8h/heads).
[[nodiscard]] PositionAttention falling_attention(size_t heads, Eigen::Index length);
/// Heads of logits that are noise of this size.
[[nodiscard]] PositionAttention noisy_attention(size_t heads, Eigen::Index length, double size, RandomStream& stream);

/// The metrics, of the median head and of the heads' average. @param prefix  of the names; "" for none
[[nodiscard]] BareNumbers bare_numbers_of(const PositionAttention& positions, const std::string& prefix,
                                          const LocalizedText& of);

}  // namespace summand::lab
