#include "model/sentence_pooling.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "base/matrix.hpp"

using namespace summand;
using namespace summand::model;

namespace {

constexpr double kSentencePoolingRounding = 1e-12;

/// Layer l, token t, coordinate c holds a number of its own.
double state(size_t layer, size_t token, size_t coordinate) {
  return std::sin(static_cast<double>(100 * layer + 10 * token + coordinate));
}

std::vector<Matrix<double>> states(size_t tokens) {
  std::vector<Matrix<double>> layers(5, Matrix<double>(tokens, 3));
  for (size_t layer = 0; layer < 5; ++layer) {
    for (size_t t = 0; t < tokens; ++t) {
      for (size_t c = 0; c < 3; ++c) layers[layer](t, c) = state(layer, t, c);
    }
  }
  return layers;
}

std::vector<double> pooled(Pooling pooling, size_t tokens, size_t skip) {
  const auto layers = states(tokens);
  std::vector<MatrixView<const double>> views;
  for (const auto& layer : layers) views.push_back(layer.view());
  std::vector<double> out;
  pool<double>(pooling, views, skip, out);
  return out;
}

double expected(Pooling pooling, size_t tokens, size_t skip, size_t c) {
  double total = 0;
  double weights = 0;
  double largest = -2;
  double four = 0;
  for (size_t t = skip; t < tokens; ++t) {
    const double weight = pooling == Pooling::weighted_mean ? static_cast<double>(t + 1) : 1;
    total += weight * state(4, t, c % 3);
    weights += weight;
    largest = std::max(largest, state(4, t, c));
    for (size_t layer = 1; layer < 5; ++layer) four += state(layer, t, c % 3) / 4;
  }
  switch (pooling) {
    case Pooling::cls:
      return state(4, skip, c);
    case Pooling::last_token:
      return state(4, tokens - 1, c);
    case Pooling::max:
      return largest;
    case Pooling::mean:
    case Pooling::weighted_mean:
      return total / weights;
    case Pooling::mean_sqrt_length:
      return total / std::sqrt(weights);
    case Pooling::last_four_mean:
      return four / weights;
    case Pooling::last_four_concat: {
      double mean = 0;
      for (size_t t = skip; t < tokens; ++t) mean += state(1 + c / 3, t, c % 3) / weights;
      return mean;
    }
  }
  return NAN;
}

}  // namespace

TEST_CASE("every pooling is its formula, with and without a prompt in front") {
  for (const auto& entry : enum_names(Pooling{})) {
    for (const size_t tokens : {size_t{1}, size_t{2}, size_t{7}}) {
      for (const size_t skip : {size_t{0}, tokens - 1}) {
        CAPTURE(entry.name);
        CAPTURE(tokens);
        CAPTURE(skip);
        const auto vector = pooled(entry.value, tokens, skip);
        REQUIRE(vector.size() == (entry.value == Pooling::last_four_concat ? 12 : 3));
        for (size_t c = 0; c < vector.size(); ++c) {
          CHECK(std::abs(vector[c] - expected(entry.value, tokens, skip, c)) < kSentencePoolingRounding);
        }
      }
    }
  }
}

TEST_CASE("a text without counted tokens gives zeros") {
  for (const auto& entry : enum_names(Pooling{})) {
    for (const double x : pooled(entry.value, 2, 2)) CHECK(x == 0);
  }
}
