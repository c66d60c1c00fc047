#pragma once

#include <string>
#include <variant>
#include <vector>

#include "lab/core/verdict.hpp"
#include "lab/plant/planted_tables.hpp"
#include "lab/plant/rewritten_models.hpp"

namespace summand::lab {

/// What has to come out of a planted table or checkpoint, or must not: a theorem, or how it was made.
struct Expectation {
  enum class Demand {
    must,      ///< the claim's observation is this one
    must_not,  ///< it is another
    is,        ///< no claim, but a number or a truth value
  };

  std::string of;  ///< a claim's id, X1 and X2 of CLAIMS.md among them; or what is so: "same_as_source"
  Demand demand = Demand::is;
  std::variant<Observation, bool, double> what;
  std::string why;  ///< in a sentence
};

/// Of a table drawn with these settings. Claims of which nothing is known for certain are not in it.
[[nodiscard]] std::vector<Expectation> expectations_of(PlantedTable kind, const PlantedTableSettings& settings);

/// Outputs of a model that computes the same are as near as this, relative to their length: rounding to single
/// precision, through all layers.
inline constexpr double kSameOutput = 1e-5;

/// Of a model.
/// @param sentence  of the source
[[nodiscard]] std::vector<Expectation> expectations_of(PlantedModel kind, const RewrittenModel& model,
                                                       const model::SentenceModules& sentence);

}  // namespace summand::lab
