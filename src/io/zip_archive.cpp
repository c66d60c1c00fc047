#include "io/zip_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "base/error.hpp"

namespace summand::io {

namespace {

constexpr uint32_t kFileSignature = 0x04034b50;
constexpr uint32_t kEntrySignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr size_t kFileBytes = 30;
constexpr size_t kEntryBytes = 46;
constexpr size_t kEndBytes = 22;
constexpr size_t kEnd64Bytes = 56;
constexpr size_t kLocator64Bytes = 20;
constexpr size_t kLongestComment = 0xFFFF;
constexpr uint64_t kInExtra = 0xFFFFFFFF;  ///< a 32-bit field whose number is in the ZIP64 extra field

/// Bounds-checked access to numbers and pieces of the archive.
class Bytes {
 public:
  Bytes(std::span<const std::byte> bytes, std::string_view where) : bytes_(bytes), where_(where) {}

  [[nodiscard]] size_t size() const { return bytes_.size(); }

  template <class Number>
  [[nodiscard]] Number number(uint64_t at) const {
    Number value;
    std::memcpy(&value, piece(at, sizeof(Number)).data(), sizeof(Number));
    return value;
  }
  [[nodiscard]] std::span<const std::byte> piece(uint64_t at, uint64_t count) const {
    if (at > bytes_.size() || count > bytes_.size() - at) {
      fail(fmt::format("the archive ends early: expected {} bytes at byte {}, it has {}", count, at, bytes_.size()));
    }
    return bytes_.subspan(at, count);
  }
  [[nodiscard]] std::string_view text(uint64_t at, uint64_t count) const {
    const auto found = piece(at, count);
    return {reinterpret_cast<const char*>(found.data()), found.size()};
  }
  void require_signature(uint64_t at, uint32_t signature, std::string_view what) const {
    if (number<uint32_t>(at) != signature) fail(fmt::format("expected {} at byte {}, got other bytes", what, at));
  }
  [[noreturn]] void fail(const std::string& message) const { throw CheckpointError(where_, message); }

 private:
  std::span<const std::byte> bytes_;
  std::string_view where_;
};

/// Offset of the list of files, and their number.
struct Directory {
  uint64_t begin = 0;
  uint64_t entries = 0;
};

/// The last record of the archive; behind it there is only a comment.
size_t find_end(const Bytes& bytes) {
  const size_t last = bytes.size() < kEndBytes ? 0 : bytes.size() - kEndBytes;
  const size_t first = last < kLongestComment ? 0 : last - kLongestComment;
  for (size_t at = last + 1; at-- > first && bytes.size() >= kEndBytes;) {
    if (bytes.number<uint32_t>(at) != kEndSignature) continue;
    if (at + kEndBytes + bytes.number<uint16_t>(at + 20) == bytes.size()) return at;
  }
  bytes.fail("expected a zip archive's list of files at its end, got none: the file is cut or damaged");
}

Directory find_directory(const Bytes& bytes) {
  const size_t end = find_end(bytes);
  Directory directory{.begin = bytes.number<uint32_t>(end + 16), .entries = bytes.number<uint16_t>(end + 10)};
  const bool has_64 = end >= kLocator64Bytes && bytes.number<uint32_t>(end - kLocator64Bytes) == kLocator64Signature;
  if (!has_64) return directory;
  const auto at = bytes.number<uint64_t>(end - kLocator64Bytes + 8);
  static_cast<void>(bytes.piece(at, kEnd64Bytes));
  bytes.require_signature(at, kEnd64Signature, "a ZIP64 end of the list of files");
  return {.begin = bytes.number<uint64_t>(at + 48), .entries = bytes.number<uint64_t>(at + 32)};
}

/// One file as the list has it.
struct Entry {
  std::string_view name;
  uint64_t size = 0;
  uint64_t stored_size = 0;
  uint64_t at = 0;     ///< of its header
  uint64_t bytes = 0;  ///< of the entry itself
};

/// Replaces numbers that do not fit in 32 bits by those of the extra field, in the order of the fields.
void read_extra(const Bytes& bytes, uint64_t begin, uint64_t end, Entry& entry) {
  constexpr uint16_t kZip64 = 1;
  for (uint64_t at = begin; at + 4 <= end;) {
    const auto id = bytes.number<uint16_t>(at);
    const uint64_t field_end = at + 4 + bytes.number<uint16_t>(at + 2);
    at += 4;
    for (auto* number : {&entry.size, &entry.stored_size, &entry.at}) {
      if (id != kZip64 || *number != kInExtra || at + 8 > field_end) continue;
      *number = bytes.number<uint64_t>(at);
      at += 8;
    }
    at = field_end;
  }
}

Entry read_entry(const Bytes& bytes, uint64_t at) {
  constexpr uint16_t kEncrypted = 1;
  static_cast<void>(bytes.piece(at, kEntryBytes));
  bytes.require_signature(at, kEntrySignature, "an entry of the list of files");
  const auto name_bytes = bytes.number<uint16_t>(at + 28);
  const auto extra_bytes = bytes.number<uint16_t>(at + 30);
  const uint64_t rest = uint64_t{name_bytes} + extra_bytes + bytes.number<uint16_t>(at + 32);
  Entry entry{.name = bytes.text(at + kEntryBytes, name_bytes),
              .size = bytes.number<uint32_t>(at + 24),
              .stored_size = bytes.number<uint32_t>(at + 20),
              .at = bytes.number<uint32_t>(at + 42),
              .bytes = kEntryBytes + rest};
  const uint64_t extra = at + kEntryBytes + name_bytes;
  static_cast<void>(bytes.piece(extra, extra_bytes));
  read_extra(bytes, extra, extra + extra_bytes, entry);
  if ((bytes.number<uint16_t>(at + 8) & kEncrypted) != 0) {
    bytes.fail(fmt::format("'{}': expected a file as it is, got an encrypted one", printable(entry.name)));
  }
  if (bytes.number<uint16_t>(at + 10) != 0 || entry.size != entry.stored_size) {
    bytes.fail(
        fmt::format("'{}': expected a stored file, as torch writes it, got a compressed one", printable(entry.name)));
  }
  return entry;
}

std::span<const std::byte> file_of(const Bytes& bytes, const Entry& entry) {
  static_cast<void>(bytes.piece(entry.at, kFileBytes));
  bytes.require_signature(entry.at, kFileSignature, "a file");
  const uint64_t begin =
      entry.at + kFileBytes + bytes.number<uint16_t>(entry.at + 26) + bytes.number<uint16_t>(entry.at + 28);
  return bytes.piece(begin, entry.size);
}

}  // namespace

bool is_zip_archive(std::span<const std::byte> bytes) {
  uint32_t signature = 0;
  if (bytes.size() < kEndBytes) return false;
  std::memcpy(&signature, bytes.data(), sizeof(signature));
  return signature == kFileSignature || signature == kEndSignature;
}

ZipArchive list_zip_archive(std::span<const std::byte> archive, std::string_view where) {
  const Bytes bytes(archive, where);
  const Directory directory = find_directory(bytes);
  ZipArchive files;
  uint64_t at = directory.begin;
  for (uint64_t index = 0; index < directory.entries; ++index) {
    const Entry entry = read_entry(bytes, at);
    if (!files.emplace(entry.name, file_of(bytes, entry)).second) {
      bytes.fail(fmt::format("'{}': expected each file once, got it twice", printable(entry.name)));
    }
    at += entry.bytes;
  }
  return files;
}

}  // namespace summand::io
