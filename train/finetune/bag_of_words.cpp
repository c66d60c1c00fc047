#include "train/finetune/bag_of_words.hpp"

#include <LBFGS.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

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

/// The penalised loss of weights [ids, classes] and biases [classes], one after the other in a vector.
class PenalisedLoss {
 public:
  PenalisedLoss(std::span<const std::vector<int32_t>> texts, std::span<const int32_t> labels, size_t classes)
      : texts_(texts),
        labels_(labels),
        classes_(static_cast<Index>(classes)),
        ids_(static_cast<Index>(ids_of(texts))) {}

  [[nodiscard]] Index size() const { return (ids_ + 1) * classes_; }
  [[nodiscard]] Index ids() const { return ids_; }

  double operator()(const Vector& at, Vector& gradient) const {
    const Index penalised = ids_ * classes_;
    gradient = at;
    gradient.tail(classes_).setZero();
    double loss = at.head(penalised).squaredNorm() / 2;
    for (size_t text = 0; text < texts_.size(); ++text) {
      Vector logits = at.tail(classes_);
      for (const int32_t id : texts_[text]) logits += at.segment(id * classes_, classes_);
      const double most = logits.maxCoeff();
      const double log_sum = most + std::log((logits.array() - most).exp().sum());
      loss += log_sum - logits[labels_[text]];
      Vector errors = (logits.array() - log_sum).exp();
      errors[labels_[text]] -= 1;
      for (const int32_t id : texts_[text]) gradient.segment(id * classes_, classes_) += errors;
      gradient.tail(classes_) += errors;
    }
    return loss;
  }

 private:
  std::span<const std::vector<int32_t>> texts_;
  std::span<const int32_t> labels_;
  Index classes_, ids_;
};

}  // namespace

BagOfWords::BagOfWords(std::span<const std::vector<int32_t>> texts, std::span<const int32_t> labels, size_t classes)
    : classes_(classes), biases_(classes) {
  PenalisedLoss loss(texts, labels, classes);
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
  weights_ = Matrix<double>(static_cast<size_t>(loss.ids()), classes);
  std::copy_n(at.data(), weights_.elements().size(), weights_.elements().begin());
  std::copy_n(at.data() + weights_.elements().size(), classes, biases_.begin());
}

Matrix<double> BagOfWords::logits(std::span<const std::vector<int32_t>> texts) const {
  Matrix<double> logits(texts.size(), classes_);
  for (size_t text = 0; text < texts.size(); ++text) {
    std::ranges::copy(biases_, logits.row(text).begin());
    for (const int32_t id : texts[text]) {
      if (static_cast<size_t>(id) >= weights_.rows()) continue;  // in no training text
      for (size_t label = 0; label < classes_; ++label) logits(text, label) += weights_(static_cast<size_t>(id), label);
    }
  }
  return logits;
}

std::vector<int32_t> BagOfWords::predict(std::span<const std::vector<int32_t>> texts) const {
  const Matrix<double> all = logits(texts);
  std::vector<int32_t> labels;
  for (size_t text = 0; text < texts.size(); ++text) {
    labels.push_back(static_cast<int32_t>(std::ranges::max_element(all.row(text)) - all.row(text).begin()));
  }
  return labels;
}

}  // namespace summand::train
