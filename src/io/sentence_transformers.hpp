#pragma once

#include <exception>
#include <string>
#include <vector>

#include "io/module_list.hpp"
#include "model/config.hpp"
#include "model/sentence_modules.hpp"

namespace summand::io {

struct LoadedSentenceModules {
  model::SentenceModules modules;
  std::vector<std::string> notices;  ///< one line each: what was ignored or replaced
  /// Why no sentence vectors can be made, or null: the first of the errors below. `modules` are then the defaults, but
  /// for do_lower_case where it could be read.
  std::exception_ptr fault;
};

/// Reads what sentence-transformers adds to a BERT, as version 6.2 reads what versions 2 to 6 wrote: Pooling with the
/// old flags or `pooling_mode`, Dense and LayerNorm with weights, Normalize, sentence_bert_config.json and its older
/// names, prompts, truncate_dim. `max_seq_length` of the result is the limit in force: the file's, else the tokenizer's
/// model_max_length, and never more than the positions that the model has. A directory without modules.json gets what
/// the library gives it: the mean over tokens. Nothing here closes a folder to those who need no sentence vectors, so
/// faults are returned, not thrown: IoError if a file cannot be read; ConfigError if the list of modules is at fault,
/// or a setting is malformed or changes the result in a way that this program cannot follow; CheckpointError if a
/// module's weights are missing, damaged, of another shape, NaN or infinite. Source: sentence-transformers 6.2,
/// base/modules and sentence_transformer/modules
[[nodiscard]] LoadedSentenceModules read_sentence_modules(const ModuleList& list, const model::Config& config);

}  // namespace summand::io
