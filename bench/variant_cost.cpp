// bench_variants MODEL [THREADS [ROUNDS]]: what every composition, table of positions and encoding inside attention
// costs beside a plain BERT of the checkpoint's sizes. Of each kind a model with drawn parameters runs in turns with
// the plain one, on short texts and on long ones; the median of the rounds' ratios counts. Prints a table for each
// list, as docs/variants.md has it.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "io/checkpoint.hpp"
#include "model/initialise.hpp"
#include "model/parameters.hpp"

using namespace summand;

namespace {

struct Settings {
  int threads = 2;
  int rounds = 7;
};

const model::ModelParts kParts{.pooler = model::Pooler::absent};
/// Beyond, a model is not built: a joint table of a large vocabulary.
constexpr double kMostParameters = 1e9;

model::Batch texts_of(const model::Config& config, size_t count, size_t length) {
  model::Batch batch;
  for (size_t text = 0; text < count; ++text) {
    std::vector<int32_t> ids(length), segments(length);
    for (size_t i = 0; i < length; ++i) {
      ids[i] = static_cast<int32_t>((text * 7919 + i * 104729) % static_cast<size_t>(config.vocab_size));
      segments[i] = config.type_vocab_size > 1 && 2 * i >= length ? 1 : 0;
    }
    batch.add(ids, segments);
  }
  return batch;
}

double parameter_count(const model::Config& config) {
  double count = 0;
  for (const auto& parameter : model::parameters(config, kParts)) {
    count += static_cast<double>(model::elements(parameter));
  }
  return count;
}

double seconds_of(const engine::Engine& engine, const model::Batch& batch) {
  const auto begin = std::chrono::steady_clock::now();
  (void)engine.run(batch, {.hidden_states = {static_cast<size_t>(engine.config().num_hidden_layers)}});
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

class Comparison {
 public:
  Comparison(const model::Config& plain, Settings settings)
      : plain_(plain),
        weights_(model::initialise(plain, kParts, 1)),
        settings_(settings),
        works_{texts_of(plain, 256, 16), texts_of(plain, 20, 200)} {}

  /// A row of a table.
  void print(std::string_view name, const model::Config& config) const {
    const double count = parameter_count(config);
    std::string row = fmt::format("| `{}` | {:+.0f} |", name, count - parameter_count(plain_));
    if (count > kMostParameters) {
      row += " too large for this vocabulary |";
    } else {
      const auto weights = model::initialise(config, kParts, 1);
      for (const auto precision : {engine::Precision::fp32, engine::Precision::bf16, engine::Precision::int8}) {
        row += engine::runs(precision, engine::chosen_kernel_set()) ? ratios(config, weights, precision) : " – |";
      }
    }
    fmt::print("{}\n", row);
    std::fflush(stdout);
  }

 private:
  [[nodiscard]] std::string ratios(const model::Config& config, const model::Weights& weights,
                                   engine::Precision precision) const {
    const engine::EngineOptions options{.threads = settings_.threads, .precision = precision};
    const engine::Engine plain(plain_, weights_, options);
    const engine::Engine other(config, weights, options);
    std::vector<std::string> medians;
    for (const auto& batch : works_) {
      (void)seconds_of(plain, batch);
      (void)seconds_of(other, batch);
      std::vector<double> all;
      for (int round = 0; round < settings_.rounds; ++round) {
        const double before = seconds_of(plain, batch);
        const double time = seconds_of(other, batch);
        all.push_back(2 * time / (before + seconds_of(plain, batch)));
      }
      std::ranges::sort(all);
      medians.push_back(fmt::format("{:.2f}", all[all.size() / 2]));
    }
    return fmt::format(" {}, {} |", medians[0], medians[1]);
  }

  model::Config plain_;
  model::Weights weights_;
  Settings settings_;
  std::vector<model::Batch> works_;
};

void print_head(std::string_view list) {
  fmt::print("\n| `{}` | parameters | fp32 | bf16 | int8 |\n|---|---|---|---|---|\n", list);
}

void run(const std::string& directory, Settings settings) {
  const auto plain = io::load_checkpoint(directory).config.config;
  const Comparison comparison(plain, settings);
  fmt::print("{} threads, {}\n", settings.threads, engine::chosen_kernel_set().name);
  print_head("composition");
  for (const auto& kind : model::typical_compositions(static_cast<size_t>(plain.hidden_size))) {
    auto config = plain;
    config.composition = kind;
    if (std::holds_alternative<model::JointTable>(kind)) {
      config.position = model::NoPositions();
      config.segment = model::SegmentKind::none;
    }
    comparison.print(model::name_of(kind), config);
  }
  print_head("position_kind");
  for (const auto& kind : model::typical_positions(plain.position_table_size())) {
    auto config = plain;
    config.position = kind;
    comparison.print(model::name_of(kind), config);
  }
  print_head("position_attention");
  for (const auto& kind : model::typical_kinds<model::AttentionKind>(plain.positions_in_attention().sizes)) {
    auto config = plain;
    config.position_attention = kind;
    comparison.print(model::name_of(kind), config);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    fmt::print(stderr, "usage: bench_variants MODEL [THREADS [ROUNDS]]\n");
    return 2;
  }
  try {
    Settings settings;
    if (argc > 2) settings.threads = std::stoi(argv[2]);
    if (argc > 3) settings.rounds = std::stoi(argv[3]);
    run(argv[1], settings);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_variants: {}\n", error.what());
    return 1;
  }
}
