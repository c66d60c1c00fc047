#include "lab/probing/attention.hpp"
#include "engine/run/run.hpp"
#include "lab/subject/table_of.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "lab/probing/watch.hpp"

namespace summand::lab {

using Eigen::Index;
using model::TapPoint;

Table softmax_rows(const Table& scores, double factor) {
  Table weights = factor * scores;
  weights.colwise() -= weights.rowwise().maxCoeff().eval();
  weights = weights.array().exp().matrix();
  const Vector sums = weights.rowwise().sum();
  weights.array().colwise() /= sums.array();
  return weights;
}

namespace {

void put_positions(const Table& positions, const model::Batch& batch, size_t text, MatrixView<float> rows) {
  for (size_t i = 0; i < rows.rows(); ++i) {
    const auto position = static_cast<Index>(batch.positions[batch.offsets[text] + i]);
    std::ranges::transform(positions.row(position), rows.row(i).begin(),
                           [](double value) { return static_cast<float>(value); });
  }
}

}  // namespace

void watch_attention(const engine::Engine& engine, const model::Batch& batch, const WatchAttention& watch,
                     const std::function<void(const TextAttention&)>& visit) {
  TextAttention now;
  MatrixView<float> query;
  std::vector<TapPoint> points{TapPoint::query, TapPoint::key, TapPoint::value, TapPoint::scores};
  if (watch.positions != nullptr) points.push_back(TapPoint::position_part);
  Watch<float> taps(std::move(points), [&](const model::TapSite& site, MatrixView<float> values) {
    if (site.point == TapPoint::position_part) {
      put_positions(*watch.positions, batch, site.text, values);
    } else if (site.point == TapPoint::query) {
      query = values;
    } else if (site.point == TapPoint::key) {
      if (watch.change) watch.change({site.text, site.layer, query, values});
      now.scores.emplace_back();
    } else if (site.point == TapPoint::value) {
      now.values.push_back(table_of(values));
    } else {
      now.scores.back().push_back(table_of(values));
    }
  });
  engine::RunRequest request{.taps = &taps};
  const auto layers = static_cast<size_t>(engine.config().num_hidden_layers);
  if (watch.keep_states == KeepStates::yes) {
    for (size_t layer = 0; layer <= layers; ++layer) request.hidden_states.push_back(layer);
  } else {
    request.hidden_states = {layers};
  }
  request.on_text = [&](size_t text, const engine::TextResult& result) {
    now.text = text;
    if (watch.keep_states == KeepStates::yes) {
      for (const auto& state : result.hidden_states) now.states.push_back(table_of(state));
    }
    visit(now);
    now = {};
  };
  engine.run(batch, request);
}

}  // namespace summand::lab
