#include "trust/live_bytes.hpp"

#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <new>

namespace {

std::atomic<size_t> live{0};
std::atomic<size_t> peak{0};

void* counted(void* memory) {
  if (!memory) return nullptr;
  const size_t now = live += malloc_usable_size(memory);
  size_t most = peak;
  while (most < now && !peak.compare_exchange_weak(most, now)) {
  }
  return memory;
}

void* required(void* memory) {
  if (!memory) throw std::bad_alloc();
  return memory;
}

void* take(size_t bytes) {
  return counted(std::malloc(std::max<size_t>(bytes, 1)));
}

void* take(size_t bytes, std::align_val_t alignment) {
  const auto step = static_cast<size_t>(alignment);
  return counted(std::aligned_alloc(step, (std::max<size_t>(bytes, 1) + step - 1) / step * step));
}

void give(void* memory) {
  if (memory) live -= malloc_usable_size(memory);
  std::free(memory);
}

}  // namespace

// The forms for arrays call these.
void* operator new(size_t bytes) {
  return required(take(bytes));
}
void* operator new(size_t bytes, std::align_val_t alignment) {
  return required(take(bytes, alignment));
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  return take(bytes);
}
void* operator new(size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return take(bytes, alignment);
}
void operator delete(void* memory) noexcept {
  give(memory);
}
void operator delete(void* memory, size_t) noexcept {
  give(memory);
}
void operator delete(void* memory, std::align_val_t) noexcept {
  give(memory);
}
void operator delete(void* memory, size_t, std::align_val_t) noexcept {
  give(memory);
}

namespace summand::trust {

size_t live_bytes() {
  return live;
}

size_t peak_bytes() {
  return peak;
}

void start_peak() {
  peak = live.load();
}

}  // namespace summand::trust
