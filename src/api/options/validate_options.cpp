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

void require_known(const std::optional<WindowOptions>& windows) {
  if (windows) api::require_known(windows->pooling);
}

}  // namespace

void require_known(Truncation value) {
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

void require_known(WindowPooling value) {
  switch (value) {
    case WindowPooling::mean:
    case WindowPooling::maximum:
      return;
  }
  refuse("WindowPooling", value);
}

void require_known(Pooling value) {
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

void require_known(Normalization value) {
  switch (value) {
    case Normalization::as_model:
    case Normalization::none:
      return;
  }
  refuse("Normalization", value);
}

void require_known(Aggregation value) {
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

void require_known(SpecialTokens value) {
  switch (value) {
    case SpecialTokens::add:
    case SpecialTokens::omit:
      return;
  }
  refuse("SpecialTokens", value);
}

void require_known(Lowercase value) {
  switch (value) {
    case Lowercase::no:
    case Lowercase::yes:
      return;
  }
  refuse("Lowercase", value);
}

void require_known(Precision value) {
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

void require_known(Head value) {
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

void require_known(TapPoint value) {
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

void require_known(RepeatedTexts value) {
  switch (value) {
    case RepeatedTexts::compute_once:
    case RepeatedTexts::compute_each:
      return;
  }
  refuse("RepeatedTexts", value);
}

void require_known(AnswerEnds value) {
  switch (value) {
    case AnswerEnds::words:
    case AnswerEnds::tokens:
      return;
  }
  refuse("AnswerEnds", value);
}

void require_known(NoAnswer value) {
  switch (value) {
    case NoAnswer::left_out:
    case NoAnswer::competes:
      return;
  }
  refuse("NoAnswer", value);
}

void require_known(const Taps& taps) {
  for (const auto point : taps.points) require_known(point);
}

void require_known(const LengthOptions& options) {
  require_known(options.truncation);
}

void require_known(const TokenizeOptions& options) {
  require_known(options.truncation);
  require_known(options.special_tokens);
}

void require_known(const EmbedOptions& options) {
  require_known(options.length);
  require_known(options.windows);
  for (const auto pooling : options.pooling) require_known(pooling);
  require_known(options.normalization);
  require_known(options.repeated);
  require_known(options.taps);
}

void require_known(const HiddenOptions& options) {
  require_known(options.length);
  require_known(options.taps);
}

void require_known(const FillMaskOptions& options) {
  require_known(options.length);
  require_known(options.taps);
  require_known(options.repeated);
}

void require_known(const ClassifyOptions& options) {
  require_known(options.length);
  require_known(options.windows);
  require_known(options.taps);
  require_known(options.repeated);
}

void require_known(const RerankOptions& options) {
  require_known(options.length);
  require_known(options.windows);
  require_known(options.taps);
  require_known(options.repeated);
}

void require_known(const TagOptions& options) {
  require_known(options.length);
  require_known(options.windows);
  require_known(options.aggregation);
  require_known(options.taps);
  require_known(options.repeated);
}

void require_known(const AnswerOptions& options) {
  require_known(options.ends);
  require_known(options.no_answer);
  require_known(options.taps);
  require_known(options.repeated);
}

}  // namespace summand::api
