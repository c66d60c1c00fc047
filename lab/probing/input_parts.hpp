#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// A token, a position and a segment: rows of the three tables.
struct SumItem {
  Eigen::Index token = 0;
  Eigen::Index position = 0;
  Eigen::Index segment = 0;
};

/// The three tables of the input sum, each less its mean row: W + c with P − c is the same model, so raw norms and
/// angles depend on an arbitrary c, and these do not. x = common + token + position + segment.
struct InputParts {
  Table tokens;         ///< [vocabulary, hidden]
  Table positions;      ///< [positions, hidden]
  Table segments;       ///< [segments, hidden]
  Vector common;        ///< [hidden], the sum of the three means
  Vector segment_mean;  ///< [hidden], what a raw segment row has besides

  [[nodiscard]] Vector sum(const SumItem& item) const;
};

[[nodiscard]] InputParts input_parts(const Subject& subject);

/// The token's, the position's and the segment's part, as figures show them.
[[nodiscard]] const std::array<chart::Series, 3>& series_of_parts();

/// Why the sum cannot be taken apart: a table alone, or a model that does not add its three rows.
[[nodiscard]] std::optional<LocalizedText> lacks_sum(const Subject& subject);

/// The normalisation behind the sum.
struct FirstNorm {
  Vector weight;  ///< [hidden]
  Vector bias;    ///< [hidden]
  double epsilon = 0;

  /// 1/σ of a vector's coordinates, as the normalisation takes it.
  [[nodiscard]] double inverse_deviation(const Vector& x) const;
};

/// @pre there is a model
[[nodiscard]] FirstNorm first_norm(const Subject& subject);

/// Every token of the corpus, text after text; `texts` holds where each begins, and the end.
struct CorpusItems {
  std::vector<SumItem> items;
  std::vector<size_t> texts{0};

  /// How many texts have a token here.
  [[nodiscard]] size_t filled_texts() const;
};

/// Positions and segments that the tables do not have (a table was replaced) are taken as the last one.
[[nodiscard]] CorpusItems corpus_items(const Subject& subject);

/// Combinations of a token that a text may reach, a position and a segment, each as likely.
[[nodiscard]] std::vector<SumItem> uniform_items(const Subject& subject, size_t count, RandomStream& stream);
/// Drawn among the corpus' tokens, with replacement.
[[nodiscard]] std::vector<SumItem> drawn_items(const CorpusItems& corpus, size_t count, RandomStream& stream);

}  // namespace summand::lab
