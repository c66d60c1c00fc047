#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "train/data/masked_batch.hpp"
#include "train/pretrain/objective.hpp"
#include "train/pretrain/pretrain_options.hpp"
#include "train/run/learning_task.hpp"

namespace summand::train {

/// Masked tokens, and pairs of texts: Devlin et al. 2019, section 3.1.
class PretrainingTask : public LearningTask {
 public:
  /// @param config  of the network
  /// @param file, ids  outlive this object
  PretrainingTask(const model::Config& config, const TokenFile& file, const SpecialIds& ids,
                  const PretrainOptions& options, std::vector<MaskedBatch> validation = {});

  StepWork accumulate_gradients(const Network& network, int64_t step, const Share& share) override;
  [[nodiscard]] Validation validate(const Network& network) const override;
  [[nodiscard]] nlohmann::ordered_json numbers(const Sums& sums) const override;
  [[nodiscard]] uint64_t epoch() const override { return place_.stream.epoch; }
  [[nodiscard]] nlohmann::ordered_json state() const override;
  void restore(const nlohmann::json& state) override;

 private:
  [[nodiscard]] SequenceRules rules(size_t phase) const;
  std::vector<MaskedBatch> draw(int64_t step);
  void count_positions(const MaskedBatch& batch);

  const TokenFile& file_;
  const SpecialIds& ids_;
  PretrainOptions options_;
  size_t positions_;
  std::vector<MaskedBatch> validation_;
  BatchPlace place_;                 ///< the next batch
  std::vector<uint64_t> seen_;       ///< [positions], tokens seen at each
  std::vector<uint64_t> predicted_;  ///< [positions], of these, predicted ones
  std::optional<BatchStream> stream_;
};

/// The rules of a run's validation sequences: see validation_length().
[[nodiscard]] SequenceRules validation_rules(const PretrainOptions& options);

}  // namespace summand::train
