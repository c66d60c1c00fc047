#pragma once

#include <cstddef>

#include "base/random_stream.hpp"
#include "lab/statistics/table.hpp"

namespace summand::lab {

/// Tables to compare a position table with: nulls, which have smoothness at most, and positive controls. Row i is
/// position i; every random table comes from its stream alone.
struct Shape {
  size_t rows = 0;
  size_t columns = 0;
};

/// Independent numbers of mean 0 and variance 1.
[[nodiscard]] Table white_noise(Shape shape, RandomStream& stream);

/// Each row is the row above plus white noise; row 0 is white noise.
[[nodiscard]] Table random_walk(Shape shape, RandomStream& stream);

/// Every column is a smooth stationary path: covariance exp(−(i−j)² / (2·length²)), and 1e-8 more on the diagonal,
/// which lets it be factored. @param length  in rows, above 0
[[nodiscard]] Table gaussian_process(Shape shape, double length, RandomStream& stream);

/// Whether all columns turn by the same random phases, which keeps their covariance, or each by its own, which keeps
/// nothing but each column's power spectrum.
enum class Phases { common, independent };

/// The table with random phases: every column keeps its mean and its power spectrum; the amplitude at half a cycle per
/// row stays as it is. Source: Theiler et al. 1992; common phases Prichard & Theiler 1994
[[nodiscard]] Table phase_randomised(const Table& table, Phases phases, RandomStream& stream);

/// The table walked at a smoothly varying pace: row i is the table at w(i), linear between rows, w growing from 0 to
/// rows − 1. The logarithm of the pace is a sum of sinusoids of one to four cycles.
/// @param strength  standard deviation of that logarithm, 0 or more; 0 leaves the table as it is
/// @throws UsageError with less than two rows
[[nodiscard]] Table time_warped(const Table& table, double strength, RandomStream& stream);

/// The same rows in random order.
[[nodiscard]] Table row_shuffled(const Table& table, RandomStream& stream);

/// The table times a random rotation (or reflection) of its columns: all distances stay.
[[nodiscard]] Table rotated(const Table& table, RandomStream& stream);

}  // namespace summand::lab
