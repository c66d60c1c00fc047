#pragma once

#include <cstddef>

#include "base/random_stream.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

/// What the heads of a first layer read of the circles that positions go round.
enum class ReadsCircles {
  one_each,       ///< head i circle i, as far as there are circles; what is left over the first ones again
  all_alike,      ///< every head all circles, one more strongly than the other
  random_planes,  ///< every head a plane that lies anyhow among all circles
};

/// A model whose positions go round circles at paces of their own, and whose first layer attends where two tokens lie
/// in the same direction of what a head reads.
[[nodiscard]] Subject reader_of_circles(ReadsCircles heads, size_t circles, RandomStream& stream);

}  // namespace summand::lab
