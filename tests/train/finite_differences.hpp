#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "train/network/network.hpp"

namespace summand::test {

/// Checks the gradients of parameters that are trained, of a network in double precision whose loss has gone backward:
/// of each its largest, and of matrices and tables the last one.
/// @param loss  computes that loss anew, as a tensor of one number
template <class Loss>
void check_gradients(const train::Network& network, const Loss& loss) {
  constexpr double kStep = 1e-5;
  for (const auto& [name, tensor] : network.parameters().all()) {
    if (!tensor.requires_grad()) continue;
    CAPTURE(name);
    DOCTEST_REQUIRE(tensor.grad().defined());
    std::vector<int64_t> places{tensor.grad().abs().argmax().template item<int64_t>()};
    if (tensor.dim() == 2) places.push_back(tensor.numel() - 1);
    for (const int64_t place : places) {
      const double own = tensor.grad().flatten()[place].template item<double>();
      const auto moved = [&](double step) {
        const at::Tensor entry = tensor.detach().view(-1)[place];  // shares the parameter's memory
        entry.add_(step);
        const double at_step = loss().template item<double>();
        entry.sub_(step);
        return at_step;
      };
      const double expected = (moved(kStep) - moved(-kStep)) / (2 * kStep);
      DOCTEST_CHECK(std::abs(own - expected) < 1e-6 * std::max(1.0, std::abs(expected)));
    }
  }
}

}  // namespace summand::test
