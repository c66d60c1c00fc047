#include "api/batches/result_cache.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "api/embedding/embedding_batches.hpp"
#include "summand/summand.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using namespace summand::api;
using test::TinyDirectory;

namespace {

size_t always_the_same(std::string_view) {
  return 7;
}

const std::vector<ResultCache::HashOfBytes> kHashes{ResultCache::usual_hash, always_the_same};

std::vector<float> found(ResultCache& rows, const std::vector<int32_t>& key) {
  const auto row = rows.find(key, rows.hash_of(key));
  return row ? std::vector<float>(row->begin(), row->end()) : std::vector<float>();
}

void keep(ResultCache& rows, const std::vector<int32_t>& key, const std::vector<float>& row) {
  rows.keep(key, rows.hash_of(key), row);
}

using Numbers = std::vector<float>;

}  // namespace

TEST_CASE("a row is found by its whole key, whatever the hash says") {
  for (const auto hash : kHashes) {
    ResultCache rows(kKeptBytes, hash);
    keep(rows, {1, 2, 3}, {.5F, 1});
    keep(rows, {1, 2}, {2, 3});
    keep(rows, {}, {4, 5});
    CHECK(found(rows, {1, 2, 3}) == Numbers{.5F, 1});
    CHECK(found(rows, {1, 2}) == Numbers{2, 3});
    CHECK(found(rows, {}) == Numbers{4, 5});
    CHECK(found(rows, {1, 2, 4}).empty());
    CHECK(found(rows, {1}).empty());
  }
}

TEST_CASE("what is kept has a bound, and what was asked for longest ago goes first") {
  for (const auto hash : kHashes) {
    ResultCache one(kKeptBytes, hash);
    keep(one, {1}, Numbers(8));
    const size_t each = one.bytes();
    ResultCache rows(3 * each, hash);
    for (const int32_t key : {1, 2, 3}) keep(rows, {key}, Numbers(8, static_cast<float>(key)));
    CHECK(found(rows, {1}) == Numbers(8, 1));
    keep(rows, {4}, Numbers(8, 4));
    CHECK(found(rows, {2}).empty());
    CHECK(found(rows, {1}) == Numbers(8, 1));
    CHECK(found(rows, {3}) == Numbers(8, 3));
    CHECK(rows.bytes() == 3 * each);
    keep(rows, {5}, Numbers(1000));
    CHECK(found(rows, {5}).empty());  // larger than all that may be kept: nothing goes for it
    CHECK(found(rows, {4}) == Numbers(8, 4));
    keep(rows, {6}, Numbers(40));  // in place of two, or of all
    CHECK(rows.bytes() <= 3 * each);
    ResultCache none(0, hash);
    keep(none, {1}, Numbers(8));
    CHECK(none.bytes() == 0);
    CHECK(found(none, {1}).empty());
  }
}

namespace {

/// A record's sequences: ids and segments of each.
using Sequences = std::vector<std::pair<std::vector<int32_t>, std::vector<int32_t>>>;

const std::string kText = "x";

RecordBatch batch_of(const std::vector<Sequences>& records) {
  RecordBatch batch;
  for (const auto& sequences : records) {
    for (const auto& [ids, segments] : sequences) batch.batch.add(ids, segments);
    batch.sequences.push_back(batch.batch.texts());
    batch.texts.emplace_back(kText);
  }
  return batch;
}

Sequences record_of(const RecordBatch& batch, size_t record) {
  Sequences sequences;
  const auto part = [&](const std::vector<int32_t>& values, size_t sequence) {
    const auto begin = values.begin();
    return std::vector<int32_t>(begin + static_cast<std::ptrdiff_t>(batch.batch.offsets[sequence]),
                                begin + static_cast<std::ptrdiff_t>(batch.batch.offsets[sequence + 1]));
  };
  for (size_t one = batch.sequences[record]; one < batch.sequences[record + 1]; ++one) {
    sequences.emplace_back(part(batch.batch.ids, one), part(batch.batch.segments, one));
  }
  return sequences;
}

/// Few different values, so that all kinds of records come again: of no sequence's tokens, of several sequences, with
/// the same ids divided otherwise, and with other segments.
Sequences random_record(std::mt19937& random) {
  Sequences sequences(1 + random() % 3);
  for (auto& [ids, segments] : sequences) {
    for (size_t token = random() % 3; token > 0; --token) {
      ids.push_back(static_cast<int32_t>(random() % 2));
      segments.push_back(static_cast<int32_t>(random() % 2));
    }
  }
  return sequences;
}

/// Gives each different record a row of its own, and counts how often it was asked.
struct Numbering {
  std::map<Sequences, float> numbers;
  std::map<Sequences, size_t> asked;

  Matrix<float> rows(const RecordBatch& batch) {
    REQUIRE(batch.sequences.size() == batch.size() + 1);
    Matrix<float> rows(batch.size(), 2);
    for (size_t record = 0; record < batch.size(); ++record) {
      const auto key = record_of(batch, record);
      ++asked[key];
      rows(record, 0) = numbers.emplace(key, static_cast<float>(numbers.size())).first->second;
      rows(record, 1) = -rows(record, 0);
    }
    return rows;
  }
};

}  // namespace

TEST_CASE("records with the same sequences are computed once, and all get their own row") {
  std::mt19937 random(1);
  for (const auto hash : kHashes) {
    for (const size_t kept_bytes : {size_t{0}, size_t{1000}, kKeptBytes}) {
      Deduplicator once(RepeatedTexts::compute_once, kept_bytes, hash);
      Numbering numbering;
      std::set<Sequences> seen;
      for (int round = 0; round < 60; ++round) {
        std::vector<Sequences> records(1 + random() % 40);
        for (auto& record : records) record = random_record(random);
        auto batch = batch_of(records);
        const auto before = numbering.asked;
        const auto rows = once.rows(batch, [&](const RecordBatch& part) { return numbering.rows(part); });
        REQUIRE(rows.rows() == records.size());
        size_t computed = 0;
        for (size_t record = 0; record < records.size(); ++record) {
          REQUIRE(rows(record, 0) == numbering.numbers.at(records[record]));
          REQUIRE(rows(record, 1) == -rows(record, 0));
          seen.insert(records[record]);
        }
        for (const auto& [key, times] : numbering.asked) {
          const auto earlier = before.find(key);
          const size_t now = times - (earlier == before.end() ? 0 : earlier->second);
          REQUIRE(now <= 1);
          computed += now;
        }
        CHECK(batch.count.texts_repeated == records.size() - computed);
      }
      REQUIRE(seen.size() > 100);
      if (kept_bytes != kKeptBytes) continue;
      for (const auto& [key, times] : numbering.asked) CHECK(times == 1);
    }
  }
}

TEST_CASE("where every text is to be computed, every one is") {
  Deduplicator each(RepeatedTexts::compute_each, kKeptBytes);
  Numbering numbering;
  const Sequences record{{{1, 2}, {0, 0}}};
  auto batch = batch_of({record, record});
  CHECK(each.rows(batch, [&](const RecordBatch& part) { return numbering.rows(part); }).rows() == 2);
  CHECK(numbering.asked.at(record) == 2);
  CHECK(batch.count.texts_repeated == 0);
}

namespace {

/// Texts of which many come again: empty ones, long ones, pairs, words, unknown words.
std::vector<Text> random_texts(std::mt19937& random, size_t count) {
  std::vector<Text> different{"", " ", "a b", "A B", "? a", {"a", "b"}, {"a b", ""}};
  for (size_t i = 0; i < 20; ++i) {
    std::string text;
    for (size_t letter = random() % 70; letter > 0; --letter) text += {static_cast<char>('a' + random() % 26), ' '};
    different.emplace_back(text);
    different.emplace_back("q", text);
  }
  std::vector<Text> texts;
  for (size_t i = 0; i < count; ++i) texts.push_back(different[random() % different.size()]);
  return texts;
}

struct Embedded {
  Matrix<float> vectors;
  ReadCount count;
};

Embedded embedded(const LoadedModel& model, const std::vector<Text>& texts, EmbedOptions options,
                  EmbeddingBatchesOptions batches_options) {
  const Embedder embedder(model, std::move(options));
  Embedded all{.vectors = Matrix<float>(texts.size(), embedder.width()), .count = {}};
  EmbeddingBatches batches(embedder, TextList(texts), std::move(batches_options));
  while (const auto batch = batches.next()) {
    std::ranges::copy(batch->vectors.elements(), all.vectors.row(batch->read.first).begin());
    all.count.add(batch->read.count);
  }
  CHECK(all.count.texts_repeated == batches.count().texts_repeated);
  return all;
}

}  // namespace

TEST_CASE("no bit of a vector tells whether its text was computed or had come before") {
  const TinyDirectory directory("repeated");
  const auto model = LoadedModel::load(directory.name(), {.threads = 2});
  std::mt19937 random(2);
  const std::vector<EmbedOptions> ways{
      {},
      {.windows = WindowOptions{.pooling = WindowPooling::maximum, .overlap = 3}},
      {.pooling = {Pooling::cls, Pooling::mean}, .dimensions = 15, .prompt = "p "},
      {.length = {.truncation = Truncation::head_tail, .max_length = 9}, .prompt = "p "},
  };
  for (const auto& way : ways) {
    const auto texts = random_texts(random, 150);
    auto each = way;
    each.repeated = RepeatedTexts::compute_each;
    const auto expected = embedded(model, texts, each, {});
    CHECK(expected.count.texts_repeated == 0);
    for (const size_t batch_tokens : {size_t{1}, size_t{60}, kBatchTokens}) {
      for (const size_t kept_bytes : {size_t{0}, size_t{3000}, kKeptBytes}) {
        const auto once = embedded(model, texts, way, {.batch_tokens = batch_tokens, .kept_bytes = kept_bytes});
        CHECK(std::ranges::equal(once.vectors.elements(), expected.vectors.elements()));
        CHECK(once.count.tokens == expected.count.tokens);
        CHECK(once.count.texts == texts.size());
        CHECK(once.count.windows.windows == expected.count.windows.windows);
        if (kept_bytes == kKeptBytes) CHECK(once.count.texts_repeated >= texts.size() - 47);
        if (kept_bytes == 0 && batch_tokens == 1) CHECK(once.count.texts_repeated == 0);
      }
    }
  }
}

TEST_CASE("texts that the tokenizer reads alike are the same text, a pair and its joined texts are not") {
  const TinyDirectory directory("alike");
  const auto model = Model::load(directory.name());
  CHECK(model.embed({"a b", "A  B", "a b"}).count.texts_repeated == 2);
  CHECK(model.embed({"a", "b", "a b", ""}).count.texts_repeated == 0);
  const std::vector<Text> joined{{"a", "b"}, Text::of_words({"a", "[SEP]", "b"})};
  const auto embeddings = model.embed(joined);
  CHECK(embeddings.count.texts_repeated == 0);
  CHECK_FALSE(std::ranges::equal(embeddings.vectors.row(0), embeddings.vectors.row(1)));
}

TEST_CASE("taps see every text, also those that come again") {
  const TinyDirectory directory("watched");
  const auto model = Model::load(directory.name());
  std::vector<size_t> seen;
  const Taps taps{.points = {TapPoint::sum},
                  .visit = [&](const Taps::Site& site, MatrixView<float>) { seen.push_back(site.text); }};
  const auto embeddings = model.embed({"a b", "a b", "c", "a b"}, {.taps = taps});
  CHECK(seen == std::vector<size_t>{0, 1, 2, 3});
  CHECK(embeddings.count.texts_repeated == 0);
}

TEST_CASE("progress is told of after every text, also those that come again") {
  const TinyDirectory directory("told");
  const auto model = LoadedModel::load(directory.name(), {.threads = 1});
  const Embedder embedder(model, {});
  std::vector<size_t> texts;
  size_t tokens = 0;
  const auto tell = [&](const Progress& done) {
    texts.push_back(done.texts);
    tokens = done.tokens;
  };
  EmbeddingBatches batches(embedder, TextList{"a", "a", "b c", "a", "d", "a"},
                           {.batch_tokens = 9, .on_progress = tell});
  while (batches.next()) continue;
  CHECK(texts == std::vector<size_t>{1, 2, 3, 4, 5, 6});
  CHECK(tokens == batches.count().tokens);
  CHECK(batches.count().texts_repeated == 3);
}
