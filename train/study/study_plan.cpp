#include "train/study/study_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json_file.hpp"
#include "model/enum_names.hpp"
#include "train/study/real_number.hpp"
#include "train/tasks/task.hpp"

namespace summand::train {

namespace {

constexpr uint64_t kLastSeed = 1'000'000'000;
constexpr uint64_t kMostSeeds = 10'000, kQuickSeeds = 3;
constexpr uint64_t kLeastLength = 8, kMostLength = 1024;  // of sequences

/// A part of the plan whose keys are all known.
class PlanPart {
 public:
  PlanPart(const JsonObject& object, std::initializer_list<std::string_view> keys) : object_(object) {
    for (const auto& [key, value] : object.json().items()) {
      if (std::ranges::find(keys, key) == keys.end())
        object.refuse(key, fmt::format("one of the keys {}", fmt::join(keys, ", ")));
    }
  }
  [[nodiscard]] std::string string(std::string_view key) const {
    return object_.require(key, object_.string(key), "a string");
  }
  [[nodiscard]] uint64_t number(std::string_view key) const {
    return object_.require(key, object_.number(key), "a whole number");
  }
  [[nodiscard]] double real(std::string_view key) const { return real_number(object_, key); }
  [[nodiscard]] std::optional<double> optional_real(std::string_view key) const {
    return train::optional_real(object_, key);
  }
  [[nodiscard]] std::vector<std::string> names(std::string_view key) const {
    const Json* value = object_.find(key);
    if (value == nullptr || !value->is_array() || value->empty()) object_.refuse(key, "a list of names");
    std::vector<std::string> names;
    for (const Json& name : *value) {
      if (!name.is_string()) object_.refuse(key, "names", name);
      names.push_back(name.get<std::string>());
    }
    return names;
  }
  /// None if the key is absent.
  [[nodiscard]] std::vector<int64_t> numbers(std::string_view key, int64_t most) const {
    std::vector<int64_t> numbers;
    const Json* value = object_.find(key);
    if (value == nullptr) return numbers;
    if (!value->is_array()) object_.refuse(key, "a list of whole numbers");
    for (const Json& number : *value) {
      if (!number.is_number_integer() || number < 1 || number > most)
        object_.refuse(key, fmt::format("whole numbers from 1 to {}", most), number);
      numbers.push_back(number.get<int64_t>());
    }
    return numbers;
  }
  /// Each item of a list of objects.
  template <class Read>
  void each(std::string_view key, Read&& read) const {
    const Json* value = object_.find(key);
    if (value == nullptr || !value->is_array()) object_.refuse(key, "a list of objects");
    for (const Json& item : *value) read(object_.below(key, item));
  }
  /// Each member of an object of objects.
  template <class Read>
  void each_member(std::string_view key, Read&& read) const {
    const JsonObject members = object_.require(key, object_.object(key), "an object");
    for (const auto& [name, value] : members.json().items()) read(name, members.below(name, value));
  }
  [[nodiscard]] const JsonObject& object() const { return object_; }

 private:
  const JsonObject& object_;
};

/// Names become folders.
void require_name(const JsonObject& object, const std::string& name) {
  const bool plain = !name.empty() && std::ranges::all_of(name, [](char one) {
    return (one >= 'a' && one <= 'z') || (one >= '0' && one <= '9') || one == '_';
  });
  if (!plain) object.refuse(name, "a name of small letters, digits and _");
}

template <class Named>
const Named* find_named(const std::vector<Named>& all, std::string_view name) {
  const auto found = std::ranges::find(all, name, &Named::name);
  return found == all.end() ? nullptr : &*found;
}

template <class Named>
void require_known(const JsonObject& object, std::string_view key, const std::vector<Named>& all,
                   const std::string& name) {
  if (find_named(all, name) != nullptr) return;
  std::vector<std::string> names;
  for (const Named& one : all) names.push_back(one.name);
  object.refuse(key, fmt::format("one of {}", fmt::join(names, ", ")), Json(name));
}

void read_training(StudyPlan& plan, const JsonObject& object) {
  const PlanPart part(object,
                      {"steps", "sequences", "learning_rate", "warmup", "schedule", "clip", "beta2", "weight_decay"});
  LearningOptions& learning = plan.learning;
  learning.steps = static_cast<int64_t>(part.number("steps"));
  plan.batch_sequences = part.number("sequences");
  learning.learning_rate = part.real("learning_rate");
  learning.warmup = static_cast<int64_t>(part.number("warmup"));
  const auto schedule = model::value_named<Schedule>(part.string("schedule"));
  if (!schedule) object.refuse("schedule", "linear, cosine or constant");
  learning.schedule = *schedule;
  learning.clip = part.optional_real("clip").value_or(learning.clip);
  learning.adamw.beta2 = part.optional_real("beta2").value_or(learning.adamw.beta2);
  learning.adamw.weight_decay = part.optional_real("weight_decay").value_or(learning.adamw.weight_decay);
  if (plan.batch_sequences == 0) object.refuse("sequences", "1 or more");
  if (const std::string fault = validation_error(learning); !fault.empty()) {
    throw ConfigError(object.where(), fmt::format("training: {}", fault));
  }
}

void read_arm(StudyPlan& plan, const std::string& name, const JsonObject& object) {
  const PlanPart part(object, {"config", "start", "misread", "masked", "predicted", "learning_rate"});
  require_name(object, name);
  Arm arm{.name = name, .config = "{}"};
  if (const auto config = object.object("config")) arm.config = config->json().dump();
  if (const auto start = object.string("start")) {
    const auto value = model::value_named<FirstValues>(*start);
    if (!value) object.refuse("start", "drawn, sum or redrawn");
    arm.start = *value;
  }
  arm.misread = part.optional_real("misread").value_or(0);
  if (arm.misread < 0 || arm.misread > 1) object.refuse("misread", "a probability");
  arm.masked = object.size("masked");
  arm.predicted = object.size("predicted");
  arm.learning_rate = part.optional_real("learning_rate");
  if (arm.learning_rate && *arm.learning_rate <= 0) object.refuse("learning_rate", "above 0");
  plan.arms.push_back(std::move(arm));
}

void read_task(StudyPlan& plan, const std::string& name, const JsonObject& object) {
  const PlanPart part(object, {"task", "separator", "length", "masked", "also_masked"});
  require_name(object, name);
  PlannedTask task{.name = name, .task = part.string("task"), .separator = object.boolean("separator").value_or(false)};
  if (std::ranges::find(task_names(), task.task) == task_names().end()) {
    object.refuse("task", fmt::format("one of {}", fmt::join(task_names(), ", ")));
  }
  task.sizes.length = object.number("length").value_or(task.sizes.length);
  task.sizes.masked = object.number("masked").value_or(task.sizes.masked);
  if (task.sizes.length < kLeastLength || task.sizes.length > kMostLength) {
    object.refuse("length", fmt::format("{} to {}", kLeastLength, kMostLength));
  }
  if (task.sizes.masked == 0 || task.sizes.masked >= task.sizes.length) {
    object.refuse("masked", fmt::format("1 to {}, fewer than the length", task.sizes.length - 1));
  }
  task.also_masked = part.numbers("also_masked", static_cast<int64_t>(task.sizes.length) - 1);
  plan.tasks.push_back(std::move(task));
}

void read_cell(StudyPlan& plan, const JsonObject& object) {
  const PlanPart part(object, {"block", "task", "arms", "seeds", "first_seed", "keep"});
  Cell cell{.block = part.string("block"),
            .task = part.string("task"),
            .arms = part.names("arms"),
            .seeds = part.number("seeds")};
  cell.first_seed = object.number("first_seed").value_or(1);
  if (cell.first_seed > kLastSeed) object.refuse("first_seed", fmt::format("at most {}", kLastSeed));
  if (cell.seeds == 0 || cell.seeds > kMostSeeds) object.refuse("seeds", fmt::format("1 to {}", kMostSeeds));
  cell.keep = part.numbers("keep", plan.learning.steps);
  require_known(object, "task", plan.tasks, cell.task);
  const TaskSizes& sizes = plan.task(cell.task).sizes;
  for (const std::string& name : cell.arms) {
    require_known(object, "arms", plan.arms, name);
    const Arm& arm = plan.arm(name);
    const size_t masked = arm.masked.value_or(sizes.masked);
    if (masked >= sizes.length || arm.predicted.value_or(masked) > masked) {
      object.refuse(
          "arms", fmt::format("arms that mask fewer than {} symbols and predict no more than they mask", sizes.length),
          Json(name));
    }
  }
  plan.cells.push_back(std::move(cell));
}

std::set<uint64_t> seeds_of(const StudyPlan& plan, const std::string& task, const std::string& arm) {
  std::set<uint64_t> seeds;
  for (const Cell& cell : plan.cells) {
    if (cell.task != task || std::ranges::find(cell.arms, arm) == cell.arms.end()) continue;
    for (uint64_t seed = cell.first_seed; seed < cell.first_seed + cell.seeds; ++seed) seeds.insert(seed);
  }
  return seeds;
}

/// Seeds that both arms of a contrast have.
std::vector<uint64_t> shared_seeds(const StudyPlan& plan, const Contrast& contrast) {
  std::vector<uint64_t> shared;
  std::ranges::set_intersection(seeds_of(plan, contrast.task, contrast.arm),
                                seeds_of(plan, contrast.against_task, contrast.against), std::back_inserter(shared));
  return shared;
}

void read_contrast(StudyPlan& plan, const JsonObject& object) {
  const PlanPart part(object, {"family", "task", "arm", "against", "against_task", "stratum", "measure", "margin"});
  Contrast contrast{.family = part.string("family"),
                    .task = part.string("task"),
                    .arm = part.string("arm"),
                    .against = part.string("against"),
                    .against_task = object.string("against_task").value_or(part.string("task"))};
  contrast.stratum = object.string("stratum").value_or("");
  if (const auto measure = object.string("measure")) {
    const auto value = model::value_named<Measure>(*measure);
    if (!value) object.refuse("measure", model::known_names<Measure>());
    contrast.measure = *value;
  }
  contrast.margin = part.optional_real("margin").value_or(plan.margin);
  if (contrast.margin <= 0) object.refuse("margin", "above 0");
  require_known(object, "task", plan.tasks, contrast.task);
  require_known(object, "against_task", plan.tasks, contrast.against_task);
  require_known(object, "arm", plan.arms, contrast.arm);
  require_known(object, "against", plan.arms, contrast.against);
  if (seeds_of(plan, contrast.task, contrast.arm).size() < 2) {
    object.refuse("arm", fmt::format("an arm that runs {} with two seeds or more", contrast.task), Json(contrast.arm));
  }
  if (shared_seeds(plan, contrast).size() < 2) {
    object.refuse("against",
                  fmt::format("an arm that runs {} with two seeds or more of {}", contrast.against_task, contrast.arm),
                  Json(contrast.against));
  }
  const auto others = std::ranges::find(plan.contrasts, contrast.family, &Contrast::family);
  if (others != plan.contrasts.end() && others->measure != contrast.measure) {
    object.refuse("family", "comparisons of one measure alone, since they share a figure", Json(contrast.family));
  }
  plan.contrasts.push_back(contrast);
}

/// Puts tasks or arms in the order of their first use: a JSON object has none.
template <class Named>
void order_as_used(std::vector<Named>& all, const std::vector<std::string>& uses) {
  std::ranges::stable_sort(all, {}, [&](const Named& one) { return std::ranges::find(uses, one.name) - uses.begin(); });
}

void order_as_used(StudyPlan& plan) {
  std::vector<std::string> tasks, arms;
  for (const Cell& cell : plan.cells) {
    tasks.push_back(cell.task);
    arms.insert(arms.end(), cell.arms.begin(), cell.arms.end());
  }
  order_as_used(plan.tasks, tasks);
  order_as_used(plan.arms, arms);
}

StudyPlan shortened(const StudyPlan& plan) {
  StudyPlan shorter = plan;
  shorter.learning.steps = std::max<int64_t>(1, plan.learning.steps / 2);
  std::erase_if(shorter.contrasts, [](const Contrast& one) { return one.family != kPrimary && one.family != kAssay; });
  shorter.cells.clear();
  for (const Contrast& contrast : shorter.contrasts) {
    std::vector<uint64_t> seeds = shared_seeds(plan, contrast);
    seeds.resize(std::min<size_t>(seeds.size(), kQuickSeeds));
    for (const uint64_t seed : seeds) {
      const auto add = [&](const std::string& task, const std::string& arm) {
        shorter.cells.push_back({.block = "quick", .task = task, .arms = {arm}, .first_seed = seed, .seeds = 1});
      };
      add(contrast.task, contrast.arm);
      add(contrast.against_task, contrast.against);
    }
  }
  return shorter;
}

}  // namespace

std::span<const model::EnumName<Measure>> enum_names(Measure) {
  static constexpr std::array names{
      model::EnumName{Measure::excess, "excess"},
      model::EnumName{Measure::distance_share, "distance_share"},
      model::EnumName{Measure::circle_share, "circle_share"},
  };
  return names;
}

const Arm& StudyPlan::arm(std::string_view name_of_arm) const {
  const Arm* found = find_named(arms, name_of_arm);
  SUMMAND_ASSERT(found != nullptr);
  return *found;
}

const PlannedTask& StudyPlan::task(std::string_view name_of_task) const {
  const PlannedTask* found = find_named(tasks, name_of_task);
  SUMMAND_ASSERT(found != nullptr);
  return *found;
}

bool StudyPlan::has_primary() const {
  return std::ranges::find(contrasts, kPrimary, &Contrast::family) != contrasts.end();
}

std::string PlannedRun::name() const {
  return fmt::format("{}/{}/{}", task, arm, seed);
}

std::string Contrast::name() const {
  const std::string other = against_task == task ? against : fmt::format("{} of {}", against, against_task);
  std::string what = stratum.empty() ? "" : fmt::format(", {}", stratum);
  if (!is_of_losses()) what += fmt::format(", {}", model::name_of(measure));
  return fmt::format("{}{}: {} − {}", task, what, arm, other);
}

std::vector<PlannedRun> runs_of(const StudyPlan& plan) {
  std::vector<PlannedRun> runs;
  for (const Cell& cell : plan.cells) {
    for (uint64_t seed = cell.first_seed; seed < cell.first_seed + cell.seeds; ++seed) {
      for (const std::string& arm : cell.arms) {
        PlannedRun run{.task = cell.task, .arm = arm, .seed = seed, .keep = cell.keep};
        const std::string name = run.name();
        if (std::ranges::find(runs, name, &PlannedRun::name) == runs.end()) runs.push_back(std::move(run));
      }
    }
  }
  return runs;
}

StudyPlan read_plan(const std::filesystem::path& path, bool quick) {
  std::string text = read_json_text(path);
  if (quick) {
    auto json = nlohmann::ordered_json(parse_json(text, path.string()));
    if (json.is_object()) json["quick"] = true;
    text = json.dump(2) + "\n";
  }
  const JsonObject object(parse_json(text, path.string()), path.string());
  const PlanPart part(object, {"name", "model", "training", "evaluation", "margin", "level", "arms", "tasks", "cells",
                               "contrasts", "question", "quick"});
  StudyPlan plan;
  plan.name = part.string("name");
  require_name(object, plan.name);
  plan.question = object.string("question").value_or(plan.question);
  plan.model = object.require("model", object.object("model"), "a config.json").json().dump();
  read_training(plan, object.require("training", object.object("training"), "an object"));
  const JsonObject evaluation = object.require("evaluation", object.object("evaluation"), "an object");
  const PlanPart of_evaluation(evaluation, {"sequences", "every"});
  plan.evaluation_sequences = of_evaluation.number("sequences");
  plan.evaluate_every = static_cast<int64_t>(of_evaluation.number("every"));
  if (plan.evaluation_sequences == 0) evaluation.refuse("sequences", "1 or more");
  if (plan.evaluate_every == 0) evaluation.refuse("every", "1 or more");
  plan.margin = part.real("margin");
  if (plan.margin <= 0 || plan.margin >= 1) object.refuse("margin", "a share of the gap, between 0 and 1");
  plan.level = part.real("level");
  if (plan.level <= 0 || plan.level >= 0.5) object.refuse("level", "between 0 and 0.5");
  part.each_member("arms", [&](const std::string& name, const JsonObject& arm) { read_arm(plan, name, arm); });
  part.each_member("tasks", [&](const std::string& name, const JsonObject& task) { read_task(plan, name, task); });
  part.each("cells", [&](const JsonObject& cell) { read_cell(plan, cell); });
  order_as_used(plan);
  part.each("contrasts", [&](const JsonObject& contrast) { read_contrast(plan, contrast); });
  Hash hash;
  hash.add(text);
  plan.hash = fmt::format("{:016x}", hash.value());
  plan.text = std::move(text);
  if (object.boolean("quick").value_or(false)) plan = shortened(plan);
  if (runs_of(plan).empty()) object.refuse("cells", "a run or more");
  return plan;
}

}  // namespace summand::train
