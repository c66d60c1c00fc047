#include "lab/experiments/position_strength/text_logits.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lab/probing/attention.hpp"
#include "lab/statistics/kendall.hpp"
#include "lab/statistics/moments.hpp"
#include "summand/assert.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr auto kToken = static_cast<size_t>(LogitPart::token);
constexpr auto kPosition = static_cast<size_t>(LogitPart::position);

/// Adds how far each key's token moves the logits of all queries, squared: what is alike for all keys moves nothing.
void add_contributions(const LogitTerms& terms, Vector& contributions) {
  Table of_token = Table::Zero(terms.of[0][0].rows(), terms.of[0][0].cols());
  for (const auto& row : terms.of) of_token += row[kToken];
  of_token.colwise() -= of_token.rowwise().mean().eval();
  contributions += of_token.colwise().squaredNorm().transpose();
}

LogitTerms among(const LogitTerms& terms, const std::vector<Index>& tokens) {
  LogitTerms chosen;
  for (size_t query = 0; query < kLogitParts; ++query) {
    for (size_t key = 0; key < kLogitParts; ++key) {
      chosen.of[query][key] = terms.of[query][key](tokens, tokens);
    }
  }
  return chosen;
}

/// Adds one head, of as many as there are.
void add_head(const LogitTerms& terms, std::span<const Table> others, double heads, TokensLogits& tokens) {
  const Table attention = softmax_rows(terms.sum());
  tokens.uniform += divergence_from_uniform(attention) / heads;
  tokens.shares.add(terms);
  for (size_t i = 0; i < others.size(); ++i) {
    tokens.moved[i] += divergence(attention, softmax_rows(others[i])) / heads;
  }
}

}  // namespace

Table strengthened(const Table& positions, StrengthenedRows rows, double strength) {
  const Index first = rows == StrengthenedRows::all ? 0 : 1;
  if (positions.rows() <= first) return positions;
  Table changed = positions;
  const Index count = positions.rows() - first;
  changed.bottomRows(count) += (strength - 1) * centred(positions.bottomRows(count));
  return changed;
}

StrengthTables::StrengthTables(const Table& positions, StrengthenedRows rows, std::span<const double> strengths)
    : strengths_{1},
      tables_{positions},
      mean_rows_(column_means(positions).transpose().replicate(positions.rows(), 1)) {
  for (const double strength : strengths) {
    strengths_.push_back(strength);
    tables_.push_back(strengthened(positions, rows, strength));
  }
}

const Table& StrengthTables::at(double strength) const {
  const auto found = std::ranges::find(strengths_, strength);
  SUMMAND_ASSERT(found != strengths_.end());
  return tables_[static_cast<size_t>(found - strengths_.begin())];
}

StrengthInputs strength_inputs(const FirstLogits& logits, const model::Batch& batch, size_t text,
                               const StrengthTables& tables, StrengthOf of, const Table& turn) {
  return [&logits, &batch, &tables, &turn, text, of](double strength) {
    const Table& own = tables.at(1);
    const Table& strong = tables.at(strength);
    switch (of) {
      case StrengthOf::model:
        return logits.inputs(batch, text, strong, strong);
      case StrengthOf::fixed_sigma:
        return logits.inputs(batch, text, strong, own);
      case StrengthOf::sigma_alone:
        return logits.inputs(batch, text, tables.mean_rows(), strong);
      case StrengthOf::turned: {
        PartTables parts = logits.inputs(batch, text, strong, own);
        parts[kPosition] = parts[kPosition] * turn;
        return parts;
      }
      case StrengthOf::blind:
        return logits.inputs(batch, text, tables.mean_rows(), own);
    }
    __builtin_unreachable();
  };
}

TextLogits text_logits(const FirstLogits& logits, const StrengthInputs& inputs, std::span<const double> strengths,
                       const std::vector<Index>& words) {
  const PartTables own = inputs(1);
  std::vector<PartTables> others;
  for (const double strength : strengths) others.push_back(inputs(strength));
  const auto heads = static_cast<double>(logits.heads());
  TextLogits text;
  text.all.moved.resize(strengths.size());
  text.words.moved.resize(strengths.size());
  Vector contributions = Vector::Zero(own[kToken].rows());
  for (size_t head = 0; head < logits.heads(); ++head) {
    const LogitTerms terms = logits.terms(own, head);
    const Table sum = terms.sum();
    const Table attention = softmax_rows(sum);
    std::vector<Table> strong;
    std::vector<Table> strong_words;
    for (const auto& other : others) {
      strong.push_back(logits.logits(other, head));
      strong_words.emplace_back(strong.back()(words, words));
    }
    add_head(terms, strong, heads, text.all);
    if (!words.empty()) add_head(among(terms, words), strong_words, heads, text.words);
    add_contributions(terms, contributions);
    for (const LogitGroup group : kLogitGroups) {
      text.zeroed[static_cast<size_t>(group)] +=
          divergence(attention, softmax_rows(sum - sum_of(terms, group))) / heads;
    }
  }
  const Vector norms = own[kToken].rowwise().norm();
  text.all.token_norms = norms.squaredNorm();
  text.all.position_norms = own[kPosition].squaredNorm();
  text.words.token_norms = own[kToken](words, Eigen::all).squaredNorm();
  text.words.position_norms = own[kPosition](words, Eigen::all).squaredNorm();
  text.norm_against_contribution = kendall_tau(elements(norms), elements(contributions));
  Vector others_norms(norms.size());
  for (Index i = 0; i < norms.size(); ++i) others_norms(i) = norms((i + norms.size() / 2) % norms.size());
  text.others_norm_against_contribution = kendall_tau(elements(others_norms), elements(contributions));
  return text;
}

}  // namespace summand::lab
