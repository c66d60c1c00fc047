#pragma once

#include <functional>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The joint probabilities of pairs of rows: Gaussian neighbours, every row's of the same perplexity, made symmetric.
/// @param perplexity  at least 1 and below the number of rows
/// @return [rows, rows], symmetric, diagonal 0, sum 1
/// Source: van der Maaten & Hinton 2008, equations 1 and section 3.1
[[nodiscard]] Table joint_probabilities(const Table& table, double perplexity);

/// What t-SNE makes small: KL(P‖Q), Q from Student's t with one degree of freedom. In nats.
/// @param embedding  [rows, dimensions]
[[nodiscard]] double tsne_objective(const Table& joint, const Table& embedding);
/// Its derivative by the embedding. @return [rows, dimensions]
/// Source: equation 5
[[nodiscard]] Table tsne_gradient(const Table& joint, const Table& embedding);

struct TsneSettings {
  size_t dimensions = 2;
  double perplexity = 30;
  int iterations = 750;
  int exaggerated_iterations = 250;  ///< the first ones, with P times `exaggeration`
  double exaggeration = 12;
  int final_iterations = 500;  ///< of L-BFGS, at most, after the others: they end where the gradient vanishes
  std::function<void(double)> progress = [](double) {};  ///< from 0 to 1; throws to stop
};

struct TsneResult {
  Table embedding;  ///< [rows, dimensions]
  double objective = 0;
  double gradient = 0;  ///< its largest entry where it ended
};

/// Exact t-SNE: all pairs, rows² steps an iteration. It starts from the first principal components, scaled to a
/// standard deviation of 1e-4, so that nothing is drawn, and descends with momentum, gains, and a learning rate of rows
/// / (4 · exaggeration), 50 at least.
/// @throws UsageError if the perplexity does not fit, or the table's rank is below the dimensions
/// Source: van der Maaten & Hinton 2008; learning rate Belkina et al. 2019; start Kobak & Berens 2019
[[nodiscard]] TsneResult tsne(const Table& table, const TsneSettings& settings);

}  // namespace summand::lab
