#include "base/arena.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <vector>

namespace summand {

namespace {

struct Piece {
  unsigned char* bytes = nullptr;
  size_t size = 0;
};

bool all_are(const Piece& piece, unsigned char value) {
  return std::all_of(piece.bytes, piece.bytes + piece.size, [&](unsigned char byte) { return byte == value; });
}

Piece taken(Arena& arena, size_t size) {
  return {static_cast<unsigned char*>(arena.take(size)), size};
}

}  // namespace

TEST_CASE("pieces of an arena are zero, begin on cache lines, and do not overlap, also where a chunk is full") {
  Arena arena;
  std::vector<Piece> pieces;
  for (const size_t megabytes : {0, 1, 30, 40, 70, 5}) {
    for (const size_t more : {1, 64, 1000}) pieces.push_back(taken(arena, (megabytes << 20U) + more));
  }
  for (const Piece& piece : pieces) {
    CHECK(reinterpret_cast<std::uintptr_t>(piece.bytes) % 64 == 0);
    CHECK(all_are(piece, 0));
  }
  for (size_t i = 0; i < pieces.size(); ++i)
    std::fill_n(pieces[i].bytes, pieces[i].size, static_cast<unsigned char>(i + 1));
  for (size_t i = 0; i < pieces.size(); ++i) CHECK(all_are(pieces[i], static_cast<unsigned char>(i + 1)));
}

TEST_CASE("several threads take pieces at once") {
  Arena arena;
  constexpr size_t kEach = 200;
  std::vector<std::vector<Piece>> pieces(4);
  std::vector<std::thread> threads;
  for (size_t thread = 0; thread < pieces.size(); ++thread) {
    threads.emplace_back([&, thread] {
      for (size_t i = 0; i < kEach; ++i) {
        pieces[thread].push_back(taken(arena, 100 + i));
        std::fill_n(pieces[thread].back().bytes, 100 + i, static_cast<unsigned char>(thread + 1));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  for (size_t thread = 0; thread < pieces.size(); ++thread) {
    for (const Piece& piece : pieces[thread]) CHECK(all_are(piece, static_cast<unsigned char>(thread + 1)));
  }
}

}  // namespace summand
