#include "train/finetune/finetune_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.hpp"
#include "model/reading.hpp"
#include "train/run/learning_json.hpp"

namespace summand::train {

namespace {

using model::EnumName;

constexpr std::array<std::string_view, 4> kOneLabel{"accuracy", "macro_f1", "matthews", "loss"};
constexpr std::array<std::string_view, 4> kSeveralLabels{"micro_f1", "macro_f1", "accuracy", "loss"};
constexpr std::array<std::string_view, 4> kNumbers{"pearson", "spearman", "mean_squared_error", "loss"};
constexpr std::array<std::string_view, 5> kWords{"accuracy", "span_f1", "macro_f1", "matthews", "loss"};
constexpr std::array<std::string_view, 3> kRanking{"average_precision", "mean_reciprocal_rank", "loss"};

constexpr int64_t kMostEpochs = 1'000'000;            // their steps must be a number
constexpr size_t kMostBatchTokens = size_t{1} << 24;  // they are in memory with all their activations

std::string share_error(const char* option, double value) {
  if (value >= 0 && static_cast<float>(value) < 1) return "";
  return fmt::format("{}: expected at least 0, below 1, got {}", option, value);
}

bool has_class_weights(const FinetuneOptions& options) {
  return options.task == FinetuneTask::classify || options.task == FinetuneTask::pair ||
         options.task == FinetuneTask::tag;
}

/// Options that suit only some tasks.
std::string misplaced_option(const FinetuneOptions& options) {
  const auto task = model::name_of(options.task);
  if (options.multi_label && options.task != FinetuneTask::classify && options.task != FinetuneTask::pair) {
    return fmt::format("--multi-label: expected with --task classify or pair, got it with {}", task);
  }
  if (options.class_weights != "none" && !has_class_weights(options)) {
    return fmt::format("--class-weights: expected with --task classify, pair or tag, got it with {}", task);
  }
  if (options.windows && options.task == FinetuneTask::embed) {
    return "--windows: expected with a task other than embed, got it with embed";
  }
  if (options.task == FinetuneTask::tag && encodes_windows(options)) {
    return "--windows: expected mean or max with --task tag, which labels words, got transformer";
  }
  if (options.task == FinetuneTask::embed) return "";  // it checks its own
  const auto known = metrics_of(options);
  if (options.metric && std::ranges::find(known, *options.metric) == known.end()) {
    return fmt::format("--metric: expected one of {} for --task {}{}, got '{}'", fmt::join(known, ", "), task,
                       options.multi_label ? " --multi-label" : "", printable(*options.metric));
  }
  return "";
}

}  // namespace

std::span<const EnumName<FinetuneTask>> enum_names(FinetuneTask) {
  static constexpr std::array kNames{
      EnumName{FinetuneTask::classify, "classify"}, EnumName{FinetuneTask::pair, "pair"},
      EnumName{FinetuneTask::regress, "regress"},   EnumName{FinetuneTask::tag, "tag"},
      EnumName{FinetuneTask::rank, "rank"},         EnumName{FinetuneTask::embed, "embed"}};
  return kNames;
}

bool encodes_windows(const FinetuneOptions& options) {
  return options.windows && options.windows->pooling == WindowPooling::transformer;
}

LabelShape label_shape(const FinetuneOptions& options) {
  switch (options.task) {
    case FinetuneTask::classify:
    case FinetuneTask::pair:
      return options.multi_label ? LabelShape::several : LabelShape::one;
    case FinetuneTask::tag:
      return LabelShape::by_word;
    case FinetuneTask::regress:
    case FinetuneTask::rank:
    case FinetuneTask::embed:
      return LabelShape::number;
  }
  __builtin_unreachable();
}

model::Head head_of(FinetuneTask task) {
  return task == FinetuneTask::tag ? model::Head::token_classification : model::Head::sequence_classification;
}

std::span<const std::string_view> metrics_of(const FinetuneOptions& options) {
  switch (options.task) {
    case FinetuneTask::classify:
    case FinetuneTask::pair:
      if (options.multi_label) return kSeveralLabels;
      return kOneLabel;
    case FinetuneTask::regress:
      return kNumbers;
    case FinetuneTask::tag:
      return kWords;
    case FinetuneTask::rank:
      return kRanking;
    case FinetuneTask::embed:
      break;
  }
  return {};
}

bool is_better_when_higher(std::string_view metric) {
  return metric != "loss" && metric != "mean_squared_error";
}

std::string validation_error(const FinetuneOptions& options) {
  const auto at_least = [](const char* option, auto least, auto got) {
    return got >= least ? std::string() : fmt::format("{}: expected at least {}, got {}", option, least, got);
  };
  LearningOptions learning = options.learning;
  learning.steps = 1;
  learning.warmup = 0;
  for (const auto& fault :
       {at_least("--epochs", int64_t{1}, options.epochs), at_least("--batch-size", size_t{1}, options.batch_size),
        at_least("--batch-tokens", size_t{1}, options.batch_tokens), at_least("--warmup", 0.0, options.warmup),
        at_least("--freeze", int64_t{0}, options.freeze.value_or(0)),
        at_least("--patience", int64_t{0}, options.patience), share_error("--dropout", options.dropout.value_or(0)),
        share_error("--valid-share", options.valid_share), validation_error(learning), misplaced_option(options)}) {
    if (!fault.empty()) return fault;
  }
  if (options.warmup > 1 && options.warmup != std::floor(options.warmup)) {
    return fmt::format("--warmup: expected a share below 1 or whole steps, got {}", options.warmup);
  }
  if (!(options.layer_decay > 0 && options.layer_decay <= 1)) {
    return fmt::format("--layer-decay: expected more than 0, at most 1, got {}", options.layer_decay);
  }
  if (options.epochs > kMostEpochs) {
    return fmt::format("--epochs: expected at most {}, got {}", kMostEpochs, options.epochs);
  }
  if (!(options.embed.scale > 0 && std::isfinite(options.embed.scale)))
    return fmt::format("--scale: expected a finite number above 0, got {}", options.embed.scale);
  if (!(options.valid_share > 0)) return "--valid-share: expected more than 0, got 0";
  if (options.batch_tokens > kMostBatchTokens) {
    return fmt::format("--batch-tokens: expected at most {}, got {}", kMostBatchTokens, options.batch_tokens);
  }
  return "";
}

int64_t warmup_steps(double warmup, int64_t steps) {
  return static_cast<int64_t>(warmup < 1 ? std::ceil(warmup * static_cast<double>(steps)) : warmup);
}

std::string to_json(const FinetuneOptions& options) {
  const auto or_null = [](const auto& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
  };
  const auto name_or_null = [&](const auto& value) {
    return value ? nlohmann::ordered_json(model::name_of(*value)) : nlohmann::ordered_json(nullptr);
  };
  nlohmann::ordered_json json{{"task", model::name_of(options.task)},
                              {"multi_label", options.multi_label},
                              {"seed", options.seed},
                              {"epochs", options.epochs},
                              {"batch_size", options.batch_size},
                              {"batch_tokens", options.batch_tokens},
                              {"layer_decay", options.layer_decay},
                              {"freeze", or_null(options.freeze)},
                              {"class_weights", options.class_weights},
                              {"metric", options.metric.value_or("")},
                              {"patience", options.patience},
                              {"valid_share", options.valid_share},
                              {"max_length", or_null(options.max_length)},
                              {"truncation", model::name_of(options.truncation)},
                              {"dropout", or_null(options.dropout)},
                              {"precision", model::name_of(options.precision)},
                              {"validate_every", options.validate_every}};
  if (options.windows) {
    json["windows"] = {{"pooling", model::name_of(options.windows->pooling)}, {"overlap", options.windows->overlap}};
  }
  if (encodes_windows(options)) {
    json["windows"]["layers"] = options.window_encoder.layers;
    json["windows"]["most_windows"] = options.window_encoder.most_windows;
  }
  if (options.enlargement.positions) {
    json["positions"] = *options.enlargement.positions;
    json["new_rows"] = model::name_of(options.enlargement.rows);
  }
  add_to(json, options.learning);
  if (options.task == FinetuneTask::embed) {
    json["embed"] = {
        {"loss", name_or_null(options.embed.loss)},
        {"pooling", name_or_null(options.embed.pooling)},
        {"scale", options.embed.scale},
        {"activation", model::name_of(options.embed.activation.value_or(model::TorchActivation::identity))}};
  }
  return json.dump();
}

}  // namespace summand::train
