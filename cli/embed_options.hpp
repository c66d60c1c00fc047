#pragma once

#include <string>
#include <vector>

#include "api/embedder.hpp"
#include "cli/options.hpp"

namespace summand::cli {

/// What the verbs that make sentence vectors share.
struct EmbedFlags {
  LengthFlags length;
  std::vector<std::string> pooling;
  bool no_normalize = false;
  size_t dimensions = 0;
  std::string prompt;
  bool has_prompt = false;
  std::string precision = "fp32";
};
void add_embed_flags(CLI::App& verb, EmbedFlags& flags);

/// @throws UsageError for a precision that this version does not have
[[nodiscard]] api::EmbedOptions embed_options(const EmbedFlags& flags);

/// Says on standard error what the vectors were made by, where neither the directory nor the user said it.
void report_fallback(const api::LoadedModel& model, const EmbedFlags& flags);

}  // namespace summand::cli
