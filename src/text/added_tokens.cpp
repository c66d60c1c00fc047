#include "text/added_tokens.hpp"

#include <algorithm>
#include <map>

#include "base/utf8.hpp"
#include "text/unicode.hpp"

namespace summand::text {

namespace {

bool word_before(std::string_view text, size_t at) {
  return at > 0 && (unicode_flags(decode_valid_utf8(previous_character(text.data() + at)).code_point) & kWord);
}

bool word_after(std::string_view text, size_t at) {
  return at < text.size() && (unicode_flags(decode_valid_utf8(text.data() + at).code_point) & kWord);
}

size_t skip_space_before(std::string_view text, size_t at, size_t lowest) {
  while (at > lowest) {
    const char* character = previous_character(text.data() + at);
    if (!(unicode_flags(decode_valid_utf8(character).code_point) & kSpace)) break;
    at = static_cast<size_t>(character - text.data());
  }
  return at;
}

size_t skip_space_after(std::string_view text, size_t at) {
  while (at < text.size()) {
    const DecodedCharacter decoded = decode_valid_utf8(text.data() + at);
    if (!(unicode_flags(decoded.code_point) & kSpace)) break;
    at += decoded.bytes;
  }
  return at;
}

}  // namespace

bool same_flags(const AddedToken& a, const AddedToken& b) {
  return a.special == b.special && a.single_word == b.single_word && a.lstrip == b.lstrip && a.rstrip == b.rstrip &&
         a.normalized == b.normalized;
}

AddedTokenMatcher::AddedTokenMatcher(const std::vector<AddedToken>& tokens, Text text,
                                     SpecialTokensInText special_tokens) {
  std::map<std::string_view, int32_t> places;  // of two tokens with one normal form the last counts
  for (const AddedToken& token : tokens) {
    if (token.normalized != (text == Text::normalized)) continue;
    const std::string& content = token.normalized ? token.normal_form : token.content;
    if (content.empty()) continue;
    places.insert_or_assign(content, static_cast<int32_t>(patterns_.size()));
    patterns_.push_back({.id = token.id,
                         .single_word = token.single_word,
                         .lstrip = token.lstrip,
                         .rstrip = token.rstrip,
                         .is_text = token.special && special_tokens == SpecialTokensInText::split});
    starts_[static_cast<unsigned char>(content.front())] = true;
  }
  any_ = !patterns_.empty();
  if (std::count(starts_.begin(), starts_.end(), true) == 1) {
    only_start_ = static_cast<int>(std::find(starts_.begin(), starts_.end(), true) - starts_.begin());
  }
  trie_ = PieceTrie({places.begin(), places.end()}, {});
}

size_t AddedTokenMatcher::next_candidate(std::string_view text, size_t from) const {
  if (only_start_ >= 0) return std::min(text.find(static_cast<char>(only_start_), from), text.size());
  while (from < text.size() && !starts_[static_cast<unsigned char>(text[from])]) ++from;
  return from;
}

// The order of the checks, and that a refused match still hides what begins inside it, are the reference's.
void AddedTokenMatcher::accept(const Pattern& pattern, Segment match, std::string_view text,
                               std::vector<Segment>& segments) const {
  const size_t done = segments.empty() ? 0 : segments.back().end;
  if (pattern.is_text) return;
  if (pattern.single_word && (word_before(text, match.begin) || word_after(text, match.end))) return;
  if (pattern.lstrip) match.begin = std::max(skip_space_before(text, match.begin, done), done);
  // Up to `done` the space has been skipped by the match before: once is enough, or a long blank costs its square.
  if (pattern.rstrip) match.end = skip_space_after(text, std::max(match.end, done));
  match.end = std::max(match.end, match.begin);
  if (done < match.begin) segments.push_back({-1, done, match.begin});
  segments.push_back(match);
}

void AddedTokenMatcher::segment(std::string_view text, std::vector<Segment>& segments) const {
  segments.clear();
  for (size_t at = any_ ? next_candidate(text, 0) : text.size(); at < text.size();) {
    const auto match = trie_.longest(text.substr(at), PieceTrie::Set::beginning);
    if (match) {
      const Pattern& pattern = patterns_[static_cast<size_t>(match->id)];
      accept(pattern, {pattern.id, at, at + match->bytes}, text, segments);
    }
    at = next_candidate(text, at + (match ? match->bytes : 1));
  }
  const size_t done = segments.empty() ? 0 : segments.back().end;
  if (done < text.size()) segments.push_back({-1, done, text.size()});
}

}  // namespace summand::text
