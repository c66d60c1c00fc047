#include "api/heads/answer.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/matrix.hpp"
#include "summand/model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using namespace summand::api;

namespace {

/// Pieces of words, in both cases, so that a test sees where words begin.
text::Tokenizer tokenizer() {
  const auto path = std::filesystem::temp_directory_path() / ("summand_answer_" + std::to_string(::getpid()) + ".txt");
  std::ofstream(path) << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nx\n##y\n##z\n.\nX\n";
  auto made = text::Tokenizer::from_vocabulary(path, text::Lowercase::no);
  std::filesystem::remove(path);
  return made;
}

/// Probabilities that the head gives to tokens of one window; the rest has next to nothing.
struct Guesses {
  std::map<size_t, double> begins, ends;
};

struct Example {
  std::string question, context;
  std::vector<Guesses> windows;
  size_t max_length = 100;
  size_t stride = 0;
};

Answers answers(const Example& example, const AnswerOptions& options) {
  constexpr float kNothing = -60;
  const auto made = tokenizer();
  const auto divided =
      made.divide_pair(example.question, example.context,
                       {.max_length = example.max_length, .overlap = example.stride, .ends = text::WindowEnds::tokens});
  REQUIRE(divided.windows() == example.windows.size());
  std::vector<text::Encoding> encodings;
  std::vector<WindowPlace> places;
  size_t tokens = 0;
  for (size_t window = 0; window < divided.windows(); ++window) {
    encodings.push_back(divided.window(window));
    places.push_back({.tokens = divided.range(window), .leading = divided.leading()});
    tokens += encodings.back().ids.size();
  }
  Matrix<float> logits(tokens, 2);
  for (float& logit : logits.elements()) logit = kNothing;
  for (size_t window = 0, row = 0; window < encodings.size(); row += encodings[window++].ids.size()) {
    for (const auto& [token, p] : example.windows[window].begins)
      logits(row + token, 0) = static_cast<float>(std::log(p));
    for (const auto& [token, p] : example.windows[window].ends)
      logits(row + token, 1) = static_cast<float>(std::log(p));
  }
  return best_answers(made, {example.context, encodings, places, logits.view()}, options);
}

struct Expected {
  std::string text;
  double score;
  Range bytes;
};

void check(const std::vector<Answer>& got, const std::vector<Expected>& expected) {
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CHECK(got[i].text == expected[i].text);
    CHECK(got[i].score == doctest::Approx(expected[i].score).epsilon(1e-6));
    CHECK(got[i].bytes == expected[i].bytes);
  }
}

const AnswerOptions kTokens{.top = 2, .ends = AnswerEnds::tokens};

}  // namespace

// [CLS] x [SEP] x ##y ##z . X [SEP]: the context's tokens are 3 to 7.
TEST_CASE("an answer is the likeliest span, and is widened to the words that it begins and ends in") {
  const Example example{"x", "xyz. X", {{{{4, 0.7}, {7, 0.3}}, {{5, 0.6}, {7, 0.4}}}}};
  check(answers(example, kTokens).best, {{"yz", 0.42, {1, 3}}, {"yz. X", 0.28, {1, 6}}});
  check(answers(example, {.top = 2}).best, {{"xyz", 0.42, {0, 3}}, {"xyz. X", 0.28, {0, 6}}});
}

TEST_CASE("no answer ends before it begins, is longer than allowed, or lies outside the context") {
  const Example example{
      "x", "xyz. X", {{{{0, 0.3}, {1, 9.0}, {6, 0.4}, {7, 0.3}}, {{0, 0.1}, {2, 9.0}, {3, 0.6}, {7, 0.3}}}}};
  check(answers(example, {.top = 1, .ends = AnswerEnds::tokens}).best, {{". X", 0.12, {3, 6}}});
  check(answers(example, {.top = 1, .max_answer_tokens = 1}).best, {{"X", 0.09, {5, 6}}});
}

TEST_CASE(
    "answers that read alike but for case are one, with the sum of their scores and the place of the first found") {
  const Example example{"x", "x . X", {{{{3, 0.2}, {4, 0.3}, {5, 0.5}}, {{3, 0.4}, {4, 0.3}, {5, 0.3}}}}};
  check(answers(example, {.top = 1, .max_answer_tokens = 1}).best, {{"X", 0.5 * 0.3 + 0.2 * 0.4, {4, 5}}});
}

TEST_CASE("no answer has the score of [CLS], the least of the windows, and competes where it is to") {
  // Windows of [CLS] x [SEP], two tokens of the context, [SEP].
  const Example example{
      .question = "x",
      .context = "x . X",
      .windows = {{{{0, 0.8}, {3, 0.2}}, {{0, 0.5}, {3, 0.5}}}, {{{0, 0.5}, {4, 0.5}}, {{0, 0.5}, {4, 0.5}}}},
      .max_length = 6,
      .stride = 1};
  const auto alone = answers(example, {.top = 1});
  CHECK(alone.no_answer == doctest::Approx(0.25).epsilon(1e-6));
  check(alone.best, {{"x", 0.2 * 0.5 + 0.5 * 0.5, {0, 1}}});  // of both windows
  const auto competing = answers(example, {.top = 5, .max_answer_tokens = 1, .no_answer = NoAnswer::competes});
  CHECK(competing.best[0].text == "x");
  CHECK(competing.best[1].text.empty());
  const auto least =
      answers({.question = "x", .context = "x", .windows = {{{{0, 0.9}, {3, 0.1}}, {{0, 0.9}, {3, 0.1}}}}},
              {.top = 2, .no_answer = NoAnswer::competes});
  check(least.best, {{"", 0.81, {0, 0}}, {"x", 0.01, {0, 1}}});
}

TEST_CASE("a context without tokens has no answer") {
  const Example example{"x", " ", {{{{0, 1.0}}, {{0, 1.0}}}}};
  CHECK(answers(example, {}).best.empty());
  check(answers(example, {.no_answer = NoAnswer::competes}).best, {{"", 1, {0, 0}}});
}

namespace {

std::vector<Text> some_questions() {
  std::vector<Text> questions;
  for (size_t i = 0; i < 30; ++i) {
    std::string context;
    for (size_t word = 0; word <= (i * 7) % 40; ++word) {
      context += std::string(1, static_cast<char>('a' + (word * i) % 26)) + " ";
    }
    questions.emplace_back(i % 2 == 0 ? "a b" : "c", i % 5 == 0 ? "a b c a b" : context);
  }
  return questions;
}

bool same(const Answers& one, const Answers& other) {
  const auto equal = [](const Answer& a, const Answer& b) {
    return a.text == b.text && a.score == b.score && a.bytes == b.bytes;
  };
  return one.no_answer == other.no_answer && std::ranges::equal(one.best, other.best, equal);
}

}  // namespace

TEST_CASE("answers have the same bits alone, in any order, computed once or each, on one thread and on several") {
  const test::TinyDirectory directory("answers", 3, {.heads = {Head::question_answering}});
  const auto model = Model::load(directory.name(), {.threads = 3});
  const auto single = Model::load(directory.name(), {.threads = 1});
  const auto questions = some_questions();
  const AnswerOptions options{.top = 3};
  const auto together = model.answer(questions, options);
  REQUIRE(together.questions.size() == questions.size());
  CHECK(together.count.windows.texts_divided > 5);
  CHECK(together.count.texts_repeated == 4);  // six contexts come again, three beside each question
  std::vector<Text> backwards(questions.rbegin(), questions.rend());
  const auto reversed = single.answer(backwards, options);
  auto each = options;
  each.repeated = RepeatedTexts::compute_each;
  const auto computed = model.answer(questions, each);
  CHECK(computed.count.texts_repeated == 0);
  for (size_t i = 0; i < questions.size(); ++i) {
    CHECK(same(together.questions[i], single.answer(questions[i], options).questions[0]));
    CHECK(same(together.questions[i], reversed.questions[questions.size() - 1 - i]));
    CHECK(same(together.questions[i], computed.questions[i]));
    const auto& best = together.questions[i].best;
    REQUIRE(!best.empty());
    for (const auto& answer : best) {
      CHECK(answer.text == questions[i].text_pair->substr(answer.bytes.begin, answer.bytes.size()));
    }
  }
}

TEST_CASE("what is no question with a context is refused by its number") {
  const test::TinyDirectory directory("no_answers", 3, {.heads = {Head::question_answering}});
  const auto model = Model::load(directory.name());
  const auto refused = [&](const Text& text, const char* message) {
    CHECK_THROWS_WITH_AS((void)model.answer({{"a", "b"}, text}), message, TextError);
  };
  refused("a", "[answer] text 2: expected a question and a context, got one text");
  refused(Text::of_words({"a", "b"}), "[answer] text 2: expected a question and a context, got words already split");
  refused({"", "b"}, "[answer] text 2: expected a question, got an empty one");
  refused({"a", ""}, "[answer] text 2: expected a context, got an empty one");
  std::string long_question;
  for (int i = 0; i < 50; ++i) long_question += "a ";
  refused(
      {long_question, "b c"},
      "[windows] text 2: expected windows of more than 53 tokens, since the first text and special tokens take 53 of "
      "each, got 24");
  CHECK_THROWS_WITH_AS((void)model.answer({{"a", "b"}}, {.top = 0}), "[top] expected at least 1, got 0", UsageError);
  CHECK_THROWS_AS((void)model.answer({{"a", "b"}}, {.max_length = 25}), UsageError);
  const test::TinyDirectory other("no_head", 3, {.heads = {Head::token_classification}});
  CHECK_THROWS_WITH_AS((void)Model::load(other.name()).answer({{"a", "b"}}),
                       "[heads] this model has no question answering head; it has: token classification", ConfigError);
}
