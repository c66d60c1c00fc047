#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "lab/core/figure.hpp"
#include "lab/core/localize.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/verdict.hpp"

namespace summand::lab {

struct Subject;

/// How an experiment runs.
struct Conditions {
  uint64_t seed = 0;   ///< every draw comes from RandomStream(seed, name)
  bool quick = false;  ///< fewer draws and repetitions; what is left out goes into Findings::left_out
  int threads = 1;     ///< at least 1, of the shared pool; results do not depend on it
  /// Told how much of the experiment is done, from 0 to 1. Throws to stop it.
  std::function<void(double)> progress = [](double) {};
};

/// Key of numbers that decide no claim, such as figures that somebody published.
inline constexpr const char* kNoClaim = "";

/// What an experiment found.
struct Findings {
  std::map<std::string, Numbers> numbers;     ///< by claim; under kNoClaim those that decide none
  std::map<std::string, LocalizedText> gaps;  ///< claims that this checkpoint lacks something for, and what
  std::vector<Figure> figures;
  std::vector<LocalizedText> left_out;  ///< what a quick run, or a time limit of its own, did without
  std::vector<LocalizedText> remarks;   ///< what a reader has to know about how it was computed
};

/// Which claim's observation decides whether a conclusion is true here, unless Verdict::conclusion is set.
struct Decision {
  Kind kind = Kind::data;      ///< of the claim
  std::string claim = {};      ///< whose observation decides: the claim's own or another; empty: none, it is open
  bool true_if_fails = false;  ///< the conclusion is true where that one fails, and false where it holds
};

/// The rules of a claim, stated before a number is computed: of observation, of inference and, in `decision`, of the
/// conclusion.
struct Rule {
  std::string claim;              ///< id in CLAIMS: "E3"
  LocalizedText observation;      ///< "holds if …; fails if …; cannot be told if …"
  LocalizedText inference;        ///< "follows if …; does not follow if …; was not tested if …"
  LocalizedText conclusion = {};  ///< what the document concludes, in a sentence; empty where it concludes nothing
  Decision decision = {};         ///< whether that is true here
  /// Supporting evidence only: failure leaves the conclusion open.
  bool supporting_only = false;
  /// Goes up by one, and the rule's hash with it, when what is measured changes while the sentences stay as they are.
  uint64_t revision = 0;
  Verdict (*judge)(const Numbers& numbers) = nullptr;
  FormatArgs bars = {};  ///< its thresholds, which fill its texts, by the names of the placeholders
};

/// One experiment: a question, and the claims that it answers.
struct Experiment {
  std::string name;   ///< of its file and for --only: "spectrum"
  double effort = 1;  ///< about its seconds in a full run on MiniLM: for the order of running and the remaining time
  LocalizedText title;
  LocalizedText question;
  LocalizedText definition;  ///< what is computed, exactly
  LocalizedText source;      ///< paper and section, or "own"
  LocalizedText null;        ///< what violates the claims
  LocalizedText control;     ///< what satisfies them
  std::vector<Rule> rules;
  bool needs_positions = true;  ///< a table of them; a subject without one has gaps instead of findings
  bool runs_alone = false;      ///< it measures time, so no other experiment may run at the same time
  Findings (*run)(const Subject& subject, const Conditions& conditions) = nullptr;
  /// At most 60 words in each language, of this checkpoint, before any figure.
  LocalizedText (*answer)(const Findings& findings, const std::map<std::string, Verdict>& verdicts) = nullptr;
};

/// The answer of an experiment that could not be carried out. @param gap  why, without a full stop
[[nodiscard]] LocalizedText gap_answer(const LocalizedText& gap);

/// A rule with the texts that the experiment's words.json has of it, under "rules" and the claim: "observation",
/// "inference" and, where the document concludes something, "conclusion".
/// @param bars  its thresholds, for the texts' placeholders
[[nodiscard]] Rule described_rule(const std::string& experiment, const std::string& claim,
                                  Verdict (*judge)(const Numbers& numbers), const FormatArgs& bars,
                                  const Decision& decision = {});

/// An experiment with the texts of its words.json, which has "title", "question", "definition", "source", "null" and
/// "control".
/// @param settings  its settings, for the texts' placeholders
[[nodiscard]] Experiment described_experiment(const std::string& name, const FormatArgs& settings);

}  // namespace summand::lab
