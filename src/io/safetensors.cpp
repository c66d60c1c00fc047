#include "io/safetensors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "base/error.hpp"
#include "base/git_lfs.hpp"
#include "base/paths.hpp"
#include "io/mapped_file.hpp"
#include "io/safetensors_header.hpp"

namespace summand::io {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are read where they lie, little-endian");

constexpr uint64_t kLengthBytes = 8;
constexpr uint64_t kLongestHeader = uint64_t{16} << 20;  // the largest BERT's has 50 kB

struct StoredType {
  std::string_view name;
  uint64_t bits;
};

/// Every element type of the format. Source: safetensors 0.8, enum Dtype.
constexpr std::array kStoredTypes{
    StoredType{"F4", 4},      StoredType{"F6_E2M3", 6},     StoredType{"F6_E3M2", 6},     StoredType{"BOOL", 8},
    StoredType{"U8", 8},      StoredType{"I8", 8},          StoredType{"F8_E5M2", 8},     StoredType{"F8_E4M3", 8},
    StoredType{"F8_E8M0", 8}, StoredType{"F8_E4M3FNUZ", 8}, StoredType{"F8_E5M2FNUZ", 8}, StoredType{"I16", 16},
    StoredType{"U16", 16},    StoredType{"F16", 16},        StoredType{"BF16", 16},       StoredType{"I32", 32},
    StoredType{"U32", 32},    StoredType{"F32", 32},        StoredType{"C64", 64},        StoredType{"F64", 64},
    StoredType{"I64", 64},    StoredType{"U64", 64},
};

std::string shape_text(const HeaderEntry& entry) {
  return fmt::format("{} {}", entry.dtype, model::describe(std::span<const size_t>(entry.shape)));
}

/// @param whole  least size of the file according to its header
[[noreturn]] void refuse_early_end(uint64_t got, uint64_t whole, std::string_view where) {
  throw CheckpointError(where, fmt::format("the file ends early: expected {} bytes, got {}", whole, got));
}

/// Splits the file into header and data.
std::string_view header_text(std::string_view file, std::string_view where) {
  if (file.size() < kLengthBytes) {
    throw CheckpointError(where, fmt::format("expected a header length of 8 bytes, got a file of {}", file.size()));
  }
  uint64_t length = 0;
  std::memcpy(&length, file.data(), kLengthBytes);
  if (length > kLongestHeader) {
    constexpr size_t kShown = 16;
    throw CheckpointError(where, fmt::format("expected a safetensors file, which begins with the length of its header "
                                             "(at most {} bytes), got one that begins with '{}'",
                                             kLongestHeader, printable(file.substr(0, kShown))));
  }
  if (length > file.size() - kLengthBytes) refuse_early_end(file.size(), kLengthBytes + length, where);
  return file.substr(kLengthBytes, length);
}

/// The bytes that a shape needs, or nothing if they do not fit 64 bits or end within a byte.
std::optional<uint64_t> bytes_of(const HeaderEntry& entry, uint64_t bits_per_element) {
  uint64_t bits = bits_per_element;
  for (const size_t size : entry.shape) {
    if (__builtin_mul_overflow(bits, size, &bits)) return std::nullopt;
  }
  if (bits % 8 != 0) return std::nullopt;
  return bits / 8;
}

/// Checks one entry by itself: known type, offsets in order, as many bytes as the shape needs.
void check_entry(const HeaderEntry& entry, uint64_t data_bytes, std::string_view where) {
  const auto fail = [&](const std::string& message) {
    throw CheckpointError(where, fmt::format("'{}': {}", printable(entry.name), message));
  };
  const auto* type = std::ranges::find(kStoredTypes, entry.dtype, &StoredType::name);
  if (type == kStoredTypes.end()) {
    fail(fmt::format("expected a dtype of the safetensors format, got '{}'", printable(entry.dtype)));
  }
  const auto bytes = bytes_of(entry, type->bits);
  const bool fits = bytes && entry.begin <= entry.end && *bytes == entry.end - entry.begin;
  if (!fits && (entry.begin > entry.end || entry.end > data_bytes)) {
    fail(fmt::format("expected data_offsets within [0, {}], got [{}, {}]", data_bytes, entry.begin, entry.end));
  }
  if (!fits) {
    fail(fmt::format("expected {} bytes for {}, got {}", bytes ? std::to_string(*bytes) : "a whole number of",
                     shape_text(entry), entry.end - entry.begin));
  }
}

/// Checks that the entries cover the data exactly. Leaves them in the order of their places.
/// @param header_bytes  of the file, before the data
void check_coverage(std::vector<HeaderEntry>& entries, uint64_t header_bytes, uint64_t data_bytes,
                    std::string_view where) {
  std::ranges::sort(entries, [](const HeaderEntry& left, const HeaderEntry& right) {
    return std::pair(left.begin, left.end) < std::pair(right.begin, right.end);
  });
  uint64_t covered = 0;
  for (const HeaderEntry& entry : entries) {
    if (entry.begin != covered) {
      throw CheckpointError(where,
                            fmt::format("'{}': expected its data to begin at byte {}, where the tensor before it "
                                        "ends, got {}",
                                        printable(entry.name), covered, entry.begin));
    }
    covered = entry.end;
  }
  if (covered > data_bytes) {
    constexpr uint64_t kMost = std::numeric_limits<uint64_t>::max();
    refuse_early_end(header_bytes + data_bytes, header_bytes + std::min(covered, kMost - header_bytes), where);
  }
  if (covered != data_bytes) {
    throw CheckpointError(where, fmt::format("expected {} bytes of tensor data, got {}", covered, data_bytes));
  }
}

}  // namespace

SafetensorsFile read_safetensors(const std::filesystem::path& path) {
  const auto map = MappedFile::open(path);
  const std::string where = path_text(path);
  refuse_git_lfs_pointer(map->text(), where);
  const std::string_view json = header_text(map->text(), where);
  SafetensorsHeader header = parse_safetensors_header(json, where);
  const auto data = map->bytes().subspan(kLengthBytes + json.size());
  for (const HeaderEntry& entry : header.entries) check_entry(entry, data.size(), where);
  check_coverage(header.entries, kLengthBytes + json.size(), data.size(), where);

  SafetensorsFile file{path, {}, {}, std::move(header.metadata)};
  for (HeaderEntry& entry : header.entries) {
    if (const auto dtype = model::value_named<model::DType>(entry.dtype)) {
      file.tensors.emplace(
          std::move(entry.name),
          model::Tensor{*dtype, std::move(entry.shape), data.subspan(entry.begin, entry.end - entry.begin), map});
    } else {
      file.unsupported.emplace(entry.name, shape_text(entry));
    }
  }
  return file;
}

}  // namespace summand::io
