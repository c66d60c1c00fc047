#include "api/batches/window_combiner.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/matrix.hpp"

using namespace summand;
using namespace summand::api;

namespace {

Matrix<float> rows_of(const std::vector<std::vector<float>>& rows) {
  Matrix<float> matrix(rows.size(), rows[0].size());
  for (size_t i = 0; i < rows.size(); ++i) std::ranges::copy(rows[i], matrix.row(i).begin());
  return matrix;
}

}  // namespace

TEST_CASE("windows are combined coordinate by coordinate") {
  const auto rows = rows_of({{1, -2, 5}, {3, -4, 5}, {2, -9, -1}});
  CHECK(combine_windows(WindowPooling::mean, rows.view()) == std::vector<float>{2, -5, 3});
  CHECK(combine_windows(WindowPooling::maximum, rows.view()) == std::vector<float>{3, -2, 5});
}

TEST_CASE("one window stays as it is, bit for bit") {
  const std::vector<float> row{0.1F, -0.0F, std::numeric_limits<float>::denorm_min(),
                               std::numeric_limits<float>::max()};
  for (const auto pooling : {WindowPooling::mean, WindowPooling::maximum}) {
    const auto rows = rows_of({row});
    const auto combined = combine_windows(pooling, rows.view());
    CHECK(combined == row);
    CHECK(std::signbit(combined[1]));
  }
}

TEST_CASE("a mean of windows is summed in double: what float would lose is kept") {
  const float large = 1e8F;
  const auto rows = rows_of({{large}, {1}, {1}, {-large}});
  CHECK(combine_windows(WindowPooling::mean, rows.view()) == std::vector<float>{0.5F});
}

TEST_CASE("no windows give an empty row") {
  CHECK(WindowCombiner(WindowPooling::mean).combined().empty());
}
