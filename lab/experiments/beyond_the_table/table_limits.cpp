#include "lab/experiments/beyond_the_table/table_limits.hpp"

#include <array>
#include <functional>
#include <optional>

#include "base/error.hpp"
#include "model/batch.hpp"

namespace summand::lab {

namespace {

/// What the engine says against one token at this position, of this segment; nothing where it runs.
std::optional<std::string> refused(const engine::Engine& engine, size_t position, size_t segment) {
  model::Batch batch;
  batch.add(std::array{int32_t{0}}, std::array{static_cast<int32_t>(segment)}, static_cast<int32_t>(position));
  const std::array layers{size_t{0}};
  try {
    (void)engine::hidden_states(engine, batch, layers);
  } catch (const TextError& error) {
    return error.what();
  }
  return {};
}

/// The lowest number that is refused, at most `most`.
size_t first_refused(size_t most, const std::function<bool(size_t)>& is_refused) {
  size_t taken = 0;  // numbers below are taken
  while (taken < most) {
    const size_t middle = taken + (most - taken) / 2;
    if (is_refused(middle)) {
      most = middle;
    } else {
      taken = middle + 1;
    }
  }
  return most;
}

}  // namespace

TableLimits table_limits(const engine::Engine& engine, size_t most) {
  TableLimits limits;
  limits.positions = first_refused(most, [&](size_t position) { return refused(engine, position, 0).has_value(); });
  limits.segments = first_refused(most, [&](size_t segment) { return refused(engine, 0, segment).has_value(); });
  limits.refused_position = refused(engine, limits.positions, 0).value_or("");
  limits.refused_segment = refused(engine, 0, limits.segments).value_or("");
  return limits;
}

}  // namespace summand::lab
