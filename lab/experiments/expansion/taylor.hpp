#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lab/probing/interaction.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::expansion {

// Document 004's expansion of f(x + εp) about the sum without positions, in the position rows p of a text.

/// Strengths ε that are shown, in lengths of the position rows themselves.
inline constexpr std::array kShownStrengths{0.015625, 0.03125, 0.0625, 0.125, 0.25, 0.5, 1.0, 2.0, 4.0};
/// How many times as long as token rows the null's position rows are: no small change of any sum.
inline constexpr double kNullLength = 4;
/// Those that are shown, and behind them the null's.
using Strengths = std::array<double, kShownStrengths.size() + 1>;
inline constexpr size_t kSmallest = 0;
inline constexpr size_t kFull = 6;
inline constexpr size_t kNull = kShownStrengths.size();
static_assert(kShownStrengths[kFull] == 1.0);

/// @pre the position rows are not all equal
[[nodiscard]] Strengths strengths_of(const Subject& subject);

/// Exact changes and derivatives of one text, all functions.
struct Expanded {
  std::array<Vector, kNull + 1> changes;  ///< f(x + εp) − f(x), [functions] for each strength ε
  Vector first;                           ///< Σ_m ∇_m f · p_m, [functions]
  Vector same;                            ///< ½ Σ_m p_mᵀ H_mm p_m
  Vector pairs;                           ///< Σ_{m<n} p_mᵀ H_mn p_n
  std::vector<Table> terms;               ///< one [tokens, tokens] per function: p_mᵀ H_mn p_n

  /// @param order  1 or 2
  [[nodiscard]] Vector predicted(double strength, int order) const;
};

[[nodiscard]] Expanded expand(const Interaction& interaction, const ExpandedText& text, const Strengths& strengths);

/// The same text with these positions' rows as part of the point: the others alone are expanded.
[[nodiscard]] ExpandedText with_rows_kept(ExpandedText text, std::span<const size_t> positions);

/// (f(x + εp_m + εp_n) − f(x + εp_m) − f(x + εp_n) + f(x)) / ε², which ε → 0 brings to p_mᵀ H_mn p_n: both, of all
/// functions and of the pairs among a text's first tokens.
struct MixedDifferences {
  static constexpr size_t kTokens = 6;

  std::vector<double> exact;
  std::vector<double> expected;

  void add(const Interaction& interaction, const ExpandedText& text, const Expanded& of, double strength);
};

/// 1 − Σ(y − ŷ)²/Σy²: nothing is fitted, so it may fall far below 0.
[[nodiscard]] double explained(std::span<const double> exact, std::span<const double> expected);

/// Several texts, and what is read off them. The loss, whose unit is another, is left out of these.
struct ExpandedTexts {
  Strengths strengths{};
  std::vector<Expanded> texts;

  /// @param strength  its place @param chosen  texts, which may repeat
  [[nodiscard]] double explained_at(size_t strength, int order, std::span<const size_t> chosen) const;
  [[nodiscard]] double explained_at(size_t strength, int order) const;
  /// ‖of‖ over ‖f(x + εp) − f(x)‖. @param of  from a text and a strength's place to [functions]
  template <class Of>
  [[nodiscard]] double relative_size(size_t strength, const Of& of) const {
    double part = 0;
    double whole = 0;
    for (const auto& text : texts) {
      part += of(text, strength).head(Interaction::kDirections).squaredNorm();
      whole += text.changes[strength].head(Interaction::kDirections).squaredNorm();
    }
    return whole > 0 ? std::sqrt(part / whole) : 0;
  }
};

}  // namespace summand::lab::expansion
