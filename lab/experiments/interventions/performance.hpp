#pragma once

#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/interventions/intervention_bench.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace interventions {
// Families, of an intervention: how the loss in a task changes. A checkpoint has one of the two, or none.
inline constexpr NumberName kMaskedWords{"interventions", "masked_words_lost"};
inline constexpr NumberName kPairs{"interventions", "pairs_lost"};
}  // namespace interventions

/// How the loss in a task changes, item by item, in nats.
struct PerformanceChange {
  std::string name;  ///< of the intervention
  LocalizedText words;
  std::vector<double> losses;
};

/// A task and what interventions do to it.
struct PerformanceChanges {
  NumberName task = interventions::kPairs;
  std::vector<PerformanceChange> changes;
  PerformanceChange null;     ///< the same model
  PerformanceChange control;  ///< words dealt anew
};

/// The masked-language loss of responses that were measured already. @pre the bench has one
[[nodiscard]] PerformanceChanges masked_performance(const InterventionBench& bench,
                                                    const std::vector<Response>& responses);

/// How much worse the second text of each of the corpus' pairs is found. Adds how well it is found undisturbed. No
/// changes where the corpus has too few pairs.
[[nodiscard]] PerformanceChanges retrieval_performance(const Subject& subject, const Conditions& conditions,
                                                       size_t longest, Numbers& numbers);

/// @param draws  of items, for intervals
void add_performance(const PerformanceChanges& changes, const Draws& draws, Numbers& numbers);

}  // namespace summand::lab
