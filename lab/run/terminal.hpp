#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <string>

#include "lab/core/localized_text.hpp"
#include "lab/results/finished_run.hpp"
#include "lab/run/laboratory.hpp"

namespace summand::lab {

/// What a run prints: what its own experiments found, the verdicts, the two questions that people come with, in short,
/// the corpus, and where the report lies.
/// @param width  columns of a line; a path is never parted
[[nodiscard]] std::string run_text(const FinishedRun& run, const LaboratoryOptions& options, Language language,
                                   size_t width);

/// "corpus: english (built in), 73 texts, …"; nothing where there are no texts.
[[nodiscard]] std::string corpus_text(const LocalizedText& corpus, Language language, size_t width);

/// Where a comparison lies.
[[nodiscard]] std::string side_by_side_text(const std::filesystem::path& page, Language language);

/// Every experiment with its question, and below it its claims: id and what it says.
[[nodiscard]] std::string list_text(Language language, size_t width);
/// The same as a JSON array: name, question, claims and rules of each.
[[nodiscard]] std::string list_json();

/// What Ctrl-C says of a run before its first experiment is finished, of one of which some are, and of a comparison.
[[nodiscard]] LocalizedText nothing_kept_words(const std::filesystem::path& folder);
[[nodiscard]] LocalizedText kept_words(size_t ended, size_t count, const std::filesystem::path& folder);
[[nodiscard]] LocalizedText comparison_kept_words(const std::filesystem::path& folder);

/// A line on standard error that tells how far the laboratory has come, gone at the end. Where standard error is no
/// terminal, nothing is written.
class LaboratoryLine {
 public:
  explicit LaboratoryLine(Language language);
  LaboratoryLine(const LaboratoryLine&) = delete;
  LaboratoryLine& operator=(const LaboratoryLine&) = delete;
  ~LaboratoryLine();

  void show(const LaboratoryProgress& progress);

 private:
  using Clock = std::chrono::steady_clock;

  Language language_;
  bool is_terminal_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_{};
  size_t columns_written_ = 0;
};

}  // namespace summand::lab
