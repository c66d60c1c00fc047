#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "lab/results/in_short.hpp"
#include "lab/run/comparison_text.hpp"

namespace summand::lab {

namespace {

constexpr size_t kIdColumns = 8;

/// Columns on a terminal: two for a Chinese character.
size_t columns_of(const std::string& text) {
  size_t columns = 0;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) ++columns;
    if (byte >= 0xC0) columns += byte >= 0xE2 ? 2 : 1;
  }
  return columns;
}

std::string padded(const std::string& text, size_t columns) {
  const size_t own = columns_of(text);
  return text + std::string(columns > own ? columns - own : 0, ' ');
}

std::string three_verdicts(const ComparedClaim& claim, size_t checkpoint, Language language) {
  const Verdict& verdict = claim.verdicts[checkpoint];
  return fmt::format("{} / {} / {}", in(language, words_of(verdict.observation)),
                     in(language, words_of(verdict.inference)),
                     in(language, words_of_conclusion(claim.conclusions[checkpoint])));
}

/// Of each checkpoint's column, what stands between it and the next included.
std::vector<size_t> widths_of(std::span<const ComparedRun> runs, const std::vector<ComparedClaim>& claims,
                              Language language) {
  std::vector<size_t> widths;
  for (size_t i = 0; i < runs.size(); ++i) {
    size_t width = columns_of(runs[i].folder);
    for (const auto& claim : claims) width = std::max(width, columns_of(three_verdicts(claim, i, language)));
    widths.push_back(width + 2);
  }
  return widths;
}

std::string line_of(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

/// Both questions that people come with, as a checkpoint's run answers them: the answer without its numbers.
std::string in_short_text(const ComparedRun& run, Language language) {
  const bool chinese = language == Language::zh;
  const InShort known = in_short(run.run.reports);
  const auto answer = [&](const std::optional<LedAnswer>& one) -> std::string {
    if (!one) return chinese ? "本次运行未包含" : "not in this run";
    return in(language, one->lead.en.empty() ? one->text : one->lead);
  };
  std::string table = answer(known.table);
  for (size_t i = 1; i < known.learned.size(); ++i) {
    table += (chinese ? "；" : "; ") + in(language, known.learned[i].name);
  }
  return chinese
             ? fmt::format("{}：\n  相加有害吗？{}\n  位置表学到了什么？{}\n", run.folder, answer(known.adding), table)
             : fmt::format("{}:\n  Does adding hurt? {}\n  What has the position table learned? {}\n", run.folder,
                           answer(known.adding), table);
}

std::string identical_text(std::span<const ComparedRun> runs, Language language) {
  std::string text;
  for (const auto& run : runs) {
    if (!run.identical_to) continue;
    const auto& earlier = runs[*run.identical_to].folder;
    text += language == Language::zh ? fmt::format("{} 与 {} 是同一检查点\n", run.folder, earlier)
                                     : fmt::format("{} is the same checkpoint as {}\n", run.folder, earlier);
  }
  return text;
}

}  // namespace

std::string comparison_text(std::span<const ComparedRun> runs, Language language) {
  const auto claims = compared_claims(runs);
  const auto widths = widths_of(runs, claims, language);
  std::string head(kIdColumns, ' ');
  for (size_t i = 0; i < runs.size(); ++i) head += padded(runs[i].folder, widths[i]);
  std::string text = line_of(head);
  size_t different = 0;
  size_t numbers = 0;
  for (const auto& claim : claims) {
    different += claim.verdicts_differ() ? 1 : 0;
    numbers += static_cast<size_t>(std::ranges::count_if(claim.numbers, &ComparedNumber::differs));
    std::string line = padded((claim.verdicts_differ() ? "* " : "  ") + claim.claim->id, kIdColumns);
    for (size_t i = 0; i < runs.size(); ++i) line += padded(three_verdicts(claim, i, language), widths[i]);
    text += line_of(line);
  }
  const size_t of = comparable(claims);
  text +=
      identical_text(runs, language) +
      (language == Language::zh
           ? fmt::format("在两个或更多检查点上测量了的 {} 条说法中 {} 条判定不同（*）；{} 个数值不同\n", of, different,
                         numbers)
           : fmt::format("{} of {} claims that were measured on two checkpoints or more have different verdicts (*); "
                         "{} numbers differ\n",
                         different, of, numbers));
  for (const auto& run : runs) text += in_short_text(run, language);
  return text;
}

}  // namespace summand::lab
