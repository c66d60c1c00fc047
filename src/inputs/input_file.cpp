#include "inputs/input_file.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <istream>
#include <utility>

#include "base/error.hpp"
#include "text/line_reader.hpp"

namespace summand::inputs {

namespace {

namespace fs = std::filesystem;

/// Compression by the file's name, which must then be true.
Compression compression_by_name(const fs::path& path) {
  if (path.extension() == ".gz") return Compression::gzip;
  if (path.extension() == ".zst") return Compression::zstd;
  return Compression::none;
}

/// By the name, or by the first bytes, which are not valid UTF-8.
Compression detect_compression(const fs::path& path, text::InputBytes& bytes) {
  if (const auto said = compression_by_name(path); said != Compression::none) return said;
  for (const auto kind : {Compression::gzip, Compression::zstd}) {
    if (bytes.starts_with(magic_bytes(kind))) return kind;
  }
  return Compression::none;
}

text::InputRules known_rules(const fs::path& path, text::InputRules rules) {
  if (rules.format) return rules;
  rules.format = InputFile::format_of(path);
  if (rules.format) return rules;
  if (path.extension() == ".npy") {
    throw UsageError("input", fmt::format("'{}': expected texts, got vectors: 'summand search --corpus' takes them",
                                          printable(path.string())));
  }
  throw UsageError("input",
                   fmt::format("'{}': expected a name that ends in .txt, .jsonl, .csv or .tsv, .gz or .zst behind "
                               "it or not{}",
                               printable(path.string()), rules.advice.format));
}

}  // namespace

std::optional<text::InputFormat> InputFile::format_of(const fs::path& path) {
  return text::format_of(compression_by_name(path) == Compression::none ? path : path.stem());
}

std::optional<uint64_t> InputFile::check(const std::string& path, const text::InputRules& rules) {
  (void)known_rules(path, rules);
  std::error_code unknown;  // left to opening
  const auto status = fs::status(path, unknown);
  // To open and close a named pipe would end the program at its other end.
  if (path == "-" || fs::is_fifo(status)) return std::nullopt;
  return text::InputBytes(path).size();
}

std::string InputFile::whole(const std::string& path, const text::InputRules& rules) {
  text::InputBytes bytes(path);
  const auto compression = detect_compression(path, bytes);
  std::optional<Decompressed> decompressed;
  if (compression != Compression::none) decompressed.emplace(bytes, compression, bytes.name());
  auto stream = std::make_unique<std::istream>(decompressed ? static_cast<std::streambuf*>(&*decompressed) : &bytes);
  text::LineReader lines(std::move(stream), bytes.name(), rules);
  std::string text;
  while (lines.next()) text.append(lines.line()).append(lines.line_end());
  return text;
}

InputFile::InputFile(const std::string& path, const text::InputRules& rules)
    : bytes_(path),
      decompressed_([&]() -> std::unique_ptr<Decompressed> {
        const auto compression = detect_compression(path, bytes_);
        if (compression == Compression::none) return nullptr;
        return std::make_unique<Decompressed>(bytes_, compression, bytes_.name());
      }()),
      reader_(
          std::make_unique<std::istream>(decompressed_ ? static_cast<std::streambuf*>(decompressed_.get()) : &bytes_),
          bytes_.name(), known_rules(path, rules)) {}

}  // namespace summand::inputs
