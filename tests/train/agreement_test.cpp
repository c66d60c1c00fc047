#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>

#include "arms.hpp"
#include "engine/engine.hpp"
#include "io/checkpoint.hpp"
#include "io/safetensors.hpp"
#include "reference/bert.hpp"

// What libtorch wrote and computed (train_probe), read by the reference and the engine. No program holds libtorch and
// the engine together.

namespace summand {

namespace {

namespace fs = std::filesystem;

constexpr double kTolerance = 2e-5;

double difference(MatrixView<const float> got, const std::vector<float>& want) {
  double worst = 0;
  for (size_t row = 0; row < got.rows(); ++row) {
    for (size_t column = 0; column < got.columns(); ++column) {
      const double other = want[row * got.columns() + column];
      const double apart = std::abs(static_cast<double>(got(row, column)) - other);
      worst = apart <= worst ? worst : apart;
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("reference, engine and libtorch agree on every pair of arms, and the engine whatever the batch") {
  const char* folder = std::getenv("SUMMAND_TRAIN_PAIRS");
  const char* expected = std::getenv("SUMMAND_TRAIN_PAIRS_EXPECTED");
  REQUIRE((folder != nullptr && expected != nullptr));
  size_t pairs = 0;
  double worst_reference = 0;
  double worst_engine = 0;
  for (; fs::exists(fs::path(folder) / fmt::format("{}", pairs)); ++pairs) {
    const fs::path path = fs::path(folder) / fmt::format("{}", pairs);
    std::string name;
    std::getline(std::ifstream(path / "name.txt"), name);
    CAPTURE(name);
    const auto checkpoint = io::load_checkpoint(path);
    const auto& config = checkpoint.config.config;
    const auto theirs = io::read_safetensors(path / "states.safetensors");
    const model::Batch batch = test::arm_batch(config);
    const reference::Bert<float> exact(config, checkpoint.weights);
    const engine::Engine engine(config, checkpoint.weights, {.threads = 2});
    std::vector<size_t> states(static_cast<size_t>(config.num_hidden_layers) + 1);
    std::iota(states.begin(), states.end(), size_t{0});
    const auto whole = engine::hidden_states(engine, batch, states);
    for (size_t text = 0; text < batch.texts(); ++text) {
      const auto want = exact.run(batch, text);
      const auto alone = engine::hidden_states(engine, test::alone(batch, text), states);
      for (const size_t state : states) {
        const auto all = model::to_floats(theirs.tensors.at(fmt::format("hidden.{}", state)));
        const size_t width = whole[state].columns();
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(batch.offsets[text] * width);
        const std::vector<float> of_text(begin, begin + static_cast<std::ptrdiff_t>(batch.length(text) * width));
        worst_reference = std::max(worst_reference, difference(want.hidden_states[state].view(), of_text));
        worst_engine = std::max(worst_engine, difference(alone[state].view(), of_text));
        for (size_t row = 0; row < batch.length(text); ++row) {
          CHECK(std::ranges::equal(alone[state].row(row), whole[state].row(batch.offsets[text] + row)));
        }
      }
    }
    CHECK(worst_reference <= kTolerance);
    CHECK(worst_engine <= kTolerance);
  }
  MESSAGE(pairs, " pairs; worst difference of the reference ", worst_reference, ", of the engine ", worst_engine);
  CHECK(pairs >= std::stoul(expected));
}

}  // namespace summand
