#pragma once

#include <cstddef>
#include <functional>
#include <optional>

#include "api/embedding/embedder.hpp"
#include "api/embedding/embedding_batches.hpp"
#include "api/embedding/embedding_file.hpp"
#include "base/error.hpp"
#include "base/progress.hpp"

namespace summand::api {

/// The progress callback is told of each text that an earlier run had finished too, which changes nothing.
using EmbedToFileOptions = EmbeddingBatchesOptions;

struct EmbedToFileReport {
  size_t texts = 0;          ///< rows in the file
  size_t texts_resumed = 0;  ///< of these, made by an earlier run
  ReadCount count;           ///< of the texts run now
  int threads = 0;           ///< most that took part in a batch
};

/// The texts are not those of the run that is to be resumed. What that run finished stays as it is.
class TextsChanged : public TextError {
 public:
  using TextError::TextError;
};

/// Embeds texts of any number in constant memory: batches of about `batch_tokens` tokens, one after the other.
/// If it fails, all batches finished are recorded in the file first.
/// @param next  the texts in order; no value ends them
/// @param file  continued where its earlier run stopped
/// @throws TextsChanged if the texts differ from those that an interrupted run had finished; TextError naming a text
/// that
///   cannot be taken
[[nodiscard]] EmbedToFileReport embed_to_file(const Embedder& embedder,
                                              const std::function<std::optional<text::InputRecord>()>& next,
                                              EmbeddingFile& file, const EmbedToFileOptions& options = {});

}  // namespace summand::api
