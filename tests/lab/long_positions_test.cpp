#include "lab/probing/long_positions.hpp"

#include <doctest/doctest.h>

#include <set>

#include "base/error.hpp"
#include "base/random_stream.hpp"
#include "lab/experiments/beyond_the_table/window_runs.hpp"
#include "lab/experiments/long_texts/document_runs.hpp"
#include "lab/statistics/surrogates.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;

namespace {

Table random_table(size_t rows, size_t columns) {
  RandomStream stream(7, "long positions");
  return white_noise({rows, columns}, stream);
}

constexpr double kRounding = 1e-12;  // a few sums of numbers near 1

}  // namespace

TEST_CASE("hierarchical positions begin with the table's own rows, bit for bit") {
  const Table table = random_table(9, 5);
  for (const double share : {0.2, 0.4, 0.6}) {
    const Table longer = hierarchical_positions(table, 81, share);
    CHECK(longer.rows() == 81);
    CHECK(longer.topRows(9) == table);
    CHECK(hierarchical_positions(table, 4, share) == table.topRows(4));
  }
}

TEST_CASE("every hierarchical row is the closed form of its two digits") {
  const Table table = random_table(7, 3);
  const double share = 0.4;
  const Table longer = hierarchical_positions(table, 49, share);
  for (Index i = 0; i < 7; ++i) {
    for (Index j = 0; j < 7; ++j) {
      for (Index column = 0; column < 3; ++column) {
        // Multiplied out: α/(1 − α)·(p_i − αp_1) + p_j − αp_1.
        const double first = table(0, column);
        const double expected =
            share / (1 - share) * (table(i, column) - share * first) + table(j, column) - share * first;
        CHECK(longer(7 * i + j, column) == doctest::Approx(expected).epsilon(kRounding));
      }
    }
  }
}

TEST_CASE("hierarchical rows reach the square of the table, all different, and no farther") {
  const Table table = random_table(16, 2);
  const Table longer = hierarchical_positions(table, 256, 0.4);
  std::set<std::pair<double, double>> different;
  for (Index row = 0; row < longer.rows(); ++row) different.emplace(longer(row, 0), longer(row, 1));
  CHECK(different.size() == 256);
  CHECK_THROWS_AS((void)hierarchical_positions(table, 257, 0.4), UsageError);
  for (const double share : {0.0, 0.5, 1.0}) {
    CHECK_THROWS_AS((void)hierarchical_positions(table, 20, share), UsageError);
  }
}

TEST_CASE("at one half two hierarchical positions would be one: the other shares keep them apart") {
  const Table table = random_table(4, 3);
  const Table longer = hierarchical_positions(table, 16, 0.4);
  CHECK((longer.row(4 * 1 + 2) - longer.row(4 * 2 + 1)).norm() > 0.1);
}

TEST_CASE("a stretched ramp is a ramp between the same ends") {
  Table ramp(5, 1);
  for (Index row = 0; row < 5; ++row) ramp(row, 0) = 3.0 * static_cast<double>(row) - 2;
  const Table longer = stretched_positions(ramp, 13);
  for (Index row = 0; row < 13; ++row) {
    CHECK(longer(row, 0) == doctest::Approx(static_cast<double>(row) - 2).epsilon(kRounding));
  }
  CHECK(stretched_positions(ramp, 5) == ramp);
}

TEST_CASE("tiled rows begin anew, clamped ones repeat the row named") {
  const Table table = random_table(4, 3);
  const Table tiled = tiled_positions(table, 11);
  for (Index row = 0; row < 11; ++row) CHECK(tiled.row(row) == table.row(row % 4));
  const Table clamped = clamped_positions(table, 7, 2);
  CHECK(clamped.topRows(4) == table);
  for (Index row = 4; row < 7; ++row) CHECK(clamped.row(row) == table.row(2));
}

TEST_CASE("the row that is repeated is not the one that stands out at the end") {
  Table table = random_table(64, 32);
  CHECK(last_ordinary_row(table) == 63);
  table.row(63) *= 9;
  CHECK(last_ordinary_row(table) == 62);
}

TEST_CASE("every longer table has the table's own rows first, but the stretched one, and different rows behind") {
  const Table table = random_table(32, 16);
  const auto tables = longer_tables(table, 64, 0);
  CHECK(tables.size() == 8);
  for (const auto& one : tables) {
    CAPTURE(one.name);
    CHECK(one.rows.rows() == 64);
    CHECK(one.rows.allFinite());
    CHECK((one.rows.topRows(32) == table) == (one.name != "stretched"));
  }
  const Table shuffled = tables[tables.size() - 2].rows.bottomRows(32);
  CHECK(shuffled != table);
  CHECK(shuffled.colwise().sum().isApprox(table.colwise().sum()));
}

TEST_CASE("head and tail fill the room, windows cover every token and overlap by half") {
  CHECK(stretches_of(Treatment::head, 100, 30) == std::vector<Stretch>{{0, 30}});
  CHECK(stretches_of(Treatment::tail, 100, 30) == std::vector<Stretch>{{70, 100}});
  const auto both = stretches_of(Treatment::head_tail, 100, 32);
  REQUIRE(both.size() == 2);
  CHECK(both.front().begin == 0);
  CHECK(both.back().end == 100);
  CHECK(both.front().end + (100 - both.back().begin) == 32);
  const auto windows = stretches_of(Treatment::windows, 100, 30);
  CHECK(windows.front() == Stretch{0, 30});
  CHECK(windows.back() == Stretch{70, 100});
  for (size_t i = 1; i < windows.size(); ++i) {
    CHECK(windows[i].end - windows[i].begin == 30);
    CHECK(windows[i].begin <= windows[i - 1].begin + 15);
  }
  for (const auto treatment : kTreatments) {
    CHECK(stretches_of(treatment, 20, 30) == std::vector<Stretch>{{0, 20}});
  }
}
