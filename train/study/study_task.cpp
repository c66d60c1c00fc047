#include "train/study/study_task.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "train/network/dropout.hpp"
#include "train/pretrain/objective.hpp"
#include "train/run/ratio.hpp"
#include "train/study/position_readout.hpp"

namespace summand::train {

namespace {

/// Mean cross-entropy of the labels. @return the sum over the batch
double add_label_gradients(const Network& network, const MaskedBatch& batch, const Dropout& dropout) {
  const Pass pass = network.run(batch.batch, &dropout, batch.predicted);
  const at::Tensor logits = network.logits(model::Head::token_classification, pass, {}, &dropout);
  const at::Tensor targets = index_tensor(std::span<const int32_t>(batch.targets), network.parameters().placement());
  const at::Tensor sum = at::cross_entropy_loss(logits.to(at::kFloat), targets, {}, at::Reduction::Sum);
  (sum / static_cast<double>(batch.predicted.size())).backward();
  return sum.item<double>();
}

}  // namespace

StudyTask::StudyTask(const Task& task, const StudyEvaluation& evaluation, const Reading& reading,
                     size_t batch_sequences, std::optional<size_t> masked)
    : task_(task), evaluation_(evaluation), reading_(reading), batch_sequences_(batch_sequences), masked_(masked) {}

StepWork StudyTask::accumulate_gradients(const Network& network, int64_t step, const Share&) {
  const auto first = static_cast<uint64_t>(step - 1) * batch_sequences_;
  std::vector<TaskSequence> sequences;
  for (uint64_t index = first; index < first + batch_sequences_; ++index) {
    sequences.push_back(task_.draw(DataPart::training, index, masked_));
  }
  const MaskedBatch batch = study_batch(task_, sequences, reading_, ~first);
  const Dropout dropout(network.config(), task_.seed(), static_cast<uint64_t>(step));
  double loss = 0;
  if (task_.masks()) {
    loss = train::accumulate_gradients(network, batch, {.predicted = batch.predicted.size()}, &dropout, Precision::fp32)
               .masked_loss;
  } else {
    loss = add_label_gradients(network, batch, dropout);
  }
  const auto asked = static_cast<double>(batch.predicted.size());
  return {.sums = {{"loss", loss}, {"asked", asked}}, .loss = loss / asked, .tokens = batch.batch.tokens()};
}

Validation StudyTask::validate(const Network& network) const {
  const double excess = evaluation_.excess_of(network), gap = evaluation_.gap();
  nlohmann::ordered_json numbers{{"loss", excess}, {"excess", excess}, {"gap", gap}};
  if (const auto share = distance_share(network)) numbers["distance_share"] = *share;
  if (const auto share = circle_share(network)) numbers["circle_share"] = *share;
  return {.score = excess,
          .loss = excess,
          .numbers = numbers.dump(),
          .text = fmt::format("excess {:.5f} nats, {:.2f} % of the gap closed", excess, 100 * (1 - excess / gap)),
          .warning = ""};
}

nlohmann::ordered_json StudyTask::numbers(const Sums& sums) const {
  return {{"loss", ratio(sums.at("loss"), sums.at("asked"))}, {"asked", sums.at("asked")}};
}

nlohmann::ordered_json StudyTask::state() const {
  return nlohmann::ordered_json::object();  // the step says which sequences come next
}

}  // namespace summand::train
