#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "api/inspection/parts.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/probing/first_logits.hpp"
#include "lab/probing/sum_decoder.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// What the position part, a row less the table's mean row, is multiplied by; the mean row stays as it is, so that 0
/// takes away which position it is and nothing else.
inline constexpr std::array<double, 8> kStrengths{0, 0.25, 0.5, 0.75, 1, 1.5, 2, 3};
inline constexpr size_t kUnchanged = 4;  ///< of kStrengths, the model as it is

/// Of an explored sentence; longer ones are cut.
inline constexpr size_t kExploredTokens = 24;
/// Sentences that may be given, so that the page stays below 8 MB.
inline constexpr size_t kMostGiven = 6;

/// A sentence at one strength of the position part.
struct StrengthenedSentence {
  api::TextParts parts;  ///< of what is composed with the centred position row times the strength
  /// [tokens], of a BERT, whose x = common + token + strength · position + segment: that x among all sums of the
  /// unchanged tables; none of another model
  std::vector<Decoded> decoded;
  /// Likewise, that x behind normalisation among all of those, normalised too
  std::vector<Decoded> normalised;
  double cosine = 0;             ///< of the sentence vector with that of the unchanged model
  std::vector<Table> attention;  ///< [layers · heads] of [tokens, tokens], layer after layer; rows are queries
};

/// A sentence, taken apart token by token.
struct ExploredSentence {
  std::string text;                             ///< as the tokens read
  std::string text_pair;                        ///< empty where it stands alone
  LocalizedText why;                            ///< what it is here for
  size_t cut = 0;                               ///< tokens that were cut off
  std::vector<SumItem> items;                   ///< [tokens]
  std::vector<uint8_t> special;                 ///< [tokens], 1 for those put around the text
  std::vector<StrengthenedSentence> strengths;  ///< as Exploration::strengths
  std::vector<LogitTerms> first_logits;         ///< [heads], of a BERT's first layer, unchanged; none of another model
};

/// Two rows of the position table, for every two of the first ones.
struct PositionPairs {
  std::vector<double> norms;                 ///< [positions], of the centred rows
  Table cosines;                             ///< [positions, positions], of the centred rows
  std::vector<double> products_by_distance;  ///< [positions], the mean p_m · p_n over all pairs that far apart
  /// [heads] of [fewer positions, fewer positions]: the first layer's position–position logits, rows are queries, with
  /// the corpus' mean 1/σ in the place of a token's own. None of a table alone and of what is no BERT.
  std::vector<Table> first_logits;
  size_t left_out = 0;  ///< positions of the table that stand in none of these
};

/// What the report's explorer shows.
struct Exploration {
  size_t layers = 0;
  size_t heads = 0;
  std::string composition;                     ///< its name: "sum"; empty with a table alone
  std::string formula;                         ///< as model::formula_of() gives it
  std::vector<double> strengths;               ///< kStrengths; 1 alone where no position row enters the input by itself
  size_t unchanged = 0;                        ///< of `strengths`, the model as it is
  std::vector<ExploredSentence> sentences;     ///< those that were given first
  std::map<Eigen::Index, std::string> tokens;  ///< names of all token rows that stand in `sentences`
  LocalizedText no_sentences;                  ///< why there are none; empty where there are
  std::vector<LocalizedText> left_out;         ///< sentences: what of this is not there, and why
  PositionPairs pairs;                         ///< no positions where a position has no row of its own
};

}  // namespace summand::lab
