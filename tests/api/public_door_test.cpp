// What a program sees of the library that no other test of this folder looks at.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <ranges>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors_writer.hpp"
#include "summand/summand.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using test::TinyDirectory;

namespace {

Model load(const TinyDirectory& directory) {
  return Model::load(directory.name(), {.threads = 2});
}

std::vector<float> row_of(const Matrix<float>& vectors, size_t row) {
  const auto view = vectors.row(row);
  return {view.begin(), view.end()};
}

bool same(const Matrix<float>& a, const Matrix<float>& b) {
  return a.rows() == b.rows() && a.columns() == b.columns() && std::ranges::equal(a.elements(), b.elements());
}

/// Gives the texts one after the other.
NextText each_of(const std::vector<Text>& texts) {
  return [&texts, next = size_t{0}]() mutable -> std::optional<Text> {
    if (next == texts.size()) return std::nullopt;
    return texts[next++];
  };
}

TinyDirectory every_pooled_head(const std::string& name) {
  return TinyDirectory(name, 1,
                       {.pooler = model::Pooler::present,
                        .heads = {Head::masked_language, Head::next_sentence, Head::sequence_classification}});
}

/// A value that no enumerator has.
template <class Enum>
constexpr auto kNoValue = static_cast<Enum>(99);

}  // namespace

TEST_CASE("texts are given as one string, in braces, as strings, as views, as Texts, and have the same vectors") {
  const TinyDirectory directory("lists");
  const auto model = load(directory);
  const auto expected = model.embed(std::vector<Text>{"a b", "c"}).vectors;
  CHECK(row_of(model.embed("a b").vectors, 0) == row_of(expected, 0));
  CHECK(row_of(model.embed(std::string("a b")).vectors, 0) == row_of(expected, 0));
  CHECK(row_of(model.embed(std::string_view("a b")).vectors, 0) == row_of(expected, 0));
  CHECK(row_of(model.embed(Text("a b")).vectors, 0) == row_of(expected, 0));
  CHECK(row_of(model.embed({"a b"}).vectors, 0) == row_of(expected, 0));
  CHECK(same(model.embed({"a b", "c"}).vectors, expected));
  const std::vector<std::string> strings{"a b", "c"};
  CHECK(same(model.embed(strings).vectors, expected));
  CHECK(same(model.embed(std::vector<std::string>{"a b", "c"}).vectors, expected));
  CHECK(same(model.embed(std::vector<std::string_view>{"a b", "c"}).vectors, expected));
  CHECK(same(model.embed(std::array<const char*, 2>{"a b", "c"}).vectors, expected));
  const std::vector<Text> texts{"a b", "c"};
  CHECK(same(model.embed(std::span<const Text>(texts)).vectors, expected));
  CHECK(same(model.embed(strings | std::views::filter([](const std::string&) { return true; })).vectors, expected));
  const std::vector<std::pair<std::string, int>> rows{{"a b", 1}, {"c", 2}};
  const auto first = [](const std::pair<std::string, int>& row) -> const std::string& { return row.first; };
  CHECK(same(model.embed(rows | std::views::transform(first)).vectors, expected));
  CHECK(model.embed(std::vector<std::string>()).vectors.rows() == 0);
}

TEST_CASE("braces within braces are pairs") {
  const TinyDirectory directory("pairs");
  const auto model = load(directory);
  const std::vector<Text> pairs{{"a b", "c"}, {"x", "y z"}};
  CHECK(same(model.embed({{"a b", "c"}, {"x", "y z"}}).vectors, model.embed(pairs).vectors));
  const auto states = model.hidden({{"a b", "c"}});
  CHECK(std::ranges::count(states.texts[0].segments, 1) == 2);  // c [SEP]
}

TEST_CASE("a view that makes its strings as it is read is refused by the compiler") {
  const std::vector<int> numbers{1, 2};
  const auto made = numbers | std::views::transform([](int number) { return std::to_string(number); });
  static_assert(!std::is_convertible_v<decltype(made), TextList>);
  static_assert(std::is_convertible_v<std::vector<std::string>, TextList>);
  static_assert(!std::is_convertible_v<int, TextList>);
  static_assert(!std::is_convertible_v<std::vector<int>, TextList>);
}

TEST_CASE("a text is not copied on its way to its list") {
  const std::vector<std::string> strings{"a text that is longer than what a string holds in itself"};
  const TextList list(strings);
  CHECK(list[0].text.data() == strings[0].data());
}

TEST_CASE("a value that no enumerator has is refused at the door") {
  const auto directory = every_pooled_head("values");
  const auto model = load(directory);
  const LengthOptions no_length{.truncation = kNoValue<Truncation>};
  const WindowOptions no_windows{.pooling = kNoValue<WindowPooling>};
  CHECK_THROWS_WITH_AS((void)model.embed("a", {.length = no_length}),
                       "[Truncation] expected one of its named values, got 99", UsageError);
  CHECK_THROWS_AS((void)model.embed("a", {.windows = no_windows}), UsageError);
  CHECK_THROWS_AS((void)model.embed("a", {.pooling = {kNoValue<Pooling>}}), UsageError);
  CHECK_THROWS_AS((void)model.embed("a", {.normalization = kNoValue<Normalization>}), UsageError);
  CHECK_THROWS_AS((void)model.embed_stream(each_of({}), [](const Embeddings&) {}, {.pooling = {kNoValue<Pooling>}}),
                  UsageError);
  CHECK_THROWS_AS((void)model.hidden("a", {.length = no_length}), UsageError);
  CHECK_THROWS_AS((void)model.fill_mask("[MASK]", {.length = no_length}), UsageError);
  CHECK_THROWS_AS((void)model.next_sentence({{"a", "b"}}, no_length), UsageError);
  CHECK_THROWS_AS((void)model.classify("a", {.length = no_length}), UsageError);
  CHECK_THROWS_AS((void)model.classify("a", {.windows = no_windows}), UsageError);
  CHECK_THROWS_AS((void)model.rerank("a", "b", {.length = no_length}), UsageError);
  CHECK_THROWS_AS((void)model.rerank("a", "b", {.windows = no_windows}), UsageError);
  CHECK_THROWS_AS((void)model.verify("a", no_length), UsageError);
  CHECK_THROWS_AS((void)model.tokenize("a", {.special_tokens = kNoValue<SpecialTokens>}), UsageError);
  CHECK_THROWS_AS((void)model.tokenize("a", {.truncation = kNoValue<Truncation>}), UsageError);
  CHECK_THROWS_AS((void)model.decode({}, kNoValue<SpecialTokens>), UsageError);
  CHECK_THROWS_AS((void)model.tag("a", {.aggregation = kNoValue<Aggregation>}), UsageError);
  CHECK_THROWS_AS((void)model.answer({{"a", "b"}}, {.ends = kNoValue<AnswerEnds>}), UsageError);
  CHECK_THROWS_AS((void)model.answer({{"a", "b"}}, {.no_answer = kNoValue<NoAnswer>}), UsageError);
  CHECK_THROWS_AS((void)Model::load(directory.name(), {.precision = kNoValue<Precision>}), UsageError);
  CHECK_THROWS_AS((void)Tokenizer::from_vocabulary(directory.name() + "/vocab.txt", kNoValue<Lowercase>), UsageError);
  const auto tokenizer = Tokenizer::load(directory.name());
  CHECK_THROWS_AS((void)tokenizer.encode("a", {.truncation = kNoValue<Truncation>}), UsageError);
  CHECK_THROWS_AS((void)tokenizer.decode({}, kNoValue<SpecialTokens>), UsageError);
}

TEST_CASE("a matrix takes elements over and gives them away without a copy") {
  std::vector<float> elements{1, 2, 3, 4, 5, 6};
  const float* where = elements.data();
  Matrix<float> matrix(2, 3, std::move(elements));
  CHECK(matrix(1, 0) == 4);
  CHECK(matrix.elements().data() == where);
  const auto released = matrix.release();
  CHECK(released.data() == where);
  CHECK(matrix.empty());
  CHECK(matrix.rows() == 0);
  CHECK_THROWS_WITH_AS(Matrix<float>(2, 3, std::vector<float>(5)),
                       "[matrix] expected 2 rows of 3 elements, got 5 elements", UsageError);
  CHECK_THROWS_AS(Matrix<float>(2, 0, std::vector<float>(1)), UsageError);
  CHECK(Matrix<float>(4, 0, std::vector<float>()).rows() == 4);
}

TEST_CASE("a stream gives the vectors of a call, batch by batch") {
  const TinyDirectory directory("stream");
  const auto model = load(directory);
  const std::vector<Text> texts{"a b c", "", {"x y", "z"}, "? a", Text::of_words({"k l", "m"}), "o p"};
  const auto expected = model.embed(texts);
  for (const size_t batch_tokens : {1, 7, 1000}) {
    size_t row = 0;
    size_t batches = 0;
    ReadCount count;
    const auto take = [&](const Embeddings& part) {
      for (size_t i = 0; i < part.vectors.rows(); ++i) {
        CHECK(row_of(part.vectors, i) == row_of(expected.vectors, row++));
      }
      count.add(part.count);
      ++batches;
    };
    const auto report = model.embed_stream(each_of(texts), take, {}, {.batch_tokens = batch_tokens});
    CHECK(row == texts.size());
    CHECK(batches == (batch_tokens == 1 ? texts.size() : batch_tokens == 1000 ? 1 : batches));
    CHECK(report.count.tokens == expected.count.tokens);
    CHECK(count.tokens == expected.count.tokens);
    CHECK(report.count.texts == texts.size());
    CHECK_FALSE(report.stopped);
  }
  CHECK_THROWS_AS((void)model.embed_stream(each_of(texts), [](const Embeddings&) {}, {}, {.batch_tokens = 0}),
                  UsageError);
}

TEST_CASE("a stream ends where a stop is requested, and what it has given out counts") {
  const TinyDirectory directory("stop");
  const auto model = load(directory);
  const std::vector<Text> texts{"a", "b", "c", "d"};
  std::stop_source stop;
  size_t rows = 0;
  const auto take = [&](const Embeddings& part) {
    rows += part.vectors.rows();
    if (rows == 2) stop.request_stop();
  };
  const auto report = model.embed_stream(each_of(texts), take, {}, {.batch_tokens = 1, .stop = stop.get_token()});
  CHECK(report.stopped);
  CHECK(rows == 2);
  CHECK(report.count.texts == 2);

  std::stop_source within;  // while a batch is being computed
  const auto on_progress = [&](const Progress&) { within.request_stop(); };
  const auto none = model.embed_stream(each_of(texts), [](const Embeddings&) { FAIL("no batch was finished"); }, {},
                                       {.on_progress = on_progress, .stop = within.get_token()});
  CHECK(none.stopped);
  CHECK(none.count.texts == 0);
}

TEST_CASE("what a stream's source, taker or progress throws comes out of it") {
  const TinyDirectory directory("throws");
  const auto model = load(directory);
  struct Own {};
  const std::vector<Text> texts{"a", "b"};
  const auto ignore = [](const Embeddings&) {};
  CHECK_THROWS_AS((void)model.embed_stream([]() -> std::optional<Text> { throw Own(); }, ignore), Own);
  CHECK_THROWS_AS((void)model.embed_stream(each_of(texts), [](const Embeddings&) { throw Own(); }), Own);
  CHECK_THROWS_AS(
      (void)model.embed_stream(each_of(texts), ignore, {}, {.on_progress = [](const Progress&) { throw Own(); }}), Own);
}

TEST_CASE("a tokenizer alone gives what the model's own gives") {
  const TinyDirectory directory("tokenizer");
  const auto model = load(directory);
  const auto alone = Tokenizer::load(directory.name());
  const auto bare = Tokenizer::from_vocabulary(directory.name() + "/vocab.txt", Lowercase::yes);
  const std::vector<Text> texts{"A b ? c", {"x y", "z"}, Text::of_words({"k l", "m"}), ""};
  const auto encodings = alone.encode_all(texts);
  REQUIRE(encodings.size() == texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const auto own = model.tokenize(texts[i]);
    CHECK(encodings[i].ids == own.ids);
    CHECK(encodings[i].segments == own.segments);
    CHECK(encodings[i].offsets == own.offsets);
    CHECK(alone.encode(texts[i]).ids == own.ids);
    CHECK(bare.encode(texts[i]).ids == own.ids);
    CHECK(alone.decode(own.ids) == model.decode(own.ids, SpecialTokens::omit));
  }
  CHECK(alone.token(5) == "a");
  CHECK(alone.token_id("b") == 6);
  CHECK(alone.vocabulary_size() == 31);
  CHECK(alone.unknown_id() == 1);
  CHECK_THROWS_AS((void)Tokenizer::load(directory.name() + "/nowhere"), Error);
}

TEST_CASE("a head that was made ready, and memory given back, change no bit") {
  const auto directory = every_pooled_head("ready");
  const auto lazy = load(directory);
  const auto ready = load(directory);
  for (const Head head : {Head::masked_language, Head::next_sentence, Head::sequence_classification}) {
    ready.prepare(head);
    ready.prepare(head);
  }
  const auto score = [](const Model& model) { return model.fill_mask("a [MASK]").texts[0][0].fillings[0].score; };
  CHECK(score(ready) == score(lazy));
  const auto vectors = ready.embed({"a b", "c"}).vectors;
  ready.release_memory();
  CHECK(same(ready.embed({"a b", "c"}).vectors, vectors));
  CHECK_THROWS_AS(ready.prepare(Head::token_classification), ConfigError);
  CHECK_THROWS_AS(ready.prepare(kNoValue<Head>), UsageError);
}

TEST_CASE("tokens that stand for unknown words are counted") {
  const TinyDirectory directory("unknown");
  const auto model = load(directory);
  const auto count = model.embed({"a ? 1", "b"}).count;
  CHECK(count.tokens == 8);
  CHECK(count.unknown_tokens == 2);
  CHECK(model.hidden("? ?").count.unknown_tokens == 2);
}

TEST_CASE("a reranker's scores are those of the files as they were when it was loaded") {
  const TinyDirectory directory("activation");
  auto config = test::config_of({.positions = 24, .vocabulary = 31});
  config.labels = model::numbered_labels(1);
  directory.write("config.json", model::to_json(config));
  io::write_safetensors(
      directory.name() + "/model.safetensors",
      test::random_weights(config, {.pooler = model::Pooler::present, .heads = {Head::sequence_classification}}, 1));
  const auto rank = [](const Model& model) { return model.rerank("a", {"b c", "x"}).passages.at(0).score; };
  const auto sigmoid = load(directory);
  directory.write("config_sentence_transformers.json", R"({"activation_fn": "torch.nn.modules.linear.Identity"})");
  const auto identity = load(directory);
  const double logit = rank(identity);
  directory.write("config_sentence_transformers.json", R"({"activation_fn": "torch.nn.Tanh"})");
  CHECK(rank(identity) == logit);
  CHECK(rank(sigmoid) != logit);
}

TEST_CASE("pairs are scored as rerank scores its passages, and a classifier's scores are its logits") {
  const TinyDirectory directory("score");
  for (const size_t labels : {1, 3}) {
    auto config = test::config_of({.positions = 24, .vocabulary = 31});
    config.labels = model::numbered_labels(labels);
    directory.write("config.json", model::to_json(config));
    io::write_safetensors(
        directory.name() + "/model.safetensors",
        test::random_weights(config, {.pooler = model::Pooler::present, .heads = {Head::sequence_classification}}, 1));
    const auto model = load(directory);
    const auto scored = model.score({{"a", "b c"}, {"a", "x"}, {"a", "b c"}});
    REQUIRE(scored.scores.rows() == 3);
    REQUIRE(scored.scores.columns() == labels);
    CHECK(scored.count.texts_repeated == 1);
    CHECK(model.score(TextList()).scores.columns() == labels);
    if (labels > 1) {
      CHECK(scored.scores(1, 2) == static_cast<double>(scored.logits(1, 2)));
      continue;
    }
    for (const auto& passage : model.rerank("a", {"b c", "x", "b c"}).passages) {
      CHECK(scored.scores(passage.index, 0) == passage.score);
      CHECK(scored.logits(passage.index, 0) == passage.logit);
    }
  }
}

TEST_CASE(
    "a directory that asks for more coordinates than a vector has loads, and says so where vectors are asked for") {
  const TinyDirectory directory("too_many_dimensions");
  directory.write("modules.json", R"([
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
  std::filesystem::create_directories(directory.name() + "/1_Pooling");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 12, "pooling_mode_mean_tokens": true})");
  directory.write("config_sentence_transformers.json", R"({"truncate_dim": 100000})");
  const auto model = load(directory);
  CHECK(model.info().sentence_width == 0);
  CHECK(model.hidden("a").states.size() > 1);
  CHECK_THROWS_AS((void)model.embed("a"), Error);
}

TEST_CASE("vectors are normalised once more after truncation where that is asked for") {
  const TinyDirectory directory("normalised");
  const auto model = load(directory);
  CHECK(model.info().sentence_width == model.info().hidden_size);
  CHECK(!model.info().default_prompt_name);
  const auto plain = model.embed("a b c", {.dimensions = 3}).vectors;
  const auto normalised = model.embed("a b c", {.normalization = Normalization::always, .dimensions = 3}).vectors;
  double squares = 0;
  for (size_t i = 0; i < 3; ++i) {
    squares += static_cast<double>(normalised(0, i)) * static_cast<double>(normalised(0, i));
    CHECK(normalised(0, i) * plain(0, 0) == doctest::Approx(plain(0, i) * normalised(0, 0)));
  }
  CHECK(squares == doctest::Approx(1));
}

TEST_CASE("all of a list's texts are encoded as each alone, on any number of threads") {
  const TinyDirectory directory("tokenize_all");
  const auto alone = Tokenizer::load(directory.name());
  std::vector<Text> texts;
  for (size_t i = 0; i < 3000; ++i) {
    std::string text;
    for (size_t letter = 0; letter < i % 23; ++letter) text += {static_cast<char>('a' + (i * 7 + letter) % 26), ' '};
    if (i % 5 == 3) {
      texts.emplace_back(text, "x y");
    } else {
      texts.push_back(i % 7 == 2 ? Text::of_words({text, "", "z"}) : Text(text));
    }
  }
  const auto same_encoding = [](const Encoding& a, const Encoding& b) {
    return a.ids == b.ids && a.segments == b.segments && a.offsets == b.offsets && a.words == b.words &&
           a.special == b.special && a.cut == b.cut;
  };
  const TokenizeOptions cut{.truncation = Truncation::head_tail, .max_length = 9};
  std::vector<Encoding> expected;
  for (const auto& text : texts) expected.push_back(alone.encode(text, cut));
  for (const int threads : {0, 1, 2, 4}) {
    CHECK(std::ranges::equal(alone.encode_all(texts, cut, threads), expected, same_encoding));
    const auto model = Model::load(directory.name(), {.threads = threads});
    CHECK(std::ranges::equal(model.tokenize_all(texts, cut), expected, same_encoding));
  }
  CHECK(alone.encode_all({}).empty());
  CHECK_THROWS_WITH_AS((void)alone.encode_all(texts, cut, -1), "[threads] expected at least 0, got -1", UsageError);
}

TEST_CASE("of several texts that cannot be encoded the first is the one that is named") {
  const TinyDirectory directory("first_failure");
  const auto tokenizer = Tokenizer::load(directory.name());
  const TokenizeOptions strict{.truncation = Truncation::none, .max_length = 100};
  const auto letters = [](size_t count) {
    std::string text;
    for (size_t i = 0; i < count; ++i) text += "a ";
    return text;
  };
  std::vector<std::string> texts(4000, letters(50));
  for (size_t i = 1234; i < texts.size(); ++i) texts[i] = letters(100 + i);  // each its own message
  std::string expected;
  try {
    (void)tokenizer.encode(texts[1234], strict);
  } catch (const TextError& error) {
    expected = error.what();
  }
  REQUIRE(expected.find("1336") != std::string::npos);
  for (int round = 0; round < 20; ++round) {
    CHECK_THROWS_WITH_AS((void)tokenizer.encode_all(texts, strict, 4), expected.c_str(), TextError);
  }
}
