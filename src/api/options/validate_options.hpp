#pragma once

#include "summand/embeddings.hpp"
#include "summand/heads.hpp"
#include "summand/hidden_states.hpp"
#include "summand/model.hpp"
#include "summand/quantize.hpp"
#include "summand/taps.hpp"
#include "summand/tokenizer.hpp"
#include "summand/tokens.hpp"

namespace summand::api {

// The public door: a value that a binding or a cast made, and that no enumerator has, goes no further. Each throws
// UsageError naming the enumeration and the value.

void require_known(Truncation value);
void require_known(WindowPooling value);
void require_known(Pooling value);
void require_known(Normalization value);
void require_known(Aggregation value);
void require_known(SpecialTokens value);
void require_known(Lowercase value);
void require_known(Precision value);
void require_known(Head value);
void require_known(TapPoint value);
void require_known(RepeatedTexts value);
void require_known(AnswerEnds value);
void require_known(NoAnswer value);

void require_known(const Taps& taps);
void require_known(const LengthOptions& options);
void require_known(const TokenizeOptions& options);
void require_known(const EmbedOptions& options);
void require_known(const HiddenOptions& options);
void require_known(const FillMaskOptions& options);
void require_known(const ClassifyOptions& options);
void require_known(const RerankOptions& options);
void require_known(const TagOptions& options);
void require_known(const AnswerOptions& options);

}  // namespace summand::api
