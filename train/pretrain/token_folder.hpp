#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "text/input_record.hpp"
#include "text/tokenizer.hpp"
#include "train/data/token_file.hpp"
#include "train/run/run.hpp"

namespace summand::train {

/// A request for the tokens of some texts.
struct TokenRequest {
  const std::vector<std::string>& texts;
  const text::InputFields& fields;
  const text::Tokenizer& tokenizer;
  std::filesystem::path folder;  ///< of all token files
  std::string source;            ///< their name in it: a hash of texts and tokenizer
  int threads = 1;
};

/// Opens the tokens of texts in the folder, or makes them. If another run is making them, it says so and waits, and
/// makes them itself if that run fails.
/// @throws TextError if no document has a token, all are [UNK], or the files are damaged; IoError if the folder cannot
///   be written; Interrupted
[[nodiscard]] TokenFile open_tokens(const TokenRequest& request, const TellRun& tell);

}  // namespace summand::train
