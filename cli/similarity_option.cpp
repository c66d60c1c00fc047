#include "cli/similarity_option.hpp"

#include <vector>

#include "api/options/option_names.hpp"
#include "terminal/option_validators.hpp"
#include "terminal/print_to_stderr.hpp"

namespace summand::cli {

void add_similarity_option(CLI::App& verb, std::string& chosen) {
  std::vector<std::string> names;
  for (const auto& entry : api::similarities_known()) names.emplace_back(entry.name);
  verb.add_option("--similarity", chosen,
                  "How vectors are compared. Default: the model's similarity_fn_name, else the cosine. euclidean and "
                  "manhattan are negative distances")
      ->check(terminal::one_of(names))
      ->option_text("cosine|dot|euclidean|manhattan");
}

Similarity chosen_similarity(const std::string& chosen, const api::LoadedModel& model) {
  return chosen.empty() ? model.checkpoint().sentence_modules().similarity : api::similarity_named(chosen);
}

void report_similarity(const std::string& chosen, const api::LoadedModel& model) {
  const auto measure = chosen_similarity(chosen, model);
  if (!chosen.empty() || measure == Similarity::cosine) return;
  const bool is_distance = measure == Similarity::euclidean || measure == Similarity::manhattan;
  terminal::print_to_stderr("the model's similarity_fn_name is {}{}: vectors are compared by it", spelled(measure),
                            is_distance ? ", a negative distance" : "");
}

std::string spelled(Similarity measure) {
  return std::string(api::name_of(measure));
}

}  // namespace summand::cli
