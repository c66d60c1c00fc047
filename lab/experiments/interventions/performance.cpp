#include "lab/experiments/interventions/performance.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

#include "lab/core/localize.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/probing/pair_retrieval.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

namespace interventions {
namespace {

constexpr size_t kLeastPairs = 6;  // fewer have no interval to speak of

constexpr NumberName kRetrievalLoss{"interventions", "retrieval_loss"};

/// The interventions whose performance is measured.
bool is_measured(const std::string& name) {
  for (const NumberName& one : {kOrderAveraged, kPositionAveraged, kSegmentAveraged, kSegmentLeftOut}) {
    if (name == one.name) return true;
  }
  return false;
}

}  // namespace
}  // namespace interventions

PerformanceChanges masked_performance(const InterventionBench& bench, const std::vector<Response>& responses) {
  using namespace interventions;
  const auto change_of = [](const Response& one) {
    return PerformanceChange{.name = one.name, .words = one.words, .losses = one.change.losses};
  };
  PerformanceChanges changes{
      .task = kMaskedWords, .changes = {}, .null = change_of(bench.null()), .control = change_of(bench.control())};
  for (const Response& one : responses) {
    if (is_measured(one.name)) changes.changes.push_back(change_of(one));
  }
  return changes;
}

PerformanceChanges retrieval_performance(const Subject& subject, const Conditions& conditions, size_t longest,
                                         Numbers& numbers) {
  using namespace interventions;
  const PairRetrieval retrieval(subject, {.longest = longest});
  PerformanceChanges changes;
  if (retrieval.pairs() < kLeastPairs) return changes;
  const auto engine = changed_model(subject).engine(conditions.threads);
  const auto undisturbed = retrieval.losses(engine);
  const auto change_of = [&](const Intervention& one) {
    std::vector<double> losses;
    if (one.model) {
      ChangedModel model = changed_model(subject);
      one.model(model);
      losses = retrieval.losses(model.engine(conditions.threads), one.edit);
    } else {
      losses = retrieval.losses(engine, one.edit);
    }
    for (size_t i = 0; i < losses.size(); ++i) losses[i] -= undisturbed[i];
    return PerformanceChange{.name = one.name, .words = one.words, .losses = std::move(losses)};
  };
  const auto& texts = retrieval.texts();
  const auto measure = [&](const std::vector<Intervention>& list) {
    for (const auto& one : list) {
      if (is_measured(one.name)) changes.changes.push_back(change_of(one));
    }
  };
  // Of segments such a task can say nothing: its texts stand alone, in one segment.
  measure(position_interventions(subject, texts, {.count = longest_of(texts)}, conditions.seed));
  changes.null = change_of(same_model(subject));
  RandomStream stream(conditions.seed, "interventions: words dealt, retrieval");
  changes.control = change_of(words_dealt(texts, stream));
  const size_t candidates = texts.batch.texts() - retrieval.pairs();
  numbers.add(
      NumberBuilder(kRetrievalLoss, mean(undisturbed), {{"pairs", retrieval.pairs()}, {"candidates", candidates}})
          .null(std::log(static_cast<double>(candidates)), localize("interventions.beside.guessing"))
          .control(0, localize("interventions.beside.certain")));
  return changes;
}

void add_performance(const PerformanceChanges& changes, const Draws& draws, Numbers& numbers) {
  using namespace interventions;
  for (const auto& one : changes.changes) {
    const auto over_items = [&](const std::vector<double>& losses, const std::string& of) {
      Draws of_this = draws;
      of_this.name += one.name + of;
      return mean_over_texts(losses, of_this);
    };
    numbers.add(NumberBuilder(changes.task, one.name, over_items(one.losses, ""), {{"intervention", one.words}})
                    .null(mean(changes.null.losses), changes.null.words)
                    .control(over_items(changes.control.losses, " control"), changes.control.words));
  }
}

}  // namespace summand::lab
