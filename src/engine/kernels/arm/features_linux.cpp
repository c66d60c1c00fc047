#include <asm/hwcap.h>
#include <sys/auxv.h>

#include "engine/kernels/arm/features.hpp"

namespace summand::engine::arm {

constinit const Feature kFp16{"asimdhp", [] { return (getauxval(AT_HWCAP) & HWCAP_ASIMDHP) != 0; }};
constinit const Feature kDot{"asimddp", [] { return (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0; }};
constinit const Feature kBf16{"bf16", [] { return (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0; }};
constinit const Feature kI8mm{"i8mm", [] { return (getauxval(AT_HWCAP2) & HWCAP2_I8MM) != 0; }};

}  // namespace summand::engine::arm
