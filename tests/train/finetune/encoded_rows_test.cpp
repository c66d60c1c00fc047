#include "train/finetune/labelled/encoded_rows.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "text/temporary_directory.hpp"

namespace summand {

namespace {

constexpr std::string_view kVocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nhello\nun\n##aff\n##able\nworld\n";

using Words = std::vector<std::string>;
using Indices = std::vector<int32_t>;

/// One row whose words bear the labels 0, 1, …
train::EncodedRows encoded(const Words& words, const TokenizeOptions& cut) {
  const text::TemporaryDirectory directory;
  const auto tokenizer =
      text::Tokenizer::from_vocabulary(directory.write("vocab.txt", kVocabulary), text::Lowercase::yes);
  Words names;
  std::string labels;
  for (size_t word = 0; word < words.size(); ++word) {
    names.push_back(std::to_string(word));
    labels += names.back() + " ";
  }
  const train::LabelNames label_names(names);
  const std::vector<train::LabelledText> rows{
      {.text = Text::of_words(words), .label = "\"" + labels + "\"", .where = "rows:1"}};
  return train::encode_rows(rows, tokenizer, &label_names, {.shape = train::LabelShape::by_word, .cut = cut});
}

constexpr int32_t kNone = train::kNoLabel;

}  // namespace

TEST_CASE("a word's first piece has its label, wherever the text is cut") {
  const Words words{"hello", "unaffable", "world"};  // hello un ##aff ##able world
  const auto whole = encoded(words, {});
  CHECK(whole.rows[0].labels == Indices{kNone, 0, 1, kNone, kNone, 2, kNone});
  CHECK(whole.lost_words == 0);
  const auto head = encoded(words, {.truncation = Truncation::head, .max_length = 5});
  CHECK(head.rows[0].labels == Indices{kNone, 0, 1, kNone, kNone});
  CHECK(head.lost_words == 1);
  const auto tail = encoded(words, {.truncation = Truncation::tail, .max_length = 6});
  CHECK(tail.rows[0].labels == Indices{kNone, 1, kNone, kNone, 2, kNone});
  CHECK(tail.lost_words == 1);
}

TEST_CASE("a word whose first piece is cut away has no label, and is counted") {
  const auto tail = encoded({"hello", "unaffable", "world"},
                            {.truncation = Truncation::tail, .max_length = 5});  // ##aff ##able world
  CHECK(tail.rows[0].words == Indices{-1, -1, -1, 2, -1});
  CHECK(tail.rows[0].labels == Indices{kNone, kNone, kNone, 2, kNone});
  CHECK(tail.lost_words == 2);
  CHECK(tail.read.texts_cut == 1);
  // hello un … ##able un ##aff ##able un ##aff ##able
  const auto both = encoded({"hello", "unaffable", "unaffable", "unaffable", "unaffable"},
                            {.truncation = Truncation::head_tail, .max_length = 11});
  CHECK(both.rows[0].words == Indices{-1, 0, 1, -1, 3, -1, -1, 4, -1, -1, -1});
  CHECK(both.lost_words == 1);
}

TEST_CASE("a row of more windows than it may have is read as its first ones, and counted") {
  const text::TemporaryDirectory directory;
  const auto tokenizer =
      text::Tokenizer::from_vocabulary(directory.write("vocab.txt", kVocabulary), text::Lowercase::yes);
  const train::LabelNames names(Words{"0"});
  const std::vector<train::LabelledText> rows{
      {.text = Text("hello world hello world hello"), .label = "0", .where = "rows:1"},
      {.text = Text("hello world"), .label = "0", .where = "rows:2"}};
  for (const size_t most : {size_t{1}, size_t{2}, size_t{3}}) {
    const auto read = train::encode_rows(rows, tokenizer, &names,
                                         {.cut = {.max_length = 4},
                                          .windows = WindowOptions{.pooling = WindowPooling::transformer},
                                          .most_windows = most});
    CAPTURE(most);
    CHECK(read.shortened == static_cast<size_t>(most < 3 ? 1 : 0));
    CHECK(read.rows[0].windows.size() == most);
    CHECK(read.rows[0].texts_read() == most);
    CHECK(read.rows[0].windows[0].ids == Indices{2, 5, 9, 3});
    CHECK(read.rows[0].tokens_read() == (most == 3 ? 11 : 4 * most));
    CHECK(read.rows[1].windows.empty());
    CHECK(train::batch_of(read.rows, std::vector<size_t>{0, 1}).texts() == most + 1);
  }
}

}  // namespace summand
