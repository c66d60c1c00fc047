#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "engine/engine.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/number_name.hpp"
#include "lab/probing/attention.hpp"
#include "lab/probing/texts.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace self_match {

/// Of a word's weight, "most of the weight"; of words, most of them.
inline constexpr double kMostOfWeight = 0.5;

/// What is read off every run: members of its family of numbers.
inline constexpr const char* kFirst = "first";
inline constexpr const char* kWeight = "weight";
inline constexpr const char* kDominates = "dominates";

}  // namespace self_match

/// Whose rows: ordinary words', or all, those of [CLS] and [SEP] among them. Both meet the keys of all.
enum class OwnRows { words, all };
inline constexpr std::array kOwnRows{OwnRows::words, OwnRows::all};

/// What rows of attention do with their own word: sums over rows.
struct OwnMatch {
  double rows = 0;
  double first = 0;      ///< own logit at least as large as any other
  double weight = 0;     ///< own weight
  double dominates = 0;  ///< own weight above one half
  double margin = 0;     ///< (own logit − largest other) / the larger of both,
                         ///< without signs: above 0 where own is first
  double uniform = 0;    ///< 1 / length, what a weight is where all are equal

  /// @param left_out  of each row, whether it is not counted; empty: none
  void add(const Table& scores, double factor = 1, const std::vector<bool>& left_out = {});
  void add(const OwnMatch& other);
};

/// Of every layer, head and text.
struct OwnMatches {
  size_t layers = 0;
  size_t heads = 0;
  size_t texts = 0;
  std::array<std::vector<OwnMatch>, kOwnRows.size()> of;  ///< [rows][layers, heads, texts]

  [[nodiscard]] const OwnMatch& at(size_t layer, size_t head, size_t text, OwnRows rows = OwnRows::words) const {
    return of[static_cast<size_t>(rows)][(layer * heads + head) * texts + text];
  }
  [[nodiscard]] OwnMatch head(size_t layer, size_t head, OwnRows rows = OwnRows::words) const;
  [[nodiscard]] OwnMatch layer(size_t layer, OwnRows rows = OwnRows::words) const;
  [[nodiscard]] OwnMatch all() const;
  /// Of the chosen texts in the first layer.
  [[nodiscard]] OwnMatch chosen(std::span<const size_t> texts, OwnRows rows) const;
};

[[nodiscard]] OwnMatches own_matches(const engine::Engine& engine, const Texts& texts, const ChangeQueryKey& change);
/// Of words, over all layers, heads and texts, with the logits multiplied by each factor. @return [factors]
[[nodiscard]] std::vector<OwnMatch> over_factors(const engine::Engine& engine, const Texts& texts,
                                                 const ChangeQueryKey& change, std::span<const double> factors);

/// Puts some row's key in the place of each: what a word matches is no longer
/// its own. Every text and layer has a stream of its own.
[[nodiscard]] ChangeQueryKey shuffled_keys(uint64_t seed);
/// Puts the key in the query's place, each head's slice stretched to one
/// length: own logits are all `logit`, and by Cauchy–Schwarz none is larger.
[[nodiscard]] ChangeQueryKey equal_norms(size_t heads, double logit);
/// Stretches rows of equal query and key to norms of this spread: the mean norm times exp(spread · normal).
[[nodiscard]] ChangeQueryKey spread_norms(double spread, uint64_t seed);
/// One after the other.
[[nodiscard]] ChangeQueryKey both(ChangeQueryKey first, ChangeQueryKey second);

/// Standard deviation of the rows' norms over their mean, mean over texts.
/// @param rows  [tokens, hidden]
[[nodiscard]] double norm_spread(const Table& rows, const model::Batch& batch);

/// Three bare numbers, one a member.
/// @param args  for the places of the family's label besides {reading}
[[nodiscard]] BareNumbers bare_numbers_of(const OwnMatch& match, const NumberName& family, const FormatArgs& args = {});

}  // namespace summand::lab
