#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "lab/core/experiment.hpp"

namespace planted {

/// Every number of the claim has a null and a control, all finite, and says in both languages of what.
inline void check_besides(const summand::lab::Findings& findings, const std::string& claim) {
  for (const auto& number : findings.numbers.at(claim).all()) {
    CAPTURE(number.name);
    CHECK(std::isfinite(number.value));
    REQUIRE(number.null);
    REQUIRE(number.control);
    for (const auto* beside : {&*number.null, &*number.control}) {
      CHECK(std::isfinite(beside->value));
      CHECK_FALSE(beside->of.en.empty());
      CHECK_FALSE(beside->of.zh.empty());
    }
    if (number.interval) CHECK(number.interval->low <= number.interval->high);
  }
}

}  // namespace planted
