#include "lab/experiments/toeplitz/common_axes.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>

#include "lab/statistics/require.hpp"

namespace summand::lab::toeplitz {

namespace {

using Eigen::Index;

/// The sum over a text's functions, each form's trace made positive.
Table turned_sum(const std::vector<Table>& forms) {
  Table sum = Table::Zero(forms.front().rows(), forms.front().cols());
  for (const auto& h : forms) sum += (h.trace() < 0 ? -1.0 : 1.0) * (h + h.transpose()) / 2;
  return sum;
}

/// @return [width, coordinates]
Table axes_of(const Table& sum, Index width) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(sum);  // eigenvalues increase
  Table axes = Table::Zero(width, sum.cols());
  for (Index i = 0; i < width; ++i) {
    const Index at = sum.cols() - 1 - i;
    const double value = eigen.eigenvalues()(at);
    if (value > 0) axes.row(i) = eigen.eigenvectors().col(at).transpose() / std::sqrt(value);
  }
  return axes;
}

}  // namespace

Forms along_common_axes(const Forms& forms, size_t width) {
  require(forms.size() >= 2, "common axes", "expected forms of two texts or more");
  std::vector<Table> sums;
  for (const auto& text : forms) sums.push_back(turned_sum(text));
  Forms along;
  for (size_t t = 0; t < forms.size(); ++t) {
    Table others = Table::Zero(sums[t].rows(), sums[t].cols());
    for (size_t other = 0; other < sums.size(); ++other) {
      if (other != t) others += sums[other];
    }
    others /= static_cast<double>((forms.size() - 1) * forms[t].size());
    const Table axes = axes_of(others, static_cast<Index>(width));
    auto& text = along.emplace_back();
    for (const auto& h : forms[t]) text.push_back(axes * h * axes.transpose());
  }
  return along;
}

}  // namespace summand::lab::toeplitz
