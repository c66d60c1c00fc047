#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "lab/probing/interaction.hpp"
#include "lab/statistics/interval.hpp"
#include "lab/statistics/resampling.hpp"
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
  Table slopes;                           ///< [functions, tokens]: ∇_m f · p_m
  std::vector<Table> terms;               ///< one [tokens, tokens] per function: p_mᵀ H_mn p_n

  /// Of all positions at once. @param order  1 or 2
  [[nodiscard]] Vector predicted(double strength, int order) const;
};

/// @return one for each text
[[nodiscard]] std::vector<Expanded> expand(const Interaction& interaction, const std::vector<ExpandedText>& texts,
                                           const Strengths& strengths);

/// The same text with these positions' rows as part of the point: the others alone are expanded.
[[nodiscard]] ExpandedText with_rows_kept(ExpandedText text, std::span<const size_t> positions);

/// Σ(y − ŷ)² and Σy² of what was expected of some y, [texts, directions] each; the loss, whose unit is another, is left
/// out. What they share is 1 − Σ(y − ŷ)²/Σy²: nothing is fitted, so it may fall far below 0.
struct Explained {
  std::vector<Vector> rest;   ///< [texts] of [directions]
  std::vector<Vector> whole;  ///< likewise

  void begin_text();
  /// Of the text begun last. @param exact  [functions], here and below
  void add(const Vector& exact, const Vector& expected);

  [[nodiscard]] double share() const;
  /// Texts and directions are both drawn again.
  [[nodiscard]] Interval interval(const Draws& draws) const;
};

/// What two positions do, the document's case: the model at x + εp_m + εp_n, for every pair of some tokens.
struct Pairs {
  Explained first;   ///< f(x + εp_m + εp_n) − f(x), to the first order
  Explained second;  ///< to the second
  /// f(x + εp_m + εp_n) − f(x + εp_m) − f(x + εp_n) + f(x), which is exactly what takes both positions, by ε² p_mᵀHp_n.
  Explained mixed;
  double squares_first = 0;  ///< Σ over texts, directions and pairs of the first order's terms, squared
  double squares_same = 0;   ///< of ½ε² p_mᵀH_mm p_m + ½ε² p_nᵀH_nn p_n
  double squares_pair = 0;   ///< of ε² p_mᵀH_mn p_n

  /// @param tokens  those whose pairs are taken: [begin, end)
  void add(const Interaction& interaction, const ExpandedText& text, const Expanded& of, double strength,
           std::array<Eigen::Index, 2> tokens);

  /// The root of such a sum beside that of the change.
  [[nodiscard]] double size(double squares) const;
};

/// 1 − Σ(y − ŷ)²/Σy².
[[nodiscard]] double explained(std::span<const double> exact, std::span<const double> expected);

/// Several texts, all positions at once.
struct ExpandedTexts {
  Strengths strengths{};
  std::vector<Expanded> texts;

  /// @param strength  its place
  [[nodiscard]] Explained explained_at(size_t strength, int order) const;
};

}  // namespace summand::lab::expansion
