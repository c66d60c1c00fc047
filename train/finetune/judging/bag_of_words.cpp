#include "train/finetune/judging/bag_of_words.hpp"

#include <LBFGS.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>

#include "base/interruption.hpp"

namespace summand::train {

namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;
using Texts = std::vector<std::vector<int32_t>>;

/// Each id's place in `ids`, without those that are not there. @param ids  sorted
Texts places_of(std::span<const std::vector<int32_t>> texts, std::span<const int32_t> ids) {
  Texts places;
  for (const auto& text : texts) {
    auto& own = places.emplace_back();
    for (const int32_t id : text) {
      const auto found = std::ranges::lower_bound(ids, id);
      if (found != ids.end() && *found == id) own.push_back(static_cast<int32_t>(found - ids.begin()));
    }
  }
  return places;
}

/// The loss of a text's outputs, which it replaces with their gradient.
using TextLoss = std::function<double(size_t text, Vector& outputs)>;

/// The penalised loss of weights [ids, outputs] and biases [outputs], one after the other in a vector.
class PenalisedLoss {
 public:
  /// @param texts  places of ids, below `ids`
  PenalisedLoss(const Texts& texts, size_t ids, size_t outputs, const TextLoss& loss)
      : texts_(texts), loss_(loss), outputs_(static_cast<Index>(outputs)), ids_(static_cast<Index>(ids)) {
    // Two labels' weights are w/2 and −w/2 where scikit-learn has w alone, of which the square is twice the sum of
    // both.
    if (outputs == 2) penalty_ = 2;
  }

  [[nodiscard]] Index size() const { return (ids_ + 1) * outputs_; }

  /// @throws Interrupted
  double operator()(const Vector& at, Vector& gradient) const {
    check_interruption();
    const Index penalised = ids_ * outputs_;
    gradient = penalty_ * at;
    gradient.tail(outputs_).setZero();
    double loss = penalty_ * at.head(penalised).squaredNorm() / 2;
    for (size_t text = 0; text < texts_.size(); ++text) {
      Vector values = at.tail(outputs_);
      for (const int32_t id : texts_[text]) values += at.segment(id * outputs_, outputs_);
      loss += loss_(text, values);
      for (const int32_t id : texts_[text]) gradient.segment(id * outputs_, outputs_) += values;
      gradient.tail(outputs_) += values;
    }
    return loss;
  }

 private:
  const Texts& texts_;
  const TextLoss& loss_;
  Index outputs_, ids_;
  double penalty_ = 1;
};

/// The cross entropy of logits and labels.
TextLoss cross_entropy(std::span<const int32_t> labels) {
  return [labels](size_t text, Vector& logits) {
    const double most = logits.maxCoeff();
    const double log_sum = most + std::log((logits.array() - most).exp().sum());
    const double loss = log_sum - logits[labels[text]];
    logits = (logits.array() - log_sum).exp();
    logits[labels[text]] -= 1;
    return loss;
  };
}

/// Half the squared error.
TextLoss squared_error(std::span<const double> numbers) {
  return [numbers](size_t text, Vector& output) {
    output[0] -= numbers[text];
    return output.squaredNorm() / 2;
  };
}

/// Weights and biases with the least penalised loss, as PenalisedLoss lays them.
Vector minimum(const PenalisedLoss& loss) {
  LBFGSpp::LBFGSParam<double> settings;
  settings.epsilon = 1e-4;
  settings.epsilon_rel = 1e-6;
  settings.max_iterations = 500;
  LBFGSpp::LBFGSSolver<double> solver(settings);
  Vector at = Vector::Zero(loss.size());
  double value = 0;
  try {
    solver.minimize(loss, at, value);
  } catch (const std::runtime_error&) {  // no step makes the loss smaller, within rounding
  }
  return at;
}

TokenWeights fit(std::span<const std::vector<int32_t>> texts, size_t outputs, const TextLoss& text_loss) {
  TokenWeights model{.ids = different_ids(texts)};
  const Texts places = places_of(texts, model.ids);
  const Vector at = minimum(PenalisedLoss(places, model.ids.size(), outputs, text_loss));
  model.weights = Matrix<double>(model.ids.size(), outputs);
  const size_t count = model.weights.elements().size();
  std::copy_n(at.data(), count, model.weights.elements().begin());
  model.biases.assign(at.data() + count, at.data() + count + outputs);
  return model;
}

}  // namespace

std::vector<int32_t> different_ids(std::span<const std::vector<int32_t>> texts) {
  std::vector<int32_t> ids;
  for (const auto& text : texts) ids.insert(ids.end(), text.begin(), text.end());
  std::ranges::sort(ids);
  const auto rest = std::ranges::unique(ids);
  ids.erase(rest.begin(), rest.end());
  return ids;
}

BagOfWords::BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const int32_t> labels, size_t classes)
    : model_(fit(texts, classes, cross_entropy(labels))) {}

BagOfWords::BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const double> numbers)
    : model_(fit(texts, 1, squared_error(numbers))) {}

Matrix<double> BagOfWords::outputs(std::span<const std::vector<int32_t>> texts) const {
  Matrix<double> outputs(texts.size(), model_.biases.size());
  const Texts places = places_of(texts, model_.ids);
  for (size_t text = 0; text < texts.size(); ++text) {
    std::ranges::copy(model_.biases, outputs.row(text).begin());
    for (const int32_t place : places[text]) {
      for (size_t output = 0; output < model_.biases.size(); ++output) {
        outputs(text, output) += model_.weights(static_cast<size_t>(place), output);
      }
    }
  }
  return outputs;
}

std::vector<int32_t> BagOfWords::predict(std::span<const std::vector<int32_t>> texts) const {
  const Matrix<double> all = outputs(texts);
  std::vector<int32_t> labels;
  for (size_t text = 0; text < texts.size(); ++text) {
    labels.push_back(static_cast<int32_t>(std::ranges::max_element(all.row(text)) - all.row(text).begin()));
  }
  return labels;
}

}  // namespace summand::train
