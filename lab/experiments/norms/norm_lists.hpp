#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/number_name.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

namespace norms {
inline constexpr NumberName kRawRatio{"norms", "raw_ratio"};
inline constexpr NumberName kCentredRatio{"norms", "centred_ratio"};
inline constexpr NumberName kRawRatioCorpus{"norms", "raw_ratio_corpus"};
inline constexpr NumberName kCentredRatioCorpus{"norms", "centred_ratio_corpus"};
inline constexpr NumberName kCentredRatioWords{"norms", "centred_ratio_words"};
inline constexpr NumberName kCentredRatioOrdinary{"norms", "centred_ratio_ordinary"};
inline constexpr double kPlantedRatio = 2;     // the control's, of tokens over positions
inline constexpr double kLargestRatio = 1000;  // also where positions have no length
}  // namespace norms

/// Euclidean, of every row.
[[nodiscard]] std::vector<double> norms_of(const Table& table);

/// How long the rows of the three tables are, raw and with each table centred.
struct NormLists {
  std::vector<double> token, position, segment;
  std::vector<double> centred_token, centred_position, centred_segment;
  /// Centred, without row 0 and the rows that stand out, and without [CLS]'s token row, which have no part in it.
  std::vector<double> ordinary_position, ordinary_token;
};

/// The corpus' tokens, and those of them that are words: not special ones.
struct NormCorpus {
  CorpusItems all, words;
};

/// @param ordinary_tokens  rows of the token table without [CLS]'s
[[nodiscard]] NormLists norm_lists(const Table& tokens, const Table& positions, const Table& segments,
                                   const Table& ordinary_tokens);
/// The rows of the three tables, [rows, hidden] each, dealt anew into three of the same sizes: no table is longer.
[[nodiscard]] NormLists dealt_lists(const std::array<Table, 3>& seen, RandomStream& stream);
/// As if each table were scaled: centred token rows of mean norm kPlantedRatio,
/// position and segment rows of mean norm 1.
[[nodiscard]] NormLists scaled_lists(NormLists lists);

/// The mean norm of the tokens over that of the positions, as they occur in some of the corpus' texts.
[[nodiscard]] double corpus_ratio(const CorpusItems& corpus, const std::vector<double>& token,
                                  const std::vector<double>& position, std::span<const size_t> texts);

/// The mean norm of tokens over that of positions when the rows of both are
/// dealt anew into two tables of the same sizes, draw by draw.
[[nodiscard]] std::vector<double> dealt_ratios(const std::vector<double>& token, const std::vector<double>& position,
                                               const Draws& draws);

/// The share of dealt ratios that are smaller than this one.
[[nodiscard]] double share_below(double ratio, const std::vector<double>& dealt);

/// The ratio of the centred means first, then that of the raw ones and these
/// means; the corpus' ratios where there is a corpus; the quantiles last.
[[nodiscard]] BareNumbers bare_numbers_of(const NormLists& lists, const NormCorpus& corpus);

}  // namespace summand::lab
