#include <sys/sysctl.h>

#include <cstddef>

#include "engine/kernels/arm/features.hpp"

namespace summand::engine::arm {

namespace {

/// Source: Apple, "Determining instruction set characteristics"
bool has(const char* name) {
  int value = 0;
  size_t size = sizeof value;
  return sysctlbyname(name, &value, &size, nullptr, 0) == 0 && value != 0;
}

}  // namespace

constinit const Feature kFp16{"asimdhp", [] { return has("hw.optional.arm.FEAT_FP16"); }};
constinit const Feature kDot{"asimddp", [] { return has("hw.optional.arm.FEAT_DotProd"); }};
constinit const Feature kBf16{"bf16", [] { return has("hw.optional.arm.FEAT_BF16"); }};
constinit const Feature kI8mm{"i8mm", [] { return has("hw.optional.arm.FEAT_I8MM"); }};

}  // namespace summand::engine::arm
