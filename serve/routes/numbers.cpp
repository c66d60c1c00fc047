#include "serve/routes/numbers.hpp"

#include <fmt/format.h>

#include <openssl/evp.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "serve/routes/refused.hpp"

namespace summand::serve {

namespace {

constexpr std::pair<std::string_view, Numbers> kNames[] = {{"float", Numbers::floats},
                                                           {"base64", Numbers::base64},
                                                           {"int8", Numbers::int8},
                                                           {"binary", Numbers::binary},
                                                           {"ubinary", Numbers::ubinary}};

template <class Number>
void append(std::string& json, Number number) {
  fmt::format_to(std::back_inserter(json), "{}", number);
}

template <class Values>
void append_array(std::string& json, const Values& values) {
  json += '[';
  bool first = true;
  for (const auto value : values) {
    if (!std::exchange(first, false)) json += ',';
    append(json, value);
  }
  json += ']';
}

/// Source: sentence-transformers, util/quantization.py, quantize_embeddings, as numpy.packbits packs
std::vector<int> packed_bits(std::span<const float> vector, int less) {
  std::vector<int> bytes((vector.size() + 7) / 8, 0);
  for (size_t i = 0; i < vector.size(); ++i) {
    if (vector[i] > 0) bytes[i / 8] |= 0x80 >> (i % 8);
  }
  for (int& byte : bytes) byte -= less;
  return bytes;
}

}  // namespace

const Numbers* numbers_named(std::string_view name) {
  const auto found = std::ranges::find(kNames, name, [](const auto& one) { return one.first; });
  return found == std::end(kNames) ? nullptr : &found->second;
}

float int8_scale(std::span<const float> vector) {
  float largest = 0;
  for (const float x : vector) largest = std::max(largest, std::abs(x));
  return largest / 127;
}

size_t bytes_of(Numbers numbers) {
  constexpr size_t kFloats = 12, kBase64 = 6, kInt8 = 5;
  switch (numbers) {
    case Numbers::floats:
      return kFloats;
    case Numbers::base64:
      return kBase64;
    case Numbers::int8:
      return kInt8;
    case Numbers::binary:
    case Numbers::ubinary:
      return 1;
  }
  __builtin_unreachable();
}

void append_vector(std::string& json, std::span<const float> vector, Numbers numbers) {
  switch (numbers) {
    case Numbers::floats:
      json.reserve(json.size() + 12 * vector.size());
      return append_array(json, vector);
    case Numbers::base64: {
      static_assert(std::endian::native == std::endian::little);
      const auto bytes = std::as_bytes(vector);
      const size_t start = json.size() + 1;
      json += '"';
      json.resize(start + (bytes.size() + 2) / 3 * 4 + 1);  // it ends what it writes with a zero
      const int written =
          EVP_EncodeBlock(reinterpret_cast<unsigned char*>(json.data() + start),
                          reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
      json.resize(start + static_cast<size_t>(written));
      json += '"';
      return;
    }
    case Numbers::int8: {
      const float scale = int8_scale(vector);
      std::vector<int> steps;
      steps.reserve(vector.size());
      for (const float x : vector) steps.push_back(scale > 0 ? static_cast<int>(std::lrint(x / scale)) : 0);
      return append_array(json, steps);
    }
    case Numbers::binary:
      return append_array(json, packed_bits(vector, 128));
    case Numbers::ubinary:
      return append_array(json, packed_bits(vector, 0));
  }
}

void append_number(std::string& json, float number) {
  append(json, number);
}

void append_number(std::string& json, double number) {
  append(json, number);
}

void append_number(std::string& json, uint64_t number) {
  append(json, number);
}

void append_string(std::string& json, std::string_view text) {
  json += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void require_finite(std::span<const float> numbers) {
  if (std::ranges::all_of(numbers, [](float x) { return std::isfinite(x); })) return;
  throw Refused{Fault::backend, "the model gave a number that is not finite"};
}

}  // namespace summand::serve
