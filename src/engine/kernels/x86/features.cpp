#include "engine/kernels/x86/features.hpp"

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>

namespace summand::engine::x86 {

namespace {

enum Register { eax, ebx, ecx, edx };

/// What CPUID answers for a leaf; zeros where it does not exist.
struct Leaf {
  unsigned answer[4] = {};

  Leaf(unsigned leaf, unsigned subleaf) {
    if (__get_cpuid_count(leaf, subleaf, &answer[eax], &answer[ebx], &answer[ecx], &answer[edx]) == 0) *this = {};
  }

 private:
  Leaf() = default;
};

/// Asked once: in a virtual machine every question goes to the machine below it, and takes some microseconds.
bool cpuid_bit(unsigned leaf, unsigned subleaf, Register where, unsigned bit) {
  static const Leaf basic(1, 0);
  static const Leaf extended(7, 0);
  static const Leaf more(7, 1);
  const Leaf& asked = leaf == 1 ? basic : subleaf == 0 ? extended : more;
  return (asked.answer[where] >> bit & 1U) != 0;
}

/// Whether the system keeps the registers of these bits of XCR0 from one thread to the next.
bool system_keeps(uint64_t registers) {
  if (!cpuid_bit(1, 0, ecx, 27)) return false;  // OSXSAVE
  uint32_t low = 0;
  uint32_t high = 0;
  asm("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  const uint64_t kept = uint64_t{high} << 32U | low;
  return (kept & registers) == registers;
}

constexpr uint64_t kAvxRegisters = 0x6;      // XMM, YMM
constexpr uint64_t kAvx512Registers = 0xe6;  // and masks, ZMM

bool has_avx2() {
  return system_keeps(kAvxRegisters) && cpuid_bit(7, 0, ebx, 5) && cpuid_bit(1, 0, ecx, 12);
}

bool has_avx_vnni() {
  return has_avx2() && cpuid_bit(7, 1, eax, 4);
}

bool has_avx512() {
  return system_keeps(kAvx512Registers) && has_avx2() && cpuid_bit(7, 0, ebx, 16) && cpuid_bit(7, 0, ebx, 17) &&
         cpuid_bit(7, 0, ebx, 30) && cpuid_bit(7, 0, ebx, 31);
}

bool has_avx512_vnni() {
  return has_avx512() && cpuid_bit(7, 0, ecx, 11);
}

bool has_avx512_fp16() {
  return has_avx512() && cpuid_bit(7, 0, edx, 23);
}

bool has_avx512_bf16() {
  return has_avx512() && cpuid_bit(7, 1, eax, 5);
}

/// Linux gives a process the tiles' registers, which are large, only when it asks (Documentation/arch/x86/xstate.rst).
bool system_permits_tiles() {
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;
  static const bool permitted = syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
  return permitted;
}

bool has_amx_tile() {
  constexpr uint64_t kTileRegisters = 0x60000;
  return system_keeps(kTileRegisters) && cpuid_bit(7, 0, edx, 24) && system_permits_tiles();
}

bool has_amx_bf16() {
  return cpuid_bit(7, 0, edx, 22);
}

bool has_amx_int8() {
  return cpuid_bit(7, 0, edx, 25);
}

}  // namespace

constinit const Feature kAvx2{"avx2", has_avx2};
constinit const Feature kAvxVnni{"avx_vnni", has_avx_vnni};
constinit const Feature kAvx512{"avx512", has_avx512};
constinit const Feature kAvx512Vnni{"avx512_vnni", has_avx512_vnni};
constinit const Feature kAvx512Bf16{"avx512_bf16", has_avx512_bf16};
constinit const Feature kAvx512Fp16{"avx512_fp16", has_avx512_fp16};
constinit const Feature kAmxTile{"amx_tile", has_amx_tile};
constinit const Feature kAmxBf16{"amx_bf16", has_amx_bf16};
constinit const Feature kAmxInt8{"amx_int8", has_amx_int8};

}  // namespace summand::engine::x86
