#pragma once

#include <algorithm>
#include <cstdint>

namespace summand::train {

/// Which elements of a tensor dropout keeps. A hash of the element's index decides, so a kernel draws the mask where it
/// needs it, and again in the backward pass, without storing it.
/// Source of the hash's constants: Wellons 2018, "Prospecting for hash functions", lowbias32
class DropoutMask {
 public:
  /// Keeps all.
  DropoutMask() = default;

  /// @param key  another mask for each
  /// @param rate  share of elements that become 0, in [0, 1)
  DropoutMask(uint64_t key, double rate)
      : low_(static_cast<uint32_t>(key)),
        high_(static_cast<uint32_t>(key >> 32)),
        most_(static_cast<uint32_t>(std::max((1 - rate) * 4294967296.0 - 1, 0.0))),
        kept_(static_cast<float>(1 / (1 - rate))) {}

  /// The mask whose element 0 is this one's element `first`.
  [[nodiscard]] DropoutMask from(uint32_t first) const {
    DropoutMask rest = *this;
    rest.low_ += first;
    return rest;
  }

  [[nodiscard]] bool keeps_all() const { return most_ == UINT32_MAX; }

  /// What the element is multiplied by: 0, or 1 / (1 − rate).
  [[nodiscard]] float factor(uint32_t index) const { return mixed(mixed(index + low_) ^ high_) <= most_ ? kept_ : 0; }

 private:
  [[nodiscard]] static uint32_t mixed(uint32_t bits) {
    bits = (bits ^ (bits >> 16)) * 0x7feb352dU;
    bits = (bits ^ (bits >> 15)) * 0x846ca68bU;
    return bits ^ (bits >> 16);
  }

  uint32_t low_ = 0, high_ = 0;
  uint32_t most_ = UINT32_MAX;
  float kept_ = 1;
};

}  // namespace summand::train
