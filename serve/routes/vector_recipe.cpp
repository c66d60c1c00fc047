#include "serve/routes/vector_recipe.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "serve/routes/refused.hpp"

namespace summand::serve {

namespace {

/// `normalize: true` of a model that normalises already changes no bit.
Normalization normalization(const api::LoadedModel& model, bool normalize, bool cut) {
  if (!normalize) return Normalization::none;
  return model.sentence().ends_normalised() && !cut ? Normalization::as_model : Normalization::always;
}

}  // namespace

std::shared_ptr<const api::Embedder> make_embedder(const ServedModel& served, const VectorRecipe& recipe) {
  if (served.width() == 0) {
    throw Refused{Fault::other_model, "the model '" + served.name() + "' makes no sentence vectors", "model"};
  }
  if (recipe.dimensions && *recipe.dimensions > served.whole_width()) {
    throw Refused{Fault::validation,
                  fmt::format("`dimensions`: expected 1 to {}, got {}", served.whole_width(), *recipe.dimensions),
                  "dimensions"};
  }
  const bool cut = recipe.dimensions.value_or(served.width()) < served.whole_width();
  try {
    return std::make_shared<const api::Embedder>(
        served.model(), EmbedOptions{.normalization = normalization(served.model(), recipe.normalize, cut),
                                     .dimensions = recipe.dimensions,
                                     .prompt = recipe.prompt,
                                     .prompt_name = recipe.prompt_name});
  } catch (const UsageError& error) {
    const std::string field = error.where() == "prompt-name" ? "prompt_name" : std::string(error.where());
    throw Refused{Fault::validation, fmt::format("`{}`: {}", field, error.message()), field};
  }
}

}  // namespace summand::serve
