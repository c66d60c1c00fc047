#include "io/safetensors_header.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>

#include "base/error.hpp"

namespace summand::io {

namespace {

constexpr size_t kMostDimensions = 64;
constexpr std::string_view kMetadata = "__metadata__";

/// Receives the header's JSON piece by piece. Its position is one of a few states, so that the depth is
/// bounded and nothing is built that the format does not know.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view where) : where_(where) {}

  [[nodiscard]] SafetensorsHeader take() { return std::move(header_); }

  bool null() { return refuse("null"); }
  bool boolean(bool) { return refuse("true or false"); }
  bool number_integer(int64_t) { return refuse("a negative number"); }
  bool number_float(double, const std::string& text) { return refuse("the number " + printable(text)); }
  bool binary(nlohmann::json::binary_t&) { return refuse("binary data"); }

  bool number_unsigned(uint64_t number) {
    if (place_ == Place::shape) {
      if (header_.entries.back().shape.size() == kMostDimensions) return refuse("more than 64 dimensions");
      header_.entries.back().shape.push_back(number);
    } else if (place_ == Place::offsets) {
      if (offsets_ == 2) return refuse("a third offset");
      (offsets_ == 0 ? header_.entries.back().begin : header_.entries.back().end) = number;
      ++offsets_;
    } else {
      return refuse("a number");
    }
    return true;
  }

  bool string(std::string& text) {
    if (place_ == Place::metadata) {
      if (header_.metadata.size() == kMostTensors) return refuse(fmt::format("more than {}", kMostTensors));
      if (!header_.metadata.emplace(std::move(key_), std::move(text)).second) return refuse("a key twice");
      key_.clear();
      return true;
    }
    if (place_ != Place::tensor || key_ != "dtype") return refuse("a string");
    header_.entries.back().dtype = std::move(text);
    return true;
  }

  bool start_object(size_t) {
    if (place_ == Place::outside) {
      place_ = Place::root;
    } else if (place_ == Place::root) {
      const bool metadata = key_ == kMetadata;
      place_ = metadata ? Place::metadata : Place::tensor;
      if (!metadata) header_.entries.push_back({.name = std::move(key_), .dtype = {}, .shape = {}});
      key_.clear();
      seen_.clear();
    } else {
      return refuse("an object");
    }
    return true;
  }

  bool key(std::string& name) {
    if (place_ == Place::root) {
      if (!names_.insert(name).second) {
        fail(fmt::format("'{}': expected each name once, got it twice", printable(name)));
      }
      if (names_.size() > kMostTensors)
        fail(fmt::format("header: expected at most {} entries, got more", kMostTensors));
    }
    if (place_ == Place::tensor) {
      if (name != "dtype" && name != "shape" && name != "data_offsets") {
        return refuse("the key '" + printable(name) + "'");
      }
      if (!seen_.insert(name).second) return refuse("the key '" + printable(name) + "' twice");
    }
    key_ = std::move(name);
    return true;
  }

  bool end_object() {
    if (place_ == Place::tensor && seen_.size() != 3) return refuse("only some of these keys");
    place_ = place_ == Place::root ? Place::outside : Place::root;
    return true;
  }

  bool start_array(size_t) {
    if (place_ != Place::tensor || (key_ != "shape" && key_ != "data_offsets")) return refuse("a list");
    place_ = key_ == "shape" ? Place::shape : Place::offsets;
    offsets_ = 0;
    return true;
  }

  bool end_array() {
    if (place_ == Place::offsets && offsets_ != 2) return refuse("fewer than two offsets");
    place_ = Place::tensor;
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) {
    fail(fmt::format("header: expected JSON in UTF-8, got something else at its byte {}", position));
  }

 private:
  enum class Place { outside, root, metadata, tensor, shape, offsets };

  [[nodiscard]] std::string expected() const {
    const auto entry = [&] { return "'" + printable(header_.entries.back().name) + "': expected "; };
    switch (place_) {
      case Place::outside:
        return "header: expected an object";
      case Place::root:
        return fmt::format("'{}': expected an object", printable(key_));
      case Place::metadata:
        return "__metadata__: expected strings";
      case Place::tensor:
        return entry() + "dtype (a string), shape and data_offsets (lists)";
      case Place::shape:
        return entry() + "a shape of sizes";
      case Place::offsets:
        return entry() + "two byte offsets";
    }
    __builtin_unreachable();
  }

  [[noreturn]] void fail(const std::string& message) const { throw CheckpointError(where_, message); }
  [[noreturn]] bool refuse(const std::string& got) const { fail(expected() + ", got " + got); }

  std::string where_;
  SafetensorsHeader header_;
  Place place_ = Place::outside;
  std::string key_;
  std::set<std::string> names_;
  std::set<std::string> seen_;
  size_t offsets_ = 0;
};

}  // namespace

SafetensorsHeader parse_safetensors_header(std::string_view json, std::string_view where) {
  // The parser takes a zero byte for the end of its input and skips a byte-order mark; the format allows neither.
  if (json.empty() || json.front() != '{' || json.find('\0') != std::string_view::npos) {
    throw CheckpointError(where, "header: expected JSON that begins with '{' and has no zero byte");
  }
  HeaderReader reader(where);
  nlohmann::json::sax_parse(json, &reader);
  return reader.take();
}

}  // namespace summand::io
