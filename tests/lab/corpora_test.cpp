#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/utf8.hpp"
#include "io/safetensors_writer.hpp"
#include "lab/subject/built_in_corpora.hpp"
#include "lab/subject/corpus.hpp"
#include "lab/subject/subject.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"
#include "text/tokenizer.hpp"

namespace summand::lab {

namespace {

using text::Tokenizer;

constexpr size_t kPositions = 512;

/// What a built-in corpus promises, by the vocabulary of its language.
struct Promise {
  std::string_view name;
  std::string_view vocabulary;
  size_t texts;
  size_t pairs;
  size_t whole;  ///< texts that reach the last position, at least
};
constexpr std::array kPromises{Promise{"english", "bert-base-uncased.txt", 73, 24, 8},
                               Promise{"chinese", "bert-base-chinese.txt", 49, 16, 5}};
constexpr double kMostUnknown = 0.005;
constexpr double kLeastLate = 0.2;  // about a quarter
constexpr double kMostLate = 0.32;

std::string vocabulary_path(std::string_view name) {
  return fmt::format("{}/vocab/{}", SUMMAND_TEST_DATA, name);
}

Tokenizer tokenizer_of(std::string_view vocabulary) {
  return Tokenizer::from_vocabulary(vocabulary_path(vocabulary), Lowercase::yes);
}

std::vector<text::Encoding> encoded(const Tokenizer& tokenizer, std::string_view corpus) {
  std::vector<text::Encoding> sentences;
  for (const auto& one : built_in_corpus(corpus)->texts) {
    const text::EncodeOptions options{.max_length = kPositions};
    sentences.push_back(one.text_pair ? tokenizer.encode_pair(one.text, *one.text_pair, options)
                                      : tokenizer.encode(one.text, options));
  }
  return sentences;
}

bool is_pair(const text::Encoding& sentence) {
  return sentence.segments.back() == 1;
}

/// A checkpoint of random weights with one of the vocabularies.
void write_checkpoint(const test::TinyDirectory& directory, std::string_view vocabulary, int64_t positions) {
  std::ostringstream words;
  words << std::ifstream(vocabulary_path(vocabulary)).rdbuf();
  directory.write("vocab.txt", words.str());
  const auto rows = static_cast<int64_t>(tokenizer_of(vocabulary).vocabulary_size());
  const auto config =
      test::config_of({.hidden = 4, .heads = 1, .intermediate = 4, .positions = positions, .vocabulary = rows});
  directory.write("config.json", model::to_json(config));
  io::write_safetensors(std::filesystem::path(directory.name()) / "model.safetensors",
                        test::random_weights(config, {}, 1));
}

std::string_view first_half(std::string_view text) {
  return text.substr(0, text.size() / 2);
}

}  // namespace

TEST_CASE("the built-in corpora have the texts and the pairs that they promise, and none twice") {
  CHECK(built_in_corpora().size() == kPromises.size());
  for (const Promise& promise : kPromises) {
    CAPTURE(promise.name);
    const auto* corpus = built_in_corpus(promise.name);
    REQUIRE(corpus != nullptr);
    CHECK(corpus->texts.size() == promise.texts);
    CHECK(std::ranges::count_if(corpus->texts, [](const auto& one) { return one.text_pair.has_value(); }) ==
          static_cast<std::ptrdiff_t>(promise.pairs));
    std::set<std::string> sides;
    const auto take = [&](const std::string& side) {
      CHECK(is_valid_utf8(side));
      CHECK_FALSE(side.empty());
      sides.insert(side);
    };
    for (const auto& one : corpus->texts) {
      take(one.text);
      if (!one.text_pair) continue;
      take(*one.text_pair);
      CHECK(one.text_pair->find(first_half(one.text)) == std::string::npos);  // in other words
    }
    CHECK(sides.size() == promise.texts + promise.pairs);
  }
  CHECK(built_in_corpus("French") == nullptr);
}

TEST_CASE("the built-in corpora reach the last position, with few [UNK] and with texts of every length") {
  for (const Promise& promise : kPromises) {
    CAPTURE(promise.name);
    const Tokenizer tokenizer = tokenizer_of(promise.vocabulary);
    const auto sentences = encoded(tokenizer, promise.name);
    const auto counts = counts_of(sentences, tokenizer.unk_id());
    CHECK(counts.unknown_share() < kMostUnknown);
    CHECK(counts.late_share() > kLeastLate);
    CHECK(counts.late_share() < kMostLate);

    size_t whole_pairs = 0;
    size_t whole_singles = 0;
    std::array<size_t, 7> of_length{};  // below 16, 32, 64, 128, 256, 512, and 512 itself
    for (const auto& sentence : sentences) {
      const size_t length = sentence.ids.size();
      if (length == kPositions) ++(is_pair(sentence) ? whole_pairs : whole_singles);
      size_t band = 0;
      for (size_t most = 16; length >= most && band + 1 < of_length.size(); most *= 2) ++band;
      ++of_length.at(band);
    }
    CHECK(whole_pairs + whole_singles >= promise.whole);
    CHECK(whole_pairs >= 2);
    CHECK(whole_singles >= 2);
    for (const size_t texts : of_length) CHECK(texts >= 2);
    const auto length = [](const auto& sentence) { return sentence.ids.size(); };
    CHECK(length(std::ranges::min(sentences, {}, length)) == 4);
  }
}

TEST_CASE("a vocabulary of the other language is told by its [UNK] or by words in pieces") {
  const Tokenizer english = tokenizer_of("bert-base-uncased.txt");
  const Tokenizer chinese = tokenizer_of("bert-base-chinese.txt");
  const auto counts = [](const Tokenizer& tokenizer, const char* corpus) {
    return counts_of(encoded(tokenizer, corpus), tokenizer.unk_id());
  };
  CHECK(counts(english, "chinese").unknown_share() > 0.5);
  // It has every letter, so that no English word is unknown to it.
  CHECK(counts(chinese, "english").unknown_share() < kMostUnknown);
  CHECK(counts(chinese, "english").foreign_share() > 0.2);
  CHECK(counts(chinese, "chinese").foreign_share() < 0.01);
}

TEST_CASE("tokens are counted as they stand") {
  const Tokenizer tokenizer = tokenizer_of("bert-base-uncased.txt");
  const auto sentence =
      tokenizer.encode_pair("embeddings", "\xE0\xB2\xA0 it");  // em ##bed ##ding ##s, a letter of Kannada
  REQUIRE(sentence.ids.size() == 9);
  const auto counts = counts_of({sentence}, tokenizer.unk_id());
  CHECK(counts.tokens == 9);
  CHECK(counts.continued == 3);
  CHECK(counts.unknown == 1);
  CHECK(counts.late == 0);
  CHECK(counts.foreign_share() == doctest::Approx(4.0 / 9));
  text::Encoding repeated;
  for (size_t i = 0; i < CorpusCounts::kLate + 2; ++i) {
    repeated.ids.push_back(7);
    repeated.segments.push_back(0);
    repeated.words.push_back(static_cast<int32_t>(i));
  }
  CHECK(counts_of({repeated}, std::nullopt).late == 2);
}

TEST_CASE("without --corpus a checkpoint gets the corpus of its language, and may be asked for the other") {
  const std::array<std::pair<std::string_view, std::string>, 2> vocabularies{
      std::pair{"bert-base-uncased.txt", "english"}, std::pair{"bert-base-chinese.txt", "chinese"}};
  const test::TinyDirectory directory("corpora");
  for (const auto& [vocabulary, language] : vocabularies) {
    CAPTURE(vocabulary);
    write_checkpoint(directory, vocabulary, 16);
    const auto corpus = [&](const std::optional<std::filesystem::path>& asked) {
      return load_subject(directory.name(), asked, 1).corpus;
    };
    const Corpus own = corpus({});
    CHECK(own.option == language);
    CHECK(own.is_default);
    CHECK(own.name.en.starts_with(language + " (built in), " + std::to_string(own.sentences.size()) + " texts, "));
    CHECK(own.name.en.find(" tokens: 0.00 % [UNK], 0.0 % at positions from 256 on") != std::string::npos);
    CHECK(own.name.zh.starts_with(language + "（内置）"));
    for (const char* asked : {"english", "chinese"}) {
      const Corpus given = corpus(asked);
      CHECK(given.option == asked);
      CHECK(given.is_default == (asked == language));
      CHECK((given.hash == own.hash) == given.is_default);
    }
  }
  CHECK_THROWS_WITH(
      load_subject(directory.name(), "./english", 1),
      doctest::Contains("expected english, chinese, or a name that ends in .txt, .jsonl, .csv or .tsv, .gz or "
                        ".zst behind it or not, got './english'"));
}

}  // namespace summand::lab
