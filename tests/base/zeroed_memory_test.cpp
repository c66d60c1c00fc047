#include "base/zeroed_memory.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace summand {

namespace {

constexpr size_t kMegabyte = size_t{1} << 20U;

bool all_are(const ZeroedMemory& memory, unsigned char value) {
  const auto* const bytes = static_cast<const unsigned char*>(memory.data());
  return std::all_of(bytes, bytes + memory.size(), [&](unsigned char byte) { return byte == value; });
}

}  // namespace

TEST_CASE("memory of every size is zero, whole, and begins on a cache line, also where another was before") {
  for (const size_t bytes : {size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{4097}, kMegabyte - 1, kMegabyte,
                             kMegabyte + 1, 2 * kMegabyte + 5, 5 * kMegabyte + 1}) {
    INFO("bytes ", bytes);
    for (int round = 0; round < 3; ++round) {
      const ZeroedMemory memory(bytes);
      CHECK(memory.size() == bytes);
      CHECK(reinterpret_cast<std::uintptr_t>(memory.data()) % 64 == 0);
      CHECK(all_are(memory, 0));
      std::fill_n(static_cast<unsigned char*>(memory.data()), bytes, static_cast<unsigned char>(0xa5));
      CHECK(all_are(memory, 0xa5));
    }
  }
}

TEST_CASE("no bytes need no memory, and memory can be moved") {
  const ZeroedMemory none(0);
  CHECK(none.data() == nullptr);
  CHECK(none.size() == 0);
  ZeroedMemory first(3 * kMegabyte);
  const void* const where = first.data();
  const ZeroedMemory second = std::move(first);
  CHECK(second.data() == where);
  CHECK(second.size() == 3 * kMegabyte);
}

}  // namespace summand
