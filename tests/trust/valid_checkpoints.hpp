#pragma once

#include <map>
#include <string>
#include <vector>

namespace summand::trust {

/// The files of a directory: relative path → bytes.
using Files = std::map<std::string, std::string>;

struct NamedCheckpoint {
  std::string name;
  Files files;
};

/// Tiny checkpoints that load, one for each layout: Hugging Face's with tokenizer.json and every head, several weight
/// files in F16 and BF16 with vocab.txt, sentence-transformers' with a dense layer, and what only this program writes.
[[nodiscard]] std::vector<NamedCheckpoint> valid_checkpoints();

}  // namespace summand::trust
