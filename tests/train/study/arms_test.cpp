// Arms of a seed before their first step: the same data, the same numbers, and the sum where the plan says so.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "train/network/network.hpp"
#include "train/study/arm_model.hpp"
#include "train/study/study_batch.hpp"
#include "train/study/study_evaluation.hpp"

// libtorch has a CHECK of its own, which ends the program.
#undef CHECK
#define CHECK DOCTEST_CHECK

namespace summand::train {

namespace {

constexpr uint64_t kSeed = 7;
constexpr double kAgree = 1e-5;  // logits of a few units in single precision; a gate's factor passes a normalisation

StudyPlan plan_of() {
  StudyPlan plan;
  plan.name = "arms";
  plan.model = R"({"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2, "intermediate_size": 32,
                   "hidden_act": "gelu", "initializer_range": 0.3, "tie_word_embeddings": false})";
  return plan;
}

std::unique_ptr<Task> task_of(std::string_view name) {
  return make_task(name, {.length = 10, .masked = 3}, kSeed);
}

Arm arm(const std::string& name, const std::string& summand, FirstValues start = FirstValues::drawn) {
  return {.name = name, .config = R"({"summand": )" + summand + "}", .start = start};
}

const Arm kSum{.name = "sum", .config = "{}"};

std::vector<Arm> arms_that_start_as_the_sum() {
  return {arm("concatenate", R"({"composition": "concatenate_project"})", FirstValues::sum),
          arm("vector_gate", R"({"composition": "vector_gate"})", FirstValues::sum),
          arm("scalar_gate", R"({"composition": "scalar_gate"})", FirstValues::sum),
          arm("joint", R"({"composition": "joint_table", "position_kind": "none", "segment_kind": "none"})",
              FirstValues::sum)};
}

InitialModel model_of(const Arm& of, const Task& task, bool separator = false, uint64_t seed = kSeed) {
  return arm_model(plan_of(), of, task, separator, seed);
}

/// The logits of what some evaluation sequences ask.
at::Tensor logits_of(const Arm& of, const Task& task, bool separator = false) {
  const InitialModel initial = model_of(of, task, separator);
  const Network network(initial.config, initial.parts, initial.weights);
  std::vector<TaskSequence> sequences;
  for (uint64_t index = 0; index < 12; ++index) sequences.push_back(task.draw(DataPart::evaluation, index));
  const MaskedBatch batch = study_batch(task, sequences, {.separator = separator}, 0);
  const Pass pass = network.run(batch.batch, nullptr, batch.predicted);
  const at::Tensor logits = task.masks() ? network.logits(model::Head::masked_language, pass, batch.predicted)
                                         : network.logits(model::Head::token_classification, pass);
  return logits.detach().clone();
}

double furthest(const at::Tensor& one, const at::Tensor& other) {
  REQUIRE(one.sizes() == other.sizes());
  return (one - other).abs().max().item<double>();
}

bool same_bytes(const model::Tensor& one, const model::Tensor& other) {
  return std::ranges::equal(one.bytes, other.bytes);
}

/// Whether the values are all the same, as of biases and normalisations: no draw decides them.
bool is_constant(const model::Tensor& tensor) {
  const auto values = model::to_floats(tensor);
  return std::ranges::all_of(values, [&](float value) { return value == values.front(); });
}

}  // namespace

TEST_CASE("an arm that starts as the sum computes the sum's logits at its first step") {
  for (const auto* name : {"combined", "interaction"}) {
    const auto task = task_of(name);
    for (const bool separator : {false, true}) {
      const at::Tensor sum = logits_of(kSum, *task, separator);
      REQUIRE(sum.abs().max().item<double>() > 0.3);
      for (Arm one : arms_that_start_as_the_sum()) {
        CAPTURE(name);
        CAPTURE(one.name);
        CHECK(furthest(logits_of(one, *task, separator), sum) <= kAgree);
        one.start = FirstValues::drawn;  // which is not the sum by itself
        CHECK(furthest(logits_of(one, *task, separator), sum) > 100 * kAgree);
      }
    }
  }
}

TEST_CASE("what is compared depends on position and segment") {
  // Arms that lack one have other logits: the agreement above is about all three.
  const auto task = task_of("combined");
  const at::Tensor sum = logits_of(kSum, *task);
  for (const auto* lacks : {R"({"position_kind": "none"})", R"({"segment_kind": "none"})"}) {
    CHECK(furthest(logits_of(arm("lacking", lacks), *task), sum) > 100 * kAgree);
  }
}

TEST_CASE("arms of a seed have the same bytes in each parameter that both have, but for those that the start sets") {
  std::vector<Arm> arms = arms_that_start_as_the_sum();
  for (Arm drawn : arms_that_start_as_the_sum()) {
    drawn.name += "_drawn";
    drawn.start = FirstValues::drawn;
    arms.push_back(drawn);
  }
  arms.push_back(arm("none", R"({"position_kind": "none"})"));
  arms.push_back(arm("own_projections", R"({"position_kind": "none", "position_attention": "tupe_absolute"})"));
  arms.push_back(kSum);
  for (const auto* name : {"combined", "interaction"}) {
    const auto task = task_of(name);
    std::map<std::string, model::Weights> weights;
    for (const Arm& one : arms) weights[one.name] = model_of(one, *task).weights;
    for (const auto& [one, of_one] : weights) {
      for (const auto& [other, of_other] : weights) {
        size_t shared = 0;
        for (const auto& [parameter, tensor] : of_one) {
          if (!of_other.contains(parameter)) continue;
          const bool set = parameter.find("composition") != std::string::npos ||  // zeros, or identities
                           tensor.shape != of_other.at(parameter).shape;          // a table of all three
          if (set) continue;
          CAPTURE(one);
          CAPTURE(other);
          CAPTURE(parameter);
          if (one.find("joint") == 0 && other.find("joint") == 0 && parameter.find("word") != std::string::npos)
            continue;
          CHECK(same_bytes(tensor, of_other.at(parameter)));
          ++shared;
        }
        CHECK(shared >= 35);  // of two layers, the normalisation of the embeddings and the head
      }
    }
  }
}

TEST_CASE("a redrawn arm differs in everything that is drawn, and in nothing else") {
  const auto task = task_of("combined");
  const model::Weights sum = model_of(kSum, *task).weights;
  const model::Weights redrawn =
      model_of({.name = "redrawn", .config = "{}", .start = FirstValues::redrawn}, *task).weights;
  const model::Weights again = model_of(kSum, *task).weights, next = model_of(kSum, *task, false, kSeed + 1).weights;
  size_t drawn = 0;
  for (const auto& [name, tensor] : sum) {
    CAPTURE(name);
    REQUIRE(redrawn.contains(name));
    CHECK(redrawn.at(name).shape == tensor.shape);
    CHECK(same_bytes(again.at(name), tensor));
    CHECK(same_bytes(redrawn.at(name), tensor) == is_constant(tensor));
    CHECK(same_bytes(next.at(name), tensor) == is_constant(tensor));
    drawn += is_constant(tensor) ? 0 : 1;
  }
  CHECK(drawn >= 15);
}

TEST_CASE("an arm whose composition cannot begin as the sum is refused") {
  const auto task = task_of("combined");
  const auto refusal = [&](const Arm& one) -> std::string {
    try {
      static_cast<void>(model_of(one, *task));
      return "";
    } catch (const ConfigError& error) {
      return error.what();
    }
  };
  for (const auto* composition : {"sum", "scaled_sum", "multiplicative"}) {
    Arm one = arm("other", fmt::format(R"({{"composition": "{}"}})", composition), FirstValues::sum);
    CAPTURE(refusal(one));
    CHECK(refusal(one).find("[arm other] start: expected a composition that begins as the sum") == 0);
    one.start = FirstValues::drawn;
    CHECK(refusal(one) == "");
  }
  const Arm narrow =
      arm("narrow", R"({"composition": "concatenate_project", "composition_token_width": 8})", FirstValues::sum);
  CAPTURE(refusal(narrow));
  CHECK(refusal(narrow).find("[arm narrow] start: expected a composition") == 0);
  Arm tied = arms_that_start_as_the_sum().back();  // joint, whose table is no decoder
  tied.config.insert(1, R"("tie_word_embeddings": true, )");
  CHECK(refusal(tied).find("[arm joint]") == 0);
  CHECK(refusal(arm("wrong", R"({"composition": "concatenation"})")).find("[arm wrong]") == 0);
  CHECK(refusal(arm("misspelt", R"({"compositoin": "sum"})")).find("[arm misspelt]") == 0);
}

TEST_CASE("arms of a seed read the same sequences, and a damaged one reads some symbols wrong") {
  const auto task = task_of("combined");
  std::vector<TaskSequence> sequences;
  for (uint64_t index = 0; index < 200; ++index) sequences.push_back(task->draw(DataPart::training, index));
  const MaskedBatch whole = study_batch(*task, sequences, {}, 3),
                    damaged = study_batch(*task, sequences, {.misread = 0.25}, 3),
                    same = study_batch(*task, sequences, {.misread = 0.25}, 3),
                    other = study_batch(*task, sequences, {.misread = 0.25}, 4);
  CHECK(damaged.predicted == whole.predicted);
  CHECK(damaged.targets == whole.targets);
  const auto& ids = whole.batch.ids;
  size_t seen = 0, wrong = 0;
  for (size_t token = 0; token < ids.size(); ++token) {
    if (ids[token] < kFirstSymbol) {  // special tokens, masked ones among them
      CHECK(damaged.batch.ids[token] == ids[token]);
      continue;
    }
    ++seen;
    wrong += damaged.batch.ids[token] != ids[token] ? 1 : 0;
  }
  // A quarter is drawn anew, of 64 symbols: one of those stays by chance.
  const double share = 0.25 * 63 / 64;
  CHECK(std::abs(static_cast<double>(wrong) - share * static_cast<double>(seen)) <=
        4 * std::sqrt(share * (1 - share) * static_cast<double>(seen)));
  CHECK(std::ranges::equal(damaged.batch.ids, same.batch.ids));
  CHECK(!std::ranges::equal(damaged.batch.ids, other.batch.ids));
}

TEST_CASE("some of the masked symbols are predicted, all of them stay masked") {
  const auto task = make_task("combined", {}, 1);
  std::vector<TaskSequence> sequences;
  for (uint64_t index = 0; index < 20; ++index) sequences.push_back(task->draw(DataPart::training, index, 6));
  const MaskedBatch all = study_batch(*task, sequences, {}, 7);
  Reading reading;
  reading.predicted = 2;
  const MaskedBatch some = study_batch(*task, sequences, reading, 7);
  CHECK(some.batch.ids == all.batch.ids);
  CHECK(all.predicted.size() == 120);
  CHECK(some.predicted.size() == 40);
  CHECK(std::ranges::includes(all.predicted, some.predicted));
  for (size_t index = 0; index < some.predicted.size(); ++index) {
    const auto same = std::ranges::find(all.predicted, some.predicted[index]) - all.predicted.begin();
    CHECK(some.targets[index] == all.targets[static_cast<size_t>(same)]);
  }
  CHECK(study_batch(*task, sequences, reading, 8).predicted != some.predicted);
}

}  // namespace summand::train
