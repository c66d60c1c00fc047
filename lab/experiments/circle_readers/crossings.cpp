#include "lab/experiments/circle_readers/crossings.hpp"
#include "lab/statistics/estimate.hpp"

#include <algorithm>
#include <array>

namespace summand::lab::circle_readers {

namespace {

using Eigen::Index;

/// The smaller one, and both ends of the smaller interval.
Estimate least_of(const Estimate& a, const Estimate& b) {
  return {.value = std::min(a.value, b.value),
          .interval = {.low = std::min(a.interval.low, b.interval.low),
                       .high = std::min(a.interval.high, b.interval.high)}};
}

Lead least_of(const Lead& a, const Lead& b) {
  return {.head = a.head, .attention = least_of(a.attention, b.attention), .logits = least_of(a.logits, b.logits)};
}

/// Columns [pairs × heads], in attention, then as many in logits: what plane a does less what plane b does, a < b.
Table differences_of(std::span<const HeadEffects> planes) {
  const Index heads = planes.front().attention.cols();
  const auto pairs = static_cast<Index>(planes.size() * (planes.size() - 1) / 2);
  Table differences(planes.front().attention.rows(), 2 * pairs * heads);
  Index column = 0;
  for (Table HeadEffects::*measure : {&HeadEffects::attention, &HeadEffects::logits}) {
    for (size_t b = 1; b < planes.size(); ++b) {
      for (size_t a = 0; a < b; ++a) {
        differences.middleCols(column, heads) = planes[a].*measure - planes[b].*measure;
        column += heads;
      }
    }
  }
  return differences;
}

}  // namespace

Estimate Crossing::attention() const {
  return least_of(of_slower.attention, of_faster.attention);
}

Estimate Crossing::logits() const {
  return least_of(of_slower.logits, of_faster.logits);
}

Comparisons::Comparisons(std::span<const HeadEffects> planes, size_t heads, const Draws& draws)
    : planes_(planes.size()),
      layers_(static_cast<size_t>(planes.front().attention.cols()) / heads),
      heads_(heads),
      means_(simultaneous_means(differences_of(planes), draws)) {}

Estimate Comparisons::difference(size_t plane, size_t other, size_t head, Measure measure) const {
  const size_t a = std::min(plane, other);
  const size_t b = std::max(plane, other);
  const size_t pairs = planes_ * (planes_ - 1) / 2;
  const size_t pair = b * (b - 1) / 2 + a + (measure == Measure::logits ? pairs : 0);
  const auto column = static_cast<Index>(pair * layers_ * heads_ + head);
  const Interval interval = means_.interval(column);
  if (plane < other) return {.value = means_.mean(column), .interval = interval};
  return {.value = -means_.mean(column), .interval = {.low = -interval.high, .high = -interval.low}};
}

Lead Comparisons::lead(size_t plane, std::span<const size_t> others, size_t head) const {
  const auto over = [&](size_t other) {
    return Lead{.head = head,
                .attention = difference(plane, other, head, Measure::attention),
                .logits = difference(plane, other, head, Measure::logits)};
  };
  Lead least = over(others.front());
  for (const size_t other : others.subspan(1)) least = least_of(least, over(other));
  return least;
}

std::optional<Lead> Comparisons::largest_lead(size_t plane, std::span<const size_t> others, Heads heads,
                                              Sure sure) const {
  std::optional<Lead> largest;
  for (size_t head = heads.first; head < heads.end; ++head) {
    const Lead one = lead(plane, others, head);
    const bool leads = sure == Sure::at_lower_ends ? one.attention.interval.low > 0 && one.logits.interval.low > 0
                                                   : one.attention.value > 0 && one.logits.value > 0;
    if (leads && (!largest || one.attention.value > largest->attention.value)) largest = one;
  }
  return largest;
}

std::optional<Crossing> Comparisons::largest_crossing(Sure sure) const {
  std::optional<Crossing> largest;
  for (size_t at = 0; at < layers_; ++at) {
    for (size_t faster = 1; faster < planes_; ++faster) {
      for (size_t slower = 0; slower < faster; ++slower) {
        const auto of_slower = largest_lead(slower, std::array{faster}, layer(at), sure);
        const auto of_faster = largest_lead(faster, std::array{slower}, layer(at), sure);
        if (!of_slower || !of_faster) continue;
        const Crossing one{.slower = slower, .faster = faster, .of_slower = *of_slower, .of_faster = *of_faster};
        if (!largest || one.attention().value > largest->attention().value) largest = one;
      }
    }
  }
  return largest;
}

std::optional<Crossing> Comparisons::crossing() const {
  const auto sure = largest_crossing(Sure::at_lower_ends);
  return sure ? sure : largest_crossing(Sure::in_the_middle);
}

double Comparisons::possible_lead(size_t plane, std::span<const size_t> others, Heads heads) const {
  double largest = 0;
  for (size_t head = heads.first; head < heads.end; ++head) {
    const Lead one = lead(plane, others, head);
    if (one.logits.interval.high > 0) largest = std::max(largest, one.attention.interval.high);
  }
  return largest;
}

double Comparisons::possible() const {
  double largest = 0;
  for (size_t at = 0; at < layers_; ++at) {
    for (size_t faster = 1; faster < planes_; ++faster) {
      for (size_t slower = 0; slower < faster; ++slower) {
        largest = std::max(largest, std::min(possible_lead(slower, std::array{faster}, layer(at)),
                                             possible_lead(faster, std::array{slower}, layer(at))));
      }
    }
  }
  return largest;
}

std::vector<size_t> Comparisons::all_but(size_t plane) const {
  std::vector<size_t> others;
  for (size_t other = 0; other < planes_; ++other) {
    if (other != plane) others.push_back(other);
  }
  return others;
}

Lead Comparisons::lead_of(size_t plane) const {
  const Heads all{.first = 0, .end = layers_ * heads_};
  const auto others = all_but(plane);
  if (const auto sure = largest_lead(plane, others, all, Sure::at_lower_ends)) return *sure;
  return largest_lead(plane, others, all, Sure::in_the_middle).value_or(Lead{});
}

double Comparisons::possible_lead_of(size_t plane) const {
  return possible_lead(plane, all_but(plane), {.first = 0, .end = layers_ * heads_});
}

}  // namespace summand::lab::circle_readers
