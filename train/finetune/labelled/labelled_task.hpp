#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/finetune/finetune_options.hpp"
#include "train/finetune/finetuning_task.hpp"
#include "train/finetune/judging/judge.hpp"
#include "train/finetune/labelled/labelled_data.hpp"
#include "train/finetune/labelled/row_loss.hpp"
#include "train/finetune/row_order.hpp"
#include "train/network/dropout.hpp"

namespace summand::train {

/// Rows with labels or numbers, by a head on the pooled output or on every token: Devlin et al. 2019, section 4.
class LabelledTask : public FinetuningTask {
 public:
  explicit LabelledTask(const TaskInputs& inputs);

  [[nodiscard]] InitialModel initial_model() const override { return model_; }
  [[nodiscard]] size_t train_rows() const override { return data_.train.size(); }
  [[nodiscard]] nlohmann::ordered_json data() const override;
  [[nodiscard]] std::vector<std::string> notices() const override { return data_.notices; }
  [[nodiscard]] std::string metric() const override { return metric_; }
  [[nodiscard]] bool has(Portion portion) const override { return rows_of(portion) != nullptr; }
  [[nodiscard]] Evaluation evaluate(const Network& network, Portion portion) const override;
  [[nodiscard]] std::vector<std::string> add_baselines(const Network& network,
                                                       std::map<Portion, Evaluation>& evaluations) const override;

  StepWork accumulate_gradients(const Network& network, int64_t step, const Share& share) override;
  [[nodiscard]] Validation validate(const Network& network) const override;
  [[nodiscard]] bool higher_is_better() const override { return is_better_when_higher(metric_); }
  [[nodiscard]] nlohmann::ordered_json numbers(const Sums& sums) const override;
  [[nodiscard]] uint64_t epoch() const override { return order_.place().epoch; }
  [[nodiscard]] nlohmann::ordered_json state() const override;
  void restore(const nlohmann::json& state) override;

 private:
  /// The logits of a forward pass, [rows or their tokens, labels], and the sum of its losses.
  struct Output {
    at::Tensor logits;
    at::Tensor loss = {};  ///< undefined without truth
  };
  /// Of a step's part: what each window reads, and the transformer over them.
  struct PartDropout {
    Dropout network, over_windows;
  };
  /// @param dropout  null: none
  [[nodiscard]] Output output(const Network& network, const LabelledRows& rows, const std::vector<size_t>& chosen,
                              Truth truth, const PartDropout* dropout = nullptr) const;
  [[nodiscard]] at::Tensor logits(const Network& network, std::span<const EncodedRow> rows,
                                  const std::vector<size_t>& chosen, const PartDropout* dropout) const;
  /// The logits of all rows, and their mean loss.
  struct Outputs {
    RowLogits logits;
    double loss = 0;
  };
  [[nodiscard]] Outputs outputs(const Network& network, const LabelledRows& rows, Truth truth) const;
  [[nodiscard]] Evaluation judge(const LabelledRows& rows, const RowLogits& logits, Truth truth,
                                 const Resampling& resampling) const;
  [[nodiscard]] const LabelledRows* rows_of(Portion portion) const;
  [[nodiscard]] std::span<const std::string> names() const;

  FinetuneOptions options_;
  LabelledData data_;
  InitialModel model_;
  model::Head head_;
  std::string metric_;
  RowLoss loss_;
  RowOrder order_;
};

}  // namespace summand::train
