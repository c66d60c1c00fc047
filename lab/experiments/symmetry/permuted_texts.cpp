#include "lab/experiments/symmetry/permuted_texts.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include "engine/run/run.hpp"
#include "lab/statistics/moments.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr float kMasked = -1e9F;  // google-research/bert masks with −10,000; e^−1e9 is 0 as well

/// Changes the scores or the weights of every head in every layer.
template <class Scalar>
class AttentionTap : public model::Taps<Scalar> {
 public:
  explicit AttentionTap(Attention attention) : attention_(attention) {}

  [[nodiscard]] bool wants(model::TapPoint point) const override {
    return (attention_ == Attention::causal && point == model::TapPoint::scores) ||
           (attention_ == Attention::mean && point == model::TapPoint::attention);
  }
  void visit(const model::TapSite&, MatrixView<Scalar> values) override {
    for (size_t row = 0; row < values.rows(); ++row) {
      const auto weights = values.row(row);
      if (attention_ == Attention::causal) {
        std::fill(weights.begin() + static_cast<std::ptrdiff_t>(row) + 1, weights.end(), Scalar(kMasked));
      } else {
        std::ranges::fill(weights, Scalar(1) / static_cast<Scalar>(weights.size()));
      }
    }
  }

 private:
  Attention attention_;
};

Permuted permuted(const Texts& texts, size_t text, std::vector<size_t> order) {
  const auto begin = texts.batch.offsets[text];
  const std::span<const int32_t> ids(texts.batch.ids.data() + begin, order.size());
  const std::vector<int32_t> segments(order.size(), 0);
  std::vector<int32_t> moved(order.size());
  for (size_t i = 0; i < order.size(); ++i) moved[order[i]] = ids[i];
  Permuted result{.text = {}, .moved = {}, .order = std::move(order)};
  result.text.add(ids, segments);
  result.moved.add(moved, segments);
  return result;
}

double in_deviations(double difference, const Table& of) {
  const double deviation = standard_deviation(elements(of));
  return deviation > 0 ? difference / deviation : difference;
}

Changes changes_of(const Model& model, const Permuted& pair) {
  const Table text = model(pair.text);
  const Table moved = model(pair.moved);
  Changes changes;
  double tokens = 0;
  std::vector<double> places;
  for (size_t i = 0; i < pair.order.size(); ++i) {
    const auto own = static_cast<Index>(i);
    tokens = std::max(tokens, (moved.row(static_cast<Index>(pair.order[i])) - text.row(own)).cwiseAbs().maxCoeff());
    places.push_back((moved.row(own) - text.row(own)).cwiseAbs().maxCoeff());
  }
  const Table mean = text.colwise().mean();
  changes.tokens = in_deviations(tokens, text);
  changes.mean = in_deviations((moved.colwise().mean() - mean).cwiseAbs().maxCoeff(), mean);
  changes.same_place = in_deviations(median(places), text);
  return changes;
}

}  // namespace

std::vector<Permuted> drawn_pairs(const Texts& texts, size_t each, Moved moved, RandomStream& stream) {
  std::vector<Permuted> pairs;
  for (size_t text = 0; text < texts.batch.texts(); ++text) {
    for (size_t draw = 0; draw < each; ++draw) {
      std::vector<size_t> order(texts.batch.length(text));
      std::iota(order.begin(), order.end(), size_t{0});
      stream.shuffle(std::span(order).subspan(moved == Moved::all ? 0 : 1));
      pairs.push_back(permuted(texts, text, std::move(order)));
    }
  }
  return pairs;
}

Model on_engine(const engine::Engine& engine, Attention attention) {
  return [&engine, attention](const model::Batch& text) {
    Table states;
    AttentionTap<float> tap(attention);
    const auto take = [&](size_t, const engine::TextResult& result) {
      const auto& view = result.hidden_states.front();
      states.resize(static_cast<Index>(view.rows()), static_cast<Index>(view.columns()));
      for (size_t row = 0; row < view.rows(); ++row) {
        std::ranges::copy(view.row(row), states.row(static_cast<Index>(row)).data());
      }
    };
    const auto last = static_cast<size_t>(engine.config().num_hidden_layers);
    engine.run(text, {.hidden_states = {last}, .on_text = take, .taps = &tap});
    return states;
  };
}

Model on_reference(const reference::Bert<double>& bert, Attention attention) {
  return [&bert, attention](const model::Batch& text) {
    AttentionTap<double> tap(attention);
    const auto output = bert.run(text, 0, &tap);
    const auto& last = output.hidden_states.back();
    return Table(Eigen::Map<const Table>(last.elements().data(), static_cast<Index>(last.rows()),
                                         static_cast<Index>(last.columns())));
  };
}

Changes largest_changes(const Model& model, const std::vector<Permuted>& pairs) {
  Changes largest;
  for (const auto& pair : pairs) largest.keep_larger(changes_of(model, pair));
  return largest;
}

double largest_first_change(const Model& model, const std::vector<Permuted>& pairs) {
  double largest = 0;
  for (const auto& pair : pairs) {
    const Table text = model(pair.text);
    largest = std::max(largest, in_deviations((model(pair.moved).row(0) - text.row(0)).cwiseAbs().maxCoeff(), text));
  }
  return largest;
}

}  // namespace summand::lab
