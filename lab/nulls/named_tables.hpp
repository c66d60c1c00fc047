#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Of the Gaussian process, in positions.
inline constexpr double kSmoothLength = 12;
/// Of the warped copy: standard deviation of the logarithm of its pace.
inline constexpr double kWarpStrength = 0.5;

/// Reference tables of several experiments.
enum class Surrogate {
  white_noise,       ///< no structure
  random_walk,       ///< smooth, and not stationary
  gaussian_process,  ///< smooth and stationary, and no shift is one map
  warped,            ///< the table itself, walked at an uneven pace
};
inline constexpr std::array kSurrogates{Surrogate::white_noise, Surrogate::random_walk, Surrogate::gaussian_process,
                                        Surrogate::warped};

/// Its key in results.json: "white_noise".
[[nodiscard]] std::string name_of(Surrogate surrogate);
[[nodiscard]] LocalizedText words_of(Surrogate surrogate);
/// "rows in random order, median of 7 draws".
[[nodiscard]] LocalizedText median_of_draws(const LocalizedText& of, size_t draws);
[[nodiscard]] chart::Series series_of(Surrogate surrogate);
/// "white noise, median of 7 draws".
[[nodiscard]] LocalizedText words_of_median(Surrogate surrogate, size_t draws);

/// One draw, of the shape of the table.
[[nodiscard]] Table drawn_surrogate(Surrogate surrogate, const Table& like, RandomStream& stream);

/// Of the shape of the table, less a column where its width is odd.
[[nodiscard]] Table sinusoid_like(const Table& like, double base = 10000);
[[nodiscard]] LocalizedText words_of_sinusoid();
[[nodiscard]] chart::Series series_of_sinusoid();
/// The checkpoint's own.
[[nodiscard]] chart::Series series_of_table();

/// Rows whose norm, the mean row taken away, lies farther from the median norm than 20 median absolute deviations and a
/// tenth of that median: [CLS], and the last rows of cut sequences. Lowest first. None where more than one row in fifty
/// (four of a short table) would stand out: those are a part of the table, and no single rows.
[[nodiscard]] std::vector<size_t> outlying_rows(const Table& table);
[[nodiscard]] Table without_rows(const Table& table, std::span<const size_t> rows);
/// "0, 127, 511", or "none".
[[nodiscard]] LocalizedText list_of(std::span<const size_t> rows);

/// Says what a table lacks for an experiment that needs so many rows and principal components, if it does.
[[nodiscard]] std::optional<LocalizedText> lacking(const Table& table, size_t rows, size_t components);

/// What `of` makes of each draw of a surrogate; draw i has the stream "name: surrogate i". @return [draws]
template <class Of>
auto drawn_from(Surrogate surrogate, const Table& like, const std::string& name, size_t draws,
                const Conditions& conditions, Of of) {
  std::vector<decltype(of(like))> results(draws);
  run_tasks(conditions, draws, [&](size_t i) {
    RandomStream stream(conditions.seed, name + ": " + name_of(surrogate) + " " + std::to_string(i));
    results[i] = of(drawn_surrogate(surrogate, like, stream));
  });
  return results;
}

}  // namespace summand::lab
