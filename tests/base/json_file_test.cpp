#include "base/json_file.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"

namespace summand {

namespace {

/// A file of its own for one test.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string_view content)
      : path_(std::filesystem::temp_directory_path() / ("summand_json_" + std::to_string(::getpid()) + ".json")) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

std::string fault(std::string_view content) {
  return refusal([content] { (void)parse_json(content, "f"); });
}

std::string nested(size_t levels, std::string_view open, std::string_view close) {
  std::string text;
  for (size_t i = 0; i < levels; ++i) text += open;
  text += "1";
  for (size_t i = 0; i < levels; ++i) text += close;
  return text;
}

}  // namespace

TEST_CASE("the keys of an object are told as often as they stand there, those inside its values not") {
  const auto [value, keys] = parse_json_with_keys(R"({"b": {"b": 1, "c": [{"d": 2}]}, "a": 3, "b": 4})");
  CHECK(keys == std::vector<std::string>{"b", "a", "b"});
  CHECK(value == Json({{"a", 3}, {"b", 4}}));
  CHECK(parse_json_with_keys("[{\"a\": 1}]").keys.empty());
  CHECK_THROWS_AS((void)parse_json_with_keys("{\"a\": 1"), JsonFault);
}

TEST_CASE("members of one object come as a list, and everything else as the tree that it is") {
  constexpr std::array<std::string_view, 2> kPath{"a", "b"};
  const auto read = [&](std::string_view text) { return parse_json_with_members(text, "f", kPath); };
  const std::string_view plain =
      R"({"b": {"x": 1}, "a": {"b": {"z": -1, "y": [1, {"b": 2.5}], "z": {"q": null}, "e\"": true}, "c": [[], {}, "s"]}})";
  const auto [document, members] = read(plain);
  Json expected = parse_json(plain);
  expected["a"]["b"] = Json::object();
  CHECK(document == expected);
  REQUIRE(members.size() == 4);
  CHECK(members[0].key == "z");
  CHECK(members[0].value == -1);
  CHECK(members[1].value == parse_json(R"([1, {"b": 2.5}])"));
  CHECK(members[2].key == "z");
  CHECK(members[2].value == parse_json(R"({"q": null})"));
  CHECK(members[3].key == "e\"");
  CHECK(read(R"({"a": {"b": {"x": 1}}, "a": {"b": {"y": 2}}})").members.front().key == "y");
  for (const char* const text :
       {"[]", "7", R"([{"a": {"b": {"x": 1}}}])", R"({"a": [{"b": {"x": 1}}]})", R"({"a": {"b": [1]}})",
        R"({"a": {"c": {"b": {"x": 1}}}})", R"({"b": {"a": {"x": 1}}})"}) {
    const auto other = read(text);
    CHECK(other.members.empty());
    CHECK(other.document == parse_json(text));
  }
  const auto refused = [&](std::string_view text) { return refusal([&] { (void)read(text); }); };
  for (const char* const text :
       {"{\n\n\"a\": x}", "[1,\n2", "\n\"\xFF\"", "\n\n\"\\ud800\"", "[\n1e999]", "", "{\"a\": {\"b\": {\"x\""}) {
    CHECK(refused(text) == fault(text));
  }
}

TEST_CASE("a fault names its line") {
  CHECK(fault("{\n\n\"a\": x}").starts_with("[f:3] expected JSON, got "));
  CHECK(fault("[1,\n2") ==
        "[f:2] expected JSON, got syntax error while parsing array - unexpected end of input; expected ']'");
  CHECK(fault("\n\"\xFF\"") == "[f:2] expected UTF-8, got other bytes");
  CHECK(fault("\n\n\"\\ud800\"").starts_with("[f:3] expected JSON, got "));
  CHECK(fault(std::string_view("1\n\0", 3)) == "[f:2] expected JSON, got a zero byte");
  CHECK(fault("[\n1e999]") == "[f] expected JSON, got number overflow parsing '1e999'");
  CHECK(fault("") == "[f:1] expected JSON, got an empty text");
}

TEST_CASE("a fault is one short line of valid UTF-8 whatever it quotes") {
  const std::string message = fault("\xC3\xA9");
  CHECK(message.starts_with("[f:1] expected JSON, got "));
  CHECK(parse_json(Json(message).dump()) == message);
  CHECK(fault("\"" + std::string(1000, 'a') + "\n").size() < 300);
}

TEST_CASE("a hundred levels are taken and one more is not, opened or closed") {
  const std::vector<std::pair<std::string, std::string>> kinds{{"[", "]"}, {"{\"a\":", "}"}, {"[{\"a\":", "}]"}};
  for (const auto& [open, close] : kinds) {
    const size_t levels = open[1] == '{' ? 50 : 100;
    CHECK(fault(nested(levels, open, close)) == "accepted");
    for (const size_t many : {levels + 1, size_t{1'000'000}}) {
      CHECK(fault(nested(many, open, close)) == "[f:1] expected JSON of at most 100 levels, got more");
      CHECK(fault(nested(many, open, "")) == "[f:1] expected JSON of at most 100 levels, got more");
    }
  }
}

TEST_CASE("brackets side by side or in strings do not nest") {
  std::string list = "[0";
  for (int i = 0; i < 1000; ++i) list += ",[],{}";
  CHECK(fault(list + "]") == "accepted");
  CHECK(fault("[\"\\\\\\\"" + std::string(1000, '[') + "\\\"\", \"" + std::string(1000, '{') + "\"]") == "accepted");
  CHECK(fault("[\"\\\\\"," + nested(100, "[", "]") + "]") == "[f:1] expected JSON of at most 100 levels, got more");
}

TEST_CASE("a value of another type is refused with its whole place and what it is") {
  const JsonObject object(parse_json(R"({"a": {"b": {"c": 1, "s": "x"}}, "list": [{"t": 2}], "no": null, "neg": -1})"),
                          "f");
  const JsonObject inner = object.object("a")->object("b").value();
  CHECK(inner.number("c") == 1);
  CHECK(inner.size("c") == 1);
  CHECK(refusal([&] { (void)inner.string("c"); }) == "[f] a.b.c: expected a string, got 1");
  CHECK(refusal([&] { (void)inner.boolean("s"); }) == "[f] a.b.s: expected true or false, got \"x\"");
  CHECK(refusal([&] { (void)object.number("neg"); }) == "[f] neg: expected an integer of at least 0, got -1");
  CHECK(refusal([&] { (void)object.size("a"); }) == "[f] a: expected an integer of at least 1, got an object");
  CHECK(refusal([&] { (void)object.object("list"); }) == "[f] list: expected an object, got an array");
  CHECK(refusal([&] { (void)inner.object_or_empty("c"); }) == "[f] a.b.c: expected an object, got 1");
  const JsonObject item = object.below("list", object.json().at("list").at(0));
  CHECK(refusal([&] { (void)item.string("t"); }) == "[f] list.t: expected a string, got 2");
  CHECK(refusal([&] { (void)item.require("u", item.string("u"), "a name"); }) ==
        "[f] list.u: expected a name, got none");
  CHECK(refusal([&] { item.refuse_setting("t"); }) ==
        "[f] list.t: this setting is not supported, expected none, got 2");
  CHECK(refusal([&] { (void)object.require("no", object.string("no"), "a name"); }) ==
        "[f] no: expected a name, got null");
  CHECK(refusal([] { const JsonObject list(parse_json("[1]"), "f"); }) == "[f] expected a JSON object, got an array");
}

TEST_CASE("a key that is absent or null gives nothing") {
  const JsonObject object(parse_json(R"({"no": null})"), "f");
  for (const auto* key : {"no", "none"}) {
    CHECK_FALSE(object.has(key));
    CHECK_FALSE(object.string(key));
    CHECK_FALSE(object.boolean(key));
    CHECK_FALSE(object.number(key));
    CHECK_FALSE(object.size(key));
    CHECK_FALSE(object.object(key));
    CHECK(object.object_or_empty(key).json().empty());
  }
}

TEST_CASE("keys and values in messages are on one line and cut") {
  const std::string text = "a\n" + std::string(10'000, 'x');
  const JsonObject object(Json{{text, text}}, "f");
  const std::string message = refusal([&] { (void)object.size(text); });
  CHECK(message.find('\n') == message.npos);
  CHECK(message.size() < 500);
  CHECK(message.starts_with("[f] a\\x0axxx"));
  CHECK(shown(Json("\xFF")) == "\"\xEF\xBF\xBD\"");
  CHECK(shown(Json::array()) == "[]");
  CHECK(shown(Json::array({1})) == "an array");
}

TEST_CASE("an object is part of its document, not a copy, and outlives the one it came from") {
  std::optional<JsonObject> inner;
  const Json* place = nullptr;
  {
    const JsonObject object(parse_json(R"({"a": {"b": "c"}})"), "f");
    place = object.find("a");
    inner = object.object("a");
  }
  CHECK(&inner->json() == place);
  CHECK(inner->string("b") == "c");
}

TEST_CASE("a file is read up to its limit and an absent one is nothing") {
  const TemporaryFile file("{\"a\": 12}");
  const std::string path = file.path().string();
  CHECK(read_json_object(file.path(), 9)->number("a") == 12);
  CHECK(refusal([&] { (void)read_json(file.path(), 8); }) ==
        "[" + path + "] expected a file of at most 8 bytes, got a longer one");
  CHECK_FALSE(read_json_object(path + ".none"));
  CHECK(refusal([&] { (void)read_json(path + ".none"); }) ==
        "[" + path + ".none] cannot be read: No such file or directory");
  CHECK(refusal([] { (void)read_json("/"); }) == "[/] expected a file, got a directory");
  CHECK(refusal([] { (void)read_json("/dev/zero"); }) == "[/dev/zero] expected a regular file, got a pipe or device");
  CHECK(refusal([] { (void)read_file("/", 10); }) == "[/] cannot be read: Is a directory");
  CHECK(refusal([] { (void)read_file("/dev/zero", 10); }) ==
        "[/dev/zero] expected a file of at most 10 bytes, got a longer one");
}

TEST_CASE("a git-lfs pointer is no settings file, and is told from broken JSON") {
  const TemporaryFile file("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 466247\n");
  CHECK(refusal([&] { (void)read_json(file.path()); }) ==
        "[" + file.path().string() + "] expected the file itself, got a git-lfs pointer to it: run 'git lfs pull' in " +
            "its folder");
}

TEST_CASE("a settings file whose values would take far more than itself is refused before they do") {
  const auto list = [](std::string_view value, size_t values) {
    std::string text = "[" + std::string(value);
    for (size_t i = 1; i < values; ++i) (text += ",") += value;
    return text + "]";
  };
  const std::string refused = "[f] expected JSON that takes at most 50 MB in memory, got one of about ";
  CHECK(fault(list("0", 1'000'000)) == "accepted");
  CHECK(fault(list("0", 2'000'000)) == refused + "97 MB");
  CHECK(fault(list("[]", 400'000)) == "accepted");
  CHECK(fault(list("[]", 1'000'000)).starts_with(refused));
  CHECK(fault(list(R"({"a":{"a":{}}})", 100'000)) == "accepted");
  CHECK(fault(list(R"({"a":{"a":{}}})", 200'000)).starts_with(refused));
  CHECK(fault(list(R"("")", 1'000'000)).starts_with(refused));
  CHECK(fault("[\"" + std::string(10'000'000, 'a') + "\"]") == "accepted");
  CHECK(fault("[\"" + std::string(20'000'000, 'a') + "\"]").starts_with(refused));
  // Commas and brackets in strings are none.
  CHECK(fault("[\"" + std::string(2'000'000, ',') + std::string(2'000'000, '[') + "\\\"[\"]") == "accepted");
  std::string vocabulary = "{\"[UNK]\":0";
  for (int id = 1; id < 501'153; ++id) vocabulary += fmt::format(",\"t{}\":{}", id, id);  // as many as LaBSE has
  CHECK(fault(vocabulary + "}") == "accepted");
}

}  // namespace summand
