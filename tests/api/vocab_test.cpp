#include "summand/vocab.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "summand/error.hpp"
#include "summand/tokenizer.hpp"

using namespace summand;

namespace {

namespace fs = std::filesystem;

/// What is left at OUT and beside it is removed at the end.
class Out {
 public:
  Out() : path_(fs::temp_directory_path() / ("summand_vocab_" + std::to_string(::getpid()))) {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  ~Out() {
    fs::remove_all(path_);
    fs::remove_all(path_.string() + ".part");
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] bool is_absent() const { return !fs::exists(path_) && !fs::exists(path_.string() + ".part"); }

 private:
  fs::path path_;
};

NextText each_of(std::vector<Text> texts) {
  return [texts = std::move(texts), next = size_t{0}]() mutable -> std::optional<Text> {
    if (next == texts.size()) return std::nullopt;
    return texts[next++];
  };
}

std::string content(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("texts, pairs and words already split all count, and the tokenizer that is written knows them") {
  const Out out;
  const auto report = learn_vocabulary(
      each_of({"low low", {"lower", "newest 猫"}, Text::of_words({"Widest", "newest newest"})}), out.path());
  CHECK(report.texts == 3);
  CHECK(report.words == 8);
  CHECK(report.distinct_words == 5);
  CHECK(report.characters == 11);  // of low, lower, newest, widest, and the cat
  const auto tokenizer = Tokenizer::load(out.path());
  CHECK(tokenizer.vocabulary_size() == report.tokens);
  CHECK(tokenizer.encode("LÓW newest 猫", {.special_tokens = SpecialTokens::omit}).ids.size() == 3);
  CHECK(tokenizer.token_id("[MASK]") == 4);
}

TEST_CASE("progress is told while texts are read and after every merge, and what it throws leaves nothing") {
  const Out out;
  std::vector<VocabProgress> told;
  const auto texts = each_of({"aab aab", "abab abab"});
  const auto report = learn_vocabulary(texts, out.path(), {.on_step = [&](const auto& step) { told.push_back(step); }});
  REQUIRE(told.size() > 2);
  CHECK(told.front().tokens == 0);
  CHECK(told.front().words == 4);
  CHECK(told.back().tokens == report.tokens);
  for (size_t i = 2; i < told.size(); ++i) CHECK(told[i].tokens >= told[i - 1].tokens);
  fs::remove_all(out.path());
  for (const bool while_merging : {false, true}) {
    const auto stop = [&](const VocabProgress& step) {
      if ((step.tokens > 0) == while_merging) throw std::runtime_error("stopped");
    };
    CHECK_THROWS_WITH(learn_vocabulary(each_of({"aab aab"}), out.path(), {.on_step = stop}), "stopped");
    CHECK(out.is_absent());
  }
}

TEST_CASE("many texts are counted alike by any number of threads") {
  std::vector<Text> texts;
  for (int i = 0; i < 70'000; ++i) texts.emplace_back("w" + std::to_string(i % 977) + " x" + std::to_string(i % 83));
  std::string first;
  for (const int threads : {1, 5}) {
    const Out out;
    const auto report = learn_vocabulary(each_of(texts), out.path(), {.size = 500, .threads = threads});
    CHECK(report.words == 140'000);
    CHECK(report.threads == threads);
    const std::string written = content(out.path() / "tokenizer.json");
    CHECK((first.empty() || written == first));
    first = written;
  }
}

TEST_CASE("what cannot be honoured is refused before a text is read") {
  const Out out;
  const NextText none = []() -> std::optional<Text> { throw std::runtime_error("read"); };
  for (const VocabOptions& options :
       {VocabOptions{.size = 0}, {.size = size_t{1} << 20}, {.min_count = 0}, {.alphabet = 0}}) {
    CHECK_THROWS_AS(learn_vocabulary(none, out.path(), options), UsageError);
  }
  CHECK_THROWS_WITH_AS(learn_vocabulary(each_of({"", " \n"}), out.path()),
                       "[vocabulary] expected texts with words, got 2 without any", TextError);
  CHECK(out.is_absent());
}
