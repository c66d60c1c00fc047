#pragma once

#include <cstddef>
#include <vector>

#include "engine/run/run.hpp"
#include "engine/run/schedule.hpp"
#include "model/batch.hpp"

namespace summand::engine {

/// Which rows of the last hidden state are needed.
enum class Picking {
  none,
  first_tokens,   ///< by the pooler
  masked_tokens,  ///< by the masked-language head: RunRequest::masked
};

/// The needed rows of a group.
struct PickedRows {
  std::vector<size_t> rows;   ///< counted from the group's first, ascending within each text
  std::vector<size_t> first;  ///< [texts + 1]: the text at place p picks rows[first[p]] … rows[first[p + 1] - 1]

  [[nodiscard]] size_t count(size_t place) const { return first[place + 1] - first[place]; }
};

/// The parts of a run that picking depends on.
struct PickingPlan {
  Picking picking = Picking::none;
  const model::Batch* batch = nullptr;
  const Schedule* schedule = nullptr;
  const RunRequest* request = nullptr;
};

[[nodiscard]] PickedRows picked_rows(const PickingPlan& plan, const Group& group);

/// The largest number of picked rows in a group.
[[nodiscard]] size_t most_picked(const PickingPlan& plan);

}  // namespace summand::engine
