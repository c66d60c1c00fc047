#include "engine/run/picked_rows.hpp"

#include <algorithm>

namespace summand::engine {

namespace {

/// Appends the rows of the text at `index` of the schedule.
void pick_text(const PickingPlan& plan, size_t index, std::vector<size_t>& rows) {
  const size_t text = plan.schedule->texts[index];
  const size_t first_row = plan.schedule->first_row[index];
  switch (plan.picking) {
    case Picking::none:
      return;
    case Picking::first_tokens:
      rows.push_back(first_row);
      return;
    case Picking::masked_tokens: {
      const auto& masked = plan.request->masked;
      const size_t begin = plan.batch->offsets[text];
      const size_t end = plan.batch->offsets[text + 1];
      for (auto at = std::ranges::lower_bound(masked, begin); at != masked.end() && *at < end; ++at) {
        rows.push_back(first_row + *at - begin);
      }
      return;
    }
  }
}

}  // namespace

PickedRows picked_rows(const PickingPlan& plan, const Group& group) {
  PickedRows picked;
  picked.first.push_back(0);
  for (size_t index = group.begin; index < group.end; ++index) {
    pick_text(plan, index, picked.rows);
    picked.first.push_back(picked.rows.size());
  }
  return picked;
}

size_t most_picked(const PickingPlan& plan) {
  size_t most = 0;
  for (const Group& group : plan.schedule->groups) most = std::max(most, picked_rows(plan, group).rows.size());
  return most;
}

}  // namespace summand::engine
