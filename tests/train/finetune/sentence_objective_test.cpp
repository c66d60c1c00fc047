#include "train/finetune/vectors/sentence_objective.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "io/npy_writer.hpp"
#include "support/random_model.hpp"
#include "train/finetune/vectors/dense_module.hpp"
#include "train/finetune/vectors/gradient_cache.hpp"
#include "train/finetune/vectors/ranking_groups.hpp"
#include "train/finetune/vectors/ranking_loss.hpp"
#include "train/finetune/vectors/sentence_scores.hpp"
#include "train/finetune/vectors/sentence_vectors.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

namespace summand {

namespace {

using train::SentenceLoss;
using Vectors = std::vector<std::vector<double>>;

constexpr double kRounding = 1e-11;
constexpr double kScale = 20;

model::Config small_config() {
  return test::config_of(
      {.hidden = 12, .heads = 3, .intermediate = 20, .layers = 2, .positions = 24, .segments = 2, .vocabulary = 40});
}

/// Rows of texts of 2 to 24 tokens. @param numbers  of each row's texts
train::SentenceRows rows_of_texts(const std::vector<std::vector<int>>& numbers) {
  train::SentenceRows rows{.texts_per_row = numbers.front().size()};
  for (const auto& row : numbers) {
    for (const int number : row) {
      const int length = number == 10 ? 24 : 2 + number;
      train::Sentence text;
      text.number = static_cast<size_t>(number);
      for (int i = 0; i < length; ++i) text.ids.push_back((number * 7 + i * i) % 40);
      text.segments.resize(text.ids.size());
      text.segments.back() = 1;
      rows.texts.push_back(std::move(text));
    }
  }
  return rows;
}

/// Some are equal: rows 0 and 3 have one anchor, rows 1 and 4 one positive, and row 5's positive is row 2's anchor.
train::SentenceRows some_pairs() {
  return rows_of_texts({{0, 1}, {2, 3}, {4, 5}, {0, 6}, {7, 3}, {8, 4}, {9, 10}});
}

/// With hard negatives: row 0's is row 3's positive, and so right for both; row 2's is row 1's positive, and so no
/// negative of rows 1 and 4; row 4's is row 6's anchor; row 5's is its own positive and row 2's anchor.
train::SentenceRows some_triples() {
  return rows_of_texts({{0, 1, 6}, {2, 3, 11}, {4, 5, 3}, {0, 6, 12}, {7, 3, 9}, {8, 4, 4}, {9, 10, 13}});
}

std::vector<size_t> all_rows(const train::SentenceRows& rows) {
  std::vector<size_t> chosen(rows.rows());
  std::iota(chosen.begin(), chosen.end(), size_t{0});
  return chosen;
}

Vectors rows_of(const at::Tensor& tensor) {
  const at::Tensor own = tensor.detach().to(at::kDouble).contiguous();
  Vectors rows;
  for (int64_t row = 0; row < own.size(0); ++row) {
    const double* begin = own.const_data_ptr<double>() + row * own.size(1);
    rows.emplace_back(begin, begin + own.size(1));
  }
  return rows;
}

double cosine(const std::vector<double>& left, const std::vector<double>& right) {
  double product = 0, left_squares = 0, right_squares = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    product += left[i] * right[i];
    left_squares += left[i] * left[i];
    right_squares += right[i] * right[i];
  }
  return product / std::sqrt(left_squares * right_squares);
}

std::vector<at::Tensor> taken_gradients(const train::Network& network) {
  std::vector<at::Tensor> gradients;
  for (const auto& [name, tensor] : network.parameters().all()) {
    gradients.push_back(tensor.grad().defined() ? tensor.grad().clone() : at::zeros_like(tensor.detach()));
    tensor.mutable_grad() = at::Tensor();
  }
  return gradients;
}

/// The largest difference, as a share of the largest gradient.
double apart(const std::vector<at::Tensor>& left, const std::vector<at::Tensor>& right) {
  double worst = 0, most = 0;
  for (size_t i = 0; i < left.size(); ++i) {
    worst = std::max(worst, (left[i] - right[i]).abs().max().item<double>());
    most = std::max(most, right[i].abs().max().item<double>());
  }
  REQUIRE(most > 0);
  return worst / most;
}

/// A teacher's vectors in a file that goes with them.
class TeacherFile {
 public:
  TeacherFile(size_t rows, size_t columns)
      : path_(std::filesystem::temp_directory_path() / ("summand_teacher_" + std::to_string(::getpid()) + ".npy")) {
    numbers_ = at::sin(at::arange(static_cast<int64_t>(rows * columns), at::kDouble)).to(at::kFloat);
    write(rows, columns, "<f4");
  }
  ~TeacherFile() { std::filesystem::remove(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void set(int64_t index, float value) { numbers_[index].fill_(value); }
  void write(size_t rows, size_t columns, const std::string& type) const {
    std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
                         std::to_string(columns) + "), }";
    header.resize(118, ' ');
    std::ofstream file(path_, std::ios::binary);
    file << "\x93NUMPY\x01" << '\0' << '\x76' << '\0' << header.substr(0, 117) << '\n';
    file.write(reinterpret_cast<const char*>(numbers_.const_data_ptr<float>()),
               static_cast<std::streamsize>(numbers_.numel() * 4));
  }
  [[nodiscard]] const at::Tensor& numbers() const { return numbers_; }

 private:
  std::filesystem::path path_;
  at::Tensor numbers_;
};

train::SentenceObjective objective_of(SentenceLoss loss, size_t batch_tokens, model::SentenceModules modules = {}) {
  return train::SentenceObjective({.loss = loss,
                                   .modules = std::move(modules),
                                   .scale = kScale,
                                   .batch_tokens = batch_tokens,
                                   .precision = train::Precision::fp32,
                                   .seed = 5});
}

}  // namespace

TEST_CASE("ranking is the mean cross-entropy of cosines, and right answers are no negatives") {
  // Of pairs: rows 0 and 3, 1 and 4 both ways, 2 with 5. Of hard negatives: row 0's for rows 0 and 3, row 2's for 1 and
  // 4, row 4's for 6, row 5's for 2 and 5.
  for (const auto& [rows, expected_masked] : {std::pair(some_pairs(), 5), std::pair(some_triples(), 12)}) {
    CAPTURE(rows.texts_per_row);
    const auto chosen = all_rows(rows);
    const auto config = small_config();
    const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 3),
                                 {.type = at::kDouble});
    const auto objective = objective_of(SentenceLoss::ranking, 1000);
    const auto vectors = rows_of(objective.vectors(network, rows, chosen));
    const auto number = [&](size_t row, size_t which) { return rows.text(row, which).number; };
    const auto is_right = [&](size_t row, size_t text) {
      bool found = text == number(row, 0);
      for (size_t other = 0; other < chosen.size(); ++other) {
        found = found || (number(other, 0) == number(row, 0) && number(other, 1) == text);
      }
      return found;
    };
    const auto logit = [&](size_t row, size_t other, size_t which) {
      return kScale * cosine(vectors[rows.texts_per_row * row], vectors[rows.texts_per_row * other + which]);
    };
    double sum = 0, right = 0;
    int masked = 0;
    for (size_t row = 0; row < chosen.size(); ++row) {
      const double own = logit(row, row, 1);
      double powers = 1, most = own;
      for (size_t which = 1; which < rows.texts_per_row; ++which) {
        for (size_t other = 0; other < chosen.size(); ++other) {
          if (other == row && which == 1) continue;
          if (is_right(row, number(other, which))) {
            ++masked;
            continue;
          }
          powers += std::exp(logit(row, other, which) - own);
          most = std::max(most, logit(row, other, which));
        }
      }
      sum += std::log(powers);
      right += most == own ? 1 : 0;
    }
    CHECK(masked == expected_masked);
    train::SentenceExamples examples{.rows = rows};
    const auto judgement = train::judge(objective, network, examples);
    const double mean = sum / static_cast<double>(chosen.size());
    CHECK(std::accumulate(judgement.losses.begin(), judgement.losses.end(), 0.0) ==
          doctest::Approx(sum).epsilon(kRounding));
    CHECK(std::accumulate(judgement.hits.begin(), judgement.hits.end(), 0.0) == right);
    model::Config still = config;
    still.hidden_dropout_prob = still.attention_probs_dropout_prob = 0;
    const train::Network trained(still, {}, test::random_weights(config, model::Pooler::absent, 3),
                                 {.type = at::kDouble});
    const auto work = objective.add_gradients(trained, examples, chosen, 1);
    CHECK(std::abs(work.loss - mean) < kRounding);
    CHECK(work.sums.at("right") == right);
    CHECK(work.sums.at("compared") == 7);
    CHECK(work.sums.at("rows") == 7);
  }
}

TEST_CASE("cached gradients are those of all parts in one graph, with dropout, in single precision") {
  auto config = small_config();
  config.hidden_dropout_prob = 0.2;
  config.attention_probs_dropout_prob = 0.1;
  for (const auto& rows : {some_pairs(), some_triples()}) {
    CAPTURE(rows.texts_per_row);
    const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 3));
    const auto chosen = all_rows(rows);
    const std::vector<size_t> ends = train::divide_rows(rows, chosen, 40);
    const size_t parts = ends.size() - 1;
    REQUIRE(parts >= 3);
    const auto vectors = [&](size_t part) {
      const train::Dropout dropout(config, 5, part);
      const auto batch = train::batch_of(rows, std::span(chosen).subspan(ends[part], ends[part + 1] - ends[part]));
      return train::sentence_vectors({}, network, network.run(batch, &dropout), batch);
    };
    const auto loss = [&](const at::Tensor& all) {
      return train::ranking_loss(train::ranking_logits(all, rows, chosen, kScale));
    };
    std::vector<at::Tensor> all;
    for (size_t part = 0; part < parts; ++part) all.push_back(vectors(part));
    const at::Tensor plain = loss(at::cat(all, 0));
    plain.backward();
    const auto want = taken_gradients(network);
    const double value = train::add_cached_gradients(parts, vectors, loss);
    CHECK(value == doctest::Approx(plain.item<double>()).epsilon(1e-6));
    CHECK(apart(taken_gradients(network), want) < 1e-5);  // single precision; sums in another order
    const double again = train::add_cached_gradients(parts, vectors, loss);
    CHECK(again == value);
  }
}

TEST_CASE("without dropout a step's gradients do not depend on its parts, whatever the loss") {
  auto config = small_config();
  config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0;
  const TeacherFile file(14, 12);
  for (const auto& [loss, name] : enum_names(SentenceLoss{})) {
    for (const auto& rows : {some_pairs(), some_triples()}) {
      if (rows.texts_per_row > 2 && loss != SentenceLoss::ranking) continue;
      CAPTURE(name);
      train::SentenceExamples examples{.rows = rows};
      if (loss == SentenceLoss::distillation) {
        examples.rows.texts_per_row = 1;
        examples.teacher = std::make_shared<const train::TeacherVectors>(file.path(), 14, "rows");
      }
      const auto chosen = all_rows(examples.rows);
      examples.teacher_rows = chosen;
      for (size_t row = 0; row < chosen.size(); ++row) examples.labels.push_back(0.25 * static_cast<double>(row) - 0.8);
      const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 3),
                                   {.type = at::kDouble});
      const auto whole = objective_of(loss, 10000).add_gradients(network, examples, chosen, 1);
      const auto want = taken_gradients(network);
      for (const size_t tokens : {size_t{1}, size_t{40}}) {
        const auto parts = objective_of(loss, tokens).add_gradients(network, examples, chosen, 1);
        CHECK(std::abs(parts.loss - whole.loss) < kRounding);
        CHECK(apart(taken_gradients(network), want) < 1e-10);
        CHECK(parts.tokens == whole.tokens);
      }
    }
  }
}

TEST_CASE("cosine and distillation are mean squared errors, and their gradients are finite differences") {
  auto config = small_config();
  config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0;
  const TeacherFile file(14, 5);
  model::SentenceModules modules;
  modules.steps = {train::draw_dense(12, 5, model::TorchActivation::tanh, 1), model::Normalize()};
  for (const SentenceLoss loss : {SentenceLoss::cosine, SentenceLoss::distillation}) {
    CAPTURE(model::name_of(loss));
    train::SentenceExamples examples{.rows = some_pairs()};
    if (loss == SentenceLoss::distillation) {
      examples.rows.texts_per_row = 1;
      examples.teacher = std::make_shared<const train::TeacherVectors>(file.path(), 14, "rows");
    }
    const auto chosen = all_rows(examples.rows);
    examples.teacher_rows = {13, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0};
    for (size_t row = 0; row < chosen.size(); ++row) examples.labels.push_back(0.25 * static_cast<double>(row) - 0.8);
    model::Weights weights = test::random_weights(config, model::Pooler::absent, 3);
    for (const auto& [name, tensor] : train::module_weights(modules)) weights.set(name, tensor);
    const train::Network network(config, {}, weights, {.type = at::kDouble}, train::module_parameters(modules));
    const auto objective = objective_of(loss, 60, modules);
    const auto value = [&] {
      const auto vectors = rows_of(objective.vectors(network, examples.rows, chosen));
      double sum = 0;
      for (size_t row = 0; row < chosen.size(); ++row) {
        if (loss == SentenceLoss::cosine) {
          sum += std::pow(cosine(vectors[2 * row], vectors[2 * row + 1]) - examples.labels[row], 2);
          continue;
        }
        for (size_t i = 0; i < 5; ++i) {
          const auto place = static_cast<int64_t>(5 * examples.teacher_rows[row] + i);
          sum += std::pow(vectors[row][i] - file.numbers()[place].item<double>(), 2) / 5;
        }
      }
      return sum / static_cast<double>(chosen.size());
    };
    const auto work = objective.add_gradients(network, examples, chosen, 1);
    CHECK(std::abs(work.loss - value()) < kRounding);
    for (const auto& [name, tensor] : network.parameters().all()) {
      CAPTURE(name);
      REQUIRE(tensor.grad().defined());
      const auto place = tensor.grad().abs().argmax().item<int64_t>();
      const at::Tensor entry = tensor.detach().view(-1)[place];
      constexpr double kStep = 1e-5;
      entry.add_(kStep);
      const double above = value();
      entry.sub_(2 * kStep);
      const double below = value();
      entry.add_(kStep);
      CHECK(tensor.grad().flatten()[place].item<double>() ==
            doctest::Approx((above - below) / (2 * kStep)).epsilon(1e-5));
    }
  }
}

TEST_CASE("a teacher's file has a finite vector for each row") {
  TeacherFile file(6, 4);
  const std::vector<size_t> chosen{5, 0};
  const train::TeacherVectors teacher(file.path(), 6, "rows.tsv");
  CHECK(teacher.width() == 4);
  CHECK(
      teacher.rows(chosen).flatten().equal(at::cat({file.numbers().narrow(0, 20, 4), file.numbers().narrow(0, 0, 4)})));
  const auto message = [&] {
    try {
      (void)train::TeacherVectors(file.path(), 6, "rows.tsv");
    } catch (const ConfigError& error) {
      return std::string(error.message());
    }
    return std::string("none");
  };
  file.write(12, 2, "<f4");
  CHECK(message() == "expected a vector for each of the 6 rows of rows.tsv, got [12, 2]");
  file.set(7, std::nanf(""));
  file.write(6, 4, "<f4");
  CHECK(message() == "expected finite numbers, got nan at [1, 3]");
  file.write(6, 4, "<i8");
  CHECK(message().find("'<i8'") != std::string::npos);
}

TEST_CASE("rows are divided where their tokens would be too many, and one is never divided") {
  const auto rows = some_pairs();  // 5, 9, 13, 10, 14, 16 and 35 tokens
  const auto chosen = all_rows(rows);
  CHECK(train::divide_rows(rows, chosen, 27) == std::vector<size_t>{0, 3, 5, 6, 7});
  CHECK(train::divide_rows(rows, chosen, 1) == std::vector<size_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(train::divide_rows(rows, chosen, 1000) == std::vector<size_t>{0, 7});
}

TEST_CASE("ranking is judged in even groups of at most 64 rows") {
  CHECK(train::ranking_groups(1) == std::vector<size_t>{0, 1});
  CHECK(train::ranking_groups(64) == std::vector<size_t>{0, 64});
  CHECK(train::ranking_groups(65) == std::vector<size_t>{0, 32, 65});
  CHECK(train::ranking_groups(193) == std::vector<size_t>{0, 48, 96, 144, 193});
  std::vector<std::vector<int>> texts;
  for (int row = 0; row < 65; ++row) texts.push_back({11 + row % 9, row % 5});
  const train::SentenceExamples examples{.rows = rows_of_texts(texts)};
  const auto config = small_config();
  const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 3),
                               {.type = at::kDouble});
  const auto judgement = train::judge(objective_of(SentenceLoss::ranking, 10000), network, examples);
  REQUIRE(judgement.losses.size() == 65);
  for (size_t row = 0; row < 65; ++row) CHECK((judgement.best[row] < 32) == (row < 32));
  const auto again = train::judge(objective_of(SentenceLoss::ranking, 50), network, examples);
  for (size_t row = 0; row < 65; ++row) CHECK(std::abs(again.losses[row] - judgement.losses[row]) < kRounding);
}

TEST_CASE("a row whose other candidates are all right for it is not judged, and not counted in a step") {
  const auto config = small_config();
  const train::Network network(config, {}, test::random_weights(config, model::Pooler::absent, 3),
                               {.type = at::kDouble});
  const auto objective = objective_of(SentenceLoss::ranking, 1000);
  // Text 0 belongs to 1 and 3, so that only row 1 has a wrong text; then a hard negative is wrong for row 0 too.
  for (const auto& [rows, expected] :
       {std::pair(rows_of_texts({{0, 1}, {2, 1}, {0, 3}}), std::vector<uint8_t>{0, 1, 0}),
        std::pair(rows_of_texts({{0, 1}, {2, 1}, {4, 1}}), std::vector<uint8_t>{0, 0, 0}),
        std::pair(rows_of_texts({{0, 1, 5}, {2, 1, 2}}), std::vector<uint8_t>{1, 1}),
        std::pair(rows_of_texts({{5, 1, 0}, {0, 1, 5}, {5, 0, 0}}), std::vector<uint8_t>{0, 1, 0})}) {
    CHECK(train::comparable_rows(rows) == expected);
    const train::SentenceExamples examples{.rows = rows};
    const auto judgement = train::judge(objective, network, examples);
    CHECK(judgement.comparable == expected);
    double hits = 0, losses = 0, count = 0;
    for (size_t row = 0; row < expected.size(); ++row) {
      if (expected[row] == 0) {
        CHECK(judgement.losses[row] == 0);  // whatever the model
        continue;
      }
      ++count;
      hits += judgement.hits[row];
      losses += judgement.losses[row];
    }
    const auto scores = train::sentence_scores(SentenceLoss::ranking, judgement, {.count = 0});
    CHECK(scores[0].value == (count == 0 ? 0 : hits / count));
    CHECK(scores[1].value == doctest::Approx(count == 0 ? 0 : losses / count).epsilon(kRounding));
    model::Config still = config;
    still.hidden_dropout_prob = still.attention_probs_dropout_prob = 0;
    const train::Network trained(still, {}, test::random_weights(config, model::Pooler::absent, 3),
                                 {.type = at::kDouble});
    const auto work = objective.add_gradients(trained, examples, all_rows(rows), 1);
    CHECK(work.sums.at("compared") == count);
    CHECK(work.sums.at("right") == hits);
  }
}

}  // namespace summand
