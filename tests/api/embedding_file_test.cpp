#include "api/embedding/embedding_file.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "api/embedding/embed_to_file.hpp"
#include "api/outputs/record_ids.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using namespace summand::api;
using test::TinyDirectory;

namespace {

namespace fs = std::filesystem;

constexpr size_t kMost = 1 << 20;

/// A record with an id as JSON, "" for none.
text::InputRecord record(const std::string& text, const std::string& id) {
  text::InputRecord result(text);
  result.id = id;
  return result;
}

const std::vector<text::InputRecord> kRecords{record("a b c", R"("first, \"one\"")"), record("x", "2"),
                                              record("q w e r t y", "")};

/// A model, and a folder for what is written.
class EmbeddingFiles {
 public:
  EmbeddingFiles() : directory_("embedding_file"), model_(LoadedModel::load(directory_.name(), {.threads = 1})) {
    out_ = directory_.name() + "_outputs";  // not among the model's files
    fs::create_directory(out_);
  }
  EmbeddingFiles(const EmbeddingFiles&) = delete;
  EmbeddingFiles& operator=(const EmbeddingFiles&) = delete;
  ~EmbeddingFiles() { fs::remove_all(out_); }

  [[nodiscard]] fs::path path(const std::string& name) const { return out_ / name; }

  /// Embeds records one by one. @param broken  index of one that cannot be read, if any
  void write(const std::string& name, const std::vector<text::InputRecord>& records,
             FinishedTexts finished = FinishedTexts::refuse, size_t broken = SIZE_MAX) const {
    const Embedder embedder(model_, {.dimensions = 2});
    EmbeddingFile file(path(name), {.width = embedder.width(), .settings = embedder.settings(), .finished = finished});
    size_t index = 0;
    const auto next = [&]() -> std::optional<text::InputRecord> {
      if (index == broken) throw TextError("test", "broken");
      if (index == records.size()) return std::nullopt;
      return records[index++];
    };
    (void)embed_to_file(embedder, next, file, {.batch_tokens = 1});
    file.commit();
  }

  [[nodiscard]] std::map<std::string, std::string> contents() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(out_)) {
      all[entry.path().filename().string()] = read_file(entry.path(), kMost);
    }
    return all;
  }

 private:
  TinyDirectory directory_;
  LoadedModel model_;
  fs::path out_;
};

/// The n-th line, from 0.
std::string line(const std::string& text, size_t n) {
  size_t begin = 0;
  for (; n > 0; --n) begin = text.find('\n', begin) + 1;
  return text.substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

TEST_CASE("ids are carried into every output") {
  const EmbeddingFiles files;
  for (const char* name : {"v.jsonl", "v.csv", "v.npy"}) files.write(name, kRecords);
  const auto all = files.contents();
  CHECK(all.size() == 4);
  CHECK(line(all.at("v.jsonl"), 0).starts_with(R"({"index":0,"id":"first, \"one\"","embedding":[)"));
  CHECK(line(all.at("v.jsonl"), 1).starts_with(R"({"index":1,"id":2,"embedding":[)"));
  CHECK(line(all.at("v.jsonl"), 2).starts_with(R"({"index":2,"embedding":[)"));
  CHECK(line(all.at("v.csv"), 0) == "id,d0,d1");
  CHECK(line(all.at("v.csv"), 1).starts_with("\"first, \"\"one\"\"\","));
  CHECK(line(all.at("v.csv"), 2).starts_with("2,"));
  CHECK(line(all.at("v.csv"), 3).starts_with(","));
  CHECK(all.at("v.npy.ids.jsonl") == "\"first, \\\"one\\\"\"\n2\nnull\n");
}

TEST_CASE("an id that comes after a first text without one has a place in .jsonl alone") {
  const EmbeddingFiles files;
  const std::vector<text::InputRecord> records{record("a", ""), record("b", "7")};
  files.write("v.jsonl", records);
  CHECK(line(files.contents().at("v.jsonl"), 1).starts_with(R"({"index":1,"id":7,)"));
  for (const char* name : {"v.csv", "v.npy"}) {
    CHECK_THROWS_WITH_AS(files.write(name, records), "[text 2] expected no id, as in the first text, got 7", TextError);
  }
}

TEST_CASE("texts without ids leave no trace of them") {
  const EmbeddingFiles files;
  for (const char* name : {"v.csv", "v.npy"}) files.write(name, {record("a", ""), record("b", "")});
  files.write("none.csv", {});
  const auto all = files.contents();
  CHECK(all.size() == 3);
  CHECK(line(all.at("v.csv"), 0) == "d0,d1");
  CHECK(all.at("none.csv") == "d0,d1\n");
}

TEST_CASE("a run that is resumed ends with the same bytes, ids included") {
  const EmbeddingFiles files;
  for (const std::string ending : {".npy", ".csv", ".jsonl"}) {
    files.write("whole" + ending, kRecords);
    for (const size_t broken : {1, 2}) {
      CHECK_THROWS_AS(files.write("v" + ending, kRecords, FinishedTexts::refuse, broken), TextError);
      CHECK_FALSE(fs::exists(files.path("v" + ending)));
      files.write("v" + ending, kRecords, FinishedTexts::resume);
      const auto all = files.contents();
      CHECK(all.at("v" + ending) == all.at("whole" + ending));
      if (ending == ".npy") CHECK(all.at("v.npy.ids.jsonl") == all.at("whole.npy.ids.jsonl"));
      for (const auto& [name, content] : all) CHECK(name.find(".part") == std::string::npos);
      fs::remove(files.path("v" + ending));
      fs::remove(ids_path(files.path("v" + ending)));
    }
  }
}

TEST_CASE("other ids are other texts, and ids that are gone cannot be resumed") {
  const EmbeddingFiles files;
  CHECK_THROWS_AS(files.write("v.npy", kRecords, FinishedTexts::refuse, 2), TextError);
  auto others = kRecords;
  others[1].id = "3";
  const auto before = files.contents();
  CHECK_THROWS_AS(files.write("v.npy", others, FinishedTexts::resume), TextsChanged);
  CHECK(files.contents() == before);
  fs::remove(files.path("v.npy.ids.jsonl.part"));
  CHECK_THROWS_AS(files.write("v.npy", kRecords, FinishedTexts::resume), IoError);
  files.write("v.npy", kRecords, FinishedTexts::discard);
  CHECK(files.contents().size() == 2);
}

TEST_CASE("a file of vectors does not replace another, nor the ids beside one") {
  const EmbeddingFiles files;
  files.write("v.npy", kRecords);
  CHECK_THROWS_AS(files.write("v.npy", kRecords), IoError);
  fs::remove(files.path("v.npy"));
  CHECK_THROWS_AS(files.write("v.npy", kRecords), IoError);
}

TEST_CASE("a .npy in a pipe is the file that it would be on a disk") {
  const EmbeddingFiles files;
  const std::vector<text::InputRecord> records{record("a", ""), record("b c", "")};
  files.write("v.npy", records);
  const auto pipe = files.path("pipe.npy");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] { received = read_file(pipe, kMost); });
  files.write("pipe.npy", records);
  reader.join();
  CHECK(received == read_file(files.path("v.npy"), kMost));
}
