#pragma once

#include <string_view>

#include "base/random_stream.hpp"
#include "lab/statistics/surrogates.hpp"

/// Tables that tests plant what they look for into.
namespace planted {

inline summand::lab::Table gaussian(size_t rows, size_t columns, std::string_view name) {
  summand::RandomStream stream(11, name);
  return summand::lab::white_noise({rows, columns}, stream);
}

inline summand::lab::Table walk(size_t rows, size_t columns, std::string_view name) {
  summand::RandomStream stream(12, name);
  return summand::lab::random_walk({rows, columns}, stream);
}

inline summand::lab::Table smooth(size_t rows, size_t columns, std::string_view name) {
  summand::RandomStream stream(13, name);
  return summand::lab::gaussian_process({rows, columns}, 12, stream);
}

}  // namespace planted
