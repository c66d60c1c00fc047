#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <streambuf>
#include <string>
#include <string_view>

namespace summand::text {

/// A stream buffer over a file, a pipe or standard input. It does not block for more bytes than requested: it returns
/// what a pipe has.
class InputBytes : public std::streambuf {
 public:
  /// @param path  a file, or "-" for standard input
  /// @throws IoError with the system's reason
  explicit InputBytes(const std::filesystem::path& path);
  InputBytes(const InputBytes&) = delete;
  InputBytes& operator=(const InputBytes&) = delete;
  ~InputBytes() override;

  /// Name of the input, for messages.
  [[nodiscard]] const std::string& name() const { return name_; }
  /// Size of the input when it was opened, if it is a regular file.
  [[nodiscard]] std::optional<uint64_t> size() const { return size_; }
  /// Bytes read so far.
  [[nodiscard]] uint64_t bytes_taken() const { return bytes_taken_; }

  /// Whether the input begins with these bytes; consumes nothing. Call it before reading.
  /// @param beginning  at most 16 bytes
  [[nodiscard]] bool starts_with(std::string_view beginning);

 protected:
  /// @throws IoError with the system's reason
  int_type underflow() override;

 private:
  /// Reads once more into the buffer. @return whether there was more
  bool read_more();

  std::string name_;
  int descriptor_ = -1;
  std::optional<uint64_t> size_;
  uint64_t bytes_taken_ = 0;
  std::array<char, 1 << 16> buffer_{};
};

}  // namespace summand::text
