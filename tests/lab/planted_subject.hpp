#pragma once

#include <doctest/doctest.h>

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "io/safetensors_writer.hpp"
#include "lab/core/experiment.hpp"
#include "lab/run/laboratory.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"
#include "support/random_model.hpp"
#include "support/tiny_directory.hpp"
#include "tests/lab/planted_outcome.hpp"
#include "tests/lab/words_in.hpp"

/// Checkpoints that tests plant what they look for into, and what an experiment says of them.
namespace planted {

inline constexpr size_t kWords = 26 * 7;  // of the vocabulary, beside the special ones
inline constexpr size_t kMostWords = 60;  // of an answer

/// The three tables of a checkpoint, to be changed.
struct ThreeTables {
  summand::lab::Table tokens;     ///< [vocabulary, hidden]
  summand::lab::Table positions;  ///< [positions, hidden]
  summand::lab::Table segments;   ///< [2, hidden]
};

inline std::string word(size_t number) {
  return {static_cast<char>('a' + number % 26), static_cast<char>('a' + number / 26 % 26)};
}

/// Two-letter words in random order, a third of the texts as pairs.
inline std::string corpus_text() {
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

/// Tokens that no text reaches: kept free, several marks in one, marks as a piece of a word, a letter that is changed.
inline std::string unreached_token(size_t number) {
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

/// The vocabulary of these words, and the corpus in them.
/// @param unreached  tokens behind the words that no text reaches
inline void write_texts(const summand::test::TinyDirectory& directory, size_t unreached = 0) {
  std::string vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n";
  for (size_t i = 0; i < kWords; ++i) vocabulary += word(i) + "\n";
  for (size_t i = 0; i < unreached; ++i) vocabulary += unreached_token(i) + "\n";
  directory.write("vocab.txt", vocabulary);
  directory.write("corpus.jsonl", corpus_text());
}

/// A checkpoint of random tables, all of one size, two layers deep, changed by `plant`; a corpus in its words.
/// @param sizes  rows of the position table, and the width of all three
/// @param heads  that it has besides @param unreached  as in write_texts()
inline summand::lab::Subject checkpoint(summand::lab::Shape sizes, const std::function<void(ThreeTables&)>& plant,
                                        const std::vector<summand::Head>& heads = {}, size_t unreached = 0) {
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

/// Three tables on coordinates of their own, turned so that no coordinate shows it.
inline void disguise_a_concatenation(ThreeTables& tables) {
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

/// What an experiment found, its verdicts, and its answer.
struct Ran : Outcome {
  summand::lab::LocalizedText answer;
};

/// Whether an answer begins with yes, no or partly, or says that it cannot: titles are questions.
inline bool begins_with_an_answer(const std::string& answer) {
  const std::string first = answer.substr(0, answer.find_first_of(".,:"));
  return first == "Yes" || first == "No" || first == "Partly" || first.starts_with("It cannot be told") ||
         first == "Not measured";
}

/// Runs it quickly, and checks what holds of every experiment: numbers or a gap for each claim, a reason in both
/// languages, an answer of at most 60 words that begins as one.
inline Ran run(const summand::lab::Experiment& experiment, const summand::lab::Subject& subject, int threads = 1) {
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
