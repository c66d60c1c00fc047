// A header and, behind its first line, data, as a file of packed weights; its length and hash are put in front, as a
// search would never find them. What begins with "raw" is a file as it is.
#include <array>
#include <cstring>
#include <span>
#include <string>

#include "base/hash.hpp"
#include "io/packed_file.hpp"
#include "target.hpp"

using namespace summand;

namespace {

constexpr std::array<std::string_view, 2> kFiles{"model.packed", "again.packed"};
constexpr size_t kPage = 4096;

std::string with_header(std::string_view input) {
  const size_t line = input.find('\n');
  const std::string_view header = input.substr(0, line);
  Hash hash;
  hash.add_bytes(std::as_bytes(std::span(header)));
  const std::array<uint64_t, 2> numbers{header.size(), hash.value()};
  std::string file("summand packed\n\0", 16);
  file.append(reinterpret_cast<const char*>(numbers.data()), sizeof(numbers));
  file += header;
  file.resize((file.size() + kPage - 1) / kPage * kPage);
  if (line != input.npos) file += input.substr(line + 1);
  return file;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const std::string file = input.starts_with("raw") ? std::string(input.substr(3)) : with_header(input);
  folder.fill({{std::string(kFiles[0]), file}}, kFiles);
  fuzz::accepts([&] {
    const auto packed = io::PackedFile::open(folder.path() / kFiles[0]);
    size_t sum = 0;
    for (const auto& [name, bytes] : packed.pieces()) {
      fuzz::expect(bytes.size() <= size, "a piece is in the file");
      for (const std::byte byte : bytes) sum += static_cast<size_t>(byte);
    }
    fuzz::expect(sum <= 255 * size * (1 + packed.pieces().size()), "bytes are bytes");
    packed.check(1);
    const auto again = folder.path() / kFiles[1];
    io::write_packed_file(again, packed.origin(), packed.pieces());
    const auto same = io::PackedFile::open(again);
    same.check(2);
    fuzz::expect(same.origin() == packed.origin() && same.pieces().size() == packed.pieces().size(),
                 "what is read is written and read back the same");
    fuzz::expect(io::is_packed_file(again) && io::content_hash(again, 1) == io::content_hash(again, 2),
                 "a file has one hash");
  });
  return 0;
}
