#pragma once

// All public headers.

#include "summand/embeddings.hpp"
#include "summand/error.hpp"
#include "summand/fold.hpp"
#include "summand/heads.hpp"
#include "summand/hidden_states.hpp"
#include "summand/matrix.hpp"
#include "summand/model.hpp"
#include "summand/precision.hpp"
#include "summand/progress.hpp"
#include "summand/quantize.hpp"
#include "summand/range.hpp"
#include "summand/search.hpp"
#include "summand/similarity.hpp"
#include "summand/system_info.hpp"
#include "summand/taps.hpp"
#include "summand/text.hpp"
#include "summand/tokenizer.hpp"
#include "summand/tokens.hpp"
#include "summand/vectors.hpp"
#include "summand/verify.hpp"
#include "summand/version.hpp"
#include "summand/vocab.hpp"
#include "summand/windows.hpp"

/// The public interface of summand.
namespace summand {}
