#include "model/composition.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "model/parameters.hpp"
#include "model/row_ops.hpp"
#include "model/shape_ops.hpp"

using namespace summand;
using namespace summand::model;

namespace {

using Row = std::vector<double>;
using Filled = RowOps<double>::Parameters;

constexpr double kCompositionRounding = 1e-12;
constexpr size_t kHidden = 8;

Row numbers(size_t width, double first) {
  Row row;
  for (size_t i = 0; i < width; ++i) row.push_back(std::sin(first + 1.7 * static_cast<double>(i)));
  return row;
}

/// Rows as wide as the composition has them.
InputParts<Row> parts_of(const Composition& composition) {
  const PartWidths widths = widths_of(composition, kHidden);
  return {numbers(widths.token, 1), numbers(widths.position, 2), numbers(widths.segment, 3)};
}

/// Every parameter that the contract lists for a composition, filled with distinct numbers.
Filled filled_parameters(const Composition& composition) {
  Filled filled;
  double next = -1;
  for (const auto& parameter : own_parameters(composition, kHidden)) {
    const bool is_matrix = parameter.shape.size() == 2;
    Matrix<double> matrix(is_matrix ? parameter.shape[0] : 1, parameter.shape.back());
    for (double& x : matrix.elements()) x = std::sin(next += 1);
    filled.emplace(parameter.name, matrix);
  }
  return filled;
}

Row composed(const Composition& composition, const Filled& filled, const InputParts<Row>& parts) {
  RowOps<double> ops(filled);
  return compose(composition, ops, parts);
}

Row side_by_side(const InputParts<Row>& parts) {
  Row all = parts.token;
  all.insert(all.end(), parts.position.begin(), parts.position.end());
  all.insert(all.end(), parts.segment.begin(), parts.segment.end());
  return all;
}

double dot(const Matrix<double>& weight, size_t row, const Row& x) {
  double total = 0;
  for (size_t i = 0; i < x.size(); ++i) total += weight(row, i) * x[i];
  return total;
}

/// The formulas of the structs' comments, written out coordinate by coordinate.
struct Expected {
  const Filled& filled;
  const InputParts<Row>& parts;
  size_t i;

  [[nodiscard]] double t() const { return parts.token[i]; }
  [[nodiscard]] double p() const { return parts.position[i]; }
  [[nodiscard]] double s() const { return parts.segment[i]; }
  [[nodiscard]] double scaled(size_t at) const {
    return filled.at("token_scale")(0, at) * t() + filled.at("position_scale")(0, at) * p() +
           filled.at("segment_scale")(0, at) * s();
  }
  [[nodiscard]] double gate(const std::string& name, size_t row) const {
    const double logit = dot(filled.at(name + ".weight"), row, side_by_side(parts)) + filled.at(name + ".bias")(0, row);
    return 1 / (1 + std::exp(-logit));
  }
  [[nodiscard]] double gated(size_t row) const {
    return gate("token_gate", row) * t() + gate("position_gate", row) * p() + gate("segment_gate", row) * s();
  }
  /// Bᵀ·B·p
  [[nodiscard]] double within() const {
    const auto& directions = filled.at("token_directions.weight");
    double sum = 0;
    for (size_t k = 0; k < directions.rows(); ++k) sum += directions(k, i) * dot(directions, k, parts.position);
    return sum;
  }

  double operator()(const Sum&) const { return t() + p() + s(); }
  double operator()(const ScaledSum&) const { return scaled(0); }
  double operator()(const WeightedSum&) const { return scaled(i); }
  double operator()(const ScalarGate&) const { return gated(0); }
  double operator()(const VectorGate&) const { return gated(i); }
  double operator()(const ConcatenateProject&) const {
    return dot(filled.at("projection.weight"), i, side_by_side(parts));
  }
  double operator()(const Concatenate&) const { return side_by_side(parts)[i]; }
  double operator()(const Multiplicative&) const { return t() * (1 + p() + s()); }
  double operator()(const OutsideTokens&) const { return t() + s() + p() - within(); }
  double operator()(const JointTable&) const { return t(); }
  double operator()(const WithinTokens&) const { return t() + s() + within(); }
  template <class Other>
  double operator()(const Other&) const {
    FAIL_CHECK("expected an operator() here with the formula of ", Other::kName, ", got none");
    return t();
  }
};

/// Each of its parameters at what makes it the plain sum.
Filled neutral_parameters(const Composition& composition) {
  Filled filled = filled_parameters(composition);
  for (auto& [name, matrix] : filled) {
    double value = 0;
    if (name.ends_with("_scale")) value = 1;
    if (name.ends_with("_gate.bias")) value = 50;  // σ is 1 to the last digit
    for (double& x : matrix.elements()) x = value;
    const bool is_projection = name == "projection.weight";
    const bool is_whole = name == "token_directions.weight" && std::holds_alternative<WithinTokens>(composition);
    for (size_t i = 0; i < matrix.columns() && (is_projection || is_whole); ++i) matrix(i % kHidden, i) = 1;
  }
  return filled;
}

}  // namespace

TEST_CASE("every composition is its formula, on the parameters that the contract lists for it") {
  std::vector<Composition> all = typical_compositions(kHidden);
  all.emplace_back(ConcatenateProject{.token_width = 5, .position_width = 3, .segment_width = 1});
  all.emplace_back(Concatenate{.token_width = 1, .position_width = 6, .segment_width = 1});
  all.emplace_back(OutsideTokens{.rank = kHidden});
  for (const auto& composition : all) {
    CAPTURE(name_of(composition));
    const auto filled = filled_parameters(composition);
    const auto parts = parts_of(composition);
    const Row row = composed(composition, filled, parts);
    REQUIRE(row.size() == kHidden);
    for (size_t i = 0; i < kHidden; ++i) {
      const double expected = std::visit(Expected{filled, parts, i}, composition);
      CHECK(std::abs(row[i] - expected) < kCompositionRounding);
    }
  }
}

TEST_CASE("with its own parameters at neutral values a composition is the sum") {
  for (const Composition& composition :
       {Composition(Sum()), Composition(ScaledSum()), Composition(WeightedSum()), Composition(ScalarGate()),
        Composition(VectorGate()), Composition(ConcatenateProject()), Composition(OutsideTokens{.rank = 3}),
        Composition(WithinTokens{.rank = kHidden})}) {
    CAPTURE(name_of(composition));
    const auto parts = parts_of(composition);
    const Row row = composed(composition, neutral_parameters(composition), parts);
    for (size_t i = 0; i < kHidden; ++i) {
      CHECK(std::abs(row[i] - parts.token[i] - parts.position[i] - parts.segment[i]) < kCompositionRounding);
    }
  }
}

TEST_CASE("the parts of a concatenation keep to dimensions of their own") {
  const Concatenate composition{.token_width = 4, .position_width = 3, .segment_width = 1};
  auto parts = parts_of(composition);
  const Row before = composed(composition, {}, parts);
  parts.position = {7, 8, 9};
  const Row after = composed(composition, {}, parts);
  for (size_t i = 0; i < kHidden; ++i) CHECK((before[i] == after[i]) == (i < 4 || i == 7));
}

TEST_CASE("positions outside the token's directions have no part along them, positions within nothing else") {
  Matrix<double> directions(2, kHidden);
  directions(0, 1) = 1;
  directions(1, 4) = 0.6;
  directions(1, 6) = 0.8;
  const Filled filled{{"token_directions.weight", directions}};
  InputParts<Row> parts{Row(kHidden), numbers(kHidden, 2), Row(kHidden)};
  const Row outside = composed(OutsideTokens{.rank = 2}, filled, parts);
  const Row within = composed(WithinTokens{.rank = 2}, filled, parts);
  for (size_t k = 0; k < 2; ++k) CHECK(std::abs(dot(directions, k, outside)) < kCompositionRounding);
  for (size_t i = 0; i < kHidden; ++i) {
    CHECK(std::abs(outside[i] + within[i] - parts.position[i]) < kCompositionRounding);
    if (i != 1 && i != 4 && i != 6) CHECK(within[i] == 0);
  }
}

TEST_CASE("concatenate and project is a sum of three projected rows") {
  const ConcatenateProject composition{.token_width = 5, .position_width = 3, .segment_width = 2};
  const auto filled = filled_parameters(composition);
  const auto& projection = filled.at("projection.weight");
  const auto parts = parts_of(composition);
  const Row row = composed(composition, filled, parts);
  for (size_t i = 0; i < kHidden; ++i) {
    double folded = 0;
    for (size_t k = 0; k < 5; ++k) folded += projection(i, k) * parts.token[k];
    for (size_t k = 0; k < 3; ++k) folded += projection(i, 5 + k) * parts.position[k];
    for (size_t k = 0; k < 2; ++k) folded += projection(i, 8 + k) * parts.segment[k];
    CHECK(std::abs(row[i] - folded) < kCompositionRounding);
  }
}

TEST_CASE("the float sum is taken as token plus segment, then position") {
  const std::vector<float> token{1.0F};
  const std::vector<float> position{0x1p-24F};
  const std::vector<float> segment{0x1p-24F};
  const RowOps<float>::Parameters none;
  RowOps<float> ops(none);
  // Each addend alone is lost against 1 (ties to even); added to each other first they would not be.
  CHECK(compose(Sum(), ops, InputParts<std::vector<float>>{token, position, segment})[0] == 1.0F);
}

TEST_CASE("what composing takes is counted from the formula") {
  const auto operations = [](const Composition& composition) {
    return shape_of(composition, own_parameters(composition, kHidden), kHidden).operations();
  };
  constexpr double kH = kHidden;
  CHECK(operations(Sum()) == 2 * kH);
  CHECK(operations(WeightedSum()) == 5 * kH);
  CHECK(operations(ScalarGate()) == 3 * (2 * 3 * kH) + 5 * kH);
  CHECK(operations(VectorGate()) == 3 * (2 * 3 * kH * kH) + 5 * kH);
  CHECK(operations(ConcatenateProject()) == 2 * 3 * kH * kH);
  CHECK(operations(ConcatenateProject{.token_width = 4, .position_width = 2, .segment_width = 1}) == 2 * 7 * kH);
  CHECK(operations(OutsideTokens{.rank = 3}) == 2 * 2 * 3 * kH + 3 * kH);
  CHECK(operations(Concatenate::typical(kHidden)) == 0);
}

TEST_CASE("every composition has a name of its own, and widths that fit") {
  std::set<std::string> names;
  for (const auto& composition : typical_compositions(kHidden)) {
    CHECK(names.insert(std::string(name_of(composition))).second);
    CHECK(validation_error(composition, kHidden).empty());
    CHECK(kind_named<Composition>(name_of(composition)).has_value());
  }
  CHECK_FALSE(kind_named<Composition>("no such").has_value());
}
