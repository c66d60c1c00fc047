#include "train/finetune/vectors/embed_options.hpp"

#include <array>

namespace summand::train {

namespace {

using model::EnumName;
using model::Pooling;
using model::TorchActivation;

}  // namespace

std::span<const EnumName<SentenceLoss>> enum_names(SentenceLoss) {
  static constexpr std::array kNames{EnumName{SentenceLoss::ranking, "ranking"},
                                     EnumName{SentenceLoss::cosine, "cosine"},
                                     EnumName{SentenceLoss::distillation, "distillation"}};
  return kNames;
}

std::span<const std::string_view> metrics_of(SentenceLoss loss) {
  static constexpr std::array<std::string_view, 2> kRanking{"accuracy", "loss"};
  static constexpr std::array<std::string_view, 3> kSimilarities{"spearman", "pearson", "loss"};
  if (loss == SentenceLoss::ranking) return kRanking;
  return kSimilarities;
}

std::span<const EnumName<Pooling>> file_poolings() {
  static constexpr std::array kNames{EnumName{Pooling::mean, "mean"},
                                     EnumName{Pooling::cls, "cls"},
                                     EnumName{Pooling::max, "max"},
                                     EnumName{Pooling::mean_sqrt_length, "mean_sqrt_len_tokens"},
                                     EnumName{Pooling::weighted_mean, "weightedmean"},
                                     EnumName{Pooling::last_token, "lasttoken"}};
  return kNames;
}

std::span<const EnumName<TorchActivation>> dense_activations() {
  static constexpr std::array kNames{EnumName{TorchActivation::identity, "identity"},
                                     EnumName{TorchActivation::tanh, "tanh"}};
  return kNames;
}

}  // namespace summand::train
