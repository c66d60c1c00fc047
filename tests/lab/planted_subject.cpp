#include "tests/lab/planted_subject.hpp"

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <algorithm>
#include <filesystem>
#include <map>
#include <span>
#include <sstream>

#include "base/random_stream.hpp"
#include "io/safetensors_writer.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/statistics/surrogates.hpp"
#include "support/random_model.hpp"
#include "tests/lab/words_in.hpp"

namespace planted {

namespace {

constexpr size_t kMostWords = 60;  // of an answer

/// Tokens that no text reaches: kept free, several marks in one, marks as a piece of a word, a letter that is changed.
std::string unreached_token(size_t number) {
  switch (number % 4) {
    case 0:
      return "[unused" + std::to_string(number) + "]";
    case 1:
      return "." + std::string(number, '.');
    case 2:
      return "##" + std::string(number, '.');
    default:
      return "É" + std::string(number, 'x');
  }
}

/// Whether an answer begins with yes, no or partly, or says that it cannot: titles are questions.
bool begins_with_an_answer(const std::string& answer) {
  const std::string first = answer.substr(0, answer.find_first_of(".,:"));
  return first == "Yes" || first == "No" || first == "Partly" || first.starts_with("It cannot be told") ||
         first == "Not measured";
}

}  // namespace

std::string word(size_t number) {
  return {static_cast<char>('a' + number % 26), static_cast<char>('a' + number / 26 % 26)};
}

std::string corpus_text() {
  summand::RandomStream stream(3, "test corpus");
  std::ostringstream lines;
  for (size_t text = 0; text < 40; ++text) {
    const auto words = [&] {
      std::string line;
      for (size_t i = 0; i < 6 + stream.below(12); ++i) line += word(stream.below(26) + 26 * stream.below(2)) + " ";
      return line;
    };
    lines << R"({"text": ")" << words() << '"';
    if (text % 3 == 0) lines << R"(, "text_pair": ")" << words() << '"';
    lines << "}\n";
  }
  return lines.str();
}

void write_texts(const summand::test::TinyDirectory& directory, size_t unreached) {
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (size_t i = 0; i < kWords; ++i) vocabulary += word(i) + "\n";
  for (size_t i = 0; i < unreached; ++i) vocabulary += unreached_token(i) + "\n";
  directory.write("vocab.txt", vocabulary);
  directory.write("corpus.jsonl", corpus_text());
}

summand::lab::Subject checkpoint(summand::lab::Shape sizes, const std::function<void(ThreeTables&)>& plant,
                                 const std::vector<summand::Head>& heads, size_t unreached) {
  using namespace summand;
  namespace fs = std::filesystem;
  const test::TinyDirectory directory("planted");
  write_texts(directory, unreached);
  const auto config = test::config_of({.hidden = static_cast<int64_t>(sizes.columns),
                                       .heads = 4,
                                       .intermediate = 96,
                                       .positions = static_cast<int64_t>(sizes.rows),
                                       .vocabulary = static_cast<int64_t>(5 + kWords + unreached)});
  directory.write("config.json", model::to_json(config));
  auto weights = test::random_weights(config, model::ModelParts{.heads = heads}, 5);
  ThreeTables tables;
  const std::map<std::string, lab::Table*> named{{"embeddings.word_embeddings.weight", &tables.tokens},
                                                 {"embeddings.position_embeddings.weight", &tables.positions},
                                                 {"embeddings.token_type_embeddings.weight", &tables.segments}};
  for (const auto& [name, table] : named) {
    const auto values = model::to_doubles(weights.at(name));
    const auto rows = static_cast<Eigen::Index>(weights.at(name).shape[0]);
    *table = Eigen::Map<const lab::Table>(values.data(), rows, static_cast<Eigen::Index>(values.size()) / rows);
  }
  plant(tables);
  for (const auto& [name, table] : named) {
    std::vector<float> values(static_cast<size_t>(table->size()));
    std::ranges::transform(std::span(table->data(), values.size()), values.begin(),
                           [](double value) { return static_cast<float>(value); });
    weights.set(name, model::make_tensor(weights.at(name).shape, values));
  }
  io::write_safetensors(fs::path(directory.name()) / "model.safetensors", weights);
  return lab::load_subject(directory.name(), fs::path(directory.name()) / "corpus.jsonl", 1);
}

void disguise_a_concatenation(ThreeTables& tables) {
  using namespace summand;
  const auto hidden = tables.tokens.cols();
  RandomStream stream(8, "disguise");
  // Directions that the normalisation keeps whole: at right angles to (1, …, 1).
  lab::Table raw = lab::white_noise({static_cast<size_t>(hidden), static_cast<size_t>(hidden) - 1}, stream);
  raw.rowwise() -= raw.colwise().mean().eval();
  const Eigen::HouseholderQR<Eigen::MatrixXd> decomposed{Eigen::MatrixXd(raw)};
  const lab::Table turn =
      lab::Table(decomposed.householderQ() * Eigen::MatrixXd::Identity(hidden, hidden - 1)).transpose();
  const auto put = [&](lab::Table& table, Eigen::Index first, Eigen::Index count, const char* name) {
    RandomStream drawn(21, name);
    lab::Table own = lab::Table::Zero(table.rows(), hidden - 1);
    own.middleCols(first, count) =
        lab::white_noise({static_cast<size_t>(table.rows()), static_cast<size_t>(count)}, drawn);
    table = own * turn;
  };
  put(tables.tokens, 0, hidden - 21, "own tokens");
  put(tables.positions, hidden - 21, 18, "own positions");
  put(tables.segments, hidden - 3, 2, "own segments");
}

Ran run(const summand::lab::Experiment& experiment, const summand::lab::Subject& subject, int threads) {
  using namespace summand::lab;
  CAPTURE(experiment.name);
  Ran ran;
  ran.findings = experiment.run(subject, {.seed = 0, .quick = true, .threads = threads});
  for (const auto& rule : experiment.rules) {
    CAPTURE(rule.claim);
    REQUIRE((ran.findings.gaps.contains(rule.claim) || ran.findings.numbers.contains(rule.claim)));
  }
  ran.verdicts = verdicts_of(experiment, ran.findings);
  for (const auto& [claim, verdict] : ran.verdicts) {
    CAPTURE(claim);
    CHECK_FALSE(verdict.reason.en.empty());
    CHECK_FALSE(verdict.reason.zh.empty());
  }
  ran.answer = experiment.answer(ran.findings, ran.verdicts);
  CAPTURE(ran.answer.en);
  CHECK(words_in(ran.answer.en) > 0);
  CHECK(words_in(ran.answer.en) <= kMostWords);
  CHECK((begins_with_an_answer(ran.answer.en) || experiment.title.en.starts_with("How many")));
  CHECK_FALSE(ran.answer.zh.empty());
  return ran;
}

}  // namespace planted
