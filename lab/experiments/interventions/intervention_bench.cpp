#include "lab/experiments/interventions/intervention_bench.hpp"

#include <utility>

#include "lab/core/localize.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

InterventionSize InterventionSize::quick() {
  return {.texts = 8, .longest = 40, .words = 10, .directions = 2, .resamplings = 100, .strengths = {0, 0.5, 2}};
}

InterventionSize InterventionSize::of(const Conditions& conditions) {
  return conditions.quick ? quick() : InterventionSize{};
}

InterventionBench::InterventionBench(const Subject& subject, const Conditions& conditions, Texts texts,
                                     std::string name)
    : subject_(subject),
      conditions_(conditions),
      name_(std::move(name)),
      engine_(changed_model(subject).engine(conditions.threads)),
      undisturbed_(undisturbed(std::move(texts))) {
  RandomStream stream(conditions.seed, "interventions: words dealt, " + name_);
  null_ = response(same_model(subject), CompareStates::all);
  control_ = response(words_dealt(undisturbed_.texts(), stream), CompareStates::all);
}

Response InterventionBench::response(const Intervention& one, CompareStates states) const {
  return {one.name, one.words, change(one, states), {}};
}

std::vector<OutputChange> InterventionBench::changes(const std::function<Intervention(RandomStream&)>& make,
                                                     size_t draws) const {
  std::vector<OutputChange> changes;
  for (size_t i = 0; i < draws; ++i) {
    RandomStream stream(conditions_.seed, fmt::format("interventions: {} {}", name_, i));
    changes.push_back(change(make(stream), CompareStates::skip));
  }
  return changes;
}

Draws InterventionBench::draws(const std::string& of) const {
  return {.seed = conditions_.seed,
          .name = "interventions: bootstrap " + name_ + of,
          .count = InterventionSize::of(conditions_).resamplings,
          .threads = thread_count(conditions_)};
}

Undisturbed InterventionBench::undisturbed(Texts texts) const {
  RandomStream stream(conditions_.seed, "interventions: masks, " + name_);
  return {subject_, engine_, std::move(texts), stream};
}

OutputChange InterventionBench::change(const Intervention& one, CompareStates states) const {
  if (!one.model) return undisturbed_.change(engine_, one.edit, states);
  ChangedModel model = changed_model(subject_);
  one.model(model);
  return undisturbed_.change(model.engine(conditions_.threads), one.edit, states);
}

LocalizedText ResponseNumbers::label(const Response& response, const char* change) const {
  return localize(std::string("interventions.changes.") + change, {{"of", of_}, {"intervention", response.words}});
}

void ResponseNumbers::add(Response& response) const {
  const auto& change = response.change;
  const std::string name = prefix_ + response.name;
  response.vectors = mean_over_texts(change.vectors, bench_.draws(name));
  put(name, label(response, "vectors"), response.vectors, [](const OutputChange& one) { return mean(one.vectors); });
  if (!change.losses.empty()) {
    put(name + "_" + interventions::kLoss, label(response, interventions::kLoss),
        mean_over_texts(change.losses, bench_.draws(name + " loss")),
        [](const OutputChange& one) { return mean(one.losses); });
  }
  if (!change.states.empty()) {
    numbers_.add(with_references(NumberBuilder(name + "_states", label(response, "states"), change.states.back()),
                                 [](const OutputChange& one) { return one.states.back(); }));
  }
}

void ResponseNumbers::ratio(const NumberName& name, const Response& of, const Response& over) const {
  const auto& others = over.change.vectors;
  put(prefix_ + name.name, name.label(), ratio_over_texts(of.change.vectors, others, bench_.draws(name.name)),
      [&](const OutputChange& one) { return ratio_of_means(one.vectors, others); });
}

void ResponseNumbers::put_worth(const std::string& name, const LocalizedText& label, const Response& of,
                                const Yardstick& word, std::span<const size_t> texts) const {
  const auto worth = [&](const Response& response) { return word.worth(response.change.vectors, texts); };
  const auto interval = [&](const Response& response, const char* of_what) {
    return word.interval(response.change.vectors, texts, bench_.draws(name + of_what));
  };
  Number number = NumberBuilder(prefix_ + name, label, worth(of))
                      .null(worth(bench_.null()), bench_.null().words)
                      .control(worth(bench_.control()), bench_.control().words, interval(bench_.control(), " control"));
  number.interval = interval(of, "");
  numbers_.add(std::move(number));
}

void ResponseNumbers::worth(const NumberName& name, const Response& of, const Yardstick& word) const {
  put_worth(name.name, name.label(), of, word, first_numbers(of.change.vectors.size()));
}

void ResponseNumbers::worth(const NumberName& family, std::string_view member, const Response& of,
                            const Yardstick& word, std::span<const size_t> texts) const {
  const LocalizedText half = localize(std::string("interventions.halves.") + std::string(member));
  put_worth(family.of(member), family.label({{"half", half}}), of, word, texts);
}

void ResponseNumbers::accuracy(const Response& of) const {
  if (!bench_.has_loss()) return;
  numbers_.add(with_references(NumberBuilder(of.name + "_accuracy", label(of, "accuracy"), of.change.accuracy),
                               [](const OutputChange& one) { return one.accuracy; }));
}

}  // namespace summand::lab
