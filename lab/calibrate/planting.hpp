#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// What is known of a claim's observation where something was planted.
struct PlantedTruth {
  std::string claim;
  bool is_true = false;
};

/// A family of subjects with a known truth. What it is drawn with, each parameter over a range, comes from the stream.
struct Planting {
  std::string name;   ///< of its words, and of its streams: "low_rank"
  FormatArgs ranges;  ///< for the places of its words
  std::vector<PlantedTruth> truths;
  std::function<Subject(RandomStream& stream)> plant;

  /// What is planted, and over which ranges.
  [[nodiscard]] LocalizedText words() const;
};

/// Every family: position tables alone first, then small checkpoints.
[[nodiscard]] const std::vector<Planting>& plantings();

/// The families by what they are about; plantings() are these together.
[[nodiscard]] std::vector<Planting> shape_plantings();     ///< E1 to E7, 0.9, 4.6
[[nodiscard]] std::vector<Planting> circle_plantings();    ///< X1
[[nodiscard]] std::vector<Planting> distance_plantings();  ///< 3.5, 4.11, X1, X2, E8 to E10
[[nodiscard]] std::vector<Planting> part_plantings();      ///< of the three tables: 0.1 to 0.10, 3.1, 3.3, 4.8, Q8c
[[nodiscard]] std::vector<Planting> model_plantings();     ///< of the whole model: 0.8, 4.2, 4.9, 4.10, Q1 to Q7, X3

/// How a claim is calibrated, where there is more to be said than its families.
struct ClaimPlan {
  std::string claim;
  std::string number = {};                   ///< that is shown for its rule; empty: its first
  std::vector<std::string> thresholds = {};  ///< names of the bars that this number is compared with
  double scale = 1;                          ///< a bar times this is in the number's unit
};
/// The plan of a claim; one with its first number and no threshold, if there is none.
[[nodiscard]] ClaimPlan plan_of(const std::string& claim);

/// Why nothing true, or nothing false, is planted; empty where both are.
[[nodiscard]] LocalizedText why_one_sided(const std::string& claim);
/// Why no truth of a claim is planted at all; empty where one is.
[[nodiscard]] LocalizedText why_not_planted(const std::string& claim);

}  // namespace summand::lab
