#pragma once

#include <optional>
#include <string>

#include "api/batches/record_batches.hpp"
#include "api/model/loaded_model.hpp"

namespace CLI {
class App;
}

namespace summand::cli {

/// What every verb has.
struct CommonOptions {
  bool json = false;
  int threads = 0;
};
void add_common(CLI::App& verb, CommonOptions& options);

/// --model, and the model itself.
struct ModelOptions {
  std::string name;
  std::string precision = "fp32";  ///< empty: what the checkpoint is for
  std::optional<std::string> cache = {};
};
void add_model(CLI::App& verb, ModelOptions& options);
/// --precision and --cache, for verbs that run the engine for its results.
void add_engine(CLI::App& verb, ModelOptions& options);
[[nodiscard]] api::LoadedModel load(const ModelOptions& model, const CommonOptions& common);

/// Says on standard error where the tokenizer does not do what one of its files says.
void report_tokenizer(const text::Tokenizer& tokenizer);

/// Says on standard error what was found in the checkpoint and left out or replaced. At the end of a verb: an error is
/// one line alone.
void report_notices(const api::LoadedModel& model);

/// --max-length and --truncation.
struct LengthFlags {
  size_t max_length = 0;
  std::string truncation = "longest_first";
};
void add_length(CLI::App& verb, LengthFlags& flags);
[[nodiscard]] api::LengthOptions length_options(const LengthFlags& flags);

/// Says on standard error how many texts got the result of an earlier one, if any did.
void report_repeated(const api::ReadCount& count);

/// Says on standard error how many texts were cut, if any was, and at how many tokens.
/// @param limit  none: nothing is ever cut
void report_cut(size_t texts_cut, size_t texts, std::optional<size_t> limit);

}  // namespace summand::cli
