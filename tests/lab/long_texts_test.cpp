#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/experiments/beyond_the_table/window_numbers.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/long_texts/document_runs.hpp"
#include "lab/probing/joined_texts.hpp"
#include "tests/lab/besides.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;
using Eigen::Index;

namespace {

constexpr int32_t kCls = 2;
constexpr int32_t kSep = 3;

/// A corpus of so many texts of these lengths, each of three words of its own, in the place of the subject's.
void put_texts(Subject& subject, size_t count, size_t shortest, size_t longest) {
  RandomStream stream(11, "long texts test");
  subject.corpus.sentences.clear();
  for (size_t text = 0; text < count; ++text) {
    text::Encoding encoding;
    const size_t length = shortest + stream.below(longest - shortest + 1);
    for (size_t t = 0; t < length + 2; ++t) {
      const bool special = t == 0 || t == length + 1;
      const auto word = static_cast<int32_t>(5 + (3 * text + stream.below(3)) % planted::kWords);
      encoding.ids.push_back(t == 0 ? kCls : special ? kSep : word);
      encoding.special.push_back(special ? 1 : 0);
      encoding.segments.push_back(0);
    }
    subject.corpus.sentences.push_back(std::move(encoding));
  }
}

/// A checkpoint whose position rows come round after `period`, much longer than token rows.
Subject periodic(size_t rows, size_t period) {
  auto subject = planted::checkpoint({rows, 32}, [&](planted::ThreeTables& tables) {
    for (Index row = static_cast<Index>(period); row < tables.positions.rows(); ++row) {
      tables.positions.row(row) = tables.positions.row(row - static_cast<Index>(period));
    }
    tables.positions *= 4;
  });
  put_texts(subject, 40, 6, 20);
  return subject;
}

Number with_interval(const char* name, double low, double high, double null, double control) {
  return NumberBuilder(name, {"n", "数"}, (low + high) / 2)
      .interval({low, high})
      .null(null, {"null", "零"})
      .control(control, {"control", "对照"});
}

}  // namespace

TEST_CASE("joined texts hold their texts' ordinary tokens in order, and none twice before all were there") {
  auto subject = planted::checkpoint({48, 32}, [](planted::ThreeTables&) {});
  put_texts(subject, 9, 3, 7);
  const auto among = texts_of_length(subject, 1, 100);
  CHECK(among.size() == 9);
  RandomStream stream(1, "joined");
  const auto joined = joined_text(subject, among, 80, stream);
  CHECK(joined.ids.size() >= 80);
  REQUIRE(joined.starts.size() == joined.texts.size() + 1);
  std::vector<int32_t> expected;
  for (size_t i = 0; i < joined.texts.size(); ++i) {
    CHECK(joined.starts[i] == expected.size());
    const auto ids = ordinary_tokens(subject, joined.texts[i]);
    CHECK(std::ranges::count(ids, kCls) == 0);
    expected.insert(expected.end(), ids.begin(), ids.end());
  }
  CHECK(joined.ids == expected);
  std::vector<size_t> first(joined.texts.begin(), joined.texts.begin() + 9);
  std::ranges::sort(first);
  CHECK(first == among);
}

TEST_CASE("the longest texts are taken until they have the tokens asked for") {
  auto subject = planted::checkpoint({48, 32}, [](planted::ThreeTables&) {});
  put_texts(subject, 30, 2, 12);
  const auto longest = longest_texts(subject, 40);
  size_t tokens = 0;
  size_t shortest = 100;
  for (const size_t text : longest) {
    const size_t length = ordinary_tokens(subject, text).size();
    tokens += length;
    shortest = std::min(shortest, length);
  }
  CHECK(tokens >= 40);
  CHECK(tokens - shortest < 40);
  CHECK(texts_of_length(subject, shortest + 1, 100).size() <= longest.size());
}

TEST_CASE("Q3: the limit is the tables', and what has them shorter than it says fails") {
  auto subject = periodic(48, 12);
  const auto whole = planted::run(beyond_the_table_experiment(), subject);
  CHECK(whole.observation("Q3") == Observation::holds);
  CHECK(whole.inference("Q3") == Inference::follows);
  CHECK(whole.value("Q3", "longest_text") == 48);
  CHECK(whole.value("Q3", "most_segments") == 2);
  CHECK(whole.findings.numbers.at("Q3").null("longest_text") == 96);
  CHECK(whole.findings.numbers.at("Q3").control("longest_text") == 24);
  planted::check_besides(whole.findings, "Q3");
  // A table of fewer rows than the model takes positions.
  subject.positions = subject.positions.topRows(40).eval();
  const auto shorter = planted::run(beyond_the_table_experiment(), subject);
  CHECK(shorter.observation("Q3") == Observation::fails);
  CHECK(shorter.inference("Q3") == Inference::does_not_follow);
}

TEST_CASE("Q3: a table that comes round is continued by itself, and not by its last row") {
  const auto subject = periodic(48, 12);
  const auto experiment = beyond_the_table_experiment();
  const auto ran = planted::outcome_of(experiment, subject, {.seed = 5, .quick = false, .threads = 1});
  // As like what stands within the table as another place in it, where the last row is as noise.
  const Numbers& numbers = ran.findings.numbers.at("Q3");
  const double place = numbers.control("tokens_tiled");
  const double noise = numbers.null("tokens_tiled");
  const auto from = [&](double level, const char* way) { return std::abs(numbers.value(way) - level); };
  CHECK(from(place, "tokens_tiled") < 0.1 * std::abs(place - noise));
  CHECK(from(noise, "tokens_clamped") < 0.1 * std::abs(place - noise));
  CHECK(ran.inference("Q3") == Inference::follows);  // of the code; what can be made is measured
  CHECK(experiment.answer(ran.findings, ran.verdicts).en.find("rows can be made") != std::string::npos);
  planted::check_besides(ran.findings, "Q3");
  // A quick run leaves whole texts out, and does not say so much.
  const auto quick = planted::run(experiment, subject);
  CHECK(quick.answer.en.find("is open") != std::string::npos);
}

TEST_CASE("Q3: where positions make no difference, nothing is said of rows that could be made") {
  auto subject = planted::checkpoint({48, 32}, [](planted::ThreeTables& tables) {
    tables.positions = tables.positions.row(0).replicate(tables.positions.rows(), 1).eval();
  });
  put_texts(subject, 40, 6, 20);
  const auto ran = planted::run(beyond_the_table_experiment(), subject);
  CHECK(ran.observation("Q3") == Observation::holds);
  CHECK(ran.answer.en.find("is open") != std::string::npos);
}

TEST_CASE("Q3: what is found does not depend on the number of threads") {
  const auto subject = periodic(48, 12);
  const auto one = planted::run(beyond_the_table_experiment(), subject, 1);
  const auto two = planted::run(beyond_the_table_experiment(), subject, 2);
  for (const auto& number : one.findings.numbers.at("Q3").all()) {
    CAPTURE(number.name);
    CHECK(number.value == two.value("Q3", number.name));
  }
}

TEST_CASE("Q3: a masked-language head gives losses and accuracies, and a full run three times the length") {
  const test::TinyDirectory directory("long_masked", 3, {.heads = {model::Head::masked_language}});
  auto subject = load_subject(directory.name(), {}, 1);
  const auto findings = beyond_the_table_experiment().run(subject, {.seed = 0, .quick = false, .threads = 1});
  const Numbers& numbers = findings.numbers.at("Q3");
  for (const char* name : {"loss_tiled", "right_tiled", "far_tokens_tiled"}) {
    CAPTURE(name);
    CHECK(std::isfinite(numbers.value(name)));
    CHECK(std::isfinite(numbers.null(name)));
    CHECK(std::isfinite(numbers.control(name)));
  }
  CHECK(numbers.value("loss_tiled") > 0);
  // Random weights: noise takes nothing away, and no part of nothing is kept.
  CHECK(find_number(numbers, "kept_tiled") == nullptr);
  CHECK(findings.figures.size() == 2);
}

TEST_CASE("Q3: few windows with a masked word have no losses, and it is said; vectors are compared all the same") {
  const auto subject = planted::checkpoint({16, 32}, [](planted::ThreeTables&) {}, {model::Head::masked_language});
  std::set<bool> met;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const auto findings = beyond_the_table_experiment().run(subject, {.seed = seed, .quick = true, .threads = 1});
    const Numbers& numbers = findings.numbers.at("Q3");
    CHECK(numbers.at("tokens_tiled").interval);
    const Number* loss = find_number(numbers, "loss_tiled");
    const bool said = std::ranges::any_of(findings.remarks, [](const LocalizedText& remark) {
      return remark.en.find("needs at least 4 windows beyond the table with a masked word") != std::string::npos;
    });
    CHECK((loss == nullptr) == said);
    if (loss != nullptr) CHECK(loss->interval);
    met.insert(said);
  }
  CHECK(met.size() == 2);
}

TEST_CASE("Q10: few texts that can be sought are a gap, more have intervals") {
  auto subject = planted::checkpoint({32, 32}, [](planted::ThreeTables&) {});
  std::set<bool> met;
  for (size_t texts = 6; texts < 16; ++texts) {
    put_texts(subject, texts, 8, 8);
    const auto ran = planted::run(long_texts_experiment(), subject);
    const auto gap = ran.findings.gaps.find("Q10");
    const bool few = gap != ran.findings.gaps.end();
    CAPTURE(texts);
    if (few) CHECK(gap->second.en.starts_with("needs"));
    if (!few) CHECK(ran.findings.numbers.at("Q10").at("cut_gain").interval);
    if (few && gap->second.en.starts_with("needs at least 4 short texts")) met.insert(true);
    if (!few) met.insert(false);
  }
  CHECK(met.size() == 2);
}

TEST_CASE("Q3 and Q10: a table alone, few rows and no texts are gaps") {
  auto table = planted::subject_of(planted::sine(64, 16));
  auto few = planted::checkpoint({12, 32}, [](planted::ThreeTables&) {});
  auto silent = planted::checkpoint({48, 32}, [](planted::ThreeTables&) {});
  silent.corpus.sentences.clear();
  for (const Subject* subject : {&table, &few, &silent}) {
    const auto beyond = planted::outcome_of(beyond_the_table_experiment(), *subject);
    CHECK(beyond.observation("Q3") == Observation::not_measured);
    const auto texts = planted::outcome_of(long_texts_experiment(), *subject);
    CHECK(texts.observation("Q10") == Observation::not_measured);
  }
}

TEST_CASE("Q10: windows find what the head has cut, unless tokens say nothing; neither is judged") {
  auto subject = planted::checkpoint({128, 32}, [](planted::ThreeTables& tables) { tables.positions *= 0.1; });
  put_texts(subject, 60, 6, 12);
  const auto experiment = long_texts_experiment();
  const auto ran = planted::outcome_of(experiment, subject, {.seed = 5, .quick = false, .threads = 1});
  CHECK(ran.observation("Q10") == Observation::not_judged);
  CHECK(ran.inference("Q10") == Inference::not_tested);
  CHECK(experiment.answer(ran.findings, ran.verdicts).en.find("windows keep it") != std::string::npos);
  CHECK(ran.value("Q10", "cut_windows") > ran.value("Q10", "cut_head"));
  CHECK(ran.findings.numbers.at("Q10").at("cut_gain").interval->low > 0);
  CHECK(ran.value("Q10", "content_windows") > ran.value("Q10", "content_head"));
  planted::check_besides(ran.findings, "Q10");

  auto mute = planted::checkpoint({48, 32}, [](planted::ThreeTables& tables) {
    tables.tokens = tables.tokens.row(0).replicate(tables.tokens.rows(), 1).eval();
    tables.positions.setZero();
  });
  put_texts(mute, 60, 4, 12);
  CHECK(planted::run(experiment, mute).answer.en.find("cannot be told") != std::string::npos);
}

TEST_CASE("Q10: what is found is counted for each sentence, over the documents that have it") {
  Documents documents;
  documents.sentences = {{0, 1}, {1, 2}, {2}};
  documents.places = {{.document = 0, .sentence = 0},
                      {.document = 0, .sentence = 1},
                      {.document = 1, .sentence = 1},
                      {.document = 1, .sentence = 2},
                      {.document = 2, .sentence = 2, .beyond_head = true}};
  Table sentences = Table::Identity(4, 4);
  Table vectors(3, 4);
  vectors << 1, 1, 0, 0,  //
      0, 1, 0, 0,         // lacks what sentence 2 has
      0, 0, 1, 0;
  const std::vector<size_t> own{0, 1, 2};
  const auto all = found(vectors, documents, sentences, own, {});
  REQUIRE(all.size() == 4);
  CHECK(all[0] == 1);     // nearer to document 0 than to 1 and 2
  CHECK(all[1] == 1);     // twice against document 2
  CHECK(all[2] == 0.75);  // document 1 against 0 a tie, document 2 against 0 right
  CHECK(std::isnan(all[3]));
  const auto beyond = found(vectors, documents, sentences, own, {.part = {}, .beyond_head = true});
  CHECK(beyond[2] == 1);
  CHECK(std::isnan(beyond[0]));
}

TEST_CASE("Q3: what is said of rows that could be made turns with what the ways keep, and with a loss") {
  const auto experiment = beyond_the_table_experiment();
  const auto at = [&](Interval best, Interval others, double control, std::vector<Number> more) {
    Findings findings;
    Numbers& numbers = findings.numbers["Q3"];
    numbers.add(with_interval("longest_text", 8, 8, 16, 4));
    numbers.add(with_interval("position_rows", 8, 8, 16, 4));
    numbers.add(with_interval("most_segments", 2, 2, 3, 1));
    numbers.add(with_interval("segment_rows", 2, 2, 3, 1));
    for (const std::string way : kWaysBeyond) {
      const auto& kept = way == "tiled" ? best : others;
      // As they are measured: of less than .02 no part is kept.
      if (control - 0.5 >= 0.02) numbers.add(with_interval(("kept_" + way).c_str(), kept.low, kept.high, 0, 1));
      numbers.add(with_interval(("tokens_" + way).c_str(), 0, 1, 0.5, control));
    }
    for (const auto& number : more) numbers.add(number);
    const auto verdict = experiment.rules.front().judge(numbers);
    CHECK(verdict.observation == Observation::holds);
    CHECK(verdict.inference == Inference::follows);
    const std::string answer = experiment.answer(findings, {{"Q3", verdict}}).en;
    for (const char* said : {"rows can be made.", "no way of making rows works", "is open"}) {
      if (answer.find(said) != std::string::npos) return std::string(said);
    }
    return answer;
  };
  const std::string yes = "rows can be made.";
  const std::string no = "no way of making rows works";
  const std::string open = "is open";
  const Interval lost{0.1, 0.3};
  const Number whole = with_interval("kept_text_tiled", 0.85, 0.95, 0, 1);
  CHECK(at({0.85, 0.95}, lost, 0.9, {whole}) == yes);
  CHECK(at({0.85, 0.95}, lost, 0.9, {}) == open);
  CHECK(at({0.85, 0.95}, lost, 0.9, {with_interval("kept_text_tiled", 0.2, 0.4, 0, 1)}) == open);
  CHECK(at({0.7, 0.95}, lost, 0.9, {whole}) == open);
  CHECK(at(lost, lost, 0.9, {}) == no);
  CHECK(at(lost, {0.3, 0.6}, 0.9, {}) == open);
  CHECK(at({0.85, 0.95}, lost, 0.51, {whole}) == open);
  const Number told = with_interval("loss_tiled", 2, 3, 4, 2);
  CHECK(at({0.85, 0.95}, lost, 0.9, {whole, told, with_interval("kept_loss_tiled", 0.5, 0.9, 0, 1)}) == open);
  CHECK(at({0.85, 0.95}, lost, 0.9, {whole, with_interval("loss_tiled", 2, 3, 2, 2)}) == yes);
  // What the loss keeps is not lost, whatever the vectors do.
  CHECK(at(lost, lost, 0.9, {told, with_interval("kept_loss_tiled", 0.2, 0.9, 0, 1)}) == open);
}
