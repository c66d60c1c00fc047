#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "train/finetune/finetune_options.hpp"
#include "train/finetune/finetuning_task.hpp"
#include "train/finetune/row_order.hpp"
#include "train/finetune/vectors/embed_data.hpp"
#include "train/finetune/vectors/sentence_objective.hpp"

namespace summand::train {

/// Sentence vectors: pairs that belong together, pairs with a similarity, or a teacher's vectors.
class EmbedTask : public FinetuningTask {
 public:
  explicit EmbedTask(const TaskInputs& inputs);

  StepWork accumulate_gradients(const Network& network, int64_t step, const Share& share) override;
  [[nodiscard]] Validation validate(const Network& network) const override;
  [[nodiscard]] bool higher_is_better() const override { return is_better_when_higher(metric_); }
  [[nodiscard]] nlohmann::ordered_json numbers(const Sums& sums) const override;
  [[nodiscard]] uint64_t epoch() const override { return order_->place().epoch; }
  [[nodiscard]] nlohmann::ordered_json state() const override;
  void restore(const nlohmann::json& state) override;

  [[nodiscard]] InitialModel initial_model() const override { return initial_; }
  [[nodiscard]] size_t train_rows() const override { return data_.train.size(); }
  [[nodiscard]] nlohmann::ordered_json data() const override;
  [[nodiscard]] std::vector<std::string> notices() const override { return data_.notices; }
  [[nodiscard]] std::string metric() const override { return metric_; }
  [[nodiscard]] bool has(Portion portion) const override;
  [[nodiscard]] Evaluation evaluate(const Network& network, Portion portion) const override;
  [[nodiscard]] std::vector<std::string> add_baselines(const Network& network,
                                                       std::map<Portion, Evaluation>& evaluations) const override;
  [[nodiscard]] TokenizerContents more_files() const override;

 private:
  [[nodiscard]] const EmbedRows& rows(Portion portion) const;

  FinetuneOptions options_;
  EmbedData data_;
  std::unique_ptr<const SentenceObjective> objective_;  // when the data's loss and width are known
  InitialModel initial_;
  model::Pooler pooler_ = model::Pooler::absent;  // the checkpoint's
  std::string metric_;
  std::unique_ptr<RowOrder> order_;
};

/// Reads and encodes a run's rows; writes nothing.
/// @param inputs  copied as far as needed
/// @throws Error naming the file and the line, or the option
[[nodiscard]] std::unique_ptr<FinetuningTask> make_embed_task(const TaskInputs& inputs);

}  // namespace summand::train
