// Bytes as a file of labelled rows, of which the first says what is read: the shapes of texts and of labels, and the
// format. The rows' own labels are those that are known.
#include <array>
#include <cmath>
#include <fstream>

#include "target.hpp"
#include "train/finetune/labelled/labelled_file.hpp"
#include "train/finetune/labelled/labels.hpp"

using namespace summand;

namespace {

using train::LabelShape;
using train::TextShape;

constexpr std::array kTexts{TextShape::one, TextShape::two, TextShape::one_or_two, TextShape::words};
constexpr std::array kLabels{LabelShape::one, LabelShape::several, LabelShape::number, LabelShape::by_word};
constexpr std::array kFormats{text::InputFormat::jsonl, text::InputFormat::tsv, text::InputFormat::csv};

void check_texts(const std::vector<train::LabelledText>& rows, TextShape shape) {
  for (const auto& row : rows) {
    fuzz::expect(!row.where.empty(), "a row has a place");
    fuzz::expect(row.text.words.has_value() == (shape == TextShape::words), "words are read where they are asked for");
    fuzz::expect(shape != TextShape::two || row.text.text_pair, "a pair has a second text");
    fuzz::expect(shape != TextShape::one || !row.text.text_pair, "one text has no second");
  }
}

void check_labels(const std::vector<train::LabelledText>& rows, LabelShape shape) {
  if (shape == LabelShape::number) {
    for (const auto& row : rows) fuzz::expect(std::isfinite(train::number_of(row)), "a number is finite");
    return;
  }
  const train::LabelNames names(rows, shape);
  const train::LabelNames again(names.names());
  for (const auto& row : rows) {
    const auto labels = names.indices(row, shape);
    fuzz::expect(shape != LabelShape::one || labels.size() == 1, "a row has one label");
    fuzz::expect(shape != LabelShape::by_word || labels.size() == row.text.words->size(), "a word has one label");
    for (const int32_t label : labels) {
      fuzz::expect(label >= 0 && static_cast<size_t>(label) < names.size(), "a label is one of the file's");
    }
    fuzz::expect(again.indices(row, shape) == labels, "names that are kept mean the same");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  if (size == 0) return 0;
  const unsigned how = data[0];
  const LabelShape labels = kLabels[how % kLabels.size()];
  const TextShape texts = labels == LabelShape::by_word ? TextShape::words : kTexts[how / 4 % kTexts.size()];
  const auto path = folder.path() / "rows";
  std::ofstream(path, std::ios::binary) << std::string_view(reinterpret_cast<const char*>(data) + 1, size - 1);
  text::InputRules rules{.format = kFormats[how / 16 % kFormats.size()]};
  rules.fields.label = "label";
  fuzz::accepts([&] {
    const auto file = train::read_labelled(path.string(), rules, texts);
    for (const auto& notice : file.notices) fuzz::expect(test::is_one_line(notice), "a notice is one line");
    check_texts(file.rows, texts);
    fuzz::expect(train::rows_in_both(file.rows, file.rows, "rows") != "", "every row stands in its own file");
    check_labels(file.rows, labels);
  });
  return 0;
}
