#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "train/finetune/labelled/labelled_file.hpp"

namespace summand::train {

/// What a row's label is.
enum class LabelShape {
  one,      ///< a word or a whole number
  several,  ///< a list of them, perhaps empty; of a table, separated by commas
  number,   ///< a real number
  by_word,  ///< a list, one for each word of the text; of a table, separated by blanks
};

/// The labels of a classifier, in the order of its outputs.
class LabelNames {
 public:
  /// Sorts as `transformers` does (examples/pytorch/text-classification/run_glue.py): whole numbers by value, words by
  /// code points. Labels are numbers if all of the file's are.
  /// @throws TextError naming the row: a label that is none; a single label in all rows
  LabelNames(std::span<const LabelledText> train, LabelShape shape);

  /// Of a checkpoint that has them already.
  explicit LabelNames(std::vector<std::string> names);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] size_t size() const { return names_.size(); }

  /// The numbers of a row's labels.
  /// @throws TextError naming the row: a label that is not among these; not as many as words
  [[nodiscard]] std::vector<int32_t> indices(const LabelledText& row, LabelShape shape) const;

 private:
  [[nodiscard]] int32_t index(const std::string& name, const LabelledText& row) const;

  std::vector<std::string> names_;
  std::map<std::string, int32_t, std::less<>> index_;
};

/// A row's real number. @throws TextError naming the row
[[nodiscard]] double number_of(const LabelledText& row);

}  // namespace summand::train
