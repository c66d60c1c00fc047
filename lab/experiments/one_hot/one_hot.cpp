// Q8a: are the three rows added the same vector as three one-hot vectors side by side, passed through one stacked
// table?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/measured.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/one_hot/stacked_tables.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

/// Two orders of two additions round four times, each by half a unit of a sum that is at most three times its largest
/// addend, and so by at most one and a half to three of the addend's units.
constexpr double kRoundingSteps = 6;

/// Google's BERT, base, English: rows of its three tables.
constexpr std::array<double, 3> kBertRows{30522, 512, 2};

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

/// The document's example: tables of 4, 3 and 2 rows of small whole numbers, and all 24 combinations.
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
    tokens_ = whole_numbers(4);
    positions_ = whole_numbers(3);
    segments_ = whole_numbers(2);
  }

  /// @return largest difference from the sums, of products with the table of 4 + 3 + 2 = 9 rows
  [[nodiscard]] double nine(Placing placing) const {
    const Stacked stacked(tokens_, positions_, segments_, Stacking::document);
    double largest = 0;
    visit([&](const SumItem& item, const Eigen::RowVectorXd& sum) {
      const auto product = stacked.product(item, placing);
      largest = std::max(largest, (product.cast<double>() - sum).cwiseAbs().maxCoeff());
    });
    return largest;
  }
  /// @return the same with the table of 4 · 3 · 2 = 24 rows, one for each combination
  [[nodiscard]] double joint(Placing placing) const {
    Table rows(24, kWidth);
    visit([&](const SumItem& item, const Eigen::RowVectorXd& sum) { rows.row(place(item, Placing::right)) = sum; });
    double largest = 0;
    visit([&](const SumItem& item, const Eigen::RowVectorXd& sum) {
      Eigen::RowVectorXd hot = Eigen::RowVectorXd::Zero(24);
      hot(place(item, placing)) = 1;
      largest = std::max(largest, (hot * rows - sum).cwiseAbs().maxCoeff());
    });
    return largest;
  }

 private:
  static constexpr Index kWidth = 768;

  static Index place(const SumItem& item, Placing placing) {
    const Index position = placing == Placing::right ? item.position : (item.position + 1) % 3;
    return (item.token * 3 + position) * 2 + item.segment;
  }
  template <class Visit>
  void visit(const Visit& one) const {
    for (Index token = 0; token < 4; ++token) {
      for (Index position = 0; position < 3; ++position) {
        for (Index segment = 0; segment < 2; ++segment) {
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

void add_example(const Conditions& conditions, Numbers& numbers) {
  const Example example(conditions);
  const Words of_null{"the position's one in the next place", "位置的 1 错放到下一格"};
  const Words of_control{"no difference: whole numbers add exactly", "无差别：整数相加没有误差"};
  numbers.add(Measured("example_nine",
                       {"the document's example, 9 rows: largest difference of one-hot product and sum",
                        "文中例子（9 行）：one-hot 乘积与相加的最大差"},
                       example.nine(Placing::right))
                  .null(example.nine(Placing::next_position), of_null)
                  .control(0, of_control));
  numbers.add(Measured("example_joint", {"the same with the joint table of 24 rows", "24 行联合表的同一差值"},
                       example.joint(Placing::right))
                  .null(example.joint(Placing::next_position), of_null)
                  .control(0, of_control));
}

std::array<double, 3> rows_of(const Subject& subject) {
  return {static_cast<double>(subject.tokens.rows()), static_cast<double>(subject.positions.rows()),
          static_cast<double>(subject.segments.rows())};
}

void add_rows(const std::array<double, 3>& own, Numbers& numbers) {
  numbers.add(Measured("rows_stacked", {"rows of the three tables in one", "三张表叠成一张的行数"}, sum_of(own))
                  .null(product_of(own), {"a row for every combination", "每种组合一行"})
                  .control(sum_of(kBertRows), {"BERT's 30,522 + 512 + 2", "BERT 的 30,522 + 512 + 2"}));
  numbers.add(Measured("rows_joint_over_stacked",
                       {"rows of the joint table for each row of the stacked one", "联合表行数与叠表行数之比"},
                       product_of(own) / sum_of(own))
                  .null(own[0] / (own[0] + 2), {"one position and one segment", "只有一个位置、一个片段"})
                  .control(product_of(kBertRows) / sum_of(kBertRows),
                           {"BERT's 31,254,528 over 31,036", "BERT 的 31,254,528 比 31,036"}));
}

void add_products(const Subject& subject, const std::vector<SumItem>& items, const Conditions& conditions,
                  Findings& findings, std::array<Differences, 2>& shown) {
  const FloatTable sums = engine_sums(subject.model->engine(), items);
  const Comparison own{subject.tokens, subject.positions, subject.segments, items, sums};
  shown = {own.with(Stacking::bert), own.with(Stacking::document)};
  conditions.progress(0.6);
  const double wrong = own.with(Stacking::bert, Placing::next_position).units;
  conditions.progress(0.8);
  const Words of_null{"the position's one in the next place", "位置的 1 错放到下一格"};
  const Words of_control{"both orders in double precision", "两种次序均以双精度计算"};
  Numbers& numbers = findings.numbers["Q8a"];
  const auto count = items.size();
  numbers.add(
      Measured("units_in_berts_order",
               {fmt::format("largest difference over {} tokens, in units in the last place of the largest addend; "
                            "stacked token, segment, position",
                            count),
                fmt::format("{} 个词元上的最大差，以最大加数的末位单位计；叠放次序：词元、片段、位置", count)},
               shown[0].units)
          .null(wrong, of_null)
          .control(own.exact(), of_control));
  numbers.add(Measured("units_in_documents_order",
                       {"the same, stacked token, position, segment", "同上，叠放次序：词元、位置、片段"},
                       shown[1].units)
                  .null(wrong, of_null)
                  .control(own.exact(), of_control));
  // A model that can tell no word from another: every token row is the mean row.
  const Table same_words =
      column_means(subject.tokens).transpose().replicate(subject.tokens.rows(), 1).cast<float>().cast<double>();
  auto ruined = changed_model(subject);
  ruined.replace("embeddings.word_embeddings.weight", same_words);
  const FloatTable ruined_sums = engine_sums(ruined.engine(1), items);
  const Comparison comparison{same_words, subject.positions, subject.segments, items, ruined_sums};
  numbers.add(Measured("units_without_words",
                       {"the same where all token rows are made equal, so that no word can be told",
                        "把全部词元行改成同一行（无法分辨任何词）之后的同一差值"},
                       comparison.with(Stacking::bert).units)
                  .null(comparison.with(Stacking::bert, Placing::next_position).units, of_null)
                  .control(comparison.exact(), of_control));
}

Figure rows_figure(const std::array<double, 3>& own) {
  using namespace chart;
  const std::vector<Series> series{
      {{"stacked: rows added up", "叠表：行数相加"}, {.colour = "@blue", .shape = "circle"}},
      {{"joint: a row for every combination", "联合表：每种组合一行"}, {.colour = "@orange", .shape = "square"}}};
  std::vector<Words> sizes;
  std::vector<Words> which;
  std::vector<double> rows;
  const auto add = [&](const Words& size, const std::array<double, 3>& of) {
    for (const bool joint : {false, true}) {
      sizes.push_back(size);
      which.push_back(series[joint ? 1 : 0].words);
      rows.push_back(joint ? product_of(of) : sum_of(of));
    }
  };
  add({"the document's example: 4, 3, 2", "文中例子：4、3、2"}, {4, 3, 2});
  add({"BERT: 30,522, 512, 2", "BERT：30,522、512、2"}, kBertRows);
  const auto own_rows = [&](const char* between) {
    return with_commas(own[0]) + between + with_commas(own[1]) + between + with_commas(own[2]);
  };
  add({"this checkpoint: " + own_rows(", "), "此检查点：" + own_rows("、")}, own);
  Json points = mark({{"type", "point"}, {"size", 90}, {"filled", true}},
                     of_points({{"y", listed_points("sizes", {"tables", "各表"})},
                                {"x", logarithmic(number("rows", {"rows (logarithmic)", "行数（对数）"}, ",d"),
                                                  {10, 1000, 100000, 10000000})}},
                               "table", {"table", "表"}, series));
  return {.name = "one-hot-rows",
          .title = {"Rows of one table instead of three", "用一张表代替三张表要多少行"},
          .caption = {"Stacked, the three tables keep their rows; a row for every combination takes their product.",
                      "叠成一张表时行数相加；每种组合一行则要相乘。"},
          .specification = with_height(std::move(points), height_of(3) + 40),
          .data = FigureData{{{"sizes", sizes}, {"table", which}, {"rows", rows}}}};
}

Figure steps_figure(const std::array<Differences, 2>& orders) {
  using namespace chart;
  const std::vector<Words> names{{"stacked token, segment, position", "叠放：词元、片段、位置"},
                                 {"stacked token, position, segment", "叠放：词元、位置、片段"}};
  const std::array<Words, 4> apart{Words{"0", "0"}, {"1", "1"}, {"2", "2"}, {"3 or more", "3 及以上"}};
  std::vector<Words> order;
  std::vector<Words> steps;
  std::vector<double> share;
  for (size_t i = 0; i < orders.size(); ++i) {
    for (size_t step = 0; step < apart.size(); ++step) {
      order.push_back(names[i]);
      steps.push_back(apart[step]);
      share.push_back(100 * orders[i].coordinates[step]);
    }
  }
  Json x = name("steps", {"representable numbers apart", "相差几个可表示的数"});
  x["axis"] = {{"labelAngle", 0}};
  Json bars =
      mark({{"type", "bar"}}, {{"x", std::move(x)}, {"y", number("share", {"coordinates, %", "坐标占比（%）"})}});
  return {
      .name = "one-hot-differences",
      .title = {"How far the one-hot product is from the engine's sum", "one-hot 乘积与引擎所加之和相差多远"},
      .caption =
          {"Rounding depends on the order of adding: how many coordinates agree to the last bit in the engine's own "
           "order, and in the document's?",
           "舍入取决于相加次序：按引擎自己的次序、按文中的次序，各有多少坐标逐位相同？"},
      .specification = facets(name("order", {"order", "次序"}), names, std::move(bars),
                              {.least = 280, .most = 2, .axis = 80, .height = 170}),
      .data = FigureData{{{"order", order}, {"steps", steps}, {"share", share}}}};
}

std::optional<Words> lacks_tables(const Subject& subject) {
  if (const auto lacking = lacks_sum(subject)) return lacking;
  const auto& config = subject.model->config();
  if (subject.tokens.rows() != config.vocab_size || subject.positions.rows() != config.max_position_embeddings ||
      subject.segments.rows() != config.type_vocab_size) {
    return Words{"the tables do not have the model's sizes", "各表的大小与模型不符"};
  }
  return {};
}

Findings run_one_hot(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_tables(subject)) {
    findings.gaps["Q8a"] = *lacking;
    return findings;
  }
  Numbers& numbers = findings.numbers["Q8a"];
  add_example(conditions, numbers);
  const auto own = rows_of(subject);
  add_rows(own, numbers);
  const size_t count = conditions.quick ? 30 : 200;
  if (conditions.quick) findings.left_out.push_back({"30 tokens instead of 200", "词元 30 个而非 200 个"});
  RandomStream stream(conditions.seed, "one-hot: items");
  const CorpusItems corpus = corpus_items(subject);
  const auto items = corpus.items.empty() ? uniform_items(subject, count, stream) : drawn_items(corpus, count, stream);
  if (corpus.items.empty()) {
    findings.remarks.push_back({"There is no corpus: tokens, positions and segments were drawn uniformly.",
                                "没有语料：词元、位置与片段均匀抽取。"});
  }
  std::array<Differences, 2> orders;
  add_products(subject, items, conditions, findings, orders);
  findings.figures.push_back(rows_figure(own));
  findings.figures.push_back(steps_figure(orders));
  findings.remarks.push_back(
      {"The one-hot product multiplies every row of the stacked table, zeros included, in single precision, and adds "
       "from the first row to the last: the order in which the tables are stacked is the order of summation. The "
       "engine adds token and segment first, then position, as google-research/bert does.",
       "one-hot 乘积以单精度把叠表的每一行（包括乘零的行）从头到尾逐行累加：叠放次序即求和次序。引擎与 "
       "google-research/bert 一样，先加词元与片段，再加位置。"});
  conditions.progress(1);
  return findings;
}

Verdict judge_one_hot(const Numbers& numbers) {
  const double bert = numbers.value("units_in_berts_order");
  const double document = numbers.value("units_in_documents_order");
  const double largest = std::max(bert, document);
  const double ruined = numbers.value("units_without_words");
  Verdict verdict;
  const bool told_apart = numbers.null("units_in_berts_order") > kRoundingSteps &&
                          numbers.control("units_in_berts_order") <= kRoundingSteps && numbers.null("example_nine") > 0;
  if (!told_apart) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    const bool example = numbers.value("example_nine") == 0 && numbers.value("example_joint") == 0;
    verdict.observation = example && largest <= kRoundingSteps ? Observation::holds : Observation::fails;
  }
  const bool blind = verdict.observation == Observation::holds && ruined <= kRoundingSteps;
  verdict.inference =
      verdict.observation == Observation::fails || blind ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = {
      fmt::format("one-hot product and sum differ by at most {:.2g} units in the last place, {:.2g} in the document's "
                  "order, and by {:.2g} where no word can be told{}",
                  bert, document, ruined, blind ? ": the equality says nothing of meaning" : ""),
      fmt::format("one-hot 乘积与相加最多差 {:.2g} 个末位单位，按文中次序为 {:.2g}，在无法分辨任何词的表上为 {:.2g}{}",
                  bert, document, ruined, blind ? "：这一等式与语义无关" : "")};
  return verdict;
}

Words answer_one_hot(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q8a")) return findings.gaps.at("Q8a");
  const Numbers& numbers = findings.numbers.at("Q8a");
  if (verdicts.at("Q8a").observation != Observation::holds) {
    const Words& reason = verdicts.at("Q8a").reason;
    return {fmt::format("Not here: {}.", reason.en), fmt::format("此处不然：{}。", reason.zh)};
  }
  const std::string rows = with_commas(numbers.value("rows_stacked"));
  const bool same_bits = numbers.value("units_in_berts_order") == 0;
  return {
      fmt::format("Yes: the sum is the concatenated one-hot vectors times one stacked table of {} rows, {}. But only "
                  "this concatenation is equal, whose layer is the three tables; it is so as well where no word can be "
                  "told, and does not show that adding is harmless.",
                  rows, same_bits ? "bit for bit in BERT's order of adding" : "up to rounding"),
      fmt::format("相同：相加就是拼接的 one-hot 乘以一张 {} 行的叠表，{}。但只等于这一种拼接，其全连接层就是那三张表；"
                  "在分辨不出任何词的表上等式同样成立，所以它不能说明相加无害。",
                  rows, same_bits ? "按 BERT 的相加次序逐位一致" : "只差舍入")};
}

}  // namespace

Experiment one_hot_experiment() {
  return {
      .name = "one_hot",
      .effort = 5,
      .title = {"One-hot vectors and one stacked table", "one-hot 与一张叠起来的表"},
      .question = {"Is adding three rows the same as one layer on three one-hot vectors side by side?",
                   "三行相加，与三个 one-hot 拼接后过一个全连接层，是一回事吗？"},
      .definition =
          {"The document's tables of 4, 3 and 2 rows, filled with small whole numbers, over all 24 combinations: 9 "
           "rows stacked, and 24 rows of a joint table. Then the checkpoint's three tables stacked: one-hot vectors of "
           "corpus tokens times all its rows in single precision, beside what the engine added.",
           "文中 4、3、2 行的表填入小整数，遍历 24 种组合：叠成 9 行，以及 24 "
           "行的联合表。再把检查点的三张表叠成一张：语料词元的 one-hot 向量以单精度乘以全部行，与引擎所加之和比较。"},
      .source = {"document 001, question 8", "文档 001 第 8 问"},
      .null = {"the position's one set in the next place", "位置的 1 错放到下一格"},
      .control = {"both orders of summation in double precision; whole numbers, which add exactly",
                  "两种求和次序均用双精度；整数相加没有误差"},
      .rules =
          {{.claim = "Q8a",
            .observation =
                {"holds if the document's example agrees exactly and no coordinate differs by more than 6 units in the "
                 "last place of the largest addend, the most that rounding in another order can do; fails otherwise; "
                 "cannot be told if a one in the wrong place differs no more, or double precision does",
                 "若文中例子完全一致，且各坐标之差不超过最大加数的 6 "
                 "个末位单位（换一种次序求和所能造成的最大舍入差）则成立；否则不成立；若 1 "
                 "放错位置时也不超过，或双精度反而超过，则无法判断"},
            .inference =
                {"that adding has no effect on the meaning does not follow if the equality fails, or holds as well "
                 "where every token has the same row, and no word can be told; otherwise not tested",
                 "若等式不成立，或在所有词元行都相同、分辨不出任何词时照样成立，则“相加对语义没有影响”推不出；否"
                 "则未检验"},
            .judge = judge_one_hot}},
      .run = run_one_hot,
      .answer = answer_one_hot};
}

}  // namespace summand::lab
