#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <streambuf>
#include <string>
#include <string_view>

namespace summand::inputs {

/// Compression format of an input.
enum class Compression { none, gzip, zstd };

/// The first bytes of a compressed input; empty for none.
[[nodiscard]] std::string_view magic_bytes(Compression compression);

/// A decompressor for inputs of several members.
class Decompressor {
 public:
  virtual ~Decompressor() = default;
  struct Step {
    size_t taken = 0;  ///< bytes of the input
    size_t made = 0;   ///< bytes of the output
  };
  /// Decompresses as much as fits.
  /// @throws TextError naming the input if it is damaged
  virtual Step decompress(std::span<const char> input, std::span<char> output) = 0;
  /// Whether the input may end here: after a complete member or frame, with all its output made.
  [[nodiscard]] virtual bool is_between_members() const = 0;
};

/// A stream buffer that decompresses another one, in constant memory. Concatenated members are one input, as for gzip
/// and zstd.
class Decompressed : public std::streambuf {
 public:
  /// @param compressed  outlives this object
  /// @param compression  not none
  /// @param name  of the input, for messages
  Decompressed(std::streambuf& compressed, Compression compression, std::string name);

 protected:
  /// @throws TextError if the input is damaged or ends early
  int_type underflow() override;

 private:
  /// @return whether there is more
  bool refill();

  std::streambuf* compressed_;
  std::string name_;
  std::unique_ptr<Decompressor> decompressor_;
  std::array<char, 1 << 16> input_{};
  std::span<const char> left_;  // input not yet decompressed
  std::array<char, 1 << 16> output_{};
};

}  // namespace summand::inputs
