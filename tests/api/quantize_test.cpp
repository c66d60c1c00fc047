#include "summand/quantize.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "io/checkpoint.hpp"
#include "model/quantization.hpp"
#include "summand/error.hpp"
#include "summand/model.hpp"
#include "summand/system_info.hpp"
#include "support/tiny_directory.hpp"

using namespace summand;
using test::TinyDirectory;

namespace {

namespace fs = std::filesystem;

/// Thrown out of a run.
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped") {}
};

/// What is left at OUT and beside it is removed at the end.
class Out {
 public:
  explicit Out(const TinyDirectory& directory) : path_(directory.name() + "_out") {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  ~Out() {
    fs::remove_all(path_);
    fs::remove_all(part());
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] fs::path part() const { return path_.string() + ".part"; }

 private:
  fs::path path_;
};

}  // namespace

TEST_CASE("a quantised directory holds what quantising the original while loading gives, and the rest as it was") {
  const TinyDirectory directory("quantize");
  const Out out(directory);
  const auto report = quantize(directory.name(), out.path(), {.threads = 2});
  const auto before = io::load_checkpoint(directory.name());
  const auto after = io::load_checkpoint(out.path());
  CHECK(after.notices.empty());
  CHECK(after.config.config.weight_format == model::WeightFormat::summand_int8);
  REQUIRE(after.weights.size() == before.weights.size());
  size_t in_8_bits = 0;
  for (const auto& parameter : model::parameters(before.config.config, before.parts)) {
    CAPTURE(parameter.name);
    const auto& original = before.weights.at(parameter.name);
    const auto& written = after.weights.at(parameter.name);
    if (model::is_dense_weight(parameter)) {
      in_8_bits += elements(parameter);
      const auto expected = model::quantize_weight(original);
      const auto stored = model::quantize_weight(written);
      CHECK(written.dtype == model::DType::i8);
      CHECK(stored.values == expected.values);
      CHECK(stored.scales == expected.scales);
    } else {
      CHECK(written.dtype == original.dtype);
      CHECK(model::to_floats(written) == model::to_floats(original));
    }
  }
  CHECK(report.in_8_bits == in_8_bits);
  CHECK(report.layers.size() == 6);
  CHECK(report.bytes_before - report.bytes_after == 3 * in_8_bits - 4 * 2 * (4 * 12 + 37 + 12));
}

TEST_CASE("a quantised directory gives nearly the vectors of its original, and not the same") {
  const TinyDirectory directory("quantized_vectors");
  const Out out(directory);
  static_cast<void>(quantize(directory.name(), out.path()));
  const std::vector<Text> texts{"a b c", "", "z y x w v u", Text("a b", "c d")};
  const auto before = Model::load(directory.name()).embed(texts).vectors;
  const auto after = Model::load(out.path(), {.precision = Precision::fp32}).embed(texts).vectors;
  constexpr float kFar = 0.1F;  // of numbers around 1: a wrong scale or row is farther off
  float largest = 0;
  for (size_t i = 0; i < before.elements().size(); ++i) {
    largest = std::max(largest, std::fabs(before.elements()[i] - after.elements()[i]));
  }
  CHECK(largest > 0);
  CHECK(largest < kFar);
}

TEST_CASE("a quantised directory runs in int8 where that runs, says so, and in fp32 where fp32 is asked for") {
  const TinyDirectory directory("quantized_precision");
  const Out out(directory);
  static_cast<void>(quantize(directory.name(), out.path()));
  const auto info = system_info();
  const bool runs = std::ranges::count(info.precisions, "int8") == 1;
  const auto model = Model::load(out.path());
  CHECK(model.info().precision == (runs ? Precision::int8 : Precision::fp32));
  REQUIRE(model.notices().size() == 1);
  CHECK(model.notices()[0].starts_with(runs ? "precision: int8" : "precision: fp32"));
  const auto asked = Model::load(out.path(), {.precision = Precision::fp32});
  CHECK(asked.info().precision == Precision::fp32);
  CHECK(asked.notices().empty());
  const auto original = Model::load(directory.name());
  CHECK(original.info().precision == Precision::fp32);
  CHECK(original.notices().empty());
}

TEST_CASE("a run that is stopped at any step leaves nothing") {
  const TinyDirectory directory("quantize_stopped");
  const Out out(directory);
  size_t all_steps = 0;
  static_cast<void>(quantize(directory.name(), out.path(), {.threads = 1, .on_step = [&] { ++all_steps; }}));
  fs::remove_all(out.path());
  CHECK(all_steps == 12 + 3);  // six weights in each of two layers; weights, configuration, vocabulary
  for (size_t last = 1; last <= all_steps; ++last) {
    size_t steps = 0;
    const auto stop = [&] {
      if (++steps == last) throw Stopped();
    };
    CHECK_THROWS_AS(quantize(directory.name(), out.path(), {.threads = 1, .on_step = stop}), Stopped);
    CHECK_FALSE(fs::exists(out.path()));
    CHECK_FALSE(fs::exists(out.part()));
  }
}

TEST_CASE("what cannot be quantised is refused before anything is written") {
  const TinyDirectory directory("quantize_refused");
  const Out out(directory);
  CHECK_THROWS_WITH_AS(quantize(directory.name(), out.path(), {.threads = -1}),
                       "[quantize] threads: expected at least 0, got -1", UsageError);
  CHECK_THROWS_AS(quantize(directory.name() + "/none", out.path()), CheckpointError);
  CHECK_THROWS_AS(quantize(directory.name(), directory.name()), IoError);
  CHECK_FALSE(fs::exists(out.path()));
  static_cast<void>(quantize(directory.name(), out.path()));
  const std::string message =
      "[" + out.path().string() +
      "] expected a checkpoint with weights in floating point, got one that is in 8 bits already";
  CHECK_THROWS_WITH_AS(quantize(out.path(), directory.name() + "_again"), message.c_str(), CheckpointError);
  CHECK_FALSE(fs::exists(directory.name() + "_again"));
}
