// Rows taken apart, against the composition of whole rows and against means over every combination of rows.
#include "model/part_ops.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "model/composition.hpp"
#include "model/shape_ops.hpp"

using namespace summand;
using namespace summand::model;

namespace {

using Row = std::vector<double>;
using Parameters = RowOps<double>::Parameters;

constexpr double kPartOpsRounding = 1e-12;
constexpr size_t kHidden = 8;

std::vector<Row> drawn_table(size_t rows, size_t width, double seed) {
  std::vector<Row> table(rows, Row(width));
  for (Row& row : table) {
    for (double& x : row) x = std::sin(seed += 1.7) + 0.3;  // a mean row that is not 0
  }
  return table;
}

/// Tables of 5 tokens, 4 positions and 2 segments beside drawn parameters.
struct Drawn {
  explicit Drawn(const Composition& one) : composition(one) {
    const PartWidths widths = widths_of(composition, kHidden);
    tables = {drawn_table(5, widths.token, 1), drawn_table(4, widths.position, 2), drawn_table(2, widths.segment, 3)};
    double next = -1;
    for (const auto& parameter : own_parameters(composition, kHidden)) {
      const bool is_matrix = parameter.shape.size() == 2;
      Matrix<double> matrix(is_matrix ? parameter.shape[0] : 1, parameter.shape.back());
      for (double& x : matrix.elements()) x = std::sin(next += 1);
      parameters.emplace(parameter.name, matrix);
    }
    apart = part_parameters(parameters);
  }

  [[nodiscard]] Row composed(size_t t, size_t p, size_t s) const {
    RowOps<double> ops(parameters);
    return compose(composition, ops, InputParts<Row>{tables.token[t], tables.position[p], tables.segment[s]});
  }
  [[nodiscard]] RowInParts in_parts(PartOps& ops, size_t t, size_t p, size_t s) const {
    const auto leaf = [](Addend part, const std::vector<Row>& table, size_t at) {
      RowInParts value;
      value.of(Addend::common) = Row(table[0].size());
      value.of(part) = table[at];
      for (size_t i = 0; i < table[0].size(); ++i) {
        for (const Row& row : table) value.of(Addend::common)[i] += row[i] / static_cast<double>(table.size());
        value.of(part)[i] -= value.of(Addend::common)[i];
      }
      return value;
    };
    const InputParts<RowInParts> parts{leaf(Addend::token, tables.token, t), leaf(Addend::position, tables.position, p),
                                       leaf(Addend::segment, tables.segment, s)};
    return compose(composition, ops, parts);
  }

  Composition composition;
  InputParts<std::vector<Row>> tables;
  Parameters parameters;
  PartParameters apart;
};

/// Calls for every token, position and segment of the tables.
template <class Use>
void for_each_input(Use&& use) {
  for (size_t t = 0; t < 5; ++t) {
    for (size_t p = 0; p < 4; ++p) {
      for (size_t s = 0; s < 2; ++s) use(t, p, s);
    }
  }
}

bool has_gates(const Composition& composition) {
  return std::holds_alternative<ScalarGate>(composition) || std::holds_alternative<VectorGate>(composition);
}

void check_near(const Row& own, const Row& expected) {
  REQUIRE(own.size() == expected.size());
  for (size_t i = 0; i < own.size(); ++i) CHECK(std::abs(own[i] - expected[i]) < kPartOpsRounding);
}

}  // namespace

TEST_CASE("the addends of every composition add up to it") {
  auto all = typical_compositions(kHidden);
  all.emplace_back(ConcatenateProject{.token_width = 5, .position_width = 3, .segment_width = 1});
  for (const auto& composition : all) {
    CAPTURE(name_of(composition));
    const Drawn drawn(composition);
    for_each_input([&](size_t t, size_t p, size_t s) {
      PartOps ops(drawn.apart);
      check_near(drawn.in_parts(ops, t, p, s).total(), drawn.composed(t, p, s));
    });
  }
}

// Where there is no gate, an addend is what its rows alone change of the mean over all combinations.
TEST_CASE("without a gate each part is the mean over the rows of the others less the mean of all") {
  for (const auto& composition : typical_compositions(kHidden)) {
    if (has_gates(composition) || std::holds_alternative<JointTable>(composition)) continue;
    CAPTURE(name_of(composition));
    const Drawn drawn(composition);
    Row mean(kHidden);
    std::array<std::vector<Row>, 3> by_part{std::vector(5, mean), std::vector(4, mean), std::vector(2, mean)};
    for_each_input([&](size_t t, size_t p, size_t s) {
      const Row x = drawn.composed(t, p, s);
      for (size_t i = 0; i < kHidden; ++i) {
        mean[i] += x[i] / 40;
        by_part[0][t][i] += x[i] / 8;
        by_part[1][p][i] += x[i] / 10;
        by_part[2][s][i] += x[i] / 20;
      }
    });
    for_each_input([&](size_t t, size_t p, size_t s) {
      PartOps ops(drawn.apart);
      const RowInParts own = drawn.in_parts(ops, t, p, s);
      check_near(own.of(Addend::common), mean);
      const auto check_part = [&](Addend part, Row expected) {
        for (size_t i = 0; i < kHidden; ++i) expected[i] -= mean[i];
        check_near(own.of(part), expected);
      };
      check_part(Addend::token, by_part[0][t]);
      check_part(Addend::position, by_part[1][p]);
      check_part(Addend::segment, by_part[2][s]);
      const bool is_product = std::holds_alternative<Multiplicative>(composition);
      CHECK(own.of(Addend::together).empty() != is_product);
    });
  }
}

TEST_CASE("a gated part is its gate's value times the part, and the gates are named") {
  for (const Composition& composition : {Composition(ScalarGate()), Composition(VectorGate())}) {
    CAPTURE(name_of(composition));
    const Drawn drawn(composition);
    PartOps ops(drawn.apart);
    const RowInParts own = drawn.in_parts(ops, 3, 1, 1);
    CHECK(own.of(Addend::together).empty());
    Row all = drawn.tables.token[3];
    all.insert(all.end(), drawn.tables.position[1].begin(), drawn.tables.position[1].end());
    all.insert(all.end(), drawn.tables.segment[1].begin(), drawn.tables.segment[1].end());
    RowOps<double> rows(drawn.parameters);
    const Row gate = rows.logistic(rows.linear(all, "position_gate"));
    Row expected = drawn.tables.position[1];
    for (size_t i = 0; i < kHidden; ++i) {
      for (const Row& row : drawn.tables.position) expected[i] -= row[i] / 4;
    }
    check_near(own.of(Addend::position), rows.times(expected, gate));
    double mean = 0;
    for (const double factor : gate) mean += factor / static_cast<double>(gate.size());
    REQUIRE(ops.gates().size() == 3);
    const auto found = std::ranges::find(ops.gates(), "position_gate", &GateValue::name);
    REQUIRE(found != ops.gates().end());
    CHECK(found->mean == doctest::Approx(mean));
  }
}
