#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "summand/matrix.hpp"
#include "summand/range.hpp"
#include "summand/taps.hpp"
#include "summand/text.hpp"
#include "summand/tokens.hpp"
#include "summand/windows.hpp"

namespace summand {

/// The layer that turns hidden states into logits. Source: transformers, models/bert/modeling_bert.py; each value names
/// its class there.
enum class Head {
  masked_language,          ///< BertOnlyMLMHead: a token's last hidden state to [vocabulary]
  next_sentence,            ///< BertOnlyNSPHead: the pooled output to [2]; label 0 means "is next"
  sequence_classification,  ///< BertForSequenceClassification: the pooled output to [labels]
  token_classification,     ///< BertForTokenClassification: every token's last hidden state to [labels]
  question_answering,       ///< BertForQuestionAnswering: every token's last hidden state to [2], start and end
};

/// Options of Model::fill_mask.
struct FillMaskOptions {
  LengthOptions length = {};                             ///< the default limit is the model's positions
  size_t top = 5;                                        ///< fillings per mask
  std::vector<int32_t> targets = {};                     ///< allow only these ids; empty: the whole vocabulary
  Taps taps = {};                                        ///< watch or change the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< calls with taps compute every text
};

/// One candidate token for a mask.
struct Filling {
  int32_t id = 0;        ///< of the token
  double score = 0;      ///< probability over the whole vocabulary, also with targets
  std::string token;     ///< as text
  std::string sequence;  ///< the text with this mask filled; if other masks remain, so do special tokens
};

/// One [MASK] of a text.
struct FilledMask {
  size_t token = 0;               ///< index among the text's tokens
  Range bytes;                    ///< its byte range in the text
  std::vector<Filling> fillings;  ///< best first
};

/// Result of Model::fill_mask.
struct FilledTexts {
  std::vector<std::vector<FilledMask>> texts;  ///< the masks of each text, in order
  ReadCount count;                             ///< texts, tokens, cut texts, …
};

/// Whether the second text of a pair follows the first.
struct NextSentence {
  double is_next = 0;                ///< probability: softmax of the two logits
  double not_next = 0;               ///< 1 - is_next, up to rounding
  std::array<float, 2> logits = {};  ///< "is next" first, as in BertForNextSentencePrediction
};

/// Result of Model::next_sentence.
struct NextSentences {
  std::vector<NextSentence> pairs;  ///< one per pair
  ReadCount count;                  ///< pairs, tokens, cut pairs, …
};

/// A multi-label classifier assigns the labels with scores above this.
inline constexpr double kHoldsAbove = 0.5;

/// Options of Model::classify.
struct ClassifyOptions {
  LengthOptions length = {};                  ///< the default is ModelInfo::reading, or cutting at the positions
  std::optional<WindowOptions> windows = {};  ///< divide long texts instead of cutting them, and combine the logits
  /// Labels per text, best first. None: the best label, or with multi_label_classification every label above
  /// kHoldsAbove, possibly none.
  std::optional<size_t> top = {};
  Taps taps = {};                                        ///< watch or change the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< calls with taps compute every text
};

/// One label of a text.
struct LabelScore {
  std::string label;  ///< its name in id2label
  double score = 0;   ///< softmax, sigmoid or the logit itself, by the model's problem_type
  float logit = 0;    ///< output of the head
};

/// Result of Model::classify.
struct ClassifiedTexts {
  std::vector<std::vector<LabelScore>> texts;  ///< the labels of each text, best first
  ReadCount count;                             ///< texts, tokens, cut texts, …
};

/// Options of Model::score.
struct ScoreOptions {
  LengthOptions length = {};                  ///< the default is ModelInfo::reading, or cutting at the positions
  std::optional<WindowOptions> windows = {};  ///< divide long texts instead of cutting them, and combine the logits
  Taps taps = {};                             ///< watch or change the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< calls with taps compute every text
};

/// Result of Model::score.
struct ScoredTexts {
  /// [texts, labels]: of a model with one label the sigmoid of the logit, or the activation that the directory names;
  /// of others the logits. Source: sentence-transformers 6.2, cross_encoder/model.py, get_default_activation_fn
  Matrix<double> scores;
  Matrix<float> logits;  ///< [texts, labels], outputs of the head
  ReadCount count = {};  ///< texts, tokens, cut texts, …
};

/// Options of Model::rerank.
struct RerankOptions {
  LengthOptions length = {};                        ///< the default is ModelInfo::reading, or cutting at the positions
  std::optional<WindowOptions> windows = {};        ///< divide long passages instead of cutting them
  size_t top = std::numeric_limits<size_t>::max();  ///< passages to keep, best first
  Taps taps = {};                                   ///< watch or change the forward pass; its texts are the passages
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< calls with taps compute every passage
};

/// One passage and how well it answers the query.
struct RankedPassage {
  size_t index = 0;  ///< its index in the input, from 0
  std::string text;  ///< the passage
  double score = 0;  ///< sigmoid of the logit, or the CrossEncoder activation that the directory names
  float logit = 0;   ///< output of the head
};

/// Result of Model::rerank.
struct Ranking {
  std::vector<RankedPassage> passages;  ///< best first; ties in input order
  ReadCount count;                      ///< passages, tokens, cut passages, …
};

/// How the labels of tokens become tags.
enum class Aggregation {
  none,     ///< one tag per token
  simple,   ///< neighbouring tokens with the same label make one tag
  first,    ///< neighbouring words with the same label; a word takes the label of its first token
  average,  ///< the same; a word takes the mean scores of its tokens
  max,      ///< the same; a word takes the label of its highest-scoring token
};

/// Options of Model::tag.
struct TagOptions {
  LengthOptions length = {};  ///< the default is ModelInfo::reading, or cutting at the positions
  /// Divides long texts instead of cutting them; a token in several windows gets its logits combined.
  std::optional<WindowOptions> windows = {};
  Aggregation aggregation = Aggregation::simple;         ///< how the labels of tokens become tags
  Taps taps = {};                                        ///< watch or change the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< calls with taps compute every text
};

/// A labelled span of a text.
struct Tag {
  std::string label;  ///< without B- and I- if tokens were merged
  double score = 0;   ///< mean over the merged tokens or words
  std::string word;   ///< its tokens as text
  Range bytes;        ///< in the text; for pre-split words, in the words joined by one space
  Range tokens;       ///< among the text's tokens, special tokens included
  Range words;        ///< which pre-split words, or words as the tokenizer splits the text
};

/// Result of Model::tag.
struct TaggedTexts {
  std::vector<std::vector<Tag>> texts;  ///< the tags of each text, in order, without those labelled "O"
  ReadCount count;                      ///< texts, tokens, cut texts, …
};

/// Where an answer may begin and end.
enum class AnswerEnds {
  words,   ///< at word boundaries: an answer that cuts a word is widened to the whole word
  tokens,  ///< at token boundaries
};

/// Whether "no answer" competes with the answers.
enum class NoAnswer {
  left_out,  ///< no: its score is reported separately
  competes,  ///< yes: it is an answer with empty text, ranked by its score
};

/// Options of Model::answer. The defaults are those of transformers' question-answering pipeline.
struct AnswerOptions {
  /// Tokens of a window: the question, a part of the context, and special tokens. None: 384, or less if the tokenizer
  /// or the model's positions allow less.
  std::optional<size_t> max_length = {};
  /// Context tokens that neighbouring windows share. None: 128, or half a window if that is less.
  std::optional<size_t> stride = {};
  size_t top = 1;                                        ///< answers per question
  size_t max_answer_tokens = 15;                         ///< longest answer considered
  AnswerEnds ends = AnswerEnds::words;                   ///< where an answer may begin and end
  NoAnswer no_answer = NoAnswer::left_out;               ///< whether "no answer" competes
  Taps taps = {};                                        ///< watch or change the forward pass
  RepeatedTexts repeated = RepeatedTexts::compute_once;  ///< calls with taps compute every pair
};

/// A span of the context that answers the question.
struct Answer {
  std::string text;  ///< the span as written; empty: no answer
  /// Probability of its first token times that of its last, over the tokens of its window. Answers that are equal but
  /// for case, in any windows, are merged and their scores added.
  double score = 0;
  Range bytes;  ///< in the context; of merged answers, the first one found
};

/// The answers to one question.
struct Answers {
  std::vector<Answer> best;  ///< best first; fewer than `top` if the context has no more
  double no_answer = 0;      ///< score of "no answer": the lowest of its windows
};

/// Result of Model::answer.
struct AnsweredQuestions {
  std::vector<Answers> questions;  ///< one per question
  ReadCount count;                 ///< pairs, tokens, windows, …
};

}  // namespace summand
