#include "train/finetune/judging/scores.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "base/random_stream.hpp"
#include "train/run/ratio.hpp"

namespace summand::train {

namespace {

LabelCounts counts_of(std::span<const LabelPair> rows, std::span<const size_t> chosen, size_t labels) {
  LabelCounts counts(labels);
  for (const size_t row : chosen) {
    const LabelPair& pair = rows[row];
    for (size_t i = 0; i < pair.truth.size(); ++i) counts.add(pair.truth[i], pair.predicted[i]);
  }
  return counts;
}

std::vector<double> ranks_of(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2;
    for (size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
  }
  return ranks;
}

/// A label as seqeval splits it.
struct SpanLabel {
  char tag = 'O';
  std::string_view type;
};

SpanLabel span_label(std::string_view name) {
  if (name.size() < 2) return {.tag = name.empty() ? 'O' : name[0], .type = ""};
  return {.tag = name[0], .type = name.substr(2)};
}

bool is_one_of(char tag, std::string_view tags) {
  return tags.find(tag) != std::string_view::npos;
}

bool ends_span(const SpanLabel& before, const SpanLabel& now) {
  if (is_one_of(before.tag, "ES")) return true;
  if (is_one_of(before.tag, "BI") && is_one_of(now.tag, "BSO")) return true;
  return before.tag != 'O' && before.type != now.type;
}

bool begins_span(const SpanLabel& before, const SpanLabel& now) {
  if (is_one_of(now.tag, "BS")) return true;
  if (is_one_of(before.tag, "ESO") && is_one_of(now.tag, "EI")) return true;
  return now.tag != 'O' && before.type != now.type;
}

struct Span {
  std::string_view type;
  size_t begin = 0, end = 0;

  auto operator<=>(const Span&) const = default;
};

/// Sorted.
std::vector<Span> spans_of(std::span<const int32_t> labels, std::span<const std::string> names) {
  std::vector<Span> spans;
  SpanLabel before;
  size_t begin = 0;
  for (size_t i = 0; i <= labels.size(); ++i) {
    const SpanLabel now = i < labels.size() ? span_label(names[static_cast<size_t>(labels[i])]) : SpanLabel{};
    if (ends_span(before, now)) spans.push_back({.type = before.type, .begin = begin, .end = i});
    if (begins_span(before, now)) begin = i;
    before = now;
  }
  std::ranges::sort(spans);
  return spans;
}

/// Source: scikit-learn, average_precision_score: sum over thresholds of precision times the gain in recall
double average_precision(std::span<const size_t> chosen, std::span<const uint8_t> relevant,
                         std::span<const double> scores) {
  std::vector<size_t> order(chosen.begin(), chosen.end());
  std::ranges::sort(order, std::greater(), [&](size_t row) { return scores[row]; });
  double found = 0, sum = 0;
  for (size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    double more = 0;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) more += relevant[order[end]];
    found += more;
    sum += more * found / static_cast<double>(end);
  }
  return ratio(sum, found);
}

/// From 1; nothing if no row is relevant.
std::optional<double> first_relevant_rank(std::span<const size_t> rows, std::span<const uint8_t> relevant,
                                          std::span<const double> scores) {
  std::optional<double> best;
  for (const size_t row : rows) {
    if (relevant[row] != 0) best = std::max(best.value_or(scores[row]), scores[row]);
  }
  if (!best) return std::nullopt;
  const auto before =
      std::ranges::count_if(rows, [&](size_t row) { return relevant[row] == 0 && scores[row] >= *best; });
  return static_cast<double>(before + 1);
}

constexpr double kTail = 0.025;  // of resamplings, on each side of an interval

void set_interval(Score& score, std::vector<double> draws) {
  score.draws = draws;
  std::ranges::sort(draws);
  const auto tail = static_cast<size_t>(kTail * static_cast<double>(draws.size()));
  score.low = draws[tail];
  score.high = draws[draws.size() - 1 - tail];
}

}  // namespace

const Score* score_named(std::span<const Score> scores, std::string_view name) {
  const auto found = std::ranges::find(scores, name, &Score::name);
  return found == scores.end() ? nullptr : &*found;
}

LabelCounts::LabelCounts(size_t labels) : truth(labels), predicted(labels), right(labels) {}

void LabelCounts::add(int32_t true_label, int32_t predicted_label, double times) {
  truth[static_cast<size_t>(true_label)] += times;
  predicted[static_cast<size_t>(predicted_label)] += times;
  if (true_label == predicted_label) right[static_cast<size_t>(true_label)] += times;
  all += times;
}

double accuracy(const LabelCounts& counts) {
  return ratio(std::accumulate(counts.right.begin(), counts.right.end(), 0.0), counts.all);
}

double macro_f1(const LabelCounts& counts) {
  double sum = 0, labels = 0;
  for (size_t label = 0; label < counts.right.size(); ++label) {
    const double either = counts.truth[label] + counts.predicted[label];
    if (either == 0) continue;
    sum += 2 * counts.right[label] / either;
    ++labels;
  }
  return ratio(sum, labels);
}

double matthews(const LabelCounts& counts) {
  double right = 0, products = 0, truths = 0, predictions = 0;
  for (size_t label = 0; label < counts.right.size(); ++label) {
    right += counts.right[label];
    products += counts.truth[label] * counts.predicted[label];
    truths += counts.truth[label] * counts.truth[label];
    predictions += counts.predicted[label] * counts.predicted[label];
  }
  const double squares = counts.all * counts.all;
  return ratio(right * counts.all - products, std::sqrt((squares - predictions) * (squares - truths)));
}

double pearson(std::span<const double> left, std::span<const double> right) {
  const auto mean = [](std::span<const double> values) {
    return ratio(std::accumulate(values.begin(), values.end(), 0.0), static_cast<double>(values.size()));
  };
  const double left_mean = mean(left), right_mean = mean(right);
  double product = 0, left_squares = 0, right_squares = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    const double l = left[i] - left_mean, r = right[i] - right_mean;
    product += l * r;
    left_squares += l * l;
    right_squares += r * r;
  }
  return ratio(product, std::sqrt(left_squares * right_squares));
}

double spearman(std::span<const double> left, std::span<const double> right) {
  return pearson(ranks_of(left), ranks_of(right));
}

bool name_spans(std::span<const std::string> names) {
  return std::ranges::all_of(names, [](std::string_view name) {
    return name == "O" || (name.size() > 2 && name[1] == '-' && is_one_of(name[0], "BIES"));
  });
}

SpanCounts count_spans(std::span<const int32_t> truth, std::span<const int32_t> predicted,
                       std::span<const std::string> names) {
  const auto right = spans_of(truth, names), found = spans_of(predicted, names);
  std::vector<Span> both;
  std::ranges::set_intersection(right, found, std::back_inserter(both));
  return {.truth = right.size(), .predicted = found.size(), .both = both.size()};
}

double span_f1(const SpanCounts& counts) {
  return ratio(2 * static_cast<double>(counts.both), static_cast<double>(counts.truth + counts.predicted));
}

Score bootstrap(std::string name, size_t rows, const Resampling& resampling,
                const std::function<double(std::span<const size_t>)>& statistic) {
  std::vector<size_t> chosen(rows);
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  const double value = statistic(chosen);
  Score score{.name = std::move(name), .value = value, .low = value, .high = value};
  if (rows == 0 || resampling.count == 0) return score;
  RandomStream stream(resampling.seed, "bootstrap");  // of the same rows for every score
  std::vector<double> values(resampling.count);
  for (double& one : values) {
    for (size_t& row : chosen) row = stream.below(rows);
    one = statistic(chosen);
  }
  set_interval(score, std::move(values));
  return score;
}

Score bootstrap_share(std::string name, size_t rows, const Resampling& resampling,
                      const std::function<double(std::span<const size_t>)>& statistic) {
  Score score = bootstrap(std::move(name), rows, resampling, statistic);
  if (score.draws.empty()) return score;
  const double bound = std::pow(kTail, 1 / static_cast<double>(rows));
  if (score.value >= 1) score.low = std::min(score.low, bound);
  if (score.value <= 0) score.high = std::max(score.high, 1 - bound);
  return score;
}

Score difference(const Score& one, const Score& other) {
  Score result{.name = one.name, .value = one.value - other.value};
  result.low = result.high = result.value;
  std::vector<double> draws(std::min(one.draws.size(), other.draws.size()));
  for (size_t i = 0; i < draws.size(); ++i) draws[i] = one.draws[i] - other.draws[i];
  if (!draws.empty()) set_interval(result, std::move(draws));
  return result;
}

std::vector<Score> label_scores(std::span<const LabelPair> rows, std::span<const std::string> names,
                                const Resampling& resampling) {
  std::vector<Score> scores;
  const auto of_counts = [&](const char* name, double (*statistic)(const LabelCounts&)) {
    const auto drawn = statistic == accuracy ? bootstrap_share : bootstrap;
    scores.push_back(drawn(name, rows.size(), resampling, [&](std::span<const size_t> chosen) {
      return statistic(counts_of(rows, chosen, names.size()));
    }));
  };
  of_counts("accuracy", accuracy);
  of_counts("macro_f1", macro_f1);
  of_counts("matthews", matthews);
  if (!name_spans(names)) return scores;
  std::vector<SpanCounts> counts;
  for (const LabelPair& row : rows) counts.push_back(count_spans(row.truth, row.predicted, names));
  scores.push_back(bootstrap("span_f1", rows.size(), resampling, [&](std::span<const size_t> chosen) {
    SpanCounts sum;
    for (const size_t row : chosen) {
      sum.truth += counts[row].truth;
      sum.predicted += counts[row].predicted;
      sum.both += counts[row].both;
    }
    return span_f1(sum);
  }));
  return scores;
}

std::vector<Score> several_label_scores(const Matrix<uint8_t>& truth, const Matrix<uint8_t>& predicted,
                                        const Resampling& resampling) {
  const size_t labels = truth.columns();
  const auto f1 = [](double both, double either) { return ratio(2 * both, either); };
  std::vector<Score> scores;
  scores.push_back(bootstrap_share("accuracy", truth.rows(), resampling, [&](std::span<const size_t> chosen) {
    double right = 0;
    for (const size_t row : chosen) right += std::ranges::equal(truth.row(row), predicted.row(row)) ? 1 : 0;
    return ratio(right, static_cast<double>(chosen.size()));
  }));
  const auto counted = [&](std::span<const size_t> chosen) {
    std::vector<std::pair<double, double>> counts(labels);  // in both, and in one and the other
    for (const size_t row : chosen) {
      for (size_t label = 0; label < labels; ++label) {
        counts[label].first += truth(row, label) & predicted(row, label);
        counts[label].second += truth(row, label) + predicted(row, label);
      }
    }
    return counts;
  };
  scores.push_back(bootstrap("micro_f1", truth.rows(), resampling, [&](std::span<const size_t> chosen) {
    double both = 0, either = 0;
    for (const auto& [in_both, in_either] : counted(chosen)) {
      both += in_both;
      either += in_either;
    }
    return f1(both, either);
  }));
  scores.push_back(bootstrap("macro_f1", truth.rows(), resampling, [&](std::span<const size_t> chosen) {
    double sum = 0, occurring = 0;
    for (const auto& [both, either] : counted(chosen)) {
      if (either == 0) continue;
      sum += f1(both, either);
      ++occurring;
    }
    return ratio(sum, occurring);
  }));
  return scores;
}

std::vector<Score> number_scores(std::span<const double> truth, std::span<const double> predicted,
                                 const Resampling& resampling) {
  const auto of_numbers = [&](const char* name, const auto& statistic) {
    return bootstrap(name, truth.size(), resampling, [&](std::span<const size_t> chosen) {
      std::vector<double> left, right;
      for (const size_t row : chosen) {
        left.push_back(truth[row]);
        right.push_back(predicted[row]);
      }
      return statistic(left, right);
    });
  };
  return {of_numbers("pearson", pearson), of_numbers("spearman", spearman),
          of_numbers("mean_squared_error", [](const std::vector<double>& left, const std::vector<double>& right) {
            double sum = 0;
            for (size_t i = 0; i < left.size(); ++i) sum += (left[i] - right[i]) * (left[i] - right[i]);
            return ratio(sum, static_cast<double>(left.size()));
          })};
}

std::vector<Score> ranking_scores(std::span<const size_t> queries, std::span<const uint8_t> relevant,
                                  std::span<const double> scores, const Resampling& resampling) {
  std::map<size_t, std::vector<size_t>> by_query;
  for (size_t row = 0; row < queries.size(); ++row) by_query[queries[row]].push_back(row);
  std::vector<double> reciprocal_ranks;
  for (const auto& [query, rows] : by_query) {
    if (const auto rank = first_relevant_rank(rows, relevant, scores)) reciprocal_ranks.push_back(1 / *rank);
  }
  return {bootstrap("average_precision", scores.size(), resampling,
                    [&](std::span<const size_t> chosen) { return average_precision(chosen, relevant, scores); }),
          bootstrap("mean_reciprocal_rank", reciprocal_ranks.size(), resampling, [&](std::span<const size_t> chosen) {
            double sum = 0;
            for (const size_t query : chosen) sum += reciprocal_ranks[query];
            return ratio(sum, static_cast<double>(chosen.size()));
          })};
}

}  // namespace summand::train
