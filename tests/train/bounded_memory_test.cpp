#include "train/run/bounded_memory.hpp"

#include <ATen/ATen.h>
#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

namespace summand {

namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;

at::Tensor of_megabytes(int64_t count) {
  return at::full({count * kMegabyte / 4}, static_cast<float>(count));
}

/// Memory that waits is bounded from the first case on, for all of this process.
struct Bounded {
  Bounded() {
    train::bound_memory();
    train::release_cached_memory();
  }
};

}  // namespace

TEST_CASE("large tensors begin on cache lines, hold what is written to their ends, and do not overlap") {
  const Bounded bounded;
  std::vector<at::Tensor> tensors;
  for (int64_t count = 1; count <= 9; ++count) tensors.push_back(of_megabytes(count));
  for (int64_t count = 1; count <= 9; ++count) {
    const at::Tensor& tensor = tensors[static_cast<size_t>(count - 1)];
    CHECK(reinterpret_cast<uintptr_t>(tensor.const_data_ptr()) % 64 == 0);
    CHECK(tensor.eq(static_cast<float>(count)).all().item<bool>());
  }
  CHECK(train::tensor_memory().live >= size_t{45} * kMegabyte);
}

TEST_CASE("a freed piece serves the next tensor of its size, and none that is much smaller") {
  const Bounded bounded;
  auto tensor = of_megabytes(8);
  const void* place = tensor.const_data_ptr();
  tensor = at::Tensor();
  CHECK(train::tensor_memory().waiting == size_t{8} * kMegabyte);
  const auto small = of_megabytes(2);
  CHECK(small.const_data_ptr() != place);
  tensor = of_megabytes(8);
  CHECK(train::tensor_memory().waiting == 0);
  CHECK(tensor.const_data_ptr() == place);
  CHECK(tensor.eq(8.0F).all().item<bool>());
}

TEST_CASE("what lives and what waits is never more than ever lived at once") {
  const Bounded bounded;
  at::manual_seed(0);
  std::vector<at::Tensor> living(12);
  for (int i = 0; i < 600; ++i) {
    living[static_cast<size_t>(i * 7 % 12)] = i % 5 == 0 ? at::Tensor() : of_megabytes(1 + i * i % 13);
    const auto memory = train::tensor_memory();
    REQUIRE(memory.live + memory.waiting <= memory.most);
  }
  living.clear();
  CHECK(train::tensor_memory().live == 0);
  train::release_cached_memory();
  CHECK(train::tensor_memory().waiting == 0);
}

TEST_CASE("tensors go from thread to thread, and a storage grows with its numbers kept") {
  const Bounded bounded;
  at::Tensor tensor;
  std::thread([&] { tensor = of_megabytes(3); }).join();
  tensor.resize_({5 * kMegabyte / 4});
  CHECK(tensor.narrow(0, 0, 3 * kMegabyte / 4).eq(3.0F).all().item<bool>());
  std::thread([&] { tensor = at::Tensor(); }).join();
  CHECK(train::tensor_memory().live == 0);
}

TEST_CASE("what a caller says of oneDNN's caches stays") {
  setenv("LRU_CACHE_CAPACITY", "7", 1);
  train::bound_memory();
  CHECK(std::string(std::getenv("LRU_CACHE_CAPACITY")) == "7");
  CHECK(std::getenv("ONEDNN_PRIMITIVE_CACHE_CAPACITY") != nullptr);
}

}  // namespace summand
