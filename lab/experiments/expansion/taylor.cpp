#include "lab/experiments/expansion/taylor.hpp"

#include <algorithm>
#include <numeric>

#include "base/random_stream.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab::expansion {

using Eigen::Index;

namespace {

constexpr auto kOfDirections = static_cast<Index>(Interaction::kDirections);

/// 1 − Σ rest / Σ whole over these texts and directions, which may repeat.
double share_over(const Explained& of, std::span<const size_t> texts, std::span<const size_t> directions) {
  double rest = 0;
  double whole = 0;
  for (const size_t text : texts) {
    for (const size_t direction : directions) {
      rest += of.rest[text](static_cast<Index>(direction));
      whole += of.whole[text](static_cast<Index>(direction));
    }
  }
  return whole > 0 ? 1 - rest / whole : 0;
}

std::vector<size_t> all_of(size_t count) {
  std::vector<size_t> all(count);
  std::iota(all.begin(), all.end(), size_t{0});
  return all;
}

std::vector<size_t> drawn_again(size_t count, RandomStream& stream) {
  std::vector<size_t> drawn(count);
  for (size_t& one : drawn) one = stream.below(count);
  return drawn;
}

/// Slopes and terms where their tokens stand in the text; 0 for tokens that do not move.
Expanded placed(const Derivatives& of, const std::vector<Step>& steps, Index tokens) {
  std::vector<Index> at;
  for (const auto& step : steps) at.push_back(static_cast<Index>(step.token));
  Expanded result{.changes = {}, .slopes = Table::Zero(of.first.rows(), tokens), .terms = {}};
  result.slopes(Eigen::all, at) = of.first;
  for (const auto& mixed : of.mixed) {
    result.terms.emplace_back(Table::Zero(tokens, tokens));
    result.terms.back()(at, at) = mixed;
  }
  return result;
}

}  // namespace

Strengths strengths_of(const Subject& subject) {
  const auto mean_norm = [](const Table& table) { return centred(table).rowwise().norm().mean(); };
  Strengths strengths{};
  std::ranges::copy(kShownStrengths, strengths.begin());
  strengths[kNull] = kNullLength * mean_norm(seen_tokens(subject)) / mean_norm(seen_positions(subject));
  return strengths;
}

Vector Expanded::predicted(double strength, int order) const {
  Vector result = strength * slopes.rowwise().sum();
  if (order == 1) return result;
  for (Index f = 0; f < result.size(); ++f) {
    result(f) += strength * strength * terms[static_cast<size_t>(f)].sum() / 2;
  }
  return result;
}

std::vector<Expanded> expand(const Interaction& interaction, const std::vector<ExpandedText>& texts,
                             const Strengths& strengths) {
  std::vector<DirectedText> directed;
  for (const auto& text : texts) {
    std::vector<Step> steps;
    for (Index t = 0; t < text.moves.rows(); ++t) {
      if (text.moves.row(t).isZero(0)) continue;  // its terms are 0
      steps.push_back({.token = static_cast<size_t>(t), .along = text.moves.row(t).transpose()});
    }
    directed.push_back({.text = text, .first = steps, .second = steps});
  }
  const auto derivatives = interaction.derivatives(directed);
  std::vector<Expanded> expanded;
  for (size_t i = 0; i < texts.size(); ++i) {
    auto& one = expanded.emplace_back(placed(derivatives[i], directed[i].first, texts[i].moves.rows()));
    std::vector<Table> sums{texts[i].sum};
    for (const double strength : strengths) sums.push_back(texts[i].sum + strength * texts[i].moves);
    const auto values = interaction.values(texts[i], sums);
    for (size_t k = 0; k < strengths.size(); ++k) one.changes[k] = values[k + 1] - values.front();
  }
  return expanded;
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

void Explained::begin_text() {
  rest.push_back(Vector::Zero(kOfDirections));
  whole.push_back(Vector::Zero(kOfDirections));
}

void Explained::add(const Vector& exact, const Vector& expected) {
  rest.back() += (exact - expected).head(kOfDirections).cwiseAbs2();
  whole.back() += exact.head(kOfDirections).cwiseAbs2();
}

double Explained::share() const {
  return share_over(*this, all_of(rest.size()), all_of(Interaction::kDirections));
}

Interval Explained::interval(const Draws& draws) const {
  return middle_95_percent(drawn(draws, [&](RandomStream& stream) {
    const auto texts = drawn_again(rest.size(), stream);
    return share_over(*this, texts, drawn_again(Interaction::kDirections, stream));
  }));
}

void Pairs::add(const Interaction& interaction, const ExpandedText& text, const Expanded& of, double strength,
                std::array<Index, 2> tokens) {
  const auto [begin, end] = tokens;
  std::vector<Table> sums{text.sum};
  const auto move = [&](std::initializer_list<Index> which) {
    auto& sum = sums.emplace_back(text.sum);
    for (const Index m : which) sum.row(m) += strength * text.moves.row(m);
  };
  for (Index m = begin; m < end; ++m) move({m});
  for (Index m = begin; m < end; ++m) {
    for (Index n = m + 1; n < end; ++n) move({m, n});
  }
  const auto values = interaction.values(text, sums);
  const Vector& none = values.front();
  const auto alone = [&](Index m) -> Vector { return values[static_cast<size_t>(1 + m - begin)] - none; };
  auto both = values.begin() + 1 + (end - begin);
  for (Explained* one : {&first, &second, &mixed}) one->begin_text();
  for (Index m = begin; m < end; ++m) {
    for (Index n = m + 1; n < end; ++n) {
      const Vector change = *both++ - none;
      const Vector slope = strength * (of.slopes.col(m) + of.slopes.col(n));
      Vector same(change.size());
      Vector pair(change.size());
      for (Index f = 0; f < change.size(); ++f) {
        const Table& terms = of.terms[static_cast<size_t>(f)];
        same(f) = strength * strength * (terms(m, m) + terms(n, n)) / 2;
        pair(f) = strength * strength * terms(m, n);
      }
      first.add(change, slope);
      second.add(change, slope + same + pair);
      mixed.add(change - alone(m) - alone(n), pair);
      squares_first += slope.head(kOfDirections).squaredNorm();
      squares_same += same.head(kOfDirections).squaredNorm();
      squares_pair += pair.head(kOfDirections).squaredNorm();
    }
  }
}

double Pairs::size(double squares) const {
  double whole = 0;
  for (const auto& text : second.whole) whole += text.sum();
  return whole > 0 ? std::sqrt(squares / whole) : 0;
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

Explained ExpandedTexts::explained_at(size_t strength, int order) const {
  Explained result;
  for (const auto& text : texts) {
    result.begin_text();
    result.add(text.changes[strength], text.predicted(strengths[strength], order));
  }
  return result;
}

}  // namespace summand::lab::expansion
