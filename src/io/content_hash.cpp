#include "io/content_hash.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/thread_pool.hpp"

namespace summand::io {

namespace {

/// Calls hash_piece(Hash, begin, count) for every piece, on several threads.
template <class HashPiece>
std::vector<uint64_t> hash_pieces(size_t bytes, int threads, const HashPiece& hash_piece) {
  std::vector<uint64_t> hashes((bytes + kHashedPiece - 1) / kHashedPiece);
  ThreadPool::shared().run(hashes.size(), threads, [&](size_t index, int) {
    const size_t begin = index * kHashedPiece;
    Hash hash;
    hash_piece(hash, begin, std::min(kHashedPiece, bytes - begin));
    hashes[index] = hash.value();
  });
  return hashes;
}

}  // namespace

std::vector<uint64_t> hashes_of_pieces(const MappedFile& file, std::span<const std::byte> bytes, int threads) {
  return hash_pieces(bytes.size(), threads, [&](Hash& hash, size_t begin, size_t count) {
    const auto piece = bytes.subspan(begin, count);
    file.bring_in(piece);
    hash.add_bytes(piece);
  });
}

ContentHash content_hash(const std::filesystem::path& path, int threads) {
  constexpr size_t kAtATime = size_t{256} << 10;  // stays in the second-level cache
  const auto file = MappedFile::open(path);
  const auto bytes = file->bytes();
  const auto pieces = hash_pieces(bytes.size(), threads, [&](Hash& hash, size_t begin, size_t count) {
    std::vector<std::byte> read(std::min(kAtATime, count));
    for (size_t done = 0; done < count; done += read.size()) {
      const auto part = std::span(read).first(std::min(read.size(), count - done));
      file->copy(bytes.subspan(begin + done, part.size()), part.data());
      hash.add_bytes(part);
    }
  });
  Hash hash;
  for (const uint64_t piece : pieces) hash.add_number(piece);
  return {bytes.size(), hash.value()};
}

}  // namespace summand::io
