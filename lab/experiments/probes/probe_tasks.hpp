#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/experiment.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/subject.hpp"
#include "model/batch.hpp"

namespace summand::lab {

namespace probes {

inline constexpr double kPenalty = 1e-3;   // added to the within-class variances of columns of variance 1
inline constexpr size_t kMostTokens = 50;  // classes of the token probe: the most frequent

}  // namespace probes

/// What is read from a hidden state: indices of the arrays below.
enum ProbedPart : size_t { token, position, segment };
inline constexpr size_t kProbedParts = 3;

/// What the probes read: texts made of the corpus' own words in random order of sentences, two segments each, so that
/// a token stands at many positions.
struct ProbeTexts {
  model::Batch batch;
  std::vector<size_t> text;   ///< of every token
  std::vector<bool> special;  ///< of every token
};

/// @pre the corpus has words
[[nodiscard]] ProbeTexts probe_texts(const Subject& subject, size_t texts, size_t length, RandomStream& stream);

/// Rows that a probe is fitted on and judged by, and what it is to say of each.
struct ProbeTask {
  std::vector<Eigen::Index> train, test;
  std::vector<int32_t> labels;  ///< of every row of the data; −1 where nothing is asked
  size_t classes = 0;
};

struct ProbeTasks {
  /// Split by item: a token is asked for at positions, a position or segment of tokens, that no training row has.
  std::array<ProbeTask, kProbedParts> probes;
  /// As many classes, dealt at random to another part's items, split by text: what learning by heart gives.
  /// Source: Hewitt & Liang 2019
  std::array<ProbeTask, kProbedParts> controls;
};

[[nodiscard]] ProbeTasks probe_tasks(const ProbeTexts& texts, size_t length, const Conditions& conditions);

/// A linear probe: discriminant analysis with one covariance for all classes, a little added to its diagonal, columns
/// standardised. Its scores are linear, as those of logistic regression; regression on indicators would not do: classes
/// that lie in a row, as positions do, hide each other (Hastie et al. 2009, section 4.2).
/// Source: Fisher 1936; Friedman 1989
/// @param features  [rows, columns]
/// @return of each test row whether the largest score is its class
[[nodiscard]] std::vector<bool> probe(const Table& features, const ProbeTask& task);

/// The fraction that is true; 0 of none.
[[nodiscard]] double rate_of(const std::vector<bool>& right);

/// Of always naming the class that is most frequent in training.
[[nodiscard]] double majority(const ProbeTask& task);

}  // namespace summand::lab
