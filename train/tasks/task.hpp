#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/matrix.hpp"
#include "base/random_stream.hpp"

namespace summand::train {

/// How large a task is. Source: docs/study-tasks.md
struct TaskSizes {
  size_t length = 16;   ///< symbols of a sequence
  size_t symbols = 64;  ///< kinds of symbols
  size_t masked = 3;    ///< positions of a sequence, unless the task masks none
  size_t topics = 8;    ///< of `topic`
  size_t lag = 5;       ///< of `relative`
  size_t states = 4;    ///< of each model of `segment`
  size_t combined_topics = 4, combined_slots = 6;

  /// With which every posterior can be enumerated.
  [[nodiscard]] static TaskSizes tiny() {
    return {.length = 5,
            .symbols = 3,
            .masked = 2,
            .topics = 2,
            .lag = 2,
            .states = 4,
            .combined_topics = 2,
            .combined_slots = 3};
  }
};

/// What sequences are for. A sequence of one part never comes from the stream of the other.
enum class DataPart { training, evaluation };

inline constexpr int32_t kUnseen = -1;  ///< a symbol that the reader does not see

/// A sequence as it was drawn, and what is asked of it.
struct TaskSequence {
  std::vector<int32_t> symbols;   ///< [length], masked ones too
  std::vector<int32_t> segments;  ///< [length], 0 or 1
  size_t boundary = 0;            ///< first position of the second segment; the length if there is none
  std::vector<size_t> asked;      ///< positions, ascending
  std::vector<int32_t> answers;   ///< [asked]
};

/// Of a reader who knows how the boundary is drawn, and infers it from what is seen.
inline constexpr std::string_view kBoundary = "boundary";

/// Distributions that readers give to what is asked, [asked, answers], by what is hidden from them.
using HiddenPosteriors = std::map<std::string, Matrix<double>>;

/// A source of sequences with the exact posterior of what is asked. Immutable after construction.
class Task {
 public:
  virtual ~Task() = default;

  [[nodiscard]] std::string_view name() const { return name_; }
  [[nodiscard]] const TaskSizes& sizes() const { return sizes_; }
  [[nodiscard]] uint64_t seed() const { return seed_; }
  /// Whether the symbols that are asked are masked; otherwise every symbol is seen, and asked for a label.
  [[nodiscard]] virtual bool masks() const { return true; }
  /// Kinds of answers.
  [[nodiscard]] virtual size_t answers() const { return sizes_.symbols; }

  /// The same sequence for the same seed, part and index.
  /// @param masked  how many positions, if not as many as sizes() says; those of a smaller number are among those of a
  ///   larger
  [[nodiscard]] TaskSequence draw(DataPart part, uint64_t index, std::optional<size_t> masked = {}) const;

  /// What a reader knows of each answer who sees symbols, segments and positions, [asked, answers].
  [[nodiscard]] virtual Matrix<double> posterior(const TaskSequence& sequence) const = 0;
  /// The same of readers who see less.
  [[nodiscard]] virtual HiddenPosteriors hidden_posteriors(const TaskSequence&) const { return {}; }
  /// The mean posterior of a reader who sees no symbol, [answers].
  [[nodiscard]] virtual std::vector<double> context_free() const = 0;
  /// Every table of the task by name: docs/study-tasks.md, "Dump".
  [[nodiscard]] virtual nlohmann::ordered_json tables() const = 0;

 protected:
  Task(std::string_view name, const TaskSizes& sizes, uint64_t seed) : name_(name), sizes_(sizes), seed_(seed) {}
  /// The stream of random numbers from which tables are drawn.
  [[nodiscard]] RandomStream table_stream() const;
  /// Fills symbols, segments and boundary; and what is asked, if nothing is masked.
  virtual void fill(DataPart part, RandomStream& random, TaskSequence& sequence) const = 0;

 private:
  std::string name_;
  TaskSizes sizes_;
  uint64_t seed_;
};

[[nodiscard]] std::span<const std::string_view> task_names();

/// @param name  one of task_names()
/// @param seed  of the tables and of the sequences
[[nodiscard]] std::unique_ptr<Task> make_task(std::string_view name, const TaskSizes& sizes, uint64_t seed);

/// The symbols as a reader sees them: kUnseen where they are asked.
[[nodiscard]] std::vector<int32_t> seen_symbols(const TaskSequence& sequence);

/// Rows of distributions, each exp(sharpness·g) / Σ exp(sharpness·g) with independent normal g.
[[nodiscard]] Matrix<double> random_distributions(size_t rows, size_t columns, double sharpness, RandomStream& random);
/// An index drawn from a distribution.
[[nodiscard]] size_t draw_from(std::span<const double> distribution, RandomStream& random);
/// Scales to the sum 1.
void normalise(std::span<double> weights);

/// For tables(): a list of rows.
[[nodiscard]] nlohmann::ordered_json json_rows(const Matrix<double>& rows);

}  // namespace summand::train
