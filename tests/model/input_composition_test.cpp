#include "model/input_composition.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "model/parameters.hpp"
#include "model/row_ops.hpp"

using namespace summand;
using namespace summand::model;

namespace {

using Row = std::vector<double>;

constexpr double kRounding = 1e-14;

const InputParts<Row> kParts{{1, -2, 3}, {0.5, 0.25, -1}, {4, 8, -16}};

/// Every parameter that the contract lists for a composition, filled with distinct numbers.
RowOps<double>::Parameters filled_parameters(InputComposition composition) {
  Config config;
  config.hidden_size = 3;
  config.vocab_size = config.max_position_embeddings = config.type_vocab_size = 1;
  config.num_attention_heads = config.intermediate_size = 1;
  config.composition = composition;
  RowOps<double>::Parameters filled;
  const std::string prefix = "embeddings.composition.";
  double next = -1;
  for (const auto& parameter : parameters(config, {.pooler = Pooler::absent})) {
    if (parameter.part != Part::composition) continue;
    const bool is_matrix = parameter.shape.size() == 2;
    Matrix<double> matrix(is_matrix ? parameter.shape[0] : 1, parameter.shape.back());
    for (double& x : matrix.elements()) x = std::sin(next += 1);
    filled.emplace(parameter.name.substr(prefix.size()), matrix);
  }
  return filled;
}

Row composed(InputComposition composition) {
  const auto filled = filled_parameters(composition);
  RowOps<double> ops(filled);
  return compose(composition, ops, kParts);
}

Row side_by_side() {
  Row all = kParts.token;
  all.insert(all.end(), kParts.position.begin(), kParts.position.end());
  all.insert(all.end(), kParts.segment.begin(), kParts.segment.end());
  return all;
}

double dot(const Matrix<double>& weight, size_t row, const Row& x) {
  double total = 0;
  for (size_t i = 0; i < x.size(); ++i) total += weight(row, i) * x[i];
  return total;
}

double gate(const RowOps<double>::Parameters& filled, const std::string& name, size_t row) {
  return 1 / (1 + std::exp(-dot(filled.at(name + ".weight"), row, side_by_side()) - filled.at(name + ".bias")(0, row)));
}

/// The formulas of the enumeration's comments, written out coordinate by coordinate.
double expected(InputComposition composition, size_t i) {
  const auto filled = filled_parameters(composition);
  const double t = kParts.token[i];
  const double p = kParts.position[i];
  const double s = kParts.segment[i];
  switch (composition) {
    case InputComposition::sum:
      return t + p + s;
    case InputComposition::scaled_sum:
      return filled.at("token_scale")(0, 0) * t + filled.at("position_scale")(0, 0) * p +
             filled.at("segment_scale")(0, 0) * s;
    case InputComposition::weighted_sum:
      return filled.at("token_scale")(0, i) * t + filled.at("position_scale")(0, i) * p +
             filled.at("segment_scale")(0, i) * s;
    case InputComposition::scalar_gate:
      return gate(filled, "token_gate", 0) * t + gate(filled, "position_gate", 0) * p +
             gate(filled, "segment_gate", 0) * s;
    case InputComposition::vector_gate:
      return gate(filled, "token_gate", i) * t + gate(filled, "position_gate", i) * p +
             gate(filled, "segment_gate", i) * s;
    case InputComposition::concatenate_project:
      return dot(filled.at("projection.weight"), i, side_by_side());
    case InputComposition::multiplicative:
      return t * (1 + p + s);
  }
  return NAN;
}

}  // namespace

TEST_CASE("every composition is its formula, on the parameters that the contract lists for it") {
  for (const auto& entry : enum_names(InputComposition{})) {
    CAPTURE(entry.name);
    const Row row = composed(entry.value);
    REQUIRE(row.size() == 3);
    for (size_t i = 0; i < 3; ++i) CHECK(std::abs(row[i] - expected(entry.value, i)) < kRounding * 100);
  }
}

TEST_CASE("concatenate and project is a sum of three projected rows") {
  const auto filled = filled_parameters(InputComposition::concatenate_project);
  const auto& projection = filled.at("projection.weight");
  const Row row = composed(InputComposition::concatenate_project);
  for (size_t i = 0; i < 3; ++i) {
    double folded = 0;
    for (size_t k = 0; k < 3; ++k) {
      folded += projection(i, k) * kParts.token[k] + projection(i, 3 + k) * kParts.position[k] +
                projection(i, 6 + k) * kParts.segment[k];
    }
    CHECK(std::abs(row[i] - folded) < kRounding * 100);
  }
}

TEST_CASE("the float sum is taken as token plus segment, then position") {
  const std::vector<float> token{1.0F};
  const std::vector<float> position{0x1p-24F};
  const std::vector<float> segment{0x1p-24F};
  const RowOps<float>::Parameters none;
  RowOps<float> ops(none);
  // Each addend alone is lost against 1 (ties to even); added to each other first they would not be.
  CHECK(compose(InputComposition::sum, ops, InputParts<std::vector<float>>{token, position, segment})[0] == 1.0F);
}
