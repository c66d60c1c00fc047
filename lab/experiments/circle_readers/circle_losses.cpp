#include "lab/experiments/circle_readers/circle_losses.hpp"

#include <algorithm>
#include <functional>
#include <span>

#include "base/random_stream.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/probing/pair_retrieval.hpp"

namespace summand::lab::circle_readers {

namespace {

constexpr size_t kLeastPairs = 6;  // fewer have no interval to speak of

using Losses = std::function<std::vector<double>(const Table& positions)>;

LossChanges changes_of(const CirclePositions& positions, size_t in_use, const Conditions& conditions,
                       const Losses& losses) {
  const auto stopped = [&](std::span<const PositionPlane> planes) { return losses(positions.stopped(planes, in_use)); };
  LossChanges changes;
  for (const auto& plane : positions.planes()) changes.circles.push_back(stopped(std::span(&plane, 1)));
  for (const auto& plane : positions.random_planes(conditions.seed, 0)) {
    changes.random_planes.push_back(stopped(std::span(&plane, 1)));
  }
  changes.all_stopped = stopped(positions.planes());
  changes.without_order = losses(positions.without_order(in_use));
  return changes;
}

}  // namespace

LossChanges loss_changes(const Subject& subject, const CirclePositions& positions, const Windows& windows,
                         const Conditions& conditions) {
  const auto engine_of = [&](const Table& table) { return engine_with_positions(subject, table, conditions.threads); };
  const auto own = engine_of(subject.positions);
  RandomStream masks(conditions.seed, "circle readers: masks");
  if (!lacks_masked_language(subject)) {
    const Undisturbed undisturbed(subject, own, windows.texts, masks);
    if (!undisturbed.has_loss()) return {};
    auto changes = changes_of(positions, windows.length(), conditions,
                              [&](const Table& table) { return undisturbed.change(engine_of(table)).losses; });
    changes.masked_words = true;
    return changes;
  }
  const auto longest = static_cast<size_t>(std::min(subject.positions.rows(), kShortSequence));
  const PairRetrieval retrieval(subject, {.longest = longest});
  if (retrieval.pairs() < kLeastPairs) return {};
  const auto before = retrieval.losses(own);
  return changes_of(positions, longest_of(retrieval.texts()), conditions, [&](const Table& table) {
    auto losses = retrieval.losses(engine_of(table));
    for (size_t i = 0; i < losses.size(); ++i) losses[i] -= before[i];
    return losses;
  });
}

}  // namespace summand::lab::circle_readers
