#include "api/embedding/embedder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include "api/embedding/embedding_batches.hpp"
#include "api/tokenizing/encode_texts.hpp"
#include "base/error.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using namespace summand::api;
using test::TinyDirectory;

namespace {

LoadedModel load(const TinyDirectory& directory) {
  return LoadedModel::load(directory.name(), {.threads = 2});
}

std::vector<text::InputRecord> records(const std::vector<std::string>& texts) {
  std::vector<text::InputRecord> list;
  for (const auto& text : texts) list.emplace_back().text = text;
  return list;
}

const std::vector<std::string> kTexts{"a b c", "", "x", "q w e r t y u i o p a s d f g h j k l z x c v b n m", "? a"};

}  // namespace

TEST_CASE("four threads that embed at once get the same bits as one") {
  const TinyDirectory directory("threads");
  const auto model = load(directory);
  const Embedder embedder(model, {});
  const auto texts = records(kTexts);
  const auto expected = embedder.embed(texts).vectors;
  std::vector<std::thread> threads;
  std::vector<int> equal(4);
  for (int& same : equal) {
    threads.emplace_back([&] {
      same = 1;
      for (int round = 0; round < 50; ++round) {
        const auto vectors = embedder.embed(texts).vectors;
        if (!std::ranges::equal(vectors.elements(), expected.elements())) same = 0;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(equal == std::vector<int>{1, 1, 1, 1});
}

TEST_CASE("the limit is max_seq_length, else the tokenizer's, never above the positions") {
  const TinyDirectory directory("limit");
  CHECK(load(directory).sentence_limit() == 24);
  directory.write("tokenizer_config.json", R"({"model_max_length": 20})");
  CHECK(load(directory).sentence_limit() == 20);
  directory.write("tokenizer_config.json", R"({"model_max_length": 1000000000000000019884624838656})");
  CHECK(load(directory).sentence_limit() == 24);
  directory.write("modules.json", R"([
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
    {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"},
    {"idx": 2, "name": "2", "path": "2_Normalize", "type": "sentence_transformers.models.Normalize"}])");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 12, "pooling_mode_cls_token": true})");
  directory.write("sentence_bert_config.json", R"({"max_seq_length": 9, "do_lower_case": false})");
  const auto model = load(directory);
  CHECK(model.sentence_limit() == 9);
  const Embedder embedder(model, {});
  CHECK(embedder.embed(records(kTexts)).count.texts_cut == 1);
  const auto vectors = embedder.embed(records(kTexts)).vectors;
  double squares = 0;
  for (const float x : vectors.row(0)) squares += static_cast<double>(x) * x;
  CHECK(std::abs(squares - 1) < 1e-6);
}

TEST_CASE("the settings name each option that changes a vector, and the model's files") {
  const TinyDirectory directory("settings");
  const auto model = load(directory);
  const auto plain = Embedder(model, {}).settings();
  const auto differing = [&](const EmbedOptions& options) {
    const auto settings = Embedder(model, options).settings();
    REQUIRE(settings.size() == plain.size());
    std::string names;
    for (size_t i = 0; i < plain.size(); ++i) {
      CHECK(settings[i].name == plain[i].name);
      if (settings[i].value != plain[i].value) names += (names.empty() ? "" : ", ") + settings[i].name;
    }
    return names;
  };
  CHECK(differing({}).empty());
  CHECK(differing({.pooling = {model::Pooling::mean}}).empty());
  CHECK(differing({.pooling = {model::Pooling::cls}}) == "pooling");
  CHECK(differing({.normalization = Normalization::none}) == "normalization");
  CHECK(differing({.dimensions = 5}) == "dimensions");
  CHECK(differing({.prompt = "a "}) == "prompt");
  CHECK(differing({.length = {.truncation = text::Truncation::head_tail}}) == "truncation");
  CHECK(differing({.length = {.max_length = 7}}) == "max-length");
  CHECK(differing({.windows = WindowOptions()}) == "windows, overlap");
  CHECK(differing({.windows = WindowOptions{.pooling = WindowPooling::maximum}}) == "windows, overlap");
  directory.write("tokenizer_config.json", "{}");
  CHECK(differing({}) == "model files");
}

TEST_CASE("a prompt is known by its name, or is a text") {
  const TinyDirectory directory("prompts");
  directory.write("modules.json",
                  R"([{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
                  {"idx": 1, "name": "1", "path": "1_Pooling", "type": "sentence_transformers.models.Pooling"}])");
  directory.write("1_Pooling/config.json", R"({"word_embedding_dimension": 12, "pooling_mode_mean_tokens": true})");
  directory.write("config_sentence_transformers.json",
                  R"({"prompts": {"query": "q ", "passage": "p "}, "default_prompt_name": "passage"})");
  const auto model = load(directory);
  CHECK(Embedder(model, {}).prompt() == "p ");
  CHECK(Embedder(model, {}).prompt_name() == "passage");
  CHECK(Embedder(model, {.prompt_name = "query"}).prompt() == "q ");
  CHECK(Embedder(model, {.prompt = "query"}).prompt() == "query");
  CHECK_FALSE(Embedder(model, {.prompt = "query"}).prompt_name());
  CHECK_THROWS_WITH_AS(
      Embedder(model, {.prompt_name = "qurey"}),
      "[prompt-name] expected the name of one of the model's prompts, 'document', 'passage', 'query', got 'qurey'",
      UsageError);
  CHECK_THROWS_WITH_AS(Embedder(model, {.prompt = "x", .prompt_name = "query"}),
                       "[prompt] expected either a prompt or the name of one, got both", UsageError);
}

TEST_CASE("options that do not fit the model are refused with what would") {
  const TinyDirectory directory("options");
  const auto model = load(directory);
  CHECK_THROWS_WITH_AS(Embedder(model, {.dimensions = 13}), "[dimensions] expected 1 to 12, got 13", UsageError);
  CHECK_THROWS_WITH_AS(Embedder(model, {.pooling = {model::Pooling::last_four_mean}}),
                       "[pooling] the last four layers were asked for, the model has 2", UsageError);
  CHECK_THROWS_WITH_AS((void)model.encode(records({"a"})[0], {.max_length = 25}, 24),
                       "[max-length] expected at most 24, the positions that the model has, got 25", UsageError);
  text::InputRecord split;
  split.words = {"a", "b"};
  CHECK_THROWS_AS((void)Embedder(model, {.prompt = "x"}).embed(split), UsageError);
}

TEST_CASE("a token that the model has no row for is refused where a text uses it") {
  const TinyDirectory directory("vocabulary");
  directory.write("added_tokens.json", R"({"<new>": 31})");
  const auto model = load(directory);
  const Embedder embedder(model, {});
  CHECK_NOTHROW((void)embedder.embed(records({"a z"})));
  CHECK_THROWS_WITH_AS((void)embedder.embed(records({"a <new>"})),
                       "[tokenizer] text 1: token '<new>' has id 31, expected an id below vocab_size (31)", TextError);
}

namespace {

std::string letters(size_t count, size_t seed) {
  std::string text;
  for (size_t i = 0; i < count; ++i) text += std::string(i == 0 ? "" : " ") + static_cast<char>('a' + (i * seed) % 26);
  return text;
}

std::vector<text::InputRecord> mixed_records() {
  auto list = records({letters(100, 7), "", letters(22, 3), letters(23, 5), "? a", letters(400, 11), "x"});
  list.emplace_back().text = "a b";
  list.back().text_pair = letters(60, 9);
  list.emplace_back().words = std::vector<std::string>(50, "k");
  return list;
}

std::vector<float> row_of(const Matrix<float>& vectors, size_t row) {
  const auto view = vectors.row(row);
  return {view.begin(), view.end()};
}

}  // namespace

TEST_CASE("with windows a text has the same bits alone, in any batch and in batches of any size") {
  const TinyDirectory directory("windows");
  const auto model = load(directory);
  const auto texts = mixed_records();
  for (const auto pooling : {WindowPooling::mean, WindowPooling::maximum}) {
    const Embedder embedder(model, {.windows = WindowOptions{.pooling = pooling, .overlap = 5}});
    const auto together = embedder.embed(texts);
    CHECK(together.count.windows.texts_divided == 5);
    CHECK(together.count.texts_cut == 0);
    for (size_t i = 0; i < texts.size(); ++i) {
      CHECK(row_of(embedder.embed(texts[i]).vectors, 0) == row_of(together.vectors, i));
    }
    for (const size_t batch_tokens : {1, 30, 100, 1000}) {
      EmbeddingBatches apart(embedder, TextList(texts), {.batch_tokens = batch_tokens});
      while (const auto batch = apart.next()) {
        for (size_t i = 0; i < batch->vectors.rows(); ++i) {
          CHECK(row_of(batch->vectors, i) == row_of(together.vectors, batch->read.first + i));
        }
      }
      CHECK(apart.count().texts == texts.size());
      CHECK(apart.count().windows.windows == together.count.windows.windows);
    }
  }
}

TEST_CASE("a text that fits has the same bits with windows as without") {
  const TinyDirectory directory("fits");
  const auto model = load(directory);
  const auto texts = records({"a b c", "", "x", letters(22, 5), "? a"});
  const auto plain = Embedder(model, {}).embed(texts).vectors;
  for (const auto pooling : {WindowPooling::mean, WindowPooling::maximum}) {
    const auto windows = Embedder(model, {.windows = WindowOptions{.pooling = pooling}}).embed(texts);
    CHECK(std::ranges::equal(windows.vectors.elements(), plain.elements()));
    CHECK(windows.count.windows.texts_divided == 0);
    CHECK(windows.count.windows.windows == texts.size());
  }
}

TEST_CASE("a long text's vector is the mean or the maximum of its windows' own vectors") {
  const TinyDirectory directory("by_hand");
  const auto model = load(directory);
  const std::string text = letters(60, 7);  // 22 letters to a window, and one blank behind each
  const auto windows = Embedder(model, {})
                           .embed(records({text.substr(0, 43), text.substr(2 * 19, 43), text.substr(2 * 38, 43)}))
                           .vectors;
  const auto long_text = records({text});
  const auto mean = Embedder(model, {.windows = WindowOptions{.overlap = 3}}).embed(long_text);
  REQUIRE(mean.count.windows.windows == 3);
  const auto maximum =
      Embedder(model, {.windows = WindowOptions{.pooling = WindowPooling::maximum, .overlap = 3}}).embed(long_text);
  for (size_t i = 0; i < windows.columns(); ++i) {
    const double sum = static_cast<double>(windows(0, i)) + windows(1, i) + windows(2, i);
    CHECK(mean.vectors(0, i) == static_cast<float>(sum / 3));
    CHECK(maximum.vectors(0, i) == std::max({windows(0, i), windows(1, i), windows(2, i)}));
  }
}

TEST_CASE("windows and what does not go with them are refused") {
  const TinyDirectory directory("refused");
  const auto model = load(directory);
  CHECK_THROWS_WITH_AS(Embedder(model, {.length = {.truncation = text::Truncation::tail}, .windows = WindowOptions()}),
                       "[windows] expected either a way to cut or windows, which cut nothing, got both", UsageError);
  CHECK_THROWS_WITH_AS(Embedder(model, {.windows = WindowOptions{.overlap = 22}}),
                       "[overlap] expected less than 22, the tokens of a window without special ones, got 22",
                       UsageError);
}

TEST_CASE("what a progress callback throws ends the run") {
  const TinyDirectory directory("progress");
  const auto model = load(directory);
  const Embedder embedder(model, {});
  struct Stop {};
  const auto stop = [](const Progress& done) {
    if (done.texts == 2) throw Stop();
  };
  EmbeddingBatches batches(embedder, TextList{"a", "b"}, {.batch_tokens = 1, .on_progress = stop});
  CHECK(batches.next()->vectors.rows() == 1);
  CHECK_THROWS_AS((void)batches.next(), Stop);
  CHECK(batches.count().texts == 1);
}
