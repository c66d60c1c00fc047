#include "lab/experiments/expansion/taylor.hpp"

#include <algorithm>
#include <numeric>

#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::expansion {

using Eigen::Index;

Strengths strengths_of(const Subject& subject) {
  const auto mean_norm = [](const Table& table) { return centred(table).rowwise().norm().mean(); };
  Strengths strengths{};
  std::ranges::copy(kShownStrengths, strengths.begin());
  strengths[kNull] = kNullLength * mean_norm(subject.tokens) / mean_norm(subject.positions);
  return strengths;
}

Vector Expanded::predicted(double strength, int order) const {
  if (order == 1) return strength * first;
  return strength * first + strength * strength * (same + pairs);
}

Expanded expand(const Interaction& interaction, const ExpandedText& text, const Strengths& strengths) {
  std::vector<Step> steps;
  for (Index t = 0; t < text.moves.rows(); ++t) {  // a row that does not move has terms of 0
    steps.push_back({.token = static_cast<size_t>(t), .along = text.moves.row(t).transpose()});
  }
  const auto derivatives = interaction.derivatives(text, steps, steps);
  Expanded result;
  const auto functions = static_cast<Index>(derivatives.mixed.size());
  result.first = derivatives.first.rowwise().sum();
  result.same.resize(functions);
  result.pairs.resize(functions);
  for (Index f = 0; f < functions; ++f) {
    const Table& of = derivatives.mixed[static_cast<size_t>(f)];
    result.same(f) = of.trace() / 2;
    result.pairs(f) = (of.sum() - of.trace()) / 2;
  }
  result.terms = derivatives.mixed;
  const Vector before = interaction.values(text, text.sum);
  for (size_t i = 0; i < strengths.size(); ++i) {
    result.changes[i] = interaction.values(text, text.sum + strengths[i] * text.moves) - before;
  }
  return result;
}

ExpandedText with_rows_kept(ExpandedText text, std::span<const size_t> positions) {
  for (const size_t position : positions) {
    const auto token = static_cast<Index>(position);
    if (token >= text.moves.rows()) continue;
    text.sum.row(token) += text.moves.row(token);
    text.moves.row(token).setZero();
  }
  return text;
}

void MixedDifferences::add(const Interaction& interaction, const ExpandedText& text, const Expanded& of,
                           double strength) {
  const Index tokens = std::min<Index>(text.moves.rows(), kTokens);
  const auto moved = [&](std::initializer_list<Index> which) {
    Table sum = text.sum;
    for (const Index m : which) sum.row(m) += strength * text.moves.row(m);
    return interaction.values(text, sum);
  };
  const Vector none = moved({});
  std::vector<Vector> alone;
  for (Index m = 0; m < tokens; ++m) alone.push_back(moved({m}));
  for (Index m = 0; m < tokens; ++m) {
    for (Index n = m + 1; n < tokens; ++n) {
      const Vector difference = moved({m, n}) - alone[static_cast<size_t>(m)] - alone[static_cast<size_t>(n)] + none;
      for (Index f = 0; f < difference.size(); ++f) {
        exact.push_back(difference(f) / (strength * strength));
        expected.push_back(of.terms[static_cast<size_t>(f)](m, n));
      }
    }
  }
}

double explained(std::span<const double> exact, std::span<const double> expected) {
  double rest = 0;
  double all = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    rest += (exact[i] - expected[i]) * (exact[i] - expected[i]);
    all += exact[i] * exact[i];
  }
  return all > 0 ? 1 - rest / all : 0;
}

double ExpandedTexts::explained_at(size_t strength, int order, std::span<const size_t> chosen) const {
  std::vector<double> exact;
  std::vector<double> expected;
  for (const size_t text : chosen) {
    const Vector predicted = texts[text].predicted(strengths[strength], order);
    for (Index f = 0; f < static_cast<Index>(Interaction::kDirections); ++f) {
      exact.push_back(texts[text].changes[strength](f));
      expected.push_back(predicted(f));
    }
  }
  return explained(exact, expected);
}

double ExpandedTexts::explained_at(size_t strength, int order) const {
  std::vector<size_t> all(texts.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return explained_at(strength, order, all);
}

}  // namespace summand::lab::expansion
