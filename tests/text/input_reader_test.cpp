#include "text/input_reader.hpp"

#include <doctest/doctest.h>

#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "temporary_directory.hpp"

namespace summand::text {

namespace {

InputReader reader_of(const std::string& content, InputFormat format) {
  return {std::make_unique<std::istringstream>(content), format, "input"};
}

std::vector<std::string> texts_of(const std::string& content, InputFormat format) {
  InputReader reader = reader_of(content, format);
  std::vector<std::string> texts;
  while (const auto record = reader.next()) texts.push_back(record->text);
  return texts;
}

// The message with which the input is refused after `good` records.
std::string refusal(const std::string& content, int good = 0) {
  InputReader reader = reader_of(content, InputFormat::jsonl);
  for (int i = 0; i < good; ++i) REQUIRE(reader.next());
  try {
    (void)reader.next();
  } catch (const TextError& error) {
    return error.what();
  }
  return "accepted";
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

TEST_CASE("a text file may hold any bytes") {
  CHECK(texts_of(std::string("a\0b\xFF\n", 5), InputFormat::txt) == Texts{std::string("a\0b\xFF", 4)});
}

TEST_CASE("an object gives a text, a pair or words") {
  InputReader reader = reader_of(
      "{\"text\": \"a\", \"label\": 3}\n{\"text\": \"a\", \"text_pair\": \"b\"}\r\n{\"tokens\": [\"c\", \"d e\"]}\n"
      "{\"text\": \"\\u0000\\ud83d\\ude00\", \"text_pair\": null}",
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
  CHECK(refusal(good + "{\"text\": \"\xFF\"}\n", 1) == "[input:2] expected UTF-8, got other bytes");
  CHECK(refusal(good + "{\"text\": \"\xED\xA0\x80\"}\n", 1) == "[input:2] expected UTF-8, got other bytes");
  for (const std::string escape : {"\\ud800", "\\udc00", "\\ud800\\u0041", "\\ud800x", "\\udfff\\ud800"}) {
    const std::string message = refusal(good + "{\"text\": \"" + escape + "\"}\n", 1);
    CHECK(message.starts_with("[input:2] expected JSON, got"));
    CHECK(message.find("surrogate") != message.npos);
  }
  for (const std::string fault :
       {"{", "x", "[1", "{\"text\": \"a\"} b", "{\"text\": 'a'}", "\"", "1e999", "\xC3\xA9"}) {
    CHECK_MESSAGE(refusal(good + fault + "\n", 1).starts_with("[input:2] expected JSON"), fault);
  }
  CHECK(refusal("[]\n") == "[input:1] expected a JSON object, got array");
  CHECK(refusal("{}\n") == "[input:1] expected the key 'text' or 'tokens', got neither");
  CHECK(refusal("{\"text\": 1}\n") == "[input:1] 'text': expected a string, got number");
  CHECK(refusal("{\"tokens\": [1]}\n") == "[input:1] 'tokens': expected a list of strings, got something else");
  CHECK(refusal("{\"tokens\": [], \"text_pair\": \"a\"}\n").starts_with("[input:1] expected 'text_pair' beside"));
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
  CHECK(InputReader::open(txt, InputFormat::jsonl).next()->text == "a");
  CHECK_THROWS_AS((void)InputReader::open(other), UsageError);
  CHECK_THROWS_AS((void)InputReader::open("-"), UsageError);
}

TEST_CASE("what cannot be opened is refused with the system's reason") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH_AS((void)InputReader::open(directory.path(), InputFormat::txt), doctest::Contains("Is a directory"),
                       IoError);
  CHECK_THROWS_WITH_AS((void)InputReader::open(directory.path() / "none.txt"),
                       doctest::Contains("No such file or directory"), IoError);
  std::filesystem::create_symlink("loop.txt", directory.path() / "loop.txt");
  CHECK_THROWS_WITH_AS((void)InputReader::open(directory.path() / "loop.txt"),
                       doctest::Contains("Too many levels of symbolic links"), IoError);
}

}  // namespace summand::text
