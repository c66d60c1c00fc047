#include "io/safetensors_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "model/quantization.hpp"

namespace summand::io {

namespace {

constexpr size_t kAlignment = 8;

uint64_t bytes_of(const TensorHeader& tensor) {
  uint64_t bytes = model::size_of(tensor.dtype);
  for (const size_t size : tensor.shape) {
    if (__builtin_mul_overflow(bytes, size, &bytes)) {
      throw UsageError(printable(tensor.name), "expected a tensor of at most 2^64 bytes, got a larger one");
    }
  }
  return bytes;
}

nlohmann::ordered_json header_json(const std::vector<TensorHeader>& tensors, const Metadata& metadata) {
  nlohmann::ordered_json header = nlohmann::ordered_json::object();
  if (!metadata.empty()) header["__metadata__"] = metadata;
  uint64_t begin = 0;
  for (const TensorHeader& tensor : tensors) {
    if (tensor.name.empty() || tensor.name == "__metadata__") {
      throw UsageError("safetensors", fmt::format("expected a tensor's name, got '{}'", tensor.name));
    }
    const uint64_t end = begin + bytes_of(tensor);
    header[tensor.name] = {
        {"dtype", std::string(name_of(tensor.dtype))}, {"shape", tensor.shape}, {"data_offsets", {begin, end}}};
    begin = end;
  }
  return header;
}

void require_unique(const std::vector<TensorHeader>& tensors) {
  std::vector<std::string_view> names;
  for (const auto& tensor : tensors) names.push_back(tensor.name);
  std::ranges::sort(names);
  if (const auto twice = std::ranges::adjacent_find(names); twice != names.end()) {
    throw UsageError("safetensors", fmt::format("expected each name once, got '{}' twice", printable(*twice)));
  }
}

std::string header_text(const std::vector<TensorHeader>& tensors, const Metadata& metadata) {
  require_unique(tensors);
  try {
    std::string text = header_json(tensors, metadata).dump();
    text.resize((text.size() + kAlignment - 1) / kAlignment * kAlignment, ' ');
    return text;
  } catch (const nlohmann::json::exception&) {
    throw UsageError("safetensors", "expected names and metadata in UTF-8, got other bytes");
  }
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(OutputFile& file, std::vector<TensorHeader> tensors, const Metadata& metadata)
    : file_(file) {
  const std::string text = header_text(tensors, metadata);
  const uint64_t length = text.size();
  file_.write(std::as_bytes(std::span(&length, 1)));
  file_.write(text);
  uint64_t begin = sizeof(length) + length;
  for (TensorHeader& tensor : tensors) {
    const uint64_t end = begin + bytes_of(tensor);
    regions_.push_back({std::move(tensor.name), begin, end});
    begin = end;
  }
}

void SafetensorsWriter::append(size_t tensor, std::span<const std::byte> bytes) {
  Region& region = regions_.at(tensor);
  if (bytes.size() > region.end - region.next) {
    throw UsageError(path_text(file_.path()),
                     fmt::format("'{}': expected at most {} more bytes, got {}", printable(region.name),
                                 region.end - region.next, bytes.size()));
  }
  if (region.next == file_.position()) {
    file_.write(bytes);
  } else {
    file_.write_at(region.next, bytes);
  }
  region.next += bytes.size();
}

void SafetensorsWriter::finish() const {
  for (const Region& region : regions_) {
    if (region.next == region.end) continue;
    throw UsageError(path_text(file_.path()), fmt::format("'{}': expected {} more bytes, got none",
                                                          printable(region.name), region.end - region.next));
  }
}

void write_safetensors(const std::filesystem::path& path, const model::Weights& tensors, const Metadata& metadata) {
  struct Entry {
    TensorHeader header;
    std::span<const std::byte> bytes;
  };
  std::vector<Entry> entries;
  for (const auto& [name, tensor] : tensors) {
    entries.push_back({{name, tensor.dtype, tensor.shape}, tensor.bytes});
    const auto& scales = tensor.row_scales;
    if (scales.empty()) continue;
    entries.push_back(
        {{model::scale_name(name), model::DType::f32, {scales.size()}}, std::as_bytes(std::span(scales))});
    const auto& factors = tensor.column_factors;
    if (factors.empty()) continue;
    entries.push_back(
        {{model::factor_name(name), model::DType::f32, {factors.size()}}, std::as_bytes(std::span(factors))});
  }
  std::ranges::stable_sort(entries, std::greater<>(),
                           [](const Entry& entry) { return model::size_of(entry.header.dtype); });
  std::vector<TensorHeader> headers;
  for (const Entry& entry : entries) headers.push_back(entry.header);
  OutputFile file(path);
  SafetensorsWriter writer(file, std::move(headers), metadata);
  for (size_t i = 0; i < entries.size(); ++i) writer.append(i, entries[i].bytes);
  writer.finish();
  file.commit();
}

}  // namespace summand::io
