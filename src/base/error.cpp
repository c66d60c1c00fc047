#include "base/error.hpp"

#include <fmt/format.h>

namespace summand {

namespace {
constexpr size_t kLongestQuote = 200;
}

Error::Error(std::string_view where, std::string_view message)
    : std::runtime_error(fmt::format("[{}] {}", where, message)) {}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, kLongestQuote)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > kLongestQuote) {
    while (!out.empty() && (static_cast<unsigned char>(out.back()) & 0xC0) == 0x80) out.pop_back();
    if (!out.empty() && static_cast<unsigned char>(out.back()) >= 0xC0) out.pop_back();
    out += "…";
  }
  return out;
}

}  // namespace summand
