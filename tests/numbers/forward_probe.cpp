// forward_probe MODEL_DIR BATCH.safetensors OUT [fp32|bf16|int8]: runs the reference in double and the engine on one
// ragged batch and writes what they give as bare numbers, OUT.f64 and OUT.f32: hidden states 0 … L, each [tokens,
// hidden], then the pooled rows [texts, hidden] where the model has a pooler. The batch holds ids, segments, positions
// and offsets as I64.

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <numeric>
#include <span>
#include <string>

#include "engine/engine.hpp"
#include "io/checkpoint.hpp"
#include "numbers/probe_batch.hpp"
#include "numbers/probe_precision.hpp"
#include "reference/bert.hpp"

using namespace summand;

namespace {

/// Hidden states and pooled rows of a whole batch, in the order of the output file.
template <class Scalar>
struct States {
  std::vector<Matrix<Scalar>> hidden;
  Matrix<Scalar> pooled;

  States(const model::Batch& batch, const model::Config& config, bool has_pooler)
      : hidden(static_cast<size_t>(config.num_hidden_layers) + 1,
               Matrix<Scalar>(batch.tokens(), static_cast<size_t>(config.hidden_size))),
        pooled(has_pooler ? batch.texts() : 0, static_cast<size_t>(config.hidden_size)) {}

  void write(const std::string& path) const {
    std::ofstream out(path, std::ios::binary);
    const auto put = [&](std::span<const Scalar> values) {
      out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
    };
    for (const auto& matrix : hidden) put(matrix.elements());
    put(pooled.elements());
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
  }
};

template <class Rows, class Scalar>
void copy_rows(const Rows& from, Matrix<Scalar>& to, size_t first) {
  for (size_t row = 0; row < from.rows(); ++row) std::ranges::copy(from.row(row), to.row(first + row).begin());
}

void run_reference(const io::Checkpoint& checkpoint, const model::Batch& batch, const std::string& path) {
  const bool has_pooler = checkpoint.parts.pooler == model::Pooler::present;
  States<double> states(batch, checkpoint.config.config, has_pooler);
  const reference::Bert<double> bert(checkpoint.config.config, checkpoint.weights);
  for (size_t text = 0; text < batch.texts(); ++text) {
    const auto output = bert.run(batch, text);
    for (size_t i = 0; i < states.hidden.size(); ++i) {
      copy_rows(output.hidden_states[i], states.hidden[i], batch.offsets[text]);
    }
    if (has_pooler) std::ranges::copy(output.pooled, states.pooled.row(text).begin());
  }
  states.write(path);
}

void run_engine(const io::Checkpoint& checkpoint, const model::Batch& batch, engine::Precision precision,
                const std::string& path) {
  const engine::Engine engine(checkpoint.config.config, checkpoint.weights, {.threads = 2, .precision = precision});
  States<float> states(batch, checkpoint.config.config, engine.has_pooler());
  std::vector<size_t> layers(states.hidden.size());
  std::iota(layers.begin(), layers.end(), size_t{0});
  const auto keep = [&](size_t text, const engine::TextResult& result) {
    for (size_t i = 0; i < layers.size(); ++i)
      copy_rows(result.hidden_states[i], states.hidden[i], batch.offsets[text]);
    if (engine.has_pooler()) std::ranges::copy(result.pooled, states.pooled.row(text).begin());
  };
  const auto report = engine.run(batch, {.hidden_states = layers, .pooled = engine::Pooled::compute, .on_text = keep});
  if (report.rows_computed != batch.tokens()) throw std::runtime_error("the engine padded a batch");
  states.write(path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    fmt::print(stderr, "usage: forward_probe MODEL_DIR BATCH.safetensors OUT [fp32|bf16|int8]\n");
    return 2;
  }
  try {
    const auto checkpoint = io::load_checkpoint(argv[1]);
    const auto batch = test::read_batch(argv[2]);
    run_reference(checkpoint, batch, std::string(argv[3]) + ".f64");
    run_engine(checkpoint, batch, test::precision_of(argc == 5 ? argv[4] : "fp32"), std::string(argv[3]) + ".f32");
  } catch (const std::exception& error) {
    fmt::print(stderr, "forward_probe: {}\n", error.what());
    return 1;
  }
  return 0;
}
