#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "text/tokenizer.hpp"
#include "train/data/token_file.hpp"
#include "train/pretrain.hpp"

namespace summand::train {

/// Texts that are kept as tokens.
struct TokenRequest {
  const std::vector<std::string>& texts;
  const text::InputFields& fields;
  const text::Tokenizer& tokenizer;
  std::filesystem::path folder;  ///< of all token files
  std::string source;            ///< the name of these in it: what texts and tokenizer are told by
  int threads = 1;
};

/// The tokens of texts: those that lie in the folder, or made now. Where another run is making them it waits for that
/// run, which it says, and makes them itself if that run ends without.
/// @throws TextError if no document has a token, all are [UNK], or the files are damaged; IoError if the folder cannot
///   be written; Interrupted
[[nodiscard]] TokenFile tokens_of(const TokenRequest& request, const std::function<void(const PretrainNews&)>& tell);

}  // namespace summand::train
