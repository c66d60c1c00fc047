#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "api/model/loaded_model.hpp"
#include "model/config.hpp"

namespace summand::api {

/// Number of parameters of one part of the model.
struct PartSize {
  std::string part;
  size_t parameters = 0;
};

/// Euclidean norms of the rows of one embedding table, before and after subtracting the mean row.
struct TableNorms {
  std::string table;
  size_t rows = 0;
  double least = 0, mean = 0, largest = 0;
  double centred_mean = 0;
};

/// The output of `summand inspect`.
struct Inspection {
  std::string directory;
  std::vector<model::ConfigRow> config;
  std::vector<PartSize> parts;
  size_t parameters = 0;
  size_t in_8_bits = 0;  ///< of the parameters
  std::vector<TableNorms> tables;
  std::vector<std::pair<std::string, std::string>> sentence;   ///< pooling and later steps
  std::vector<std::pair<std::string, std::string>> tokenizer;  ///< size, special tokens, limit
  std::vector<std::string> notices;
};

[[nodiscard]] Inspection inspect(const LoadedModel& model);

}  // namespace summand::api
