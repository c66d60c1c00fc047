#pragma once

#include <optional>

#include "summand/embeddings.hpp"
#include "summand/heads.hpp"
#include "summand/hidden_states.hpp"
#include "summand/model.hpp"
#include "summand/quantize.hpp"
#include "summand/taps.hpp"
#include "summand/tokenizer.hpp"
#include "summand/tokens.hpp"

namespace summand::api {

// Checks of the public interface: an enumeration value may come from a binding or a cast and be no enumerator. Each
// throws UsageError naming the enumeration and the value.

void validate(Truncation value);
void validate(WindowPooling value);
void validate(Pooling value);
void validate(Normalization value);
void validate(Aggregation value);
void validate(SpecialTokens value);
void validate(Lowercase value);
void validate(Precision value);
void validate(Head value);
void validate(TapPoint value);
void validate(RepeatedTexts value);
void validate(AnswerEnds value);
void validate(NoAnswer value);

void validate(const Taps& taps);
void validate(const LengthOptions& options);
void validate(const std::optional<WindowOptions>& windows);
void validate(const TokenizeOptions& options);
void validate(const EmbedOptions& options);
void validate(const HiddenOptions& options);
void validate(const FillMaskOptions& options);
void validate(const ClassifyOptions& options);
void validate(const ScoreOptions& options);
void validate(const RerankOptions& options);
void validate(const TagOptions& options);
void validate(const AnswerOptions& options);

}  // namespace summand::api
