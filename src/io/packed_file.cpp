#include "io/packed_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_file.hpp"
#include "base/paths.hpp"
#include "io/output_file.hpp"

namespace summand::io {

namespace {

constexpr std::string_view kMagic("summand packed\n\0", 16);
constexpr size_t kPage = 4096;
constexpr size_t kFixed = kMagic.size() + 2 * sizeof(uint64_t);
constexpr uint64_t kLongestHeader = uint64_t{16} << 20;  // bert-large has 30 kB of pieces and hashes

constexpr uint64_t rounded_up(uint64_t value, uint64_t to) {
  return (value + to - 1) / to * to;
}

uint64_t hash_of(std::span<const std::byte> bytes) {
  Hash hash;
  hash.add_bytes(bytes);
  return hash.value();
}

std::string hex(uint64_t number) {
  return fmt::format("{:016x}", number);
}

uint64_t from_hex(const std::string& text) {
  uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [last, failed] = std::from_chars(text.data(), end, number, 16);
  if (failed != std::errc() || last != end) throw std::invalid_argument("expected a hash, got '" + text + "'");
  return number;
}

Json to_json(const PackedSource& source) {
  return {{"name", source.name}, {"bytes", source.content.bytes}, {"hash", hex(source.content.hash)}};
}

PackedSource source_from(const Json& json) {
  return {.name = json.at("name").get<std::string>(),
          .content = {.bytes = json.at("bytes").get<uint64_t>(), .hash = from_hex(json.at("hash").get<std::string>())}};
}

/// A piece's place behind the header.
struct Place {
  std::string name;
  uint64_t begin = 0;
  uint64_t bytes = 0;
};

struct Header {
  PackedOrigin origin;
  std::vector<Place> places;
  uint64_t data_bytes = 0;
  std::vector<uint64_t> hashes;
};

std::string text_of(const Header& header) {
  Json json{{"settings", header.origin.settings}, {"data_bytes", header.data_bytes}};
  for (const auto& source : header.origin.sources) json["sources"].push_back(to_json(source));
  for (const auto& place : header.places) json["pieces"].push_back({place.name, place.begin, place.bytes});
  for (const uint64_t hash : header.hashes) json["hashes"].push_back(hex(hash));
  return json.dump(-1, ' ', true, Json::error_handler_t::replace);
}

Header header_from(std::string_view text) {
  const Json json = parse_json(text);
  Header header;
  header.origin.settings = json.at("settings").get<std::map<std::string, std::string>>();
  header.data_bytes = json.at("data_bytes").get<uint64_t>();
  for (const auto& source : json.at("sources")) header.origin.sources.push_back(source_from(source));
  for (const auto& piece : json.at("pieces")) {
    header.places.push_back({piece.at(0).get<std::string>(), piece.at(1).get<uint64_t>(), piece.at(2).get<uint64_t>()});
  }
  for (const auto& hash : json.at("hashes")) header.hashes.push_back(from_hex(hash.get<std::string>()));
  return header;
}

/// A header with the right hash and wrong offsets could only be forged; check the bounds all the same.
void check_places(const Header& header) {
  const auto fits = [&](const Place& place) {
    return place.begin % kPackedAlignment == 0 && place.begin <= header.data_bytes &&
           place.bytes <= header.data_bytes - place.begin;
  };
  if (!std::ranges::all_of(header.places, fits)) throw std::invalid_argument("expected pieces inside the file");
  if (header.hashes.size() != rounded_up(header.data_bytes, kHashedPiece) / kHashedPiece) {
    throw std::invalid_argument("expected a hash for each 2 MiB");
  }
}

[[noreturn]] void refuse_damage(const std::filesystem::path& path, std::string_view what) {
  throw CheckpointError(path_text(path), fmt::format("the file is damaged: {}", what));
}

Header parsed(const std::filesystem::path& path, std::string_view text) {
  try {
    Header header = header_from(text);
    check_places(header);
    return header;
  } catch (const JsonFault& fault) {
    refuse_damage(path, fault.reason);
  } catch (const std::exception& error) {  // of the JSON library, or from_hex and check_places
    refuse_damage(path, error.what());
  }
}

}  // namespace

PackedFile PackedFile::open(const std::filesystem::path& path) {
  PackedFile opened;
  opened.path_ = path;
  opened.file_ = MappedFile::open(path);
  const auto bytes = opened.file_->bytes();
  if (!opened.file_->text().starts_with(kMagic)) {
    throw CheckpointError(path_text(path), "expected a file of packed weights, got another");
  }
  std::array<uint64_t, 2> numbers{};
  if (bytes.size() < kFixed) refuse_damage(path, "it ends early");
  std::memcpy(numbers.data(), bytes.data() + kMagic.size(), sizeof(numbers));
  const auto [length, hash] = numbers;
  if (length > kLongestHeader || length > bytes.size() - kFixed) refuse_damage(path, "it ends early");
  const auto text = bytes.subspan(kFixed, length);
  if (hash_of(text) != hash) refuse_damage(path, "its header has another hash than it had");
  Header header = parsed(path, opened.file_->text().substr(kFixed, length));
  const uint64_t begin = rounded_up(kFixed + length, kPage);
  if (begin > bytes.size() || bytes.size() - begin != header.data_bytes) {
    refuse_damage(path, fmt::format("expected {} bytes, got {}", begin + header.data_bytes, bytes.size()));
  }
  opened.data_ = bytes.subspan(begin);
  opened.origin_ = std::move(header.origin);
  opened.hashes_ = std::move(header.hashes);
  for (auto& place : header.places) {
    opened.pieces_.emplace(std::move(place.name), opened.data_.subspan(place.begin, place.bytes));
  }
  return opened;
}

void PackedFile::check(int threads) const {
  const auto found = hashes_of_pieces(*file_, data_, threads);
  const auto [now, then] = std::ranges::mismatch(found, hashes_);
  if (now == found.end()) return;
  refuse_damage(path_, fmt::format("the {} bytes from {} on have another hash than they had", kHashedPiece,
                                   static_cast<size_t>(now - found.begin()) * kHashedPiece));
}

bool is_packed_file(const std::filesystem::path& path) {
  return MappedFile::open(path)->text().starts_with(kMagic);
}

void write_packed_file(const std::filesystem::path& path, const PackedOrigin& origin, const NamedPieces& pieces) {
  Header header;
  header.origin = origin;
  for (const auto& [name, bytes] : pieces) {
    header.places.push_back({name, header.data_bytes, bytes.size()});
    header.data_bytes += rounded_up(bytes.size(), kPackedAlignment);
  }
  // The hashes cover the pieces and the zeros between them, as in the file.
  if (OutputFile::is_written_through(path)) throw IoError(path_text(path), "expected a file, got a pipe or device");
  OutputFile file(path);
  header.hashes.assign(rounded_up(header.data_bytes, kHashedPiece) / kHashedPiece, 0);
  const uint64_t begin = rounded_up(kFixed + text_of(header).size(), kPage);  // hashes have one length
  file.write(std::string(begin, '\0'));
  std::vector<Hash> hashes(header.hashes.size());
  uint64_t at = 0;
  const auto append = [&](std::span<const std::byte> bytes) {
    file.write(bytes);
    while (!bytes.empty()) {
      const size_t count = std::min<uint64_t>(bytes.size(), kHashedPiece - at % kHashedPiece);
      hashes[at / kHashedPiece].add_bytes(bytes.first(count));
      bytes = bytes.subspan(count);
      at += count;
    }
  };
  const std::array<std::byte, kPackedAlignment> zeros{};
  for (const auto& [name, bytes] : pieces) {
    append(bytes);
    append(std::span(zeros).first(rounded_up(bytes.size(), kPackedAlignment) - bytes.size()));
  }
  std::ranges::transform(hashes, header.hashes.begin(), &Hash::value);
  const std::string text = text_of(header);
  const std::array<uint64_t, 2> numbers{text.size(), hash_of(std::as_bytes(std::span(text)))};
  file.write_at(0, std::as_bytes(std::span(kMagic)));
  file.write_at(kMagic.size(), std::as_bytes(std::span(numbers)));
  file.write_at(kFixed, std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace summand::io
