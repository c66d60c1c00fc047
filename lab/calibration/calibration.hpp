#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lab/core/experiment.hpp"
#include "lab/core/localized_text.hpp"
#include "lab/core/verdict.hpp"
#include "lab/statistics/interval.hpp"

namespace summand::lab {

// How often the rules are right where the truth is known: what `summand lab calibrate` has measured. It is a property
// of a rule and of the planted sizes, not of a checkpoint, so that it is measured once and kept with the sources.

/// With whose draws a truth was judged: a quick run's or a full one's.
enum class RunLength { quick, full };

/// How often each observation was the verdict.
struct VerdictCounts {
  size_t holds = 0;
  size_t fails = 0;
  size_t cannot_be_told = 0;
  size_t not_measured = 0;  ///< the experiment found no numbers there

  void add(Observation observation);
  void add(const VerdictCounts& others);
  [[nodiscard]] size_t total() const { return holds + fails + cannot_be_told + not_measured; }
};

/// How often something was so.
struct Rate {
  size_t seen = 0;
  size_t of = 0;

  /// @pre of > 0
  [[nodiscard]] double value() const { return static_cast<double>(seen) / static_cast<double>(of); }
  /// Wilson's, 95 %. @pre of > 0
  [[nodiscard]] Interval interval() const;
};

/// Where the values of a number lie: 2.5, 25, 50, 75 and 97.5 % of them below.
struct Quantiles {
  double lowest = 0;
  double lower = 0;
  double middle = 0;
  double upper = 0;
  double highest = 0;
};

/// What became of a family's truths, each judged with a seed of its own; and of the first of them under ten seeds each.
struct JudgedTruths {
  VerdictCounts counts;
  Rate stable;                           ///< truths whose observation ten seeds do not change
  std::optional<Quantiles> number = {};  ///< the deciding number; none where it was never measured
};

/// Subjects of which a claim's observation is true, or false, by construction.
struct CalibratedFamily {
  std::string name;     ///< "low_rank"
  LocalizedText words;  ///< what was planted, and over which range its parameters were drawn
  std::string size;     ///< of the planted tables: "192 x 48"
  bool is_true = false;
  std::optional<JudgedTruths> quick = {};
  std::optional<JudgedTruths> full = {};

  [[nodiscard]] const std::optional<JudgedTruths>& judged(RunLength length) const {
    return length == RunLength::quick ? quick : full;
  }
};

/// A number that a rule compares with.
struct Threshold {
  std::string name;  ///< of the place in the rule's text
  double value = 0;
};

/// A claim whose rule was tried on planted truths.
struct CalibratedClaim {
  std::string claim;
  std::string experiment;
  std::string rule;     ///< rule_hash() of the rule that was tried
  std::string version;  ///< of summand
  uint64_t seed = 0;
  std::string number;                      ///< that is shown for the whole rule
  LocalizedText label;                     ///< of it
  std::vector<Threshold> thresholds = {};  ///< that this number is compared with; none where a null decides
  LocalizedText lacking = {};              ///< why nothing true, or nothing false, was planted; empty where both were
  std::vector<CalibratedFamily> families = {};

  /// Of all families of which the claim is true, or false, together. Nothing where none was judged so.
  [[nodiscard]] std::optional<Rate> rate(bool is_true, Observation observation, RunLength length) const;
  /// True ones that are judged "holds".
  [[nodiscard]] std::optional<Rate> power(RunLength length) const { return rate(true, Observation::holds, length); }
  /// False ones that are judged "holds".
  [[nodiscard]] std::optional<Rate> false_positives(RunLength length) const {
    return rate(false, Observation::holds, length);
  }
  /// Truths whose observation ten seeds do not change, of all families.
  [[nodiscard]] std::optional<Rate> stability(RunLength length) const;
};

/// A claim of data without a planted truth.
struct UncalibratedClaim {
  std::string claim;
  std::string experiment;
  LocalizedText reason;
};

struct Calibration {
  std::vector<CalibratedClaim> claims = {};
  std::vector<UncalibratedClaim> without = {};

  /// Null if it is not among them.
  [[nodiscard]] const CalibratedClaim* find(std::string_view claim) const;
};

/// What this build holds: lab/calibration/calibration.json.
[[nodiscard]] const Calibration& calibration();

/// What decides a claim beside the number that is shown for its rule; empty where nothing does.
[[nodiscard]] LocalizedText also_decides(const std::string& claim);

/// Whether a quick run's draws are enough: nine in ten truths or more keep their observation under ten seeds. True of a
/// claim that was not tried.
[[nodiscard]] bool is_stable_in_quick(const Calibration& calibration, std::string_view claim);

/// The verdict that a quick run may give: one that its draws cannot give stably cannot be told.
[[nodiscard]] Verdict given_in_quick(Verdict verdict, const Calibration& calibration, std::string_view claim);

}  // namespace summand::lab
