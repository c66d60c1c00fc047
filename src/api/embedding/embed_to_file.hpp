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

/// The progress callback is also called for each text that an earlier run has finished.
using EmbedToFileOptions = EmbeddingBatchesOptions;

struct EmbedToFileReport {
  size_t texts = 0;          ///< rows in the file
  size_t texts_resumed = 0;  ///< of these, made by an earlier run
  ReadCount count;           ///< of the texts run now
  int threads = 0;           ///< most that worked on one batch
};

/// The texts differ from those of the run to resume, whose finished rows stay.
class TextsChanged : public TextError {
 public:
  using TextError::TextError;
};

/// Embeds any number of texts in constant memory, in batches of about `batch_tokens` tokens. If it fails, it first
/// records all finished batches in the file.
/// @param next  returns the texts in order
/// @param file  continues where an earlier run stopped
/// @throws TextsChanged if the texts differ from those that the interrupted run finished
/// @throws TextError naming a text that cannot be embedded
[[nodiscard]] EmbedToFileReport embed_to_file(const Embedder& embedder,
                                              const std::function<std::optional<text::InputRecord>()>& next,
                                              EmbeddingFile& file, const EmbedToFileOptions& options = {});

}  // namespace summand::api
