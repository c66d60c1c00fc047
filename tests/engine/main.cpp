#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

#include "base/error.hpp"
#include "engine/kernels/kernel_set.hpp"

/// Runs the tests at the instruction set that SUMMAND_ISA names; one that exists but not on this machine skips them.
int main(int argc, char** argv) {
  constexpr int kSkipped = 77;
  const char* const forced = std::getenv("SUMMAND_ISA");
  try {
    static_cast<void>(summand::engine::chosen_kernel_set());
  } catch (const summand::UsageError& error) {
    std::printf("%s\n", error.what());
    const bool known = summand::engine::kernel_set_named(forced) != nullptr;
    if (known) std::printf("skipped: this machine has no %s\n", forced);
    return known ? kSkipped : 1;
  }
  doctest::Context context(argc, argv);
  return context.run();
}
