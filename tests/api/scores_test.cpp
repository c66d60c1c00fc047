#include "api/heads/scores.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "api/heads/classify.hpp"

using namespace summand;
using namespace summand::api;

namespace {

using Places = std::vector<size_t>;

model::Config classifier(size_t labels, model::ProblemType problem) {
  model::Config config;
  config.labels = model::numbered_labels(labels);
  config.problem_type = problem;
  return config;
}

}  // namespace

TEST_CASE("softmax gives the closed form and survives logits far from zero") {
  const std::vector<float> logits{0.0F, std::log(3.0F)};
  const auto scores = to_scores(logits, ScoreFunction::softmax);
  CHECK(scores[0] == doctest::Approx(0.25).epsilon(1e-7));
  CHECK(scores[1] == doctest::Approx(0.75).epsilon(1e-7));
  const std::vector<float> far{-3e38F, 3e38F, 3e38F};
  CHECK(to_scores(far, ScoreFunction::softmax) == std::vector<double>{0, 0.5, 0.5});
  CHECK(to_scores({}, ScoreFunction::softmax).empty());
}

TEST_CASE("the logistic function is symmetric and does not overflow") {
  CHECK(sigmoid(0) == 0.5);
  CHECK(sigmoid(1000) == 1);
  CHECK(sigmoid(-1000) == 0);
  for (const double x : {0.3, 2.0, 17.0}) CHECK(sigmoid(x) + sigmoid(-x) == doctest::Approx(1).epsilon(1e-15));
  CHECK(sigmoid(std::log(3.0)) == doctest::Approx(0.75).epsilon(1e-15));
}

TEST_CASE("of equal scores the first comes first, and what is not a number comes last") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> scores{1, 3, nan, 3, 2, nan};
  CHECK(largest_indices(scores, 9) == Places{1, 3, 4, 0, 2, 5});
  CHECK(largest_indices(scores, 2) == Places{1, 3});
  CHECK(largest_indices(scores, 0).empty());
}

TEST_CASE("the problem type and the number of labels choose the function") {
  using model::ProblemType;
  const auto of = [](size_t labels, ProblemType problem) { return score_function(classifier(labels, problem)); };
  CHECK(of(3, ProblemType::unspecified) == ScoreFunction::softmax);
  CHECK(of(3, ProblemType::single_label_classification) == ScoreFunction::softmax);
  CHECK(of(3, ProblemType::multi_label_classification) == ScoreFunction::sigmoid);
  CHECK(of(3, ProblemType::regression) == ScoreFunction::identity);
  CHECK(of(1, ProblemType::unspecified) == ScoreFunction::sigmoid);
  CHECK(of(1, ProblemType::single_label_classification) == ScoreFunction::sigmoid);
  CHECK(of(1, ProblemType::multi_label_classification) == ScoreFunction::sigmoid);
  CHECK(of(1, ProblemType::regression) == ScoreFunction::identity);
}

TEST_CASE("a label of several holds above one half, not at it") {
  const auto config = classifier(4, model::ProblemType::multi_label_classification);
  const auto names = [&](std::vector<float> logits, std::optional<size_t> top) {
    std::vector<std::string> list;
    for (const auto& label : rank_labels(config, logits, {.top = top})) list.push_back(label.label);
    return list;
  };
  CHECK(names({0.1F, 0.0F, 2.0F, -1.0F}, {}) == std::vector<std::string>{"LABEL_2", "LABEL_0"});
  CHECK(names({-0.1F, 0.0F, -2.0F, -1.0F}, {}).empty());
  CHECK(names({-0.1F, 0.0F, -2.0F, -1.0F}, 2) == std::vector<std::string>{"LABEL_1", "LABEL_0"});
}
