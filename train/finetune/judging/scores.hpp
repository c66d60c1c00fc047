#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"

namespace summand::train {

/// How rows are drawn with replacement for the interval of a score.
struct Resampling {
  uint64_t seed = 0;
  size_t count = 1000;  ///< 0: no interval
};

/// A score with the 95 % interval of its bootstrap over rows: percentiles of the resamplings.
struct Score {
  std::string name;
  double value = 0;
  double low = 0;
  double high = 0;
  std::vector<double> draws = {};  ///< of each resampling; the same rows are drawn for every score of as many rows
};

/// nullptr if none has the name.
[[nodiscard]] const Score* score_named(std::span<const Score> scores, std::string_view name);

/// How often each label is true, predicted, and both: all that the next three scores need of a confusion.
struct LabelCounts {
  std::vector<double> truth, predicted, right;  ///< [labels]
  double all = 0;

  explicit LabelCounts(size_t labels);
  void add(int32_t true_label, int32_t predicted_label, double times = 1);
};

/// Share of rows that are right. 0 without rows.
[[nodiscard]] double accuracy(const LabelCounts& counts);
/// Mean over labels of the harmonic mean of precision and recall; labels in neither truth nor prediction do not count.
/// As scikit-learn's f1_score(average="macro", zero_division=0) on the labels that occur.
[[nodiscard]] double macro_f1(const LabelCounts& counts);
/// Matthews' correlation of several labels; 0 if truth or prediction is constant. Source: Gorodkin 2004, as
/// scikit-learn's matthews_corrcoef
[[nodiscard]] double matthews(const LabelCounts& counts);

/// Pearson's correlation; 0 if one side is constant.
[[nodiscard]] double pearson(std::span<const double> left, std::span<const double> right);
/// Spearman's rank correlation, ties with their mean rank; 0 if one side is constant.
[[nodiscard]] double spearman(std::span<const double> left, std::span<const double> right);

/// Spans of a row that are in truth, in the prediction, and in both.
struct SpanCounts {
  uint64_t truth = 0, predicted = 0, both = 0;
};
/// Whether labels name spans: "O", or a letter of B, I, E, S, a hyphen and a type.
[[nodiscard]] bool name_spans(std::span<const std::string> names);
/// Counts a row's spans as seqeval does by default, where a span may begin with I-.
[[nodiscard]] SpanCounts count_spans(std::span<const int32_t> truth, std::span<const int32_t> predicted,
                                     std::span<const std::string> names);
/// Micro-average. 0 without spans.
[[nodiscard]] double span_f1(const SpanCounts& counts);

/// A row's truth and prediction: one label each, or one for each word.
struct LabelPair {
  std::vector<int32_t> truth, predicted;
};

/// Accuracy, macro-F1 and Matthews' correlation; with labels that name spans also their F1.
[[nodiscard]] std::vector<Score> label_scores(std::span<const LabelPair> rows, std::span<const std::string> names,
                                              const Resampling& resampling);
/// Of rows with several labels or none: share of rows that are right in all, micro-F1, macro-F1.
/// @param truth, predicted  [rows][labels], 0 or 1
[[nodiscard]] std::vector<Score> several_label_scores(const Matrix<uint8_t>& truth, const Matrix<uint8_t>& predicted,
                                                      const Resampling& resampling);
/// Average precision over all rows, as scikit-learn's average_precision_score, and the mean over queries with a
/// relevant passage of the first one's reciprocal rank; irrelevant passages of the same score rank before it.
/// @param queries  [rows], a number for each query
/// @param relevant  [rows], 0 or 1
/// @param scores  [rows], more is more relevant
[[nodiscard]] std::vector<Score> ranking_scores(std::span<const size_t> queries, std::span<const uint8_t> relevant,
                                                std::span<const double> scores, const Resampling& resampling);
/// Pearson, Spearman and the mean squared error.
[[nodiscard]] std::vector<Score> number_scores(std::span<const double> truth, std::span<const double> predicted,
                                               const Resampling& resampling);

/// A score less another of the same name and rows, with the interval of their paired resamplings.
[[nodiscard]] Score difference(const Score& one, const Score& other);

/// A statistic of all rows, with its bootstrap interval.
/// @param statistic  of a list of rows, of which some come several times
[[nodiscard]] Score bootstrap(std::string name, size_t rows, const Resampling& resampling,
                              const std::function<double(std::span<const size_t>)>& statistic);
/// The same of a share of rows. Of 0 or all of them, which no resampling changes, the interval is Clopper and
/// Pearson's.
[[nodiscard]] Score bootstrap_share(std::string name, size_t rows, const Resampling& resampling,
                                    const std::function<double(std::span<const size_t>)>& statistic);

}  // namespace summand::train
