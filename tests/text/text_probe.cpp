// Runs the tokenizer on what a script sends, for comparison with a reference. Requests and answers are binary, in the
// machine's byte order; a string is its length (uint32) and its bytes.
//   L directory | V vocab.txt, lowercase (uint8)            -> status
//   O special tokens, truncation, has limit (uint8), limit (uint32): options of the requests after it, no answer
//   E text | P first, second | W count (uint32), words      -> status, encoding
//   S max_length, overlap (uint32), is a pair (uint8), first, second -> status, count (uint32), encodings of the
//   windows D special tokens (uint8), count (uint32), ids           -> status, string I -> status, description of the
//   tokenizer (string)
// A status is 0, or 1 followed by the message of the error (string).
#include <fmt/format.h>

#include <cstring>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "text/tokenizer.hpp"

namespace {

using summand::text::EncodeOptions;
using summand::text::Encoding;
using summand::text::SpecialTokens;
using summand::text::Tokenizer;
using summand::text::Truncation;

class Requests {
 public:
  Requests() : bytes_(std::istreambuf_iterator<char>(std::cin), {}) {}

  [[nodiscard]] bool done() const { return at_ == bytes_.size(); }

  template <typename T>
  T number() {
    T value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  std::string_view string() { return take(number<uint32_t>()); }

 private:
  std::string_view take(size_t count) {
    if (count > bytes_.size() - at_) throw std::runtime_error("the request ends early");
    at_ += count;
    return std::string_view(bytes_).substr(at_ - count, count);
  }

  std::string bytes_;
  size_t at_ = 0;
};

template <typename T>
void write(T value) {
  std::cout.write(reinterpret_cast<const char*>(&value), sizeof value);
}

void write(std::string_view text) {
  write(static_cast<uint32_t>(text.size()));
  std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
}

void write(const Encoding& encoding) {
  write(static_cast<uint32_t>(encoding.ids.size()));
  for (const int32_t id : encoding.ids) write(id);
  for (const int32_t segment : encoding.segments) write(segment);
  for (const auto& offset : encoding.offsets) write(static_cast<int32_t>(offset.begin));
  for (const auto& offset : encoding.offsets) write(static_cast<int32_t>(offset.end));
  for (const int32_t word : encoding.words) write(word);
  for (const uint8_t special : encoding.special) write(static_cast<int32_t>(special));
  write(static_cast<uint32_t>(encoding.cut));
}

void write(const std::vector<Encoding>& encodings) {
  write(static_cast<uint32_t>(encodings.size()));
  for (const Encoding& encoding : encodings) write(encoding);
}

EncodeOptions read_options(Requests& requests) {
  EncodeOptions options;
  options.special_tokens = static_cast<SpecialTokens>(requests.number<uint8_t>());
  options.truncation = static_cast<Truncation>(requests.number<uint8_t>());
  const bool limited = requests.number<uint8_t>() != 0;
  const auto limit = requests.number<uint32_t>();
  if (limited) options.max_length = limit;
  return options;
}

std::string describe(const Tokenizer& tokenizer) {
  const auto optional = [](const auto& value) { return value ? fmt::format("{}", *value) : std::string("none"); };
  std::string text =
      fmt::format("size {}\nmax {}\npad {}\nunk {}\ncls {}\nsep {}\nmask {}\n", tokenizer.vocabulary_size(),
                  optional(tokenizer.model_max_length()), optional(tokenizer.pad_id()), optional(tokenizer.unk_id()),
                  optional(tokenizer.cls_id()), optional(tokenizer.sep_id()), optional(tokenizer.mask_id()));
  for (const std::string& notice : tokenizer.notices()) text += "notice " + notice + "\n";
  return text;
}

// Does one request after another; what has been read of a failing one is complete before anything can throw.
class Session {
 public:
  void run() {
    while (!requests_.done()) {
      switch (const char request = requests_.number<char>()) {
        case 'O':
          options_ = read_options(requests_);
          break;
        case 'L':
          tokenizer_.reset();
          answer([this, path = requests_.string()] { tokenizer_ = Tokenizer::load(path); });
          break;
        case 'V': {
          const auto path = requests_.string();
          const auto lowercase = static_cast<summand::text::Lowercase>(requests_.number<uint8_t>());
          answer([this, path, lowercase] { tokenizer_ = Tokenizer::from_vocabulary(path, lowercase); });
          break;
        }
        case 'E':
          encode(requests_.string());
          break;
        case 'P':
          encode_pair();
          break;
        case 'W':
          encode_words();
          break;
        case 'S':
          divide();
          break;
        case 'D':
          decode();
          break;
        case 'I':
          answer_with([this] { return describe(tokenizer()); });
          break;
        default:
          throw std::runtime_error(fmt::format("unknown request '{}'", request));
      }
    }
  }

 private:
  template <typename Action>
  void answer(Action action) {
    answer_with([&action] {
      action();
      return std::nullopt;
    });
  }

  template <typename Action>
  void answer_with(Action action) {
    try {
      const auto result = action();
      write(uint8_t{0});
      if constexpr (std::is_same_v<decltype(result), const std::string>) {
        write(std::string_view(result));
      } else if constexpr (std::is_same_v<decltype(result), const Encoding> ||
                           std::is_same_v<decltype(result), const std::vector<Encoding>>) {
        write(result);
      }
    } catch (const summand::Error& error) {
      write(uint8_t{1});
      write(std::string_view(error.what()));
    }
  }

  // Single texts take the way that reuses memory, so that a leftover of an earlier text would show.
  void encode(std::string_view text) {
    try {
      tokenizer().encode_into(text, options_, workspace_, encoding_);
      write(uint8_t{0});
      write(encoding_);
    } catch (const summand::Error& error) {
      write(uint8_t{1});
      write(std::string_view(error.what()));
    }
  }

  void encode_pair() {
    const auto first = requests_.string();
    const auto second = requests_.string();
    answer_with([&] { return tokenizer().encode_pair(first, second, options_); });
  }

  void encode_words() {
    std::vector<std::string> words(requests_.number<uint32_t>());
    for (std::string& word : words) word = requests_.string();
    answer_with([&] { return tokenizer().encode_words(words, options_); });
  }

  void divide() {
    const auto max_length = requests_.number<uint32_t>();
    const auto overlap = requests_.number<uint32_t>();
    const bool pair = requests_.number<uint8_t>() != 0;
    const auto first = requests_.string();
    const auto second = requests_.string();
    answer_with([&] {
      const summand::text::WindowLimits limits{.max_length = max_length, .overlap = overlap};
      const auto divided = pair ? tokenizer().divide_pair(first, second, limits) : tokenizer().divide(first, limits);
      std::vector<Encoding> windows;
      for (size_t i = 0; i < divided.windows(); ++i) windows.push_back(divided.window(i));
      return windows;
    });
  }

  void decode() {
    const auto special = static_cast<SpecialTokens>(requests_.number<uint8_t>());
    std::vector<int32_t> ids(requests_.number<uint32_t>());
    for (int32_t& id : ids) id = requests_.number<int32_t>();
    answer_with([&] { return tokenizer().decode(ids, special); });
  }

  [[nodiscard]] const Tokenizer& tokenizer() const {
    if (!tokenizer_) throw summand::UsageError("text_probe", "expected a tokenizer, got none");
    return *tokenizer_;
  }

  Requests requests_;
  std::optional<Tokenizer> tokenizer_;
  EncodeOptions options_;
  Tokenizer::Workspace workspace_;
  Encoding encoding_;
};

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  try {
    Session().run();
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 2;
  }
  return 0;
}
