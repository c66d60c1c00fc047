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

namespace distance {
namespace {

constexpr NumberName kPositionError{"distance", "position_error"};
constexpr NumberName kPositionErrorBlocks{"distance", "position_error_blocks"};
constexpr NumberName kOrderError{"distance", "order_error"};

/// How often each is measured: its folds or pairs are drawn anew.
struct Repetitions {
  size_t own = 0;
  size_t beside = 0;
};

struct Metric {
  NumberName name;
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
    RandomStream stream(conditions.seed, fmt::format("distance: {} {}", metric.name.name, i));
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
  Measured number(metric.name, mean(own));
  if (own.size() > 2) number.interval(middle_95_percent(own));
  numbers.add(beside(number));
  numbers.add(beside({std::string("random_walk_") + metric.name.name,
                      wording("distance.of_random_walk", {{"metric", metric.name.label()}}), of(others.walk)}));
}

}  // namespace
}  // namespace distance

void add_published_metrics(Numbers& numbers, const Table& table, const Conditions& conditions) {
  using namespace distance;
  const size_t few = conditions.quick ? 1 : 3;
  const std::vector<Metric> metrics{
      {kPositionError,
       {few, few},
       [](const Table& one, RandomStream& stream) { return position_error(one, Folds::random, stream); }},
      {kPositionErrorBlocks,
       {1, 1},
       [](const Table& one, RandomStream& stream) { return position_error(one, Folds::blocks, stream); }},
      {kOrderError, {conditions.quick ? 2U : 10U, few}, order_error}};
  const Neighbours others = neighbours_of(table, conditions);
  for (const Metric& metric : metrics) add(numbers, metric, table, others, conditions);
}

}  // namespace summand::lab
