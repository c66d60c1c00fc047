#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "api/model/loaded_model.hpp"
#include "summand/similarity.hpp"

namespace summand::cli {

/// --similarity.
/// @param chosen  empty: as the model's files say
void add_similarity_option(CLI::App& verb, std::string& chosen);

[[nodiscard]] Similarity similarity_of(const std::string& chosen, const api::LoadedModel& model);

/// Says on standard error by what vectors were compared, where the model's files decided and it is not the cosine.
void report_similarity(const std::string& chosen, const api::LoadedModel& model);

/// As options and files spell it.
[[nodiscard]] std::string spelled(Similarity measure);

}  // namespace summand::cli
