#include "api/tokenizing/encoding_lines.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/tokenizing/encode_texts.hpp"
#include "base/utf8.hpp"

namespace summand::api {

namespace {

/// Whether a string is written in JSON as it is, between quotes.
bool is_written_as_it_is(std::string_view text) {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\'; };
  return std::ranges::all_of(text, is_plain) && is_valid_utf8(text);
}

void append_string(std::string_view text, std::string& line) {
  if (is_written_as_it_is(text)) {
    line.append("\"").append(text).append("\"");
    return;
  }
  line += nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// "[…]", what `append` writes of each element between commas.
void append_list(const auto& list, std::string& line, const auto& append) {
  line += '[';
  for (const auto& element : list) {
    append(element);
    line += ',';
  }
  if (line.back() == ',') line.pop_back();
  line += ']';
}

void append_number(size_t number, std::string& line) {
  fmt::format_to(std::back_inserter(line), FMT_COMPILE("{}"), number);
}

void append_key(std::string_view key, std::string& line) {
  line.append(line.ends_with('{') ? "\"" : ",\"").append(key).append("\":");
}

void append_encoding(const text::Encoding& encoding, const text::Tokenizer& tokenizer, std::string& line) {
  const auto number = [&](int32_t one) { append_number(static_cast<size_t>(one), line); };
  append_key("ids", line);
  append_list(encoding.ids, line, number);
  append_key("segments", line);
  append_list(encoding.segments, line, number);
  append_key("tokens", line);
  append_list(encoding.ids, line, [&](int32_t id) { append_string(tokenizer.token(id), line); });
  append_key("offsets", line);
  append_list(encoding.offsets, line, [&](const Range& range) {
    line += '[';
    append_number(range.begin, line);
    line += ',';
    append_number(range.end, line);
    line += ']';
  });
}

}  // namespace

std::span<const std::string> EncodingLines::of(std::span<const text::InputRecord> records) {
  const std::vector<TextView> texts(records.begin(), records.end());
  std::vector<ReadCount> counts(records.size());
  if (lines_.size() < records.size()) lines_.resize(records.size());
  for_each_text(texts, options_.threads, [&](size_t text, text::Tokenizer::Workspace& workspace) {
    auto& line = lines_[text];
    text::Encoding encoding;
    encode_into(tokenizer_, texts[text], options_.encode, workspace, encoding);
    add_to(counts[text], encoding, tokenizer_);
    ++counts[text].texts;
    line = "{";
    if (const auto& id = records[text].id; !id.empty()) {
      append_key("id", line);
      line += nlohmann::json::parse(id).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
    }
    append_encoding(encoding, tokenizer_, line);
    if (options_.decoded == Decoded::write) {
      append_key("decoded", line);
      append_string(tokenizer_.decode(encoding.ids, text::SpecialTokens::omit), line);
    }
    line += "}\n";
  });
  for (const auto& one : counts) count_.add(one);
  return std::span<const std::string>(lines_).first(records.size());
}

}  // namespace summand::api
