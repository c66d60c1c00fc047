#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "lab/core/localized_text.hpp"

namespace summand::lab {

/// Whether what a document says it saw is there on this checkpoint.
enum class Observation {
  holds,
  fails,
  cannot_be_told,
  not_judged,  ///< the document asks and claims nothing: numbers without a verdict
  not_measured,
};

/// Whether what the document concludes from it follows.
enum class Inference { follows, does_not_follow, not_tested };

/// Whether what the document concludes is true on this checkpoint, whatever its argument is worth.
enum class Truth { true_here, false_here, open };

/// What a verdict rests on.
enum class Kind {
  algebra,  ///< a theorem: its observation is the same on every checkpoint
  code,     ///< how BERT's code is built: the same on every checkpoint of its architecture
  data,     ///< a measurement: it may differ on another checkpoint
};

/// The verdicts on a claim, and why in a sentence: observation, inference and, where its own numbers tell, conclusion.
struct Verdict {
  Observation observation = Observation::not_measured;
  Inference inference = Inference::not_tested;
  LocalizedText reason;
  std::string number = {};  ///< name of the claim's number that decided the observation; empty: its first
  /// What the claim's own numbers say about the conclusion, if they do. Overrides Rule::decision.
  std::optional<Truth> conclusion = {};
};

/// What a rule asks of a number.
struct Condition {
  std::string_view number;
  bool met = false;
};

/// Name of the first unmet condition's number; if all are met, of the first condition's.
[[nodiscard]] std::string deciding_number(std::initializer_list<Condition> conditions);

/// As results.json writes them: "holds", "fails", "cannot be told", "not measured"; "follows", "does not follow",
/// "not tested".
[[nodiscard]] const LocalizedText& words_of(Observation observation);
[[nodiscard]] const LocalizedText& words_of(Inference inference);
/// "true", "false", "open"; "algebra", "code", "data".
[[nodiscard]] const LocalizedText& words_of(Truth truth);
[[nodiscard]] const LocalizedText& words_of(Kind kind);

}  // namespace summand::lab
