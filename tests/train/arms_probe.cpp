// arms_probe OUT: of every single arm, OUT/<number>/ as `summand pretrain` writes a checkpoint, and beside it
// expected.json: the arm's name, a text, and the logits that the reference computes of the checkpoint as it reads it.

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "arms.hpp"
#include "io/checkpoint.hpp"
#include "reference/bert.hpp"
#include "reference/heads.hpp"
#include "support/random_model.hpp"
#include "train/run/checkpoint_files.hpp"

using namespace summand;

namespace {

namespace fs = std::filesystem;

nlohmann::json expected(const fs::path& folder, const model::Batch& batch) {
  const auto checkpoint = io::load_checkpoint(folder, 1);
  const model::Config& config = checkpoint.config.config;
  const reference::Bert<double> bert(config, checkpoint.weights);
  const reference::Heads<double> heads(config, checkpoint.weights);
  std::vector<size_t> rows(batch.tokens());
  std::iota(rows.begin(), rows.end(), size_t{0});
  const auto logits = heads.logits(model::Head::masked_language, bert.run(batch, 0), rows);
  nlohmann::json json{{"ids", batch.ids}, {"segments", batch.segments}};
  for (size_t row = 0; row < logits.rows(); ++row) json["logits"].push_back(logits.row(row));
  return json;
}

void write(const fs::path& folder, test::Arm arm) {
  const bool tied = arm.config.token_table_rows() == arm.config.vocab_size &&
                    arm.config.part_widths().token == static_cast<size_t>(arm.config.hidden_size);
  const model::ModelParts parts{.pooler = model::Pooler::absent,
                                .heads = {model::Head::masked_language},
                                .decoder = tied ? model::Decoder::tied : model::Decoder::own};
  arm.config.tie_word_embeddings = tied;
  arm.config.architectures = {"BertForMaskedLM"};
  fs::create_directories(folder);
  train::write_checkpoint_files(folder, arm.config, test::random_weights(arm.config, parts, 11), {});
  auto json = expected(folder, test::random_batch(arm.config, {24}, 77));
  json["name"] = arm.name;
  std::ofstream(folder / "expected.json") << json;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: arms_probe OUT\n");
    return 2;
  }
  try {
    const auto arms = test::single_arms();
    for (size_t i = 0; i < arms.size(); ++i) write(fs::path(argv[1]) / fmt::format("{}", i), arms[i]);
    fmt::print("{} arms written\n", arms.size());
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "arms_probe: {}\n", error.what());
    return 1;
  }
}
