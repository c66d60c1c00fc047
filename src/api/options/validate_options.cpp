#include "api/options/validate_options.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "base/error.hpp"

namespace summand::api {

namespace {

/// What every switch below ends with: -Wswitch names the enumerator that one of them forgets.
template <class Enum>
[[noreturn]] void refuse(std::string_view name, Enum value) {
  throw UsageError(name, fmt::format("expected one of its named values, got {}", static_cast<int>(value)));
}

}  // namespace

void validate(Truncation value) {
  switch (value) {
    case Truncation::longest_first:
    case Truncation::only_first:
    case Truncation::only_second:
    case Truncation::none:
    case Truncation::head_tail:
    case Truncation::tail:
    case Truncation::head:
      return;
  }
  refuse("Truncation", value);
}

void validate(WindowPooling value) {
  switch (value) {
    case WindowPooling::mean:
    case WindowPooling::maximum:
    case WindowPooling::transformer:
      return;
  }
  refuse("WindowPooling", value);
}

void validate(Pooling value) {
  switch (value) {
    case Pooling::cls:
    case Pooling::mean:
    case Pooling::max:
    case Pooling::mean_sqrt_length:
    case Pooling::weighted_mean:
    case Pooling::last_token:
    case Pooling::last_four_mean:
    case Pooling::last_four_concat:
      return;
  }
  refuse("Pooling", value);
}

void validate(Normalization value) {
  switch (value) {
    case Normalization::as_model:
    case Normalization::none:
    case Normalization::always:
      return;
  }
  refuse("Normalization", value);
}

void validate(Aggregation value) {
  switch (value) {
    case Aggregation::none:
    case Aggregation::simple:
    case Aggregation::first:
    case Aggregation::average:
    case Aggregation::max:
      return;
  }
  refuse("Aggregation", value);
}

void validate(SpecialTokens value) {
  switch (value) {
    case SpecialTokens::add:
    case SpecialTokens::omit:
      return;
  }
  refuse("SpecialTokens", value);
}

void validate(Lowercase value) {
  switch (value) {
    case Lowercase::no:
    case Lowercase::yes:
      return;
  }
  refuse("Lowercase", value);
}

void validate(Precision value) {
  switch (value) {
    case Precision::fp32:
    case Precision::bf16:
    case Precision::fp16:
    case Precision::int8:
    case Precision::automatic:
    case Precision::of_checkpoint:
      return;
  }
  refuse("Precision", value);
}

void validate(Head value) {
  switch (value) {
    case Head::masked_language:
    case Head::next_sentence:
    case Head::sequence_classification:
    case Head::token_classification:
    case Head::question_answering:
      return;
  }
  refuse("Head", value);
}

void validate(TapPoint value) {
  switch (value) {
    case TapPoint::token_part:
    case TapPoint::position_part:
    case TapPoint::segment_part:
    case TapPoint::sum:
    case TapPoint::input:
    case TapPoint::query:
    case TapPoint::key:
    case TapPoint::value:
    case TapPoint::scores:
    case TapPoint::attention:
    case TapPoint::context:
    case TapPoint::attention_output:
    case TapPoint::intermediate:
    case TapPoint::layer_output:
      return;
  }
  refuse("TapPoint", value);
}

void validate(RepeatedTexts value) {
  switch (value) {
    case RepeatedTexts::compute_once:
    case RepeatedTexts::compute_each:
      return;
  }
  refuse("RepeatedTexts", value);
}

void validate(AnswerEnds value) {
  switch (value) {
    case AnswerEnds::words:
    case AnswerEnds::tokens:
      return;
  }
  refuse("AnswerEnds", value);
}

void validate(NoAnswer value) {
  switch (value) {
    case NoAnswer::left_out:
    case NoAnswer::competes:
      return;
  }
  refuse("NoAnswer", value);
}

void validate(const Taps& taps) {
  for (const auto point : taps.points) validate(point);
}

void validate(const std::optional<WindowOptions>& windows) {
  if (windows) validate(windows->pooling);
}

void validate(const LengthOptions& options) {
  if (options.truncation) validate(*options.truncation);
}

void validate(const TokenizeOptions& options) {
  validate(options.truncation);
  validate(options.special_tokens);
}

void validate(const EmbedOptions& options) {
  validate(options.length);
  validate(options.windows);
  for (const auto pooling : options.pooling) validate(pooling);
  validate(options.normalization);
  validate(options.repeated);
  validate(options.taps);
}

void validate(const HiddenOptions& options) {
  validate(options.length);
  validate(options.taps);
}

void validate(const FillMaskOptions& options) {
  validate(options.length);
  validate(options.taps);
  validate(options.repeated);
}

void validate(const ClassifyOptions& options) {
  validate(options.length);
  validate(options.windows);
  validate(options.taps);
  validate(options.repeated);
}

void validate(const ScoreOptions& options) {
  validate(options.length);
  validate(options.windows);
  validate(options.taps);
  validate(options.repeated);
}

void validate(const RerankOptions& options) {
  validate(options.length);
  validate(options.windows);
  validate(options.taps);
  validate(options.repeated);
}

void validate(const TagOptions& options) {
  validate(options.length);
  validate(options.windows);
  validate(options.aggregation);
  validate(options.taps);
  validate(options.repeated);
}

void validate(const AnswerOptions& options) {
  validate(options.ends);
  validate(options.no_answer);
  validate(options.taps);
  validate(options.repeated);
}

}  // namespace summand::api
