#include "train/finetune/vectors/hard_negatives.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "inputs/input_file.hpp"
#include "train/data/white_space.hpp"

namespace summand::train {

std::vector<std::string> read_hard_negatives(const std::string& path, const text::InputRules& rules,
                                             std::span<const LabelledText> rows) {
  inputs::InputFile input(path, rules);
  std::vector<std::string> negatives;
  for (const LabelledText& row : rows) {
    auto record = input.next();
    if (!record) throw TextError(row.where, "expected the row that was read before, got the end of the file");
    std::string negative = std::move(record->text);
    if (is_blank(negative)) throw TextError(row.where, "expected a hard negative, got an empty text");
    if (negative == row.text.text || negative == row.text.text_pair) {
      throw TextError(row.where, "expected a hard negative, got one of the row's other texts");
    }
    negatives.push_back(std::move(negative));
  }
  return negatives;
}

std::string hash_of_texts(std::span<const std::string> texts) {
  Hash hash;
  for (const std::string& text : texts) hash.add(text);
  return fmt::format("{:016x}", hash.value());
}

}  // namespace summand::train
