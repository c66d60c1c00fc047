// Q8a, Q8b: are the three rows added the same vector as three one-hot vectors side by side, passed through one stacked
// table, and is a table of one row for each combination the same again?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/one_hot/stacked_tables.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/singular_vectors.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/seen_rows.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace one_hot {
namespace {

using Eigen::Index;

/// Two orders of two additions round four times, each by half a unit of a sum that is at most three times its largest
/// addend, and so by at most one and a half to three of the addend's units.
constexpr double kRoundingSteps = 6;

constexpr double kRounding = 1e-12;  // of a share, in double precision

/// Google's BERT, base, English: rows of its three tables.
constexpr std::array<double, 3> kBertRows{30522, 512, 2};

/// The document's example: rows of its three tables.
constexpr Index kTokens = 4;
constexpr Index kPositions = 3;
constexpr Index kSegments = 2;
constexpr Index kCombinations = kTokens * kPositions * kSegments;

constexpr size_t kJointWidth = 768;  // of the tables that bear witness
constexpr size_t kDrawn = 200;       // tokens of the corpus
constexpr size_t kDrawnQuick = 30;

constexpr NumberName kExampleNine{"one_hot", "example_nine"};
constexpr NumberName kExampleJoint{"one_hot", "example_joint"};
constexpr NumberName kRowsStacked{"one_hot", "rows_stacked"};
constexpr NumberName kJointOverStacked{"one_hot", "rows_joint_over_stacked"};
constexpr NumberName kUnitsBert{"one_hot", "units_in_berts_order"};
constexpr NumberName kUnitsDocument{"one_hot", "units_in_documents_order"};
constexpr NumberName kUnitsWithoutWords{"one_hot", "units_without_words"};
constexpr NumberName kNotReached{"one_hot", "joint_not_reached"};
constexpr NumberName kFreeRows{"one_hot", "free_rows_of_sums"};
constexpr NumberName kFreeRowsHere{"one_hot", "free_rows_joint_over_sums"};

/// "31,036".
std::string with_commas(double whole_number) {
  std::string digits = fmt::format("{:.0f}", whole_number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

double sum_of(const std::array<double, 3>& rows) {
  return rows[0] + rows[1] + rows[2];
}
double product_of(const std::array<double, 3>& rows) {
  return rows[0] * rows[1] * rows[2];
}

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"tokens", kTokens},
          {"positions", kPositions},
          {"segments", kSegments},
          {"stacked", kTokens + kPositions + kSegments},
          {"joint", kCombinations},
          {"steps", kRoundingSteps},
          {"free", kTokens + kPositions + kSegments - 2}};
}

/// The rows of three tables, and of the one that takes their place.
FormatArgs words_of_rows(const std::array<double, 3>& rows) {
  return {{"tokens", with_commas(rows[0])},
          {"positions", with_commas(rows[1])},
          {"segments", with_commas(rows[2])},
          {"stacked", with_commas(sum_of(rows))},
          {"joint", with_commas(product_of(rows))}};
}

/// The document's example: tables of small whole numbers, and all combinations.
class Example {
 public:
  explicit Example(const Conditions& conditions) {
    RandomStream stream(conditions.seed, "one-hot: example");
    const auto whole_numbers = [&](Index rows) {
      Table table(rows, kWidth);
      for (double& value : std::span(table.data(), static_cast<size_t>(table.size()))) {
        value = static_cast<double>(stream.below(17)) - 8;
      }
      return table;
    };
    tokens_ = whole_numbers(kTokens);
    positions_ = whole_numbers(kPositions);
    segments_ = whole_numbers(kSegments);
  }

  /// @return largest difference from the sums, of products with the stacked table
  [[nodiscard]] double nine(Placing placing) const {
    const Stacked stacked(tokens_, positions_, segments_, Stacking::document);
    double largest = 0;
    visit([&](const SumItem& item, const Eigen::RowVectorXd& sum) {
      const auto product = stacked.product(item, placing);
      largest = std::max(largest, (product.cast<double>() - sum).cwiseAbs().maxCoeff());
    });
    return largest;
  }
  /// @return the same with the joint table, of one row for each combination
  [[nodiscard]] double joint(Placing placing) const {
    Table rows(kCombinations, kWidth);
    visit([&](const SumItem& item, const Eigen::RowVectorXd& sum) { rows.row(place(item, Placing::right)) = sum; });
    double largest = 0;
    visit([&](const SumItem& item, const Eigen::RowVectorXd& sum) {
      Eigen::RowVectorXd hot = Eigen::RowVectorXd::Zero(kCombinations);
      hot(place(item, placing)) = 1;
      largest = std::max(largest, (hot * rows - sum).cwiseAbs().maxCoeff());
    });
    return largest;
  }

 private:
  static constexpr Index kWidth = 768;

  static Index place(const SumItem& item, Placing placing) {
    const Index position = placing == Placing::right ? item.position : (item.position + 1) % kPositions;
    return (item.token * kPositions + position) * kSegments + item.segment;
  }
  template <class Visit>
  void visit(const Visit& one) const {
    for (Index token = 0; token < kTokens; ++token) {
      for (Index position = 0; position < kPositions; ++position) {
        for (Index segment = 0; segment < kSegments; ++segment) {
          one(SumItem{token, position, segment},
              Eigen::RowVectorXd(tokens_.row(token) + positions_.row(position) + segments_.row(segment)));
        }
      }
    }
  }

  Table tokens_;
  Table positions_;
  Table segments_;
};

void add_example(const Example& example, Numbers& numbers) {
  const LocalizedText of_null = localize("one_hot.next_place");
  const LocalizedText of_control = localize("one_hot.exact");
  numbers.add(NumberBuilder(kExampleNine, example.nine(Placing::right), settings())
                  .null(example.nine(Placing::next_position), of_null)
                  .control(0, of_control));
  numbers.add(NumberBuilder(kExampleJoint, example.joint(Placing::right), settings())
                  .null(example.joint(Placing::next_position), of_null)
                  .control(0, of_control));
}

/// The example's tables of one row for each combination.
enum class JointRows {
  sums,      ///< of three rows: what the document puts there
  free,      ///< drawn each by itself
  products,  ///< of three rows, each table's rows of sum 0: nothing that a sum has
};

/// [4 · 3 · 2, width]
Table joint_rows(JointRows kind, RandomStream& stream) {
  const auto rows = [&](Index count) -> Table {
    return white_noise({static_cast<size_t>(count), kJointWidth}, stream);
  };
  if (kind == JointRows::free) return rows(kCombinations);
  const std::array<Table, 3> tables{rows(kTokens), rows(kPositions), rows(kSegments)};
  Table joint(kCombinations, static_cast<Index>(kJointWidth));
  for (Index i = 0; i < kCombinations; ++i) {
    const auto token = tables[0].row(i / (kPositions * kSegments));
    const auto position = tables[1].row(i / kSegments % kPositions);
    const auto segment = tables[2].row(i % kSegments);
    if (kind == JointRows::sums) {
      joint.row(i) = token + position + segment;
    } else {
      joint.row(i) = (token - column_means(tables[0]).transpose())
                         .cwiseProduct(position - column_means(tables[1]).transpose())
                         .cwiseProduct(segment - column_means(tables[2]).transpose());
    }
  }
  return joint;
}

/// One-hot vectors side by side, of every combination: the sums are this times nine rows.
Table one_hot_rows() {
  Table rows = Table::Zero(kCombinations, kTokens + kPositions + kSegments);
  for (Index i = 0; i < kCombinations; ++i) {
    rows(i, i / (kPositions * kSegments)) = rows(i, kTokens + i / kSegments % kPositions) =
        rows(i, kTokens + kPositions + i % kSegments) = 1;
  }
  return rows;
}

/// The witness: which share of a joint table no sum of three rows reaches, whatever the rows.
double not_reached(const Table& joint) {
  const Table reached = singular_vectors(one_hot_rows()).left;  // orthonormal columns, as many as rows are free
  const Table rest = joint - reached * (reached.transpose() * joint);
  return rest.squaredNorm() / joint.squaredNorm();
}

void add_joint(const std::array<double, 3>& own, const Example& example, const Conditions& conditions,
               Numbers& numbers) {
  RandomStream stream(conditions.seed, "one-hot: joint rows");
  const Table sums = joint_rows(JointRows::sums, stream);
  const Table free = joint_rows(JointRows::free, stream);
  const Table products = joint_rows(JointRows::products, stream);
  numbers.add(NumberBuilder(kNotReached, not_reached(free), settings())
                  .null(not_reached(sums), localize("one_hot.joint_of_sums"))
                  .control(not_reached(products), localize("one_hot.joint_of_products")));
  numbers.add(NumberBuilder(kFreeRows, static_cast<double>(singular_vectors(one_hot_rows()).values.size()), settings())
                  .null(kCombinations, localize("one_hot.every_combination"))
                  .control(kTokens + kPositions + kSegments - 2, localize("one_hot.rows_less_two", settings())));
  numbers.add(NumberBuilder(kExampleJoint, example.joint(Placing::right), settings())
                  .null(example.joint(Placing::next_position), localize("one_hot.next_place"))
                  .control(0, localize("one_hot.exact")));
  const auto ratio = [](const std::array<double, 3>& rows) { return product_of(rows) / (sum_of(rows) - 2); };
  numbers.add(NumberBuilder(kFreeRowsHere, ratio(own))
                  .null(1, localize("one_hot.one_each"))
                  .control(ratio(kBertRows), localize("one_hot.bert_rows", words_of_rows(kBertRows))));
}

std::array<double, 3> rows_of(const Subject& subject) {
  return {static_cast<double>(subject.tokens.rows()), static_cast<double>(subject.positions.rows()),
          static_cast<double>(subject.segments.rows())};
}

void add_rows(const std::array<double, 3>& own, Numbers& numbers) {
  numbers.add(NumberBuilder(kRowsStacked, sum_of(own))
                  .null(product_of(own), localize("one_hot.every_combination"))
                  .control(sum_of(kBertRows), localize("one_hot.bert_rows", words_of_rows(kBertRows))));
  numbers.add(NumberBuilder(kJointOverStacked, product_of(own) / sum_of(own))
                  .null(own[0] / (own[0] + 2), localize("one_hot.one_each"))
                  .control(product_of(kBertRows) / sum_of(kBertRows),
                           localize("one_hot.bert_ratio", words_of_rows(kBertRows))));
}

void add_products(const Subject& subject, const std::vector<SumItem>& items, const Conditions& conditions,
                  Findings& findings, std::array<Differences, 2>& shown) {
  const FloatTable sums = engine_sums(subject.model->engine(), items);
  const Comparison own{subject.tokens, subject.positions, subject.segments, items, sums};
  shown = {own.with(Stacking::bert), own.with(Stacking::document)};
  conditions.progress(0.6);
  const double wrong_bert = own.with(Stacking::bert, Placing::next_position).units;
  const double wrong_document = own.with(Stacking::document, Placing::next_position).units;
  conditions.progress(0.8);
  const LocalizedText of_null = localize("one_hot.next_place");
  const LocalizedText of_control = localize("one_hot.double_precision");
  Numbers& numbers = findings.numbers["Q8a"];
  numbers.add(NumberBuilder(kUnitsBert, shown[0].units, {{"count", items.size()}})
                  .null(wrong_bert, of_null)
                  .control(own.exact(), of_control));
  numbers.add(NumberBuilder(kUnitsDocument, shown[1].units, {{"count", items.size()}})
                  .null(wrong_document, of_null)
                  .control(own.exact(), of_control));
  // A model that can tell no word from another: every token row is the mean row.
  const Table same_words = column_means(reached_tokens(subject))
                               .transpose()
                               .replicate(subject.tokens.rows(), 1)
                               .cast<float>()
                               .cast<double>();
  auto ruined = changed_model(subject);
  ruined.replace(kTokenTable, same_words);
  const FloatTable ruined_sums = engine_sums(ruined.engine(1), items);
  const Comparison comparison{same_words, subject.positions, subject.segments, items, ruined_sums};
  numbers.add(NumberBuilder(kUnitsWithoutWords, comparison.with(Stacking::bert).units)
                  .null(comparison.with(Stacking::bert, Placing::next_position).units, of_null)
                  .control(comparison.exact(), of_control));
}

Figure rows_figure(const std::array<double, 3>& own) {
  using namespace chart;
  const auto text = [](const char* name, const FormatArgs& args = {}) {
    return localize(std::string("one_hot.figures.one-hot-rows.") + name, args);
  };
  const std::vector<Series> series{{text("stacked"), {.colour = "@blue", .shape = "circle"}},
                                   {text("joint"), {.colour = "@orange", .shape = "square"}}};
  std::vector<LocalizedText> sizes;
  std::vector<LocalizedText> which;
  std::vector<double> rows;
  const auto add = [&](const LocalizedText& size, const std::array<double, 3>& of) {
    for (const bool joint : {false, true}) {
      sizes.push_back(size);
      which.push_back(series[joint ? 1 : 0].words);
      rows.push_back(joint ? product_of(of) : sum_of(of));
    }
  };
  add(text("example", settings()), {kTokens, kPositions, kSegments});
  add(text("bert", words_of_rows(kBertRows)), kBertRows);
  add(text("own", words_of_rows(own)), own);
  Json points = mark({{"type", "point"}, {"size", 90}, {"filled", true}},
                     of_points({{"y", listed_points("sizes", text("sizes"))},
                                {"x", logarithmic(number("rows", text("rows"), ",d"), {10, 1000, 100000, 10000000})}},
                               "table", text("table"), series));
  return {.name = "one-hot-rows",
          .title = text("title"),
          .caption = text("caption"),
          .specification = with_height(std::move(points), height_of(3) + 40),
          .data = FigureData{{{"sizes", sizes}, {"table", which}, {"rows", rows}}}};
}

Figure steps_figure(const std::array<Differences, 2>& orders) {
  using namespace chart;
  const auto text = [](const char* name, const FormatArgs& args = {}) {
    return localize(std::string("one_hot.figures.one-hot-differences.") + name, args);
  };
  const std::vector<LocalizedText> names{text("berts_order"), text("documents_order")};
  const std::array<LocalizedText, 4> apart{
      LocalizedText{"0", "0"}, {"1", "1"}, {"2", "2"}, text("or_more", {{"steps", 3}})};
  std::vector<LocalizedText> order;
  std::vector<LocalizedText> steps;
  std::vector<double> share;
  for (size_t i = 0; i < orders.size(); ++i) {
    for (size_t step = 0; step < apart.size(); ++step) {
      order.push_back(names[i]);
      steps.push_back(apart[step]);
      share.push_back(100 * orders[i].coordinates[step]);
    }
  }
  Json x = name("steps", text("steps"));
  x["axis"] = {{"labelAngle", 0}};
  Json bars = mark({{"type", "bar"}}, {{"x", std::move(x)}, {"y", number("share", text("share"))}});
  return {.name = "one-hot-differences",
          .title = text("title"),
          .caption = text("caption"),
          .specification = facets(name("order", text("order")), names, std::move(bars),
                                  {.least = 280, .most = 2, .axis = 80, .height = 170}),
          .data = FigureData{{{"order", order}, {"steps", steps}, {"share", share}}}};
}

std::optional<LocalizedText> lacks_tables(const Subject& subject) {
  if (const auto lacking = lacks_sum(subject)) return lacking;
  const auto& config = subject.model->config();
  if (subject.tokens.rows() != config.vocab_size || subject.positions.rows() != config.max_position_embeddings ||
      subject.segments.rows() > config.type_vocab_size) {
    return localize("one_hot.gaps.sizes");
  }
  return {};
}

Findings run_one_hot(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_tables(subject)) {
    for (const char* claim : {"Q8a", "Q8b"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  const Example example(conditions);
  Numbers& numbers = findings.numbers["Q8a"];
  add_example(example, numbers);
  const auto own = rows_of(subject);
  add_rows(own, numbers);
  add_joint(own, example, conditions, findings.numbers["Q8b"]);
  const size_t count = conditions.quick ? kDrawnQuick : kDrawn;
  if (conditions.quick) {
    findings.left_out.push_back(localize("one_hot.left_out", {{"few", kDrawnQuick}, {"many", kDrawn}}));
  }
  RandomStream stream(conditions.seed, "one-hot: items");
  const CorpusItems corpus = corpus_items(subject);
  const auto items = corpus.items.empty() ? uniform_items(subject, count, stream) : drawn_items(corpus, count, stream);
  if (corpus.items.empty()) findings.remarks.push_back(localize("one_hot.remarks.no_corpus"));
  std::array<Differences, 2> orders;
  add_products(subject, items, conditions, findings, orders);
  findings.figures.push_back(rows_figure(own));
  findings.figures.push_back(steps_figure(orders));
  findings.remarks.push_back(localize("one_hot.remarks.order"));
  conditions.progress(1);
  return findings;
}

/// Whether the equality holds where no word can be told as well.
bool is_blind(const Numbers& numbers) {
  return numbers.value(kUnitsWithoutWords) <= kRoundingSteps;
}

Verdict judge_one_hot(const Numbers& numbers) {
  const double bert = numbers.value(kUnitsBert);
  const double document = numbers.value(kUnitsDocument);
  const bool example = numbers.value(kExampleNine) == 0;
  Verdict verdict;
  verdict.observation = example && std::max(bert, document) <= kRoundingSteps ? Observation::holds : Observation::fails;
  verdict.number = deciding_number(
      {{kExampleNine, example}, {kUnitsBert, bert <= kRoundingSteps}, {kUnitsDocument, document <= kRoundingSteps}});
  verdict.inference = verdict.observation == Observation::fails || is_blind(numbers) ? Inference::does_not_follow
                                                                                     : Inference::not_tested;
  verdict.reason = localize(is_blind(numbers) ? "one_hot.reason_blind" : "one_hot.reason",
                            {{"bert", bert}, {"document", document}, {"ruined", numbers.value(kUnitsWithoutWords)}});
  return verdict;
}

Verdict judge_joint(const Numbers& numbers) {
  const bool one_way = numbers.value(kExampleJoint) == 0;
  const bool other_way = numbers.value(kNotReached) <= kRounding;
  Verdict verdict;
  verdict.observation = one_way && other_way ? Observation::holds : Observation::fails;
  verdict.number = deciding_number({{kNotReached, other_way}, {kExampleJoint, one_way}});
  verdict.inference = other_way ? Inference::follows : Inference::does_not_follow;
  verdict.reason = localize("one_hot.reason_joint", {{"joint", kCombinations},
                                                     {"free", numbers.value(kFreeRows)},
                                                     {"difference", numbers.value(kExampleJoint)},
                                                     {"percent", 100 * numbers.value(kNotReached)}});
  return verdict;
}

LocalizedText answer_one_hot(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q8a")) return gap_answer(findings.gaps.at("Q8a"));
  const Numbers& numbers = findings.numbers.at("Q8a");
  const Verdict& verdict = verdicts.at("Q8a");
  if (verdict.observation != Observation::holds) {
    const bool fails = verdict.observation == Observation::fails;
    return localize(fails ? "one_hot.answer_not_here.fails" : "one_hot.answer_not_here.not_told",
                    {{"reason", verdict.reason}});
  }
  const bool same_bits = numbers.value(kUnitsBert) == 0;
  return localize("one_hot.answer", {{"rows", with_commas(numbers.value(kRowsStacked))},
                                     {"how", localize(same_bits ? "one_hot.same_bits" : "one_hot.but_rounding")},
                                     {"blind", is_blind(numbers) ? localize("one_hot.blind") : LocalizedText{}},
                                     {"joint", kCombinations},
                                     {"free", findings.numbers.at("Q8b").value(kFreeRows)}});
}

}  // namespace
}  // namespace one_hot

Experiment one_hot_experiment() {
  using namespace one_hot;
  Experiment experiment = described_experiment("one_hot", settings());
  experiment.effort = 3;
  experiment.rules = {
      described_rule("one_hot", "Q8a", judge_one_hot, settings(), {.kind = Kind::algebra, .claim = "Q8d"}),
      described_rule("one_hot", "Q8b", judge_joint, settings(), {.kind = Kind::algebra})};
  experiment.run = run_one_hot;
  experiment.answer = answer_one_hot;
  return experiment;
}

}  // namespace summand::lab
