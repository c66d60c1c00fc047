// Bytes as a .txt and as a .jsonl input.
#include <algorithm>
#include <array>
#include <sstream>

#include "base/utf8.hpp"
#include "target.hpp"
#include "text/input_reader.hpp"

using namespace summand;

namespace {

constexpr std::array<std::string_view, 2> kFiles{"input.txt", "input.jsonl"};

/// The lines of a text input, read plainly.
std::vector<std::string> lines_of(std::string_view input) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (input.starts_with(kByteOrderMark)) input.remove_prefix(kByteOrderMark.size());
  std::vector<std::string> lines;
  while (!input.empty()) {
    const size_t end = input.find('\n');
    std::string line(input.substr(0, end));
    if (end != input.npos && line.ends_with('\r')) line.pop_back();
    lines.push_back(std::move(line));
    input.remove_prefix(end == input.npos ? input.size() : end + 1);
  }
  return lines;
}

void read_text(std::string_view input, const std::filesystem::path& path) {
  const std::vector<std::string> lines = lines_of(input);
  text::InputReader reader = text::InputReader::open(path);
  size_t count = 0;
  while (const auto record = reader.next()) {
    fuzz::expect(count < lines.size() && record->text == lines[count], "a line is a text");
    fuzz::expect(!record->words && !record->text_pair, "a line is nothing but a text");
    ++count;
  }
  fuzz::expect(count == lines.size(), "every line is read");
}

void check_object(const text::InputRecord& record) {
  fuzz::expect(is_valid_utf8(record.text), "a text is UTF-8");
  fuzz::expect(!record.words || (record.text.empty() && !record.text_pair), "words stand alone");
  fuzz::expect(!record.text_pair || is_valid_utf8(*record.text_pair), "a second text is UTF-8");
  if (!record.words) return;
  for (const std::string& word : *record.words) fuzz::expect(is_valid_utf8(word), "a word is UTF-8");
}

void read_objects(std::string_view input, text::InputReader reader) {
  const auto is_object = [](const std::string& line) { return line.find_first_not_of(" \t\r") != line.npos; };
  const auto objects = std::ranges::count_if(lines_of(input), is_object);
  std::ptrdiff_t count = 0;
  for (; const auto record = reader.next(); ++count) check_object(*record);
  fuzz::expect(count == objects, "every line that is not blank has a record");
  fuzz::expect(!reader.next(), "an input that has ended stays at its end");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  folder.fill({{"input.txt", input}, {"input.jsonl", input}}, kFiles);
  fuzz::expect(fuzz::accepts([&] { read_text(input, folder.path() / "input.txt"); }), "any bytes are lines of text");
  const bool from_file =
      fuzz::accepts([&] { read_objects(input, text::InputReader::open(folder.path() / "input.jsonl")); });
  const bool from_stream = fuzz::accepts([&] {
    read_objects(input, {std::make_unique<std::istringstream>(std::string(input)), text::InputFormat::jsonl, "input"});
  });
  fuzz::expect(from_file == from_stream, "a file and a stream of the same bytes are the same input");
  fuzz::accepts([&] { (void)text::InputReader::open(std::string(input.substr(0, 64))); });
  return 0;
}
