#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lab/core/bare_numbers.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_name.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/moments.hpp"
#include "model/batch.hpp"

namespace summand::lab {

namespace score_scale {

inline constexpr double kSaturated = 0.99;  // of a row's weight, on one word

inline constexpr NumberName kEntropyRatio{"score_scale", "entropy_ratio"};
inline constexpr NumberName kSpread{"score_scale", "spread"};  // ends of names: under a scale
inline constexpr NumberName kSaturatedRows{"score_scale", "saturated"};

}  // namespace score_scale

/// Of the entropy: "falls clearly".
inline constexpr double kHalfEntropy = 0.5;

/// Three ways to scale a dot product of width a.
enum class ScoreScale { none, root, width };
inline constexpr std::array kScoreScales{ScoreScale::root, ScoreScale::none, ScoreScale::width};

[[nodiscard]] size_t scale_index(ScoreScale scale);
[[nodiscard]] const chart::Series& series_of(ScoreScale scale);
/// "unscaled_spread".
[[nodiscard]] std::string name_under(ScoreScale scale, const NumberName& what);

/// Of the rows of some attention, summed.
struct ScoreRows {
  double rows = 0;
  double spread = 0;     ///< standard deviation of a row's logits
  double entropy = 0;    ///< of its weights, of ln length
  double saturated = 0;  ///< rows with nearly all weight on one word
  double gradient = 0;   ///< Σ p(1 − p): what a logit can still move

  /// @param scores  [length, length], scaled as the model does; length at least 2
  void add(const Table& scores, double factor);
  void add(const ScoreRows& other);
};
using ScaledRows = std::array<ScoreRows, kScoreScales.size()>;

/// Every head's rows under each scale.
struct ScoreHeads {
  std::vector<std::vector<ScaledRows>> of;  ///< [layers × heads][texts]

  [[nodiscard]] ScaledRows head(size_t number, std::span<const size_t> texts) const;
  [[nodiscard]] std::vector<size_t> texts() const;
  /// The median over heads of what a head's rows give.
  template <class Of>
  [[nodiscard]] double middle(const Of& number, std::span<const size_t> chosen) const {
    std::vector<double> values;
    for (size_t h = 0; h < of.size(); ++h) values.push_back(number(head(h, chosen)));
    return median(values);
  }
};

[[nodiscard]] ScoreHeads score_heads(const ChangedModel& model, const model::Batch& batch,
                                     const ChangeQueryKey& change);
/// Entropy without the scale over that with it.
[[nodiscard]] double entropy_ratio(const ScaledRows& rows);
/// "entropy_ratio" first.
[[nodiscard]] BareNumbers bare_numbers_of(const ScoreHeads& heads);

/// How the logits' spread grows with the head's width: e where it is as width^e, from a random quarter of each head's
/// directions to all, in the first layer; ½ where coordinates are independent, 0 where there is no spread. Median head.
/// Of balanced maps and over all quarters: a head's own coordinates are any basis, in which a checkpoint may be written
/// as well as in another.
[[nodiscard]] double growth_exponent(const ChangedModel& model, const model::Batch& batch,
                                     const ChangeQueryKey& change);

/// Puts the text's mean key in the place of each.
void equal_keys(const QueryKey& maps);
/// Independent coordinates of mean 0 and variance 1, for queries and keys.
[[nodiscard]] ChangeQueryKey unit_normal(uint64_t seed);

}  // namespace summand::lab
