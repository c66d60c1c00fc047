// Bytes as a .txt, a .jsonl, a .csv and a .tsv input.
#include <algorithm>
#include <array>
#include <sstream>

#include "base/json_file.hpp"
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

text::InputReader reader_of(std::string_view input, text::InputFormat format, text::InvalidUtf8 invalid_utf8) {
  return {std::make_unique<std::istringstream>(std::string(input)),
          "input",
          {.format = format, .invalid_utf8 = invalid_utf8}};
}

void read_text(std::string_view input, text::InputReader reader) {
  const std::vector<std::string> lines = lines_of(input);
  size_t count = 0;
  size_t invalid = 0;
  while (const auto record = reader.next()) {
    fuzz::expect(count < lines.size() && record->text == lines[count], "a line is a text");
    fuzz::expect(!record->words && !record->text_pair && record->id.empty(), "a line is nothing but a text");
    invalid += is_valid_utf8(record->text) ? 0 : 1;
    ++count;
  }
  fuzz::expect(count == lines.size(), "every line is read");
  fuzz::expect(reader.invalid_records() == invalid, "texts with bytes that are not UTF-8 are counted");
}

/// Whether it begins with a mark that says another encoding than UTF-8.
bool has_foreign_mark(std::string_view input) {
  return input.starts_with("\xFF\xFE") || input.starts_with("\xFE\xFF") ||
         input.starts_with(std::string_view("\0\0\xFE\xFF", 4));
}

void check_id(const std::string& id) {
  if (id.empty()) return;
  const Json json = parse_json(id);
  fuzz::expect(json.is_string() || json.is_number_integer(), "an id is a string or an integer");
  fuzz::expect(json.dump() == id, "an id is written as JSON is");
}

void check_object(const text::InputRecord& record) {
  fuzz::expect(is_valid_utf8(record.text), "a text is UTF-8");
  fuzz::expect(!record.words || (record.text.empty() && !record.text_pair), "words stand alone");
  fuzz::expect(!record.text_pair || is_valid_utf8(*record.text_pair), "a second text is UTF-8");
  check_id(record.id);
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

/// A field as any writer of tables may put it.
std::string in_quotes(std::string_view field) {
  std::string written = "\"";
  for (const char c : field) written += c == '"' ? "\"\"" : std::string(1, c);
  return written + '"';
}

/// The records of a table, and those of a table written anew from them: the same.
void read_table(std::string_view input, text::InputFormat format, text::InvalidUtf8 invalid_utf8) {
  const std::string between(1, format == text::InputFormat::csv ? ',' : '\t');
  std::vector<text::InputRecord> records;
  std::string again = "text" + between + "text_pair\n";
  text::InputReader reader = reader_of(input, format, invalid_utf8);
  while (auto record = reader.next()) {
    check_id(record->id);
    again += in_quotes(record->text) + between + in_quotes(record->text_pair.value_or("")) + "\n";
    records.push_back(*std::move(record));
  }
  fuzz::expect(!reader.next(), "an input that has ended stays at its end");
  text::InputReader second = reader_of(again, format, invalid_utf8);
  for (const auto& record : records) {
    const auto same = second.next();
    fuzz::expect(same && same->text == record.text, "a text that is written is read");
    fuzz::expect(same->text_pair == record.text_pair, "and so is a second text, of which an empty cell is none");
  }
  fuzz::expect(!second.next(), "and nothing else");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const fuzz::Folder folder;
  constexpr auto kReplace = text::InvalidUtf8::replace;
  constexpr auto kError = text::InvalidUtf8::error;
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  folder.fill({{"input.txt", input}, {"input.jsonl", input}}, kFiles);
  const bool lines = fuzz::accepts(
      [&] { read_text(input, text::InputReader::open(folder.path() / "input.txt", {.invalid_utf8 = kReplace})); });
  fuzz::expect(lines != has_foreign_mark(input), "any bytes are lines of text, but for those of other encodings");
  const bool strict = fuzz::accepts([&] { read_text(input, reader_of(input, text::InputFormat::txt, kError)); });
  fuzz::expect(strict == is_valid_utf8(input), "an input is taken if it is UTF-8");
  const bool from_file =
      fuzz::accepts([&] { read_objects(input, text::InputReader::open(folder.path() / "input.jsonl")); });
  const bool from_stream =
      fuzz::accepts([&] { read_objects(input, reader_of(input, text::InputFormat::jsonl, kError)); });
  fuzz::expect(from_file == from_stream, "a file and a stream of the same bytes are the same input");
  fuzz::accepts([&] { read_objects(input, reader_of(input, text::InputFormat::jsonl, kReplace)); });
  for (const auto format : {text::InputFormat::csv, text::InputFormat::tsv}) {
    for (const auto invalid : {kError, kReplace}) fuzz::accepts([&] { read_table(input, format, invalid); });
  }
  fuzz::accepts([&] { (void)text::InputReader::open(std::string(input.substr(0, 64))); });
  return 0;
}
