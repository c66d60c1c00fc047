#include "text/foreign_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace summand::text {

namespace {

constexpr size_t kBeginning = 64;  // bytes

struct Mark {
  std::string_view bytes;
  std::string_view name;   // in words
  std::string_view iconv;  // as iconv calls it
};

// The longer ones first: that of UTF-32 begins as that of UTF-16.
constexpr std::array<Mark, 4> kMarks{{
    {{"\xFF\xFE\0\0", 4}, "UTF-32 little-endian", "UTF-32"},
    {{"\0\0\xFE\xFF", 4}, "UTF-32 big-endian", "UTF-32"},
    {{"\xFF\xFE", 2}, "UTF-16 little-endian", "UTF-16"},
    {{"\xFE\xFF", 2}, "UTF-16 big-endian", "UTF-16"},
}};

}  // namespace

void ForeignEncoding::refuse(std::string_view bytes, std::string_view where) {
  if (seen_ == kBeginning) return;
  if (seen_ == 0) refuse_mark(bytes, where);
  for (const char byte : bytes.substr(0, kBeginning - seen_)) zeros_[seen_++ % 4] += byte == '\0' ? 1 : 0;
  refuse_zeros(where);
}

void ForeignEncoding::refuse_mark(std::string_view bytes, std::string_view where) const {
  for (const auto& mark : kMarks) {
    if (!bytes.starts_with(mark.bytes)) continue;
    throw TextError(where, fmt::format("expected UTF-8, got {} by its byte order mark; convert it with "
                                       "iconv -f {} -t UTF-8",
                                       mark.name, mark.iconv));
  }
}

/// Of ASCII in UTF-16 half is zero, at odd places or at even ones; of any common text in UTF-32 two neighbours of four.
/// A third is enough, since other characters may stand among it.
void ForeignEncoding::refuse_zeros(std::string_view where) const {
  constexpr size_t kLeast = 3;  // bytes
  const size_t zeros = zeros_[0] + zeros_[1] + zeros_[2] + zeros_[3];
  if (seen_ < kLeast || 3 * zeros < seen_) return;
  const auto all_zero = [&](size_t place) { return seen_ > place && zeros_[place] == (seen_ + 3 - place) / 4; };
  std::string_view name = zeros_[1] + zeros_[3] >= zeros_[0] + zeros_[2] ? "UTF-16LE" : "UTF-16BE";
  if (all_zero(2) && all_zero(3)) name = "UTF-32LE";
  if (all_zero(0) && all_zero(1)) name = "UTF-32BE";
  throw TextError(where, fmt::format("expected UTF-8, got {} zero bytes among the first {}, as of {}; convert it with "
                                     "iconv -f {} -t UTF-8",
                                     zeros, seen_, name.substr(0, name.size() - 2), name));
}

}  // namespace summand::text
