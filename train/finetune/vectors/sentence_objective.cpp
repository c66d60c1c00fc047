#include "train/finetune/vectors/sentence_objective.hpp"

#include <c10/core/GradMode.h>

#include "train/finetune/vectors/cosine_loss.hpp"
#include "train/finetune/vectors/distillation_loss.hpp"
#include "train/finetune/vectors/gradient_cache.hpp"
#include "train/finetune/vectors/ranking_groups.hpp"
#include "train/finetune/vectors/ranking_loss.hpp"
#include "train/finetune/vectors/sentence_vectors.hpp"
#include "train/network/autocast.hpp"

namespace summand::train {

namespace {

/// A step's rows in parts that are in memory one at a time.
class Parts {
 public:
  Parts(const SentenceRows& rows, std::span<const size_t> chosen, size_t most_tokens)
      : rows_(rows), chosen_(chosen), ends_(divide_rows(rows, chosen, most_tokens)) {}

  [[nodiscard]] size_t size() const { return ends_.size() - 1; }
  [[nodiscard]] std::span<const size_t> rows(size_t part) const {
    return chosen_.subspan(ends_[part], ends_[part + 1] - ends_[part]);
  }
  [[nodiscard]] model::Batch batch(size_t part) const { return batch_of(rows_, rows(part)); }
  [[nodiscard]] uint64_t tokens() const {
    uint64_t sum = 0;
    for (const size_t row : chosen_) {
      for (size_t which = 0; which < rows_.texts_per_row; ++which) sum += rows_.text(row, which).ids.size();
    }
    return sum;
  }

 private:
  const SentenceRows& rows_;
  std::span<const size_t> chosen_;
  std::vector<size_t> ends_;
};

/// One of the texts of each row.
at::Tensor each_row(const at::Tensor& vectors, size_t texts_per_row, int64_t which) {
  return vectors.view({-1, static_cast<int64_t>(texts_per_row), vectors.size(1)}).select(1, which);
}

/// Dropout of a part is its own, and the same whenever the part is computed.
Dropout dropout_of(const Network& network, uint64_t seed, int64_t step, size_t part) {
  constexpr int kPartBits = 20;
  return {network.config(), seed, (static_cast<uint64_t>(step) << kPartBits) + part};
}

/// Sum over a part's rows of their losses.
at::Tensor row_loss_sum(SentenceLoss loss, const at::Tensor& vectors, const SentenceExamples& examples,
                        std::span<const size_t> rows) {
  if (loss == SentenceLoss::cosine) {
    std::vector<double> labels;
    for (const size_t row : rows) labels.push_back(examples.labels[row]);
    const at::Tensor cosines = row_cosines(each_row(vectors, 2, 0), each_row(vectors, 2, 1));
    return cosine_loss_sum(cosines, at::tensor(labels, cosines.options()));
  }
  std::vector<size_t> of_teacher;
  for (const size_t row : rows) of_teacher.push_back(examples.teacher_rows[row]);
  return distillation_loss_sum(vectors, examples.teacher->rows(of_teacher).to(vectors.options()));
}

}  // namespace

at::Tensor ranking_logits(const at::Tensor& vectors, const SentenceRows& rows, std::span<const size_t> chosen,
                          double scale) {
  const size_t count = rows.texts_per_row;
  at::Tensor candidates = each_row(vectors, count, 1);
  if (count > 2) candidates = at::cat({candidates, each_row(vectors, count, 2)}, 0);
  const at::Tensor masked = false_negatives(row_texts(rows, chosen)).to(vectors.device());
  return ranking_logits(each_row(vectors, count, 0), candidates, masked, scale);
}

at::Tensor SentenceObjective::part_vectors(const Network& network, const model::Batch& batch,
                                           const Dropout* dropout) const {
  Pass pass;
  {
    const Autocast autocast(options_.precision, network.parameters().placement().device.type());
    pass = network.run(batch, dropout);
  }
  return sentence_vectors(options_.modules, network, pass, batch);
}

StepWork SentenceObjective::add_gradients(const Network& network, const SentenceExamples& examples,
                                          std::span<const size_t> chosen, int64_t step) const {
  StepWork work = options_.loss == SentenceLoss::ranking ? add_ranking(network, examples, chosen, step)
                                                         : add_row_losses(network, examples, chosen, step);
  work.sums["rows"] = static_cast<double>(chosen.size());
  work.sums["loss"] = work.loss * static_cast<double>(chosen.size());
  return work;
}

StepWork SentenceObjective::add_ranking(const Network& network, const SentenceExamples& examples,
                                        std::span<const size_t> chosen, int64_t step) const {
  const Parts parts(examples.rows, chosen, options_.batch_tokens);
  StepWork work;
  work.tokens = parts.tokens();
  const auto vectors = [&](size_t part) {
    const Dropout dropout = dropout_of(network, options_.seed, step, part);
    return part_vectors(network, parts.batch(part), &dropout);
  };
  const auto loss = [&](const at::Tensor& all) {
    const at::Tensor logits = ranking_logits(all, examples.rows, chosen, options_.scale);
    const at::Tensor compared = rows_with_wrong_texts(logits.isneginf());
    work.sums["compared"] = compared.sum().item<double>();
    work.sums["right"] = ranked_first(logits).logical_and(compared).sum().item<double>();
    return ranking_loss(logits);
  };
  work.loss = add_cached_gradients(parts.size(), vectors, loss);
  return work;
}

StepWork SentenceObjective::add_row_losses(const Network& network, const SentenceExamples& examples,
                                           std::span<const size_t> chosen, int64_t step) const {
  const Parts parts(examples.rows, chosen, options_.batch_tokens);
  StepWork work;
  work.tokens = parts.tokens();
  for (size_t part = 0; part < parts.size(); ++part) {
    const Dropout dropout = dropout_of(network, options_.seed, step, part);
    const at::Tensor vectors = part_vectors(network, parts.batch(part), &dropout);
    const at::Tensor share =
        row_loss_sum(options_.loss, vectors, examples, parts.rows(part)) / static_cast<double>(chosen.size());
    share.backward();
    work.loss += share.item<double>();
  }
  return work;
}

at::Tensor SentenceObjective::vectors(const Network& network, const SentenceRows& rows,
                                      std::span<const size_t> chosen) const {
  const at::NoGradGuard no_gradients;
  const Parts parts(rows, chosen, options_.batch_tokens);
  std::vector<at::Tensor> of_parts;
  for (size_t part = 0; part < parts.size(); ++part) {
    of_parts.push_back(part_vectors(network, parts.batch(part), nullptr));
  }
  return at::cat(of_parts, 0);
}

}  // namespace summand::train
