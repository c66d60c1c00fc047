#include "text/line_reader.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <istream>
#include <utility>

#include "base/error.hpp"
#include "base/paths.hpp"
#include "base/utf8.hpp"
#include "text/lone_surrogates.hpp"

namespace summand::text {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

/// A byte that is not UTF-8, and its place.
struct FaultyByte {
  unsigned char value;
  size_t place;  // counted from 1
};

[[noreturn]] void refuse(const FaultyByte& byte, std::string_view where, std::string_view advice) {
  throw TextError(where, fmt::format("expected UTF-8, got 0x{:02X} at byte {}; convert the text with "
                                     "iconv -f ITS_ENCODING -t UTF-8{}",
                                     byte.value, byte.place, advice));
}

}  // namespace

LineReader::LineReader(std::unique_ptr<std::istream> stream, std::string name, const InputRules& rules)
    : stream_(std::move(stream)),
      name_(std::move(name)),
      invalid_utf8_(rules.invalid_utf8),
      advice_(rules.advice.invalid_utf8) {
  stream_->exceptions(std::ios::badbit);  // exceptions of a buffer propagate from getline
}

bool LineReader::next() {
  errno = 0;
  try {
    if (!std::getline(*stream_, line_)) return false;
  } catch (const std::ios::failure&) {
    throw IoError(name_, "expected to read on: " + errno_text(errno));
  }
  ++number_;
  const bool has_end = !stream_->eof();
  bytes_read_ += line_.size() + (has_end ? 1 : 0);
  size_t dropped = 0;
  encoding_.refuse(line_, name_);
  if (has_end) encoding_.refuse("\n", name_);
  if (number_ == 1) {
    if (line_.starts_with(kByteOrderMark)) dropped = kByteOrderMark.size();
    line_.erase(0, dropped);
    if (line_.empty() && !has_end) return false;
  }
  line_end_ = has_end ? "\n" : "";
  if (has_end && line_.ends_with('\r')) {
    line_.pop_back();
    line_end_ = "\r\n";
  }
  check_bytes(dropped);
  return true;
}

void LineReader::check_bytes(size_t dropped) {
  const size_t valid = valid_utf8_prefix(line_);
  if (valid == line_.size()) return;
  if (invalid_utf8_ == InvalidUtf8::error) {
    refuse({static_cast<unsigned char>(line_[valid]), dropped + valid + 1}, where(), advice_);
  }
  has_invalid_ = true;
}

void LineReader::replace_lone_surrogates() {
  if (!find_lone_surrogate(line_)) return;
  line_ = text::replace_lone_surrogates(line_);
  has_invalid_ = true;
}

std::string LineReader::where(size_t number) const {
  return fmt::format("{}:{}", name_, number);
}

bool LineReader::take_invalid() {
  return std::exchange(has_invalid_, false);
}

bool check_utf8(std::string_view text, std::string_view where, const InputRules& rules) {
  const size_t valid = valid_utf8_prefix(text);
  if (valid == text.size()) return true;
  if (rules.invalid_utf8 == InvalidUtf8::error) {
    refuse({static_cast<unsigned char>(text[valid]), valid + 1}, where, rules.advice.invalid_utf8);
  }
  return false;
}

}  // namespace summand::text
