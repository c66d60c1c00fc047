#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "api/embedding/embedder.hpp"
#include "serve/work/served_model.hpp"

namespace summand::serve {

/// What a request asks of its sentence vectors.
struct VectorRecipe {
  bool normalize = true;
  std::optional<size_t> dimensions = {};  ///< cut before normalising
  std::optional<std::string> prompt = {};
  std::optional<std::string> prompt_name = {};
};

/// @throws Refused naming the field that does not fit the model
[[nodiscard]] std::shared_ptr<const api::Embedder> make_embedder(const ServedModel& served, const VectorRecipe& recipe);

}  // namespace summand::serve
