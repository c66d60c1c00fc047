#include "text/input_reader.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "temporary_directory.hpp"
#include "text/input_bytes.hpp"

namespace summand::text {

namespace {

InputReader reader_of(const std::string& content, InputRules rules) {
  return {std::make_unique<std::istringstream>(content), "input", std::move(rules)};
}

InputReader reader_of(const std::string& content, InputFormat format) {
  return reader_of(content, InputRules{.format = format});
}

std::vector<InputRecord> records_of(InputReader reader) {
  std::vector<InputRecord> records;
  while (auto record = reader.next()) records.push_back(*std::move(record));
  return records;
}

std::vector<std::string> texts_of(const std::string& content, InputFormat format) {
  std::vector<std::string> texts;
  for (const auto& record : records_of(reader_of(content, format))) texts.push_back(record.text);
  return texts;
}

// The message with which the input is refused after `good` records.
std::string refusal(InputReader reader, int good = 0) {
  try {
    for (int i = 0; i < good; ++i) REQUIRE(reader.next());
    (void)reader.next();
  } catch (const TextError& error) {
    return error.what();
  }
  return "accepted";
}

std::string refusal(const std::string& content, int good = 0) {
  return refusal(reader_of(content, InputFormat::jsonl), good);
}

// The message about one object.
std::string error_of(const std::string& object, const InputFields& fields = {}) {
  return refusal(reader_of(object + "\n", InputRules{.format = InputFormat::jsonl, .fields = fields}));
}

std::string table_fault(const std::string& content, int good = 0, InputFormat format = InputFormat::csv) {
  return refusal(reader_of(content, format), good);
}

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("a text file has one text per line, empty ones included") {
  CHECK(texts_of("a\n\nb c\n", InputFormat::txt) == Texts{"a", "", "b c"});
  CHECK(texts_of("\n", InputFormat::txt) == Texts{""});
  CHECK(texts_of("", InputFormat::txt).empty());
}

TEST_CASE("a last line without line end counts") {
  CHECK(texts_of("a\nb", InputFormat::txt) == Texts{"a", "b"});
}

TEST_CASE("lines end at line feeds only, with at most one carriage return before them") {
  CHECK(texts_of("a\r\nb\r\r\nc\rd\x0b\xe2\x80\xa8"
                 "e\n",
                 InputFormat::txt) == Texts{"a", "b\r",
                                            "c\rd\x0b\xe2\x80\xa8"
                                            "e"});
  CHECK(texts_of("a\r", InputFormat::txt) == Texts{"a\r"});
}

TEST_CASE("a byte order mark is dropped at the start and nowhere else") {
  CHECK(texts_of("\xEF\xBB\xBF"
                 "a\n\xEF\xBB\xBF"
                 "b\n",
                 InputFormat::txt) == Texts{"a",
                                            "\xEF\xBB\xBF"
                                            "b"});
  CHECK(texts_of("\xEF\xBB\xBF", InputFormat::txt).empty());
  CHECK(texts_of("\xEF\xBB\xBF{\"text\": \"a\"}\n", InputFormat::jsonl) == Texts{"a"});
}

TEST_CASE("bytes that are not UTF-8 are refused with line, byte and value") {
  const std::string advice = "; convert the text with iconv -f ITS_ENCODING -t UTF-8";
  for (const auto format : {InputFormat::txt, InputFormat::jsonl, InputFormat::csv, InputFormat::tsv}) {
    CHECK(refusal(reader_of("\xC3\xA9\xFF\n", format)) == "[input:1] expected UTF-8, got 0xFF at byte 3" + advice);
    CHECK(refusal(reader_of("\xEF\xBB\xBF\xBD", format)) == "[input:1] expected UTF-8, got 0xBD at byte 4" + advice);
  }
  // "it is fine" in GBK; a surrogate; a character cut short; "café au lait" in Latin-1.
  CHECK(table_fault("text\na\n\xBD\xF1\xCC\xEC\n", 1) == "[input:3] expected UTF-8, got 0xBD at byte 1" + advice);
  for (const std::string bytes : {"\xED\xA0\x80", "\xE4\xB8", "\xE9 au lait"}) {
    const std::string message = refusal(reader_of("a\ncaf" + bytes + "\n", InputFormat::txt), 1);
    CHECK(message.starts_with("[input:2] expected UTF-8, got 0xE"));
    CHECK(message.find(" at byte 4;") != message.npos);
  }
  InputRules rules{.format = InputFormat::txt, .advice = {.invalid_utf8 = " or so"}};
  CHECK(refusal(reader_of("\xFF", rules)) == "[input:1] expected UTF-8, got 0xFF at byte 1" + advice + " or so");
}

TEST_CASE("half a surrogate pair in JSON is U+FFFD where bytes are to be replaced, else refused in one line") {
  const std::string replaced = "\xEF\xBF\xBD";
  const std::string face = "\xF0\x9F\x98\x80";
  const std::pair<std::string, std::string> cases[] = {
      {R"(\ud83d)", replaced},
      {R"(a\uD83Db)", "a" + replaced + "b"},
      {R"(\ude00)", replaced},
      {R"(\ude00\ud83d)", replaced + replaced},
      {R"(\ud83d\ud83d\ude00)", replaced + face},
      {R"(\ud83d\ude00\ude00)", face + replaced},
      {R"(\ud83d\u0041)", replaced + "A"},
      {R"(\ud83d\\ude00)", replaced + "\\ude00"},
      {R"(\\\ud83d)", "\\" + replaced},
  };
  const InputRules replace{.format = InputFormat::jsonl, .invalid_utf8 = InvalidUtf8::replace};
  const InputRules error{.format = InputFormat::jsonl, .advice = {.invalid_utf8 = ", or so"}};
  for (const auto& [written, text] : cases) {
    const std::string line = R"({"text": ")" + written + "\"}\n";
    InputReader reader = reader_of(line + R"({"text": "b"})", replace);
    CHECK(reader.next().value().text == text);
    CHECK(reader.next().value().text == "b");
    CHECK(reader.invalid_records() == 1);
    const std::string message = refusal(reader_of(line, error));
    CHECK_MESSAGE(message.starts_with("[input:1] expected both halves of a surrogate pair, got \\u"), message);
    CHECK(message.ends_with("; write both, or so"));
  }
  CHECK(refusal(reader_of(R"({"text": "ab\ud83d"})", error)).find(R"(got \ud83d alone at byte 13;)") !=
        std::string::npos);
  // No halves: whole pairs, and a backslash that is written itself.
  for (const auto* whole : {R"({"text": "\ud83d\ude00"})", R"({"text": "\\ud83d"})"}) {
    InputReader reader = reader_of(whole, replace);
    CHECK(reader.next());
    CHECK(reader.invalid_records() == 0);
    CHECK(refusal(reader_of(whole, error)) == "accepted");
  }
  InputReader words = reader_of(R"({"tokens": ["a", "\ud83d"], "id": 1, "\ud83d": 2})", replace);
  CHECK(words.next().value().words.value() == std::vector<std::string>{"a", replaced});
}

TEST_CASE("bytes to be replaced are handed on in lines, replaced in objects, and counted by the record") {
  const InputRules rules{.invalid_utf8 = InvalidUtf8::replace};
  const auto read = [&](const std::string& content, InputFormat format) {
    InputRules known = rules;
    known.format = format;
    InputReader reader = reader_of(content, known);
    Texts texts;
    while (const auto record = reader.next()) texts.push_back(record->text);
    return std::pair{texts, reader.invalid_records()};
  };
  CHECK(read(std::string("a\0b\xFF\nb\n\xC3\n", 9), InputFormat::txt) ==
        std::pair{Texts{std::string("a\0b\xFF", 4), "b", "\xC3"}, size_t{2}});
  // Maximal subparts: \xE4\xB8 is one, \xFF\xFE are two.
  CHECK(read("{\"text\": \"\xE4\xB8z\xFF\xFE\"}\n{\"text\": \"b\"}\n", InputFormat::jsonl) ==
        std::pair{Texts{"\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD", "b"}, size_t{1}});
  CHECK(read("text,\xFF\n\"\xFF\n\xFF\",b\nc,d\n", InputFormat::csv) == std::pair{Texts{"\xFF\n\xFF", "c"}, size_t{1}});
}

TEST_CASE("UTF-16 and UTF-32 are named by their byte order marks, replaced or not") {
  const std::vector<std::pair<std::string, std::string>> marks{
      {std::string("\xFF\xFE"
                   "a\0\n\0",
                   6),
       "UTF-16 little-endian by its byte order mark; convert it with iconv -f UTF-16"},
      {std::string("\xFE\xFF\0a\0\n", 6), "UTF-16 big-endian by its byte order mark; convert it with iconv -f UTF-16"},
      {std::string("\xFF\xFE\0\0a\0\0\0\n\0\0\0", 12),
       "UTF-32 little-endian by its byte order mark; convert it with iconv -f UTF-32"},
      {std::string("\0\0\xFE\xFF\0\0\0a\0\0\0\n", 12),
       "UTF-32 big-endian by its byte order mark; convert it with iconv -f UTF-32"}};
  for (const auto& [content, words] : marks) {
    for (const auto invalid : {InvalidUtf8::error, InvalidUtf8::replace}) {
      for (const auto format : {InputFormat::txt, InputFormat::jsonl, InputFormat::csv}) {
        CHECK(refusal(reader_of(content, InputRules{.format = format, .invalid_utf8 = invalid})) ==
              "[input] expected UTF-8, got " + words + " -t UTF-8");
      }
    }
  }
}

TEST_CASE("an object gives a text, a pair or words") {
  InputReader reader = reader_of(
      "{\"text\": \"a\", \"label\": 3}\n{\"text\": \"a\", \"text_pair\": \"b\"}\r\n{\"tokens\": [\"c\", \"d e\"]}\n"
      "{\"text\": \"\\u0000\\ud83d\\ude00\", \"meta\": null}",
      InputFormat::jsonl);
  const auto first = reader.next();
  REQUIRE(first);
  CHECK(first->text == "a");
  CHECK_FALSE(first->text_pair);
  CHECK_FALSE(first->words);
  const auto second = reader.next();
  REQUIRE(second);
  CHECK(second->text_pair == "b");
  const auto third = reader.next();
  REQUIRE(third);
  CHECK(third->words == Texts{"c", "d e"});
  const auto fourth = reader.next();
  REQUIRE(fourth);
  CHECK(fourth->text == std::string("\0\xF0\x9F\x98\x80", 5));
  CHECK_FALSE(fourth->text_pair);
  CHECK_FALSE(reader.next());
}

TEST_CASE("blank lines end a file of objects and are refused inside it") {
  CHECK(texts_of("{\"text\": \"a\"}\n\n \t\n", InputFormat::jsonl) == Texts{"a"});
  CHECK(refusal("{\"text\": \"a\"}\n\n{\"text\": \"b\"}\n", 1) == "[input:2] expected a JSON object, got a blank line");
}

TEST_CASE("a faulty object is refused with its line") {
  const std::string good = "{\"text\": \"a\"}\n";
  for (const std::string escape : {"\\ud800", "\\udc00", "\\ud800\\u0041", "\\ud800x", "\\udfff\\ud800"}) {
    const std::string message = refusal(good + "{\"text\": \"" + escape + "\"}\n", 1);
    CHECK(message.starts_with("[input:2] expected both halves of a surrogate pair, got \\u"));
  }
  for (const std::string fault :
       {"{", "x", "[1", "{\"text\": \"a\"} b", "{\"text\": 'a'}", "\"", "1e999", "\xC3\xA9"}) {
    CHECK_MESSAGE(refusal(good + fault + "\n", 1).starts_with("[input:2] expected JSON"), fault);
  }
}

TEST_CASE("an object that is no record is refused with what was expected and got") {
  CHECK(error_of("[]") == "[input:1] expected a JSON object, got []");
  CHECK(error_of("3") == "[input:1] expected a JSON object, got 3");
  CHECK(error_of("{}") == "[input:1] expected the key 'text' or 'tokens', got none");
  CHECK(error_of("{\"Text\": \"a\", \"b\": 1}") == "[input:1] expected the key 'text' or 'tokens', got 'Text', 'b'");
  CHECK(error_of("{\"text\": 1}") == "[input:1] 'text': expected a string, got 1");
  CHECK(error_of("{\"text\": null}") == "[input:1] 'text': expected a string, got null");
  CHECK(error_of("{\"text\": \"a\", \"text_pair\": null}") == "[input:1] 'text_pair': expected a string, got null");
  CHECK(error_of("{\"tokens\": null}") == "[input:1] 'tokens': expected a list of strings, got null");
  CHECK(error_of("{\"tokens\": [\"a\", 1]}") == "[input:1] 'tokens': expected a list of strings, got 1 as item 2");
  CHECK(error_of("{\"tokens\": [], \"text_pair\": \"a\"}") ==
        "[input:1] expected 'text_pair' with 'text' only, got it with 'tokens'");
  CHECK(error_of("{\"text\": \"a\", \"tokens\": [\"a\"]}") == "[input:1] expected 'text' or 'tokens', got both");
}

TEST_CASE("a key twice is refused, in the object itself alone") {
  for (const std::string key : {"text", "id", "label"}) {
    const std::string message = error_of("{\"" + key + "\": \"a\", \"x\": 1, \"" + key + "\": \"b\", \"text\": \"c\"}");
    CHECK(message.starts_with("[input:1] '" + key + "': expected a key once, got it twice"));
  }
  CHECK(error_of("{\"text\": \"a\", \"t\\u0065xt\": \"b\"}") == "[input:1] 'text': expected a key once, got it twice");
  CHECK(error_of("{\"text\": \"a\", \"meta\": {\"text\": 1, \"x\": 2, \"x\": 3}}") == "accepted");
}

TEST_CASE("a field that looks like a misspelling is refused, another one passed over") {
  const auto beside_text = [](const std::string& key) { return error_of("{\"text\": \"a\", \"" + key + "\": \"b\"}"); };
  for (const std::string key :
       {"textpair", "text-pair", "text pair", "textPair", "TEXT_PAIR", "text_pairs", "txt_pair", "text_apir"}) {
    CHECK(beside_text(key) == "[input:1] expected 'text_pair' by this name, got '" + key + "'");
  }
  for (const std::string key : {"token", "Tokens", "tokns", "tokesn"}) {
    CHECK(beside_text(key) == "[input:1] expected 'tokens' by this name, got '" + key + "'");
  }
  for (const std::string key : {"Text", "TEXT", "_text"}) {
    CHECK(beside_text(key) == "[input:1] expected 'text' by this name, got '" + key + "'");
  }
  for (const std::string key : {"ID", "Id"})
    CHECK(beside_text(key) == "[input:1] expected 'id' by this name, got '" + key + "'");
  for (const std::string key :
       {"label", "title", "meta", "_id", "ids", "uid", "next", "test", "context", "text_b", "pair", ""}) {
    CHECK_MESSAGE(beside_text(key) == "accepted", key);
  }
  CHECK(error_of("{\"tokens\": [\"a\"], \"test\": 1, \"token\": 1}") == "accepted");
  CHECK(error_of("{\"tokens\": [\"a\"], \"Tokens\": 1}") == "[input:1] expected 'tokens' by this name, got 'Tokens'");
}

TEST_CASE("an id is a string or an integer of 64 bits and is kept as it is written") {
  const auto id = [](const std::string& json) {
    return reader_of("{\"id\": " + json + ", \"text\": \"a\"}", InputFormat::jsonl).next()->id;
  };
  for (const std::string json :
       {"\"a\"", "\"\"", "\"q\\\"\\\\\"", "\"\xE7\x8C\xAB\"", "0", "-7", "18446744073709551615"}) {
    CHECK(id(json) == json);
  }
  CHECK(reader_of("{\"text\": \"a\"}", InputFormat::jsonl).next()->id.empty());
  for (const std::string json : {"1.5", "1e3", "true", "[]", "18446744073709551616"}) {
    const std::string expected = "[input:1] 'id': expected a string or an integer of 64 bits, got ";
    CHECK_MESSAGE(error_of("{\"id\": " + json + ", \"text\": \"a\"}").starts_with(expected), json);
  }
  CHECK(error_of("{\"id\": null, \"text\": \"a\"}") ==
        "[input:1] 'id': expected a string or an integer of 64 bits, got null");
}

TEST_CASE("fields go by other names where these are given") {
  const InputRules rules{.format = InputFormat::jsonl,
                         .fields = {.text = "body", .text_pair = "text-pair", .id = "_id"}};
  const auto record =
      reader_of("{\"body\": \"a\", \"text-pair\": \"b\", \"_id\": 3, \"text\": 1, \"tokens\": 2, \"id\": null}", rules)
          .next();
  REQUIRE(record);
  CHECK(record->text == "a");
  CHECK(record->text_pair == "b");
  CHECK(record->id == "3");
  CHECK_FALSE(record->words);
  CHECK(error_of("{\"text\": \"a\", \"title\": \"b\"}", {.text = "body"}) ==
        "[input:1] expected the key 'body', got 'text', 'title'");
  CHECK(error_of("{\"text\": \"a\"}", {.text_pair = "b"}) == "[input:1] expected the key 'b', got 'text'");
  CHECK(error_of("{\"text\": \"a\"}", {.id = "b"}) == "[input:1] expected the key 'b', got 'text'");
  CHECK_THROWS_AS(reader_of("a\n", InputRules{.format = InputFormat::txt, .fields = {.text = "body"}}), UsageError);
}

TEST_CASE("a table's rows give texts, pairs and ids by the names of its columns") {
  const auto records =
      records_of(reader_of("id,x,text_pair,text\n7,,\"b\"\"\",\"a,\r\nb\"\r\n\"8\"\"\",y, c ,\n", InputFormat::csv));
  REQUIRE(records.size() == 2);
  CHECK(records[0].id == "\"7\"");
  CHECK(records[0].text == "a,\r\nb");
  CHECK(records[0].text_pair == "b\"");
  CHECK(records[1].id == "\"8\\\"\"");
  CHECK(records[1].text.empty());
  CHECK(records[1].text_pair == " c ");
  CHECK(texts_of("\xEF\xBB\xBF"
                 "text\tb\na,b\t\"c\td\"\n",
                 InputFormat::tsv) == Texts{"a,b"});
  CHECK(texts_of("text\n\"\"\na \"b\" c\n\n\r\n", InputFormat::csv) == Texts{"", "a \"b\" c"});
}

TEST_CASE("a faulty table is refused with its line and its columns") {
  CHECK(table_fault("") == "[input:1] expected a line with the names of the columns, got an empty input");
  CHECK(table_fault("\ntext\n") == "[input:1] expected a line with the names of the columns, got a blank line");
  CHECK(table_fault("title,body\na,b\n") == "[input:1] expected the column 'text', got 'title', 'body'");
  CHECK(table_fault("text,b,text\na,b,c\n") == "[input:1] 'text': expected a column once, got it twice");
  CHECK(table_fault("text,b,b\na,b,c\n") == "accepted");
  CHECK(table_fault("text,textpair\na,b\n") == "[input:1] expected 'text_pair' by this name, got 'textpair'");
  CHECK(table_fault("text,id\na\n") == "[input:2] expected 2 fields as in the header line, got 1");
  CHECK(table_fault("text,id\n\"a\nb\",1\na,b,c\n", 1) == "[input:4] expected 2 fields as in the header line, got 3");
  CHECK(table_fault("text\na\n\nb\n", 1) == "[input:3] expected a row of 1 fields, got a blank line");
  CHECK(table_fault("text\na\n\"b\nc\n", 1) ==
        "[input:3] expected a closing quote for the field that begins with one on this line, got the end of the input");
  CHECK(table_fault("text,id\n\"a\nb\"c,1\n") ==
        "[input:3] expected a comma or the line's end behind a closing quote, "
        "got 'c' at byte 3; a quote in a quoted field is written twice");
  CHECK(table_fault("text\tid\n\"a\",1\n", 0, InputFormat::tsv)
            .starts_with("[input:2] expected a tab or the line's end"));
}

TEST_CASE("an object nested deeply neither crashes nor is taken") {
  const std::string good = "{\"text\": \"a\"}\n";
  const std::string open(1'000'000, '[');
  const std::string closed = open + std::string(open.size(), ']');
  for (const std::string& nested :
       {open, closed, "{\"text\": " + closed + "}", "{\"text\": \"a\", \"b\": " + closed + "}"}) {
    CHECK(refusal(good + nested + "\n", 1) == "[input:2] expected JSON of at most 100 levels, got more");
  }
}

TEST_CASE("a zero byte does not end an object early") {
  const std::string zero("{\"text\": \"a\"}\0{\n", 17);
  CHECK(refusal(zero) == "[input:1] expected JSON, got a zero byte");
}

TEST_CASE("the name decides the format unless one is given") {
  const TemporaryDirectory directory;
  const auto txt = directory.write("a.txt", "{\"text\": \"a\"}\n");
  const auto other = directory.write("a.json", "{\"text\": \"a\"}\n");
  CHECK(InputReader::open(txt).next()->text == "{\"text\": \"a\"}");
  CHECK(InputReader::open(txt, {.format = InputFormat::jsonl}).next()->text == "a");
  CHECK_THROWS_AS((void)InputReader::open(other), UsageError);
  CHECK_THROWS_AS((void)InputReader::open("-"), UsageError);
}

TEST_CASE("looking at how bytes begin takes none of them") {
  const TemporaryDirectory directory;
  InputBytes bytes(directory.write("a.txt", "abc"));
  CHECK(bytes.size() == 3);
  CHECK(bytes.starts_with("ab"));
  CHECK_FALSE(bytes.starts_with("ax"));
  CHECK_FALSE(bytes.starts_with("abcd"));
  std::istream stream(&bytes);
  std::string line;
  CHECK(std::getline(stream, line));
  CHECK(line == "abc");
  CHECK(bytes.bytes_taken() == 3);
}

TEST_CASE("what a stream's buffer throws comes out as it is") {
  class Faulty : public std::streambuf {
    int_type underflow() override { throw TextError("a buffer", "expected more"); }
  };
  Faulty faulty;
  InputReader reader(std::make_unique<std::istream>(&faulty), "input", {.format = InputFormat::txt});
  CHECK_THROWS_WITH_AS((void)reader.next(), "[a buffer] expected more", TextError);
}

TEST_CASE("what cannot be opened is refused with the system's reason") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH_AS((void)InputReader::open(directory.path(), {.format = InputFormat::txt}),
                       doctest::Contains("Is a directory"), IoError);
  CHECK_THROWS_WITH_AS((void)InputReader::open(directory.path() / "none.txt"),
                       doctest::Contains("No such file or directory"), IoError);
  std::filesystem::create_symlink("loop.txt", directory.path() / "loop.txt");
  CHECK_THROWS_WITH_AS((void)InputReader::open(directory.path() / "loop.txt"),
                       doctest::Contains("Too many levels of symbolic links"), IoError);
}

}  // namespace summand::text
