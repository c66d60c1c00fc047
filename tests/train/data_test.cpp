#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>

#include "base/error.hpp"
#include "small_tokens.hpp"
#include "text/tokenizer_files.hpp"
#include "train/data/document_reader.hpp"
#include "train/data/example_stream.hpp"
#include "train/data/masked_batch.hpp"
#include "train/data/permutation.hpp"
#include "train/data/token_file.hpp"
#include "train/data/write_tokens.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

std::vector<Document> documents_in(std::vector<std::string> paths) {
  DocumentReader reader(std::move(paths));
  std::vector<Document> all;
  while (auto document = reader.next()) all.push_back(*std::move(document));
  return all;
}

/// 40 documents of 1 to 9 sentences of 1 to 12 words.
std::string many_documents() {
  RandomStream stream(5, "documents");
  std::string text;
  for (int document = 0; document < 40; ++document) {
    const size_t sentences = 1 + stream.below(9);
    for (size_t i = 0; i < sentences; ++i) {
      const size_t words = 1 + stream.below(12);
      for (size_t word = 0; word < words; ++word) {
        text += static_cast<char>('a' + stream.below(26));
        const size_t pieces = stream.below(3);
        for (size_t piece = 0; piece < pieces; ++piece) text += static_cast<char>('1' + stream.below(9));
        text += ' ';
      }
      text += '\n';
    }
    text += '\n';
  }
  return text;
}

/// Tokens of many documents, mapped.
struct Corpus {
  test::Folder folder;
  text::Tokenizer tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  SpecialIds ids = SpecialIds::of(tokenizer);
  TokenFile file = [this] {
    DocumentReader reader({folder.write("texts.txt", many_documents()).string()});
    (void)write_tokens(reader, tokenizer, folder.path() / "tokens", "source", 2);
    return TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  }();
};

double share_of(const std::vector<uint8_t>& marks) {
  return static_cast<double>(std::ranges::count(marks, 1)) / static_cast<double>(marks.size());
}

}  // namespace

TEST_CASE("documents end at blank lines, at records and at the ends of files") {
  const test::Folder folder;
  const auto text = folder.write("a.txt", "\none\ntwo\n \n\nthree\n");
  const auto records = folder.write("b.jsonl", "{\"text\": \"four\\nfive\"}\n{\"text\": \"\"}\n{\"text\": \"six\"}\n");
  const auto last = folder.write("c.txt", "seven");
  const std::vector<Document> expected{{"one", "two"}, {"three"}, {"four", "five"}, {"six"}, {"seven"}};
  CHECK(documents_in({text.string(), records.string(), last.string()}) == expected);
  CHECK_THROWS_AS(DocumentReader({}), UsageError);
  CHECK_THROWS_AS(DocumentReader({(folder.path() / "none.txt").string()}), IoError);
}

TEST_CASE("a token file holds every token, its sentences, its documents and its spaces") {
  const test::Folder folder;
  const auto tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  DocumentReader reader({folder.write("a.txt", "ab1 c\n\xE4\xB8\xAD\xE6\x96\x87 \xE4\xB8\xAD\n\n?\n\n\nd\n").string()});
  const auto counts = write_tokens(reader, tokenizer, folder.path() / "tokens", "here", 1);
  const TokenFile file = TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  std::string tokens;
  std::vector<bool> spaces;
  for (uint64_t i = 0; i < file.tokens(); ++i) {
    tokens += std::string(tokenizer.token(file.id(i))) + " ";
    spaces.push_back(file.follows_space(i));
  }
  CHECK(tokens == "[UNK] c \xE4\xB8\xAD \xE6\x96\x87 \xE4\xB8\xAD [UNK] d ");
  CHECK(spaces == std::vector<bool>{true, true, true, false, true, true, true});
  CHECK(file.sentence(1) == Range{2, 5});
  CHECK(file.sentence_of(4) == 1);
  CHECK(file.document(0) == Range{0, 2});
  CHECK(file.documents() == 3);
  CHECK(file.source() == "here");
  CHECK(counts.unknown == 2);
}

TEST_CASE("a damaged token file is refused, wherever one byte of it changes or goes") {
  const Corpus corpus;
  const fs::path folder = corpus.folder.path() / "tokens";
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto name = entry.path().filename().string();
    CAPTURE(name);
    std::string content(fs::file_size(entry.path()), '\0');
    std::ifstream(entry.path(), std::ios::binary).read(content.data(), static_cast<std::streamsize>(content.size()));
    const auto put = [&](const std::string& bytes) { std::ofstream(entry.path(), std::ios::binary) << bytes; };
    for (const size_t place : {size_t{0}, content.size() / 2, content.size() - 2}) {
      std::string changed = content;
      changed[place] = static_cast<char>(changed[place] ^ 1);
      put(changed);
      // A count that still parses is caught by the sizes that it asks for; a blank between keys decides nothing.
      if (changed[place] != '\x0b')
        CHECK_THROWS_AS((void)TokenFile::open(folder, corpus.tokenizer.vocabulary_size()), Error);
    }
    put(content.substr(0, content.size() - 1));
    if (name != kTokenIndex)
      CHECK_THROWS_AS((void)TokenFile::open(folder, corpus.tokenizer.vocabulary_size()), TextError);
    put(content);
    CHECK(TokenFile::open(folder, corpus.tokenizer.vocabulary_size()).tokens() == corpus.file.tokens());
  }
}

TEST_CASE("the number of threads changes nothing in a token file") {
  const Corpus corpus;
  DocumentReader reader({(corpus.folder.path() / "texts.txt").string()});
  (void)write_tokens(reader, corpus.tokenizer, corpus.folder.path() / "again", "source", 1);
  const auto read = [](const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  for (const auto name : {kTokenIds, kSpaceBits, kSentenceEnds, kDocumentEnds, kTokenIndex}) {
    CHECK(read(corpus.folder.path() / "again" / name) == read(corpus.folder.path() / "tokens" / name));
  }
}

TEST_CASE("an order of any size takes every place once") {
  for (const uint64_t count : {1U, 2U, 3U, 17U, 1000U}) {
    const Permutation order(count, RandomStream(1, "order"));
    std::set<uint64_t> places;
    for (uint64_t i = 0; i < count; ++i) places.insert(order.at(i));
    CHECK(places.size() == count);
    CHECK(*places.rbegin() == count - 1);
  }
}

TEST_CASE("without pairs, an epoch's sequences hold every token once, within the length") {
  const Corpus corpus;
  const ExampleRules rules{.length = 12, .pairs = Pairs::none, .short_share = 0};
  std::vector<int> seen(corpus.file.tokens());
  for (uint64_t document = 0; document < corpus.file.documents(); ++document) {
    RandomStream stream(1, "cut");
    for (const Example& example : cut_examples(corpus.file, document, rules, stream)) {
      CHECK(example.tokens() <= 10);
      CHECK(example.tokens() > 0);
      for (size_t token = example.first.begin; token < example.first.end; ++token) ++seen[token];
    }
  }
  CHECK(std::ranges::all_of(seen, [](int times) { return times == 1; }));
}

TEST_CASE("half of next-sentence pairs go on, the others come from another document") {
  const Corpus corpus;
  const ExampleRules rules{.length = 24, .pairs = Pairs::next_sentence, .short_share = 0.1};
  int follows = 0;
  int all = 0;
  for (int epoch = 0; epoch < 50; ++epoch) {
    for (uint64_t document = 0; document < corpus.file.documents(); ++document) {
      RandomStream stream(static_cast<uint64_t>(epoch), "pairs " + std::to_string(document));
      for (const Example& example : cut_examples(corpus.file, document, rules, stream)) {
        REQUIRE(!example.first.empty());
        REQUIRE(!example.second.empty());
        REQUIRE(example.tokens() <= 21);
        const Range own = corpus.file.document(document);
        const auto in_own = [&](Range range) {
          const size_t sentence = corpus.file.sentence_of(range.begin);
          return sentence >= own.begin && sentence < own.end;
        };
        REQUIRE(in_own(example.first));
        REQUIRE(in_own(example.second) == (example.label == kFollows));
        if (example.label == kFollows) REQUIRE(example.second.begin >= example.first.end);
        follows += example.label == kFollows ? 1 : 0;
        ++all;
      }
    }
  }
  // A chunk of one sentence has nothing to go on with: fewer than half.
  CHECK(follows > all / 4);
  CHECK(follows <= all / 2);
}

TEST_CASE("what does not follow a text begins anywhere in another document, in pieces of long sentences too") {
  const test::Folder folder;
  const auto tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  std::string longest;
  for (int i = 0; i < 40; ++i) longest += "x ";
  DocumentReader reader({folder.write("a.txt", "a\na\na\n\n" + longest + "\ny\nz\n").string()});
  (void)write_tokens(reader, tokenizer, folder.path() / "tokens", "elsewhere", 1);
  const TokenFile file = TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  const ExampleRules rules{.length = 13, .pairs = Pairs::next_sentence, .short_share = 0};
  std::set<size_t> begins;
  for (int epoch = 0; epoch < 400; ++epoch) {
    RandomStream stream(1, "epoch " + std::to_string(epoch));
    for (const Example& example : cut_examples(file, 0, rules, stream)) {
      if (example.label != kFollowsNot) continue;
      CHECK(example.second.begin >= 3);
      CHECK(example.second.end <= file.tokens());
      begins.insert(example.second.begin);
    }
  }
  for (const size_t piece : {3U, 13U, 23U, 33U, 43U, 44U}) CHECK(begins.contains(piece));
}

TEST_CASE("half of sentence-order pairs are swapped, and both texts are of one document") {
  const Corpus corpus;
  const ExampleRules rules{.length = 24, .pairs = Pairs::sentence_order, .short_share = 0};
  int swapped = 0;
  int all = 0;
  for (uint64_t document = 0; document < corpus.file.documents(); ++document) {
    for (uint64_t epoch = 0; epoch < 20; ++epoch) {
      RandomStream stream(epoch, "order " + std::to_string(document));
      for (const Example& example : cut_examples(corpus.file, document, rules, stream)) {
        REQUIRE((example.first.begin < example.second.begin) == (example.label == kFollows));
        swapped += example.label;
        ++all;
      }
    }
  }
  CHECK(std::abs(swapped - all / 2.0) < 4 * std::sqrt(all / 4.0));
}

TEST_CASE("a stream that goes on from a place gives what it would have given") {
  const Corpus corpus;
  const SequenceRules rules{.examples = {.length = 20, .pairs = Pairs::next_sentence, .short_share = 0.1}};
  BatchStream whole(corpus.file, corpus.ids, rules, 3);
  std::vector<BatchPlace> places;
  std::vector<MaskedBatch> batches;
  for (int i = 0; i < 60; ++i) {
    places.push_back(whole.place());
    batches.push_back(whole.next(90));
    CHECK(batches.back().batch.tokens() <= 90);
    CHECK(batches.back().batch.texts() > 0);
  }
  CHECK(places.back().stream.epoch > 0);
  for (const size_t at : {size_t{0}, size_t{13}, size_t{59}}) {
    BatchStream part(corpus.file, corpus.ids, rules, 3, places[at]);
    const auto again = part.next(90);
    CHECK(again.batch.ids == batches[at].batch.ids);
    CHECK(again.predicted == batches[at].predicted);
    CHECK(again.targets == batches[at].targets);
    CHECK(again.pair_labels == batches[at].pair_labels);
  }
}

TEST_CASE("a batch is filled to its last tokens, by a shorter last sequence") {
  const Corpus corpus;
  for (const auto pairs : {Pairs::none, Pairs::next_sentence, Pairs::sentence_order}) {
    const SequenceRules rules{.examples = {.length = 20, .pairs = pairs, .short_share = 0.1}};
    BatchStream stream(corpus.file, corpus.ids, rules, 3);
    for (int i = 0; i < 60; ++i) {
      const auto batch = stream.next(100);
      CHECK(batch.batch.tokens() <= 100);
      CHECK(batch.batch.tokens() >= 100 - special_tokens_of(pairs) - 1);
      for (size_t text = 0; text < batch.batch.texts(); ++text) {
        CHECK(batch.batch.length(text) > special_tokens_of(pairs));
        CHECK(batch.batch.length(text) <= 20);
      }
    }
  }
}

TEST_CASE("masks are drawn at their rates: exactly, independently, one of each window") {
  const std::vector<uint8_t> tokens(1000, 1);
  RandomStream stream(1, "masks");
  const auto exact = masked(tokens, {.selection = Selection::exact}, 0, stream);
  CHECK(std::ranges::count(exact.predicted, 1) == 150);
  CHECK(exact.corrupted == exact.predicted);

  double share = 0;
  for (int i = 0; i < 100; ++i)
    share += share_of(masked(tokens, {.selection = Selection::independent}, 0, stream).predicted) / 100;
  CHECK(share == doctest::Approx(0.15).epsilon(0.02));

  const auto windows = masked(tokens, {.selection = Selection::windows, .window = 8}, 0, stream);
  for (size_t begin = 0; begin + 8 <= tokens.size(); begin += 8) {
    const auto window = windows.predicted.begin() + static_cast<std::ptrdiff_t>(begin);
    CHECK(std::count(window, window + 8, 1) == 1);
  }
}

TEST_CASE("corruption and prediction have rates of their own") {
  const std::vector<uint8_t> tokens(1000, 1);
  RandomStream more(1, "more");
  const auto noisy = masked(tokens, {.predict_rate = 0.15, .corrupt_rate = 0.4}, 0, more);
  CHECK(std::ranges::count(noisy.predicted, 1) == 150);
  CHECK(std::ranges::count(noisy.corrupted, 1) == 400);
  for (size_t i = 0; i < tokens.size(); ++i) CHECK(noisy.corrupted[i] >= noisy.predicted[i]);

  for (const auto selection : {Selection::exact, Selection::independent}) {
    const MaskRules fewer{.selection = selection, .predict_rate = 0.3, .corrupt_rate = 0.1};
    CHECK(validation_error(fewer).empty());
    REQUIRE(masked_copies(fewer) == 3);
    std::vector<int> times(tokens.size());
    for (size_t copy = 0; copy < 3; ++copy) {
      RandomStream same(2, "fewer");
      const auto part = masked(tokens, fewer, copy, same);
      CHECK(part.corrupted == part.predicted);
      CHECK(share_of(part.predicted) == doctest::Approx(0.1).epsilon(0.35));
      for (size_t i = 0; i < tokens.size(); ++i) times[i] += part.predicted[i];
    }
    CHECK(*std::ranges::max_element(times) == 1);  // no token twice
    CHECK(std::ranges::count(times, 1) == doctest::Approx(300).epsilon(0.15));
  }
  CHECK(validation_error(MaskRules{.predict_rate = 0.3, .corrupt_rate = 0.2}).find("--corrupt-rate") == 0);
  CHECK(!validation_error(MaskRules{.predict_rate = 0}).empty());
  CHECK(!validation_error(MaskRules{.mask_share = 0.8, .random_share = 0.3}).empty());
}

TEST_CASE("a higher rate chooses what a lower one chooses, and more") {
  const std::vector<uint8_t> tokens(500, 1);
  for (const auto selection : {Selection::exact, Selection::independent}) {
    RandomStream first(9, "nested"), second(9, "nested");
    const auto low = masked(tokens, {.selection = selection}, 0, first);
    const auto high = masked(tokens, {.selection = selection, .predict_rate = 0.4, .corrupt_rate = 0.4}, 0, second);
    for (size_t i = 0; i < tokens.size(); ++i) CHECK(high.predicted[i] >= low.predicted[i]);
  }
}

TEST_CASE("words are masked whole") {
  // Words of 1, 2 and 3 pieces in turn.
  std::vector<uint8_t> starts;
  for (int word = 0; word < 200; ++word) {
    for (int piece = 0; piece <= word % 3; ++piece) starts.push_back(piece == 0 ? 1 : 0);
  }
  for (const auto selection : {Selection::exact, Selection::independent, Selection::windows}) {
    RandomStream stream(1, "words");
    const auto words = masked(starts, {.selection = selection}, 0, stream);
    for (size_t i = 1; i < starts.size(); ++i) {
      if (starts[i] == 0) CHECK(words.predicted[i] == words.predicted[i - 1]);
    }
    CHECK(share_of(words.predicted) > 0.1);
  }
  double share = 0;
  constexpr int kDraws = 300;
  RandomStream windows(2, "windows");
  for (int i = 0; i < kDraws; ++i) {
    share += share_of(masked(starts, {.selection = Selection::windows, .window = 8}, 0, windows).predicted) / kDraws;
  }
  CHECK(share == doctest::Approx(1.0 / 8).epsilon(0.03));
  RandomStream stream(1, "words");
  CHECK(std::ranges::count(masked(starts, {}, 0, stream).predicted, 1) == 60);  // 15 % of 399, rounded
}

TEST_CASE("what spaces separate is masked whole: words of Chinese that was divided, and words with their pieces") {
  const test::Folder folder;
  const auto tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  const auto ids = SpecialIds::of(tokenizer);
  std::string text;
  for (int i = 0; i < 40; ++i) text += "\xE4\xB8\xAD\xE6\x96\x87 a1 \xE4\xB8\xAD b ";  // 中文 a ##1 中 b
  DocumentReader reader({folder.write("a.txt", text + "\n").string()});
  (void)write_tokens(reader, tokenizer, folder.path() / "tokens", "spaced", 1);
  const TokenFile file = TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  SequenceRules rules{.examples = {.length = 200, .short_share = 0}};
  rules.masks = {
      .selection = Selection::independent, .unit = MaskUnit::spaced, .predict_rate = 0.5, .corrupt_rate = 0.5};
  MaskedBatch batch;
  append_masked(batch, file, ExampleStream(file, rules.examples, 1).current(), rules, ids, 0, 1, 0);
  std::vector<uint8_t> predicted(batch.batch.tokens());
  for (const size_t token : batch.predicted) predicted[token] = 1;
  int whole = 0;
  for (size_t token = 1; token + 6 < predicted.size(); token += 6) {  // 中 文, a ##1, 中, b
    CHECK(predicted[token] == predicted[token + 1]);
    CHECK(predicted[token + 2] == predicted[token + 3]);
    whole += predicted[token];
  }
  CHECK(whole > 5);
  CHECK(whole < 35);
}

TEST_CASE("white space of any kind ends a document, and what the normaliser takes out ends no word") {
  const test::Folder folder;
  const auto tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  DocumentReader reader({folder
                             .write("a.txt",
                                    "a b\n\xE3\x80\x80\nb\xC2\xAD"
                                    "1 c\n\xC2\xA0\nc\xE3\x80\x80"
                                    "d\n")
                             .string()});
  const auto counts = write_tokens(reader, tokenizer, folder.path() / "tokens", "spaces", 1);
  CHECK(counts.documents == 3);  // U+3000 and U+00A0 stand alone in a line
  const TokenFile file = TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  REQUIRE(file.tokens() == 7);  // a b | b ##1 c | c d
  const std::vector<bool> expected{true, true, true, false, true, true, true};
  for (size_t i = 0; i < expected.size(); ++i) CHECK(file.follows_space(i) == expected[i]);
}

TEST_CASE("special tokens that a text writes are neither asked for nor hidden, and added ones replace nothing") {
  const test::Folder folder;
  const auto tokenizer = test::small_tokenizer(folder.path() / "tokenizer");
  const auto ids = SpecialIds::of(tokenizer);
  std::string text;
  for (int i = 0; i < 50; ++i) text += "a [SEP] b [MASK] [CLS] c ";
  DocumentReader reader({folder.write("a.txt", text + "\n").string()});
  (void)write_tokens(reader, tokenizer, folder.path() / "tokens", "special", 1);
  const TokenFile file = TokenFile::open(folder.path() / "tokens", tokenizer.vocabulary_size());
  SequenceRules rules{.examples = {.length = 400, .short_share = 0}};
  rules.masks = {.selection = Selection::independent, .predict_rate = 1, .corrupt_rate = 1};
  MaskedBatch batch;
  append_masked(batch, file, ExampleStream(file, rules.examples, 1).current(), rules, ids, 0, 1, 0);
  CHECK(batch.predicted.size() == 150);
  CHECK(std::ranges::none_of(batch.targets, [&](int32_t id) { return ids.is_special[static_cast<size_t>(id)] != 0; }));
  CHECK(std::ranges::count(batch.batch.ids, ids.cls) == 51);
  CHECK(ids.ordinary.size() == 37);  // a to z, ##1 to ##9, two characters
}

TEST_CASE("of corrupted tokens 80 % become [MASK], 10 % another one, and the others stay") {
  const Corpus corpus;
  RandomStream stream(1, "corrupted");
  std::map<std::string, int> counts;
  const int32_t own = corpus.ids.ordinary.front();
  for (int i = 0; i < 10000; ++i) {
    const int32_t id = corrupted(own, corpus.ids.mask, corpus.ids.ordinary, {}, stream);
    ++counts[id == corpus.ids.mask ? "mask" : id == own ? "own" : "other"];
    CHECK(id >= 4);  // [MASK], or no special token
  }
  CHECK(counts["mask"] == doctest::Approx(8000).epsilon(0.02));
  CHECK(counts["other"] == doctest::Approx(1000).epsilon(0.15));
  CHECK(counts["own"] == doctest::Approx(1000).epsilon(0.15));
}

TEST_CASE("a sequence is [CLS] a [SEP] b [SEP], its targets what stood there, its segments as asked") {
  const Corpus corpus;
  const SequenceRules rules{.examples = {.length = 30, .pairs = Pairs::next_sentence},
                            .masks = {.predict_rate = 0.5, .corrupt_rate = 0.5}};
  ExampleStream stream(corpus.file, rules.examples, 1);
  for (int i = 0; i < 50; ++i, stream.advance()) {
    const Example& example = stream.current();
    for (const auto segments : {Segments::pair, Segments::parity, Segments::none}) {
      SequenceRules own = rules;
      own.segments = segments;
      MaskedBatch batch;
      append_masked(batch, corpus.file, example, own, corpus.ids, 0, 1, 0);
      const auto& ids = batch.batch.ids;
      REQUIRE(ids.size() == example.tokens() + 3);
      CHECK(ids.front() == corpus.ids.cls);
      CHECK(ids[example.first.size() + 1] == corpus.ids.sep);
      CHECK(ids.back() == corpus.ids.sep);
      CHECK(batch.pair_labels == std::vector<int32_t>{example.label});
      std::set<size_t> predicted(batch.predicted.begin(), batch.predicted.end());
      for (size_t t = 0; t < example.tokens(); ++t) {
        const bool second = t >= example.first.size();
        const uint64_t place = second ? example.second.begin + t - example.first.size() : example.first.begin + t;
        const size_t row = t + (second ? 2 : 1);
        const int32_t segment = batch.batch.segments[row];
        if (segments == Segments::pair) CHECK(segment == (second ? 1 : 0));
        if (segments == Segments::none) CHECK(segment == 0);
        if (segments == Segments::parity && !second) {
          const auto number = corpus.file.sentence_of(place) - corpus.file.sentence_of(example.first.begin);
          CHECK(segment == static_cast<int32_t>(number % 2));
        }
        if (predicted.contains(row)) {
          const auto at = std::ranges::find(batch.predicted, row) - batch.predicted.begin();
          CHECK(batch.targets[static_cast<size_t>(at)] == corpus.file.id(place));
        } else {
          CHECK(ids[row] == corpus.file.id(place));
        }
      }
    }
  }
}

TEST_CASE("masks are others in every epoch, and the same in every arm") {
  const Corpus corpus;
  const SequenceRules rules{.examples = {.length = 30}, .masks = {.predict_rate = 0.3, .corrupt_rate = 0.3}};
  ExampleStream stream(corpus.file, rules.examples, 1);
  std::vector<MaskedBatch> batches(3);
  for (int i = 0; i < 20; ++i, stream.advance()) {
    append_masked(batches[0], corpus.file, stream.current(), rules, corpus.ids, 0, 1, 0);
    append_masked(batches[1], corpus.file, stream.current(), rules, corpus.ids, 0, 1, 1);
    append_masked(batches[2], corpus.file, stream.current(), rules, corpus.ids, 0, 1, 0);
  }
  CHECK(batches[0].predicted != batches[1].predicted);
  CHECK(batches[0].batch.ids == batches[2].batch.ids);
}

TEST_CASE("with random starts every position is reached, and none beyond the last") {
  const Corpus corpus;
  SequenceRules rules{.examples = {.length = 20}};
  rules.random_start = true;
  rules.positions = 40;
  BatchStream stream(corpus.file, corpus.ids, rules, 1);
  std::vector<int> seen(40);
  for (int i = 0; i < 100; ++i) {
    for (const int32_t position : stream.next(400).batch.positions) ++seen.at(static_cast<size_t>(position));
  }
  CHECK(std::ranges::min(seen) > 0);
}

}  // namespace summand::train
