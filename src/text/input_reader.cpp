#include "text/input_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <system_error>

#include "base/error.hpp"
#include "base/json_file.hpp"

namespace summand::text {

namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

InputFormat format_of(const std::filesystem::path& path) {
  if (path.extension() == ".txt") return InputFormat::txt;
  if (path.extension() == ".jsonl") return InputFormat::jsonl;
  throw UsageError("input", fmt::format("'{}': expected a name that ends in .txt or .jsonl, or an explicit format",
                                        printable(path.string())));
}

std::unique_ptr<std::istream> open_stream(const std::filesystem::path& path) {
  if (path == "-") return std::make_unique<std::istream>(std::cin.rdbuf());
  const auto refuse = [&path](int reason) {
    throw IoError(path.string(), fmt::format("expected a readable file: {}", std::strerror(reason)));
  };
  std::error_code unknown;  // left to opening
  if (std::filesystem::is_directory(path, unknown)) refuse(EISDIR);
  errno = 0;
  auto stream = std::make_unique<std::ifstream>(path, std::ios::binary);
  if (!*stream) refuse(errno);
  return stream;
}

bool is_blank(std::string_view line) {
  return line.find_first_not_of(" \t\r") == line.npos;
}

// The strings of one record, with messages that name the line.
class RecordReader {
 public:
  RecordReader(const Json& object, std::string where) : object_(object), where_(std::move(where)) {}

  [[nodiscard]] std::optional<std::string> string(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return std::nullopt;
    if (!found->is_string()) refuse(fmt::format("'{}': expected a string, got {}", key, found->type_name()));
    return found->get<std::string>();
  }

  [[nodiscard]] std::optional<std::vector<std::string>> strings(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end() || found->is_null()) return std::nullopt;
    const auto is_string = [](const Json& value) { return value.is_string(); };
    if (!found->is_array() || !std::all_of(found->begin(), found->end(), is_string)) {
      refuse(fmt::format("'{}': expected a list of strings, got something else", key));
    }
    return found->get<std::vector<std::string>>();
  }

  [[noreturn]] void refuse(std::string_view message) const { throw TextError(where_, message); }

 private:
  const Json& object_;
  std::string where_;
};

}  // namespace

InputReader InputReader::open(const std::filesystem::path& path, std::optional<InputFormat> format) {
  const InputFormat known = format ? *format : format_of(path);
  InputReader reader(open_stream(path), known, path == "-" ? "standard input" : path.string());
  std::error_code unknown;
  if (path != "-" && std::filesystem::is_regular_file(path, unknown)) {
    if (const auto size = std::filesystem::file_size(path, unknown); !unknown) reader.size_ = size;
  }
  return reader;
}

InputReader::InputReader(std::unique_ptr<std::istream> stream, InputFormat format, std::string name)
    : stream_(std::move(stream)), format_(format), name_(std::move(name)) {}
InputReader::InputReader(InputReader&&) noexcept = default;
InputReader& InputReader::operator=(InputReader&&) noexcept = default;
InputReader::~InputReader() = default;

bool InputReader::next_line() {
  errno = 0;
  if (!std::getline(*stream_, line_)) {
    if (stream_->bad()) throw IoError(name_, fmt::format("expected to read on: {}", std::strerror(errno)));
    return false;
  }
  ++line_number_;
  bytes_read_ += line_.size() + (stream_->eof() ? 0 : 1);
  if (line_number_ == 1 && line_.starts_with(kByteOrderMark)) {
    line_.erase(0, kByteOrderMark.size());
    if (line_.empty() && stream_->eof()) return false;
  }
  if (!stream_->eof() && line_.ends_with('\r')) line_.pop_back();
  return true;
}

std::optional<InputRecord> InputReader::next() {
  if (format_ == InputFormat::jsonl) return next_object();
  if (!next_line()) return std::nullopt;
  InputRecord record;
  record.text = std::move(line_);
  return record;
}

std::optional<InputRecord> InputReader::next_object() {
  if (!next_line()) return std::nullopt;
  const std::string where = fmt::format("{}:{}", name_, line_number_);
  if (is_blank(line_)) {
    while (next_line()) {
      if (!is_blank(line_)) throw TextError(where, "expected a JSON object, got a blank line");
    }
    return std::nullopt;
  }
  Json object;
  try {
    object = parse_json(line_);
  } catch (const JsonFault& fault) {
    throw TextError(where, fault.reason);
  }
  const RecordReader reader(object, where);
  if (!object.is_object()) reader.refuse(fmt::format("expected a JSON object, got {}", object.type_name()));
  InputRecord record;
  record.words = reader.strings("tokens");
  record.text_pair = reader.string("text_pair");
  auto text = reader.string("text");
  if (record.words && record.text_pair)
    reader.refuse("expected 'text_pair' beside 'text' only, got it beside 'tokens'");
  if (!record.words && !text) reader.refuse("expected the key 'text' or 'tokens', got neither");
  if (text && !record.words) record.text = *std::move(text);
  return record;
}

}  // namespace summand::text
