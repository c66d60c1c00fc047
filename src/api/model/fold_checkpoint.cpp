#include "summand/fold.hpp"

#include "base/available_threads.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "io/checkpoint.hpp"
#include "io/checkpoint_copy.hpp"
#include "io/output_directory.hpp"
#include "io/resolve_model.hpp"
#include "model/fold.hpp"

namespace summand {

namespace {

size_t parameters_of(const model::Weights& weights) {
  size_t count = 0;
  for (const auto& [name, tensor] : weights) count += tensor.elements();
  return count;
}

}  // namespace

FoldReport fold(const std::filesystem::path& model, const std::filesystem::path& out, const FoldOptions& options) {
  const auto checkpoint = io::load_checkpoint(io::resolve_model(model.string()), available_threads());
  const model::Config& config = checkpoint.config.config;
  if (const std::string fault = model::fold_error(config, checkpoint.parts); !fault.empty()) {
    throw ConfigError(path_text(checkpoint.directory), "summand." + fault);
  }
  io::OutputDirectory directory(out);
  const model::Folded folded = model::fold(config, checkpoint.weights);
  io::copy_checkpoint(
      checkpoint, {.weights = folded.weights, .weight_format = config.weight_format, .own_settings = &folded.config},
      directory, options.on_step);
  FoldReport report{.directory = checkpoint.directory,
                    .out = out,
                    .composition = std::string(model::name_of(config.composition)),
                    .positions = std::string(model::name_of(config.position)),
                    .parameters_before = parameters_of(checkpoint.weights),
                    .parameters_after = parameters_of(folded.weights),
                    .is_bert = model::is_bert(folded.config),
                    .notices = checkpoint.notices};
  directory.commit();
  return report;
}

}  // namespace summand
