#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "api/batches/record_batches.hpp"
#include "base/matrix_view.hpp"
#include "summand/heads.hpp"

namespace summand::api {

using summand::Answer;
using summand::AnswerEnds;
using summand::AnswerOptions;
using summand::Answers;
using summand::NoAnswer;

/// One question with its context, as windows, and their logits.
struct QuestionLogits {
  std::string_view context;
  std::span<const text::Encoding> windows;
  std::span<const WindowPlace> places;  ///< of the windows in the context
  MatrixView<const float> logits;       ///< [tokens of all windows, 2]: of being an answer's first token, its last
};

/// The answers to one question.
/// Source: transformers 4.57, pipelines/question_answering.py, postprocess, whose scores are in float; and there spans
///   that end before they begin, or begin in the question, fill the list with scores of 0 where the context has no more
[[nodiscard]] Answers best_answers(const text::Tokenizer& tokenizer, const QuestionLogits& question,
                                   const AnswerOptions& options);

/// How questions with their contexts are read: divided at tokens.
/// @throws UsageError if a number is 0 that must not be
[[nodiscard]] ReadingOptions reading_for(const LoadedModel& model, const AnswerOptions& options);

/// @throws TextError naming the first record that is no question with a context, or has an empty one of them
void require_questions(const RecordBatch& batch);

/// The answers to every question. Records of the batch with the same tokens are computed once, and counted in it.
/// @param batch  read with reading_for()
/// @throws ConfigError if the model has no question answering head; TextError as require_questions()
[[nodiscard]] std::vector<Answers> answer(const LoadedModel& model, RecordBatch& batch, const AnswerOptions& options);

}  // namespace summand::api
