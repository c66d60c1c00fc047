#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "against_reference.hpp"
#include "support/attention_settings.hpp"
#include "support/random_model.hpp"

namespace summand {

namespace {

using model::TapPoint;
using model::TapSite;

constexpr TapPoint kPoints[] = {TapPoint::token_part,   TapPoint::position_part, TapPoint::segment_part,
                                TapPoint::sum,          TapPoint::input,         TapPoint::query,
                                TapPoint::key,          TapPoint::value,         TapPoint::scores,
                                TapPoint::attention,    TapPoint::context,       TapPoint::attention_output,
                                TapPoint::intermediate, TapPoint::layer_output};

/// Calls a function at every wanted point.
template <class Scalar>
class Watching : public model::Taps<Scalar> {
 public:
  using Visit = std::function<void(const TapSite&, MatrixView<Scalar>)>;
  Watching(std::set<TapPoint> wanted, Visit visit) : wanted_(std::move(wanted)), visit_(std::move(visit)) {}
  [[nodiscard]] bool wants(TapPoint point) const override { return wanted_.contains(point); }
  void visit(const TapSite& site, MatrixView<Scalar> values) override { visit_(site, values); }

 private:
  std::set<TapPoint> wanted_;
  Visit visit_;
};

model::Config plain() {
  return test::config_of({.hidden = 12, .heads = 3, .positions = 40, .segments = 2});
}

/// Models whose attention is told positions and segments in every way, and one whose input is added again.
std::vector<model::Config> others() {
  std::vector<model::Config> all;
  for (const auto& kind : test::attention_settings(plain().positions_in_attention().sizes)) {
    all.push_back(plain());
    all.back().position_attention = kind;
    all.back().segment_attention = model::PairBias();
  }
  all.push_back(plain());
  all.back().per_layer_inputs = {.token = true, .position = true, .segment = true};
  return all;
}

struct Setting {
  model::Config config = plain();
  model::Weights weights = test::random_weights(config, model::Pooler::present, 31);
  model::Batch batch = test::random_batch(config, {5, 0, 19}, 32);
  engine::Engine engine{config, weights, {.threads = 2}};
};

/// The last hidden state and the pooled rows of a batch, with taps.
struct Results {
  Matrix<float> state;
  Matrix<float> pooled;
};

Results run(const Setting& setting, model::Taps<float>* taps) {
  Results results{Matrix<float>(setting.batch.tokens(), 12), Matrix<float>(setting.batch.texts(), 12)};
  engine::RunRequest request{.hidden_states = {2}, .pooled = engine::Pooled::compute, .taps = taps};
  request.on_text = [&](size_t text, const engine::TextResult& result) {
    const auto states = result.hidden_states;
    const auto pooled = result.pooled;
    for (size_t row = 0; row < states[0].rows(); ++row) {
      std::ranges::copy(states[0].row(row), results.state.row(setting.batch.offsets[text] + row).begin());
    }
    std::ranges::copy(pooled, results.pooled.row(text).begin());
  };
  const auto report = setting.engine.run(setting.batch, request);
  CHECK(report.rows_computed == setting.batch.tokens());
  return results;
}

double difference(const Matrix<float>& left, const Matrix<float>& right) {
  double worst = 0;
  for (size_t i = 0; i < left.elements().size(); ++i) {
    worst = std::max(worst, static_cast<double>(std::abs(left.elements()[i] - right.elements()[i])));
  }
  return worst;
}

using Key = std::tuple<TapPoint, size_t, size_t, size_t>;
Key key_of(const TapSite& site) {
  return {site.point, site.text, site.layer, site.head};
}

}  // namespace

namespace {

void check_watching(const Setting& setting) {
  std::map<Key, Matrix<double>> want;
  Watching<double> reference_taps({std::begin(kPoints), std::end(kPoints)},
                                  [&](const TapSite& site, MatrixView<double> values) {
                                    Matrix<double> copy(values.rows(), values.columns());
                                    for (size_t row = 0; row < values.rows(); ++row) {
                                      std::ranges::copy(values.row(row), copy.row(row).begin());
                                    }
                                    want[key_of(site)] = copy;
                                  });
  const reference::Bert<double> exact(setting.config, setting.weights);
  for (const size_t text : {0, 2}) static_cast<void>(exact.run(setting.batch, text, &reference_taps));

  size_t visits = 0;
  double worst = 0;
  Watching<float> taps({std::begin(kPoints), std::end(kPoints)}, [&](const TapSite& site, MatrixView<float> values) {
    ++visits;
    const auto found = want.find(key_of(site));
    REQUIRE(found != want.end());
    REQUIRE(values.rows() == found->second.rows());
    REQUIRE(values.columns() == found->second.columns());
    worst = std::max(worst, test::worst_difference(values, found->second.view()));
  });
  const Results tapped = run(setting, &taps);
  CHECK(visits == want.size());
  CHECK(worst <= test::kEngineTolerance);
  const Results plain = run(setting, nullptr);
  CHECK(difference(tapped.state, plain.state) <= test::kEngineTolerance);
  CHECK(difference(tapped.pooled, plain.pooled) <= test::kEngineTolerance);
}

}  // namespace

TEST_CASE("taps that only watch see what the reference's taps see, at every point, and change nothing") {
  check_watching(Setting());
  for (const auto& config : others()) {
    INFO(test::description(config.position_attention));
    check_watching(Setting{.config = config});
  }
}

TEST_CASE("what a tap leaves is what the model goes on with, at every point") {
  const Setting setting;
  const Results plain = run(setting, nullptr);
  for (const TapPoint point : kPoints) {
    const auto change = [&](const TapSite& site, auto values) {
      if (site.text != 2) return;
      for (size_t row = 0; row < values.rows(); row += 2) values(row, 1) += 0.5F;
    };
    Watching<float> taps({point}, change);
    Watching<double> reference_taps({point}, change);
    const Results changed = run(setting, &taps);
    INFO("point ", static_cast<int>(point));
    const size_t others = setting.batch.length(0);
    CHECK(test::worst_difference(changed.state.view().middle_rows(others, 19),
                                 reference::Bert<double>(setting.config, setting.weights)
                                     .run(setting.batch, 2, &reference_taps)
                                     .hidden_states[2]
                                     .view()) <= test::kEngineTolerance);
    double moved = 0;
    for (size_t i = others * 12; i < plain.state.elements().size(); ++i) {
      moved = std::max(moved, static_cast<double>(std::abs(changed.state.elements()[i] - plain.state.elements()[i])));
    }
    CHECK(moved > 1e-4);
    for (size_t i = 0; i < others * 12; ++i) {
      CHECK(std::abs(changed.state.elements()[i] - plain.state.elements()[i]) < 2e-5F);
    }
  }
}

TEST_CASE("points that nobody wants are not visited") {
  const Setting setting;
  std::set<TapPoint> seen;
  Watching<float> taps({TapPoint::attention, TapPoint::sum},
                       [&](const TapSite& site, MatrixView<float>) { seen.insert(site.point); });
  run(setting, &taps);
  CHECK(seen == std::set<TapPoint>{TapPoint::sum, TapPoint::attention});
}

}  // namespace summand
