// Prints what this room makes of a file, as JSON, for the comparisons with Python. Usage: see main().

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <iostream>
#include <nlohmann/json.hpp>
#include <span>

#include "base/error.hpp"
#include "io/checkpoint.hpp"
#include "io/non_finite.hpp"
#include "io/npy_writer.hpp"
#include "io/resolve_model.hpp"
#include "io/safetensors.hpp"
#include "io/safetensors_writer.hpp"
#include "io/torch_file.hpp"

namespace {

using nlohmann::json;
using namespace summand;

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned>(byte));
  return text;
}

json shown(const model::Tensor& tensor) {
  const auto floats = model::to_floats(tensor);
  return {{"dtype", std::string(name_of(tensor.dtype))},
          {"shape", tensor.shape},
          {"bytes", hexadecimal(tensor.bytes)},
          {"floats", hexadecimal(std::as_bytes(std::span(floats)))}};
}

template <class Tensors>
json shown_all(const Tensors& tensors) {
  json all = json::object();
  for (const auto& [name, tensor] : tensors) all[name] = shown(tensor);
  return all;
}

template <class Value>
json or_null(const std::optional<Value>& value) {
  return value ? json(*value) : json(nullptr);
}

json shown(const model::SentenceModules& modules) {
  json steps = json::array();
  for (const auto& step : modules.steps) {
    if (const auto* dense = std::get_if<model::Dense>(&step)) {
      steps.push_back({{"weight", shown(dense->weight)},
                       {"bias", dense->bias ? shown(*dense->bias) : json(nullptr)},
                       {"projection", dense->projection ? shown(*dense->projection) : json(nullptr)},
                       {"residual", dense->residual != model::Residual::none},
                       {"activation", std::string(name_of(dense->activation))}});
    } else if (const auto* norm = std::get_if<model::VectorNorm>(&step)) {
      steps.push_back({{"weight", shown(norm->weight)}, {"bias", shown(norm->bias)}});
    } else {
      steps.push_back("normalize");
    }
  }
  json pooling = json::array();
  for (const auto mode : modules.pooling) pooling.push_back(std::string(model::name_of(mode)));
  return {{"pooling", pooling},
          {"include_prompt", modules.include_prompt},
          {"steps", steps},
          {"similarity_fn_name", std::string(model::name_of(modules.similarity))},
          {"truncate_dim", or_null(modules.truncate_dimensions)},
          {"max_seq_length", or_null(modules.max_seq_length)},
          {"do_lower_case", or_null(modules.do_lower_case)},
          {"prompts", modules.prompts},
          {"default_prompt_name", or_null(modules.default_prompt_name)},
          {"from_directory", modules.from_directory}};
}

json checkpoint(const std::string& directory) {
  const auto loaded = io::load_checkpoint(io::resolve_model(directory));
  json weights = json::object();
  for (const auto& [name, tensor] : loaded.weights) weights[name] = model::describe(tensor);
  static_cast<void>(loaded.sentence_modules());
  return {{"weights", weights},
          {"pooler", loaded.parts.pooler == model::Pooler::present},
          {"sentence", shown(loaded.sentence)},
          {"transformer_directory", loaded.transformer_directory.string()},
          {"notices", loaded.notices}};
}

json torch(const std::string& path) {
  const auto file = io::read_torch_file(path);
  return {{"tensors", shown_all(file.tensors)}, {"unsupported", file.unsupported}};
}

json safetensors(const std::string& path) {
  const auto file = io::read_safetensors(path);
  return {{"tensors", shown_all(file.tensors)}, {"unsupported", file.unsupported}, {"metadata", file.metadata}};
}

json copy(const std::string& from, const std::string& to) {
  const auto file = io::read_safetensors(from);
  model::Weights tensors;
  for (const auto& [name, tensor] : file.tensors) tensors.set(name, tensor);
  io::write_safetensors(to, tensors, file.metadata);
  return true;
}

/// Element i of the matrix is i/4.
json npy(const std::string& path, size_t rows, size_t columns) {
  io::OutputFile out(path);
  io::NpyWriter writer(out, {.rows = std::nullopt, .columns = columns});
  std::vector<float> row(columns);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) row[j] = static_cast<float>(i * columns + j) / 4;
    writer.append(row);
  }
  writer.finish();
  out.commit();
  return true;
}

/// Milliseconds of the scan for numbers that are not finite, the first time and the best of five.
json scan(const std::string& path) {
  const auto file = io::read_safetensors(path);
  std::vector<double> times;
  for (int round = 0; round < 6; ++round) {
    const auto start = std::chrono::steady_clock::now();
    for (const auto& [name, tensor] : file.tensors) {
      if (io::first_non_finite(tensor)) return "not finite: " + name;
    }
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return {{"first_ms", times.front()}, {"best_ms", *std::min_element(times.begin() + 1, times.end())}};
}

json answer(std::span<const std::string> words) {
  const std::string& verb = words[0];
  if (verb == "checkpoint") return checkpoint(words[1]);
  if (verb == "torch") return torch(words[1]);
  if (verb == "safetensors") return safetensors(words[1]);
  if (verb == "scan") return scan(words[1]);
  if (verb == "resolve") return io::resolve_model(words[1]).string();
  if (verb == "copy") return copy(words[1], words[2]);
  if (verb == "npy") return npy(words[1], std::stoul(words[2]), std::stoul(words[3]));
  throw UsageError("io_probe", "unknown verb " + verb);
}

}  // namespace

/// io_probe checkpoint|safetensors|torch|scan|resolve PATH; copy FROM TO; npy OUT ROWS COLUMNS
int main(int argc, char** argv) {
  try {
    std::cout << answer(std::vector<std::string>(argv + 1, argv + argc)).dump() << '\n';
    return 0;
  } catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
