#pragma once

#include <optional>
#include <string>

#include "api/batches/record_batches.hpp"
#include "api/model/loaded_model.hpp"

namespace CLI {
class App;
}

namespace summand::cli {

/// Options of every verb.
struct CommonOptions {
  bool json = false;
  int threads = 0;
};
void add_common(CLI::App& verb, CommonOptions& options);

/// --model, and the model itself.
struct ModelOptions {
  std::string name;
  std::string precision = "fp32";  ///< empty: the checkpoint's own
  std::optional<std::string> cache = {};
};
void add_model(CLI::App& verb, ModelOptions& options);
/// --precision and --cache, for verbs that run the engine for its results.
void add_engine(CLI::App& verb, ModelOptions& options);
[[nodiscard]] api::LoadedModel load(const ModelOptions& model, const CommonOptions& common);

/// Reports settings of the tokenizer's files that it does not follow.
void report_tokenizer(const text::Tokenizer& tokenizer);

/// Reports what the checkpoint contains and was ignored or replaced. Call it at the end of a verb: after an error the
/// only output is the error.
void report_notices(const api::LoadedModel& model);

/// --max-length and --truncation.
struct LengthFlags {
  size_t max_length = 0;
  std::string truncation = "";  ///< empty: the verb's own way
};
void add_length(CLI::App& verb, LengthFlags& flags);
[[nodiscard]] api::LengthOptions length_options(const LengthFlags& flags);

/// Reports how many texts reused an earlier result, if any.
void report_repeated(const api::ReadCount& count);

/// Reports how many texts were cut, if any, and at how many tokens.
/// @param limit  none: nothing is cut
void report_cut(size_t texts_cut, size_t texts, std::optional<size_t> limit);

}  // namespace summand::cli
