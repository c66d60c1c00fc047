#include "reference/bert.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "reference/functions.hpp"
#include "support/random_model.hpp"

using namespace summand;
using model::TapPoint;
using reference::Bert;

namespace {

constexpr double kRounding = 1e-12;
constexpr double kFloatRounding = 2e-5;  // two layers of sums of 12 to 37 products

template <class Scalar>
class RecordingTaps : public model::Taps<Scalar> {
 public:
  using Change = std::function<void(const model::TapSite&, MatrixView<Scalar>)>;
  explicit RecordingTaps(Change change = nullptr) : change_(std::move(change)) {}

  [[nodiscard]] bool wants(TapPoint) const override { return true; }
  void visit(const model::TapSite& site, MatrixView<Scalar> values) override {
    ++visits[site.point];
    shapes[site.point] = {values.rows(), values.columns()};
    if (change_) change_(site, values);
  }

  std::map<TapPoint, int> visits;
  std::map<TapPoint, std::pair<size_t, size_t>> shapes;

 private:
  Change change_;
};

struct Fixture {
  model::Config config = test::config_of({});
  model::Weights weights = test::random_weights(config, model::Pooler::present, 1);
  model::Batch batch = test::random_batch(config, {5, 9}, 2);
};

double largest_difference(const Matrix<double>& a, const Matrix<double>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.elements().size(); ++i) {
    largest = std::max(largest, std::abs(a.elements()[i] - b.elements()[i]));
  }
  return largest;
}

}  // namespace

TEST_CASE_FIXTURE(Fixture, "every tap point is visited with its shape, as often as it exists") {
  RecordingTaps<double> taps;
  (void)Bert<double>(config, weights).run(batch, 1, &taps);
  using Shape = std::pair<size_t, size_t>;
  for (const auto point :
       {TapPoint::token_part, TapPoint::position_part, TapPoint::segment_part, TapPoint::sum, TapPoint::input}) {
    CHECK(taps.visits[point] == 1);
    CHECK(taps.shapes[point] == Shape{9, 12});
  }
  for (const auto point : {TapPoint::query, TapPoint::key, TapPoint::value, TapPoint::context,
                           TapPoint::attention_output, TapPoint::layer_output}) {
    CHECK(taps.visits[point] == 2);
    CHECK(taps.shapes[point] == Shape{9, 12});
  }
  CHECK(taps.visits[TapPoint::intermediate] == 2);
  CHECK(taps.shapes[TapPoint::intermediate] == Shape{9, 37});
  for (const auto point : {TapPoint::scores, TapPoint::attention}) {
    CHECK(taps.visits[point] == 2 * 3);
    CHECK(taps.shapes[point] == Shape{9, 9});
  }
}

TEST_CASE_FIXTURE(Fixture, "what a tap leaves is what the model goes on with") {
  const Bert<double> bert(config, weights);
  const auto plain = bert.run(batch, 1).hidden_states.back();
  for (int index = 0; index <= static_cast<int>(TapPoint::layer_output); ++index) {
    const auto point = static_cast<TapPoint>(index);
    RecordingTaps<double> taps([&](const model::TapSite& site, MatrixView<double> values) {
      if (site.point == point) values(0, 0) += 0.25;
    });
    CAPTURE(index);
    CHECK(largest_difference(bert.run(batch, 1, &taps).hidden_states.back(), plain) > 1e-6);
  }
}

TEST_CASE_FIXTURE(Fixture, "replacing the attention by the identity leaves the values as context") {
  Matrix<double> value(9, 12);
  Matrix<double> context(9, 12);
  RecordingTaps<double> taps([&](const model::TapSite& site, MatrixView<double> values) {
    if (site.layer != 0) return;
    for (size_t i = 0; i < values.rows(); ++i) {
      for (size_t j = 0; j < values.columns(); ++j) {
        if (site.point == TapPoint::attention) values(i, j) = i == j ? 1 : 0;
        if (site.point == TapPoint::value) value(i, j) = values(i, j);
        if (site.point == TapPoint::context) context(i, j) = values(i, j);
      }
    }
  });
  (void)Bert<double>(config, weights).run(batch, 1, &taps);
  CHECK(largest_difference(value, context) == 0);
}

TEST_CASE_FIXTURE(Fixture, "tokens that change places together with their positions change places in the output") {
  const Bert<double> bert(config, weights);
  auto swapped = batch;
  const size_t a = batch.offsets[1] + 2;
  const size_t b = batch.offsets[1] + 6;
  std::swap(swapped.ids[a], swapped.ids[b]);
  std::swap(swapped.segments[a], swapped.segments[b]);
  std::swap(swapped.positions[a], swapped.positions[b]);
  const auto plain = bert.run(batch, 1).hidden_states.back();
  const auto moved = bert.run(swapped, 1).hidden_states.back();
  for (size_t i = 0; i < 12; ++i) {
    CHECK(std::abs(plain(2, i) - moved(6, i)) < kRounding);
    CHECK(std::abs(plain(6, i) - moved(2, i)) < kRounding);
    CHECK(std::abs(plain(4, i) - moved(4, i)) < kRounding);
  }
}

TEST_CASE_FIXTURE(Fixture, "float and dual numbers give the values of double") {
  const auto exact = Bert<double>(config, weights).run(batch, 0);
  const auto single = Bert<float>(config, weights).run(batch, 0);
  const auto dual = Bert<reference::Dual<double>>(config, weights).run(batch, 0);
  for (size_t layer = 0; layer < 3; ++layer) {
    for (size_t i = 0; i < exact.hidden_states[layer].elements().size(); ++i) {
      const double expected = exact.hidden_states[layer].elements()[i];
      CHECK(std::abs(single.hidden_states[layer].elements()[i] - expected) < kFloatRounding);
      CHECK(std::abs(dual.hidden_states[layer].elements()[i].value - expected) < kRounding);
    }
  }
  for (size_t i = 0; i < 12; ++i) CHECK(std::abs(dual.pooled[i].value - exact.pooled[i]) < kRounding);
}

TEST_CASE_FIXTURE(Fixture, "a text does not see the other texts of its batch") {
  const Bert<double> bert(config, weights);
  const auto alone = test::alone(batch, 1);
  CHECK(largest_difference(bert.run(batch, 1).hidden_states.back(), bert.run(alone, 0).hidden_states.back()) == 0);
}

TEST_CASE_FIXTURE(Fixture, "without positions the order of tokens does not matter, with any it does") {
  for (const auto& position : model::typical_positions(config.position_table_size())) {
    CAPTURE(model::name_of(position));
    config.position = position;
    const auto own = test::random_weights(config, model::Pooler::absent, 3);
    const Bert<double> bert(config, own);
    model::Batch ordered;
    ordered.add(std::vector<int32_t>{1, 2, 3}, std::vector<int32_t>{0, 0, 0});
    model::Batch reversed;
    reversed.add(std::vector<int32_t>{3, 2, 1}, std::vector<int32_t>{0, 0, 0});
    const auto one = bert.run(ordered, 0).hidden_states.back();
    const auto other = bert.run(reversed, 0).hidden_states.back();
    double difference = 0;
    for (size_t i = 0; i < 12; ++i) difference = std::max(difference, std::abs(one(0, i) - other(2, i)));
    CHECK((difference < kRounding) == (std::holds_alternative<model::NoPositions>(position)));
  }
}

TEST_CASE_FIXTURE(Fixture, "a missing tensor and a batch that does not fit are named") {
  weights.erase("encoder.layer.1.output.dense.bias");
  CHECK_THROWS_WITH_AS(Bert<double>(config, weights), "[weights] 'encoder.layer.1.output.dense.bias' is missing",
                       CheckpointError);
  const Fixture whole;
  auto wrong = batch;
  wrong.ids[0] = 97;
  CHECK_THROWS_AS((void)Bert<double>(config, whole.weights).run(wrong, 0), TextError);
}

TEST_CASE("the softmax of large scores neither overflows nor loses its sum") {
  std::vector<double> row{1000, 1001, 999};
  reference::softmax<double>(row);
  CHECK(std::abs(row[0] + row[1] + row[2] - 1) < kRounding);
  CHECK(std::abs(row[1] / row[0] - std::exp(1.0)) < 1e-10);
}
