#include "text/tokenizer.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <thread>
#include <vector>

#include "base/error.hpp"
#include "io/allocated_bytes.hpp"
#include "temporary_directory.hpp"

namespace summand::text {

namespace {

constexpr std::string_view kVocabulary =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\n##a\nun\n##aff\n##able\nhello\nworld\n,\n##b\nb\n中\n";
constexpr std::string_view kModel =
    R"({"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,)"
    R"("vocab":{"[UNK]":0,"a":1,"##a":2,"b":3}})";

using Ids = std::vector<int32_t>;
using Offsets = std::vector<Range>;

Tokenizer small() {
  const TemporaryDirectory directory;
  return Tokenizer::from_vocabulary(directory.write("vocab.txt", kVocabulary), Lowercase::yes);
}

// tokenizer.json of the parts that matter to a test.
struct JsonParts {
  std::string normalizer =
      R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true})";
  std::string pre_tokenizer = R"({"type":"BertPreTokenizer"})";
  std::string post_processor = R"({"type":"BertProcessing","sep":["[SEP]",8],"cls":["[CLS]",7]})";
  std::string decoder = R"({"type":"WordPiece","prefix":"##","cleanup":true})";
  std::string model = std::string(kModel);
  std::string rest = R"("truncation":null,"padding":null,"added_tokens":[])";

  [[nodiscard]] std::string text() const {
    return fmt::format(
        "{{\"version\":\"1.0\",\n{},\n\"normalizer\":{},\n\"pre_tokenizer\":{},\n\"post_processor\":{},\n\"decoder\":{}"
        ",\n"
        "\"model\":{}}}",
        rest, normalizer, pre_tokenizer, post_processor, decoder, model);
  }
};

Tokenizer load(const JsonParts& parts) {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", parts.text());
  return Tokenizer::load(directory.path());
}

std::string refusal(const JsonParts& parts) {
  try {
    (void)load(parts);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a text becomes pieces with their places in it") {
  const Encoding encoding = small().encode("Hello, Unaffable");
  CHECK(encoding.ids == Ids{2, 10, 12, 7, 8, 9, 3});
  CHECK(encoding.offsets == Offsets{{0, 0}, {0, 5}, {5, 6}, {7, 9}, {9, 12}, {12, 16}, {0, 0}});
  CHECK(encoding.words == Ids{-1, 0, 1, 2, 2, 2, -1});
  CHECK(encoding.segments == Ids(7, 0));
  CHECK(encoding.special == std::vector<uint8_t>{1, 0, 0, 0, 0, 0, 1});
  CHECK(encoding.cut == 0);
}

TEST_CASE("a word that no pieces cover is unknown as a whole") {
  const Encoding encoding = small().encode("unaffableq b", {.special_tokens = SpecialTokens::omit});
  CHECK(encoding.ids == Ids{1, 14});
  CHECK(encoding.offsets == Offsets{{0, 10}, {11, 12}});
}

TEST_CASE("an empty text has the special tokens only") {
  CHECK(small().encode("").ids == Ids{2, 3});
  CHECK(small().encode("", {.special_tokens = SpecialTokens::omit}).ids.empty());
  CHECK(small().encode_pair("", "").segments == Ids{0, 0, 1});
  CHECK(small().encode_words({}).ids == Ids{2, 3});
}

TEST_CASE("NUL is removed and its place is counted") {
  using namespace std::string_view_literals;
  const Encoding encoding = small().encode("a\0a\0 \0b"sv, {.special_tokens = SpecialTokens::omit});
  CHECK(encoding.ids == Ids{5, 6, 14});
  CHECK(encoding.offsets == Offsets{{0, 1}, {2, 3}, {6, 7}});
}

TEST_CASE("bytes that are not UTF-8 read as replacement characters of their own length") {
  const Encoding encoding = small().encode(
      "a\xED\xA0\x80"
      "a \xE4\xB8 b",
      {.special_tokens = SpecialTokens::omit});
  CHECK(encoding.ids == Ids{5, 6, 14});
  CHECK(encoding.offsets == Offsets{{0, 1}, {4, 5}, {9, 10}});
}

TEST_CASE("a word of 100 characters is cut into pieces and one of 101 is unknown") {
  const Tokenizer tokenizer = small();
  CHECK(tokenizer.encode(std::string(100, 'a')).ids.size() == 102);
  CHECK(tokenizer.encode(std::string(101, 'a')).ids == Ids{2, 1, 3});
}

TEST_CASE("a word of 10 MB is read in one pass whatever it is made of") {
  const Tokenizer tokenizer = small();
  for (const std::string_view part :
       {"a", "\xC3\xA9", "\xE1\xAC\x84", "\xF0\x9D\x85\xA5", "a\xCC\x81", "\xFF", "[MASK"}) {
    std::string word;
    while (word.size() < 10'000'000) word += part;
    const Encoding encoding = tokenizer.encode(word, {.special_tokens = SpecialTokens::omit});  // its square: hours
    CHECK((encoding.offsets.empty() || encoding.offsets.back().end <= word.size()));  // a word of marks leaves nothing
    if (part == "a") {
      CHECK(encoding.ids == Ids{1});
      CHECK(encoding.offsets == Offsets{{0, word.size()}});
    }
  }
}

TEST_CASE("a pair has segment 1 from its second text on") {
  const Encoding encoding = small().encode_pair("hello", "a b");
  CHECK(encoding.ids == Ids{2, 10, 3, 5, 14, 3});
  CHECK(encoding.segments == Ids{0, 0, 0, 1, 1, 1});
  CHECK(encoding.offsets == Offsets{{0, 0}, {0, 5}, {0, 0}, {0, 1}, {2, 3}, {0, 0}});
}

TEST_CASE("words already split keep their number and count offsets anew") {
  const std::vector<std::string> words{"Hello", "", "unaffable", "a,b"};
  const Encoding encoding = small().encode_words(words, {.special_tokens = SpecialTokens::omit});
  CHECK(encoding.ids == Ids{10, 7, 8, 9, 5, 12, 14});
  CHECK(encoding.words == Ids{0, 2, 2, 2, 3, 3, 3});
  CHECK(encoding.offsets == Offsets{{0, 5}, {0, 2}, {2, 5}, {5, 9}, {0, 1}, {1, 2}, {2, 3}});
}

TEST_CASE("head and tail keep 128 of 510 tokens from the beginning") {
  std::string text;
  for (int i = 0; i < 600; ++i) text += i < 128 ? "a " : i < 218 ? "b " : "hello ";
  const Encoding encoding = small().encode(text, {.truncation = Truncation::head_tail, .max_length = 512});
  REQUIRE(encoding.ids.size() == 512);
  CHECK(encoding.ids[128] == 5);
  CHECK(encoding.ids[129] == 10);
  CHECK(encoding.words[128] == 127);
  CHECK(encoding.words[129] == 218);
  CHECK(encoding.words[510] == 599);
  CHECK(encoding.cut == 90);
}

TEST_CASE("a text too long for no truncation is refused with both lengths") {
  CHECK_THROWS_WITH_AS((void)small().encode("a a a a", {.truncation = Truncation::none, .max_length = 5}),
                       "[truncation] none: expected at most 5 tokens, got 6", TextError);
  CHECK(small().encode("a a a", {.truncation = Truncation::none, .max_length = 5}).ids.size() == 5);
}

TEST_CASE("a length without room for the special tokens is refused") {
  CHECK_THROWS_AS((void)small().encode("a", {.max_length = 1}), TextError);
  CHECK(small().encode("a", {.max_length = 2}).ids == Ids{2, 3});
}

TEST_CASE("several threads may share a tokenizer") {
  const Tokenizer tokenizer = small();
  const Encoding expected = tokenizer.encode("Hello unaffable 中 [MASK]");
  std::vector<std::thread> threads;
  std::vector<int> same(4, 0);
  for (int& count : same) {
    threads.emplace_back([&tokenizer, &expected, &count] {
      for (int i = 0; i < 500; ++i) count += tokenizer.encode("Hello unaffable 中 [MASK]").ids == expected.ids;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(same == std::vector<int>(4, 500));
}

TEST_CASE("decoding joins pieces and leaves special tokens out on demand") {
  const Tokenizer tokenizer = small();
  const Ids ids{2, 10, 12, 7, 8, 9, 3, 99, -1};
  CHECK(tokenizer.decode(ids, SpecialTokens::omit) == "hello, unaffable");
  CHECK(tokenizer.decode(ids, SpecialTokens::add) == "[CLS] hello, unaffable [SEP]");
}

TEST_CASE("tokens and ids are found both ways") {
  const Tokenizer tokenizer = small();
  CHECK(tokenizer.token(8) == "##aff");
  CHECK(tokenizer.token(99).empty());
  CHECK(tokenizer.id("##aff") == 8);
  CHECK_FALSE(tokenizer.id("aff"));
  CHECK(tokenizer.vocabulary_size() == 16);
  CHECK(tokenizer.pad_id() == 0);
  CHECK(tokenizer.mask_id() == 4);
  CHECK(tokenizer.special_tokens_around_text() == 2);
  CHECK_FALSE(tokenizer.model_max_length());
}

TEST_CASE("a file that is no vocabulary is said for what it is") {
  const TemporaryDirectory directory;
  const auto refused = [&](std::string_view content) -> std::string {
    try {
      (void)Tokenizer::from_vocabulary(directory.write("v", content), Lowercase::yes);
    } catch (const Error& error) {
      return std::string(error.what()).substr(std::string(error.what()).find("] ") + 2);
    }
    return "accepted";
  };
  for (const std::string json : {R"({"version": "1.0", "model": {}})", "\n{\n  \"[PAD]\": 0\n}\n"}) {
    CHECK(refused(json) == "expected a vocab.txt with one token per line, got JSON");
  }
  CHECK(refused("version https://git-lfs.github.com/spec/v1\noid sha256:4d\nsize 231508\n") ==
        "expected the file itself, got a git-lfs pointer to it: run 'git lfs pull' in its folder");
  CHECK(refused(std::string(kVocabulary) + "{\n\"\n") == "accepted");
}

TEST_CASE("truncation and padding written in the file are noted and not done") {
  JsonParts parts;
  parts.rest =
      R"("truncation":{"direction":"Right","max_length":3,"strategy":"LongestFirst","stride":0},)"
      R"("padding":{"strategy":"BatchLongest","direction":"Right","pad_id":0,"pad_type_id":0,"pad_token":"[PAD]"})";
  const Tokenizer tokenizer = load(parts);
  CHECK(tokenizer.encode("a b a b").ids == Ids{7, 1, 3, 1, 3, 8});
  REQUIRE(tokenizer.notices().size() == 3);
  CHECK(tokenizer.notices()[2].ends_with("AutoTokenizer, other files and defaults win: added tokens '[PAD]'"));
  const std::string left = "tokenizer.json: its settings for ";
  CHECK(tokenizer.notices()[0].ends_with(left + "truncation are left to the program's own options"));
  CHECK(tokenizer.notices()[1].ends_with(left + "padding are left to the program's own options"));
}

TEST_CASE("parts that cannot be honoured are refused by name and file") {
  const std::pair<std::string JsonParts::*, std::string> unknown[] = {
      {&JsonParts::normalizer, R"({"type":"NFC"})"},
      {&JsonParts::normalizer, R"({"type":"NFKC"})"},
      {&JsonParts::pre_tokenizer, R"({"type":"WhitespaceSplit"})"},
      {&JsonParts::post_processor, R"({"type":"RobertaProcessing"})"},
      {&JsonParts::decoder, R"({"type":"ByteLevel"})"},
      {&JsonParts::model, R"({"type":"BPE"})"},
  };
  for (const auto& [part, json] : unknown) {
    JsonParts parts;
    parts.*part = json;
    const std::string message = refusal(parts);
    const std::string type = json.substr(json.find(':') + 1, json.find('"', 10) - json.find(':'));
    CHECK_MESSAGE(message.find(type.substr(1, type.size() - 2)) != message.npos, message);
    CHECK(message.find("tokenizer.json") != message.npos);
    CHECK(message.find('\n') == message.npos);
  }
}

TEST_CASE("of a token that stands twice in the vocabulary the last counts, as it does for tokenizers") {
  const auto with = [](const std::string& vocabulary) {
    JsonParts parts;
    parts.model = R"({"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##",)"
                  R"("max_input_chars_per_word":100,"vocab":)" +
                  vocabulary + "}";
    return parts;
  };
  CHECK(load(with(R"({"a":"x","u":1,"a":2,"[CLS]":7,"[SEP]":8})")).id("a") == 2);
  CHECK(load(with(R"({"a":5,"u":1,"a":2,"[CLS]":7,"[SEP]":8})")).id("a") == 2);
  for (const char* const wrong : {R"({"a":2,"u":1,"a":"x"})", R"({"a":-1,"u":1,"a":"x"})"}) {
    CHECK(refusal(with(wrong)).find("] model.vocab.a: expected an id, got \"x\"") != std::string::npos);
  }
}

TEST_CASE("missing and malformed parts are refused with their place") {
  const auto with = [](std::string JsonParts::*part, std::string json) {
    JsonParts parts;
    parts.*part = std::move(json);
    return refusal(parts);
  };
  CHECK(with(&JsonParts::pre_tokenizer, "null")
            .find("tokenizer.json] pre_tokenizer: expected BertPreTokenizer or Whitespace, got null") !=
        std::string::npos);
  CHECK(
      with(&JsonParts::normalizer, R"({"type":"Sequence","normalizers":[{"type":"Strip"}]})")
          .find("] normalizer.normalizers.type: expected BertNormalizer, NFD, Lowercase, StripAccents or a Sequence of "
                "these, got \"Strip\"") != std::string::npos);
  CHECK(with(&JsonParts::normalizer, R"({"type":"Sequence"})").find("] normalizer.normalizers: expected a list") !=
        std::string::npos);
  CHECK(with(&JsonParts::normalizer, R"({"type":"BertNormalizer"})")
            .find("] normalizer.clean_text: expected true or false, got none") != std::string::npos);
  CHECK(with(&JsonParts::model, R"({"type":"WordPiece"})").find("] model.unk_token: expected a string, got none") !=
        std::string::npos);
  CHECK(with(&JsonParts::model, R"({"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##",)"
                                R"("max_input_chars_per_word":100,"vocab":{"a":-1}})")
            .find("] model.vocab.a: expected an id, got -1") != std::string::npos);
  CHECK(with(&JsonParts::model, R"({"type":"WordPiece","unk_token":"u","continuing_subword_prefix":"##",)"
                                R"("max_input_chars_per_word":100,"vocab":{"a":1,"b":1}})")
            .find("one token per id") != std::string::npos);
  CHECK(with(&JsonParts::rest, R"("added_tokens":[{"content":"x"}])")
            .find("] added_tokens.special: expected true or false, got none") != std::string::npos);
  CHECK(with(&JsonParts::decoder, "\"\\ud800\"").find("tokenizer.json:6]") != std::string::npos);
  CHECK(with(&JsonParts::decoder, "\"\xFF\"").find("tokenizer.json:6] expected UTF-8") != std::string::npos);
}

TEST_CASE("a file nested without end is one refusal that names it") {
  const std::string deep(1'000'000, '[');
  const std::string refused = "expected JSON of at most 100 levels, got more";
  const auto refusal_of = [&](const TemporaryDirectory& directory) {
    std::string message;
    try {
      (void)Tokenizer::load(directory.path());
    } catch (const ConfigError& error) {
      message = error.what();
    }
    return message;
  };
  for (const std::string& content : {deep, "{\"model\": {\"type\": " + deep + std::string(deep.size(), ']') + "}}"}) {
    const TemporaryDirectory directory;
    directory.write("tokenizer.json", content);
    CHECK(refusal_of(directory) == fmt::format("[{}/tokenizer.json:1] {}", directory.path().string(), refused));
    directory.write("tokenizer.json", JsonParts().text());
    directory.write("tokenizer_config.json", "{\n\"model_max_length\": " + content);
    CHECK(refusal_of(directory) == fmt::format("[{}/tokenizer_config.json:2] {}", directory.path().string(), refused));
  }
  for (const std::string name : {"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json"}) {
    const TemporaryDirectory directory;
    directory.write("vocab.txt", kVocabulary);
    directory.write(name, deep);
    CHECK(refusal_of(directory) == fmt::format("[{}/{}:1] {}", directory.path().string(), name, refused));
  }
}

TEST_CASE("a vocabulary without its unknown token works until it is needed") {
  JsonParts parts;
  parts.model =
      R"({"type":"WordPiece","unk_token":"[NO]","continuing_subword_prefix":"##","max_input_chars_per_word":3,"vocab":{"a":1}})";
  const Tokenizer tokenizer = load(parts);
  CHECK(tokenizer.encode("a").ids == Ids{7, 1, 8});
  CHECK_FALSE(tokenizer.unk_id());
  for (const std::string text : {"b", "!", "aaaa", "ab"}) {
    CHECK_THROWS_WITH_AS((void)tokenizer.encode(text), doctest::Contains("'[NO]'"), TextError);
  }
}

TEST_CASE("a directory without a tokenizer is refused") {
  const TemporaryDirectory directory;
  CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()), doctest::Contains("tokenizer.json or vocab.txt"),
                       IoError);
  directory.write("vocab.txt", "a\n\xFF\n");
  CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()), doctest::Contains("vocab.txt:2] expected UTF-8"),
                       ConfigError);
}

TEST_CASE("the configuration beside tokenizer.json gives lengths and names") {
  const TemporaryDirectory directory;
  directory.write("tokenizer.json", JsonParts().text());
  directory.write("tokenizer_config.json", R"({"model_max_length":128,"mask_token":"b","do_lower_case":false})");
  const Tokenizer tokenizer = Tokenizer::load(directory.path());
  CHECK(tokenizer.model_max_length() == 128);
  CHECK(tokenizer.mask_id() == 3);
  REQUIRE(tokenizer.difference());
  CHECK(tokenizer.difference()->find("added tokens 'b'") != std::string::npos);
  CHECK(tokenizer.difference()->ends_with("tokenizer_config.json: do_lower_case without effect, as in transformers"));
  CHECK(tokenizer.notices().back() == *tokenizer.difference());
}

TEST_CASE("a tokenizer that is not BERT's is refused by name, wherever the name stands") {
  const std::pair<const char*, const char*> refused[] = {
      {R"({"tokenizer_class": "BertJapaneseTokenizer"})", "tokenizer_class: expected BertTokenizer or another that"},
      {R"({"tokenizer_class": "MPNetTokenizerFast"})", "got \"MPNetTokenizerFast\""},
      {R"({"tokenizer_class": "MyTokenizer"})", "got \"MyTokenizer\""},
      {R"({"word_tokenizer_type": "mecab"})", "word_tokenizer_type: expected \"basic\", got \"mecab\""},
      {R"({"subword_tokenizer_type": "character"})",
       "subword_tokenizer_type: expected \"wordpiece\", got \"character\""},
      {R"({"auto_map": {"AutoTokenizer": ["own.OwnTokenizer", null]}})",
       "auto_map: expected no tokenizer of its own code, got \"own.OwnTokenizer\""},
  };
  for (const auto* const vocabulary : {"tokenizer.json", "vocab.txt"}) {
    for (const auto* const file : {"config.json", "tokenizer_config.json"}) {
      for (const auto& [content, message] : refused) {
        const TemporaryDirectory directory;
        const bool is_json = std::string_view(vocabulary) == "tokenizer.json";
        directory.write(vocabulary, is_json ? JsonParts().text() : std::string(kVocabulary));
        directory.write(file, content);
        const std::string where = fmt::format("[{}/{}] ", directory.path().string(), file);
        CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()), doctest::Contains((where).c_str()), ConfigError);
        CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()), doctest::Contains(message), ConfigError);
      }
    }
  }
  const TemporaryDirectory directory;
  directory.write("vocab.txt", kVocabulary);
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast"})");
  CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()),
                       doctest::Contains("or a tokenizer.json next to vocab.txt"), ConfigError);
  directory.write(
      "tokenizer_config.json",
      R"({"word_tokenizer_type": "basic", "subword_tokenizer_type": "wordpiece", "auto_map": {"AutoModel": "m.M"}})");
  CHECK(Tokenizer::load(directory.path()).encode("a").ids == Ids{2, 5, 3});
}

TEST_CASE("of the files of one folder the class decides which counts") {
  const TemporaryDirectory directory;
  JsonParts parts;
  parts.normalizer =
      R"({"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":false})";
  directory.write("tokenizer.json", parts.text());
  const auto lower_cases = [&directory] { return Tokenizer::load(directory.path()).normalizer().lowercase; };
  CHECK_FALSE(lower_cases());
  CHECK(Tokenizer::load(directory.path()).class_name().empty());
  CHECK_FALSE(Tokenizer::load(directory.path()).difference());
  directory.write("config.json", R"({"model_type": "bert"})");
  CHECK(lower_cases());
  CHECK(Tokenizer::load(directory.path())
            .difference()
            ->find("BertTokenizer, other files and defaults win: lowercase true, not false") != std::string::npos);
  directory.write("tokenizer_config.json", R"({"tokenizer_class": "PreTrainedTokenizerFast", "do_lower_case": true})");
  CHECK_FALSE(lower_cases());
  directory.write("tokenizer_config.json", R"({"do_lower_case": false})");
  CHECK_FALSE(lower_cases());
  directory.write("config.json", R"({"model_type": "bert", "tokenizer_class": "DPRQuestionEncoderTokenizer"})");
  CHECK(lower_cases());  // whose beginning drops the key
}

TEST_CASE("the side that is cut is the files', unless the way to cut names one") {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", kVocabulary);
  const auto cut = [&](Truncation truncation) {
    return Tokenizer::load(directory.path()).encode("a b", {.truncation = truncation, .max_length = 3}).ids.at(1);
  };
  const auto whole = Tokenizer::load(directory.path()).encode("a b").ids;
  for (const auto* side : {"right", "left"}) {
    directory.write("tokenizer_config.json", fmt::format(R"({{"truncation_side": "{}"}})", side));
    const int32_t kept = std::string_view(side) == "left" ? whole.at(2) : whole.at(1);
    CHECK(cut(Truncation::longest_first) == kept);
    CHECK(cut(Truncation::only_first) == kept);
    CHECK(cut(Truncation::head) == whole.at(1));
    CHECK(cut(Truncation::tail) == whole.at(2));
  }
  directory.write("tokenizer_config.json", R"({"truncation_side": "both"})");
  CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()),
                       doctest::Contains("truncation_side: expected left or right, got \"both\""), ConfigError);
}

namespace {

bool same(const Encoding& a, const Encoding& b) {
  return a.ids == b.ids && a.segments == b.segments && a.offsets == b.offsets && a.words == b.words &&
         a.special == b.special && a.cut == b.cut;
}

}  // namespace

TEST_CASE("one workspace and one encoding serve texts, pairs and words in any order") {
  const Tokenizer tokenizer = small();
  const EncodeOptions cut{.max_length = 5};
  const std::vector<std::string> words{"hello", "", "unaffable", "world"};
  Tokenizer::Workspace workspace;
  Encoding encoding;
  for (int round = 0; round < 3; ++round) {
    tokenizer.encode_words_into(words, {}, workspace, encoding);
    CHECK(same(encoding, tokenizer.encode_words(words)));
    CHECK(encoding.ids == Ids{2, 10, 7, 8, 9, 11, 3});
    tokenizer.encode_into("hello, world b", {}, workspace, encoding);
    CHECK(same(encoding, tokenizer.encode("hello, world b")));
    tokenizer.encode_pair_into("hello world", "unaffable", cut, workspace, encoding);
    CHECK(same(encoding, tokenizer.encode_pair("hello world", "unaffable", cut)));
    CHECK(encoding.cut == 3);
    tokenizer.encode_into("", {}, workspace, encoding);
    CHECK(encoding.ids == Ids{2, 3});
  }
}

TEST_CASE("calls without a workspace leave a small one to each other, and none that a long text has grown") {
  const Tokenizer tokenizer = small();
  const std::string text = "hello unaffable world, hello";
  const auto bytes_of_call = [&](std::string_view one) {
    const size_t before = io::test::allocated_bytes();
    (void)tokenizer.encode(one);
    return io::test::allocated_bytes() - before;
  };
  const size_t first = bytes_of_call(text);
  const size_t second = bytes_of_call(text);
  CHECK(second < first);
  CHECK(second < 50 * text.size());  // the encoding itself, of ten tokens
  std::string long_text;
  for (int i = 0; i < 100'000; ++i) long_text += "hello ";
  (void)bytes_of_call(long_text);
  CHECK(bytes_of_call(text) == first);
  CHECK(bytes_of_call(text) == second);
  tokenizer.release_workspaces();
  CHECK(bytes_of_call(text) == first);
}

TEST_CASE("a vocabulary costs memory by its tokens, not by their ids") {
  JsonParts parts;
  parts.model =
      R"({"type":"WordPiece","unk_token":"a","continuing_subword_prefix":"##","max_input_chars_per_word":100,)"
      R"("vocab":{"a":134217726,"b":3,"##a":0}})";
  const size_t before = io::test::allocated_bytes();
  const Tokenizer tokenizer = load(parts);
  CHECK(io::test::allocated_bytes() - before <
        20'000'000);  // the tables of Unicode; a place for each id took a gigabyte
  CHECK(tokenizer.token(134217726) == "a");
  CHECK(tokenizer.token(3) == "b");
  CHECK(tokenizer.token(0) == "##a");
  CHECK(tokenizer.token(1).empty());
  CHECK(tokenizer.token(134217727).empty());
  CHECK(tokenizer.encode("aa b").ids == Ids{7, 134217726, 0, 3, 8});
}

TEST_CASE("a tokenizer file that is a link without end is refused with the system's reason") {
  for (const char* name : {"tokenizer.json", "vocab.txt"}) {
    const TemporaryDirectory directory;
    std::filesystem::create_symlink(name, directory.path() / name);
    CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()),
                         doctest::Contains("Too many levels of symbolic links"), IoError);
  }
}

TEST_CASE("a token is cleaned up in one pass however many marks it has") {
  JsonParts parts;
  std::string marks;
  for (int i = 0; i < 1'000'000; ++i) marks += " .";  // moving the rest at each would take minutes
  parts.model =
      R"({"type":"WordPiece","unk_token":"a","continuing_subword_prefix":"##","max_input_chars_per_word":100,)"
      R"("vocab":{"a":0,"x)" +
      marks + R"(":1}})";
  CHECK(load(parts).decode(Ids{1, 0}, SpecialTokens::add) == "x" + std::string(1'000'000, '.') + " a");
}

TEST_CASE("an added token of nothing is passed over, and texts are not put between such tokens") {
  const TemporaryDirectory directory;
  directory.write("vocab.txt", kVocabulary);
  directory.write("tokenizer_config.json", R"({"added_tokens_decoder": {"4": {"content": ""}}})");
  CHECK(Tokenizer::load(directory.path()).encode("a").ids == Ids{2, 5, 3});
  directory.write("tokenizer_config.json", "{}");
  directory.write("added_tokens.json", R"({"": 7})");
  CHECK(Tokenizer::load(directory.path()).encode("a").ids == Ids{2, 5, 3});
  for (const std::string key : {"cls_token", "sep_token"}) {
    directory.write("tokenizer_config.json", "{\"" + key + R"(": {"content": ""}})");
    CHECK_THROWS_WITH_AS((void)Tokenizer::load(directory.path()),
                         doctest::Contains((key + ": expected a token that is not empty, got an object").c_str()),
                         ConfigError);
  }
}

TEST_CASE("added tokens cost their number, not its square") {
  JsonParts parts;
  constexpr int32_t kMany = 50'000;  // comparing each with each would take a minute
  parts.rest = R"("truncation":null,"padding":null,"added_tokens":[)";
  for (int32_t i = 0; i < kMany; ++i) {
    parts.rest += fmt::format(R"({}{{"id":{},"content":"<{}>","special":false,"single_word":false,"lstrip":false,)"
                              R"("rstrip":false,"normalized":false}})",
                              i == 0 ? "" : ",", 4 + i, i);
  }
  parts.rest += "]";
  const Tokenizer tokenizer = load(parts);
  CHECK(tokenizer.notices().empty());
  CHECK(tokenizer.encode("<49999><0>b").ids == Ids{7, 4 + kMany - 1, 4, 3, 8});
}

}  // namespace summand::text
