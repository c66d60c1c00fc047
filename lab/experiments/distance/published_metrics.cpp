#include "lab/experiments/distance/published_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
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

struct Metric {
  NumberName name;
  struct {
    size_t own = 0;
    size_t references = 0;
  } repetitions;
  double (*of)(const Table&, RandomStream&);
};

struct ReferenceTables {
  Table white;
  Table walk;
  Table sine;
};

ReferenceTables reference_tables(const Table& table, const Conditions& conditions) {
  const auto drawn = [&](Surrogate surrogate) {
    RandomStream stream(conditions.seed, "distance: metrics " + name_of(surrogate));
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

void add(Numbers& numbers, const Metric& metric, const Table& table, const ReferenceTables& others,
         const Conditions& conditions) {
  const auto of = [&](const Table& other) {
    return mean(repeated(metric, other, metric.repetitions.references, conditions));
  };
  const double null = of(others.white);
  const double control = of(others.sine);
  const auto with_references = [&](NumberBuilder number) {
    return number.null(null, words_of(Surrogate::white_noise)).control(control, words_of_sinusoid());
  };
  const auto own = repeated(metric, table, metric.repetitions.own, conditions);
  NumberBuilder number(metric.name, mean(own));
  if (own.size() > 2) number.interval(middle_95_percent(own));
  numbers.add(with_references(number));
  numbers.add(
      with_references({std::string("random_walk_") + metric.name.name,
                       localize("distance.of_random_walk", {{"metric", metric.name.label()}}), of(others.walk)}));
}

}  // namespace

Repetitions repetitions_of(const Conditions& conditions) {
  return conditions.quick ? Repetitions{.metrics = 1, .order = 2} : Repetitions{};
}

}  // namespace distance

void add_published_metrics(Numbers& numbers, const Table& table, const Conditions& conditions) {
  using namespace distance;
  const auto [few, many] = repetitions_of(conditions);
  const std::vector<Metric> metrics{
      {kPositionError,
       {few, few},
       [](const Table& one, RandomStream& stream) { return position_error(one, Folds::random, stream); }},
      {kPositionErrorBlocks,
       {1, 1},
       [](const Table& one, RandomStream& stream) { return position_error(one, Folds::blocks, stream); }},
      {kOrderError, {many, few}, order_error}};
  const ReferenceTables others = reference_tables(table, conditions);
  for (const Metric& metric : metrics) add(numbers, metric, table, others, conditions);
}

}  // namespace summand::lab
