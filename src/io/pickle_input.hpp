#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "base/error.hpp"

namespace summand::io {

/// The bytes of the pickle, one after another.
class PickleInput {
 public:
  PickleInput(std::string_view pickle, std::string_view where) : pickle_(pickle), where_(where) {}

  template <class Number>
  Number number() {
    Number value;
    std::memcpy(&value, text(sizeof(Number)).data(), sizeof(Number));
    return value;
  }
  std::string_view text(uint64_t count) {
    if (count > pickle_.size() - at_) fail("the pickle ends early");
    at_ += count;
    return pickle_.substr(at_ - count, count);
  }
  std::string_view line() {
    const size_t end = pickle_.find('\n', at_);
    if (end == pickle_.npos) fail("the pickle ends early");
    const auto found = pickle_.substr(at_, end - at_);
    at_ = end + 1;
    return found;
  }
  [[noreturn]] void fail(const std::string& message) const {
    throw CheckpointError(where_, fmt::format("data.pkl, byte {}: {}", at_, message));
  }

 private:
  std::string_view pickle_;
  std::string_view where_;
  size_t at_ = 0;
};

}  // namespace summand::io
