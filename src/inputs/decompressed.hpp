#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <streambuf>
#include <string>
#include <string_view>

namespace summand::inputs {

/// What an input is compressed with.
enum class Compression { none, gzip, zstd };

/// The bytes with which a compressed input begins; of none, nothing.
[[nodiscard]] std::string_view magic_bytes(Compression compression);

/// One library's decompression, member after member.
class Decoder {
 public:
  virtual ~Decoder() = default;
  struct Step {
    size_t taken = 0;  ///< bytes of the input
    size_t made = 0;   ///< bytes of the output
  };
  /// Takes and makes what it can.
  /// @throws TextError naming the input if it is damaged
  virtual Step decode(std::span<const char> input, std::span<char> output) = 0;
  /// Whether what was taken so far ends where an input may end: behind a member, or a frame, with all made of it.
  [[nodiscard]] virtual bool is_between_members() const = 0;
};

/// The bytes that a compressed input holds, as a stream's buffer. Members one after the other are one input, as gzip
/// and zstd have it; memory does not grow with the input.
class Decompressed : public std::streambuf {
 public:
  /// @param compressed  outlives this object
  /// @param compression  not none
  /// @param name  what messages call the input
  Decompressed(std::streambuf& compressed, Compression compression, std::string name);

 protected:
  /// @throws TextError if the input is damaged or ends early
  int_type underflow() override;

 private:
  /// @return whether there is more
  bool refill();

  std::streambuf* compressed_;
  std::string name_;
  std::unique_ptr<Decoder> decoder_;
  std::array<char, 1 << 16> input_{};
  std::span<const char> left_;  // of the input, not decoded yet
  std::array<char, 1 << 16> output_{};
};

}  // namespace summand::inputs
