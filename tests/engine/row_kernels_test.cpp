#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "every_kernel_set.hpp"

namespace summand {

namespace {

/// Sums of up to 1536 terms of both signs in single precision, in lanes: a few units of the row's deviation.
constexpr double kNormTolerance = 2e-6;
/// Scores of up to 25 are rounded by as much as 1e-6 before their exponential is taken.
constexpr double kSoftmaxTolerance = 4e-6;

struct NormInput {
  std::vector<float> weight;
  std::vector<float> bias;
  engine::Normalisation norm;
  explicit NormInput(size_t width) : weight(test::random_floats(width, 1)), bias(test::random_floats(width, 2)) {
    norm = {.weight = weight.data(), .bias = bias.data(), .width = width, .epsilon = 1e-5};
  }
};

std::vector<double> normalised(const NormInput& input, const std::vector<double>& row) {
  const auto width = static_cast<double>(row.size());
  double mean = 0;
  for (const double x : row) mean += x / width;
  double variance = 0;
  for (const double x : row) variance += (x - mean) * (x - mean) / width;
  std::vector<double> result;
  for (size_t i = 0; i < row.size(); ++i) {
    result.push_back((row[i] - mean) / std::sqrt(variance + input.norm.epsilon) * static_cast<double>(input.weight[i]) +
                     static_cast<double>(input.bias[i]));
  }
  return result;
}

void check_close(const float* got, const std::vector<double>& want, double tolerance) {
  for (size_t i = 0; i < want.size(); ++i) {
    const double error = std::abs(static_cast<double>(got[i]) - want[i]);
    if (!(error <= tolerance * std::max(1.0, std::abs(want[i])))) FAIL("element ", i, ": ", got[i], " for ", want[i]);
  }
}

constexpr size_t kWidths[] = {1, 2, 3, 5, 7, 8, 9, 12, 15, 16, 17, 30, 31, 32, 33, 36, 65, 384, 768, 1000, 1024};

}  // namespace

TEST_CASE("normalisation with a residual agrees with double precision at every width") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (const size_t width : kWidths) {
      INFO("width ", width);
      const NormInput input(width);
      const size_t stride = width + 3;
      const auto values = test::random_floats(4 * stride, 3);
      const auto residual = test::random_floats(4 * stride, 4);
      std::vector<float> out(4 * stride, -7.0F);
      kernels.normalise(input.norm, {.values = values.data(),
                                     .value_stride = stride,
                                     .residual = residual.data(),
                                     .residual_stride = stride,
                                     .row_count = 4,
                                     .out = out.data(),
                                     .out_stride = stride});
      for (size_t row = 0; row < 4; ++row) {
        std::vector<double> sum;
        for (size_t i = 0; i < width; ++i) sum.push_back(values[row * stride + i] + residual[row * stride + i]);
        check_close(out.data() + row * stride, normalised(input, sum), kNormTolerance);
        CHECK(out[row * stride + width] == -7.0F);
      }
    }
  });
}

TEST_CASE("normalisation survives a large mean and a constant row") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    const NormInput input(384);
    auto row = test::random_floats(384, 3);
    std::vector<double> wide;
    for (float& x : row) x += 100.0F;
    for (const float x : row) wide.push_back(static_cast<double>(x));
    std::vector<float> out(384);
    kernels.normalise(input.norm, {.values = row.data(), .row_count = 1, .out = out.data()});
    // The mean itself is rounded to a unit of 100: 8e-6, a hundredth of a thousandth of the deviation.
    check_close(out.data(), normalised(input, wide), 4e-5);
    row.assign(384, 3.25F);
    kernels.normalise(input.norm, {.values = row.data(), .row_count = 1, .out = out.data()});
    CHECK(std::memcmp(out.data(), input.bias.data(), 384 * sizeof(float)) == 0);
  });
}

TEST_CASE("embedding gathers, adds in Hugging Face's order and normalises") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (const size_t width : kWidths) {
      INFO("width ", width);
      const NormInput input(width);
      const auto tokens = test::random_floats(10 * width, 5);
      const auto segments = test::random_floats(3 * width, 6);
      const auto positions = test::random_floats(8 * width, 7);
      const std::vector<int32_t> ids{9, 0, 4};
      const std::vector<int32_t> segment_ids{2, 0, 1};
      const std::vector<int32_t> position_ids{7, 0, 3};
      std::vector<float> out(3 * width);
      engine::EmbedTask task{.token_table = tokens.data(),
                             .segment_table = segments.data(),
                             .position_table = positions.data(),
                             .ids = ids.data(),
                             .segments = segment_ids.data(),
                             .positions = position_ids.data(),
                             .row_count = 3,
                             .out = out.data(),
                             .out_stride = width};
      for (const float* table : {positions.data(), static_cast<const float*>(nullptr)}) {
        task.position_table = table;
        kernels.embed(input.norm, task);
        for (size_t row = 0; row < 3; ++row) {
          std::vector<double> sum;
          for (size_t i = 0; i < width; ++i) {
            float value = tokens[static_cast<size_t>(ids[row]) * width + i];
            value += segments[static_cast<size_t>(segment_ids[row]) * width + i];
            if (table != nullptr) value += table[static_cast<size_t>(position_ids[row]) * width + i];
            sum.push_back(static_cast<double>(value));
          }
          check_close(out.data() + row * width, normalised(input, sum), kNormTolerance);
        }
      }
    }
  });
}

TEST_CASE("softmax agrees with double precision at every length and leaves the rest of the row alone") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    std::vector<size_t> lengths{127, 128, 129, 511, 512, 2048};
    for (size_t length = 1; length <= 70; ++length) lengths.push_back(length);
    for (const size_t length : lengths) {
      INFO("length ", length);
      const size_t stride = length + 5;
      const auto scores = test::random_floats(2 * stride, 9, 20.0F);
      auto shares = scores;
      kernels.softmax({.values = shares.data(), .stride = stride, .row_count = 2, .length = length, .scale = 0.3F});
      for (size_t row = 0; row < 2; ++row) {
        double largest = -1e300;
        for (size_t i = 0; i < length; ++i) {
          largest = std::max(largest, static_cast<double>(scores[row * stride + i]) * static_cast<double>(0.3F));
        }
        std::vector<double> want;
        double total = 0;
        for (size_t i = 0; i < length; ++i) {
          want.push_back(std::exp(static_cast<double>(scores[row * stride + i]) * static_cast<double>(0.3F) - largest));
          total += want.back();
        }
        for (double& share : want) share /= total;
        check_close(shares.data() + row * stride, want, kSoftmaxTolerance);
        CHECK(shares[row * stride + length] == scores[row * stride + length]);
      }
    }
  });
}

TEST_CASE("biases are added to scaled scores before the softmax; one of -infinity leaves a weight of nothing") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    for (size_t length = 2; length <= 40; ++length) {
      const size_t stride = length + 5;
      const auto scores = test::random_floats(2 * stride, 9, 20.0F);
      auto biases = test::random_floats(2 * stride, 10, 5.0F);
      biases[stride + 1] = -std::numeric_limits<float>::infinity();
      const std::array<const float*, 2> rows{biases.data(), biases.data() + stride};
      auto shares = scores;
      kernels.softmax({.values = shares.data(),
                       .stride = stride,
                       .row_count = 2,
                       .length = length,
                       .scale = 0.3F,
                       .biases = rows.data()});
      for (size_t row = 0; row < 2; ++row) {
        std::vector<double> want;
        double total = 0;
        for (size_t i = 0; i < length; ++i) {
          const double score = static_cast<double>(scores[row * stride + i]) * static_cast<double>(0.3F);
          want.push_back(std::exp(score + static_cast<double>(rows[row][i])));
          total += want.back();
        }
        for (double& share : want) share /= total;
        check_close(shares.data() + row * stride, want, kSoftmaxTolerance);
        CHECK(shares[row * stride + length] == scores[row * stride + length]);
      }
      CHECK(shares[stride + 1] < 1e-30F);
    }
  });
}

TEST_CASE("softmax of equal, huge and far apart scores is what it must be") {
  test::for_every_kernel_set([&](const engine::SinglePrecisionKernels& kernels) {
    std::vector<float> equal(20, 1e30F);
    kernels.softmax({.values = equal.data(), .row_count = 1, .length = 20});
    for (const float share : equal) CHECK(share == doctest::Approx(0.05).epsilon(1e-6));
    std::vector<float> apart{-3e38F, 200.0F, -1e4F};
    kernels.softmax({.values = apart.data(), .row_count = 1, .length = 3});
    CHECK(apart == std::vector<float>{0.0F, 1.0F, 0.0F});
  });
}

}  // namespace summand
