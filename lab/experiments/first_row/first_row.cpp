// E5: which components change when row 0 is left out, and why?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/nulls/position_parts.hpp"
#include "lab/statistics/estimate.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/principal_components.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/singular_vectors.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace first_row {
namespace {

using Eigen::Index;

constexpr size_t kCompared = 18;     // as document 002 draws them
constexpr double kSame = 0.9;        // |cosine|
constexpr double kOwns = 0.5;        // leverage on a component from which row 0 is it; or on all of them together
constexpr double kSmallGap = 0.1;    // of the larger share: an eigengap that lets neighbours turn
constexpr size_t kLeastSame = 7;     // "the first seven" …
constexpr size_t kMostSame = 9;      // … and "the 8th and 9th, or 9th and 10th"
constexpr size_t kLate = 6;          // the last of those compared
constexpr size_t kLeastLate = 3;     // of them have to come back: "some of the later ones", half
constexpr size_t kBlock = 16;        // rows drawn together: neighbours resemble each other
constexpr size_t kPlantedAfter = 8;  // components of a larger spread than the planted outlier
constexpr Index kLeastSpan = 5;      // components, of which the angle is measured
constexpr const char* kWithCls = "with_cls";  // the member of a number's family

constexpr NumberName kChanged{"first_row", "components_changed"};
constexpr NumberName kSameBefore{"first_row", "same_before_the_first"};
constexpr NumberName kLateBack{"first_row", "late_come_back"};
constexpr NumberName kLeverage{"first_row", "leverage_of_row_0"};
constexpr NumberName kGap{"first_row", "smallest_gap"};
constexpr NumberName kExplained{"first_row", "explained"};
constexpr NumberName kRankLost{"first_row", "rank_lost"};
constexpr NumberName kAngle{"first_row", "largest_angle"};
constexpr NumberName kUnstable{"first_row", "unstable_components"};

/// How much is drawn.
struct Size {
  size_t others = 40;  ///< rows that are left out instead of row 0
  size_t resamplings = 40;
};
constexpr Size kFull{};
constexpr Size kQuick{.others = 12, .resamplings = 6};

Size size_of(const Conditions& conditions) {
  return conditions.quick ? kQuick : kFull;
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"compared", kCompared}, {"same", kSame},   {"owns", kOwns},
          {"gap", kSmallGap},      {"block", kBlock}, {"first", kLeastSame + 1},
          {"last", kMostSame + 1}, {"late", kLate},   {"least_late", kLeastLate}};
}

/// Of the first components, how they come back in other rows.
struct Matches {
  std::vector<ComponentMatch> of;

  [[nodiscard]] bool same(size_t i) const { return of[i].cosine >= kSame && of[i].nearest == i; }
  [[nodiscard]] size_t changed() const {
    size_t count = 0;
    for (size_t i = 0; i < of.size(); ++i) count += same(i) ? 0 : 1;
    return count;
  }
  /// Of the late ones, those that are there without the row too, in whatever place: behind a component that is gone,
  /// all others move up.
  [[nodiscard]] double late_come_back() const {
    const size_t late = std::min(kLate, of.size());
    return static_cast<double>(std::count_if(of.end() - static_cast<std::ptrdiff_t>(late), of.end(),
                                             [](const ComponentMatch& one) { return one.cosine >= kSame; }));
  }
};

PrincipalComponents components_of(const Table& table) {
  return principal_components(table, kCompared + 2);
}

Matches matches_of(const PrincipalComponents& whole, const Table& others) {
  const auto rest = components_of(others);
  const auto available = static_cast<size_t>(std::min(whole.scores.cols(), rest.scores.cols()));
  Matches matches{match_components(whole, rest, available)};
  matches.of.resize(std::min(kCompared, available));
  return matches;
}

Table without_row(const Table& table, size_t row) {
  return without_rows(table, std::array{row});
}

/// To the nearer neighbour, as a part of the larger of the two shares.
std::vector<double> gaps_of(const Vector& shares) {
  std::vector<double> gaps;
  for (Index c = 0; c < shares.size(); ++c) {
    double gap = 1;
    if (c > 0) gap = std::min(gap, 1 - shares(c) / shares(c - 1));
    if (c + 1 < shares.size()) gap = std::min(gap, 1 - shares(c + 1) / shares(c));
    gaps.push_back(gap);
  }
  return gaps;
}

Index rank_of(const Table& table) {
  constexpr double kLeast = 1e-12;  // of the largest variance
  const Vector squares = squared_singular_values(centred(table));
  return (squares.array() > kLeast * squares(0)).count();
}

/// How many directions a row alone brings. @param rank  the table's
double rank_lost(const Table& table, Index rank, size_t row) {
  return static_cast<double>(rank - rank_of(without_row(table, row)));
}

/// Behind which component the eigengap is widest, the first few and those beyond the compared left out.
Index widest_gap(const Vector& shares) {
  const auto last = std::min<Index>(static_cast<Index>(kCompared), shares.size() - 1);
  Index widest = std::min<Index>(kLeastSpan, last);
  for (Index c = widest; c <= last; ++c) {
    if (shares(c) / shares(c - 1) < shares(widest) / shares(widest - 1)) widest = c;
  }
  return widest;
}

/// Between the span without row 0 and that with it, cut where the gap is widest, in degrees. Components that row 0 owns
/// are missing in the first.
double angle_of_spans(const PrincipalComponents& with, const PrincipalComponents& without) {
  const Index count = widest_gap(with.shares);
  const Table leverage = summand::lab::leverages(with);
  const Index owned = (leverage.row(0).head(count).array() >= kOwns).count();
  const Index fewer = std::min(count - owned, without.loadings.rows());
  if (fewer == 0) return 0;
  const Vector angles = principal_angles(with.loadings.topRows(count), without.loadings.topRows(fewer));
  return angles.maxCoeff() * 180 / std::numbers::pi;
}

/// What leaving out row 0 does to the first components.
struct Comparison {
  Matches matches;
  std::vector<double> leverages;  ///< of row 0 on each component
  std::vector<double> gaps;
  size_t same_before = 0;  ///< components before the first that changed
  size_t explained = 0;    ///< of the changed
  double rank_lost = 0;
  double angle = 0;  ///< degrees

  [[nodiscard]] double changed() const { return static_cast<double>(matches.changed()); }
  /// An outlier with a direction of its own has 1, however many components share that direction.
  [[nodiscard]] double leverage() const { return std::accumulate(leverages.begin(), leverages.end(), 0.0); }
};

Comparison compare(const Table& table) {
  const Table others = table.bottomRows(table.rows() - 1);
  const auto with = components_of(table);
  Comparison result{.matches = matches_of(with, others), .leverages = {}, .gaps = gaps_of(with.shares)};
  const size_t count = result.matches.of.size();
  const Table leverage = summand::lab::leverages(with);
  size_t owned_before = 0;
  for (size_t i = 0; i < count; ++i) {
    result.leverages.push_back(leverage(0, static_cast<Index>(i)));
    const bool owned = result.leverages[i] >= kOwns;
    if (result.matches.same(i)) {
      if (result.same_before == i) ++result.same_before;
    } else {
      const auto& match = result.matches.of[i];
      // Behind components that row 0 owned, the others move up by as many places.
      const bool moved = match.cosine >= kSame && owned_before > 0 && match.nearest + owned_before == i;
      if (moved || owned || result.gaps[i] <= kSmallGap) ++result.explained;
    }
    owned_before += owned ? 1 : 0;
  }
  result.gaps.resize(count);
  result.rank_lost = rank_lost(table, rank_of(table), 0);
  result.angle = angle_of_spans(with, components_of(others));
  return result;
}

/// What leaving out ordinary rows does instead, one at a time.
struct Others {
  std::vector<double> changed;
  std::vector<double> rank_lost;
};

Others without_others(const Table& table, const Conditions& conditions) {
  const auto outlying = outlying_rows(table);
  std::vector<size_t> rows;
  for (size_t row = 1; row < static_cast<size_t>(table.rows()); ++row) {
    if (!std::ranges::binary_search(outlying, row)) rows.push_back(row);
  }
  RandomStream stream(conditions.seed, "first row: others");
  stream.shuffle(std::span(rows));
  rows.resize(std::min(rows.size(), size_of(conditions).others));
  const auto whole = components_of(table);
  const Index rank = rank_of(table);
  Others others{.changed = std::vector<double>(rows.size()), .rank_lost = std::vector<double>(rows.size())};
  run_tasks(conditions, rows.size(), [&](size_t i) {
    others.changed[i] = static_cast<double>(matches_of(whole, without_row(table, rows[i])).changed());
    others.rank_lost[i] = rank_lost(table, rank, rows[i]);
  });
  return others;
}

/// Components that half of the tables of resampled blocks of rows do not have.
double unstable_components(const Table& table, const Conditions& conditions) {
  const auto whole = components_of(table);
  const auto rows = static_cast<size_t>(table.rows());
  std::vector<Matches> drawn(size_of(conditions).resamplings);
  run_tasks(conditions, drawn.size(), [&](size_t draw) {
    RandomStream stream(conditions.seed, fmt::format("first row: blocks {}", draw));
    std::vector<Index> chosen;
    while (chosen.size() < rows) {
      const size_t first = stream.below(rows - kBlock + 1);
      for (size_t i = 0; i < kBlock && chosen.size() < rows; ++i) chosen.push_back(static_cast<Index>(first + i));
    }
    drawn[draw] = matches_of(whole, table(chosen, Eigen::all));
  });
  double unstable = 0;
  for (size_t i = 0; i < std::min(kCompared, static_cast<size_t>(whole.scores.cols())); ++i) {
    std::vector<double> cosines;
    for (const auto& one : drawn) cosines.push_back(i < one.of.size() ? one.of[i].cosine : 0);
    unstable += median(cosines) < kSame ? 1 : 0;
  }
  return unstable;
}

/// Row 0 as its neighbour is: nothing of its own.
Table without_outlier(const Table& table) {
  Table ordinary = table;
  ordinary.row(0) = table.row(1);
  return ordinary;
}

/// Row 0 far off the mean in a direction of its own, across the components that are compared: it has one of them for
/// itself, and disturbs none that has a larger spread.
Table with_outlier(const Table& table, RandomStream& stream) {
  Table planted = without_outlier(table);
  const auto components = principal_components(planted, kCompared);
  const auto after = std::min<Index>(static_cast<Index>(kPlantedAfter), components.variances.size() - 1);
  // Between two neighbours: where variances are nearly equal, a little more would put it before many of them.
  const double variance = std::sqrt(components.variances(after) * components.variances(std::max<Index>(after - 1, 0)));
  const double spread = std::sqrt(variance * static_cast<double>(table.rows()));
  Table direction = random_frame(1, static_cast<size_t>(table.cols()), stream);
  if (table.cols() > components.loadings.rows()) {
    direction -= Table(direction * components.loadings.transpose() * components.loadings);
    direction.rowwise().normalize();
  }
  planted.row(0) = column_means(planted).transpose() + spread * direction.row(0);
  return planted;
}

/// The position table with all that a text ever gets at position 0: there alone stands [CLS], so that of its token row
/// and of row 0 no output tells which of them holds what. None without such a token.
/// @param table  seen_positions()
std::optional<Table> with_cls(const Subject& subject, const Table& table) {
  if (!subject.model || subject.tokens.rows() == 0) return {};
  const auto cls = subject.model->tokenizer().cls_id();
  if (!cls || *cls >= subject.tokens.rows()) return {};
  std::vector<Index> others = subject.reached;
  std::erase(others, Index{*cls});
  if (others.empty()) return {};
  const Table tokens = seen_rows(subject, subject.tokens);
  Table whole = table;
  whole.row(0) += tokens.row(*cls) - column_means(tokens(others, Eigen::all)).transpose();
  return whole;
}

Figure matches_figure(const Comparison& comparison) {
  using namespace chart;
  const auto text = [](const char* name) {
    return localize(std::string("first_row.figures.first-row-components.") + name);
  };
  const std::vector<Series> series{{text("cosine"), {.colour = "@blue", .width = 3}},
                                   {text("leverage"), {.colour = "@orange", .dash = {6, 3}}},
                                   {text("eigengap"), {.colour = "@green", .dash = {2, 2}}}};
  std::vector<double> component;
  std::vector<double> value;
  std::vector<LocalizedText> what;
  for (size_t i = 0; i < comparison.matches.of.size(); ++i) {
    const std::array values{comparison.matches.of[i].cosine, comparison.leverages[i], comparison.gaps[i]};
    for (size_t s = 0; s < series.size(); ++s) {
      component.push_back(static_cast<double>(i + 1));
      value.push_back(values[s]);
      what.push_back(series[s].words);
    }
  }
  return {.name = "first-row-components",
          .title = text("title"),
          .caption = text("caption"),
          .specification = layers({mark({{"type", "line"}, {"point", true}},
                                        of_lines({{"x", whole("component", text("component"))},
                                                  {"y", scaled(number("value", text("value")), {{"domain", {0, 1}}})}},
                                                 "what", text("what"), series)),
                                   rule("y", kSame)}),
          .data = FigureData{{{"component", component}, {"value", value}, {"what", what}}}};
}

/// A null table, whose row 0 is like row 1, and a control, whose row 0 was planted.
struct ReferenceComparisons {
  Comparison like_row_1;
  Comparison planted;

  [[nodiscard]] NumberAdder<Comparison> adder(const Comparison& own, Numbers& numbers) const {
    return {numbers, own, {like_row_1, localize("first_row.like_row_1")}, {planted, localize("first_row.planted")}};
  }
};

/// The numbers that the rule reads, also of ordinary rows of the table.
/// @param member  of each number's family: empty for the table as it lies, or kWithCls
void add_judged(const Comparison& own, const Others& others, const ReferenceComparisons& references,
                const std::string& member, Numbers& numbers) {
  const LocalizedText of_others = localize("first_row.others", {{"rows", others.changed.size()}});
  const auto measured = [&](const NumberName& name, double value) {
    const LocalizedText label = name.label(settings());
    if (member.empty()) return NumberBuilder(std::string(name), label, value);
    return NumberBuilder(name.of(member), localize("first_row.with_cls.number", {{"what", label}}), value);
  };
  numbers.add(measured(kChanged, own.changed())
                  .null(median_estimate(others.changed), of_others)
                  .control(references.planted.changed(), localize("first_row.planted")));
  const auto with_references = references.adder(own, numbers);
  const auto add = [&](const NumberName& name, const auto& of) {
    with_references(measured(name, std::invoke(of, own)), of);
  };
  add(kSameBefore, [](const Comparison& one) { return static_cast<double>(one.same_before); });
  add(kLateBack, [](const Comparison& one) { return one.matches.late_come_back(); });
  add(kLeverage, &Comparison::leverage);
  add(kExplained, [](const Comparison& one) { return static_cast<double>(one.explained); });
  numbers.add(measured(kRankLost, own.rank_lost)
                  .null(median(others.rank_lost), of_others)
                  .control(references.planted.rank_lost, localize("first_row.planted")));
}

Findings run_first_row(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const Table others = table.bottomRows(std::max<Index>(table.rows() - 1, 0));
  if (const auto gap = lacking(others, 2 * kLeastPart - 1, kCompared)) {
    findings.gaps["E5"] = *gap;
    return findings;
  }
  RandomStream stream(conditions.seed, "first row: outlier");
  const Table ordinary_first = without_outlier(table);
  const Table planted = with_outlier(table, stream);
  const Comparison own = compare(table);
  const ReferenceComparisons references{.like_row_1 = compare(ordinary_first), .planted = compare(planted)};
  conditions.progress(0.2);
  Numbers& numbers = findings.numbers["E5"];
  add_judged(own, without_others(table, conditions), references, "", numbers);
  conditions.progress(0.5);
  if (const auto whole = with_cls(subject, table)) {
    add_judged(compare(*whole), without_others(*whole, conditions), references, kWithCls, numbers);
  }
  conditions.progress(0.8);
  const auto add = references.adder(own, numbers);
  add(kGap, settings(), [](const Comparison& one) { return std::ranges::min(one.gaps); });
  add(kAngle, settings(), &Comparison::angle);
  numbers.add(NumberBuilder(kUnstable, unstable_components(table, conditions), settings())
                  .null(unstable_components(ordinary_first, conditions), localize("first_row.like_row_1"))
                  .control(unstable_components(planted, conditions), localize("first_row.planted")));
  if (conditions.quick) {
    findings.left_out.push_back(localize("first_row.left_out", {{"few", kQuick.others},
                                                                {"many", kFull.others},
                                                                {"few_resamplings", kQuick.resamplings},
                                                                {"many_resamplings", kFull.resamplings}}));
  }
  findings.figures.push_back(matches_figure(own));
  conditions.progress(1);
  return findings;
}

struct RuleInputs {
  double changed = 0;
  double before = 0;       ///< components that stay before the first that changes
  double leverage = 0;     ///< row 0's, on all of them together
  double late = 0;         ///< late components that come back
  double others = 0;       ///< that change without the median ordinary row …
  double most_others = 0;  ///< … and without 97.5 % of them
};

/// Names of one choice's numbers: of the table as it lies, or of kWithCls.
class Choice {
 public:
  Choice(const Numbers& numbers, std::string member) : numbers_(&numbers), member_(std::move(member)) {}

  [[nodiscard]] std::string name(const NumberName& family) const {
    return member_.empty() ? std::string(family) : family.of(member_);
  }
  [[nodiscard]] const Number& at(const NumberName& family) const { return numbers_->at(name(family)); }

  [[nodiscard]] RuleInputs own() const {
    return rule_inputs([&](const NumberName& family) { return at(family).value; });
  }
  [[nodiscard]] RuleInputs control() const {
    return rule_inputs([&](const NumberName& family) { return at(family).control->value; });
  }

 private:
  template <class Value>
  [[nodiscard]] RuleInputs rule_inputs(const Value& value) const {
    const ReferenceValue& others = *at(kChanged).null;
    return {value(kChanged),  value(kSameBefore), value(kLeverage),
            value(kLateBack), others.value,       others.interval->high};
  }

  const Numbers* numbers_;
  std::string member_;
};

bool is_where_claimed(const RuleInputs& table) {
  return table.before >= kLeastSame && table.before <= kMostSame;
}

Observation evaluate(const RuleInputs& table) {
  if (table.changed <= table.others || !is_where_claimed(table)) return Observation::fails;
  const bool late_are_close = table.late >= kLeastLate;
  return table.changed > table.most_others && table.leverage >= kOwns && late_are_close ? Observation::holds
                                                                                        : Observation::cannot_be_told;
}

/// The number that decides: where it fails, the one that makes it fail.
std::string decided_by(const Choice& choice) {
  const RuleInputs table = choice.own();
  const bool fails = evaluate(table) == Observation::fails;
  const std::string changed = choice.name(kChanged);
  const std::string before = choice.name(kSameBefore);
  const std::string leverage = choice.name(kLeverage);
  const std::string late = choice.name(kLateBack);
  return deciding_number({{changed, table.changed > (fails ? table.others : table.most_others)},
                          {before, is_where_claimed(table)},
                          {leverage, table.leverage >= kOwns},
                          {late, table.late >= kLeastLate}});
}

/// What the document wonders about; an outlier, and components of nearly equal variance, need no rank.
Inference inferred(const Choice& choice) {
  const double changed = choice.at(kChanged).value;
  const double lost = choice.at(kRankLost).value;
  if (changed == 0) return Inference::not_tested;
  if (lost > choice.at(kRankLost).null->value) return Inference::follows;
  return lost == 0 && choice.at(kExplained).value >= changed ? Inference::does_not_follow : Inference::not_tested;
}

/// The table as it lies, and with all of [CLS] in row 0, which a table alone does not have.
std::vector<Choice> choices_of(const Numbers& numbers) {
  std::vector<Choice> choices{{numbers, ""}};
  const bool has_cls =
      std::ranges::any_of(numbers.all(), [](const Number& one) { return one.name == kChanged.of(kWithCls); });
  if (has_cls) choices.emplace_back(numbers, kWithCls);
  return choices;
}

/// What changes with all of [CLS] in row 0; nothing of a table alone.
/// @param where  "answer" or "reason"
LocalizedText words_with_cls(const Numbers& numbers, const char* where) {
  const auto choices = choices_of(numbers);
  if (choices.size() == 1) return {};
  return localize(std::string("first_row.with_cls.") + where,
                  {{"changed", choices.back().at(kChanged).value}, {"before", choices.back().at(kSameBefore).value}});
}

Verdict judge_first_row(const Numbers& numbers) {
  const auto choices = choices_of(numbers);
  const Choice& own = choices.front();
  const RuleInputs table = own.own();
  const bool controls_pass = evaluate(own.control()) == Observation::holds;
  Verdict verdict;
  verdict.observation = evaluate(table);
  verdict.inference = inferred(own);
  verdict.number = decided_by(own);
  // Which of the two holds what of their sum, no output tells.
  if (const Choice& other = choices.back(); evaluate(other.own()) != verdict.observation) {
    verdict.observation = Observation::cannot_be_told;
    verdict.number = decided_by(other);
  }
  if (inferred(choices.back()) != verdict.inference) verdict.inference = Inference::not_tested;
  if (!controls_pass) verdict.observation = Observation::cannot_be_told;
  verdict.reason =
      localize("first_row.reason", {{"compared", kCompared},
                                    {"changed", table.changed},
                                    {"others", table.others},
                                    {"most_of_others", table.most_others},
                                    {"before", table.before},
                                    {"explained", numbers.value(kExplained)},
                                    {"late", kLate},
                                    {"back", table.late},
                                    {"leverage", table.leverage},
                                    {"gap", numbers.value(kGap)},
                                    {"angle", numbers.value(kAngle)},
                                    {"rank", numbers.value(kRankLost)},
                                    {"rank_of_others", numbers.at(kRankLost).null->value},
                                    {"control", controls_pass ? LocalizedText{} : localize("first_row.no_control")},
                                    {"with_cls", words_with_cls(numbers, "reason")}});
  return verdict;
}

LocalizedText answer_first_row(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("E5")) return gap_answer(findings.gaps.at("E5"));
  const Numbers& numbers = findings.numbers.at("E5");
  const auto inference = verdicts.at("E5").inference;
  const bool owns = numbers.value(kLeverage) >= kOwns;
  const bool without_any = numbers.value(kRankLost) > 0 && numbers.value(kRankLost) <= numbers.null(kRankLost);
  const bool told = verdicts.at("E5").observation != Observation::cannot_be_told;
  const char* why = numbers.value(kChanged) == 0 && told      ? "first_row.why.nothing"
                    : inference == Inference::follows         ? "first_row.why.rank"
                    : without_any                             ? "first_row.why.any_row"
                    : inference != Inference::does_not_follow ? "first_row.why.open"
                    : owns                                    ? "first_row.why.outlier"
                                                              : "first_row.why.turned";
  const Number& changed = numbers.at(kChanged);
  const char* lead = !told                                          ? "first_row.lead.not_told"
                     : changed.value > changed.null->interval->high ? "first_row.lead.yes"
                     : changed.value <= changed.null->value         ? "first_row.lead.no"
                                                                    : "first_row.lead.not_told";
  return localize("first_row.answer", {{"lead", localize(lead)},
                                       {"compared", kCompared},
                                       {"changed", changed.value},
                                       {"others", changed.null->value},
                                       {"why", localize(why)},
                                       {"with_cls", words_with_cls(numbers, "answer")}});
}

}  // namespace
}  // namespace first_row

Experiment first_row_experiment() {
  using namespace first_row;
  Experiment experiment = described_experiment("first_row", settings());
  experiment.effort = 10;
  experiment.rules = {described_rule("first_row", "E5", judge_first_row, settings())};
  experiment.run = run_first_row;
  experiment.answer = answer_first_row;
  return experiment;
}

}  // namespace summand::lab
