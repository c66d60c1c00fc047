#include "lab/experiments/distance/published_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/distance/position_metrics.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

namespace {

/// How often each is measured: its folds or pairs are drawn anew.
struct Repetitions {
  size_t own = 0;
  size_t beside = 0;
};

struct Metric {
  const char* name;
  Words label;
  Repetitions repetitions;
  double (*of)(const Table&, RandomStream&);
};

struct Neighbours {
  Table white;
  Table walk;
  Table sine;
};

Neighbours neighbours_of(const Table& table, const Conditions& conditions) {
  const auto drawn = [&](Surrogate surrogate) {
    RandomStream stream(conditions.seed, "distance: metrics " + words_of(surrogate).en);
    return drawn_surrogate(surrogate, table, stream);
  };
  return {.white = drawn(Surrogate::white_noise), .walk = drawn(Surrogate::random_walk), .sine = sinusoid_like(table)};
}

std::vector<double> repeated(const Metric& metric, const Table& table, size_t count, const Conditions& conditions) {
  std::vector<double> values(count);
  run_tasks(conditions, count, [&](size_t i) {
    RandomStream stream(conditions.seed, fmt::format("distance: {} {}", metric.name, i));
    values[i] = metric.of(table, stream);
  });
  return values;
}

void add(Numbers& numbers, const Metric& metric, const Table& table, const Neighbours& others,
         const Conditions& conditions) {
  const auto of = [&](const Table& other) {
    return mean(repeated(metric, other, metric.repetitions.beside, conditions));
  };
  const double null = of(others.white);
  const double control = of(others.sine);
  const auto beside = [&](Measured number) {
    return number.null(null, words_of(Surrogate::white_noise)).control(control, words_of_sinusoid());
  };
  const auto own = repeated(metric, table, metric.repetitions.own, conditions);
  Measured number(metric.name, metric.label, mean(own));
  if (own.size() > 2) number.interval(middle_95_percent(own));
  numbers.add(beside(number));
  numbers.add(beside({std::string("random_walk_") + metric.name,
                      {metric.label.en + ": a random walk", metric.label.zh + "：随机游走"},
                      of(others.walk)}));
}

}  // namespace

void add_published_metrics(Numbers& numbers, const Table& table, const Conditions& conditions) {
  const size_t few = conditions.quick ? 1 : 3;
  const std::vector<Metric> metrics{
      {"position_error",
       {"position by linear regression, mean absolute error", "线性回归位置的平均绝对误差"},
       {few, few},
       [](const Table& one, RandomStream& stream) { return position_error(one, Folds::random, stream); }},
      {"position_error_blocks",
       {"the same with blocks of a fifth held out", "同上，留出五分之一的连续段"},
       {1, 1},
       [](const Table& one, RandomStream& stream) { return position_error(one, Folds::blocks, stream); }},
      {"order_error",
       {"order of two positions, share of errors", "两个位置的先后，错误率"},
       {conditions.quick ? 2U : 10U, few},
       order_error}};
  const Neighbours others = neighbours_of(table, conditions);
  for (const Metric& metric : metrics) add(numbers, metric, table, others, conditions);
}

}  // namespace summand::lab
