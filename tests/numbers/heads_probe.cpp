// heads_probe MODEL_DIR BATCH.safetensors OUT [fp32|bf16|int8]: runs every head that the model has, in the reference in
// double and in the engine, and writes the logits as bare numbers, OUT.f64 and OUT.f32, head after head in
// model::Head's order. The batch holds ids, segments, positions, offsets and masked (tokens that the masked-language
// head predicts) as I64. Prints the heads' names, one per line.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "io/checkpoint.hpp"
#include "numbers/probe_batch.hpp"
#include "numbers/probe_precision.hpp"
#include "reference/heads.hpp"

using namespace summand;

namespace {

struct Logits {
  std::vector<double> exact;
  std::vector<float> fast;
};

/// The masked tokens of a text, counted from its first.
std::vector<size_t> masked_in(const model::Batch& batch, std::span<const size_t> masked, size_t text) {
  std::vector<size_t> own;
  for (const size_t token : masked) {
    if (token >= batch.offsets[text] && token < batch.offsets[text + 1]) own.push_back(token - batch.offsets[text]);
  }
  return own;
}

Logits run(const io::Checkpoint& checkpoint, const model::Batch& batch, std::span<const size_t> masked,
           engine::Precision precision) {
  const model::Config& config = checkpoint.config.config;
  const engine::Engine engine(config, checkpoint.weights, {.threads = 2, .precision = precision});
  const reference::Bert<double> bert(config, checkpoint.weights);
  const reference::Heads<double> heads(config, checkpoint.weights);
  Logits logits;
  for (const model::Head head : checkpoint.parts.heads) {
    fmt::print("{}\n", model::name_of(head));
    const auto fast = engine::head_logits(engine, batch, head, masked);
    logits.fast.insert(logits.fast.end(), fast.elements().begin(), fast.elements().end());
    for (size_t text = 0; text < batch.texts(); ++text) {
      const auto exact = heads.logits(head, bert.run(batch, text), masked_in(batch, masked, text));
      logits.exact.insert(logits.exact.end(), exact.elements().begin(), exact.elements().end());
    }
  }
  return logits;
}

template <class Scalar>
void write(const std::string& path, const std::vector<Scalar>& values) {
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(Scalar)));
  if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 && argc != 5) {
    fmt::print(stderr, "usage: heads_probe MODEL_DIR BATCH.safetensors OUT [fp32|bf16|int8]\n");
    return 2;
  }
  try {
    const auto checkpoint = io::load_checkpoint(argv[1]);
    for (const auto& notice : checkpoint.notices) fmt::print(stderr, "{}\n", notice);
    const auto logits = run(checkpoint, test::read_batch(argv[2]), test::read_masked(argv[2]),
                            test::precision_of(argc == 5 ? argv[4] : "fp32"));
    write(std::string(argv[3]) + ".f64", logits.exact);
    write(std::string(argv[3]) + ".f32", logits.fast);
  } catch (const std::exception& error) {
    fmt::print(stderr, "heads_probe: {}\n", error.what());
    return 1;
  }
  return 0;
}
