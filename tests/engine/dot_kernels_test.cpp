#include "engine/kernels/dots.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "every_kernel_set.hpp"

using namespace summand;
using engine::kDotLanes;

namespace {

/// The definition: one chain in order, every product and every sum rounded by itself.
double chain(const float* a, const float* b, size_t depth) {
  double total = 0;
  for (size_t d = 0; d < depth; ++d) total += static_cast<double>(a[d]) * static_cast<double>(b[d]);
  return total;
}

/// The definitions of distances: the square of a difference is fused with the sum.
double squared_chain(const float* a, const float* b, size_t depth) {
  double total = 0;
  for (size_t d = 0; d < depth; ++d) {
    const double difference = static_cast<double>(a[d]) - static_cast<double>(b[d]);
    total = std::fma(difference, difference, total);
  }
  return total;
}
double absolute_chain(const float* a, const float* b, size_t depth) {
  double total = 0;
  for (size_t d = 0; d < depth; ++d) total += std::abs(static_cast<double>(a[d]) - static_cast<double>(b[d]));
  return total;
}

template <class Body>
void for_every_dot_kernel(const Body& body) {
  for (const auto* const set : engine::available_kernel_sets()) {
    INFO("instruction set ", std::string(set->name));
    body(*set->dots);
  }
}

bool same_bits(double a, double b) {
  return std::memcmp(&a, &b, sizeof(a)) == 0;
}

constexpr size_t kDepths[] = {1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 384, 1000};

}  // namespace

TEST_CASE("a dot product has the bits of its definition on every instruction set, at any place beside any others") {
  for_every_dot_kernel([](const engine::DotKernels& kernels) {
    for (const size_t depth : kDepths) {
      const size_t stride = depth + 3;
      const auto rows = test::random_floats(kDotLanes * stride, 1);
      const auto queries = test::random_floats(23 * depth, 2, 1e3F);
      const std::vector<double> wide(queries.begin(), queries.end());
      for (const size_t row_count : {size_t{1}, size_t{5}, size_t{8}, size_t{15}, kDotLanes}) {
        std::vector<double> panel(depth * kDotLanes, -7);
        std::vector<double> squares(kDotLanes, -7);
        kernels.pack({.rows = rows.data(),
                      .stride = stride,
                      .row_count = row_count,
                      .depth = depth,
                      .panel = panel.data(),
                      .squares = squares.data()});
        for (const size_t query_count : {size_t{1}, size_t{2}, size_t{7}, size_t{23}}) {
          std::vector<double> dots(query_count * kDotLanes + 1, -7);
          kernels.dot({.panel = panel.data(),
                       .queries = wide.data(),
                       .query_count = query_count,
                       .depth = depth,
                       .sums = dots.data()});
          CHECK(dots.back() == -7);
          for (size_t lane = 0; lane < kDotLanes; ++lane) {
            const float* const row = rows.data() + lane * stride;
            const bool is_there = lane < row_count;
            if (!same_bits(squares[lane], is_there ? chain(row, row, depth) : 0)) FAIL("square of ", lane, ", ", depth);
            for (size_t query = 0; query < query_count; ++query) {
              const double want = is_there ? chain(queries.data() + query * depth, row, depth) : 0;
              // A sum of products with zero may be -0.
              if (is_there ? !same_bits(dots[query * kDotLanes + lane], want) : dots[query * kDotLanes + lane] != 0) {
                FAIL("query ", query, ", row ", lane, " of depth ", depth);
              }
            }
          }
        }
      }
    }
  });
}

TEST_CASE("distances have the bits of their definitions on every instruction set") {
  for_every_dot_kernel([](const engine::DotKernels& kernels) {
    for (const size_t depth : kDepths) {
      const auto rows = test::random_floats(kDotLanes * depth, 3);
      const auto queries = test::random_floats(13 * depth, 4, 1e3F);
      const std::vector<double> wide(queries.begin(), queries.end());
      std::vector<double> panel(depth * kDotLanes);
      std::vector<double> squares(kDotLanes);
      kernels.pack({.rows = rows.data(),
                    .stride = depth,
                    .row_count = kDotLanes,
                    .depth = depth,
                    .panel = panel.data(),
                    .squares = squares.data()});
      std::vector<double> squared(13 * kDotLanes + 1, -7);
      std::vector<double> absolute(13 * kDotLanes + 1, -7);
      kernels.squared_distances(
          {.panel = panel.data(), .queries = wide.data(), .query_count = 13, .depth = depth, .sums = squared.data()});
      kernels.absolute_distances(
          {.panel = panel.data(), .queries = wide.data(), .query_count = 13, .depth = depth, .sums = absolute.data()});
      CHECK(squared.back() == -7);
      CHECK(absolute.back() == -7);
      for (size_t query = 0; query < 13; ++query) {
        for (size_t lane = 0; lane < kDotLanes; ++lane) {
          const float* const a = queries.data() + query * depth;
          const float* const b = rows.data() + lane * depth;
          const size_t at = query * kDotLanes + lane;
          if (!same_bits(squared[at], squared_chain(a, b, depth))) FAIL("squared, query ", query, ", row ", lane);
          if (!same_bits(absolute[at], absolute_chain(a, b, depth))) FAIL("absolute, query ", query, ", row ", lane);
        }
      }
    }
  });
}

TEST_CASE("the largest and the smallest floats neither overflow nor vanish in a dot product") {
  for_every_dot_kernel([](const engine::DotKernels& kernels) {
    for (const float value : {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min()}) {
      const std::vector<float> row(40, value);
      const std::vector<double> query(40, value);
      std::vector<double> panel(40 * kDotLanes);
      std::vector<double> squares(kDotLanes);
      std::vector<double> dots(kDotLanes);
      kernels.pack({.rows = row.data(),
                    .stride = 40,
                    .row_count = 1,
                    .depth = 40,
                    .panel = panel.data(),
                    .squares = squares.data()});
      kernels.dot({.panel = panel.data(), .queries = query.data(), .query_count = 1, .depth = 40, .sums = dots.data()});
      CHECK(dots[0] == chain(row.data(), row.data(), 40));
      CHECK(squares[0] == dots[0]);
      CHECK(dots[0] > 0);
      CHECK(dots[0] < std::numeric_limits<double>::infinity());
    }
  });
}
