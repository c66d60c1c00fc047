#pragma once

#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/experiments/circle_readers/circle_positions.hpp"
#include "lab/experiments/circle_readers/windows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::circle_readers {

/// How the loss in a task changes, item by item, in nats, when planes are stopped.
struct LossChanges {
  bool masked_words = false;  ///< else pairs that are found
  std::vector<std::vector<double>> circles;
  std::vector<std::vector<double>> random_planes;  ///< of the first cut
  std::vector<double> all_stopped;
  std::vector<double> without_order;
};

/// Masked-language loss of the windows where there is a head, else how the second text of each of the corpus' pairs is
/// found. Nothing where there are too few pairs.
[[nodiscard]] LossChanges loss_changes(const Subject& subject, const CirclePositions& positions, const Windows& windows,
                                       const Conditions& conditions);

}  // namespace summand::lab::circle_readers
