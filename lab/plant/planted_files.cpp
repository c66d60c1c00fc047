#include "lab/plant/planted_files.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/paths.hpp"
#include "io/checkpoint_copy.hpp"
#include "io/module_list.hpp"
#include "io/npy_writer.hpp"
#include "io/output_file.hpp"
#include "io/safetensors_writer.hpp"
#include "model/checkpoint_config.hpp"
#include "model/config.hpp"

namespace summand::lab {

namespace plant {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 5> kTokenizerFiles{"tokenizer.json", "tokenizer_config.json", "vocab.txt",
                                                          "special_tokens_map.json", "added_tokens.json"};

model::Weights weights_of(const model::SentenceStep& step) {
  model::Weights weights;
  if (const auto* dense = std::get_if<model::Dense>(&step)) {
    weights.set("linear.weight", dense->weight);
    if (dense->bias) weights.set("linear.bias", *dense->bias);
    if (dense->projection) weights.set("residual.weight", *dense->projection);
  }
  if (const auto* norm = std::get_if<model::VectorNorm>(&step)) {
    weights.set("norm.weight", norm->weight);
    weights.set("norm.bias", norm->bias);
  }
  return weights;
}

/// Over those that the copy has of the source: they read the hidden vector in another order.
void write_sentence_modules(const RewrittenModel& model, const io::Checkpoint& source, const io::OutputDirectory& out) {
  size_t step = 0;
  bool is_pooled = false;
  for (const auto& module : io::read_module_list(source.directory).modules) {
    is_pooled = is_pooled || module.kind == io::ModuleKind::pooling;
    const bool is_step = module.kind == io::ModuleKind::dense || module.kind == io::ModuleKind::layer_norm ||
                         (module.kind == io::ModuleKind::normalize && is_pooled);
    if (!is_step) continue;
    const model::Weights weights = weights_of(model.steps.at(step++));
    if (module.kind == io::ModuleKind::normalize) continue;
    const fs::path place = out.make_folder(module.directory.lexically_relative(source.directory).lexically_normal());
    io::write_safetensors(place / "model.safetensors", weights);
  }
}

}  // namespace
}  // namespace plant

void write_planted_table(const Table& table, const io::OutputDirectory& out) {
  io::OutputFile file(out.path() / "table.npy");
  io::NpyWriter writer(file, {.rows = static_cast<size_t>(table.rows()), .columns = static_cast<size_t>(table.cols())});
  std::vector<float> row(static_cast<size_t>(table.cols()));
  for (Eigen::Index i = 0; i < table.rows(); ++i) {
    std::ranges::transform(table.row(i), row.begin(), [](double value) { return static_cast<float>(value); });
    writer.append(std::span<const float>(row));
  }
  writer.finish();
  file.commit();
}

void write_rewritten_model(const RewrittenModel& model, const io::Checkpoint& source, const io::OutputDirectory& out) {
  io::copy_checkpoint(source, {.weights = model.weights}, out, {});
  if (!model.permutation.empty()) plant::write_sentence_modules(model, source, out);
}

void write_random_model(const RewrittenModel& model, const io::Checkpoint& source, const io::OutputDirectory& out) {
  write_planted_text("config.json", model::checkpoint_json(model.config), out);
  io::write_safetensors(out.path() / "model.safetensors", model.weights);
  for (const auto name : plant::kTokenizerFiles) {
    const auto file = source.transformer_directory / name;
    if (is_there(file)) write_planted_text(name, read_file(file, kLongestTokenizer), out);
  }
}

void write_planted_text(std::string_view name, std::string_view text, const io::OutputDirectory& out) {
  io::OutputFile file(out.path() / name);
  file.write(text);
  file.commit();
}

}  // namespace summand::lab
