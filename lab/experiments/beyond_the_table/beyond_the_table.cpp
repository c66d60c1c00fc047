// Q3: is the limit on a text's length its tables', and is it hard?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/found.hpp"
#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/beyond_the_table/table_limits.hpp"
#include "lab/experiments/beyond_the_table/window_figures.hpp"
#include "lab/experiments/beyond_the_table/window_numbers.hpp"
#include "lab/experiments/beyond_the_table/window_runs.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/long_positions.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr Index kLeastBlockRows = 16;     // four blocks of four positions
constexpr Index kManyRows = 1024;         // attention over twice as many costs more than the rest: fewer texts
constexpr size_t kBlocksOfTable = 4;      // windows are a quarter of it
constexpr double kLeastApart = 0.02;      // of a cosine, between noise and the table: less is not told apart
constexpr double kLeastLossApart = 0.05;  // nats
constexpr double kKept = 0.8;  // of the way from noise to the table: what is lost is a quarter of what is kept
constexpr double kLostBeyond = 0.5;

constexpr const char* kSegmentRows = "embeddings.token_type_embeddings.weight";

/// The model with other numbers of rows: its first ones, or its last again and again.
engine::Engine with_rows(const Subject& subject, Index positions, Index segments, int threads) {
  const auto rows_of = [](const Table& table, Index rows) {
    Table other(rows, table.cols());
    for (Index row = 0; row < rows; ++row) other.row(row) = table.row(std::min(row, table.rows() - 1));
    return other;
  };
  auto model = changed_model(subject);
  model.replace_positions(rows_of(subject.positions, positions));
  model.config.type_vocab_size = segments;
  model.replace(kSegmentRows, rows_of(subject.segments, segments));
  return model.engine(threads);
}

void measure_limits(const Subject& subject, int threads, Findings& findings) {
  const Index rows = subject.positions.rows();
  const Index segments = subject.segments.rows();
  const auto most = static_cast<size_t>(4 * rows + 16);
  const auto own = table_limits(subject.model->engine(), most);
  const auto longer = table_limits(with_rows(subject, 2 * rows, segments + 1, threads), most);
  const auto shorter = table_limits(with_rows(subject, rows / 2, 1, threads), most);
  const Words of_longer{"the same model with twice the position rows and a segment row more",
                        "位置行加倍、片段行多一行的同一模型"};
  const Words of_shorter{"the same model with half the position rows and one segment row",
                         "位置行减半、片段行只留一行的同一模型"};
  const auto add = [&](const char* name, Words label, std::array<double, 3> values) {
    findings.numbers["Q3"].add(
        Measured(name, std::move(label), values[0]).null(values[1], of_longer).control(values[2], of_shorter));
  };
  const auto number = [](auto value) { return static_cast<double>(value); };
  add("longest_text", {"position ids that the engine takes", "引擎接受的位置编号个数"},
      {number(own.positions), number(longer.positions), number(shorter.positions)});
  add("position_rows", {"rows of the position table", "位置表的行数"},
      {number(rows), number(2 * rows), number(rows / 2)});
  add("most_segments", {"segment ids that the engine takes", "引擎接受的片段编号个数"},
      {number(own.segments), number(longer.segments), number(shorter.segments)});
  add("segment_rows", {"rows of the segment table", "片段表的行数"}, {number(segments), number(segments + 1), 1});
  findings.remarks.push_back(
      {fmt::format("The engine on the next position: `{}`. On the next segment: `{}`.", own.refused_position,
                   own.refused_segment),
       fmt::format("再多一个位置时引擎的回答：`{}`；再多一个片段：`{}`。", own.refused_position, own.refused_segment)});
}

/// What the tokenizer makes of a text longer than the table.
void say_what_the_tokenizer_does(const Subject& subject, Findings& findings) {
  const size_t limit = subject.model->position_limit();
  std::string text;
  for (size_t i = 0; i < 2 * limit; ++i) text += "a ";
  const text::InputRecord record(text);
  const auto cut = subject.model->encode(record, {}, limit);
  std::string refused = "-";
  try {
    (void)subject.model->encode(record, {.truncation = Truncation::none}, limit);
  } catch (const TextError& error) {
    refused = error.what();
  }
  findings.remarks.push_back(
      {fmt::format("Of a text of {} words the tokenizer keeps {} tokens, special ones among them, and cuts {}; told "
                   "not to cut, it says: `{}`.",
                   2 * limit, cut.ids.size(), cut.cut, refused),
       fmt::format("{} 个词的文本，分词器保留 {} 个词元（含特殊词元），截去 {} 个；若不许截断，则报错：`{}`。",
                   2 * limit, cut.ids.size(), cut.cut, refused)});
}

/// How long further rows are about the table's mean row, in units of the table's own; medians.
void say_how_long_the_rows_are(const Table& table, uint64_t seed, Findings& findings) {
  const auto length = [&](const Table& rows) {
    const Vector norms = (rows.rowwise() - column_means(table).transpose()).rowwise().norm();
    return median(elements(norms));
  };
  Words said{"Length of the further rows about the table's mean row, in units of its own rows':",
             "多出的行相对于原表均值行的长度，以原表各行为单位："};
  const char* comma = "";
  for (const auto& longer : longer_tables(table, static_cast<size_t>(2 * table.rows()), seed)) {
    const double ratio = length(longer.rows.bottomRows(table.rows())) / length(table);
    said.en += fmt::format("{} {} {:.2f}", comma, longer.series.words.en, ratio);
    said.zh += fmt::format("{}{} {:.2f}", *comma != 0 ? "；" : "", longer.series.words.zh, ratio);
    comma = ";";
  }
  said.en += ". Hierarchical rows take the first row along: where it stands out, so do they.";
  said.zh += "。层次分解的行都带着首行：首行若与众不同，它们也会。";
  findings.remarks.push_back(std::move(said));
}

enum class WholeTexts { leave_out, run };

/// Long texts under every table: what became of their windows.
WindowsMeasured measure_windows(const Subject& subject, const Conditions& conditions, const LongTextsChoice& choice,
                                WholeTexts whole) {
  const int threads = threads_of(conditions);
  const auto texts = long_texts(subject, choice, conditions.seed);
  const auto base = engine_with_positions(subject, subject.positions, threads);
  const WindowsAlone alone(base, texts);
  WindowsMeasured measured{
      .windows = texts.windows, .width = texts.width, .tables = {}, .scores = {}, .whole = {}, .within = {}};
  measured.within = alone.scores(base, Surroundings::within_table);
  for (auto& table : longer_tables(subject.positions, choice.length, conditions.seed)) {
    const auto engine = engine_with_positions(subject, table.rows, threads);
    // Within the table a way that keeps its rows is the model as it is; the last block reaches over its end.
    const size_t first = table.rows.topRows(subject.positions.rows()) == subject.positions ? kBlocksOfTable - 1 : 0;
    measured.scores.push_back(alone.scores(engine, Surroundings::own_place, first, measured.within));
    if (whole == WholeTexts::run) measured.whole.push_back(alone.scores(engine, Surroundings::whole_text));
    table.rows.resize(0, 0);
    measured.tables.push_back(std::move(table));
  }
  return measured;
}

void measure_lengths_beyond_the_table(const Subject& subject, const Conditions& conditions, Findings& findings) {
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const bool fewer = conditions.quick || subject.positions.rows() > kManyRows;
  const size_t texts = fewer ? 2 : 6;
  const auto choice = [&](size_t times, size_t count, size_t first_block) {
    return LongTextsChoice{.texts = count,
                           .length = times * rows,
                           .first_block = first_block,
                           .name = fmt::format("positions beyond the table: texts, {} times", times)};
  };
  const Draws draws{.seed = conditions.seed,
                    .name = "positions beyond the table",
                    .count = conditions.quick ? 200U : 1000U,
                    .threads = threads_of(conditions)};
  const auto twice =
      measure_windows(subject, conditions, choice(2, texts, 0), fewer ? WholeTexts::leave_out : WholeTexts::run);
  conditions.progress(0.9);
  const auto head = lacks_masked_language(subject) ? HeadScores::absent : HeadScores::present;
  Numbers& numbers = findings.numbers["Q3"];
  add_window_numbers(twice, {.first_position = rows, .prefix = "", .head = head}, draws, numbers);
  findings.figures.push_back(windows_figure(twice, rows));
  findings.figures.push_back(kept_figure(numbers, twice.tables));
  if (head == HeadScores::present) findings.figures.push_back(masked_figure(twice, rows));
  if (fewer) {
    findings.left_out.push_back(
        {fmt::format("{} long texts instead of 6, none of three times the table's length, none run whole", texts),
         fmt::format("长文本 {} 篇而非 6 篇，不测三倍于位置表的长度，也不整篇运行", texts)});
    return;
  }
  const auto thrice = measure_windows(subject, conditions, choice(3, 2, 2 * kBlocksOfTable), WholeTexts::leave_out);
  add_window_numbers(thrice, {.first_position = 2 * rows, .prefix = "far_", .head = HeadScores::absent}, draws,
                     numbers);
}

Findings run_beyond_the_table(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q3"] = {"needs a checkpoint, not a table alone", "需要检查点，而不只是一张表"};
    return findings;
  }
  if (subject.positions.rows() < kLeastBlockRows ||
      texts_of_length(subject, 1, std::numeric_limits<size_t>::max()).empty()) {
    findings.gaps["Q3"] = {fmt::format("needs {} position rows and a corpus with words", kLeastBlockRows),
                           fmt::format("需要至少 {} 行位置和有词的语料", kLeastBlockRows)};
    return findings;
  }
  measure_limits(subject, threads_of(conditions), findings);
  say_what_the_tokenizer_does(subject, findings);
  conditions.progress(0.1);
  measure_lengths_beyond_the_table(subject, conditions, findings);
  say_how_long_the_rows_are(subject.positions, conditions.seed, findings);
  const auto rows = static_cast<size_t>(subject.positions.rows());
  findings.remarks.push_back(
      {fmt::format("Hierarchical positions reach {} · {} = {} rows; the first {} are the table's own.", rows, rows,
                   rows * rows, rows),
       fmt::format("层次分解可达 {} × {} = {} 行，前 {} 行就是原表。", rows, rows, rows * rows, rows)});
  findings.remarks.push_back(
      {"Long texts are texts of the corpus, the longest first, joined in random order; where the corpus has fewer "
       "tokens than one of them, texts stand in it twice. Texts that were cut at the model's positions stay cut. In "
       "its whole text a window has four times as much text about it as within the table: what it loses there may be "
       "the length's and not the positions'. The table repeated gives the first window behind it the very positions "
       "that it has alone.",
       "长文本由语料中的文本（最长者优先）按随机顺序拼接而成；语料词元不足一篇时，文本会在其中重复。已按模型位置数截断"
       "的文本仍是截断后的。置于整篇时，窗口周围的文本是表内的四倍：损失可能来自长度而非位置。平铺时，表外第一个窗口的"
       "位置行恰与它单独时相同。"});
  if (const auto lacking = lacks_masked_language(subject)) {
    findings.remarks.push_back({"Accuracy on masked words was not measured: " + lacking->en + ".",
                                "未测掩码词的准确率：" + lacking->zh + "。"});
  }
  conditions.progress(1);
  return findings;
}

/// The lower of both at either end.
Interval lower_of(const Interval& a, const Interval& b) {
  return {.low = std::min(a.low, b.low), .high = std::min(a.high, b.high)};
}

/// Kept by the vectors with half a table of text about them; and by the loss on masked words, where a head tells noise
/// from the table: the lower.
Interval kept_by(const Numbers& numbers, const std::string& way) {
  const Interval kept = numbers.at("kept_" + way).interval.value();
  const bool by_loss = found(numbers, "loss_" + way) != nullptr &&
                       numbers.null("loss_" + way) - numbers.control("loss_" + way) >= kLeastLossApart;
  return by_loss ? lower_of(kept, numbers.at("kept_loss_" + way).interval.value()) : kept;
}

/// In the whole long text as well; nothing where that was left out.
std::optional<Interval> kept_in_whole_texts(const Numbers& numbers, const std::string& way) {
  if (found(numbers, "kept_text_" + way) == nullptr) return {};
  return lower_of(kept_by(numbers, way), numbers.at("kept_text_" + way).interval.value());
}

/// What keeps most of a window with half a table of text about it.
std::string best_way(const Numbers& numbers) {
  return *std::ranges::max_element(kWaysBeyond, {},
                                   [&](const std::string& way) { return numbers.value("kept_" + way); });
}

Verdict judge_beyond_the_table(const Numbers& numbers) {
  Verdict verdict;
  const auto at_rows = [&](const char* taken, const char* rows) {
    return numbers.null(taken) == numbers.null(rows) && numbers.control(taken) == numbers.control(rows);
  };
  const bool told = at_rows("longest_text", "position_rows") && at_rows("most_segments", "segment_rows");
  const bool own = numbers.value("longest_text") == numbers.value("position_rows") &&
                   numbers.value("most_segments") == numbers.value("segment_rows");
  verdict.observation = !told ? Observation::cannot_be_told : own ? Observation::holds : Observation::fails;

  const double apart = numbers.control("tokens_tiled") - numbers.null("tokens_tiled");
  if (apart >= kLeastApart) {
    const auto keeps = [&](const std::string& way) {
      const auto kept = kept_in_whole_texts(numbers, way);
      return kept && kept->low >= kKept;
    };
    const auto loses = [&](const std::string& way) { return kept_by(numbers, way).high < kLostBeyond; };
    if (std::ranges::any_of(kWaysBeyond, keeps)) verdict.inference = Inference::does_not_follow;
    if (std::ranges::all_of(kWaysBeyond, loses)) verdict.inference = Inference::follows;
  }
  const std::string best = best_way(numbers);
  const Number& kept = numbers.at("kept_" + best);
  const std::string in_whole = (found(numbers, "kept_text_" + best) != nullptr)
                                   ? fmt::format("{:.2f}", numbers.value("kept_text_" + best))
                                   : "–";
  verdict.reason = {
      fmt::format("the engine takes {:.0f} positions and {:.0f} segments, as many as the tables have rows; beyond, "
                  "with rows by '{}', tokens keep {:.2f} [{:.2f}, {:.2f}] of the way from noise ({:.2f}) to the table "
                  "({:.2f}) with half a table of text, {} in the whole long text",
                  numbers.value("longest_text"), numbers.value("most_segments"), label_of_way(best).en, kept.value,
                  kept.interval->low, kept.interval->high, numbers.null("tokens_" + best),
                  numbers.control("tokens_" + best), in_whole),
      fmt::format("引擎接受 {:.0f} 个位置、{:.0f} "
                  "个片段，与表的行数相同；之外用“{}”造行，词元从噪声（{:.2f}）到原表（{:.2f}）的差距保住 {:.2f} "
                  "[{:.2f}, {:.2f}]（带半张表的前文；置于整篇为 {}）",
                  numbers.value("longest_text"), numbers.value("most_segments"), label_of_way(best).zh,
                  numbers.null("tokens_" + best), numbers.control("tokens_" + best), kept.value, kept.interval->low,
                  kept.interval->high, in_whole)};
  if (!own) {
    verdict.reason = {
        fmt::format("the engine takes {:.0f} positions and {:.0f} segments; the tables have {:.0f} and {:.0f} rows",
                    numbers.value("longest_text"), numbers.value("most_segments"), numbers.value("position_rows"),
                    numbers.value("segment_rows")),
        fmt::format("引擎接受 {:.0f} 个位置、{:.0f} 个片段，而表有 {:.0f} 与 {:.0f} 行", numbers.value("longest_text"),
                    numbers.value("most_segments"), numbers.value("position_rows"), numbers.value("segment_rows"))};
  }
  return verdict;
}

Words answer_beyond_the_table(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q3")) return findings.gaps.at("Q3");
  const Numbers& numbers = findings.numbers.at("Q3");
  const bool soft = verdicts.at("Q3").inference == Inference::does_not_follow;
  const bool hard = verdicts.at("Q3").inference == Inference::follows;
  const std::string best = best_way(numbers);
  Words whole;
  if (found(numbers, "kept_text_" + best) != nullptr) {
    const double kept = 100 * numbers.value("kept_text_" + best);
    whole = {fmt::format(", {:.0f} % in the whole text", kept), fmt::format("，置于整篇为 {:.0f}%", kept)};
  }
  return {
      fmt::format("At most {:.0f} tokens, [CLS] and [SEP] among them, and {:.0f} segments: its tables end there. {} "
                  "Best: {}; with half a table of text, windows beyond keep {:.0f} % of what tells the table from "
                  "noise{}.",
                  numbers.value("longest_text"), numbers.value("most_segments"),
                  soft   ? "The limit is not hard: rows can be made."
                  : hard ? "No way of making further rows works here."
                         : "Whether further rows can be made is open.",
                  label_of_way(best).en, 100 * numbers.value("kept_" + best), whole.en),
      fmt::format("最多 {:.0f} 个词元（含 [CLS] 与 [SEP]）、{:.0f} "
                  "个片段，因为表到此为止。{}最好的办法是{}：带半张表的前文时，表外"
                  "窗口保住原表与噪声之差的 {:.0f}%{}。",
                  numbers.value("longest_text"), numbers.value("most_segments"),
                  soft   ? "这一上限并不硬：可以另造行。"
                  : hard ? "此处另造的行都不管用。"
                         : "能否另造行，尚无定论。",
                  label_of_way(best).zh, 100 * numbers.value("kept_" + best), whole.zh)};
}

}  // namespace

Experiment beyond_the_table_experiment() {
  return {
      .name = "beyond_the_table",
      .effort = 30,
      .title = {"Positions beyond the table", "位置表之外的位置"},
      .question = {"Why no more than 512 tokens and two segments, and is that limit hard?",
                   "为什么最多 512 个词元、两个片段？这个上限是硬的吗？"},
      .definition =
          {"The largest position and segment id that the engine takes, by asking. Then texts of twice (and three "
           "times) the table's length, whose further rows are made in six ways: the last ordinary row repeated; the "
           "table stretched, linear between rows; row i mod n; and Su's hierarchical rows with α = 0.2, 0.4, 0.6. The "
           "text is cut into windows of a quarter of the table. A window and the text before it, half a table "
           "together, stand at their positions in the long text (and in the whole of it); its tokens are compared with "
           "the same tokens alone at the table's first positions: cosine of last hidden vectors less their common "
           "mean, token by token and of the window's mean. Kept = (way − noise) / (table − noise). Where there is a "
           "masked-language head, loss and accuracy on the same masked words as well.",
           "先逐个试出引擎接受的最大位置编号与片段编号。再取两倍（及三倍）于位置表的文本，其多出的行用六种办法造：重复"
           "末尾的普通行；把表拉长并线性插值；第 i mod n 行；苏剑林的层次分解，α = "
           "0.2、0.4、0."
           "6。文本按表长的四分之一切成窗口，窗口与其前文（共半张表）放在它们在长文本中的位置（另测置于整篇），比较窗口"
           "中的词元与单独放在表的开头时的末层向量（减去公共均值）：逐词元的余弦，以及窗口均值的余弦。保住的比例 "
           "=（该办法 − 噪声）/（原表 − 噪声）。有掩码语言模型头时，另给相同掩码词上的损失与准确率。"},
      .source = {"document 001; Su 2020, kexue.fm 7947", "文档 001；苏剑林 2020，kexue.fm 7947"},
      .null = {"for the limit, the model with twice the rows; beyond the table, noise about the mean row, as long as "
               "the ordinary rows are about it (for the part kept: the table's own rows in random order)",
               "对上限：行数加倍的模型；对表外：围绕均值行、与普通行同样长的噪声（对保住的比例：原表各行随机排列）"},
      .control = {"for the limit, the model with half the rows; beyond the table, the same window and text before it, "
                  "at places spread evenly over the table",
                  "对上限：行数减半的模型；对表外：同一窗口与前文，放在均匀分布于位置表中的各处"},
      .rules =
          {{.claim = "Q3",
            .observation = {"holds if the engine takes exactly as many position and segment ids as the tables have "
                            "rows; fails if it takes more or fewer; cannot be told if the limit does not move with the "
                            "rows when they are doubled and halved",
                            "引擎接受的位置与片段编号数恰等于两张表的行数则成立；多于或少于则不成立；行数加倍、减半时上"
                            "限不随之移动则无法判断"},
            .inference = {"that what lies beyond has no embedding, so the limit is hard, does not follow if a way of "
                          "making rows keeps at least .8 of the way from noise to the table, by the lower end of its "
                          "interval, both with half a table of text and with the whole long text about a window (and "
                          "by the masked loss, where a head tells the two apart by .05 nats); follows if every way "
                          "keeps less than .5 by the upper end with half a table of text; otherwise, if noise and "
                          "table differ by less than .02, or if whole texts were left out, not tested",
                          "“表外没有嵌入，故上限是硬的”：若某种办法无论带半张表的前文还是置于整篇，都保住从噪声到原表的"
                          "至少 .8（取区间下端；有头且其损失能以 .05 "
                          "奈特分开两者时，损失亦然），则推不出；若每种办法在带半张表前文时的区间上端都低于 "
                          ".5，则可推出；其余情形，或噪声与原表相差不足 .02，或未整篇运行，则未检验"},
            .judge = judge_beyond_the_table}},
      .run = run_beyond_the_table,
      .answer = answer_beyond_the_table};
}

}  // namespace summand::lab
