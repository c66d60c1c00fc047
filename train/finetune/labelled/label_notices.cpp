#include "train/finetune/labelled/label_notices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "train/finetune/labelled/queries.hpp"

namespace summand::train {

std::optional<std::string> judged_labels_notice(std::span<const EncodedRow> rows, std::span<const std::string> names,
                                                const std::string& path) {
  if (rows.size() < 2) return std::nullopt;
  std::vector<bool> is_there(names.size());
  for (const EncodedRow& row : rows) is_there[static_cast<size_t>(row.labels.front())] = true;
  const auto present = static_cast<size_t>(std::ranges::count(is_there, true));
  if (present == 1) {
    return fmt::format("{}: all {} rows have the label '{}', so scores on them say little", printable(path),
                       rows.size(), printable(names[static_cast<size_t>(rows.front().labels.front())]));
  }
  if (present == names.size()) return std::nullopt;
  return fmt::format("{}: {} of the {} labels have no row here; macro_f1 counts each of them that is predicted as 0",
                     printable(path), names.size() - present, names.size());
}

std::optional<std::string> rare_label_notice(const LabelledRows& train, std::span<const std::string> names) {
  std::vector<size_t> counts(names.size());
  std::vector<std::string> where(names.size());
  for (size_t row = 0; row < train.size(); ++row) {
    for (const int32_t label : train.encoded.rows[row].labels) {
      ++counts[static_cast<size_t>(label)];
      where[static_cast<size_t>(label)] = train.texts[row].where;
    }
  }
  const auto rare = std::ranges::count(counts, size_t{1});
  if (rare == 0) return std::nullopt;
  const auto first = static_cast<size_t>(std::ranges::find(counts, size_t{1}) - counts.begin());
  const std::string name = printable(names[first]);
  return rare == 1
             ? fmt::format("{}: the label '{}' has one row to train on, this one", where[first], name)
             : fmt::format("{}: {} labels have one row to train on, as '{}' has this one", where[first], rare, name);
}

std::optional<std::string> lone_rows_notice(std::span<const LabelledText> rows, const std::string& name) {
  if (queries_of(rows).count < rows.size()) return std::nullopt;
  return fmt::format("{}: each query has one row, so reciprocal rank says nothing about the model", printable(name));
}

}  // namespace summand::train
