#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/experiments/probes/erased_states.hpp"
#include "lab/experiments/probes/probe_tasks.hpp"

// What the probes read, as numbers.
namespace summand::lab {

namespace probes {

inline constexpr double kReads = 0.5;  // accuracy: what counts as separable

/// Families: accuracies of a part's probe, "token_input" and "token_layer_1", and the numbers to compare them with.
inline constexpr std::array<NumberName, kProbedParts> kParts{
    NumberName{"probes", "token"}, NumberName{"probes", "position"}, NumberName{"probes", "segment"}};
inline constexpr NumberName kUntrained{"probes", "untrained"};  // ends of their names
inline constexpr NumberName kControlTask{"probes", "control_task"};
inline constexpr NumberName kMajority{"probes", "majority"};

inline constexpr NumberName kLayersReadingBoth{"probes", "layers_reading_both"};
inline constexpr NumberName kUpToLayer{"probes", "up_to_layer"};
inline constexpr NumberName kWorseAtInput{"probes", "worse_at_input"};
inline constexpr NumberName kWorseAtInputUntrained{"probes", "worse_at_input_untrained"};
inline constexpr NumberName kSelectivity{"probes", "selectivity"};         // of a part
inline constexpr NumberName kErasedAccuracy{"probes", "erased_accuracy"};  // of a part and a place
inline constexpr NumberName kErasedChange{"probes", "erased_change"};

/// How much of it is done.
struct Size {
  size_t texts = 160;
  size_t length = 64;  // tokens
  size_t resamplings = 500;
  size_t erased = 12;  ///< texts that are run on from erased states
};
inline constexpr Size kFull{};
inline constexpr Size kQuick{.texts = 64, .length = 32, .resamplings = 100, .erased = 6};

inline Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// "token_input", "token_layer_1".
[[nodiscard]] std::string name_behind(size_t part, size_t layer);
[[nodiscard]] LocalizedText words_of_part(size_t part);
/// The part to whose items the control task of another deals its classes.
[[nodiscard]] size_t dealt_to(size_t part);

/// What one layer of one model gives.
struct LayerProbes {
  std::array<std::vector<bool>, kProbedParts> right;
  std::array<double, kProbedParts> control_task{};
};

struct Probed {
  std::vector<LayerProbes> trained, untrained;
  LayerProbes own_row;                   ///< each part read of its own row alone
  std::vector<bool> position_of_tokens;  ///< position read of the token row alone, which does not know it
  std::array<double, kProbedParts> majority{};
  std::vector<ErasedPlace> erased;
  ProbeTasks tasks;
  std::vector<size_t> text;  ///< of every row
};

/// How many texts have a token that the part's probe is judged by.
[[nodiscard]] size_t judged_texts(const Probed& probed, size_t part);

/// @param parts  the first of them, each judged by kLeastResampled texts
void add_numbers(const Probed& probed, size_t parts, const Conditions& conditions, Numbers& numbers);

}  // namespace probes

}  // namespace summand::lab
