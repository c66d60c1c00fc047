#include "train/pretrain/pretrain_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "train/run/learning_json.hpp"

namespace summand::train {

namespace {

constexpr double kSlack = 1e-9;                       // shares as people write them
constexpr int64_t kMostAccumulated = 1 << 16;         // all batches of a step are in memory
constexpr size_t kMostBatchTokens = size_t{1} << 24;  // a batch is in memory with all its activations

template <class Number>
bool parse(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::span<const model::EnumName<Precision>> enum_names(Precision) {
  static constexpr std::array kNames{model::EnumName{Precision::fp32, "fp32"},
                                     model::EnumName{Precision::bf16, "bf16"}};
  return kNames;
}

size_t validation_length(const PretrainOptions& options) {
  if (options.valid_length > 0) return options.valid_length;
  return std::ranges::max_element(options.phases, {},
                                  [](const Phase& phase) { return std::pair(phase.share, phase.length); })
      ->length;
}

size_t phase_at(const PretrainOptions& options, int64_t step) {
  const double gone = static_cast<double>(step - 1) / static_cast<double>(options.learning.steps);
  double end = 0;
  for (size_t phase = 0; phase + 1 < options.phases.size(); ++phase) {
    end += options.phases[phase].share;
    if (gone < end - kSlack) return phase;
  }
  return options.phases.size() - 1;
}

std::string validation_error(const PretrainOptions& options, size_t positions) {
  const auto at_least = [](std::string_view option, auto least, auto got) {
    return got >= least ? std::string() : fmt::format("{}: expected at least {}, got {}", option, least, got);
  };
  const size_t least = special_tokens_of(options.pairs) + 2;
  double shares = 0;
  for (const Phase& phase : options.phases) {
    if (phase.length < least || phase.length > positions) {
      return fmt::format("--length: expected {} to {}, the positions that the model has, got {}", least, positions,
                         phase.length);
    }
    if (phase.length > options.batch_tokens) {
      return fmt::format("--batch-tokens: expected at least --length ({}), got {}", phase.length, options.batch_tokens);
    }
    if (!(phase.share > 0)) return fmt::format("--length: expected shares above 0, got {}", phase.share);
    shares += phase.share;
  }
  const size_t valid_length = validation_length(options);
  if (valid_length < least || valid_length > std::min(positions, options.batch_tokens)) {
    return fmt::format(
        "--valid-length: expected {} to {}, the positions that the model has, at most --batch-tokens, got {}", least,
        positions, valid_length);
  }
  if (std::abs(shares - 1) > kSlack) return fmt::format("--length: expected shares that make 1, got {}", shares);
  for (const auto& fault : {at_least("--accumulate", int64_t{1}, options.accumulate),
                            at_least("--validate-every", int64_t{1}, options.validate_every),
                            at_least("--patience", int64_t{0}, options.patience), validation_error(options.learning)}) {
    if (!fault.empty()) return fault;
  }
  if (options.accumulate > kMostAccumulated) {
    return fmt::format("--accumulate: expected at most {}, got {}", kMostAccumulated, options.accumulate);
  }
  if (options.batch_tokens > kMostBatchTokens) {
    return fmt::format("--batch-tokens: expected at most {}, got {}; --accumulate makes a step of several batches",
                       kMostBatchTokens, options.batch_tokens);
  }
  if (!(options.short_share >= 0 && options.short_share <= 1)) {
    return fmt::format("--short-share: expected 0 to 1, got {}", options.short_share);
  }
  return validation_error(options.masks);
}

std::vector<Phase> parse_phases(const std::string& text) {
  std::vector<Phase> phases;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), one.size() + 1));
    Phase phase;
    const size_t colon = one.find(':');
    const bool has_share = colon != std::string_view::npos;
    if (!parse(one.substr(0, colon), phase.length) || (has_share && !parse(one.substr(colon + 1), phase.share))) {
      throw UsageError("--length", fmt::format("expected N or N:SHARE,N:SHARE, got '{}'", printable(text)));
    }
    phases.push_back(phase);
  }
  if (phases.empty()) throw UsageError("--length", "expected N or N:SHARE,N:SHARE, got nothing");
  return phases;
}

std::string to_json(const PretrainOptions& options) {
  nlohmann::ordered_json phases = nlohmann::ordered_json::array();
  for (const Phase& phase : options.phases) phases.push_back({{"length", phase.length}, {"share", phase.share}});
  const MaskRules& masks = options.masks;
  const bool windows = masks.selection == Selection::windows;
  const double of_window = 1 / static_cast<double>(masks.window);
  nlohmann::ordered_json json{{"seed", options.seed},
                              {"batch_tokens", options.batch_tokens},
                              {"accumulate", options.accumulate},
                              {"length", phases},
                              {"pairs", model::name_of(options.pairs)},
                              {"short_share", options.short_share},
                              {"mask_selection", model::name_of(masks.selection)},
                              {"mask_unit", model::name_of(masks.unit)},
                              {"mask_rate", windows ? of_window : masks.predict_rate},
                              {"corrupt_rate", windows ? of_window : masks.corrupt_rate},
                              {"mask_window", masks.window},
                              {"mask_split", {masks.mask_share, masks.random_share}},
                              {"segments", model::name_of(options.segments)},
                              {"random_start", options.random_start},
                              {"precision", model::name_of(options.precision)},
                              {"validate_every", options.validate_every},
                              {"valid_sequences", options.valid_sequences},
                              {"valid_length", validation_length(options)},
                              {"patience", options.patience}};
  // Runs of older versions have no start.
  if (options.start != FirstValues::drawn) json["start"] = model::name_of(options.start);
  add_to(json, options.learning);
  return json.dump();
}

}  // namespace summand::train
