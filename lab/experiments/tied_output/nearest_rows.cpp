#include "lab/experiments/tied_output/nearest_rows.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "lab/statistics/moments.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kAtATime = 32;     // vectors: their products with a vocabulary take memory
constexpr double kLeast = 1e-300;  // a row of zeros has no direction
constexpr double kRounding = 1e-12;

/// Calls with each vector's number and its products with all rows.
void visit_products(const Table& vectors, const Table& rows, const std::function<void(Index, const Vector&)>& visit) {
  for (Index first = 0; first < vectors.rows(); first += kAtATime) {
    const Index count = std::min(kAtATime, vectors.rows() - first);
    const Table products = vectors.middleRows(first, count) * rows.transpose();
    for (Index i = 0; i < count; ++i) visit(first + i, products.row(i));
  }
}

Index largest(const Vector& values) {
  Index at = 0;
  values.maxCoeff(&at);
  return at;
}

/// Whether nothing is larger but by rounding.
bool is_largest(const Vector& values, Index at) {
  const double most = values.maxCoeff();
  return values(at) >= most - kRounding * std::abs(most);
}

Nearest judged(const Vector& products, const Vector& norms, const Vector& bias) {
  const Vector logits = products + bias;
  const Vector cosines = products.cwiseQuotient(norms.cwiseMax(kLeast));
  const Vector near = 2 * products - norms.cwiseProduct(norms);
  const Index with_bias = largest(logits);
  const Index without = largest(products);
  const double of_nearest = logits(largest(cosines));
  const auto below = (logits.array() < of_nearest).count();
  return {.cosine = is_largest(cosines, with_bias),
          .distance = is_largest(near, with_bias),
          .cosine_without_bias = is_largest(cosines, without),
          .distance_without_bias = is_largest(near, without),
          .fraction_below = static_cast<double>(below) / static_cast<double>(std::max<Index>(1, logits.size() - 1))};
}

}  // namespace

Vector DecoderRows::norms() const {
  const Vector raw = origin == Origin::raw ? Vector(rows.rowwise().norm()) : Vector(centred(rows).rowwise().norm());
  return raw.cwiseProduct(scale);
}

std::vector<std::vector<Nearest>> nearest_rows(const Table& vectors, const std::vector<DecoderRows>& sets) {
  std::vector<std::vector<Nearest>> found(sets.size());
  if (sets.empty()) return found;
  const Table& rows = sets.front().rows;
  const Vector mean_row = column_means(rows);
  std::vector<Vector> norms;
  for (const auto& set : sets) norms.push_back(set.norms());
  visit_products(vectors, rows, [&](Index vector, const Vector& products) {
    const double of_mean = vectors.row(vector).dot(mean_row);
    for (size_t i = 0; i < sets.size(); ++i) {
      const double taken = sets[i].origin == Origin::raw ? 0 : of_mean;
      const Vector scaled = (products.array() - taken) * sets[i].scale.array();
      found[i].push_back(judged(scaled, norms[i], sets[i].bias));
    }
  });
  return found;
}

double deviation_of_logits(const Table& vectors, const Table& rows) {
  double total = 0;
  visit_products(vectors, rows,
                 [&](Index, const Vector& products) { total += standard_deviation(elements(products)); });
  return total / static_cast<double>(std::max<Index>(1, vectors.rows()));
}

}  // namespace summand::lab
