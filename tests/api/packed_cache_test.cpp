#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "io/packed_file.hpp"
#include "io/safetensors_writer.hpp"
#include "summand/error.hpp"
#include "summand/model.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using test::TinyDirectory;

namespace {

namespace fs = std::filesystem;

/// A model and a folder beside it that keeps what it packs.
struct Kept {
  explicit Kept(const std::string& name)
      : directory(name, 1, {.pooler = model::Pooler::present}), folder(directory.name() + "_cache") {
    fs::remove_all(folder);
  }
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() { fs::remove_all(folder); }

  [[nodiscard]] Model load(Precision precision = Precision::fp32, int threads = 2) const {
    return Model::load(directory.name(), {.threads = threads, .precision = precision, .cache = folder});
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    std::ranges::sort(files);
    return files;
  }

  TinyDirectory directory;
  fs::path folder;
};

std::string notice(const Model& model) {
  for (const auto& line : model.notices()) {
    if (line.starts_with("cache: ")) return line;
  }
  return "none";
}

bool was_read(const Model& model) {
  return notice(model).ends_with(" holds the packed weights");
}

bool was_written(const Model& model, const std::string& why = "") {
  return notice(model).ends_with(why.empty() ? " was written" : " was written in place of what was not used: " + why);
}

std::vector<float> vectors(const Model& model) {
  const std::vector<Text> texts{Text("a b c"), Text(""), Text("z y x w v u t s r q p o n m l"), Text("b a")};
  const auto embeddings = model.embed(texts);
  std::vector<float> all;
  std::ranges::copy(embeddings.vectors.elements(), std::back_inserter(all));
  return all;
}

std::vector<float> pooled(const Model& model) {
  const auto states = model.hidden(std::vector{Text("a b"), Text("c")});
  const auto numbers = states.pooled.elements();
  return {numbers.begin(), numbers.end()};
}

std::string content_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

void write_weights(const TinyDirectory& directory, uint32_t seed) {
  const auto config = test::config_of({.positions = 24, .vocabulary = 31});
  io::write_safetensors(fs::path(directory.name()) / "model.safetensors",
                        test::random_weights(config, model::ModelParts{.pooler = model::Pooler::present}, seed));
}

}  // namespace

TEST_CASE("packed weights that were kept give the bits of those that are packed anew, in every precision") {
  const Kept kept("cache_bits");
  for (const auto& [precision, engine_precision] :
       {std::pair(Precision::fp32, engine::Precision::fp32), std::pair(Precision::bf16, engine::Precision::bf16),
        std::pair(Precision::fp16, engine::Precision::fp16), std::pair(Precision::int8, engine::Precision::int8)}) {
    if (!engine::runs(engine_precision, engine::chosen_kernel_set())) continue;
    CAPTURE(std::string(model::name_of(engine_precision)));
    const auto without = vectors(Model::load(kept.directory.name(), {.threads = 1, .precision = precision}));
    const auto first = kept.load(precision);
    CHECK(was_written(first));
    CHECK(vectors(first) == without);
    for (const int threads : {1, 2, 3}) {
      const auto second = kept.load(precision, threads);
      CHECK(was_read(second));
      CHECK(vectors(second) == without);
      CHECK(pooled(second) == pooled(first));
    }
  }
}

TEST_CASE("in the checkpoint's own folder the file goes with the folder, elsewhere it is known by the folder's place") {
  const Kept kept("cache_beside");
  const LoadOptions beside{.threads = 2, .cache = kept.directory.name()};
  const auto first = Model::load(kept.directory.name(), beside);
  CHECK(was_written(first));
  CHECK(was_read(Model::load(kept.directory.name(), beside)));
  const fs::path moved = kept.directory.name() + "_moved";
  fs::remove_all(moved);
  fs::copy(kept.directory.name(), moved, fs::copy_options::recursive);
  const auto there = Model::load(moved, {.threads = 2, .cache = moved});
  CHECK(was_read(there));
  CHECK(vectors(there) == vectors(first));
  // The model is found in another folder by its place; another folder's file is another one.
  const auto elsewhere = Model::load(moved, {.threads = 2, .cache = kept.folder});
  CHECK(was_written(elsewhere));
  CHECK(was_written(kept.load()));
  CHECK(kept.files().size() == 2);
  fs::remove_all(moved);
}

TEST_CASE("what was made of other weights is never used, whatever size and time they have") {
  const Kept kept("cache_other");
  const auto weights = fs::path(kept.directory.name()) / "model.safetensors";
  const auto old = vectors(kept.load());
  CHECK(was_read(kept.load()));
  const auto time = fs::last_write_time(weights);
  const auto size = fs::file_size(weights);
  write_weights(kept.directory, 2);
  fs::last_write_time(weights, time);
  REQUIRE(fs::file_size(weights) == size);
  const auto changed = kept.load();
  CHECK(was_written(changed, "of other weights"));
  CHECK(vectors(changed) != old);
  CHECK(vectors(changed) == vectors(Model::load(kept.directory.name())));
  CHECK(was_read(kept.load()));
  write_weights(kept.directory, 3);
  const auto again = kept.load();
  CHECK(was_written(again, "of other weights"));
  CHECK(vectors(again) == vectors(Model::load(kept.directory.name())));
  // Another configuration.
  auto config = test::config_of({.positions = 24, .vocabulary = 31});
  config.layer_norm_eps = 1e-3;
  kept.directory.write("config.json", model::to_json(config));
  const auto configured = kept.load();
  CHECK(was_written(configured, "of other weights"));
  CHECK(vectors(configured) == vectors(Model::load(kept.directory.name())));
}

TEST_CASE("only the contents of the checkpoint's files count, every one of them") {
  const Kept kept("cache_contents");
  (void)kept.load();
  const fs::path file = kept.files().front();
  const auto whole = io::PackedFile::open(file);
  REQUIRE(whole.origin().sources.size() == 2);  // the weights, config.json
  for (size_t changed = 0; changed < 2; ++changed) {
    io::PackedOrigin origin = whole.origin();
    ++origin.sources[changed].content.hash;
    io::write_packed_file(file, origin, whole.pieces());
    CHECK(was_written(kept.load(), "of other weights"));
  }
  io::PackedOrigin fewer = whole.origin();
  fewer.sources.pop_back();
  io::write_packed_file(file, fewer, whole.pieces());
  CHECK(was_written(kept.load(), "of other weights"));
}

TEST_CASE("files that were only touched are those that they were") {
  const Kept kept("cache_touched");
  const auto first = vectors(kept.load());
  const auto weights = fs::path(kept.directory.name()) / "model.safetensors";
  fs::last_write_time(weights, fs::last_write_time(weights) + std::chrono::hours(1));
  const auto touched = kept.load();
  CHECK(was_read(touched));
  CHECK(vectors(touched) == first);
}

TEST_CASE("a file that is damaged, or of another version, is replaced, and says so") {
  const Kept kept("cache_damaged");
  const auto right = vectors(kept.load());
  REQUIRE(kept.files().size() == 1);
  const fs::path file = kept.files().front();
  const std::string whole = content_of(file);
  for (const size_t at : {size_t{40}, size_t{4096}, whole.size() - 1}) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 4);
    std::ofstream(file, std::ios::binary) << damaged;
    const auto model = kept.load();
    CAPTURE(at);
    CHECK(notice(model).find(" was written in place of what was not used: [") != std::string::npos);
    CHECK(vectors(model) == right);
    CHECK(was_read(kept.load()));
  }
  // Pieces of another model under this one's name, whole as they are.
  const auto kept_file = io::PackedFile::open(file);
  const std::vector<std::byte> few(128);
  io::NamedPieces other = kept_file.pieces();
  other.begin()->second = few;
  io::write_packed_file(file, kept_file.origin(), other);
  const auto fallen_back = kept.load();
  CHECK(notice(fallen_back).find("packed weights] expected ") != std::string::npos);
  CHECK(vectors(fallen_back) == right);
  io::PackedOrigin older = kept_file.origin();
  older.settings["format"] = "0";
  io::write_packed_file(file, older, kept_file.pieces());
  CHECK(was_written(kept.load(), "of another version"));
}

TEST_CASE("numbers that are not finite are found although something was kept") {
  const Kept kept("cache_finite");
  (void)kept.load();
  const auto weights = fs::path(kept.directory.name()) / "model.safetensors";
  std::string bytes = content_of(weights);
  for (size_t i = 1; i <= 4; ++i) bytes[bytes.size() - i] = '\xFF';
  std::ofstream(weights, std::ios::binary) << bytes;
  CHECK_THROWS_AS((void)kept.load(), CheckpointError);
}

TEST_CASE("where nothing can be kept the model loads all the same, and what is no folder is refused") {
  const Kept kept("cache_refused");
  const auto right = vectors(Model::load(kept.directory.name()));
  kept.directory.write("a_file", "x");
  const auto nowhere = fs::path(kept.directory.name()) / "a_file" / "folder";
  const auto model = Model::load(kept.directory.name(), {.threads = 2, .cache = nowhere});
  CHECK(notice(model).starts_with("cache: nothing was kept: "));
  CHECK(vectors(model) == right);
  CHECK_THROWS_AS((void)Model::load(kept.directory.name(), {.cache = fs::path(kept.directory.name()) / "a_file"}),
                  UsageError);
  CHECK_THROWS_AS((void)Model::load(kept.directory.name() + "_none", {.cache = kept.folder}), Error);
  CHECK(!fs::exists(kept.folder));
}

TEST_CASE("what lies in the file's place and is none of packed weights stays") {
  const Kept kept("cache_precious");
  const auto right = vectors(kept.load());
  const fs::path file = kept.files().front();
  const fs::path precious = fs::path(kept.directory.name()) / "precious.txt";
  kept.directory.write("precious.txt", "mine");
  for (const bool link : {false, true}) {
    fs::remove(file);
    if (link) {
      fs::create_symlink(precious, file);
    } else {
      fs::copy(precious, file);
    }
    const auto model = kept.load();
    CHECK(notice(model).find("nothing was kept: [" + file.string() +
                             "] expected a file of packed weights, got another") != std::string::npos);
    CHECK(vectors(model) == right);
    CHECK(content_of(file) == "mine");
    CHECK(content_of(precious) == "mine");
  }
  fs::remove(file);
  REQUIRE(::mkfifo(file.c_str(), 0600) == 0);
  CHECK(notice(kept.load()).starts_with("cache: nothing was kept: ["));
  CHECK(fs::is_fifo(file));
  fs::remove(file);
  fs::create_directory(file);
  CHECK(notice(kept.load()).starts_with("cache: nothing was kept: ["));
}

TEST_CASE("a folder that is missing is made, with those above it, but not for a model that does not load") {
  const Kept kept("cache_made");
  const auto deep = kept.folder / "a" / "b";
  const auto load = [&] { return Model::load(kept.directory.name(), {.threads = 2, .cache = deep}); };
  kept.directory.write("tokenizer.json", "{");
  CHECK_THROWS_AS((void)load(), Error);
  CHECK(!fs::exists(kept.folder));
  fs::remove(fs::path(kept.directory.name()) / "tokenizer.json");
  CHECK(was_written(load()));
  CHECK(was_read(load()));
}

TEST_CASE("several may load and keep at once") {
  const Kept kept("cache_at_once");
  const auto right = vectors(Model::load(kept.directory.name()));
  std::vector<std::vector<float>> got(6);
  std::vector<std::thread> threads;
  for (auto& result : got) threads.emplace_back([&] { result = vectors(kept.load()); });
  for (auto& thread : threads) thread.join();
  for (const auto& result : got) CHECK(result == right);
  CHECK(was_read(kept.load()));
  CHECK(kept.files().size() == 1);
}
