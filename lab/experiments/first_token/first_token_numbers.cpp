#include "lab/experiments/first_token/first_token_numbers.hpp"

#include <cmath>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <utility>

#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

using Eigen::Index;

namespace {

constexpr double kDifferenceRounding = 1e-12;  // of differences that cancel

using Values = std::vector<double>;  // [texts]

struct Named {
  Values values;
  Words of;
};

/// Adds means over texts, with intervals.
class Adder {
 public:
  Adder(Numbers& numbers, const Conditions& conditions) : numbers_(numbers), conditions_(conditions) {}

  void level(const std::string& name, const Words& label, const Values& own, const Named& null, const Named& control) {
    numbers_.add(Measured(name, label, mean(own))
                     .interval(interval(own))
                     .null(mean(null.values), null.of)
                     .control(mean(control.values), control.of));
  }
  /// own = a − b; null and control are differences already.
  void difference(const std::string& name, const Words& label, const Values& own, const Named& null,
                  const Named& control) {
    numbers_.add(Measured(name, label, mean(own))
                     .interval(interval(own))
                     .null(mean(null.values), null.of, interval(null.values))
                     .control(mean(control.values), control.of, interval(control.values)));
  }

 private:
  Interval interval(const Values& values) const {
    return bootstrap(values.size(),
                     [&](std::span<const size_t> chosen) {
                       double sum = 0;
                       for (const size_t i : chosen) sum += values[i];
                       return std::abs(sum) < kDifferenceRounding ? 0 : sum / static_cast<double>(chosen.size());
                     },
                     {.seed = conditions_.seed,
                      .name = "first token: texts",
                      .count = conditions_.quick ? 200U : 1000U,
                      .threads = threads_of(conditions_)});
  }

  Numbers& numbers_;
  const Conditions& conditions_;
};

Values less(const Values& a, const Values& b) {
  Values differences(a.size());
  for (size_t i = 0; i < a.size(); ++i) differences[i] = a[i] - b[i];
  return differences;
}

template <class Item, class Of>
Values each(const std::vector<Item>& items, const Of& of) {
  Values values;
  for (const Item& item : items) values.push_back(std::invoke(of, item));
  return values;
}

const Words kWordInPlace{"an ordinary word in [CLS]'s place", "让一个普通词充当 [CLS]"};
const Words kEven{"equal shares of all words", "所有词份额相等"};
const Words kAlone{"one word alone", "只有一个词"};

void add_fairness(const FirstTokenData& data, Adder& adder) {
  const auto shares = [&](const char* name, const Words& how, const std::vector<ShareSummary>& of) {
    const Values word = each(of, &ShareSummary::word_gini);
    adder.difference(
        std::string(name) + "_fairer",
        {"ordinary words' Gini coefficient less [CLS]'s: " + how.en, "普通词的基尼系数减 [CLS] 的：" + how.zh},
        less(word, each(of, &ShareSummary::first_gini)), {less(word, each(of, &ShareSummary::one_gini)), kWordInPlace},
        {less(word, each(data.even, &ShareSummary::first_gini)), kEven});
  };
  shares("norms", {"norm-weighted shares", "范数加权份额"}, data.norms);
  const Values drawn = each(data.influence, [](const WordInfluence& one) { return gini(one.drawn); });
  const Values first = each(data.influence, [](const WordInfluence& one) { return gini(one.first); });
  const Values second = each(data.influence, [](const WordInfluence& one) { return gini(one.second); });
  adder.difference("influence_fairer",
                   {"ordinary words' Gini coefficient less [CLS]'s: influence", "普通词的基尼系数减 [CLS] 的：影响"},
                   less(drawn, first), {less(drawn, second), kWordInPlace}, {drawn, kEven});
  shares("rollout", {"rollout", "注意力展开"}, data.rollout);
}

void add_retrieval(const std::string& test, const Words& how, const Retrieval& retrieval, Adder& adder) {
  const Named chance{retrieval.chance, {"texts paired at random", "文本随机配对"}};
  const Named itself{retrieval.itself, {"the same text twice", "同一文本出现两次"}};
  const auto one = [&](const char* name, const Words& by, const Values& values) {
    adder.level(test + "_" + name, {how.en + " found by " + by.en, "由" + by.zh + "找到" + how.zh}, values, chance,
                itself);
  };
  adder.difference(test + "_first_over_word",
                   {how.en + " found by [CLS] less those by a word", "由 [CLS] 找到" + how.zh + "的比例减去由普通词"},
                   less(retrieval.first, retrieval.word), {less(retrieval.second, retrieval.word), kWordInPlace},
                   {less(retrieval.mean, retrieval.word), {"the mean of all words", "所有词的均值"}});
  adder.difference(test + "_mean_over_first",
                   {how.en + " found by the mean less those by [CLS]", "由均值找到" + how.zh + "的比例减去由 [CLS]"},
                   less(retrieval.mean, retrieval.first), {less(retrieval.word, retrieval.first), {"a word", "普通词"}},
                   {less(retrieval.itself, retrieval.first), itself.of});
  one("first", {"[CLS]", " [CLS] "}, retrieval.first);
  one("word", {"an ordinary word", "普通词"}, retrieval.word);
  one("mean", {"the mean of all words", "所有词的均值"}, retrieval.mean);
  if (!retrieval.pooled.empty()) one("pooled", {"the pooled output", "池化输出"}, retrieval.pooled);
}

void add_shares(const FirstTokenData& data, Adder& adder) {
  const auto all = [&](const std::string& name, const Words& how, const std::vector<ShareSummary>& of) {
    const auto one = [&](const char* what, const Words& label, double ShareSummary::*member) {
      adder.level(name + "_" + what, {label.en + ", " + how.en, label.zh + "，" + how.zh}, each(of, member),
                  {each(data.alone, member), kAlone}, {each(data.even, member), kEven});
    };
    one("first_gini", {"Gini coefficient of words' shares in [CLS]", "各词在 [CLS] 中份额的基尼系数"},
        &ShareSummary::first_gini);
    one("word_gini", {"Gini coefficient of words' shares in a word", "各词在普通词中份额的基尼系数"},
        &ShareSummary::word_gini);
    one("mean_gini", {"Gini coefficient of words' shares in the mean", "各词在均值中份额的基尼系数"},
        &ShareSummary::mean_gini);
    one("first_own", {"[CLS]'s own share in its last vector", "[CLS] 在自身末层向量中的份额"},
        &ShareSummary::first_own);
    one("word_own", {"a word's own share in its last vector", "普通词在自身末层向量中的份额"}, &ShareSummary::word_own);
    one("first_words", {"all words' share in [CLS]'s last vector", "所有词在 [CLS] 末层向量中的份额"},
        &ShareSummary::first_words);
  };
  all("norms", {"norm-weighted", "范数加权"}, data.norms);
  all("rollout", {"rollout", "注意力展开"}, data.rollout);
}

void add_influence(const FirstTokenData& data, Adder& adder) {
  Values alone;
  Values even;
  for (const auto& text : data.influence) {
    Values one(text.first.size(), 0);
    one.front() = 1;
    alone.push_back(gini(one));
    even.push_back(gini(Values(text.first.size(), 1)));
  }
  const auto level = [&](const char* name, const Words& label, Values WordInfluence::*member) {
    adder.level(name, label, each(data.influence, [&](const WordInfluence& one) { return gini(one.*member); }),
                {alone, kAlone}, {even, kEven});
  };
  level("influence_first_gini", {"Gini coefficient of words' influence on [CLS]", "各词对 [CLS] 影响的基尼系数"},
        &WordInfluence::first);
  level("influence_word_gini", {"Gini coefficient of words' influence on a word", "各词对普通词影响的基尼系数"},
        &WordInfluence::drawn);
  level("influence_mean_gini", {"Gini coefficient of words' influence on the mean", "各词对均值影响的基尼系数"},
        &WordInfluence::mean);
}

Table in_random_order(const Table& table, RandomStream& stream) {
  std::vector<Index> order(static_cast<size_t>(table.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  stream.shuffle(std::span(order));
  return table(order, Eigen::all);
}

}  // namespace

Retrieval retrieval_of(const Readouts& one, const Readouts& other, RandomStream& stream) {
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
  Numbers numbers;
  Adder adder(numbers, conditions);
  add_fairness(data, adder);
  add_retrieval("halves", {"other halves", "另一半"}, data.halves, adder);
  add_retrieval("copies", {"copies without 15 % of the words", "删去 15% 词的副本"}, data.copies, adder);
  add_shares(data, adder);
  add_influence(data, adder);
  return numbers;
}

}  // namespace summand::lab
