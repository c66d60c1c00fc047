#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "io/checkpoint.hpp"
#include "text/tokenizer.hpp"
#include "train/finetune/judging/evaluation.hpp"
#include "train/run/checkpoint_files.hpp"
#include "train/run/initial_model.hpp"
#include "train/run/learning_task.hpp"

namespace summand::train {

struct FinetuneRequest;

/// Rows besides those that are trained on.
enum class Portion { validation, test, prediction };

/// What fine-tuning learns: the rows of a run's files, read and encoded; and what the run leaves. finetune() makes it,
/// then the network that it asks for, and trains that with a Learner.
class FinetuningTask : public LearningTask {
 public:
  /// The model to train: parts that the checkpoint lacks are missing in its weights, and will be drawn.
  [[nodiscard]] virtual InitialModel initial_model() const = 0;
  /// Number of rows that are trained on.
  [[nodiscard]] virtual size_t train_rows() const = 0;
  /// Hashes of the rows, for run.json: only what the network learns from, and validates on.
  [[nodiscard]] virtual nlohmann::ordered_json data() const = 0;
  /// What the user should know of the files, one line each.
  [[nodiscard]] virtual std::vector<std::string> notices() const = 0;

  /// The score that decides which checkpoint is the best: Validation::score.
  [[nodiscard]] virtual std::string metric() const = 0;

  [[nodiscard]] virtual bool has(Portion portion) const = 0;
  /// What a trained network makes of the rows, without baselines.
  /// @param portion  one that it has
  [[nodiscard]] virtual Evaluation evaluate(const Network& network, Portion portion) const = 0;
  /// Fills in the baselines of rows with truth.
  /// @param network  as evaluate() had it
  /// @return what the user should know, one line each
  /// @throws Interrupted
  [[nodiscard]] virtual std::vector<std::string> add_baselines(const Network& network,
                                                               std::map<Portion, Evaluation>& evaluations) const = 0;

  /// Files of a checkpoint besides the transformer's and the tokenizer's, with their contents, such as modules.json.
  [[nodiscard]] virtual TokenizerContents more_files() const { return {}; }
};

/// What a task is made from.
struct TaskInputs {
  const FinetuneRequest& request;
  const io::Checkpoint& checkpoint;
  const text::Tokenizer& tokenizer;
  size_t limit = 0;  ///< tokens that a row may have, by model and tokenizer
};

/// Reads and encodes a run's rows; writes nothing.
/// @param inputs  copied as far as needed
/// @throws Error naming the file and the line
[[nodiscard]] std::unique_ptr<FinetuningTask> make_labelled_task(const TaskInputs& inputs);

}  // namespace summand::train
