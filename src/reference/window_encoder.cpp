#include "reference/window_encoder.hpp"

#include <array>

#include "model/window_bert.hpp"

namespace summand::reference {

template <class Scalar>
WindowEncoder<Scalar>::WindowEncoder(const model::Config& config, const model::Weights& weights)
    : bert_(model::window_bert_config(config), model::window_bert_weights(config, weights)),
      heads_(model::window_bert_config(config), model::window_bert_weights(config, weights)) {}

template <class Scalar>
Matrix<Scalar> WindowEncoder<Scalar>::logits(const Matrix<Scalar>& vectors) const {
  const std::array<size_t, 2> offsets{0, vectors.rows()};
  model::WindowRows<Scalar> rows(vectors.view(), offsets);
  return heads_.logits(model::Head::sequence_classification, bert_.run(model::window_batch(offsets), 0, &rows));
}

template class WindowEncoder<float>;
template class WindowEncoder<double>;

}  // namespace summand::reference
