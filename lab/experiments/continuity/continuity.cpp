// 0.9: does t-SNE show the positions as a continuous path, and does that mean that adding keeps structure?
#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured_with_null_and_control.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/core/numbers.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/core/run_tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/nulls/named_tables.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/neighbours.hpp"
#include "lab/statistics/tsne.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace continuity {
namespace {

using Eigen::Index;

constexpr size_t kNear = 5;
constexpr size_t kWider = 10;
constexpr size_t kLeastNeighbourRows = 64;
constexpr size_t kLeastCoordinates = 2;  // of a picture
constexpr double kPerplexity = 20;
constexpr double kBase = 100;  // of the sinusoid
// Of planted tables of 512 x 384: a random walk has 1.0, under white noise as large as itself 0.5, twice as large 0.2;
// white noise has 0.02.
constexpr double kContinuous = 0.5;
constexpr double kNot = 0.2;

constexpr NumberName kTableNear{"continuity", "continuity_5"};
constexpr NumberName kTableWider{"continuity", "continuity_10"};
constexpr NumberName kOrdinaryNear{"continuity", "continuity_5_without_outlying_rows"};
constexpr NumberName kPictureNear{"continuity", "picture_continuity_5"};
constexpr NumberName kTrusted{"continuity", "trustworthiness"};
constexpr NumberName kWalkNear{"continuity", "random_walk_continuity_5"};
constexpr NumberName kWalkPictureNear{"continuity", "random_walk_picture_continuity_5"};
constexpr NumberName kWalkTrusted{"continuity", "random_walk_trustworthiness"};
constexpr NumberName kProcessNear{"continuity", "gaussian_process_continuity_5"};
constexpr NumberName kProcessPictureNear{"continuity", "gaussian_process_picture_continuity_5"};
constexpr NumberName kProcessTrusted{"continuity", "gaussian_process_trustworthiness"};
constexpr NumberName kSumNear{"continuity", "sum_continuity_5"};
constexpr NumberName kSumPictureNear{"continuity", "sum_picture_continuity_5"};

/// Steps of t-SNE.
struct Steps {
  int all = 750;
  int exaggerated = 250;
  int last = 250;
};
constexpr Steps kFull{};
constexpr Steps kQuick{.all = 300, .exaggerated = 100, .last = 0};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"near", kNear}, {"wider", kWider},           {"perplexity", kPerplexity},
          {"base", kBase}, {"continuous", kContinuous}, {"not", kNot}};
}

/// A table, its picture, and how local both are.
struct Picture {
  LocalizedText name;
  Table embedding;
  double table_near = 0;
  double table_wider = 0;
  double picture_near = 0;
  double trusted = 0;
};

Picture picture_of(LocalizedText name, const Table& table, const Conditions& conditions) {
  const Steps& steps = conditions.quick ? kQuick : kFull;
  const TsneSettings how{.perplexity = std::min(kPerplexity, static_cast<double>(table.rows()) / 4),
                         .iterations = steps.all,
                         .exaggerated_iterations = steps.exaggerated,
                         .final_iterations = steps.last};
  Picture picture{.name = std::move(name), .embedding = tsne(table, how).embedding};
  picture.table_near = neighbour_continuity(table, kNear);
  picture.table_wider = neighbour_continuity(table, kWider);
  picture.picture_near = neighbour_continuity(picture.embedding, kNear);
  picture.trusted = trustworthiness(table, picture.embedding, kWider);
  return picture;
}

/// Token + position + segment 0 at every position, the token drawn from the corpus as often as it occurs there; from
/// all that a text may reach where there is no corpus.
std::optional<Table> sums(const Subject& subject, const Conditions& conditions) {
  if (subject.tokens.rows() == 0 || subject.tokens.cols() != subject.positions.cols()) return {};
  std::vector<Index> ids;
  for (const auto& sentence : subject.corpus.sentences) {
    for (const auto id : sentence.ids) ids.push_back(static_cast<Index>(id));
  }
  if (ids.empty()) ids = subject.reached;
  RandomStream stream(conditions.seed, "continuity: tokens");
  Table sum = subject.positions;
  for (Index row = 0; row < sum.rows(); ++row) {
    sum.row(row) += subject.tokens.row(ids[stream.below(ids.size())]);
    if (subject.segments.rows() > 0) sum.row(row) += subject.segments.row(0);
  }
  return sum;
}

Figure pictures_figure(const std::vector<Picture>& pictures) {
  using namespace chart;
  std::vector<LocalizedText> of;
  std::vector<LocalizedText> order;
  std::vector<double> position;
  std::vector<double> x;
  std::vector<double> y;
  for (const auto& picture : pictures) {
    order.push_back(picture.name);
    for (Index i = 0; i < picture.embedding.rows(); ++i) {
      of.push_back(picture.name);
      position.push_back(static_cast<double>(i));
      x.push_back(picture.embedding(i, 0));
      y.push_back(picture.embedding(i, 1));
    }
  }
  const auto text = [](const char* of_what) {
    return localize(std::string("continuity.figures.continuity-tsne.") + of_what);
  };
  const auto place = [&](const char* field) {
    Json channel = number(field, text(field));  // its unit means nothing: no ticks
    channel["axis"] = {{"title", nullptr}, {"labels", false}, {"ticks", false}, {"domain", false}, {"grid", false}};
    channel["scale"] = {{"zero", false}};
    return channel;
  };
  Json specification =
      facets(name("of", text("of")), order,
             mark({{"type", "circle"}, {"size", 14}, {"opacity", 1}},
                  {{"x", place("x")},
                   {"y", place("y")},
                   {"color", scaled(number("position", text("position"), "d"), {{"scheme", "viridis"}})}}),
             {.least = 220, .most = 3, .axis = 38, .height = 230});
  specification["resolve"] = {{"scale", {{"x", "independent"}, {"y", "independent"}}}};
  return {.name = "continuity-tsne",
          .title = text("title"),
          .caption = text("caption"),
          .specification = std::move(specification),
          .data = FigureData{{{"of", of}, {"position", position}, {"x", x}, {"y", y}}}};
}

Findings run_continuity(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  const Table table = seen_positions(subject);
  const Table sine = sinusoid_like(table, kBase);
  const auto gap = lacking(table, kLeastNeighbourRows, kLeastCoordinates);
  if (gap || lacking(sine, kLeastNeighbourRows, kLeastCoordinates)) {
    findings.gaps["0.9"] = gap.value_or(localize("continuity.gap", {{"coordinates", kLeastCoordinates}}));
    return findings;
  }
  if (conditions.quick) {
    findings.left_out.push_back(localize("continuity.left_out", {{"few", kQuick.all}}));
  }
  std::vector<std::pair<LocalizedText, Table>> tables{{series_of_table().words, table}, {words_of_sinusoid(), sine}};
  for (const auto surrogate : {Surrogate::white_noise, Surrogate::random_walk, Surrogate::gaussian_process}) {
    RandomStream stream(conditions.seed, "continuity: " + name_of(surrogate));
    tables.emplace_back(words_of(surrogate), drawn_surrogate(surrogate, table, stream));
  }
  const auto sum = sums(subject, conditions);
  if (sum) tables.emplace_back(localize("continuity.sum"), *sum);
  std::vector<Picture> pictures(tables.size());
  run_tasks(conditions, tables.size(),
            [&](size_t i) { pictures[i] = picture_of(tables[i].first, tables[i].second, conditions); });
  conditions.progress(0.9);

  const Picture& own = pictures[0];
  const Picture& control = pictures[1];
  const Picture& white = pictures[2];
  Numbers& numbers = findings.numbers["0.9"];
  const NumberAdder with_references(numbers, own, {white, words_of(Surrogate::white_noise)},
                                    {control, localize("continuity.sinusoid", settings())});
  const auto add = [&](const NumberName& name, double Picture::*of, const Picture& value) {
    FormatArgs args = settings();
    args.emplace_back("of", value.name);
    with_references(NumberBuilder(name, value.*of, args), of);
  };
  add(kTableNear, &Picture::table_near, own);
  add(kTableWider, &Picture::table_wider, own);
  const Table ordinary = without_rows(table, outlying_rows(table));
  const double ordinary_near = static_cast<size_t>(ordinary.rows()) > kNear ? neighbour_continuity(ordinary, kNear) : 0;
  with_references(NumberBuilder(kOrdinaryNear, ordinary_near, settings()), &Picture::table_near);
  add(kPictureNear, &Picture::picture_near, own);
  add(kTrusted, &Picture::trusted, own);
  const Picture& walk = pictures[3];
  add(kWalkNear, &Picture::table_near, walk);
  add(kWalkPictureNear, &Picture::picture_near, walk);
  add(kWalkTrusted, &Picture::trusted, walk);
  const Picture& process = pictures[4];
  add(kProcessNear, &Picture::table_near, process);
  add(kProcessPictureNear, &Picture::picture_near, process);
  add(kProcessTrusted, &Picture::trusted, process);
  if (sum) {
    add(kSumNear, &Picture::table_near, pictures[5]);
    add(kSumPictureNear, &Picture::picture_near, pictures[5]);
  } else {
    findings.remarks.push_back(localize("continuity.no_tokens"));
  }
  findings.figures = {pictures_figure(pictures)};
  conditions.progress(1);
  return findings;
}

struct RuleInputs {
  double table = 0;
  double picture = 0;
};

Observation evaluate(const RuleInputs& one) {
  if (one.table >= kContinuous && one.picture >= kContinuous) return Observation::holds;
  return one.table < kNot ? Observation::fails : Observation::cannot_be_told;
}

Verdict judge_continuity(const Numbers& numbers) {
  const auto inputs = controlled(numbers, [](const NumberReader& of) {
    return RuleInputs{of.value(kTableNear), of.value(kPictureNear)};
  });
  const RuleInputs& own = inputs.own;
  Verdict verdict;
  verdict.observation = inputs.judged_by(evaluate);
  verdict.number =
      deciding_number({{kTableNear, own.table >= kContinuous}, {kPictureNear, own.picture >= kContinuous}});
  // The picture is drawn of these rows alone: it is the same whatever is added to them.
  verdict.inference = Inference::does_not_follow;
  const Number* sum = find_number(numbers, kSumNear);
  LocalizedText and_sum;
  if (sum != nullptr) and_sum = localize("continuity.reason_of_sum", {{"sum", sum->value}});
  verdict.reason = localize("continuity.reason", {{"near", kNear},
                                                  {"own", own.table},
                                                  {"ordinary", numbers.value(kOrdinaryNear)},
                                                  {"picture", own.picture},
                                                  {"walk", numbers.value(kWalkNear)},
                                                  {"and_sum", and_sum}});
  return verdict;
}

LocalizedText answer_continuity(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.9")) return gap_answer(findings.gaps.at("0.9"));
  const Numbers& numbers = findings.numbers.at("0.9");
  const auto seen = verdicts.at("0.9").observation;
  const char* shown = seen == Observation::holds   ? "continuity.shown.continuous"
                      : seen == Observation::fails ? "continuity.shown.broken"
                                                   : "continuity.shown.untold";
  return localize("continuity.answer", {{"shown", localize(shown)},
                                        {"near", kNear},
                                        {"own", 100 * numbers.value(kTableNear)},
                                        {"walk", 100 * numbers.value(kWalkNear)}});
}

}  // namespace
}  // namespace continuity

Experiment continuity_experiment() {
  using namespace continuity;
  Experiment experiment = described_experiment("continuity", settings());
  experiment.effort = 8;
  experiment.rules = {described_rule("continuity", "0.9", judge_continuity, settings(),
                                     {.kind = Kind::data, .claim = "3.1", .true_if_fails = true})};
  experiment.run = run_continuity;
  experiment.answer = answer_continuity;
  return experiment;
}

}  // namespace summand::lab
