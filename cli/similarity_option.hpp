#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "api/model/loaded_model.hpp"
#include "summand/similarity.hpp"

namespace summand::cli {

/// Adds --similarity.
/// @param chosen  empty: the model's own
void add_similarity_option(CLI::App& verb, std::string& chosen);

[[nodiscard]] Similarity chosen_similarity(const std::string& chosen, const api::LoadedModel& model);

/// Reports the measure if the model's files decided it and it is not the cosine.
void report_similarity(const std::string& chosen, const api::LoadedModel& model);

/// Its name in options and files.
[[nodiscard]] std::string spelled(Similarity measure);

}  // namespace summand::cli
