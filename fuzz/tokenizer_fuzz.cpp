// Three bytes of settings, then a text: ids, places, pairs, words, truncation and decoding over a small vocabulary.
#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <memory>
#include <optional>

#include "base/utf8.hpp"
#include "target.hpp"
#include "text/text_encoder.hpp"
#include "text/tokenizer.hpp"

using namespace summand;
using text::EncodeOptions;
using text::Encoding;
using text::SpecialTokens;

namespace {

constexpr std::string_view kTokens =
    "[PAD] [UNK] [CLS] [SEP] [MASK] a b c e i n o s u x 0 1 ##a ##b ##c ##e ##i ##n ##o ##s ##u ##x ##0 ##1 un ##aff "
    "##able hello world new york , . ! ' - ( ) \xE4\xB8\xAD \xE6\x96\x87 \xC3\xA9 ##\xC3\xA9 \xC3\x9F "
    "\xCE\xB1 ##\xCE\xB1 \xEF\xBF\xBD \xE0\xA5\x80 ##\xE0\xA5\x80 \xE1\x84\x80 ##\xE1\x85\xA1 \xF0\x9F\x98\x80";

/// What the first byte of an input chooses: few, because each has tables for all of Unicode.
struct Choice {
  static constexpr std::array<text::NormalizerSettings, 6> kNormalizers{{{true, true, true, true},
                                                                         {false, false, false, false},
                                                                         {true, false, true, false},
                                                                         {false, true, true, true},
                                                                         {true, true, false, true},
                                                                         {true, true, true, false}}};
  static constexpr size_t kCount = 4 * kNormalizers.size();

  size_t number = 0;
  [[nodiscard]] text::NormalizerSettings normalizer() const { return kNormalizers[number / 4]; }
  [[nodiscard]] bool short_words() const { return number % 4 == 1; }
  [[nodiscard]] bool stripping_tokens() const { return number % 2 == 1; }
  [[nodiscard]] bool normalized_tokens() const { return number % 4 >= 2; }
};

text::TokenizerSettings settings_of(Choice choice) {
  std::vector<text::Vocabulary::Token> tokens;
  for (size_t begin = 0; begin < kTokens.size();) {
    const size_t end = std::min(kTokens.find(' ', begin), kTokens.size());
    tokens.push_back({kTokens.substr(begin, end - begin), static_cast<int32_t>(tokens.size())});
    begin = end + 1;
  }
  text::TokenizerSettings settings{.vocabulary = {tokens, "vocabulary"},
                                   .normalizer = choice.normalizer(),
                                   .word_piece = {},
                                   .added_tokens = {},
                                   .templates = text::SpecialTemplates::bert(2, 3),
                                   .decoder = text::DecoderSettings{},
                                   .names = {},
                                   .model_max_length = {},
                                   .notices = {}};
  if (choice.short_words()) settings.word_piece.max_input_chars_per_word = 4;
  for (const char* content : {"[PAD]", "[UNK]", "[CLS]", "[SEP]"}) {
    text::add_token(settings, {.content = content, .special = true, .normalized = false});
  }
  const bool strips = choice.stripping_tokens();
  text::add_token(settings, {.content = "[MASK]", .special = true, .lstrip = strips, .normalized = false});
  if (strips) {
    text::add_token(settings, {.content = "<x>", .single_word = true, .rstrip = true, .normalized = false});
  }
  if (choice.normalized_tokens()) text::add_token(settings, {.content = "New \xC3\xA9", .normalized = true});
  return settings;
}

/// A tokenizer, and its two ways from a text to tokens.
struct Machine {
  explicit Machine(Choice choice)
      : settings(settings_of(choice)),
        word_piece(settings.vocabulary, settings.word_piece),
        encoder(settings.normalizer, settings.added_tokens, word_piece),
        tokenizer(settings_of(choice)) {}

  text::TokenizerSettings settings;
  text::WordPiece word_piece;
  text::TextEncoder encoder;
  text::TextEncoder::Scratch scratch;
  text::Tokenizer tokenizer;
  text::Tokenizer::Workspace workspace;
};

/// Tables for all of Unicode are made once for each choice.
Machine& machine_of(Choice choice) {
  static std::array<std::unique_ptr<Machine>, Choice::kCount> machines;
  auto& machine = machines[choice.number];
  if (!machine) machine = std::make_unique<Machine>(choice);
  return *machine;
}

bool same(const Encoding& left, const Encoding& right) {
  return left.ids == right.ids && left.segments == right.segments && left.offsets == right.offsets &&
         left.words == right.words && left.special == right.special && left.cut == right.cut;
}

/// @param sizes  bytes of the first and the second text
void check(const Machine& machine, const Encoding& encoding, std::array<size_t, 2> sizes) {
  const size_t tokens = encoding.ids.size();
  fuzz::expect(encoding.segments.size() == tokens && encoding.offsets.size() == tokens &&
                   encoding.words.size() == tokens && encoding.special.size() == tokens,
               "every token has all its parts");
  std::array<text::Range, 2> last{};
  std::array<int32_t, 2> word{};
  for (size_t i = 0; i < tokens; ++i) {
    fuzz::expect(encoding.ids[i] >= 0 && !machine.tokenizer.token(encoding.ids[i]).empty(), "an id is a token's");
    const auto [begin, end] = encoding.offsets[i];
    if (encoding.special[i] != 0) {
      fuzz::expect(begin == 0 && end == 0 && encoding.words[i] == -1, "a special token has no place");
      continue;
    }
    const auto segment = static_cast<size_t>(encoding.segments[i]);
    fuzz::expect(segment < 2 && begin <= end && end <= sizes[segment], "offsets lie in the text");
    fuzz::expect(begin >= last[segment].begin && end >= last[segment].end, "offsets are in the text's order");
    fuzz::expect(encoding.words[i] >= word[segment], "words are in order");
    last[segment] = {begin, end};
    word[segment] = encoding.words[i];
  }
}

bool equal(const std::vector<text::Token>& left, const std::vector<text::Token>& right) {
  return std::ranges::equal(left, right, [](const text::Token& a, const text::Token& b) {
    return a.id == b.id && a.begin == b.begin && a.end == b.end && a.word == b.word;
  });
}

/// The pass that is fast gives what the plain one gives; what is no UTF-8 reads as its replacement characters.
void check_ways(Machine& machine, std::string_view input) {
  std::vector<text::Token> fast;
  std::vector<text::Token> plain;
  machine.encoder.encode(input, machine.scratch, fast);
  const RepairedText repaired(input);
  machine.encoder.encode_plainly(repaired.text(), machine.scratch, plain);
  for (text::Token& token : plain) {
    token.begin = static_cast<uint32_t>(repaired.given_position(token.begin));
    token.end = static_cast<uint32_t>(repaired.given_position(token.end));
  }
  fuzz::expect(equal(fast, plain), "the fast way gives what the plain one gives");
}

void check_decoding(const Machine& machine, const Encoding& encoding, std::string_view input) {
  const auto decoded = [&](std::span<const int32_t> ids, SpecialTokens special) {
    const std::string text = machine.tokenizer.decode(ids, special);
    fuzz::expect(is_valid_utf8(text), "decoding gives UTF-8");
    return text.size();
  };
  fuzz::expect(decoded(encoding.ids, SpecialTokens::omit) <= decoded(encoding.ids, SpecialTokens::add),
               "leaving tokens out makes no text longer");
  std::vector<int32_t> any(input.size() / sizeof(int32_t));
  if (!any.empty()) std::memcpy(any.data(), input.data(), any.size() * sizeof(int32_t));
  (void)decoded(any, SpecialTokens::add);
  any.assign(input.begin(), input.end());
  (void)decoded(any, SpecialTokens::omit);
}

/// @param whole  the same text, nothing cut
void check_cut(const Encoding& cut, const Encoding& whole, const EncodeOptions& options) {
  fuzz::expect(cut.ids.size() <= *options.max_length, "a text is cut to its length");
  fuzz::expect(cut.ids.size() + cut.cut == whole.ids.size(), "what was cut is counted");
  if (whole.ids.size() <= *options.max_length) fuzz::expect(same(cut, whole), "what fits is not cut");
}

std::vector<std::string> words_of(std::string_view input) {
  std::vector<std::string> words(1);
  for (const char c : input) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  return words;
}

/// An input that cannot be cut as asked is refused; everything else is cut.
template <class Encode>
void check_lengths(const Machine& machine, EncodeOptions options, std::array<size_t, 2> sizes, Encode&& encode) {
  const size_t max_length = *std::exchange(options.max_length, std::nullopt);
  const Encoding whole = encode(options);
  check(machine, whole, sizes);
  options.max_length = max_length;
  fuzz::accepts([&] {
    const Encoding cut = encode(options);
    check(machine, cut, sizes);
    check_cut(cut, whole, options);
  });
}

/// Every token of a text that is divided lies in a window, and each window fits.
void check_windows(const Machine& machine, std::string_view input, const text::WindowLimits& limits) {
  const Encoding whole = machine.tokenizer.encode(input, {.special_tokens = SpecialTokens::omit});
  fuzz::accepts([&] {
    const text::DividedText divided = machine.tokenizer.divide(input, limits);
    size_t reached = 0;
    for (size_t i = 0; i < divided.windows(); ++i) {
      const Encoding window = divided.window(i);
      check(machine, window, {input.size(), 0});
      fuzz::expect(window.ids.size() <= limits.max_length, "a window fits");
      const auto [begin, end] = divided.range(i);
      fuzz::expect(begin <= reached && reached <= end, "no token is left out");
      reached = end;
    }
    fuzz::expect(reached == whole.ids.size(), "the last window ends with the text");
    if (divided.windows() == 1)
      fuzz::expect(same(divided.window(0), machine.tokenizer.encode(input)), "one is the text");
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr size_t kSettings = 3;
  constexpr int kTruncations = 6;
  if (size < kSettings) return 0;
  Machine& machine = machine_of({data[0] % Choice::kCount});
  const std::string_view input(reinterpret_cast<const char*>(data) + kSettings, size - kSettings);
  const EncodeOptions options{.special_tokens = (data[1] & 0x80) != 0 ? SpecialTokens::omit : SpecialTokens::add,
                              .truncation = static_cast<text::Truncation>(data[1] % kTruncations),
                              .max_length = data[2] % 32};
  check_ways(machine, input);
  check_lengths(machine, options, {input.size(), 0},
                [&](const EncodeOptions& chosen) { return machine.tokenizer.encode(input, chosen); });
  Encoding reused;
  machine.tokenizer.encode_into(input, {}, machine.workspace, reused);
  const Encoding fresh = machine.tokenizer.encode(input);
  fuzz::expect(same(reused, fresh), "a workspace that was used before changes nothing");
  check_decoding(machine, fresh, input);

  const text::WindowLimits limits{.max_length = data[2] % 32U, .overlap = data[1] / 8U};
  check_windows(machine, input, limits);

  const size_t half = input.size() * data[2] / 255;
  const std::string_view first = input.substr(0, half);
  const std::string_view second = input.substr(half);
  check_lengths(machine, options, {first.size(), second.size()},
                [&](const EncodeOptions& chosen) { return machine.tokenizer.encode_pair(first, second, chosen); });

  const auto words = words_of(input);
  const Encoding of_words = machine.tokenizer.encode_words(words, {.special_tokens = SpecialTokens::omit});
  for (size_t i = 0; i < of_words.ids.size(); ++i) {
    const auto word = static_cast<size_t>(of_words.words[i]);
    fuzz::expect(word < words.size() && of_words.offsets[i].begin <= of_words.offsets[i].end &&
                     of_words.offsets[i].end <= words[word].size(),
                 "offsets lie in their word");
  }
  return 0;
}
