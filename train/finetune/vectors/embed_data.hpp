#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "train/finetune/finetuning_task.hpp"
#include "train/finetune/labelled/labelled_file.hpp"
#include "train/finetune/vectors/embed_options.hpp"
#include "train/finetune/vectors/sentence_objective.hpp"

namespace summand::train {

/// Rows as they were read and as their vectors are learned.
struct EmbedRows {
  std::vector<LabelledText> texts;
  std::vector<std::string> negatives;  ///< [rows], hard ones, or empty
  SentenceExamples examples;

  [[nodiscard]] size_t size() const { return texts.size(); }
};

/// The rows of a run that learns sentence vectors.
struct EmbedData {
  SentenceLoss loss = SentenceLoss::ranking;
  EmbedRows train, valid;
  std::optional<EmbedRows> test;
  /// By key, of the files that are trained and validated on: rows, negatives, vectors. "valid" is empty where rows are
  /// split off.
  std::map<std::string, std::string> hashes;
  std::vector<std::string> notices;  ///< what the user should know, one line each
};

/// What vectors are to learn, if --loss does not say: with --teacher, distillation; with --negative-column, ranking;
/// else cosine if rows have numbers as labels, and ranking if they have none.
/// @throws UsageError if options do not fit each other or the labels
/// @throws Error as read_labelled()
[[nodiscard]] SentenceLoss sentence_loss(const FinetuneRequest& request);

/// Reads, splits and encodes the rows.
/// @param reading  of a text
/// @throws Error naming the file and the line
[[nodiscard]] EmbedData read_embed_data(const FinetuneRequest& request, const text::Tokenizer& tokenizer,
                                        SentenceReading reading);

}  // namespace summand::train
