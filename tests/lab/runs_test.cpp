// Running the subject's model, changed or not, and what is read off the run.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "lab/probing/changed_model.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/results.hpp"
#include "lab/probing/texts.hpp"
#include "reference/bert.hpp"
#include "reference/heads.hpp"
#include "tests/lab/planted_subject.hpp"

using namespace summand;
using namespace summand::lab;

namespace {

constexpr double kSinglePrecision = 2e-5;

const Subject& subject() {
  static const Subject one = planted::checkpoint({64, 32}, [](planted::ThreeTables&) {}, {Head::masked_language});
  return one;
}

Texts some_texts(size_t most) {
  RandomStream stream(1, "texts");
  return texts_of(subject(), {.most = most}, stream);
}

}  // namespace

TEST_CASE("texts are drawn without repetition, cut to their first tokens, and say which tokens are special") {
  const auto& sentences = subject().corpus.sentences;
  const Texts all = some_texts(1000);
  REQUIRE(all.batch.texts() == sentences.size());
  RandomStream stream(1, "texts");
  const Texts few = texts_of(subject(), {.most = 7, .longest = 5, .shortest = 4}, stream);
  REQUIRE(few.batch.texts() == 7);
  for (size_t i = 0; i < 7; ++i) {
    CHECK(few.batch.length(i) <= 5);
    CHECK(few.special[few.batch.offsets[i]]);
    CHECK_FALSE(few.special[few.batch.offsets[i] + 1]);
    CHECK(few.text[few.batch.offsets[i]] == i);
  }
  Subject table;
  CHECK(texts_of(table, {}, stream).batch.texts() == 0);
}

TEST_CASE("the loss of masked tokens is the reference's cross-entropy, and its accuracy its largest logit's") {
  RandomStream stream(2, "masks");
  const auto masked = mask_texts(subject(), some_texts(6), stream);
  REQUIRE(masked.masked.size() >= 6);
  const auto scores = masked_scores(subject().model->engine(), masked);
  const reference::Bert<double> bert(subject().model->config(), subject().model->checkpoint().weights);
  const reference::Heads<double> heads(subject().model->config(), subject().model->checkpoint().weights);
  for (size_t i = 0, text = 0; i < masked.masked.size(); ++i) {
    while (masked.masked[i] >= masked.batch.offsets[text + 1]) ++text;
    CHECK(masked.batch.ids[masked.masked[i]] == subject().model->tokenizer().mask_id().value());
    const size_t row[]{masked.masked[i] - masked.batch.offsets[text]};
    const auto logits = heads.logits(Head::masked_language, bert.run(masked.batch, text), row);
    double total = 0;
    size_t best = 0;
    for (size_t j = 0; j < logits.columns(); ++j) {
      total += std::exp(logits(0, j));
      if (logits(0, j) > logits(0, best)) best = j;
    }
    const auto label = static_cast<size_t>(masked.labels[i]);
    CHECK(std::abs(scores.losses[i] - (std::log(total) - logits(0, label))) < kSinglePrecision);
    CHECK(scores.right[i] == (best == label));
  }
}

TEST_CASE("a changed model has the positions that it was given, more than before if they are more") {
  const Table doubled = subject().positions.replicate(2, 1);
  const auto engine = engine_with_positions(subject(), doubled, 1);
  CHECK(engine.config().max_position_embeddings == 128);
  auto texts = some_texts(4);
  const auto before = run_texts(subject().model->engine(), texts.batch, SentenceVector::mean);
  for (auto& position : texts.batch.positions) position += 64;  // the second copy of the same rows
  const auto after = run_texts(engine, texts.batch, SentenceVector::mean);
  CHECK(before.states.size() == 3);
  CHECK((before.states.back() - after.states.back()).cwiseAbs().maxCoeff() < kSinglePrecision);
  for (const double similarity : cka_by_layer(before, after)) CHECK(similarity == doctest::Approx(1));
  CHECK(cosines_by_row(before.vectors, -after.vectors).maxCoeff() == doctest::Approx(-1));
}

TEST_CASE("a sentence vector is the mean of its tokens' states, or the first one") {
  const auto texts = some_texts(3);
  const auto mean = run_texts(subject().model->engine(), texts.batch, SentenceVector::mean);
  const auto begin = static_cast<Eigen::Index>(texts.batch.offsets[2]);
  const auto length = static_cast<Eigen::Index>(texts.batch.length(2));
  CHECK((mean.vectors.row(2) - mean.states.back().middleRows(begin, length).colwise().mean()).isZero(0));
  CHECK(sentence_vectors(mean.states.back(), texts.batch, SentenceVector::cls).row(2) == mean.states.back().row(begin));
  CHECK(sentence_vector_of(subject()) == SentenceVector::mean);
}

TEST_CASE("states that are all equal are alike only to such states") {
  Results flat{.states = {Table::Ones(4, 3)}, .vectors = {}};
  const Results varied{.states = {Table::Random(4, 3)}, .vectors = {}};
  CHECK(cka_by_layer(flat, flat).front() == 1);
  CHECK(cka_by_layer(flat, varied).front() == 0);
}

TEST_CASE("without a masked-language head there is no loss, and it is said why") {
  const Subject without = planted::checkpoint({64, 32}, [](planted::ThreeTables&) {});
  CHECK(lacks_masked_language(without).value().en == "the checkpoint has no masked-language head");
  CHECK(lacks_masked_language(Subject{}).value().en == "needs a checkpoint, not a table alone");
  CHECK_FALSE(lacks_masked_language(subject()));
}
