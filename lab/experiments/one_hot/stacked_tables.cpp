#include "lab/experiments/one_hot/stacked_tables.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "lab/probing/watch.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr size_t kTextLength = 64;

double unit_of(float value) {
  const float size = std::abs(value);
  return double{std::nextafter(size, std::numeric_limits<float>::infinity())} - double{size};
}

/// How many representable numbers lie between two, one of them included.
double steps_between(float a, float b) {
  const auto place = [](float value) {
    const auto bits = std::bit_cast<int32_t>(value);
    return bits < 0 ? -int64_t{bits & 0x7fffffff} : int64_t{bits};
  };
  return std::abs(static_cast<double>(place(a) - place(b)));
}

}  // namespace

Stacked::Stacked(const Table& tokens, const Table& positions, const Table& segments, Stacking stacking)
    : positions_(positions.rows()) {
  const bool position_first = stacking == Stacking::document;
  position_ = tokens.rows() + (position_first ? 0 : segments.rows());
  segment_ = tokens.rows() + (position_first ? positions.rows() : 0);
  rows_.resize(tokens.rows() + positions.rows() + segments.rows(), tokens.cols());
  rows_.topRows(tokens.rows()) = tokens.cast<float>();
  rows_.middleRows(position_, positions.rows()) = positions.cast<float>();
  rows_.middleRows(segment_, segments.rows()) = segments.cast<float>();
}

Eigen::RowVectorXf Stacked::product(const SumItem& item, Placing placing) const {
  const Index place = placing == Placing::right ? item.position : (item.position + 1) % positions_;
  Eigen::RowVectorXf hot = Eigen::RowVectorXf::Zero(rows_.rows());
  hot(item.token) = hot(position_ + place) = hot(segment_ + item.segment) = 1;
  Eigen::RowVectorXf result = Eigen::RowVectorXf::Zero(rows_.cols());
  for (Index row = 0; row < rows_.rows(); ++row) result += hot(row) * rows_.row(row);
  return result;
}

FloatTable engine_sums(const engine::Engine& engine, const std::vector<SumItem>& items) {
  model::Batch batch;
  const size_t length = std::min(kTextLength, static_cast<size_t>(engine.config().max_position_embeddings));
  for (size_t i = 0; i < items.size(); ++i) {
    batch.ids.push_back(static_cast<int32_t>(items[i].token));
    batch.positions.push_back(static_cast<int32_t>(items[i].position));
    batch.segments.push_back(static_cast<int32_t>(items[i].segment));
    if ((i + 1) % length == 0 || i + 1 == items.size()) batch.offsets.push_back(i + 1);
  }
  FloatTable sums(static_cast<Index>(items.size()), static_cast<Index>(engine.config().hidden_size));
  Watch<float> watch({model::TapPoint::sum}, [&](const model::TapSite& site, MatrixView<float> values) {
    for (size_t i = 0; i < values.rows(); ++i) {
      std::ranges::copy(values.row(i), sums.row(static_cast<Index>(batch.offsets[site.text] + i)).data());
    }
  });
  engine.run(batch, {.taps = &watch});
  return sums;
}

double Comparison::unit(const SumItem& item, Index column) const {
  const double largest = std::max({std::abs(tokens(item.token, column)), std::abs(positions(item.position, column)),
                                   std::abs(segments(item.segment, column))});
  return unit_of(static_cast<float>(largest));
}

Differences Comparison::with(Stacking stacking, Placing placing) const {
  const Stacked stacked(tokens, positions, segments, stacking);
  Differences found;
  for (size_t i = 0; i < items.size(); ++i) {
    const Eigen::RowVectorXf product = stacked.product(items[i], placing);
    for (Index column = 0; column < product.size(); ++column) {
      const float sum = sums(static_cast<Index>(i), column);
      found.units = std::max(found.units, std::abs(double{product(column)} - double{sum}) / unit(items[i], column));
      const auto steps = static_cast<size_t>(std::min(3.0, steps_between(product(column), sum)));
      found.coordinates[steps] += 1 / static_cast<double>(sums.size());
    }
  }
  return found;
}

double Comparison::exact() const {
  double units = 0;
  for (const SumItem& item : items) {
    for (Index column = 0; column < tokens.cols(); ++column) {
      const double token = tokens(item.token, column);
      const double position = positions(item.position, column);
      const double segment = segments(item.segment, column);
      const double difference = std::abs(((token + position) + segment) - ((token + segment) + position));
      units = std::max(units, difference / unit(item, column));
    }
  }
  return units;
}

}  // namespace summand::lab
