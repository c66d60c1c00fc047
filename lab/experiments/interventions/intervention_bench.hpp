#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "engine/engine.hpp"
#include "lab/core/experiment.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/number_name.hpp"
#include "lab/experiments/interventions/intervention_figures.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/experiments/interventions/yardstick.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace interventions {
/// Of an intervention's family: how the masked-language loss changes.
inline constexpr const char* kLoss = "loss";
}  // namespace interventions

/// How much of it is done.
struct InterventionSize {
  size_t texts = 32;      ///< of each kind
  size_t longest = 80;    ///< tokens
  size_t words = 30;      ///< times that a word of each text is replaced
  size_t directions = 3;  ///< in which rows are moved
  size_t resamplings = 500;
  std::vector<double> strengths{0, 0.25, 0.5, 0.75, 1.5, 2, 3};

  [[nodiscard]] static InterventionSize quick();
  [[nodiscard]] static InterventionSize of(const Conditions& conditions);
};

/// The model, one kind of texts, and what is done to them, with null and control.
class InterventionBench {
 public:
  /// @param subject, conditions  keeps references to them
  /// @param name  of the texts, for streams: "pairs"
  InterventionBench(const Subject& subject, const Conditions& conditions, Texts texts, std::string name);

  [[nodiscard]] const Texts& texts() const { return undisturbed_.texts(); }
  [[nodiscard]] bool has_loss() const { return undisturbed_.has_loss(); }
  /// The same model written otherwise.
  [[nodiscard]] const Response& null() const { return null_; }
  /// Words dealt anew.
  [[nodiscard]] const Response& control() const { return control_; }

  [[nodiscard]] Response response(const Intervention& one, CompareStates states) const;
  /// Of several draws, each with a stream of its own. @param make  from a stream to an Intervention
  [[nodiscard]] std::vector<OutputChange> changes(const std::function<Intervention(RandomStream&)>& make,
                                                  size_t draws) const;
  /// For resampling texts.
  [[nodiscard]] Draws draws(const std::string& of) const;

 private:
  [[nodiscard]] Undisturbed undisturbed(Texts texts) const;
  [[nodiscard]] OutputChange change(const Intervention& one, CompareStates states) const;

  const Subject& subject_;
  const Conditions& conditions_;
  std::string name_;
  engine::Engine engine_;
  Undisturbed undisturbed_;
  Response null_;
  Response control_;
};

/// Makes numbers of what interventions changed, with what null and control changed of the same texts.
class ResponseNumbers {
 public:
  /// @param bench, numbers  keeps references to them
  /// @param prefix  before every number's name, and `of` before its label
  ResponseNumbers(const InterventionBench& bench, Numbers& numbers, std::string prefix = {}, LocalizedText of = {})
      : bench_(bench), numbers_(numbers), prefix_(std::move(prefix)), of_(std::move(of)) {}

  /// Change of vectors, of loss and of states, as far as measured; the first is noted in the response too.
  void add(Response& response) const;
  /// How many times as much one changes as another.
  void ratio(const NumberName& name, const Response& of, const Response& over) const;
  /// What a change is worth in replaced words.
  void worth(const NumberName& name, const Response& of, const Yardstick& word) const;
  /// The same of some texts: one of a family.
  void worth(const NumberName& family, std::string_view member, const Response& of, const Yardstick& word,
             std::span<const size_t> texts) const;
  /// Nothing without a masked-language head.
  void accuracy(const Response& of) const;

 private:
  /// @param change  which one: "loss"
  [[nodiscard]] LocalizedText label(const Response& response, const char* change) const;
  template <class Of>
  [[nodiscard]] NumberBuilder with_references(NumberBuilder number, const Of& of) const {
    return number.null(of(bench_.null().change), bench_.null().words)
        .control(of(bench_.control().change), bench_.control().words);
  }
  template <class Of>
  void put(const std::string& name, const LocalizedText& label, const Estimate& own, const Of& of) const {
    numbers_.add(with_references(NumberBuilder(name, label, own), of));
  }
  void put_worth(const std::string& name, const LocalizedText& label, const Response& of, const Yardstick& word,
                 std::span<const size_t> texts) const;

  const InterventionBench& bench_;
  Numbers& numbers_;
  std::string prefix_;
  LocalizedText of_;
};

}  // namespace summand::lab
