#include "base/zeroed_memory.hpp"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <new>

namespace summand {

namespace {

constexpr size_t kCacheLine = 64;
constexpr size_t kLargePage = size_t{2} << 20U;

/// Much is mapped, but under the address sanitizer nothing, as it would not see who passes its end.
bool is_mapped(size_t bytes) {
#ifdef __SANITIZE_ADDRESS__
  static_cast<void>(bytes);
  return false;
#else
  return bytes >= size_t{1} << 20U;
#endif
}

size_t rounded_up(size_t bytes, size_t step) {
  return (bytes + step - 1) / step * step;
}

/// Aligned so that large pages start at the first byte; the rest of the mapping is unmapped at once.
void* map(size_t bytes) {
  void* const mapped = ::mmap(nullptr, bytes + kLargePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(mapped);
  const size_t before = rounded_up(reinterpret_cast<size_t>(first), kLargePage) - reinterpret_cast<size_t>(first);
  if (before > 0) ::munmap(first, before);
  ::munmap(first + before + bytes, kLargePage - before);
#ifdef MADV_HUGEPAGE
  static_cast<void>(::madvise(first + before, bytes, MADV_HUGEPAGE));
#endif
  return first + before;
}

size_t mapped_size(size_t bytes) {
  constexpr size_t kPage = 4096;
  return rounded_up(bytes, kPage);
}

}  // namespace

ZeroedMemory::ZeroedMemory(size_t bytes) {
  if (bytes == 0) return;
  void* memory = nullptr;
  if (is_mapped(bytes)) {
    memory = map(mapped_size(bytes));
  } else {
    memory = std::aligned_alloc(kCacheLine, rounded_up(bytes, kCacheLine));
    if (memory == nullptr) throw std::bad_alloc();
    std::memset(memory, 0, bytes);
  }
  bytes_ = {memory, Release{bytes}};
}

void ZeroedMemory::Release::operator()(void* bytes) const noexcept {
  if (is_mapped(size)) {
    ::munmap(bytes, mapped_size(size));
  } else {
    std::free(bytes);
  }
}

}  // namespace summand
