#pragma once

#include <functional>
#include <string>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "api/heads/require_head.hpp"
#include "cli/input.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/window_options.hpp"
#include "model/heads.hpp"
#include "summand/text.hpp"

namespace summand::cli {

/// Options of the verbs that run a head over texts.
struct HeadOptions {
  CommonOptions common;
  ModelOptions model;
  InputOptions input;
  LengthFlags length;
  WindowFlags windows;
  bool logits = false;
  OutputFlags out;
};

/// Adds --model and INPUT, which --help shows before a verb's own options.
void add_head_input(CLI::App& verb, HeadOptions& options);

/// Adds --logits, -o, --max-length, --truncation and the common options, which --help shows after them.
void add_head_output(CLI::App& verb, HeadOptions& options);

/// One run of such a verb: opens the input, loads the model, and reports notices at the end.
class HeadRun {
 public:
  /// @throws UsageError if only one of --logits and -o is given; ConfigError if the model has no such head
  HeadRun(const HeadOptions& options, model::Head head);

  [[nodiscard]] const api::LoadedModel& model() const { return model_; }
  [[nodiscard]] api::NextRecord records();

  /// As the options say, and the rest as the model's training read its texts.
  [[nodiscard]] api::ReadingOptions reading() const;

  /// Runs every batch and reports how many texts were cut or divided.
  /// @throws IoError if the output of `use` cannot be written
  void each_batch(const std::function<void(api::RecordBatch&)>& use) { each_batch(reading(), use); }
  void each_batch(const api::ReadingOptions& reading, const std::function<void(api::RecordBatch&)>& use);

  /// Writes the logits of the records instead.
  void write_logits() { write_logits(reading()); }
  void write_logits(const api::ReadingOptions& reading);

  /// Reports the checkpoint's notices, how texts were read, and how many were cut or divided.
  void report(const api::ReadCount& count) const;

 private:
  [[nodiscard]] std::string prepared_output() const;
  /// What the options say.
  [[nodiscard]] Reading asked_reading() const;
  void report_reading() const;

  const HeadOptions& options_;
  std::string out_;               // of the logits; empty if results are printed
  std::vector<std::string> ids_;  // of the records read, for the file of logits
  model::Head head_;
  InputTexts texts_;
  api::LoadedModel model_;
};

}  // namespace summand::cli
