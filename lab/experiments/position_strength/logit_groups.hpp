#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "lab/core/localized_text.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Which terms of a logit belong together; every one of the 16 is in one of them.
enum class LogitGroup {
  token_token,
  position_position,
  cross,            ///< token with position, both ways
  common_token,     ///< what every query asks of a token
  common_position,  ///< what every query asks of a position
  segment,          ///< whatever has a segment in it
  common_key,       ///< what every key answers: nearly the same for all of them
};

inline constexpr std::array kLogitGroups{LogitGroup::token_token,  LogitGroup::position_position, LogitGroup::cross,
                                         LogitGroup::common_token, LogitGroup::common_position,   LogitGroup::segment,
                                         LogitGroup::common_key};

/// Of its numbers: "token_token".
[[nodiscard]] const char* name_of(LogitGroup group);
[[nodiscard]] LocalizedText words_of(LogitGroup group);
[[nodiscard]] LogitGroup group_of(LogitPart query, LogitPart key);
/// The sum of the group's terms, [length, length].
[[nodiscard]] Table sum_of(const LogitTerms& terms, LogitGroup group);

/// Σ_j a_ij ln(a_ij / b_ij), the mean over rows i, in nats; what underflows to 0 counts as 1e-30.
[[nodiscard]] double divergence(const Table& attention, const Table& other);
/// The same from attention that is alike everywhere.
[[nodiscard]] double divergence_from_uniform(const Table& attention);

/// Whose the logits' variance over the keys of a query is. What is constant over keys does nothing in a softmax and is
/// taken out.
class TermShares {
 public:
  void add(const LogitTerms& terms);
  void add(const TermShares& other);
  /// Cov(term, logit)/Var(logit) over keys, all queries and heads together: they add up to 1. 0 if nothing varies.
  [[nodiscard]] double share(LogitPart query, LogitPart key) const;
  [[nodiscard]] double share(LogitGroup group) const;
  /// The group's own variance over keys, beside the logit's: 0 is uniform.
  [[nodiscard]] double spread(LogitGroup group) const;

 private:
  std::array<std::array<double, kLogitParts>, kLogitParts> covariances_{};
  std::array<double, kLogitGroups.size()> variances_{};
  double variance_ = 0;
};

}  // namespace summand::lab
