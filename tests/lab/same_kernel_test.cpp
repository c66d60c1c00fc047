#include "lab/nulls/same_kernel.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/statistics/circles.hpp"
#include "lab/statistics/lag_kernel.hpp"
#include "tests/lab/circle_tables.hpp"

using namespace summand::lab;

TEST_CASE("tables with the same kernel keep it: the Gaussian one in the mean, joint phases exactly, counted round") {
  const Table table = planted::circle_ladder(3, 128, 40, "same kernel");
  const std::vector<size_t> out{0, 50, 127};
  const auto rows = placed_rows(table, out);
  const SameKernelTables same(rows);
  const Vector kernel = lag_kernel(rows);
  Vector mean = Vector::Zero(kernel.size());
  constexpr size_t kDraws = 40;
  for (size_t i = 0; i < kDraws; ++i) {
    summand::RandomStream stream(4, "same kernel " + std::to_string(i));
    const auto drawn = same.draw(SameKernel::gaussian, stream);
    CHECK(drawn.at == rows.at);
    mean += lag_kernel(drawn) / static_cast<double>(kDraws);
  }
  // 1600 columns of a few waves, whose products vary by about their own size; centring takes a little.
  CHECK((mean - kernel).head(100).cwiseAbs().maxCoeff() < 0.1 * kernel(0));

  const auto all = placed_rows(table);
  const SameKernelTables whole(all);
  summand::RandomStream stream(4, "phases");
  const Vector own = lag_sums(centred_in_place(all));
  const Vector turned = lag_sums(centred_in_place(whole.draw(SameKernel::joint_phases, stream)));
  const Eigen::Index n = own.size();
  for (Eigen::Index lag = 1; lag < n; lag += 9) {
    CHECK(turned(lag) + turned(n - lag) == doctest::Approx(own(lag) + own(n - lag)).epsilon(1e-6));
  }
}

TEST_CASE(
    "where the pace is steady, a table with the same lag kernel has the same circles: the kernel is the finding") {
  summand::RandomStream steady(21, "steady");
  const auto rows = placed_rows(clocks::planted_circles({256, 64}, std::vector<double>{6, 20, 60}, steady, 0));
  const SameKernelTables same(rows);
  for (const auto kind : kSameKernels) {
    summand::RandomStream stream(6, name_of(kind));
    const auto found = circles_of(same.draw(kind, stream));
    CHECK(found.circles.size() == 3);
    CHECK(found.share() == doctest::Approx(circles_of(rows).share()).epsilon(0.1));
  }
}
