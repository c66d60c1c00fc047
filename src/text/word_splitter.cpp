#include "text/word_splitter.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::text {

namespace {

constexpr size_t kFewBytes = 512;  // a first size of the scratch: words of 100 characters fit

}  // namespace

WordSplitter::WordSplitter(const CharacterTable& table, const NormalizerSettings& settings, const WordPiece& word_piece,
                           Scratch& scratch, std::vector<Token>& tokens)
    : table_(table), settings_(settings), word_piece_(word_piece), scratch_(scratch), tokens_(tokens) {
  if (scratch_.bytes.size() < kFewBytes) {
    scratch_.bytes.resize(kFewBytes);
    scratch_.ranges.resize(kFewBytes);
  }
}

void WordSplitter::split(std::string_view piece, uint32_t origin) {
  begin_ = piece.data();
  end_ = begin_ + piece.size();
  origin_ = origin;
  const size_t longest = std::min(word_piece_.most_characters(), scratch_.bytes.size());
  const char* at = begin_;
  while (at != end_) {
    // The common case in one loop: a word of ASCII letters that ends at another ASCII character.
    const char* const word = at;
    const char* const stop = at + std::min(longest, static_cast<size_t>(end_ - at));
    char* out = scratch_.bytes.data();
    for (char letter = 0; at != stop && (letter = table_.ascii_letter(*at)) != 0; ++at) *out++ = letter;
    if (at != word) {
      if (at == end_ || ends_word(*at)) {
        word_piece_.split({scratch_.bytes.data(), static_cast<size_t>(at - word)}, position(word), word_index_++,
                          tokens_);
      } else {
        start_word(word, at);
        while (at != end_ && characters_ != 0) at = read_character(at);
      }
    } else {
      do at = read_character(at);
      while (at != end_ && characters_ != 0);
    }
  }
  finish_word();
}

// Takes over a word whose first bytes, all ASCII letters, are already in the scratch.
void WordSplitter::start_word(const char* begin, const char* at) {
  characters_ = static_cast<size_t>(at - begin);
  bytes_ = static_cast<uint32_t>(characters_);
  word_ = {position(begin), position(at)};
  in_place_ = true;
}

bool WordSplitter::ends_word(char byte) const {
  if (static_cast<unsigned char>(byte) >= 0x80) return false;
  const CharacterKind kind = table_[static_cast<unsigned char>(byte)].kind;
  return kind == CharacterKind::blank || kind == CharacterKind::isolated;
}

const char* WordSplitter::read_character(const char* at) {
  const DecodedCharacter decoded = decode_valid_utf8(at);
  const CharacterEntry& entry = table_[decoded.code_point];
  const char* const next = at + decoded.bytes;
  const SourceRange range{position(at), position(next)};
  switch (entry.kind) {
    case CharacterKind::letter:
      if (entry.value == CharacterEntry::kSame) {
        append_letters(at, decoded.bytes, 1, range);
      } else {
        append_letters(table_.pool(entry), entry.bytes, entry.characters, range);
      }
      return next;
    case CharacterKind::blank:
      finish_word();
      return next;
    case CharacterKind::isolated:
      put_isolated(entry.value, range);
      return next;
    case CharacterKind::removed:
      return next;
    case CharacterKind::mixed:
      for (const char* part = table_.pool(entry); part != table_.pool(entry) + entry.bytes;) {
        const DecodedCharacter decoded_part = decode_valid_utf8(part);
        put(decoded_part.code_point, range);
        part += decoded_part.bytes;
      }
      return next;
    case CharacterKind::reordered:
      return read_reordered(at);
  }
  return next;
}

bool WordSplitter::starts_with_mark(char32_t code_point) const {
  const uint16_t flags = unicode_flags(code_point);
  if (settings_.clean_text && (flags & kRemoved)) return true;
  if (settings_.clean_text && (flags & kBlank)) return false;
  if (settings_.handle_chinese_chars && (flags & kIdeograph)) return false;
  return combining_order(decomposition(code_point).values[0]) != 0;
}

// The character whose marks the one at `at` may change places with: the last one before it that starts with no mark.
const char* WordSplitter::start_of_marks(const char* at) const {
  while (starts_with_mark(decode_valid_utf8(at).code_point) && at != begin_) at = previous_character(at);
  return at;
}

// Reads a run of combining marks that canonical ordering may rearrange. The part before `at` has been
// read already: a starting character, which keeps its place, and marks that accent stripping drops.
const char* WordSplitter::read_reordered(const char* at) {
  std::vector<DecomposedCharacter> run;
  std::vector<SourceRange> sources;
  size_t read_already = 0;
  const char* next = start_of_marks(at);
  const bool from_before = next != at;
  for (bool first = true; next != end_; first = false) {
    const DecodedCharacter decoded = decode_valid_utf8(next);
    const uint16_t flags = unicode_flags(decoded.code_point);
    const bool removed = settings_.clean_text && (flags & kRemoved);
    const bool starts_run = !removed && !starts_with_mark(decoded.code_point);
    if (!first && starts_run) break;
    const SourceRange range{position(next), position(next + decoded.bytes)};
    next += decoded.bytes;
    if (removed) continue;
    sources.push_back(range);
    bool first_part = true;
    for (const char32_t part : decomposition(decoded.code_point)) {
      run.push_back({part, combining_order(part), first_part, range});
      first_part = false;
      if (first && starts_run && from_before && run.back().order == 0) read_already = run.size();
    }
  }
  order_canonically(run, sources);
  for (size_t i = read_already; i < run.size(); ++i) {
    if (unicode_flags(run[i].code_point) & kNonspacing) continue;
    const CodePoints lowered = settings_.lowercase ? lower_case(run[i].code_point) : CodePoints{{run[i].code_point}, 1};
    for (const char32_t part : lowered) put(part, run[i].source);
  }
  return next;
}

void WordSplitter::put(char32_t code_point, SourceRange range) {
  const uint16_t flags = unicode_flags(code_point);
  std::string bytes;
  append_utf8(bytes, code_point);
  if (flags & kWhitespace) {
    finish_word();
  } else if (flags & kPunctuation) {
    put_isolated(word_piece_.single(bytes), range);
  } else {
    append_letters(bytes.data(), static_cast<uint32_t>(bytes.size()), 1, range);
  }
}

void WordSplitter::put_isolated(int32_t id, SourceRange range) {
  finish_word();
  if (id < 0) word_piece_.refuse_unknown();
  append(id, range);
}

void WordSplitter::append_letters(const char* bytes, uint32_t count, uint32_t characters, SourceRange range) {
  if (characters_ == 0) {
    word_ = range;
    bytes_ = 0;
    in_place_ = true;
  }
  characters_ += characters;
  word_.end = range.end;
  if (characters_ > word_piece_.most_characters()) return;
  if (bytes_ + count > scratch_.bytes.size()) {
    scratch_.bytes.resize(2 * (bytes_ + count));
    scratch_.ranges.resize(scratch_.bytes.size());
  }
  if (in_place_ && (range.begin != word_.begin + bytes_ || range.end - range.begin != count)) {
    for (uint32_t i = 0; i < bytes_; ++i) scratch_.ranges[i] = {word_.begin + i, word_.begin + i + 1};
    in_place_ = false;
  }
  std::copy_n(bytes, count, scratch_.bytes.data() + bytes_);
  if (!in_place_) std::fill_n(scratch_.ranges.data() + bytes_, count, range);
  bytes_ += count;
}

void WordSplitter::finish_word() {
  if (characters_ == 0) return;
  const std::string_view word(scratch_.bytes.data(), bytes_);
  if (characters_ > word_piece_.most_characters()) {
    if (word_piece_.unknown() < 0) word_piece_.refuse_unknown();
    append(word_piece_.unknown(), word_);
  } else if (in_place_) {
    word_piece_.split(word, word_.begin, word_index_++, tokens_);
  } else {
    word_piece_.split(word, scratch_.ranges.data(), word_index_++, tokens_);
  }
  characters_ = 0;
}

void WordSplitter::split_normalized(const NormalizedText& text, size_t begin, size_t end) {
  for (size_t at = begin; at < end;) {
    const DecodedCharacter decoded = decode_valid_utf8(text.text.data() + at);
    put(decoded.code_point, text.source[at]);
    at += decoded.bytes;
  }
  finish_word();
}

void WordSplitter::split_into_runs(const NormalizedText& text, size_t begin, size_t end) {
  bool in_letters = false;
  for (size_t at = begin; at < end;) {
    const char* const character = text.text.data() + at;
    const DecodedCharacter decoded = decode_valid_utf8(character);
    const uint16_t flags = unicode_flags(decoded.code_point);
    const bool is_letter = flags & kWord;
    if ((flags & kSpace) || is_letter != in_letters) finish_word();
    if (!(flags & kSpace)) append_letters(character, decoded.bytes, 1, text.source[at]);
    in_letters = is_letter;
    at += decoded.bytes;
  }
  finish_word();
}

}  // namespace summand::text
