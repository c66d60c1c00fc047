#include "lab/experiments/position_strength/text_logits.hpp"

#include <cmath>
#include <cstddef>

#include "lab/probing/attention.hpp"
#include "lab/statistics/kendall.hpp"

namespace summand::lab {

namespace {

constexpr auto kToken = static_cast<size_t>(LogitPart::token);
constexpr auto kPosition = static_cast<size_t>(LogitPart::position);

/// Adds how far each key's token moves the logits of all queries, squared: what is alike for all keys moves nothing.
void add_contributions(const LogitTerms& terms, Vector& contributions) {
  Table of_token = Table::Zero(terms.of[0][0].rows(), terms.of[0][0].cols());
  for (const auto& row : terms.of) of_token += row[kToken];
  of_token.colwise() -= of_token.rowwise().mean().eval();
  contributions += of_token.colwise().squaredNorm().transpose();
}

}  // namespace

TextLogits text_logits(const FirstLogits& logits, const StrengthInputs& inputs, std::span<const double> strengths) {
  const PartTables own = inputs(1);
  std::vector<PartTables> others;
  for (const double strength : strengths) others.push_back(inputs(strength));
  const auto heads = static_cast<double>(logits.heads());
  TextLogits text;
  text.moved.resize(strengths.size());
  Vector contributions = Vector::Zero(own[kToken].rows());
  for (size_t head = 0; head < logits.heads(); ++head) {
    const LogitTerms terms = logits.terms(own, head);
    const Table sum = terms.sum();
    const Table attention = softmax_rows(sum);
    text.uniform += divergence_from_uniform(attention) / heads;
    text.shares.add(terms);
    add_contributions(terms, contributions);
    for (const LogitGroup group : kLogitGroups) {
      text.zeroed[static_cast<size_t>(group)] +=
          divergence(attention, softmax_rows(sum - sum_of(terms, group))) / heads;
    }
    for (size_t i = 0; i < others.size(); ++i) {
      text.moved[i] += divergence(attention, softmax_rows(logits.terms(others[i], head).sum())) / heads;
    }
  }
  const Vector norms = own[kToken].rowwise().norm();
  text.token_norms = norms.squaredNorm();
  text.position_norms = own[kPosition].squaredNorm();
  text.norm_against_contribution = kendall_tau(elements(norms), elements(contributions));
  Vector others_norms(norms.size());
  for (Eigen::Index i = 0; i < norms.size(); ++i) others_norms(i) = norms((i + norms.size() / 2) % norms.size());
  text.others_norm_against_contribution = kendall_tau(elements(others_norms), elements(contributions));
  return text;
}

StrengthInputs strength_inputs(const FirstLogits& logits, const model::Batch& batch, size_t text, StrengthOf of,
                               const Table& turn) {
  return [&logits, &batch, &turn, text, of](double strength) {
    const bool follows = of == StrengthOf::model || of == StrengthOf::sigma_alone;
    PartTables parts = logits.inputs(batch, text, follows ? strength : 1);
    Table& positions = parts[kPosition];
    switch (of) {
      case StrengthOf::model:
        break;
      case StrengthOf::fixed_sigma:
        positions *= strength;
        break;
      case StrengthOf::turned:
        positions = strength * (positions * turn);
        break;
      case StrengthOf::sigma_alone:
      case StrengthOf::blind:
        positions.setZero();
        break;
    }
    return parts;
  };
}

}  // namespace summand::lab
