#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "train/finetune/finetune.hpp"

namespace CLI {
class App;
}

namespace summand::train {

/// The options of `summand finetune`.
struct FinetuneCommand {
  FinetuneRequest request;
  std::string task = "";
  std::string schedule = "linear";
  std::string truncation = "longest_first";
  std::string windows = "";
  size_t overlap = 0;
  std::optional<int64_t> window_layers = {}, most_windows = {};
  std::string new_rows = "tiled";
  std::string precision = "fp32";
  std::string loss = "", pooling = "", activation = "";  // of task embed
  std::vector<std::string> words;                        // of the command line
};

CLI::App* add_finetune_command(CLI::App& program, FinetuneCommand& command);

/// @return the exit status
int run_finetune_command(FinetuneCommand& command, Ranks& ranks);

}  // namespace summand::train
