#include "io/hashed_pieces.hpp"

#include <algorithm>

#include "base/hash.hpp"
#include "base/thread_pool.hpp"

namespace summand::io {

std::vector<uint64_t> hashes_of_pieces(const MappedFile& file, std::span<const std::byte> bytes, int threads,
                                       After after) {
  std::vector<uint64_t> hashes((bytes.size() + kHashedPiece - 1) / kHashedPiece);
  ThreadPool::shared().run(hashes.size(), threads, [&](size_t index, int) {
    const size_t begin = index * kHashedPiece;
    const auto piece = bytes.subspan(begin, std::min(kHashedPiece, bytes.size() - begin));
    file.bring_in(piece);
    Hash hash;
    hash.add_bytes(piece);
    hashes[index] = hash.value();
    if (after == After::give_back) file.give_back(piece);
  });
  return hashes;
}

}  // namespace summand::io
