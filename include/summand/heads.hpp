#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "summand/range.hpp"
#include "summand/taps.hpp"
#include "summand/text.hpp"
#include "summand/tokens.hpp"
#include "summand/windows.hpp"

namespace summand {

/// What turns hidden states into logits. Source: transformers, models/bert/modeling_bert.py, whose class each one
/// names.
enum class Head {
  masked_language,          ///< BertOnlyMLMHead: a token's last hidden state to [vocabulary]
  next_sentence,            ///< BertOnlyNSPHead: the pooled output to [2]; label 0 says "is next"
  sequence_classification,  ///< BertForSequenceClassification: the pooled output to [labels]
  token_classification,     ///< BertForTokenClassification: every token's last hidden state to [labels]
  question_answering,       ///< BertForQuestionAnswering: every token's last hidden state to [2], start and end
};

/// How Model::fill_mask fills.
struct FillMaskOptions {
  LengthOptions length = {};                             ///< the limit is the positions of the model
  size_t top = 5;                                        ///< fillings of each mask
  std::vector<int32_t> targets = {};                     ///< only these ids; empty: the whole vocabulary
  Taps taps = {};                                        ///< what watches or changes the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< with taps every text is computed
};

/// One token in a mask's place.
struct Filling {
  int32_t id = 0;        ///< of the token
  double score = 0;      ///< probability among the whole vocabulary, whatever the targets
  std::string token;     ///< as text
  std::string sequence;  ///< the text with the mask filled; other masks stay, and then special tokens do too
};

/// One [MASK] of a text.
struct FilledMask {
  size_t token = 0;               ///< its place among the text's tokens
  Range bytes;                    ///< its bytes in the text
  std::vector<Filling> fillings;  ///< best first
};

/// What Model::fill_mask gives.
struct FilledTexts {
  std::vector<std::vector<FilledMask>> texts;  ///< the masks of each text, in order
  ReadCount count;                             ///< what became of the texts
};

/// Whether the second text of a pair follows the first.
struct NextSentence {
  double is_next = 0;                ///< probability, softmax of the two logits
  double not_next = 0;               ///< 1 - is_next, up to rounding
  std::array<float, 2> logits = {};  ///< "is next" first, as BertForNextSentencePrediction has them
};

/// What Model::next_sentence gives.
struct NextSentences {
  std::vector<NextSentence> pairs;  ///< one per pair
  ReadCount count;                  ///< what became of the pairs
};

/// Score above which a label of a multi-label classifier holds.
inline constexpr double kHoldsAbove = 0.5;

/// How Model::classify reads and answers.
struct ClassifyOptions {
  LengthOptions length = {};                  ///< the limit is the positions of the model
  std::optional<WindowOptions> windows = {};  ///< long texts are divided instead of cut, and their logits combined
  /// Labels per text, best first. None: the best one; with multi_label_classification every label above kHoldsAbove,
  /// possibly none.
  std::optional<size_t> top = {};
  Taps taps = {};                                        ///< what watches or changes the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< with taps every text is computed
};

/// One label of a text.
struct LabelScore {
  std::string label;  ///< as id2label names it
  double score = 0;   ///< softmax or sigmoid of the logits, or the logit itself, as the model's problem_type says
  float logit = 0;    ///< what the head gave
};

/// What Model::classify gives.
struct ClassifiedTexts {
  std::vector<std::vector<LabelScore>> texts;  ///< the labels of each text, best first
  ReadCount count;                             ///< what became of the texts
};

/// How Model::rerank reads and answers.
struct RerankOptions {
  LengthOptions length = {};                        ///< the limit is the positions of the model
  std::optional<WindowOptions> windows = {};        ///< long passages are divided instead of cut
  size_t top = std::numeric_limits<size_t>::max();  ///< passages to keep, best first
  Taps taps = {};  ///< what watches or changes the forward pass; its texts are the passages
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< with taps every passage is computed
};

/// One passage and how well it answers.
struct RankedPassage {
  size_t index = 0;  ///< its place in the input, from 0
  std::string text;  ///< the passage
  double score = 0;  ///< the logit's sigmoid, or what the directory names for sentence-transformers' CrossEncoder
  float logit = 0;   ///< what the head gave
};

/// What Model::rerank gives.
struct Ranking {
  std::vector<RankedPassage> passages;  ///< best first; of equal ones, the earlier first
  ReadCount count;                      ///< what became of the passages
};

/// How the labels of tokens become tags.
enum class Aggregation {
  none,     ///< a tag for every token
  simple,   ///< neighbouring tokens with one label make one tag
  first,    ///< the same of words, whose label is that of their first token
  average,  ///< the same of words, whose scores are the mean of their tokens'
  max,      ///< the same of words, whose label is that of their surest token
};

/// How Model::tag reads and answers.
struct TagOptions {
  LengthOptions length = {};                      ///< the limit is the positions of the model
  std::optional<WindowOptions> windows = {};      ///< long texts are divided instead of cut, and the logits of a token
                                                  ///< that several windows hold combined
  Aggregation aggregation = Aggregation::simple;  ///< how the labels of tokens become tags
  Taps taps = {};                                 ///< what watches or changes the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< with taps every text is computed
};

/// A stretch of a text with its label.
struct Tag {
  std::string label;  ///< without B- and I- where tokens were put together
  double score = 0;   ///< mean over the tokens or words that were put together
  std::string word;   ///< its tokens as text
  Range bytes;        ///< of the text; of words already split, of the words with one space between them
  Range tokens;       ///< among the text's tokens, special ones counted
  Range words;        ///< of words already split, which; else as the tokenizer splits the text
};

/// What Model::tag gives.
struct TaggedTexts {
  std::vector<std::vector<Tag>> texts;  ///< the tags of each text, in order; those labelled "O" are left out
  ReadCount count;                      ///< what became of the texts
};

/// Where an answer may begin and end.
enum class AnswerEnds {
  words,   ///< at words: an answer that begins or ends within a word is widened to the whole word
  tokens,  ///< at tokens
};

/// Whether "the context does not answer it" takes part among the answers.
enum class NoAnswer {
  left_out,  ///< no: its score is given by itself
  competes,  ///< yes: as an answer without text, where its score puts it
};

/// How Model::answer reads and answers. The defaults are those of transformers' question-answering pipeline.
struct AnswerOptions {
  /// Tokens of a window: the question, a part of the context, and special tokens. None: 384, or what the tokenizer or
  /// the positions of the model allow, where that is less.
  std::optional<size_t> max_length = {};
  std::optional<size_t> stride = {};        ///< tokens of the context that neighbouring windows share; none: 128, or
                                            ///< half of a window where that is less
  size_t top = 1;                           ///< answers to each question
  size_t max_answer_tokens = 15;            ///< no longer span of tokens is looked at
  AnswerEnds ends = AnswerEnds::words;      ///< where an answer may begin and end
  NoAnswer no_answer = NoAnswer::left_out;  ///< whether no answer may be the best one
  Taps taps = {};                           ///< what watches or changes the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< with taps every pair is computed
};

/// A stretch of the context that answers.
struct Answer {
  std::string text;  ///< the stretch as it is written; empty: the context does not answer
  double score = 0;  ///< probability of its first token times that of its last, among the tokens of its window; of
                     ///< answers that read alike but for case, also of several windows, the sum
  Range bytes;       ///< of the context; of answers that read alike, the first that was found
};

/// The answers to one question.
struct Answers {
  std::vector<Answer> best;  ///< best first; fewer than asked for where the context has no more
  double no_answer = 0;      ///< score of the context not answering, the least of its windows
};

/// What Model::answer gives.
struct AnsweredQuestions {
  std::vector<Answers> questions;  ///< one per question
  ReadCount count;                 ///< what became of the questions with their contexts
};

}  // namespace summand
