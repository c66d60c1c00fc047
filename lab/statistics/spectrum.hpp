#pragma once

#include <cstddef>
#include <span>

#include "lab/statistics/table.hpp"

namespace summand::lab {

/// The orthonormal real Fourier basis of curves of this length: row 0 is constant, rows 2k−1 and 2k are the cosine and
/// the sine of k cycles, and with an even length the last row is the cosine of length/2 cycles.
/// @return [length, length]
[[nodiscard]] Table real_fourier_basis(size_t length);

/// What is left of a curve less its mean, by cycles over the whole length: a sinusoid of k whole cycles and amplitude a
/// gives a at k.
/// @return [length / 2 + 1], entry k is k cycles; entry 0 is |mean|
[[nodiscard]] Vector amplitude_spectrum(std::span<const double> curve);

}  // namespace summand::lab
