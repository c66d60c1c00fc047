#include "lab/experiments/variance_shares/normalisation_mix.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/bare_numbers.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/variance_shares/part_rows.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace variance_shares_parts {
namespace {

using Eigen::Index;

constexpr double kVaries = 1e-9;  // of all parts' variance: less is rounding
constexpr size_t kDrawn = 200;    // vectors that stand for a model before training
constexpr size_t kCommon = 0;     // the parts' order: common, token, position, segment
constexpr std::array kPartNames{"common", "token", "position", "segment"};

constexpr NumberName kOddsMoved{"variance_shares", "odds_moved"};  // a family: of a part
constexpr NumberName kDrawnVariance{"variance_shares", "drawn_variance"};
constexpr NumberName kDrawnLikeness{"variance_shares", "drawn_likeness"};
constexpr NumberName kVariance{"variance_shares", "variance"};  // families: of a part, and of the sum
constexpr NumberName kVarianceAfter{"variance_shares", "variance_after"};

/// Which rows stand for the tokens that are looked at.
struct TokenRows {
  const PartRows& rows;
  std::span<const size_t> texts;
};

/// Its deviations twice as long.
PartRows with_doubled(PartRows rows, size_t part) {
  const std::array<Table*, 4> parts{&rows.common, &rows.token, &rows.position, &rows.segment};
  *parts[part] *= 2;
  return rows;
}

/// Every part with a σ of its own, not the sum's: what a composition that normalises each part by itself would have.
PartRows each_normalised(const PartRows& rows, const FirstNorm& norm) {
  const auto one = [&](const Table& part) -> Table {
    Vector factors(part.rows());
    for (Index i = 0; i < part.rows(); ++i) {
      const bool varies = (part.row(i).array() - part.row(i).mean()).square().mean() > 0;
      FirstNorm exact = norm;
      exact.epsilon = 0;
      factors(i) = varies ? exact.inverse_deviation(part.row(i).transpose()) : 0;
    }
    const Vector means = part.rowwise().mean();
    return factors.asDiagonal() * (part.colwise() - means) * norm.weight.asDiagonal();
  };
  return {one(rows.common), one(rows.token), one(rows.position), one(rows.segment)};
}

/// ln of a part's variance over that of the others together. Nothing where either has none.
std::optional<double> log_odds(const std::array<double, 4>& variances, size_t part) {
  const double all = std::accumulate(variances.begin(), variances.end(), 0.0);
  const double others = all - variances[part];
  if (variances[part] <= kVaries * all || others <= kVaries * all) return {};
  return std::log(variances[part] / others);
}

/// How far doubling a part moves its log odds among the parts, for any of the texts.
class OddsMoved {
 public:
  /// @param way  from the sum's parts to those that are looked at: a
  /// normalisation, or nothing
  template <class Way>
  OddsMoved(const TokenRows& of, const Way& way) : own_(way(of.rows), of.texts) {
    for (size_t part = kCommon + 1; part < kPartNames.size(); ++part) {
      doubled_.emplace_back(way(with_doubled(of.rows, part)), of.texts);
    }
  }
  [[nodiscard]] size_t texts() const { return own_.texts(); }
  [[nodiscard]] std::optional<double> moved(size_t part, std::span<const size_t> texts) const {
    const auto before = log_odds(own_.shares(texts).own, part);
    const auto after = log_odds(doubled_[part - kCommon - 1].shares(texts).own, part);
    if (!before || !after) return {};
    return *after - *before;
  }

 private:
  TextMoments own_;
  std::vector<TextMoments> doubled_;
};

/// The three ways side by side.
struct Ways {
  OddsMoved without, with, each;

  Ways(const TokenRows& of, const FirstNorm& norm)
      : without(of, [](const PartRows& rows) { return rows; }),
        with(of, [&](const PartRows& rows) { return normalised(rows, norm); }),
        each(of, [&](const PartRows& rows) { return each_normalised(rows, norm); }) {}

  [[nodiscard]] std::vector<size_t> all_texts() const {
    std::vector<size_t> texts(without.texts());
    std::iota(texts.begin(), texts.end(), size_t{0});
    return texts;
  }
  /// What is left of a part's move, over the parts that move without a normalisation: 1 is all of it.
  [[nodiscard]] double left(const OddsMoved& of, std::span<const size_t> texts) const {
    double total = 0;
    size_t count = 0;
    for (size_t part = kCommon + 1; part < kPartNames.size(); ++part) {
      const auto before = without.moved(part, texts);
      const auto after = of.moved(part, texts);
      if (!before || !after) continue;
      total += *after / *before;
      ++count;
    }
    return count > 0 ? total / static_cast<double>(count) : 0;
  }
  /// Whether any part has something to be mixed with.
  [[nodiscard]] bool mixes() const {
    const auto texts = all_texts();
    for (size_t part = kCommon + 1; part < kPartNames.size(); ++part) {
      if (without.moved(part, texts) && with.moved(part, texts)) return true;
    }
    return false;
  }
};

void add_mix(const NumberName& name, const Ways& ways, const Draws& draws, Numbers& numbers) {
  const auto texts = ways.all_texts();
  const auto left = [&](const OddsMoved& of, const char* of_name) {
    Draws of_this = draws;
    of_this.name += std::string(name.name) + of_name;
    return Estimate{
        ways.left(of, texts),
        bootstrap(
            ways.without.texts(), [&](std::span<const size_t> chosen) { return ways.left(of, chosen); }, of_this)};
  };
  numbers.add(NumberBuilder(name, left(ways.with, ""))
                  .null(ways.left(ways.without, texts), localize("variance_shares.beside.no_normalisation"))
                  .control(left(ways.each, " control"), localize("variance_shares.beside.each_normalised")));
}

void add_odds(const Ways& ways, Numbers& numbers) {
  const auto texts = ways.all_texts();
  for (size_t part = kCommon + 1; part < kPartNames.size(); ++part) {
    const auto without = ways.without.moved(part, texts);
    const auto with = ways.with.moved(part, texts);
    if (!without || !with) continue;
    const LocalizedText words = localize(std::string("variance_shares.parts.") + kPartNames[part]);
    numbers.add(
        NumberBuilder(kOddsMoved, kPartNames[part], *with, {{"part", words}})
            .null(*without, localize("variance_shares.beside.no_normalisation"))
            .control(ways.each.moved(part, texts).value_or(0), localize("variance_shares.beside.each_normalised")));
  }
}

/// Of the coordinates of each row: the mean variance.
double coordinate_variance(const Table& rows) {
  const Vector means = rows.rowwise().mean();
  return (rows.colwise() - means).squaredNorm() / static_cast<double>(rows.size());
}

/// The standard deviation over rows of each row's own deviation, beside its mean.
double uneven(const Table& rows) {
  const Vector means = rows.rowwise().mean();
  const Vector deviations = ((rows.colwise() - means).cwiseAbs2().rowwise().mean()).cwiseSqrt();
  return standard_deviation(elements(deviations)) / deviations.mean();
}

/// Every sum scaled by a number of its own, between a half and two.
PartRows unevenly_scaled(PartRows rows, RandomStream& stream) {
  Vector factors(rows.token.rows());
  for (double& factor : factors) factor = std::exp2(2 * stream.uniform() - 1);
  for (Table* part : {&rows.common, &rows.token, &rows.position, &rows.segment}) {
    *part = (factors.asDiagonal() * *part).eval();
  }
  return rows;
}

PartRows tokens_alone(PartRows rows) {
  for (Table* part : {&rows.common, &rows.position, &rows.segment}) part->setZero();
  return rows;
}

/// Independent normal parts of variance 1.
PartRows normal_parts(const PartRows& rows, RandomStream& stream) {
  const auto part = [&] {
    return white_noise({static_cast<size_t>(rows.token.rows()), static_cast<size_t>(rows.token.cols())}, stream);
  };
  return {part(), part(), part(), part()};
}

BareNumbers bare_variance_numbers(const PartRows& rows, const FirstNorm& plain) {
  BareNumbers bare;
  const auto add = [&](const NumberName& family, const PartRows& of) {
    const std::array<const Table*, 4> parts{&of.common, &of.token, &of.position, &of.segment};
    for (size_t part = 0; part < parts.size(); ++part) {
      const LocalizedText words = localize(std::string("variance_shares.parts.") + kPartNames[part]);
      bare.push_back(bare_number(family, kPartNames[part], coordinate_variance(*parts[part]), {{"part", words}}));
    }
    bare.push_back(
        bare_number(family, "sum", coordinate_variance(of.sum()), {{"part", localize("variance_shares.parts.sum")}}));
  };
  add(kVariance, rows);
  add(kVarianceAfter, normalised(rows, plain));
  return bare;
}

/// How much σ differs from token to token, before and after.
void add_unevenness(const PartRows& rows, const FirstNorm& plain, const Conditions& conditions, Numbers& numbers) {
  RandomStream stream(conditions.seed, "variance shares: scales");
  const PartRows uneven_rows = unevenly_scaled(rows, stream);
  const double before = uneven(rows.sum());
  const double after = uneven(normalised(rows, plain).sum());
  const LocalizedText of_scaled = localize("variance_shares.beside.scaled");
  numbers.add(NumberBuilder(kUnevenBefore, before)
                  .null(after, localize("variance_shares.beside.one_deviation"))
                  .control(uneven(uneven_rows.sum()), of_scaled));
  numbers.add(NumberBuilder(kUnevenAfter, after)
                  .null(before, localize("variance_shares.beside.no_normalisation"))
                  .control(uneven(normalised(uneven_rows, plain).sum()), of_scaled));
}

Table each_row_normalised(Table rows) {
  const Vector means = rows.rowwise().mean();
  rows.colwise() -= means;
  for (Index i = 0; i < rows.rows(); ++i)
    rows.row(i) /= std::sqrt(rows.row(i).squaredNorm() / static_cast<double>(rows.cols()));
  return rows;
}

double mean_cosine(const Table& a, const Table& b) {
  return (a.cwiseProduct(b).rowwise().sum().array() / (a.rowwise().norm().array() * b.rowwise().norm().array())).mean();
}

/// The document's own condition: rows drawn alike, once as three tables that are added and once as one joint table. A
/// word at one place and at another: both vectors of both ways.
void add_drawn(Index hidden, const Conditions& conditions, Numbers& numbers) {
  RandomStream stream(conditions.seed, "variance shares: drawn rows");
  const auto rows = [&] { return white_noise({kDrawn, static_cast<size_t>(hidden)}, stream); };
  const Table word = rows();
  const Table segment = rows();
  const Table here = word + segment + rows();
  const Table there = word + segment + rows();
  const Table joint_here = rows();
  const Table joint_there = rows();
  const auto after = [](const Table& of) { return each_row_normalised(of); };
  const LocalizedText of_same = localize("variance_shares.beside.the_same");
  numbers.add(NumberBuilder(kDrawnVariance, coordinate_variance(after(here)) / coordinate_variance(after(joint_here)))
                  .null(coordinate_variance(here) / coordinate_variance(joint_here),
                        localize("variance_shares.beside.no_normalisation"))
                  .control(1, of_same));
  numbers.add(NumberBuilder(kDrawnLikeness, mean_cosine(after(here), after(there)))
                  .null(mean_cosine(after(joint_here), after(joint_there)), localize("variance_shares.beside.joint"))
                  .control(1, of_same));
}

}  // namespace
}  // namespace variance_shares_parts

void measure_normalisation(const PartSamples& samples, const FirstNorm& norm, const Conditions& conditions,
                           const Draws& draws, Numbers& numbers) {
  using namespace variance_shares_parts;
  const Ways words({samples.words, samples.tokens.words.texts}, norm);
  const Ways all({samples.all, samples.tokens.all.texts}, norm);
  if (!words.mixes()) return;
  add_mix(kMix, words, draws, numbers);
  add_mix(kMixAll, all, draws, numbers);
  add_odds(words, numbers);
  FirstNorm plain = norm;
  plain.weight.setOnes();
  add_unevenness(samples.all, plain, conditions, numbers);
  add_drawn(samples.all.token.cols(), conditions, numbers);
  RandomStream stream(conditions.seed, "variance shares: normal parts");
  numbers.add(with_references(
      bare_variance_numbers(samples.words, plain),
      {localize("variance_shares.beside.tokens_alone"), bare_variance_numbers(tokens_alone(samples.words), plain)},
      {localize("variance_shares.beside.normal_parts"),
       bare_variance_numbers(normal_parts(samples.words, stream), plain)}));
}

}  // namespace summand::lab
