#include "model/sentence_modules.hpp"

#include <array>

namespace summand {

std::span<const model::EnumName<Pooling>> enum_names(Pooling) {
  static constexpr std::array names{
      model::EnumName{Pooling::cls, "cls"},
      model::EnumName{Pooling::mean, "mean"},
      model::EnumName{Pooling::max, "max"},
      model::EnumName{Pooling::mean_sqrt_length, "mean_sqrt_len_tokens"},
      model::EnumName{Pooling::weighted_mean, "weightedmean"},
      model::EnumName{Pooling::last_token, "lasttoken"},
      model::EnumName{Pooling::last_four_mean, "last_four_mean"},
      model::EnumName{Pooling::last_four_concat, "last_four_concat"},
      model::EnumName{Pooling::mean_sqrt_length, "mean_sqrt_length"},
      model::EnumName{Pooling::weighted_mean, "weighted_mean"},
      model::EnumName{Pooling::last_token, "last_token"},
  };
  return names;
}

std::span<const model::EnumName<Similarity>> enum_names(Similarity) {
  static constexpr std::array names{
      model::EnumName{Similarity::cosine, "cosine"},
      model::EnumName{Similarity::dot, "dot"},
      model::EnumName{Similarity::euclidean, "euclidean"},
      model::EnumName{Similarity::manhattan, "manhattan"},
  };
  return names;
}

}  // namespace summand

namespace summand::model {

std::vector<const Dense*> dense_steps(const SentenceModules& modules) {
  std::vector<const Dense*> found;
  for (const auto& step : modules.steps) {
    if (const auto* dense = std::get_if<Dense>(&step)) found.push_back(dense);
  }
  return found;
}

size_t first_ending(const SentenceModules& modules) {
  size_t first = modules.steps.size();
  while (first > 0 && std::holds_alternative<Normalize>(modules.steps[first - 1])) --first;
  return first;
}

}  // namespace summand::model
