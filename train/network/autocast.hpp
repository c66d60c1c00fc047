#pragma once

#include <ATen/autocast_mode.h>

#include "train/network/precision.hpp"

namespace summand::train {

/// Enables libtorch's bf16 products during its lifetime, if requested.
class Autocast {
 public:
  Autocast(Precision precision, at::DeviceType device)
      : device_(device), before_(at::autocast::is_autocast_enabled(device)) {
    at::autocast::set_autocast_enabled(device, precision == Precision::bf16);
    at::autocast::set_autocast_dtype(device, at::kBFloat16);
    at::autocast::increment_nesting();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;
  ~Autocast() {
    if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
    at::autocast::set_autocast_enabled(device_, before_);
  }

 private:
  at::DeviceType device_;
  bool before_;
};

}  // namespace summand::train
