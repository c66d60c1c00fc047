#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace summand::serve {

/// How a vector is written.
enum class Numbers {
  floats,   ///< an array of the shortest decimals that read back to the same float
  base64,   ///< of little-endian floats, as OpenAI's
  int8,     ///< an array of x / scale rounded to nearest, -127 to 127, where scale is the largest |x| / 127
  binary,   ///< an array of bytes less 128, one bit a coordinate, 1 if positive, the first in the highest bit
  ubinary,  ///< the same without subtracting
};

/// @return nothing if no encoding has this name: "float", "base64", "int8", "binary", "ubinary"
[[nodiscard]] const Numbers* numbers_named(std::string_view name);

/// Of a number that is written so, about.
[[nodiscard]] size_t bytes_of(Numbers numbers);

/// Appends a vector as JSON.
void append_vector(std::string& json, std::span<const float> vector, Numbers numbers);
/// Of Numbers::int8, what its integers are multiplied with.
[[nodiscard]] float int8_scale(std::span<const float> vector);

/// Appends a number as JSON: the shortest decimal that reads back to it. @pre it is finite
void append_number(std::string& json, float number);
void append_number(std::string& json, double number);
void append_number(std::string& json, uint64_t number);
/// Appends a string as JSON; bytes that are not UTF-8 become U+FFFD.
void append_string(std::string& json, std::string_view text);

/// @throws Refused, as of the backend, if a number is not finite
void require_finite(std::span<const float> numbers);

}  // namespace summand::serve
