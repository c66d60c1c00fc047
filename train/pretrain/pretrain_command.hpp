#pragma once

#include <optional>
#include <string>
#include <vector>

#include "train/pretrain/pretrain.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace summand::train {

/// The options of `summand pretrain`.
struct PretrainCommand {
  PretrainRequest request;
  std::string start = "drawn";
  std::string length = "128";
  std::string pairs = "none";
  std::string selection = "exact";
  std::string unit = "token";
  std::string segments = "pair";
  std::string schedule = "linear";
  std::string precision = "fp32";
  std::string device = "cpu";
  std::optional<double> corrupt_rate = {};  // none: as many as are predicted
  const CLI::Option* mask_rate = nullptr;
  const CLI::Option* length_option = nullptr;
  const CLI::Option* new_rows_option = nullptr;
  std::vector<double> split;
  std::string new_rows = "tiled";
  std::vector<std::string> keep;
  std::vector<std::string> words;  // of the command line

  [[nodiscard]] bool rates_given() const;
};

CLI::App* add_pretrain_command(CLI::App& program, PretrainCommand& command);

/// @return the exit status
int run_pretrain_command(PretrainCommand& command, Ranks& ranks);

}  // namespace summand::train
