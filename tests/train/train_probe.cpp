// train_probe OUT STEP: of every STEP-th pair of arms, OUT/<number>/ with a random model as libtorch holds it, and
// beside it states.safetensors: the batch, and what libtorch computes of it in single precision.

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>

#include "arms.hpp"
#include "io/safetensors_writer.hpp"
#include "model/checkpoint_config.hpp"
#include "support/random_model.hpp"
#include "train/network/network.hpp"

using namespace summand;

namespace {

namespace fs = std::filesystem;

void write(const fs::path& folder, const test::Arm& arm) {
  const model::ModelParts parts{.pooler = model::Pooler::present};
  const train::Network network(arm.config, parts, test::random_weights(arm.config, parts, 11));
  const model::Batch batch = test::arm_batch(arm.config);
  const auto pass = network.run(batch);
  model::Weights states;
  for (size_t state = 0; state < pass.hidden_states.size(); ++state) {
    const at::Tensor rows = pass.hidden_states[state].detach().contiguous();
    states.set(fmt::format("hidden.{}", state),
               model::make_tensor({static_cast<size_t>(rows.size(0)), static_cast<size_t>(rows.size(1))},
                                  {rows.const_data_ptr<float>(), static_cast<size_t>(rows.numel())}));
  }
  fs::create_directories(folder);
  std::ofstream(folder / "config.json") << model::checkpoint_json(arm.config);
  std::ofstream(folder / "name.txt") << arm.name;
  io::write_safetensors(folder / "model.safetensors", network.parameters().weights());
  io::write_safetensors(folder / "states.safetensors", states);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: train_probe OUT\n");
    return 2;
  }
  try {
    fs::remove_all(argv[1]);  // of kinds that are no more
    std::vector<std::string> refused;
    const auto arms = test::paired_arms(refused);
    for (size_t i = 0; i < arms.size(); ++i) write(fs::path(argv[1]) / fmt::format("{}", i), arms[i]);
    fmt::print("{} pairs written, {} refused\n", arms.size(), refused.size());
    for (const auto& name : refused) fmt::print("refused: {}\n", name);
    return 4 * refused.size() <= arms.size() + refused.size() ? 0 : 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "train_probe: {}\n", error.what());
    return 1;
  }
}
