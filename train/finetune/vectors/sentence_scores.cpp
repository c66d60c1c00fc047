#include "train/finetune/vectors/sentence_scores.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <string>

#include "base/random_stream.hpp"
#include "train/finetune/vectors/cosine_loss.hpp"
#include "train/finetune/vectors/ranking_groups.hpp"
#include "train/run/ratio.hpp"

namespace summand::train {

namespace {

std::vector<size_t> range(size_t begin, size_t end) {
  std::vector<size_t> rows(end - begin);
  std::iota(rows.begin(), rows.end(), begin);
  return rows;
}

std::vector<double> numbers(const at::Tensor& tensor) {
  const at::Tensor own = tensor.to(at::kDouble).to(at::kCPU).contiguous();
  return {own.const_data_ptr<double>(), own.const_data_ptr<double>() + own.numel()};
}

void judge_ranking(const SentenceObjective& objective, const Network& network, const SentenceExamples& examples,
                   SentenceJudgement& judgement) {
  judgement.comparable = comparable_rows(examples.rows);
  const std::vector<size_t> ends = ranking_groups(examples.rows.rows());
  for (size_t group = 0; group + 1 < ends.size(); ++group) {
    const size_t begin = ends[group];
    const auto chosen = range(begin, ends[group + 1]);
    const at::Tensor vectors = objective.vectors(network, examples.rows, chosen);
    const at::Tensor logits = ranking_logits(vectors, examples.rows, chosen, objective.options().scale);
    const auto losses = numbers(-at::log_softmax(logits, -1).diagonal());
    judgement.losses.insert(judgement.losses.end(), losses.begin(), losses.end());
    for (const double best : numbers(logits.argmax(-1))) {
      const auto candidate = static_cast<size_t>(best);
      judgement.hits.push_back(candidate + begin == judgement.best.size() ? 1 : 0);
      judgement.best.push_back(candidate % chosen.size() + begin);
      judgement.best_is_negative.push_back(candidate >= chosen.size() ? 1 : 0);
    }
  }
}

void judge_cosines(const SentenceObjective& objective, const Network& network, const SentenceExamples& examples,
                   SentenceJudgement& judgement) {
  const at::Tensor pairs =
      objective.vectors(network, examples.rows, range(0, examples.rows.rows())).unflatten(0, {-1, 2});
  judgement.truth = examples.labels;
  judgement.similarities = numbers(row_cosines(pairs.select(1, 0), pairs.select(1, 1)));
  for (size_t row = 0; row < judgement.truth.size(); ++row) {
    const double apart = judgement.similarities[row] - judgement.truth[row];
    judgement.losses.push_back(apart * apart);
  }
}

/// Cosine of each row with the next in an order that no option changes.
std::vector<double> partner_cosines(const at::Tensor& vectors) {
  std::vector<size_t> order = range(0, static_cast<size_t>(vectors.size(0)));
  RandomStream(0, "partners of sentences").shuffle(std::span(order));
  const at::Tensor drawn = vectors.index_select(0, index_tensor(order, {}).to(vectors.device()));
  return numbers(row_cosines(drawn, drawn.roll(1, 0)));
}

void judge_distillation(const SentenceObjective& objective, const Network& network, const SentenceExamples& examples,
                        SentenceJudgement& judgement) {
  const at::Tensor vectors = objective.vectors(network, examples.rows, range(0, examples.rows.rows()));
  const at::Tensor teacher = examples.teacher->rows(examples.teacher_rows).to(vectors.options());
  judgement.losses = numbers((vectors - teacher).square().mean(-1));
  judgement.truth = partner_cosines(teacher);
  judgement.similarities = partner_cosines(vectors);
}

std::vector<double> of_comparable(const std::vector<double>& values, const SentenceJudgement& judgement) {
  std::vector<double> chosen;
  for (size_t row = 0; row < values.size(); ++row) {
    if (judgement.comparable[row] != 0) chosen.push_back(values[row]);
  }
  return chosen;
}

double mean(const std::vector<double>& values, std::span<const size_t> chosen) {
  double sum = 0;
  for (const size_t row : chosen) sum += values[row];
  return ratio(sum, static_cast<double>(chosen.size()));
}

Score mean_loss(const std::vector<double>& losses, const Resampling& resampling) {
  return bootstrap("loss", losses.size(), resampling, [&](auto chosen) { return mean(losses, chosen); });
}

}  // namespace

SentenceJudgement judge(const SentenceObjective& objective, const Network& network, const SentenceExamples& examples) {
  SentenceJudgement judgement;
  switch (objective.options().loss) {
    case SentenceLoss::ranking:
      judge_ranking(objective, network, examples, judgement);
      break;
    case SentenceLoss::cosine:
      judge_cosines(objective, network, examples, judgement);
      break;
    case SentenceLoss::distillation:
      judge_distillation(objective, network, examples, judgement);
      break;
  }
  return judgement;
}

std::vector<Score> sentence_scores(SentenceLoss loss, const SentenceJudgement& judgement,
                                   const Resampling& resampling) {
  if (loss == SentenceLoss::ranking) {
    const std::vector<double> hits = of_comparable(judgement.hits, judgement);
    return {bootstrap_share("accuracy", hits.size(), resampling, [&](auto chosen) { return mean(hits, chosen); }),
            mean_loss(of_comparable(judgement.losses, judgement), resampling)};
  }
  std::vector<Score> scores;
  for (Score& score : number_scores(judgement.truth, judgement.similarities, resampling)) {
    if (score.name != "mean_squared_error") scores.push_back(std::move(score));
  }
  std::ranges::reverse(scores);  // Spearman first
  scores.push_back(mean_loss(judgement.losses, resampling));
  return scores;
}

}  // namespace summand::train
