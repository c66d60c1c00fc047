#include "lab/experiments/circle_readers/reader_runs.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

#include "engine/engine.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/circle_readers/planted_readers.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/results.hpp"

namespace summand::lab::circle_readers {

namespace {

/// One model and the windows, undisturbed and with other positions.
class Context {
 public:
  Context(const Subject& subject, const engine::Engine& engine, const Windows& windows, const Conditions& conditions)
      : engine_(engine),
        windows_(windows),
        conditions_(conditions),
        vector_(sentence_vector_of(subject)),
        undisturbed_(run_windows(engine, windows, subject.positions, vector_)) {}

  [[nodiscard]] const WindowRun& undisturbed() const { return undisturbed_; }
  /// Of some tables. @param table  of a number below count; called from several threads at a time
  template <class TableOf>
  [[nodiscard]] std::vector<HeadEffects> effects(size_t count, const TableOf& table) const {
    std::vector<HeadEffects> effects(count);
    run_tasks(conditions_, count, [&](size_t i) {
      effects[i] = effects_of(run_windows(engine_, windows_, table(i), vector_), undisturbed_);
    });
    return effects;
  }
  /// Of planes that are stopped.
  [[nodiscard]] std::vector<HeadEffects> stopped(const CirclePositions& positions,
                                                 std::span<const PositionPlane> planes) const {
    return effects(planes.size(), [&](size_t i) { return positions.stopped(planes.subspan(i, 1), windows_.length()); });
  }
  /// The planes turned in both ways.
  void turn(const CirclePositions& positions, std::span<const PositionPlane> planes, PlaneEffects& to) const {
    to.reversed = effects(planes.size(), [&](size_t i) { return positions.reversed(planes[i]); });
    to.sped_up = effects(planes.size(), [&](size_t i) { return positions.sped_up(planes[i]); });
  }

 private:
  const engine::Engine& engine_;
  const Windows& windows_;
  const Conditions& conditions_;
  SentenceVector vector_;
  WindowRun undisturbed_;
};

/// The first planes of the circles stopped, in a first layer whose heads read them.
std::vector<HeadEffects> planted_effects(const Subject& subject, const CirclePositions& positions,
                                         const Windows& windows, const Conditions& conditions,
                                         Table (*weights)(size_t heads, size_t planes)) {
  const size_t count = std::min(positions.planes().size(), readable_planes(subject));
  if (count < 2) return {};
  const auto planes = std::span(positions.planes()).first(count);
  const auto heads = static_cast<size_t>(subject.model->config().num_attention_heads);
  const auto engine = planted_readers(subject, windows, planes, weights(heads, count));
  return Context(subject, engine, windows, conditions).stopped(positions, planes);
}

/// Every cut of the circles' span, in the first windows.
std::vector<PlaneEffects> cut_effects(const Context& context, const CirclePositions& positions,
                                      const Conditions& conditions) {
  std::vector<PositionPlane> planes;
  for (size_t cut = 0; cut < kCuts; ++cut) {
    const auto of_cut = positions.random_planes(conditions.seed, cut);
    planes.insert(planes.end(), of_cut.begin(), of_cut.end());
  }
  auto effects = context.stopped(positions, planes);
  const auto each = static_cast<std::ptrdiff_t>(positions.planes().size());
  std::vector<PlaneEffects> cuts(kCuts);
  auto next = std::make_move_iterator(effects.begin());
  for (auto& cut : cuts) {
    cut.stopped.assign(next, next + each);
    next += each;
  }
  if (!conditions.quick) context.turn(positions, std::span(planes).first(positions.planes().size()), cuts.front());
  return cuts;
}

}  // namespace

Size Size::of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

ReaderRuns reader_runs(const Subject& subject, const CirclePositions& positions, const Windows& windows,
                       const Conditions& conditions) {
  const auto& config = subject.model->config();
  const size_t in_use = windows.length();
  const auto engine = engine_with_positions(subject, subject.positions, 1);
  const Context context(subject, engine, windows, conditions);
  ReaderRuns runs{.layers = static_cast<size_t>(config.num_hidden_layers),
                  .heads = static_cast<size_t>(config.num_attention_heads),
                  .attention = mean_attention(context.undisturbed())};
  runs.circles.stopped = context.stopped(positions, positions.planes());
  conditions.progress(0.1);
  if (!conditions.quick) context.turn(positions, positions.planes(), runs.circles);
  auto both = context.effects(2, [&](size_t i) {
    return i == 0 ? positions.stopped(positions.planes(), in_use) : positions.without_order(in_use);
  });
  runs.all_stopped = std::move(both[0]);
  runs.without_order = std::move(both[1]);
  runs.one_each = planted_effects(subject, positions, windows, conditions, one_plane_each);
  runs.alike = planted_effects(subject, positions, windows, conditions, all_planes_alike);
  conditions.progress(0.4);
  const Windows few = first_of(windows, Size::of(conditions).windows_of_cuts);
  runs.cuts = cut_effects(Context(subject, engine, few, conditions), positions, conditions);
  conditions.progress(0.9);
  return runs;
}

}  // namespace summand::lab::circle_readers
