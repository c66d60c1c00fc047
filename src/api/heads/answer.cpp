#include "api/heads/answer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "api/batches/batch_taps.hpp"
#include "api/batches/distinct_records.hpp"
#include "api/heads/require_head.hpp"
#include "api/heads/scores.hpp"
#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::api {

namespace {

constexpr size_t kMaxLength = 384;
constexpr size_t kStride = 128;
constexpr size_t kMostAnswers = size_t{1} << 32;  // more than a context has spans

/// Tokens of one window from which to which an answer goes, both included.
struct Span {
  size_t first, last;
  double score;
};

/// One window, and for each of its tokens how likely an answer begins and ends there.
struct Window {
  const text::Encoding& encoding;
  Range context;  ///< its tokens that the context has
  std::vector<double> begins, ends;
};

/// The softmax of one column over the tokens that an answer may consist of; 0 for the others.
std::vector<double> probabilities(MatrixView<const float> logits, size_t column, std::span<const uint8_t> counts) {
  std::vector<float> own;
  for (size_t token = 0; token < logits.rows(); ++token) {
    if (counts[token] != 0) own.push_back(logits.row(token)[column]);
  }
  const auto scores = to_scores(own, ScoreFunction::softmax);
  std::vector<double> result(logits.rows());
  for (size_t token = 0, next = 0; token < result.size(); ++token) {
    if (counts[token] != 0) result[token] = scores[next++];
  }
  return result;
}

/// @param logits  [tokens of the window, 2]
Window window_of(const text::Tokenizer& tokenizer, const text::Encoding& encoding, const WindowPlace& place,
                 MatrixView<const float> logits) {
  const Range context{place.leading, place.leading + place.tokens.size()};
  std::vector<uint8_t> counts(encoding.ids.size());
  for (size_t token = 0; token < encoding.ids.size(); ++token) {
    // [CLS], at any position, means that there is no answer.
    const bool is_cls = tokenizer.cls_id() == encoding.ids[token];
    counts[token] = is_cls || (token >= context.begin && token < context.end) ? 1 : 0;
  }
  return {encoding, context, probabilities(logits, 0, counts), probabilities(logits, 1, counts)};
}

/// The best spans of the context, best first; of equal ones the earlier, then the shorter.
std::vector<Span> best_spans(const Window& window, size_t most, size_t max_tokens) {
  std::vector<Span> spans;
  const auto better = [](const Span& one, const Span& other) {
    if (one.score != other.score) return ranks_before(one.score, other.score);
    return std::pair(one.first, one.last) < std::pair(other.first, other.last);
  };
  for (size_t first = std::max(window.context.begin, size_t{1}); first < window.context.end; ++first) {
    const size_t end = first + std::min(window.context.end - first, max_tokens);
    for (size_t last = first; last < end; ++last) {
      spans.push_back({first, last, window.begins[first] * window.ends[last]});
    }
    if (spans.size() < 2 * most + 1024) continue;  // so that memory holds a few spans, not all
    std::ranges::nth_element(spans, spans.begin() + static_cast<std::ptrdiff_t>(most), better);
    spans.resize(most);
  }
  std::ranges::sort(spans, better);
  spans.resize(std::min(spans.size(), most));
  return spans;
}

/// The bytes of a span; of one that is widened to words, as far as the window holds them.
Range bytes_of(const Window& window, const Span& span, AnswerEnds ends) {
  const auto& words = window.encoding.words;
  size_t first = span.first;
  size_t last = span.last;
  if (ends == AnswerEnds::words) {
    while (first > window.context.begin && words[first - 1] == words[first]) --first;
    while (last + 1 < window.context.end && words[last + 1] == words[last]) ++last;
  }
  return {window.encoding.offsets[first].begin, window.encoding.offsets[last].end};
}

/// What two answers have in common that differ in case alone.
std::u32string without_case(std::string_view text) {
  constexpr char32_t kFinalSigma = U'ς', kSigma = U'σ';  // which of the two depends on the letters around it
  std::u32string lower;
  while (!text.empty()) {
    const auto character = decode_utf8(text);
    for (const char32_t letter : text::lower_case(character.code_point)) {
      lower += letter == kFinalSigma ? kSigma : letter;
    }
    text.remove_prefix(character.bytes);
  }
  return lower;
}

/// Collects answers; those equal but for case are merged, with the sum of their scores.
class FoundAnswers {
 public:
  explicit FoundAnswers(std::string_view context) : context_(context) {}

  void add(Range bytes, double score) {
    const auto written = context_.substr(bytes.begin, bytes.size());
    auto lower = without_case(written);
    const auto known = std::ranges::find(lower_, lower);
    if (known != lower_.end()) {
      answers_[static_cast<size_t>(known - lower_.begin())].score += score;
      return;
    }
    lower_.push_back(std::move(lower));
    answers_.push_back({.text = std::string(written), .score = score, .bytes = bytes});
  }

  [[nodiscard]] std::vector<Answer> take() { return std::move(answers_); }

 private:
  std::string_view context_;
  std::vector<Answer> answers_;
  std::vector<std::u32string> lower_;  // of each answer
};

const char* kind_of(const TextView& text) {
  if (text.words) return "words already split";
  return text.text_pair ? "a pair" : "one text";
}

}  // namespace

Answers best_answers(const text::Tokenizer& tokenizer, const QuestionLogits& question, const AnswerOptions& options) {
  // Several spans may become one answer where they are widened to words.
  const size_t top = std::min(options.top, kMostAnswers);
  const size_t most = options.ends == AnswerEnds::words ? 2 * top + 10 : top;
  FoundAnswers found(question.context);
  double no_answer = std::numeric_limits<double>::infinity();
  size_t row = 0;
  for (size_t i = 0; i < question.windows.size(); ++i) {
    const auto& encoding = question.windows[i];
    const auto logits = question.logits.middle_rows(row, encoding.ids.size());
    const Window window = window_of(tokenizer, encoding, question.places[i], logits);
    row += encoding.ids.size();
    no_answer = std::min(no_answer, window.begins.empty() ? 0 : window.begins[0] * window.ends[0]);
    for (const auto& span : best_spans(window, most, options.max_answer_tokens)) {
      found.add(bytes_of(window, span, options.ends), span.score);
    }
  }
  Answers answers{.best = found.take(), .no_answer = no_answer};
  if (options.no_answer == NoAnswer::competes) answers.best.push_back({.text = "", .score = no_answer, .bytes = {}});
  std::ranges::stable_sort(answers.best, ranks_before, &Answer::score);
  answers.best.resize(std::min(answers.best.size(), top));
  return answers;
}

ReadingOptions reading_for(const LoadedModel& model, const AnswerOptions& options) {
  const auto require = [](const char* name, bool holds) {
    if (!holds) throw UsageError(name, "expected at least 1, got 0");
  };
  require("max-length", options.max_length != size_t{0});
  require("top", options.top != 0);
  require("max-answer", options.max_answer_tokens != 0);
  const size_t limit =
      std::min({kMaxLength, model.position_limit(), model.tokenizer().model_max_length().value_or(kMaxLength)});
  const size_t length = options.max_length.value_or(limit);
  return {.length = {.max_length = length},
          .windows = WindowOptions{.overlap = options.stride.value_or(std::min(kStride, length / 2))},
          .window_ends = text::WindowEnds::tokens,
          .encodings = KeepEncodings::of_windows};
}

void require_questions(const RecordBatch& batch) {
  for (size_t i = 0; i < batch.texts.size(); ++i) {
    const auto& text = batch.texts[i];
    const auto refuse = [&](std::string_view message) {
      throw TextError("answer", error_prefix(batch.first + i) + std::string(message));
    };
    if (text.words || !text.text_pair) refuse(fmt::format("expected a question and a context, got {}", kind_of(text)));
    if (text.text.empty()) refuse("expected a question, got an empty one");
    if (text.text_pair->empty()) refuse("expected a context, got an empty one");
  }
}

std::vector<Answers> answer(const LoadedModel& model, RecordBatch& batch, const AnswerOptions& options) {
  require_head(model, model::Head::question_answering);
  require_questions(batch);
  const DistinctRecords distinct(batch, with_taps(options.taps, options.repeated));
  const auto& computed = distinct.batch();
  BatchTaps taps(options.taps, computed);
  const auto logits =
      engine::head_logits(model.engine(), computed.batch, model::Head::question_answering, {}, taps.for_engine());
  std::vector<Answers> questions;
  for (size_t text = 0; text < batch.texts.size(); ++text) {
    const size_t place = distinct.index_in_batch(text);
    const auto row_of = [&](size_t sequence) { return computed.batch.offsets[sequence]; };
    const size_t first_row = row_of(computed.sequences[place]);
    const size_t rows = row_of(computed.sequences[place + 1]) - first_row;
    const size_t first = batch.sequences[text];
    const size_t windows = batch.sequences[text + 1] - first;
    questions.push_back(best_answers(model.tokenizer(),
                                     {.context = *batch.texts[text].text_pair,
                                      .windows = std::span(batch.encodings).subspan(first, windows),
                                      .places = std::span(batch.places).subspan(first, windows),
                                      .logits = logits.view().middle_rows(first_row, rows)},
                                     options));
  }
  return questions;
}

}  // namespace summand::api
