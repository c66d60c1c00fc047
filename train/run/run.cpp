#include "train/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/interruption.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "train/run/bounded_memory.hpp"
#include "train/run/metrics.hpp"
#include "train/run/run_page.hpp"
#include "train/run/training_error.hpp"

namespace summand::train {

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// What rank 0 has all ranks do next.
constexpr const char* kStep = "step";
constexpr const char* kCompare = "compare";
constexpr const char* kEnd = "end";

/// A run that is going on.
class Run {
 public:
  Run(Learner& learner, RunFolder& folder, std::optional<RunFolder::Saved>& saved, const RunPlan& plan,
      const TokenizerContents& tokenizer, const TellRun& tell)
      : learner_(learner), folder_(folder), plan_(plan), tokenizer_(tokenizer), tell_(tell) {
    if (saved) restore(*saved);
    saved.reset();
    learner_.begin_together();
    metrics_.emplace(folder.path() / "metrics.jsonl", state_.metrics_bytes);
    if (metrics_->bytes() < state_.metrics_bytes) {
      tell_(
          {.kind = RunNews::Kind::notice,
           .text = fmt::format("{}: expected at least the {} bytes that the checkpoint counts, got {}; lines are lost, "
                               "and the curves with them",
                               path_text(folder.path() / "metrics.jsonl"), state_.metrics_bytes, metrics_->bytes())});
    }
    began_at_ = state_.progress.step;
  }

  RunReport run() {
    tell_({.kind = RunNews::Kind::begins, .text = "", .state = &state_, .steps = steps()});
    if (state_.progress.step == 0 && is_kept(0)) save(false);
    try {
      while (state_.progress.step < steps() && !is_stopped_early()) {
        step();
        check_interruption();
      }
    } catch (const TrainingError& error) {
      folder_.note_failure(state_.progress.step, error.what());
      throw;
    } catch (const Interrupted& interrupted) {
      save(false);
      order(kEnd);
      return {.ending = Ending::interrupted, .state = state_, .signal = interrupted.signal};
    }
    order(kEnd);
    return {.ending = is_stopped_early() ? Ending::stopped_early : Ending::finished, .state = state_};
  }

 private:
  void restore(const RunFolder::Saved& saved) {
    state_ = saved.state;
    learner_.restore(state_.progress, saved.optimiser);
    try {
      learner_.task().restore(Json::parse(state_.task));
    } catch (const Json::exception& fault) {
      throw CheckpointError(path_text(folder_.path() / "last" / "state.json"),
                            fmt::format("is damaged: {}", fault.what()));
    }
  }

  void order(const char* what) { static_cast<void>(learner_.ranks().from_first(what)); }

  [[nodiscard]] int64_t steps() const { return learner_.options().steps; }
  [[nodiscard]] bool is_kept(int64_t step) const { return std::ranges::find(plan_.keep, step) != plan_.keep.end(); }
  [[nodiscard]] bool is_stopped_early() const { return plan_.patience > 0 && state_.without_gain >= plan_.patience; }
  [[nodiscard]] bool is_best(const Validation& validation) const {
    if (state_.best_step == 0) return true;
    if (validation.score == state_.best_score) return validation.loss < state_.best_loss;
    return (validation.score > state_.best_score) == learner_.task().higher_is_better();
  }

  void step() {
    const auto begin = Clock::now();
    order(kStep);
    const StepResult result = learner_.step();
    const double seconds = seconds_since(begin);
    state_.progress = learner_.progress();
    state_.interval.add(result, seconds);
    state_.seconds += seconds;
    const int64_t step = state_.progress.step;
    const bool last = step == steps();
    tell_step(result, step);
    if (step % plan_.log_every == 0 || last) {
      metrics_->append(training_line(state_.interval, state_.progress, learner_.task(), result.learning_rate));
      state_.interval = {};
    }
    bool best = false;
    const bool validates = step % plan_.validate_every == 0 || last;
    if (validates) best = validate_now();
    if (best || is_kept(step) || last || step % plan_.checkpoint_every == 0 || is_stopped_early()) save(best);
  }

  /// @return whether it was the best so far
  bool validate_now() {
    order(kCompare);
    learner_.require_same_parameters();
    const Validation validation = learner_.task().validate(learner_.network());
    const int64_t step = state_.progress.step;
    if (!std::isfinite(validation.score)) {
      throw TrainingError(fmt::format("step {}", step), "validation loss: expected a finite number, got none");
    }
    metrics_->append(validation_line(validation, step));
    const bool best = is_best(validation);
    if (best) {
      state_.best_score = validation.score;
      state_.best_loss = validation.loss;
      state_.best_step = step;
    }
    state_.without_gain = best ? 0 : state_.without_gain + 1;
    const std::string earlier =
        best ? "" : fmt::format("; the best was {:.4f} at step {}", state_.best_score, state_.best_step);
    tell_({.kind = RunNews::Kind::validation,
           .text = fmt::format("step {}: {}{}{}", step, validation.text, earlier, validation.warning),
           .state = &state_});
    return best;
  }

  void save(bool best) {
    release_cached_memory();  // for the copies that are written
    metrics_->bring_to_disk();
    state_.metrics_bytes = metrics_->bytes();
    state_.task = learner_.task().state().dump();
    const Network& network = learner_.network();
    folder_.save(state_, network.config(), network.parameters().weights(), learner_.optimiser(), tokenizer_,
                 {.best = best, .forever = is_kept(state_.progress.step)});
    write_run_page(folder_.path());
    tell_({.kind = RunNews::Kind::saved, .text = fmt::format("step {} saved", state_.progress.step), .state = &state_});
  }

  void tell_step(const StepResult& result, int64_t step) {
    session_tokens_ += result.work.tokens;
    const double seconds = seconds_since(begin_);
    const double done = static_cast<double>(step - began_at_);
    tell_({.kind = RunNews::Kind::step,
           .text = "",
           .state = &state_,
           .steps = steps(),
           .loss = result.work.loss,
           .seconds_left = seconds / done * static_cast<double>(steps() - step),
           .tokens_per_second = static_cast<double>(session_tokens_) / seconds});
  }

  Learner& learner_;
  RunFolder& folder_;
  const RunPlan& plan_;
  const TokenizerContents& tokenizer_;
  const TellRun& tell_;
  RunState state_;
  std::optional<MetricsFile> metrics_;
  Clock::time_point begin_ = Clock::now();
  int64_t began_at_ = 0;
  uint64_t session_tokens_ = 0;
};

}  // namespace

RunReport run_learner(Learner& learner, RunFolder& folder, std::optional<RunFolder::Saved>& saved, const RunPlan& plan,
                      const TokenizerContents& tokenizer, const TellRun& tell) {
  return Run(learner, folder, saved, plan, tokenizer, tell).run();
}

void follow_run(Learner& learner) {
  learner.begin_together();
  for (;;) {
    const std::string next = learner.ranks().from_first("");
    if (next == kEnd) return;
    if (next == kStep) {
      static_cast<void>(learner.step());
    } else {
      learner.require_same_parameters();
    }
  }
}

}  // namespace summand::train
