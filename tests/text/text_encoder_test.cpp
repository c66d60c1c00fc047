#include "text/text_encoder.hpp"

#include <doctest/doctest.h>

#include <random>
#include <string>
#include <vector>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::text {

namespace {

Vocabulary letters() {
  std::vector<std::string> texts{"[UNK]"};
  for (char letter = 'a'; letter <= 'z'; ++letter) {
    texts.emplace_back(1, letter);
    texts.push_back(std::string("##") + letter);
  }
  for (const char* token :
       {"é", "##é", "中", "й", "##й", "\xE1\xAC\x84", "##\xE1\xAC\x84", "##\xE1\x86\xA8", "ᄀ", "##ᅡ"}) {
    texts.emplace_back(token);
  }
  std::vector<Vocabulary::Token> tokens;
  for (const auto& text : texts) tokens.push_back({text, static_cast<int32_t>(tokens.size())});
  return {tokens, "test"};
}

// Half of the characters are marks that canonical ordering moves and accent stripping keeps or drops.
std::string random_text(std::mt19937& random) {
  static const std::vector<char32_t> kMarks = [] {
    std::vector<char32_t> marks;
    for (char32_t c = 0; c < kCodePoints; ++c) {
      if (combining_order(c) != 0) marks.push_back(c);
    }
    return marks;
  }();
  static constexpr std::u32string_view kOthers =
      U"aAbzÉé中豈가Ǆй \t.-\0\u200b\u3000İ\U0001D15E\u0344\ufffd\u1B44\u1B44";
  std::string text;
  const size_t length = random() % 12;
  for (size_t i = 0; i < length; ++i) {
    append_utf8(text, random() % 2 ? kMarks[random() % kMarks.size()] : kOthers[random() % kOthers.size()]);
  }
  return text;
}

bool same(const std::vector<Token>& left, const std::vector<Token>& right) {
  return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](const Token& a, const Token& b) {
    return a.id == b.id && a.begin == b.begin && a.end == b.end && a.word == b.word;
  });
}

}  // namespace

TEST_CASE("one pass agrees with normalising the whole text first, under all sixteen settings") {
  const Vocabulary vocabulary = letters();
  const WordPiece word_piece(vocabulary, {.max_input_chars_per_word = 9});
  std::mt19937 random(7);
  int moved = 0;
  for (unsigned bits = 0; bits < 16; ++bits) {
    const NormalizerSettings settings{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    const TextEncoder encoder(settings, {}, word_piece);
    TextEncoder::Scratch scratch;
    std::vector<Token> fast;
    std::vector<Token> plain;
    for (int i = 0; i < 5000; ++i) {
      const std::string text = random_text(random);
      encoder.encode(text, scratch, fast);
      encoder.encode_plainly(text, scratch, plain);
      REQUIRE_MESSAGE(same(fast, plain), text);
      const NormalizedText normalized = normalize(text, settings);
      for (size_t at = 0; at < normalized.text.size(); ++at) {
        const SourceRange range = normalized.source[at];
        moved += range.end - range.begin == 3 && text[range.begin] != normalized.text[at];
      }
    }
  }
  CHECK(moved > 1000);  // the texts do rearrange marks
}

TEST_CASE("every character but surrogates has a table entry that agrees with normalising it") {
  const Vocabulary vocabulary = letters();
  const WordPiece word_piece(vocabulary, {});
  const NormalizerSettings settings;
  const CharacterTable table(settings, word_piece);
  int checked = 0;
  for (char32_t c = 0; c < kCodePoints; c += c < 0x3400 ? 1 : 7) {
    if (c >= 0xD800 && c < 0xE000) continue;
    const CharacterEntry& entry = table[c];
    std::string text;
    append_utf8(text, c);
    const std::string normal = normalize(text, settings).text;
    if (entry.kind == CharacterKind::removed) CHECK(normal.empty());
    if (entry.kind == CharacterKind::blank) CHECK(normal == " ");
    if (entry.kind == CharacterKind::letter) {
      CHECK(normal == (entry.value == CharacterEntry::kSame ? text : std::string(table.pool(entry), entry.bytes)));
    }
    ++checked;
  }
  CHECK(checked > 150'000);
}

}  // namespace summand::text
