#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace summand::text {

/// Knows UTF-16 and UTF-32 at the beginning of an input by its byte order mark or, without one, by zero bytes: every
/// other byte of ASCII in UTF-16 is zero, which is valid UTF-8.
class ForeignEncoding {
 public:
  /// Looks at the input's next bytes; behind the first 64 it looks no more.
  /// @param where  what the message calls the input
  /// @throws TextError that names the encoding and how to convert it
  void refuse(std::string_view bytes, std::string_view where);

 private:
  void refuse_mark(std::string_view bytes, std::string_view where) const;
  void refuse_zeros(std::string_view where) const;

  size_t seen_ = 0;
  std::array<size_t, 4> zeros_{};  // by their place modulo 4
};

}  // namespace summand::text
