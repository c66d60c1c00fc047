#include "train/finetune/bag_of_words.hpp"

#include <LBFGS.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <utility>

namespace summand::train {

namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;

size_t ids_of(std::span<const std::vector<int32_t>> texts) {
  int32_t most = -1;
  for (const auto& text : texts) {
    for (const int32_t id : text) most = std::max(most, id);
  }
  return static_cast<size_t>(most + 1);
}

/// The loss of a text's outputs, which it replaces with their gradient.
using TextLoss = std::function<double(size_t text, Vector& outputs)>;

/// The penalised loss of weights [ids, outputs] and biases [outputs], one after the other in a vector.
class PenalisedLoss {
 public:
  PenalisedLoss(std::span<const std::vector<int32_t>> texts, size_t outputs, const TextLoss& loss)
      : texts_(texts), loss_(loss), outputs_(static_cast<Index>(outputs)), ids_(static_cast<Index>(ids_of(texts))) {}

  [[nodiscard]] Index size() const { return (ids_ + 1) * outputs_; }
  [[nodiscard]] Index ids() const { return ids_; }

  double operator()(const Vector& at, Vector& gradient) const {
    const Index penalised = ids_ * outputs_;
    gradient = at;
    gradient.tail(outputs_).setZero();
    double loss = at.head(penalised).squaredNorm() / 2;
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
  std::span<const std::vector<int32_t>> texts_;
  const TextLoss& loss_;
  Index outputs_, ids_;
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

struct LinearModel {
  Matrix<double> weights;
  std::vector<double> biases;
};

LinearModel fit(std::span<const std::vector<int32_t>> texts, size_t outputs, const TextLoss& text_loss) {
  const PenalisedLoss loss(texts, outputs, text_loss);
  const Vector at = minimum(loss);
  LinearModel model{.weights = Matrix<double>(static_cast<size_t>(loss.ids()), outputs), .biases = {}};
  const size_t count = model.weights.elements().size();
  std::copy_n(at.data(), count, model.weights.elements().begin());
  model.biases.assign(at.data() + count, at.data() + count + outputs);
  return model;
}

}  // namespace

BagOfWords::BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const int32_t> labels, size_t classes) {
  LinearModel model = fit(texts, classes, cross_entropy(labels));
  weights_ = std::move(model.weights);
  biases_ = std::move(model.biases);
}

BagOfWords::BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const double> numbers) {
  LinearModel model = fit(texts, 1, squared_error(numbers));
  weights_ = std::move(model.weights);
  biases_ = std::move(model.biases);
}

Matrix<double> BagOfWords::outputs(std::span<const std::vector<int32_t>> texts) const {
  Matrix<double> outputs(texts.size(), biases_.size());
  for (size_t text = 0; text < texts.size(); ++text) {
    std::ranges::copy(biases_, outputs.row(text).begin());
    for (const int32_t id : texts[text]) {
      if (static_cast<size_t>(id) >= weights_.rows()) continue;  // in no training text
      for (size_t output = 0; output < biases_.size(); ++output) {
        outputs(text, output) += weights_(static_cast<size_t>(id), output);
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
