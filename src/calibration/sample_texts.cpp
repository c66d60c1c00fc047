#include "calibration/sample_texts.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "calibration/built_in_texts.hpp"

namespace summand::calibration {

namespace {

/// Of so many sentences the first stay alone, and the others become a paragraph.
constexpr size_t kGroup = 25;
constexpr size_t kAlone = 10;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (end > 0) lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// @param between  two sentences of a paragraph
std::vector<std::vector<std::string>> groups_of(std::string_view text, std::string_view between) {
  std::vector<std::vector<std::string>> groups;
  const auto lines = lines_of(text);
  for (size_t at = 0; at < lines.size(); ++at) {
    if (at % kGroup == 0) groups.emplace_back();
    auto& group = groups.back();
    if (at % kGroup <= kAlone) {
      group.emplace_back(lines[at]);
    } else {
      group.back().append(between).append(lines[at]);
    }
  }
  return groups;
}

}  // namespace

std::vector<std::string> sample_texts() {
  const auto english = groups_of(kEnglishTexts, " ");
  const auto chinese = groups_of(kChineseTexts, "");
  std::vector<std::string> texts;
  // Interleaved, as readers may stop early.
  for (size_t at = 0; at < english.size(); ++at) {
    std::ranges::copy(english[at], std::back_inserter(texts));
    const size_t next = (at + 1) * chinese.size() / english.size();
    if (next > at * chinese.size() / english.size()) std::ranges::copy(chinese[next - 1], std::back_inserter(texts));
  }
  return texts;
}

}  // namespace summand::calibration
