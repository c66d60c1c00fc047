#include "lab/ledger/ledger.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/utf8.hpp"
#include "tests/lab/words_in.hpp"

namespace summand::lab {

namespace {

using Strings = std::vector<std::string>;

const Strings kTrainedControls{"0.3", "0.7", "0.11", "Q2", "Q8d", "E11", "4.7", "X4"};
constexpr size_t kMostWords = 45;

Strings expected_ids() {
  Strings ids;
  const auto number = [&](const std::string& prefix, int last) {
    for (int i = 1; i <= last; ++i) ids.push_back(prefix + std::to_string(i));
  };
  number("0.", 11);
  for (const char* id : {"Q1", "Q2", "Q3", "Q4", "Q5", "Q5b", "Q6", "Q6b", "Q7", "Q8a", "Q8b", "Q8c", "Q8d", "Q9"}) {
    ids.emplace_back(id);
  }
  ids.emplace_back("Q10");
  number("E", 11);
  number("3.", 5);
  number("4.", 11);
  number("X", 4);
  return ids;
}

Strings ids_from(Evidence evidence) {
  Strings ids;
  for (const Claim& claim : ledger()) {
    if (claim.evidence == evidence) ids.push_back(claim.id);
  }
  return ids;
}

std::string document_of(std::string_view id) {
  switch (id.front()) {
    case '0':
      return "000";
    case 'Q':
      return "001";
    case 'E':
      return "002";
    case '3':
      return "003";
    case 'X':
      return kBeyondTheDocuments;
    default:
      return "004";
  }
}

std::u32string characters(std::string_view text) {
  REQUIRE(is_valid_utf8(text));
  std::u32string decoded;
  for (const char* at = text.data(); at < text.data() + text.size();) {
    const auto character = decode_valid_utf8(at);
    decoded += character.code_point;
    at += character.bytes;
  }
  return decoded;
}

bool is_han(char32_t character) {
  return character >= 0x4E00 && character <= 0x9FFF;
}

bool has_han(std::string_view text) {
  return std::ranges::any_of(characters(text), is_han);
}

bool is_mark(char32_t character) {
  return std::u32string_view(U",;:?!()").find(character) != std::u32string::npos;
}

// Chinese sentences take the wide marks.
bool has_narrow_mark_beside_han(std::string_view text) {
  const auto decoded = characters(text);
  for (size_t i = 0; i + 1 < decoded.size(); ++i) {
    if ((is_mark(decoded[i]) && is_han(decoded[i + 1])) || (is_han(decoded[i]) && is_mark(decoded[i + 1]))) return true;
  }
  return false;
}

// "1,800 or .5" → {"1,800", "5"}, sorted.
Strings figures_in(const std::string& text) {
  static const std::regex figure("[0-9]([0-9.,]*[0-9])?");
  Strings figures;
  for (std::sregex_iterator at(text.begin(), text.end(), figure), end; at != end; ++at) figures.push_back(at->str());
  std::ranges::sort(figures);
  return figures;
}

std::vector<LocalizedText> texts_of(const Claim& claim) {
  std::vector<LocalizedText> texts{claim.claim, claim.test};
  if (claim.published != LocalizedText{}) texts.push_back(claim.published);
  if (claim.worked_out != LocalizedText{}) texts.push_back(claim.worked_out);
  return texts;
}

}  // namespace

TEST_CASE("the ledger has every claim once, in the documents' order") {
  Strings ids;
  for (const Claim& claim : ledger()) ids.push_back(claim.id);
  CHECK(ids == expected_ids());
  CHECK(std::set<std::string>(ids.begin(), ids.end()).size() == ids.size());
}

TEST_CASE("every claim belongs to its document") {
  Strings names;
  for (const Document& document : documents()) {
    names.push_back(document.name);
    CHECK_FALSE(document.title.en.empty());
    CHECK_FALSE(has_han(document.title.en));
    CHECK(has_han(document.title.zh));
    const bool published = document.name != "000" && document.name != kBeyondTheDocuments;
    CHECK(document.address.starts_with("https://") == published);
  }
  CHECK(names == Strings{"000", "001", "002", "003", "004", kBeyondTheDocuments});
  for (const Claim& claim : ledger()) CHECK(claim.document == document_of(claim.id));
}

TEST_CASE("every claim is said and tested in both languages, and quoted where a document makes it") {
  for (const Claim& claim : ledger()) {
    CAPTURE(claim.id);
    const bool quoted = claim.document != kBeyondTheDocuments;
    CHECK(claim.quote.text.empty() != quoted);
    CHECK((claim.quote.line > 0) == quoted);
    CHECK(has_han(claim.quote.text) == (quoted && claim.document != "003"));
    for (const LocalizedText& text : texts_of(claim)) {
      CAPTURE(text.en);
      CAPTURE(text.zh);
      CHECK_FALSE(text.en.empty());
      CHECK_FALSE(has_han(text.en));
      CHECK(has_han(text.zh));
      CHECK_FALSE(has_narrow_mark_beside_han(text.zh));
      CHECK((text.en.ends_with(".") && text.zh.ends_with("。")));
    }
  }
}

TEST_CASE("claims and tests are short") {
  for (const Claim& claim : ledger()) {
    CAPTURE(claim.id);
    CHECK(words_in(claim.claim.en) <= kMostWords);
    CHECK(words_in(claim.test.en) <= kMostWords);
  }
}

TEST_CASE("in a line a claim has at most ten words") {
  constexpr size_t kMostCharacters = 26;
  for (const Claim& claim : ledger()) {
    CAPTURE(claim.id);
    CHECK_FALSE(claim.brief.en.empty());
    CHECK_FALSE(has_han(claim.brief.en));
    CHECK(words_in(claim.brief.en) <= 10);
    CHECK_FALSE(claim.brief.en.ends_with("."));
    CHECK(has_han(claim.brief.zh));
    CHECK_FALSE(has_narrow_mark_beside_han(claim.brief.zh));
    CHECK(characters(claim.brief.zh).size() <= kMostCharacters);
  }
}

TEST_CASE("evidence comes from the checkpoint, or from training") {
  CHECK(ids_from(Evidence::trained_controls) == kTrainedControls);
  CHECK(ids_from(Evidence::checkpoint).size() == ledger().size() - kTrainedControls.size());
}

TEST_CASE("both languages print the same published figures") {
  for (const Claim& claim : ledger()) {
    CAPTURE(claim.id);
    CHECK(figures_in(claim.published.en) == figures_in(claim.published.zh));
    CHECK(figures_in(claim.worked_out.en) == figures_in(claim.worked_out.zh));
  }
}

TEST_CASE("nothing that we computed stands under what is published; what was read in an abstract alone says so") {
  const auto count = [](const std::string& text, std::string_view part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const Claim& claim : ledger()) {
    CAPTURE(claim.id);
    const auto& [en, zh] = claim.published;
    CHECK((count(en, "computed") == 0 && count(zh, "自算") == 0));
    CHECK(count(en, ", abstract: ") == count(zh, "，摘要："));
    size_t abstracts = 0;
    for (const char* source : {"Luo", "Hallam", "LessWrong", "Shinn", "Wang et al. 2021", "Wei et al."}) {
      abstracts += count(en, source);
    }
    CHECK(abstracts == count(en, ", abstract: "));
  }
}

// The one result that the claims' page knows from memory alone.
TEST_CASE("nothing known from memory alone is printed") {
  CHECK(claim("Q1").published == LocalizedText{});
  for (const Claim& claim : ledger()) {
    for (const LocalizedText& text : texts_of(claim)) CHECK((text.en + text.zh).find("Reformer") == std::string::npos);
  }
}

TEST_CASE("a claim is found by its id") {
  CHECK(claim("Q8c").document == "001");
  CHECK(&claim("X4") == &ledger().back());
  CHECK_THROWS_WITH_AS((void)claim("Q8"), "the ledger has no claim 'Q8'", std::out_of_range);
}

TEST_CASE("the studies answer every claim that no checkpoint can tell, and say what training tells of others") {
  for (const Claim& claim : ledger()) {
    CAPTURE(claim.id);
    CHECK((claim.study != nullptr || claim.evidence != Evidence::trained_controls));
    if (claim.study == nullptr) continue;
    const StudyAnswer& study = *claim.study;
    CHECK(study.claim == claim.id);
    CHECK((study.verdict == Observation::holds || study.verdict == Observation::fails ||
           study.verdict == Observation::cannot_be_told || study.verdict == Observation::not_judged));
    CHECK(study.text.en.ends_with("."));
    CHECK(study.text.zh.ends_with("。"));
    CHECK_FALSE(has_han(study.text.en));
    CHECK_FALSE(has_narrow_mark_beside_han(study.text.zh));
    CHECK(figures_in(study.text.en) == figures_in(study.text.zh));
    CHECK(study.text.en.find_first_of("{}") == std::string::npos);
  }
  for (const char* id : {"0.2", "0.6", "Q9", "4.4", "4.8"}) CHECK(claim(id).study != nullptr);
  CHECK(study_answer("3.1") == nullptr);
  for (const StudyAnswer& answer : study_answers()) CHECK_NOTHROW((void)claim(answer.claim));
}

}  // namespace summand::lab
