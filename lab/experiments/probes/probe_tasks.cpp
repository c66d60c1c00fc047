#include "lab/experiments/probes/probe_tasks.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr double kHeldOut = 0.3;    // of the items
constexpr double kConstant = 1e-9;  // a column's deviation: nothing to read
constexpr double kNever = 1e300;    // below every score: a class that training did not have

/// Which items are held out.
std::vector<bool> held_out(size_t items, RandomStream& stream) {
  std::vector<size_t> order(items);
  std::iota(order.begin(), order.end(), size_t{0});
  stream.shuffle(std::span(order));
  std::vector<bool> held(items, false);
  const auto count = std::max<size_t>(1, static_cast<size_t>(kHeldOut * static_cast<double>(items)));
  for (size_t i = 0; i < count; ++i) held[order[i]] = true;
  return held;
}

ProbeTask split(std::vector<int32_t> labels, size_t classes, const std::vector<size_t>& item_of,
                const std::vector<bool>& held) {
  ProbeTask task{.train = {}, .test = {}, .labels = std::move(labels), .classes = classes};
  for (size_t row = 0; row < task.labels.size(); ++row) {
    if (task.labels[row] < 0) continue;
    (held[item_of[row]] ? task.test : task.train).push_back(static_cast<Index>(row));
  }
  return task;
}

/// [CLS] and [SEP] stand at places of their own: nothing is asked of them.
std::vector<int32_t> without_special(std::vector<int32_t> labels, const std::vector<bool>& special) {
  for (size_t i = 0; i < labels.size(); ++i) {
    if (special[i]) labels[i] = -1;
  }
  return labels;
}

/// Token numbers as they occur: the most frequent ones get a class, others −1.
std::vector<int32_t> token_classes(const ProbeTexts& texts, size_t& classes) {
  const auto& ids = texts.batch.ids;
  std::map<int32_t, size_t> counts;
  for (size_t i = 0; i < ids.size(); ++i) counts[ids[i]] += texts.special[i] ? 0 : 1;
  std::vector<std::pair<size_t, int32_t>> ranked;
  for (const auto& [id, count] : counts) {
    if (count > 0) ranked.emplace_back(count, -id);
  }
  std::ranges::sort(ranked, std::greater<>());
  classes = std::min(probes::kMostTokens, ranked.size());
  std::map<int32_t, int32_t> class_of;
  for (size_t i = 0; i < classes; ++i) class_of[-ranked[i].second] = static_cast<int32_t>(i);
  std::vector<int32_t> labels;
  for (const int32_t id : ids) labels.push_back(class_of.contains(id) ? class_of.at(id) : -1);
  return without_special(std::move(labels), texts.special);
}

/// A class for every item, at random: what only learning items by heart can tell. Source: Hewitt & Liang 2019
std::vector<int32_t> dealt(const std::vector<size_t>& item_of, size_t items, size_t classes, RandomStream& stream) {
  std::vector<int32_t> of_item(items);
  for (auto& one : of_item) one = static_cast<int32_t>(stream.below(classes));
  std::vector<int32_t> labels;
  for (const size_t item : item_of) labels.push_back(of_item[item]);
  return labels;
}

}  // namespace

ProbeTexts probe_texts(const Subject& subject, size_t texts, size_t length, RandomStream& stream) {
  const auto& sentences = subject.corpus.sentences;
  const auto longest = std::ranges::max_element(sentences, {}, [](const auto& one) { return one.ids.size(); });
  const int32_t first = longest->ids.front();
  const int32_t last = longest->ids.back();
  const bool two_segments = subject.segments.rows() > 1 && subject.model->config().type_vocab_size > 1;
  std::vector<size_t> order(sentences.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<int32_t> pool;
  ProbeTexts made;
  for (size_t text = 0; text < texts; ++text) {
    while (pool.size() < length) {
      stream.shuffle(std::span(order));
      for (const size_t i : order) {
        for (size_t t = 0; t < sentences[i].ids.size(); ++t) {
          if (!sentences[i].special[t]) pool.push_back(sentences[i].ids[t]);
        }
      }
    }
    // [CLS] A [SEP] B [SEP], A of a random length.
    const size_t boundary = length / 4 + stream.below(length / 2);
    std::vector<int32_t> ids{first};
    std::vector<int32_t> segments{0};
    made.special.push_back(true);
    while (ids.size() < length) {
      const bool is_end = ids.size() == boundary || ids.size() + 1 == length;
      segments.push_back(two_segments && ids.size() > boundary ? 1 : 0);
      made.special.push_back(is_end);
      ids.push_back(is_end ? last : pool.back());
      if (!is_end) pool.pop_back();
    }
    made.batch.add(ids, segments);
    made.text.insert(made.text.end(), length, text);
  }
  return made;
}

ProbeTasks probe_tasks(const ProbeTexts& texts, size_t length, const Conditions& conditions) {
  RandomStream stream(conditions.seed, "probes: splits");
  std::map<int32_t, size_t> number_of;
  std::vector<size_t> type;
  std::vector<size_t> place;
  for (size_t i = 0; i < texts.batch.ids.size(); ++i) {
    type.push_back(number_of.try_emplace(texts.batch.ids[i], number_of.size()).first->second);
    place.push_back(static_cast<size_t>(texts.batch.positions[i]));
  }
  const size_t types = number_of.size();
  const auto new_types = held_out(types, stream);
  const auto new_places = held_out(length, stream);
  const auto new_texts = held_out(texts.batch.texts(), stream);
  size_t token_count = 0;
  auto token_labels = token_classes(texts, token_count);
  ProbeTasks tasks;
  tasks.probes[token] = split(std::move(token_labels), token_count, place, new_places);
  tasks.probes[position] = split(without_special(texts.batch.positions, texts.special), length, type, new_types);
  tasks.probes[segment] = split(without_special(texts.batch.segments, texts.special), 2, type, new_types);
  tasks.controls[token] = split(dealt(place, length, token_count, stream), token_count, texts.text, new_texts);
  tasks.controls[position] = split(dealt(type, types, length, stream), length, texts.text, new_texts);
  tasks.controls[segment] = split(dealt(type, types, 2, stream), 2, texts.text, new_texts);
  return tasks;
}

std::vector<bool> probe(const Table& features, const ProbeTask& task) {
  const auto label = [&](Index row) { return task.labels[static_cast<size_t>(row)]; };
  const auto classes = static_cast<Index>(task.classes);
  Table x = features(task.train, Eigen::all);
  const Vector centre = column_means(x);
  const Vector scales = column_deviations(x).unaryExpr([](double d) { return d > kConstant ? 1 / d : 0; });
  x = (x.rowwise() - centre.transpose()) * scales.asDiagonal();
  Table means = Table::Zero(classes, x.cols());
  Vector counts = Vector::Zero(classes);
  for (Index i = 0; i < x.rows(); ++i) {
    const Index own = label(task.train[static_cast<size_t>(i)]);
    means.row(own) += x.row(i);
    ++counts(own);
  }
  means = counts.cwiseMax(1).cwiseInverse().asDiagonal() * means;
  for (Index i = 0; i < x.rows(); ++i) x.row(i) -= means.row(label(task.train[static_cast<size_t>(i)]));
  Eigen::MatrixXd within =
      Eigen::MatrixXd::Identity(x.cols(), x.cols()) * probes::kPenalty * static_cast<double>(x.rows());
  within.selfadjointView<Eigen::Lower>().rankUpdate(x.transpose());
  const Eigen::MatrixXd weights =
      Eigen::LLT<Eigen::MatrixXd>(within / static_cast<double>(x.rows())).solve(means.transpose());
  Vector offsets = -0.5 * means.cwiseProduct(weights.transpose()).rowwise().sum();
  for (Index k = 0; k < classes; ++k) offsets(k) = counts(k) > 0 ? offsets(k) + std::log(counts(k)) : -kNever;

  const Table unseen = (features(task.test, Eigen::all).rowwise() - centre.transpose()) * scales.asDiagonal();
  const Table scores = (unseen * weights).rowwise() + offsets.transpose();
  std::vector<bool> right;
  for (Index i = 0; i < scores.rows(); ++i) {
    Index best = 0;
    scores.row(i).maxCoeff(&best);
    right.push_back(best == label(task.test[static_cast<size_t>(i)]));
  }
  return right;
}

double rate_of(const std::vector<bool>& right) {
  return right.empty() ? 0 : static_cast<double>(std::ranges::count(right, true)) / static_cast<double>(right.size());
}

double majority(const ProbeTask& task) {
  std::vector<size_t> counts(task.classes, 0);
  for (const Index row : task.train) ++counts[static_cast<size_t>(task.labels[static_cast<size_t>(row)])];
  const auto most = static_cast<int32_t>(std::ranges::max_element(counts) - counts.begin());
  size_t met = 0;
  for (const Index row : task.test) met += task.labels[static_cast<size_t>(row)] == most ? 1 : 0;
  return task.test.empty() ? 0 : static_cast<double>(met) / static_cast<double>(task.test.size());
}

}  // namespace summand::lab
