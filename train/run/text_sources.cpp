#include "train/run/text_sources.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <initializer_list>
#include <span>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/interruption.hpp"
#include "base/paths.hpp"
#include "inputs/input_file.hpp"
#include "train/data/token_file.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

constexpr std::array kTokenizerFiles{"tokenizer.json", "tokenizer_config.json", "vocab.txt", "special_tokens_map.json",
                                     "added_tokens.json"};

/// Adds a file's length and bytes to several hashes.
void add_file(std::initializer_list<Hash*> hashes, const fs::path& path) {
  std::error_code failed;
  const uint64_t size = fs::file_size(path, failed);
  std::ifstream file(path, std::ios::binary);
  if (failed || !file) throw IoError(path_text(path), "cannot be read");
  for (Hash* hash : hashes) hash->add_number(size);
  std::vector<char> piece(size_t{1} << 20);
  while (file.read(piece.data(), static_cast<std::streamsize>(piece.size())) || file.gcount() > 0) {
    check_interruption();
    const auto bytes = std::as_bytes(std::span(piece).first(static_cast<size_t>(file.gcount())));
    for (Hash* hash : hashes) hash->add_bytes(bytes);
  }
}

std::string hex(const Hash& hash) {
  return fmt::format("{:016x}", hash.value());
}

const TextFile* with_hash(std::span<const TextFile> files, const std::string& hash) {
  const auto found = std::ranges::find(files, hash, &TextFile::hash);
  return found == files.end() ? nullptr : &*found;
}

void add_twice(const char* option, const TextSource& source, std::vector<std::string>& lines) {
  for (size_t i = 1; i < source.files.size(); ++i) {
    const TextFile& file = source.files[i];
    const TextFile* earlier = with_hash(std::span(source.files).first(i), file.hash);
    if (earlier == nullptr) continue;
    const std::string name = printable(file.path);
    lines.push_back(earlier->path == file.path
                        ? fmt::format("{}: '{}' is given twice; its texts count twice", option, name)
                        : fmt::format("{}: '{}' has the same bytes as '{}'; these texts count twice", option, name,
                                      printable(earlier->path)));
  }
}

}  // namespace

TextSource text_source(const std::vector<std::string>& texts, const text::InputFields& fields,
                       const fs::path& tokenizer) {
  TextSource source;
  Hash all;
  all.add_number(kTokenFileVersion);
  for (const auto& path : texts) {
    Hash one;
    const auto format = static_cast<uint64_t>(inputs::InputFile::format_of(path).value());
    all.add_number(format);
    one.add_number(format);
    add_file({&all, &one}, path);
    source.files.push_back({path, hex(one)});
  }
  add_file({&all}, tokenizer / "tokenizer.json");
  if (!fields.are_usual()) {
    all.add(fields.text_name());
    all.add(fields.pair_name());
  }
  source.hash = hex(all);
  return source;
}

std::string tokenizer_hash(const fs::path& tokenizer, std::string_view class_name) {
  Hash hash;
  hash.add(class_name);
  for (const auto* name : kTokenizerFiles) {
    if (!fs::exists(tokenizer / name)) continue;
    hash.add(name);
    add_file({&hash}, tokenizer / name);
  }
  return hex(hash);
}

std::vector<std::string> repeated_files(const TextSource& train, const TextSource& valid) {
  std::vector<std::string> lines;
  add_twice("FILES", train, lines);
  add_twice("--valid", valid, lines);
  std::vector<std::string> trained;
  for (const TextFile& file : valid.files) {
    if (with_hash(train.files, file.hash) != nullptr) trained.push_back(fmt::format("'{}'", printable(file.path)));
  }
  if (trained.empty()) return lines;
  lines.push_back(trained.size() == valid.files.size()
                      ? "--valid: the same texts as are trained on; their loss tells nothing of others"
                      : fmt::format("--valid: {} {} trained on too; that part of the loss tells nothing of other texts",
                                    fmt::join(trained, ", "), trained.size() == 1 ? "is" : "are"));
  return lines;
}

}  // namespace summand::train
