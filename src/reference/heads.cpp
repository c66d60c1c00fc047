#include "reference/heads.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace summand::reference {

namespace {

using model::Head;

template <class Scalar>
Matrix<Scalar> chosen_rows(const Matrix<Scalar>& from, std::span<const size_t> rows) {
  Matrix<Scalar> chosen(rows.size(), from.columns());
  for (size_t i = 0; i < rows.size(); ++i) std::ranges::copy(from.row(rows[i]), chosen.row(i).begin());
  return chosen;
}

template <class Scalar>
Matrix<Scalar> as_row(const std::vector<Scalar>& values) {
  Matrix<Scalar> row(1, values.size());
  std::ranges::copy(values, row.row(0).begin());
  return row;
}

}  // namespace

template <class Scalar>
Heads<Scalar>::Heads(const model::Config& config, const model::Weights& weights) : activation_(config.hidden_act) {
  if (model::contains_head(weights, Head::masked_language)) {
    masked_language_.emplace(
        MaskedLanguage{.transform = Linear<Scalar>(weights, "cls.predictions.transform.dense"),
                       .norm = Norm<Scalar>(weights, "cls.predictions.transform.LayerNorm", config.layer_norm_eps),
                       .decoder = Linear<Scalar>(model::decoder_weight(weights), model::decoder_bias(weights))});
  }
  if (model::contains_head(weights, Head::next_sentence)) next_sentence_.emplace(weights, "cls.seq_relationship");
  if (model::contains_head(weights, Head::sequence_classification)) classifier_.emplace(weights, "classifier");
  if (model::contains_head(weights, Head::question_answering)) question_answering_.emplace(weights, "qa_outputs");
}

template <class Scalar>
Matrix<Scalar> Heads<Scalar>::logits(Head head, const Output<Scalar>& output, std::span<const size_t> rows) const {
  const auto required = [&](const auto& parameters) -> const auto& {
    if (!parameters) {
      throw UsageError("reference", std::string(model::name_of(head)) + " head: the model has none");
    }
    return *parameters;
  };
  switch (head) {
    case Head::masked_language: {
      const MaskedLanguage& parameters = required(masked_language_);
      auto transformed = parameters.transform(chosen_rows(output.hidden_states.back(), rows));
      for (Scalar& x : transformed.elements()) x = activate(activation_, x);
      parameters.norm(transformed);
      return parameters.decoder(transformed);
    }
    case Head::next_sentence:
      return required(next_sentence_)(as_row(output.pooled));
    case Head::sequence_classification:
      return required(classifier_)(as_row(output.pooled));
    case Head::token_classification:
      return required(classifier_)(output.hidden_states.back());
    case Head::question_answering:
      return required(question_answering_)(output.hidden_states.back());
  }
  __builtin_unreachable();
}

template class Heads<float>;
template class Heads<double>;
template class Heads<Dual<double>>;
template class Heads<Dual<Dual<double>>>;
template class Heads<MixedDual>;

}  // namespace summand::reference
