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

/// The windows of one question and its context, with their logits.
struct QuestionLogits {
  std::string_view context;
  std::span<const text::Encoding> windows;
  std::span<const WindowPlace> places;  ///< of the windows, in the context
  MatrixView<const float> logits;       ///< [tokens of all windows, 2]: start and end of an answer
};

/// The answers to one question.
/// Source: transformers 4.57, pipelines/question_answering.py, postprocess. Differences: scores there are in float, and
///   spans that end before they begin, or begin in the question, fill the list with scores of 0
[[nodiscard]] Answers best_answers(const text::Tokenizer& tokenizer, const QuestionLogits& question,
                                   const AnswerOptions& options);

/// How to read questions with their contexts: divided at tokens.
/// @throws UsageError if `top`, `max_length` or `max_answer_tokens` is 0
[[nodiscard]] ReadingOptions reading_for(const LoadedModel& model, const AnswerOptions& options);

/// @throws TextError naming the first record that is not a question with a context, or where one of them is empty
void require_questions(const RecordBatch& batch);

/// The answers to every question. Computes repeated records once and counts them in the batch.
/// @param batch  read as reading_for() says
/// @throws ConfigError if the model has no question answering head; TextError as require_questions()
[[nodiscard]] std::vector<Answers> answer(const LoadedModel& model, RecordBatch& batch, const AnswerOptions& options);

}  // namespace summand::api
