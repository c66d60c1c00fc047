#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "base/matrix_view.hpp"
#include "engine/engine.hpp"
#include "lab/statistics/table.hpp"
#include "model/batch.hpp"

namespace summand::lab {

/// A layer's queries and keys of one text, [length, hidden] each, all heads side by side. Both may be changed: the
/// model goes on with what is left there.
struct QueryKey {
  size_t text = 0;
  size_t layer = 0;
  MatrixView<float> query;
  MatrixView<float> key;
};
using ChangeQueryKey = std::function<void(const QueryKey&)>;

/// What one text's attention did, in every layer.
struct TextAttention {
  size_t text = 0;
  std::vector<std::vector<Table>> scores;  ///< [layers][heads] of [length, length], scaled, before the softmax
  std::vector<Table> values;               ///< [layers] of [length, hidden]
  std::vector<Table> states;               ///< layers + 1 of [length, hidden], where WatchAttention asks for them
};

enum class KeepStates { no, yes };

struct WatchAttention {
  ChangeQueryKey change = {};
  KeepStates keep_states = KeepStates::no;
  /// Rows in the place of the model's positions, rounded to single precision; null: its own. As many as the texts need.
  const Table* positions = nullptr;
};

/// Runs the texts one after the other on this thread, which may be in a task of the pool, and hands over what each
/// one's attention did. A text of n tokens takes layers × heads × n² doubles while it is looked at.
void watch_attention(const engine::Engine& engine, const model::Batch& batch, const WatchAttention& watch,
                     const std::function<void(const TextAttention&)>& visit);

/// The softmax of every row of factor · scores.
[[nodiscard]] Table softmax_rows(const Table& scores, double factor = 1);

}  // namespace summand::lab
