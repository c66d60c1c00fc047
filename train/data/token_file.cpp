#include "train/data/token_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <ranges>
#include <span>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/interruption.hpp"
#include "base/json_file.hpp"

namespace summand::train {

namespace {

namespace fs = std::filesystem;

/// A file of a folder, mapped, of the size that its folder's index gives it. One of 0 bytes cannot be mapped: null.
std::shared_ptr<const io::MappedFile> mapped(const fs::path& path, uint64_t bytes) {
  std::error_code unknown;
  const uint64_t there = fs::file_size(path, unknown);
  if (unknown) throw IoError(path.string(), unknown.message());
  if (there != bytes) throw TextError(path.string(), fmt::format("expected {} bytes, got {}", bytes, there));
  return bytes == 0 ? nullptr : io::MappedFile::open(path);
}

std::string hash_of(const std::shared_ptr<const io::MappedFile>& file) {
  Hash hash;
  constexpr size_t kAtATime = size_t{1} << 24;
  for (auto rest = file == nullptr ? std::span<const std::byte>() : file->bytes(); !rest.empty();) {
    check_interruption();
    const auto piece = rest.first(std::min(kAtATime, rest.size()));
    hash.add_bytes(piece);
    file->give_back(piece);
    rest = rest.subspan(piece.size());
  }
  return fmt::format("{:016x}", hash.value());
}

uint64_t number_at(const io::MappedFile& file, uint64_t index) {
  uint64_t value = 0;
  std::memcpy(&value, file.bytes().data() + index * sizeof(value), sizeof(value));
  return value;
}

/// Range of part `index` in a list of ends.
Range part(const std::shared_ptr<const io::MappedFile>& ends, uint64_t index) {
  return {index == 0 ? 0 : number_at(*ends, index - 1), number_at(*ends, index)};
}

/// The ends go on, since nothing is empty, and the last is `last`: what follows relies on it.
void check_ends(const io::MappedFile* ends, const fs::path& path, uint64_t count, uint64_t last) {
  uint64_t before = 0;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t end = number_at(*ends, i);
    if (end <= before || end > last) {
      throw TextError(path.string(), fmt::format("number {}: expected {} to {}, got {}", i, before + 1, last, end));
    }
    before = end;
  }
  if (before != last)
    throw TextError(path.string(), fmt::format("expected the last number to be {}, got {}", last, before));
}

}  // namespace

TokenFile TokenFile::open(const fs::path& folder, size_t vocabulary) {
  const fs::path index_path = folder / kTokenIndex;
  const JsonObject index(read_json(index_path), index_path.string());
  const auto number = [&](std::string_view key) { return index.require(key, index.number(key), "a whole number"); };
  const auto text = [&](std::string_view key) { return index.require(key, index.string(key), "a text"); };
  if (const auto version = number("version"); version != kTokenFileVersion) {
    throw TextError(index_path.string(), fmt::format("expected version {}, got {}", kTokenFileVersion, version));
  }
  TokenFile file;
  file.id_bytes_ = number("id_bytes");
  if (file.id_bytes_ != 2 && file.id_bytes_ != 4) index.refuse("id_bytes", "2 or 4");
  file.tokens_ = number("tokens");
  file.sentences_ = number("sentences");
  file.documents_ = number("documents");
  file.unknown_ = number("unknown");
  file.source_ = text("source");
  // Far beyond any disk: the products below do not overflow.
  for (const uint64_t count : {file.tokens_, file.sentences_, file.documents_}) {
    if (count > (uint64_t{1} << 56))
      throw TextError(index_path.string(), fmt::format("expected counts of files that exist, got {}", count));
  }
  const auto opened = [&](std::string_view name, uint64_t bytes) {
    const fs::path path = folder / name;
    auto mapping = mapped(path, bytes);
    const std::string expected = text(std::string(name) + "_hash");
    if (const auto got = hash_of(mapping); got != expected) {
      throw TextError(path.string(), fmt::format("is damaged: expected the hash {}, got {}", expected, got));
    }
    return mapping;
  };
  file.ids_ = opened(kTokenIds, file.tokens_ * file.id_bytes_);
  file.spaces_ = opened(kSpaceBits, (file.tokens_ + 7) / 8);
  file.sentence_ends_ = opened(kSentenceEnds, file.sentences_ * sizeof(uint64_t));
  file.document_ends_ = opened(kDocumentEnds, file.documents_ * sizeof(uint64_t));
  check_ends(file.sentence_ends_.get(), folder / kSentenceEnds, file.sentences_, file.tokens_);
  check_ends(file.document_ends_.get(), folder / kDocumentEnds, file.documents_, file.sentences_);
  if (file.tokens_ == 0) throw TextError(index_path.string(), "tokens: expected at least 1, got 0");
  for (uint64_t token = 0; token < file.tokens_; ++token) {
    const int32_t id = file.id(token);
    if (id >= 0 && static_cast<size_t>(id) < vocabulary) continue;
    throw TextError((folder / kTokenIds).string(),
                    fmt::format("token {}: expected an id below {}, got {}", token, vocabulary, id));
  }
  return file;
}

int32_t TokenFile::id(uint64_t token) const {
  const std::byte* place = ids_->bytes().data() + token * id_bytes_;
  if (id_bytes_ == 2) {
    uint16_t id = 0;
    std::memcpy(&id, place, sizeof(id));
    return id;
  }
  int32_t id = 0;
  std::memcpy(&id, place, sizeof(id));
  return id;
}

bool TokenFile::follows_space(uint64_t token) const {
  return (std::to_integer<unsigned>(spaces_->bytes()[token / 8]) >> (token % 8) & 1U) != 0;
}

Range TokenFile::sentence(uint64_t index) const {
  return part(sentence_ends_, index);
}

uint64_t TokenFile::sentence_of(uint64_t token) const {
  const auto all = std::views::iota(uint64_t{0}, sentences_);
  return *std::ranges::partition_point(all, [&](uint64_t i) { return number_at(*sentence_ends_, i) <= token; });
}

Range TokenFile::document(uint64_t index) const {
  return part(document_ends_, index);
}

}  // namespace summand::train
