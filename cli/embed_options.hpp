#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/embedding/embedder.hpp"
#include "cli/options.hpp"
#include "cli/window_options.hpp"

namespace summand::cli {

/// Options of the verbs that compute sentence vectors.
struct EmbedFlags {
  LengthFlags length;
  WindowFlags windows;
  std::vector<std::string> pooling;
  bool no_normalize = false;
  size_t dimensions = 0;
  std::string prompt_name;
  std::string prompt;
  bool has_prompt = false;
};
void add_embed_flags(CLI::App& verb, EmbedFlags& flags);

[[nodiscard]] api::EmbedOptions embed_options(const EmbedFlags& flags);

/// Reports how many texts were cut, or how many were divided.
void report_length(const api::ReadCount& count, const api::Embedder& embedder, const EmbedFlags& flags);

/// Reports which of the model's prompts was used, and a prompt text that is probably meant as a name.
/// @param before  what the prompt is put before
void report_prompt(const api::LoadedModel& model, const api::Embedder& embedder, const EmbedFlags& flags,
                   std::string_view before = "every text");

/// Reports the default recipe for vectors if neither the directory nor the user gave one.
void report_fallback(const api::LoadedModel& model, const EmbedFlags& flags);

}  // namespace summand::cli
