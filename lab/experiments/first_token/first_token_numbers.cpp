#include "lab/experiments/first_token/first_token_numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <span>

#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/proportion.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

using Eigen::Index;

namespace first_token {
namespace {

constexpr double kDifferenceRounding = 1e-12;  // of differences that cancel

using Values = std::vector<double>;  // [texts]

struct Named {
  Values values;
  LocalizedText of;
};

/// What the labels say of the constants.
FormatArgs of_constants() {
  return {{"thinned", 100 * kThinned}};
}

Values less(const Values& a, const Values& b) {
  Values differences(a.size());
  for (size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return differences;
}

/// Adds means over texts, with intervals.
class Adder {
 public:
  Adder(Numbers& numbers, const Conditions& conditions) : numbers_(numbers), conditions_(conditions) {}

  void level(const NumberName& name, const Values& own, const Named& null, const Named& control) {
    numbers_.add(NumberBuilder(name, estimate(own), of_constants())
                     .null(mean(null.values), null.of)
                     .control(mean(control.values), control.of));
  }
  /// own = a − b; null and control are differences already.
  void difference(const NumberName& name, const Values& own, const Named& null, const Named& control) {
    numbers_.add(NumberBuilder(name, estimate(own), of_constants())
                     .null(estimate(null.values), null.of)
                     .control(estimate(control.values), control.of));
  }

  /// Of shares that are found or not: where few are, or nearly all, resampled texts vary less than texts do, so that
  /// the score interval holds as well.
  void share(const NumberName& name, const Values& own, const Named& null, const Named& control) {
    numbers_.add(NumberBuilder(name, mean(own), of_constants())
                     .interval(hull(interval(own), wilson_share(clamped(mean(own)), own.size())))
                     .null(mean(null.values), null.of)
                     .control(mean(control.values), control.of));
  }
  /// Of first − second.
  void difference_of(const NumberName& name, const Values& first, const Values& second, const Named& null,
                     const Named& control) {
    const auto of = [&](const Values& one) {
      const Values differences = less(one, second);
      return Estimate{mean(differences), hull(interval(differences), difference_of_matched_shares(differences))};
    };
    numbers_.add(NumberBuilder(name, of(first), of_constants())
                     .null(of(null.values), null.of)
                     .control(of(control.values), control.of));
  }

 private:
  /// Means of a few shares may miss 1 by rounding.
  static double clamped(double share) { return std::clamp(share, 0.0, 1.0); }
  static Interval hull(const Interval& one, const Interval& other) {
    return {.low = std::min(one.low, other.low), .high = std::max(one.high, other.high)};
  }
  Estimate estimate(const Values& values) const { return {.value = mean(values), .interval = interval(values)}; }
  Interval interval(const Values& values) const {
    return bootstrap(values.size(),
                     [&](std::span<const size_t> chosen) {
                       double sum = 0;
                       for (const size_t i : chosen) sum += values[i];
                       return std::abs(sum) < kDifferenceRounding ? 0 : sum / static_cast<double>(chosen.size());
                     },
                     {.seed = conditions_.seed,
                      .name = "first token: texts",
                      .count = conditions_.quick ? kQuickResamplings : kFullResamplings,
                      .threads = thread_count(conditions_)});
  }

  Numbers& numbers_;
  const Conditions& conditions_;
};

template <class Item, class Of>
Values each(const std::vector<Item>& items, const Of& of) {
  Values values;
  for (const Item& item : items) values.push_back(std::invoke(of, item));
  return values;
}

LocalizedText word_in_place() {
  return localize("first_token.word_in_place");
}
LocalizedText even() {
  return localize("first_token.even");
}
LocalizedText alone() {
  return localize("first_token.alone");
}

void add_fairness(const FirstTokenData& data, Adder& adder) {
  const auto shares = [&](const ShareNames& names, const std::vector<ShareSummary>& of) {
    const Values word = each(of, &ShareSummary::word_gini);
    adder.difference(names.fairer, less(word, each(of, &ShareSummary::first_gini)),
                     {less(word, each(of, &ShareSummary::one_gini)), word_in_place()},
                     {less(word, each(data.even, &ShareSummary::first_gini)), even()});
  };
  shares(kByNorms, data.norms);
  const Values drawn = each(data.influence, [](const WordInfluence& one) { return gini(one.drawn); });
  const Values first = each(data.influence, [](const WordInfluence& one) { return gini(one.first); });
  const Values second = each(data.influence, [](const WordInfluence& one) { return gini(one.second); });
  adder.difference(kByInfluence.fairer, less(drawn, first), {less(drawn, second), word_in_place()}, {drawn, even()});
  shares(kByRollout, data.rollout);
}

/// What [CLS] keeps of itself, and what a word does.
void add_own_shares(const FirstTokenData& data, Adder& adder) {
  const auto own = [&](const ShareNames& names, const std::vector<ShareSummary>& of) {
    const Values word = each(of, &ShareSummary::word_own);
    const auto over_word = [](const std::vector<ShareSummary>& shares) {
      return less(each(shares, &ShareSummary::first_own), each(shares, &ShareSummary::word_own));
    };
    adder.difference(names.own_over_word, over_word(of),
                     {less(each(of, &ShareSummary::one_own), word), word_in_place()}, {over_word(data.alone), alone()});
  };
  own(kByNorms, data.norms);
  own(kByRollout, data.rollout);
}

void add_retrieval(const RetrievalNames& names, const Retrieval& retrieval, Adder& adder) {
  const Named chance{retrieval.chance, localize("first_token.chance")};
  const Named itself{retrieval.itself, localize("first_token.itself")};
  adder.difference_of(names.first_over_word, retrieval.first, retrieval.word, {retrieval.second, word_in_place()},
                      {retrieval.mean, localize("first_token.mean")});
  adder.difference_of(names.mean_over_first, retrieval.mean, retrieval.first,
                      {retrieval.word, localize("first_token.word")}, {retrieval.itself, itself.of});
  adder.share(names.first, retrieval.first, chance, itself);
  adder.share(names.word, retrieval.word, chance, itself);
  adder.share(names.mean, retrieval.mean, chance, itself);
  if (!retrieval.pooled.empty()) adder.share(names.pooled, retrieval.pooled, chance, itself);
}

void add_shares(const FirstTokenData& data, Adder& adder) {
  const auto all = [&](const ShareNames& names, const std::vector<ShareSummary>& of) {
    const auto one = [&](const NumberName& name, double ShareSummary::*member) {
      adder.level(name, each(of, member), {each(data.alone, member), alone()}, {each(data.even, member), even()});
    };
    one(names.first_gini, &ShareSummary::first_gini);
    one(names.word_gini, &ShareSummary::word_gini);
    one(names.mean_gini, &ShareSummary::mean_gini);
    one(names.first_own, &ShareSummary::first_own);
    one(names.word_own, &ShareSummary::word_own);
    one(names.first_words, &ShareSummary::first_words);
  };
  all(kByNorms, data.norms);
  all(kByRollout, data.rollout);
}

void add_influence(const FirstTokenData& data, Adder& adder) {
  Values of_alone;
  Values of_even;
  for (const auto& text : data.influence) {
    Values one(text.first.size(), 0);
    one.front() = 1;
    of_alone.push_back(gini(one));
    of_even.push_back(gini(Values(text.first.size(), 1)));
  }
  const auto level = [&](const NumberName& name, Values WordInfluence::*member) {
    adder.level(name, each(data.influence, [&](const WordInfluence& one) { return gini(one.*member); }),
                {of_alone, alone()}, {of_even, even()});
  };
  level(kByInfluence.first_gini, &WordInfluence::first);
  level(kByInfluence.word_gini, &WordInfluence::drawn);
  level(kByInfluence.mean_gini, &WordInfluence::mean);
}

Table in_random_order(const Table& table, RandomStream& stream) {
  std::vector<Index> order(static_cast<size_t>(table.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  stream.shuffle(std::span(order));
  return table(order, Eigen::all);
}

}  // namespace
}  // namespace first_token

Retrieval retrieval_of(const Readouts& one, const Readouts& other, RandomStream& stream) {
  using namespace first_token;
  Retrieval retrieval{.first = found(one.first, other.first),
                      .mean = found(one.mean, other.mean),
                      .pooled = {},
                      .word = {},
                      .second = {},
                      .chance = found(one.mean, in_random_order(other.mean, stream)),
                      .itself = found(one.mean, one.mean)};
  if (one.pooled.rows() > 0) retrieval.pooled = found(one.pooled, other.pooled);
  const size_t draws = one.words.size();
  retrieval.word.assign(retrieval.first.size(), 0);
  retrieval.second.assign(retrieval.first.size(), 0);
  for (size_t draw = 0; draw < draws; ++draw) {
    const auto hits = found(one.words[draw], other.words[draw]);
    const auto others = found(one.words[draw], other.words[(draw + 1) % draws]);
    for (size_t i = 0; i < hits.size(); ++i) {
      retrieval.word[i] += hits[i] / static_cast<double>(draws);
      retrieval.second[i] += others[i] / static_cast<double>(draws);
    }
  }
  return retrieval;
}

Numbers first_token_numbers(const FirstTokenData& data, const Conditions& conditions) {
  using namespace first_token;
  Numbers numbers;
  Adder adder(numbers, conditions);
  add_fairness(data, adder);
  add_retrieval(kHalves, data.halves, adder);
  add_own_shares(data, adder);
  add_retrieval(kCopies, data.copies, adder);
  add_shares(data, adder);
  add_influence(data, adder);
  if (data.read_elsewhere) {
    numbers.add(NumberBuilder(kReadElsewhere, 1)
                    .null(0, localize("first_token.read.first"))
                    .control(1, localize("first_token.read.elsewhere")));
  }
  return numbers;
}

}  // namespace summand::lab
