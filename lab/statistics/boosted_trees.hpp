#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// How a tree finds its splits.
enum class SplitSearch {
  exact,      ///< between all neighbouring values of a column
  histogram,  ///< between bins of a column: for tables of many cells
};

struct BoostingSettings {
  int trees = 100;
  int depth = 6;               ///< of a tree, at most
  double learning_rate = 0.1;  ///< what each tree is multiplied by
  int min_leaf = 15;           ///< samples in a leaf, at least
  SplitSearch search = SplitSearch::histogram;
  int bins = 256;   ///< of a column, for the histogram; time grows with them where columns are many and trees deep
  int threads = 1;  ///< the result does not depend on it. Two that share a core wait for each other: slower than one
  std::function<void(double)> progress = [](double) {};  ///< from 0 to 1; throws to stop
};

/// A sum of regression trees. Inputs are rounded to float.
class BoostedTrees {
 public:
  BoostedTrees(BoostedTrees&&) noexcept;
  BoostedTrees& operator=(BoostedTrees&&) noexcept;
  ~BoostedTrees();

  /// @return [rows] @throws UsageError if the width is not the one that was fitted
  [[nodiscard]] Vector predict(const Table& inputs) const;

 private:
  friend BoostedTrees fit_boosted_trees(const Table& inputs, const Vector& targets, const BoostingSettings& settings);
  struct Booster;
  explicit BoostedTrees(std::unique_ptr<Booster> booster);

  std::unique_ptr<Booster> booster_;
};

/// Gradient boosting of squared error, without any other penalty, from the mean of the targets. Residuals are rounded
/// to 2^-20 of the largest, so that sums of them are exact in any order: nothing depends on threads.
/// @throws UsageError if the rows differ in number, there is none, or a value is not finite in float; Error with
/// XGBoost's words if it fails
/// Source: Friedman 2001; Chen & Guestrin 2016
[[nodiscard]] BoostedTrees fit_boosted_trees(const Table& inputs, const Vector& targets,
                                             const BoostingSettings& settings);

/// The library's version: "1.7.4".
[[nodiscard]] std::string xgboost_version();

}  // namespace summand::lab
