#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/safetensors.hpp"
#include "model/batch.hpp"
#include "model/tensor.hpp"

namespace summand::test {

/// An I64 tensor of a batch file.
template <class Integer>
[[nodiscard]] std::vector<Integer> integers(const io::SafetensorsFile& file, const std::string& name) {
  std::vector<Integer> integers;
  for (const double value : model::to_doubles(file.tensors.at(name))) integers.push_back(static_cast<Integer>(value));
  return integers;
}

/// A batch that a script wrote: ids, segments, positions [tokens] and offsets [texts + 1].
[[nodiscard]] inline model::Batch read_batch(const std::string& path) {
  const auto file = io::read_safetensors(path);
  model::Batch batch;
  batch.ids = integers<int32_t>(file, "ids");
  batch.segments = integers<int32_t>(file, "segments");
  batch.positions = integers<int32_t>(file, "positions");
  batch.offsets = integers<size_t>(file, "offsets");
  return batch;
}

/// The tokens that are masked, counted over the batch.
[[nodiscard]] inline std::vector<size_t> read_masked(const std::string& path) {
  return integers<size_t>(io::read_safetensors(path), "masked");
}

}  // namespace summand::test
