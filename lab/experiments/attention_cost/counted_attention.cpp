#include "lab/experiments/attention_cost/counted_attention.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace summand::lab {

namespace {

constexpr size_t kMostHeads = 64;

/// One head's rows: element k of row i lies at data[i * stride + k].
struct HeadRows {
  const float* query;
  const float* key;
  const float* value;
  size_t stride;
};

/// Where a head's context goes.
struct HeadContext {
  float* rows;
  size_t stride;
};

void softmax(std::vector<float>& weights, AttentionCounts& counts) {
  const float largest = *std::ranges::max_element(weights);
  float total = 0;
  for (float& weight : weights) {
    weight = std::exp(weight - largest);
    total += weight;
    ++counts.exponentials;
  }
  for (float& weight : weights) weight /= total;
}

/// One head of `width` coordinates; every layout ends here, so that they add in one order.
void attend(const HeadRows& head, size_t length, size_t width, const HeadContext& context, AttentionCounts& counts) {
  const float scale = 1 / std::sqrt(static_cast<float>(width));
  std::vector<float> weights(length);
  for (size_t i = 0; i < length; ++i) {
    for (size_t j = 0; j < length; ++j) {
      float product = 0;
      for (size_t k = 0; k < width; ++k) {
        product += head.query[i * head.stride + k] * head.key[j * head.stride + k];
        ++counts.scores;
      }
      weights[j] = product * scale;
    }
    softmax(weights, counts);
    for (size_t k = 0; k < width; ++k) {
      float sum = 0;
      for (size_t j = 0; j < length; ++j) {
        sum += weights[j] * head.value[j * head.stride + k];
        ++counts.average;
      }
      context.rows[i * context.stride + k] = sum;
    }
  }
}

/// [n, m, a] as [m, n, a], or back: first and second axis change places.
std::vector<float> transposed(const std::vector<float>& values, size_t first, size_t second, size_t inner) {
  std::vector<float> result(values.size());
  for (size_t i = 0; i < first; ++i) {
    for (size_t j = 0; j < second; ++j) {
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>((i * second + j) * inner), inner,
                  result.begin() + static_cast<std::ptrdiff_t>((j * first + i) * inner));
    }
  }
  return result;
}

/// Query, key and value as [m, n, a], one tensor each, and the context alike.
std::vector<float> attend_stacked(const AttentionInput& heads, AttentionCounts& counts) {
  const auto [length, width, count] = heads.size;
  const size_t size = width / count;
  std::vector<float> context(heads.query.size());
  for (size_t head = 0; head < count; ++head) {
    const size_t at = head * length * size;
    attend({heads.query.data() + at, heads.key.data() + at, heads.value.data() + at, size}, length, size,
           {context.data() + at, size}, counts);
  }
  return context;
}

}  // namespace

AttentionInput AttentionInput::drawn(const AttentionSize& size, RandomStream& stream) {
  AttentionInput input{.size = size, .query = {}, .key = {}, .value = {}};
  for (auto* values : {&input.query, &input.key, &input.value}) {
    values->resize(size.length * size.width);
    for (float& value : *values) value = static_cast<float>(stream.normal());
  }
  return input;
}

CountedAttention count_attention(const AttentionInput& input, HeadLayout layout) {
  const auto [length, width, heads] = input.size;
  const size_t size = width / heads;
  CountedAttention result;
  result.context.resize(input.query.size());
  switch (layout) {
    case HeadLayout::loop:
      for (size_t head = 0; head < heads; ++head) {
        const size_t first = head * size;
        attend({input.query.data() + first, input.key.data() + first, input.value.data() + first, width}, length, size,
               {result.context.data() + first, width}, result.counts);
      }
      break;
    case HeadLayout::reshaped: {
      const auto stacked = [&](const std::vector<float>& values) { return transposed(values, length, heads, size); };
      const AttentionInput by_head{input.size, stacked(input.query), stacked(input.key), stacked(input.value)};
      result.context = transposed(attend_stacked(by_head, result.counts), heads, length, size);
      break;
    }
    case HeadLayout::no_transpose:
      result.context = attend_stacked(input, result.counts);
      break;
    case HeadLayout::full_width:
      for (size_t head = 0; head < heads; ++head) {
        attend({input.query.data(), input.key.data(), input.value.data(), width}, length, width,
               {result.context.data(), width}, result.counts);
      }
      break;
  }
  return result;
}

uint64_t counted_projection(size_t length, size_t width, size_t out) {
  uint64_t count = 0;
  for (size_t row = 0; row < length; ++row) {
    for (size_t column = 0; column < out; ++column) count += width;
  }
  return count;
}

std::vector<size_t> head_counts(size_t width) {
  std::vector<size_t> counts;
  for (size_t heads = 1; heads <= std::min(kMostHeads, width); ++heads) {
    if (width % heads == 0 && (heads & (heads - 1)) == 0) counts.push_back(heads);
  }
  return counts;
}

double exponent_of(std::span<const double> sizes, std::span<const double> costs) {
  const auto count = static_cast<Eigen::Index>(sizes.size());
  const Eigen::ArrayXd x = Eigen::Map<const Eigen::ArrayXd>(sizes.data(), count).log();
  const Eigen::ArrayXd y = Eigen::Map<const Eigen::ArrayXd>(costs.data(), count).log();
  // Equal counts have equal logarithms but for a last bit.
  if (std::ranges::all_of(costs, [&](double cost) { return cost == costs.front(); })) return 0;
  const Eigen::ArrayXd from_mean = x - x.mean();
  return (from_mean * (y - y.mean())).sum() / from_mean.square().sum();
}

}  // namespace summand::lab
