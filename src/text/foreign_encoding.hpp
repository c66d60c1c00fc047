#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace summand::text {

/// Detects UTF-16 and UTF-32 at the start of an input by the byte order mark or by zero bytes: ASCII text in UTF-16 has
/// every other byte zero, which is valid UTF-8.
class ForeignEncoding {
 public:
  /// Examines the next bytes, up to the first 64 of the input.
  /// @param where  name of the input, for messages
  /// @throws TextError that names the encoding and how to convert it
  void refuse(std::string_view bytes, std::string_view where);

 private:
  void refuse_mark(std::string_view bytes, std::string_view where) const;
  void refuse_zeros(std::string_view where) const;

  size_t seen_ = 0;
  std::array<size_t, 4> zeros_{};  // by their place modulo 4
};

}  // namespace summand::text
