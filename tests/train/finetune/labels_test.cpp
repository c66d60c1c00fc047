#include "train/finetune/labelled/labels.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "base/error.hpp"
#include "support/one_line.hpp"

namespace summand {

namespace {

using train::LabelledText;
using train::LabelNames;
using train::LabelShape;
using Names = std::vector<std::string>;

std::vector<LabelledText> rows_of(const Names& labels) {
  std::vector<LabelledText> rows;
  for (const std::string& label : labels) {
    rows.push_back({.text = Text("a text"), .label = label, .where = "rows:" + std::to_string(rows.size() + 1)});
  }
  return rows;
}

LabelledText row_of(const std::string& label) {
  return {.text = Text("a text"), .label = label, .where = "rows:7"};
}

LabelledText words_of(const Names& words, const std::string& label) {
  return {.text = Text::of_words(words), .label = label, .where = "rows:7"};
}

}  // namespace

TEST_CASE("labels are sorted as transformers sorts them: whole numbers by value, words by code points") {
  CHECK(LabelNames(rows_of({"10", "9", "-3", "9"}), LabelShape::one).names() == Names{"-3", "9", "10"});
  CHECK(LabelNames(rows_of({R"("10")", "9"}), LabelShape::one).names() == Names{"9", "10"});  // of a table, strings
  CHECK(LabelNames(rows_of({R"("b")", R"("B")", R"("é")", R"("中")", R"("10")", R"("9")"}), LabelShape::one).names() ==
        Names{"10", "9", "B", "b", "é", "中"});
  CHECK(LabelNames(rows_of({"true", "false"}), LabelShape::one).names() == Names{"false", "true"});
}

TEST_CASE("a row's labels are one, several or one for each word, whether a list or a table has them") {
  const LabelNames names({"a", "b", "c"});
  using Indices = std::vector<int32_t>;
  CHECK(names.indices(row_of(R"("b")"), LabelShape::one) == Indices{1});
  CHECK(names.indices(row_of(R"(["c", "a"])"), LabelShape::several) == Indices{0, 2});
  CHECK(names.indices(row_of(R"(" c ,a,, ")"), LabelShape::several) == Indices{0, 2});
  CHECK(names.indices(row_of(R"("")"), LabelShape::several).empty());
  CHECK(names.indices(row_of("[]"), LabelShape::several).empty());
  CHECK(names.indices(words_of({"x", "y"}, R"(["a", "c"])"), LabelShape::by_word) == Indices{0, 2});
  CHECK(names.indices(words_of({"x", "y"}, R"("a  c ")"), LabelShape::by_word) == Indices{0, 2});
}

TEST_CASE("numbers are read from JSON and from tables, and nothing else is one") {
  CHECK(train::number_of(row_of("-2.5")) == -2.5);
  CHECK(train::number_of(row_of(R"("3e-1")")) == 0.3);
  for (const std::string wrong :
       {R"("")", R"("3 ")", R"("nan")", R"("inf")", "true", "[1]", R"("1,5")", R"("1e999")"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(static_cast<void>(train::number_of(row_of(wrong))), TextError);
  }
}

TEST_CASE("a label that a row names twice is one of its labels once") {
  const LabelNames names({"a", "b"});
  CHECK(names.indices(row_of(R"(["b", "a", "b"])"), LabelShape::several) == std::vector<int32_t>{0, 1});
}

TEST_CASE("a label that is none, or not among the training file's, is refused by its line") {
  const LabelNames words({"neg", "pos"}), numbers({"0", "1"});
  const auto error = [](const auto& call) {
    try {
      call();
    } catch (const TextError& fault) {
      return std::string(fault.what());
    }
    return std::string("nothing");
  };
  const auto of_row = [&](const LabelNames& names, const std::string& label, LabelShape shape = LabelShape::one) {
    return error([&] { static_cast<void>(names.indices(row_of(label), shape)); });
  };
  CHECK(of_row(words, R"("neutral")") ==
        "[rows:7] expected one of the labels 'neg', 'pos', got 'neutral', which no row of --train has: leave such rows "
        "out, or "
        "train on some");
  CHECK(of_row(words, "1") == "[rows:7] expected a label that is a word, as in the training file, got '1'");
  CHECK(of_row(numbers, R"("pos")") ==
        "[rows:7] expected a label that is a number, as in the training file, got 'pos'");
  CHECK(of_row(words, "0.5") == "[rows:7] expected a word or a whole number as label, got 0.5");
  CHECK(of_row(words, R"("")") == "[rows:7] expected a label, got an empty one");
  CHECK(of_row(words, R"(["neg"])").starts_with("[rows:7] expected one label, got a list of 1"));
  CHECK(error([&] { static_cast<void>(words.indices(words_of({"x"}, R"(["neg", "pos"])"), LabelShape::by_word)); }) ==
        "[rows:7] expected 1 labels, one for each word, got 2");
  CHECK(error([&] {
          LabelNames(rows_of({"1", "1"}), LabelShape::one);
        }) == "[rows:1] expected two labels or more, got '1' in all rows of the file");
  CHECK(error([&] {
          LabelNames(rows_of({"[]", "[]"}), LabelShape::several);
        }) == "[rows:1] expected labels, got none in the whole file");
}

}  // namespace summand
