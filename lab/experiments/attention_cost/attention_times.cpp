#include "lab/experiments/attention_cost/attention_times.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <span>

#include "engine/engine.hpp"
#include "engine/run/run.hpp"
#include "lab/experiments/attention_cost/counted_attention.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Clock = std::chrono::steady_clock;
using Rows = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Eigen::Index;

constexpr size_t kShortestText = 16;
constexpr size_t kHeadsLength = 128;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct LayerTime {
  double products = 0;
  double softmax = 0;
};

/// One attention layer, head by head, each part timed.
LayerTime time_layer(const AttentionSize& size, const Rows& query, const Rows& key, const Rows& value, Rows& context) {
  const auto a = static_cast<Index>(size.width / size.heads);
  const float scale = 1 / std::sqrt(static_cast<float>(a));
  LayerTime time;
  Rows weights(query.rows(), query.rows());
  for (Index head = 0; head < static_cast<Index>(size.heads); ++head) {
    auto start = Clock::now();
    weights.noalias() = query.middleCols(head * a, a) * key.middleCols(head * a, a).transpose();
    time.products += seconds_since(start);
    start = Clock::now();
    for (Index row = 0; row < weights.rows(); ++row) {
      auto one = weights.row(row).array();
      one = ((one - one.maxCoeff()) * scale).exp();
      one /= one.sum();
    }
    time.softmax += seconds_since(start);
    start = Clock::now();
    context.middleCols(head * a, a).noalias() = weights * value.middleCols(head * a, a);
    time.products += seconds_since(start);
  }
  return time;
}

LayerTime time_layer(const AttentionSize& size) {
  const auto n = static_cast<Index>(size.length);
  const auto d = static_cast<Index>(size.width);
  RandomStream stream(0, "attention times");
  const auto input = AttentionInput::drawn(size, stream);
  const Eigen::Map<const Rows> query(input.query.data(), n, d);
  const Eigen::Map<const Rows> key(input.key.data(), n, d);
  const Eigen::Map<const Rows> value(input.value.data(), n, d);
  Rows context(n, d);
  return time_layer(size, query, key, value, context);
}

double time_text(const engine::Engine& engine, size_t length) {
  model::Batch batch;
  std::vector<int32_t> ids(length);
  for (size_t i = 0; i < length; ++i) {
    ids[i] = static_cast<int32_t>(i % static_cast<size_t>(engine.config().vocab_size));
  }
  batch.add(ids, std::vector<int32_t>(length, 0));
  const auto start = Clock::now();
  engine.run(batch, {.hidden_states = {static_cast<size_t>(engine.config().num_hidden_layers)},
                     .on_text = [](size_t, const engine::TextResult&) {}});
  return seconds_since(start);
}

/// @param text  what it is, in words.json
TimedCurve curve_over(const char* text, const char* name, const std::vector<size_t>& sizes) {
  return {.words = localize(std::string("attention_cost.timed.") + text),
          .sizes = {sizes.begin(), sizes.end()},
          .seconds = std::vector<std::vector<double>>(sizes.size()),
          .name = name};
}

}  // namespace

std::vector<double> TimedCurve::medians() const {
  std::vector<double> middle;
  for (const auto& one : seconds) middle.push_back(median(one));
  return middle;
}

Estimate exponent_of(const TimedCurve& curve, uint64_t seed, const std::string& name) {
  Estimate exponent{.value = exponent_of(curve.sizes, curve.medians()), .interval = {}};
  exponent.interval = bootstrap(curve.seconds.front().size(),
                                [&](std::span<const size_t> chosen) {
                                  std::vector<double> medians;
                                  for (const auto& one : curve.seconds) {
                                    std::vector<double> drawn;
                                    for (const size_t i : chosen) drawn.push_back(one[i]);
                                    medians.push_back(median(drawn));
                                  }
                                  return exponent_of(curve.sizes, medians);
                                },
                                {.seed = seed, .name = "attention times: " + name, .count = 200});
  return exponent;
}

AttentionTimes time_attention(const Subject& subject, const Conditions& conditions) {
  const auto& config = subject.model->config();
  const Timing& timing = conditions.quick ? kQuickTiming : kFullTiming;
  const size_t longest = std::min<size_t>(timing.longest, subject.model->position_limit());
  std::vector<size_t> lengths;
  for (size_t length = std::min(kShortestText, longest); length < longest; length *= 2) lengths.push_back(length);
  lengths.push_back(longest);
  const auto width = static_cast<size_t>(config.hidden_size);
  const auto heads = head_counts(width);
  AttentionTimes times{.by_length = {curve_over("model", "the whole model", lengths),
                                     curve_over("products", "attention's two products, one layer", lengths),
                                     curve_over("softmax", "its softmax", lengths)},
                       .by_heads = {curve_over("products_by_heads", "products over heads", heads),
                                    curve_over("softmax_by_heads", "softmax over heads", heads)},
                       .heads_length = std::min(longest, kHeadsLength)};
  const auto engine = changed_model(subject).engine(1);
  const auto model_heads = static_cast<size_t>(config.num_attention_heads);
  (void)time_text(engine, longest);  // the first run fetches the weights
  for (size_t round = 0; round < timing.rounds; ++round) {
    for (size_t i = 0; i < lengths.size(); ++i) {
      times.by_length[0].seconds[i].push_back(time_text(engine, lengths[i]));
      const auto layer = time_layer({.length = lengths[i], .width = width, .heads = model_heads});
      times.by_length[1].seconds[i].push_back(layer.products);
      times.by_length[2].seconds[i].push_back(layer.softmax);
    }
    for (size_t i = 0; i < heads.size(); ++i) {
      const auto layer = time_layer({.length = times.heads_length, .width = width, .heads = heads[i]});
      times.by_heads[0].seconds[i].push_back(layer.products);
      times.by_heads[1].seconds[i].push_back(layer.softmax);
    }
    conditions.progress(0.3 + 0.6 * static_cast<double>(round + 1) / static_cast<double>(timing.rounds));
  }
  return times;
}

}  // namespace summand::lab
