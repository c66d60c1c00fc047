#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/number_name.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/circle_readers/circle_losses.hpp"
#include "lab/experiments/circle_readers/circle_positions.hpp"
#include "lab/experiments/circle_readers/crossings.hpp"
#include "lab/experiments/circle_readers/reader_runs.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab::circle_readers {

inline constexpr double kLeast = 0.05;  // of the attention: what moves less is no reading worth the name
inline constexpr double kClear = 0.1;   // of the attention, by all circles in the layer of most: positions are read

inline constexpr NumberName kCrossing{"circle_readers", "crossing"};
inline constexpr NumberName kCrossingLogits{"circle_readers", "crossing_logits"};
inline constexpr NumberName kPossible{"circle_readers", "possible_crossing"};
inline constexpr NumberName kRandomCrossing{"circle_readers", "random_crossing"};
// Where the crossing is; 0 where there is none.
inline constexpr NumberName kLayer{"circle_readers", "crossing_layer"};
inline constexpr NumberName kSlowerHead{"circle_readers", "slower_head"};
inline constexpr NumberName kFasterHead{"circle_readers", "faster_head"};
inline constexpr NumberName kSlowerDegrees{"circle_readers", "slower_degrees"};
inline constexpr NumberName kFasterDegrees{"circle_readers", "faster_degrees"};
// Families, of a circle.
inline constexpr NumberName kLead{"circle_readers", "lead_of"};
inline constexpr NumberName kPossibleLead{"circle_readers", "possible_lead_of"};
inline constexpr NumberName kReaders{"circle_readers", "readers"};
inline constexpr NumberName kMostMoved{"circle_readers", "most_moved_layer"};
inline constexpr NumberName kLastLayer{"circle_readers", "last_layer"};

/// What comparing planes comes to: where heads cross, and where each plane leads.
struct PlaneReading {
  std::optional<Crossing> crossing;
  double possible = 0;
  std::vector<Lead> leads;             ///< [planes]
  std::vector<double> possible_leads;  ///< [planes]

  /// 0 where there is none, here and below.
  [[nodiscard]] Estimate attention() const { return crossing ? crossing->attention() : Estimate{}; }
  [[nodiscard]] Estimate logits() const { return crossing ? crossing->logits() : Estimate{}; }
  [[nodiscard]] double possible_lead(size_t plane) const {
    return plane < possible_leads.size() ? possible_leads[plane] : 0;
  }
  [[nodiscard]] Lead lead(size_t plane) const { return plane < leads.size() ? leads[plane] : Lead{}; }
};

/// The same of the circles, of every cut into random planes (in the middle alone), and of both planted layers.
struct AllReadings {
  PlaneReading circles;
  std::vector<PlaneReading> cuts;
  PlaneReading one_each;
  PlaneReading alike;
};

/// @param draws  for intervals
[[nodiscard]] AllReadings all_readings(const ReaderRuns& runs, const Draws& draws);

/// "20.65° a step".
[[nodiscard]] LocalizedText words_of(const TurningPlane& circle);
/// The mean over a layer's heads of the attention that moves. @return [windows]
[[nodiscard]] std::vector<double> moved_in_layer(const HeadEffects& effects, const ReaderRuns& runs, size_t layer);
/// The layer that all circles together move most.
[[nodiscard]] size_t most_moved_layer(const ReaderRuns& runs);
/// The same of planes of all cuts, one stopped at a time: over windows too.
[[nodiscard]] double random_in_layer(const ReaderRuns& runs, size_t layer);

/// The change of sentence vectors by each of them, over windows.
[[nodiscard]] std::vector<double> random_changes(const ReaderRuns& runs);

void add_crossings(const AllReadings& readings, const ReaderRuns& runs, const std::vector<TurningPlane>& circles,
                   Numbers& numbers);
void add_layers(const ReaderRuns& runs, const Draws& draws, Numbers& numbers);
void add_outputs(const ReaderRuns& runs, const std::vector<TurningPlane>& circles, const Draws& draws,
                 Numbers& numbers);
/// Means over the circles of how far the sentence vector moves: by stopping one, by stopping a random plane instead.
struct Changes {
  double of_circles = 0;
  double of_random = 0;
};
[[nodiscard]] Changes mean_changes_by_stopping(const Numbers& numbers);

void add_losses(const LossChanges& losses, const std::vector<TurningPlane>& circles, const Draws& draws,
                Numbers& numbers);

}  // namespace summand::lab::circle_readers
