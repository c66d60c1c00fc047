#include "base/matrix_view.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <utility>
#include <vector>

#include "base/matrix.hpp"

using summand::Matrix;
using summand::MatrixView;

TEST_CASE("rows and columns of a view step by its stride") {
  std::vector<int> numbers(20);
  std::iota(numbers.begin(), numbers.end(), 0);
  const MatrixView<int> view(numbers.data(), 4, 3, 5);
  CHECK(view(2, 1) == 11);
  CHECK(view.row(3)[2] == 17);
  CHECK(view.middle_rows(1, 2)(1, 0) == 10);
  CHECK(view.middle_columns(1, 2)(3, 1) == 17);
  CHECK(view.middle_columns(1, 2).columns() == 2);
  view(0, 0) = 99;
  CHECK(MatrixView<const int>(view)(0, 0) == 99);
}

namespace {

template <class M>
concept Viewed = requires(M&& matrix) {
  std::forward<M>(matrix).row(0);
}
|| requires(M&& matrix) {
  std::forward<M>(matrix).view();
}
|| requires(M&& matrix) {
  std::forward<M>(matrix).elements();
};

}  // namespace

TEST_CASE("nothing is viewed of a matrix that ends with the statement") {
  CHECK(Viewed<Matrix<float>&>);
  CHECK(Viewed<const Matrix<float>&>);
  CHECK_FALSE(Viewed<Matrix<float>>);
  CHECK_FALSE(Viewed<const Matrix<float>>);
}

TEST_CASE("a new matrix is zero, and its rows lie one after the other") {
  Matrix<double> matrix(3, 2);
  for (const double x : matrix.elements()) CHECK(x == 0);
  matrix(2, 1) = 5;
  CHECK(matrix.elements()[5] == 5);
  CHECK(matrix.row(2)[1] == 5);
}
