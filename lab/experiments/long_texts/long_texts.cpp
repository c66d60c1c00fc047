// Q10: what is lost of a text that is longer than the table, and what keeps it?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lab/core/measured.hpp"
#include "lab/core/tasks.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/long_texts/document_worlds.hpp"
#include "lab/probing/changed_model.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/long_positions.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr size_t kLeastTable = 16;
constexpr size_t kShortestSentence = 3;  // tokens
constexpr double kOfCorpus = 0.7;        // of it, at most, in one document: the others need sentences that it lacks
constexpr double kLeastTables = 1.25;    // that a document is long, at least
constexpr double kLeastGain = 0.05;      // where all fits and half is cut: less, and the measure sees no loss
constexpr double kSame = 0.01;           // of a cosine

struct Estimate {
  double value = 0;
  Interval interval;
};

/// The mean over documents that have a value, and where it lies when documents are drawn again.
Estimate mean_over(std::vector<double> values, const Draws& draws) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  const auto of = [&](std::span<const size_t> chosen) {
    double total = 0;
    for (const size_t i : chosen) total += values[i];
    return total / static_cast<double>(chosen.size());
  };
  std::vector<size_t> all(values.size());
  std::iota(all.begin(), all.end(), size_t{0});
  return {of(all), bootstrap(values.size(), of, draws)};
}

std::vector<double> less(std::vector<double> a, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

/// Of head, tail, and both: the one whose vectors are nearest to the whole, on the average.
Treatment best_cut(const World& world) {
  return *std::ranges::max_element(kCuts, {}, [&](Treatment cut) { return mean(world.content_of(cut, world.own())); });
}

class NumbersOfWorlds {
 public:
  NumbersOfWorlds(const Worlds& worlds, Draws draws, Numbers& numbers)
      : worlds_(worlds), draws_(std::move(draws)), numbers_(numbers) {}

  using Of = std::function<std::vector<double>(const World&, const std::vector<size_t>&)>;

  /// @param control  in the world of documents that fit; the null is `of` with documents' vectors exchanged
  void add(const std::string& name, const Words& label, const Of& of, const Of& control) {
    const auto& [longer, fitting] = worlds_;
    const Estimate value = mean_over(of(longer, longer.own()), draws_);
    const Estimate null = mean_over(of(longer, longer.exchanged()), draws_);
    const Estimate fits = mean_over(control(fitting, fitting.own()), draws_);
    numbers_.add(Measured(name, label, value.value)
                     .interval(value.interval)
                     .null(null.value, {"documents' vectors exchanged", "文档向量互换"}, null.interval)
                     .control(fits.value, {"documents that fit into the table", "位置表容得下的文档"}, fits.interval));
  }

 private:
  const Worlds& worlds_;
  Draws draws_;
  Numbers& numbers_;
};

void add_numbers(const Worlds& worlds, const Draws& draws, Numbers& numbers) {
  NumbersOfWorlds adder(worlds, draws, numbers);
  const Sought beyond{.part = {}, .beyond_head = true};
  const auto gain = [&](Treatment over) {
    return [=](const World& world, const std::vector<size_t>& rows) {
      return less(world.found_by(over, rows, beyond), world.found_by(Treatment::head, rows, beyond));
    };
  };
  const auto gap = [](Treatment whole) {
    return [=](const World& world, const std::vector<size_t>& rows) {
      return less(world.content_of(whole, rows), world.content_of(best_cut(world), rows));
    };
  };
  adder.add("cut_gain", {"cut sentences found: windows less head", "被截去的句子：窗口比只留开头多找到的比例"},
            gain(Treatment::windows), gain(Treatment::one_pass));
  adder.add("one_pass_gain",
            {"cut sentences found: one pass less head", "被截去的句子：一次读完比只留开头多找到的比例"},
            gain(Treatment::one_pass), gain(Treatment::one_pass));
  adder.add("best_cut_gap", {"content: windows less the best single cut", "内容：窗口与最好的单一截法之差"},
            gap(Treatment::windows), gap(Treatment::one_pass));
  for (const auto treatment : kTreatments) {
    const auto by = [](Treatment one) {
      return [=](const World& world, const std::vector<size_t>& rows) { return world.content_of(one, rows); };
    };
    const Words words = words_of(treatment);
    adder.add("content_" + name_of(treatment), {"content kept: " + words.en, "保住的内容：" + words.zh}, by(treatment),
              by(Treatment::one_pass));
  }
  const auto sought = [&](const char* name, const Words& label, const Sought& which) {
    for (const auto treatment : kTreatments) {
      const auto by = [&](Treatment one) {
        return [=](const World& world, const std::vector<size_t>& rows) { return world.found_by(one, rows, which); };
      };
      const Words words = words_of(treatment);
      adder.add(name + name_of(treatment), {label.en + words.en, label.zh + words.zh}, by(treatment),
                by(Treatment::one_pass));
    }
  };
  sought("found_", {"sentences found: ", "找对的句子："}, {});
  sought("cut_", {"sentences beyond the head found: ", "开头之外的句子找对的比例："}, beyond);
}

/// How long documents are; or nothing where the corpus has too few sentences for one.
std::optional<size_t> document_tokens(size_t corpus_tokens, size_t rows) {
  const auto tokens = std::min(2 * rows, static_cast<size_t>(kOfCorpus * static_cast<double>(corpus_tokens)));
  if (static_cast<double>(tokens) < kLeastTables * static_cast<double>(rows)) return {};
  return tokens;
}

Worlds read_worlds(const DocumentReader& reader, const Subject& subject, const Conditions& conditions, size_t tokens) {
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const size_t framed = frame_of(subject).size();
  const size_t longest_sentence = rows / 4;
  const size_t count = conditions.quick ? 4 : 10;
  const Table longer = hierarchical_positions(subject.positions, tokens + longest_sentence + framed);
  Worlds worlds;
  worlds.longer.sentences = worlds.fitting.sentences = &reader.sentences();
  const DocumentsChoice choice{
      .count = count, .tokens = tokens, .room = rows - framed, .name = "long texts: document", .seed = conditions.seed};
  worlds.longer.documents = reader.read(choice, engine_with_positions(subject, longer, threads_of(conditions)));
  conditions.progress(0.7);
  const DocumentsChoice fits{.count = count,
                             .tokens = rows - framed - longest_sentence,
                             .room = rows / 2 - framed,
                             .name = "long texts: fitting document",
                             .seed = conditions.seed};
  worlds.fitting.documents = reader.read(fits, reader.engine());
  return worlds;
}

/// Whether there is a sentence behind the head, and a document without it, as they are and exchanged.
bool can_be_sought(const World& world) {
  return std::ranges::all_of(std::array{world.own(), world.exchanged()}, [&](const auto& rows) {
    const auto values = world.found_by(Treatment::head, rows, {.part = {}, .beyond_head = true});
    return std::ranges::any_of(values, [](double value) { return std::isfinite(value); });
  });
}

Findings run_long_texts(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    findings.gaps["Q10"] = {"needs a checkpoint, not a table alone", "需要检查点，而不只是一张表"};
    return findings;
  }
  const auto rows = static_cast<size_t>(subject.positions.rows());
  const auto among = rows < kLeastTable ? std::vector<size_t>{} : texts_of_length(subject, kShortestSentence, rows / 4);
  const DocumentReader reader(subject, among, threads_of(conditions));
  const auto tokens = document_tokens(reader.tokens(), rows);
  const Words too_little{fmt::format("needs {} position rows, and a corpus of more short texts: {} tokens do not make "
                                     "documents longer than {} that differ",
                                     kLeastTable, reader.tokens(), rows),
                         fmt::format("需要至少 {} 行位置和更多短文本的语料：{} 个词元拼不出彼此不同、长于 {} 的文档",
                                     kLeastTable, reader.tokens(), rows)};
  if (rows < kLeastTable || !tokens) {
    findings.gaps["Q10"] = too_little;
    return findings;
  }
  conditions.progress(0.1);
  const Worlds worlds = read_worlds(reader, subject, conditions, *tokens);
  if (!can_be_sought(worlds.longer) || !can_be_sought(worlds.fitting)) {
    findings.gaps["Q10"] = too_little;
    return findings;
  }
  const Draws draws{.seed = conditions.seed,
                    .name = "long texts",
                    .count = conditions.quick ? 200U : 1000U,
                    .threads = threads_of(conditions)};
  add_numbers(worlds, draws, findings.numbers["Q10"]);
  findings.figures = {parts_figure(worlds), content_figure(findings.numbers["Q10"])};
  if (conditions.quick) {
    findings.left_out.push_back({"4 documents instead of 10, 200 bootstrap samples instead of 1,000",
                                 "文档 4 篇而非 10 篇，自助样本 200 个而非 1000 个"});
  }
  findings.remarks.push_back(
      {fmt::format("Documents have about {} tokens: short texts of the corpus in random order, so that it is known "
                   "where each sentence stands. They share sentences; only documents without the sentence are set "
                   "against its own. A joined text has no thread; what is lost of a real one may differ.",
                   *tokens),
       fmt::format("每篇文档约 {} "
                   "个词元，由语料中的短文本随机拼成，因而知道每句在哪里。文档之间会共用句子，只与不含该句的文档比较。"
                   "拼成的文本没有脉络，真实长文的损失可能不同。",
                   *tokens)});
  conditions.progress(1);
  return findings;
}

Verdict judge_long_texts(const Numbers& numbers) {
  const Number& gain = numbers.at("cut_gain");
  const Number& gap = numbers.at("best_cut_gap");
  Verdict verdict;
  if (numbers.control("cut_gain") < kLeastGain || gain.null->value >= numbers.control("cut_gain")) {
    verdict.observation = Observation::cannot_be_told;
  } else if (gain.interval->low > 0) {
    verdict.observation = Observation::holds;
  } else {
    verdict.observation = gain.interval->high <= 0 ? Observation::fails : Observation::cannot_be_told;
  }
  if (numbers.control("best_cut_gap") > kSame) {
    if (gap.interval->low > kSame) verdict.inference = Inference::follows;
    if (gap.interval->high < kSame) verdict.inference = Inference::does_not_follow;
  }
  verdict.reason = {
      fmt::format(
          "sentences behind the head find their document in {:.2f} of the cases by the head and {:.2f} by windows "
          "(+{:.2f} [{:.2f}, {:.2f}]); windows keep {:+.3f} [{:.3f}, {:.3f}] more of the whole than the best cut",
          numbers.value("cut_head"), numbers.value("cut_windows"), gain.value, gain.interval->low, gain.interval->high,
          gap.value, gap.interval->low, gap.interval->high),
      fmt::format("开头之外的句子，凭开头找对文档的占 {:.2f}，凭窗口占 {:.2f}（差 {:.2f} [{:.2f}, "
                  "{:.2f}]）；窗口比最好的单一截法多保住 {:+.3f} [{:.3f}, {:.3f}]",
                  numbers.value("cut_head"), numbers.value("cut_windows"), gain.value, gain.interval->low,
                  gain.interval->high, gap.value, gap.interval->low, gap.interval->high)};
  return verdict;
}

Words answer_long_texts(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q10")) return findings.gaps.at("Q10");
  const Numbers& numbers = findings.numbers.at("Q10");
  const bool windows = verdicts.at("Q10").observation == Observation::holds;
  return {fmt::format("{} Of sentences behind the head, the head finds its document for {:.0f} %, windows for {:.0f} "
                      "%, one pass over hierarchical positions for {:.0f} % (chance 50). Likeness to the whole: head "
                      "{:.3f}, head and tail {:.3f}, windows {:.3f}, one pass {:.3f}.",
                      windows ? "By overlapping windows: what is cut is lost, and windows keep it."
                              : "Windows do not keep measurably more than the head here.",
                      100 * numbers.value("cut_head"), 100 * numbers.value("cut_windows"),
                      100 * numbers.value("cut_one_pass"), numbers.value("content_head"),
                      numbers.value("content_head_tail"), numbers.value("content_windows"),
                      numbers.value("content_one_pass")),
          fmt::format(
              "{}开头之外的句子：只留开头时 {:.0f}% 找对文档，窗口 {:.0f}%，层次分解一次读完 {:.0f}%（随机为 "
              "50%）。与整篇的相似度：开头 {:.3f}，首尾 {:.3f}，窗口 {:.3f}，一次读完 {:.3f}。",
              windows ? "用重叠的滑动窗口：截去的就丢了，窗口能保住。" : "此处窗口并不比只留开头明显多保住什么。",
              100 * numbers.value("cut_head"), 100 * numbers.value("cut_windows"), 100 * numbers.value("cut_one_pass"),
              numbers.value("content_head"), numbers.value("content_head_tail"), numbers.value("content_windows"),
              numbers.value("content_one_pass"))};
}

}  // namespace

Experiment long_texts_experiment() {
  return {
      .name = "long_texts",
      .effort = 30,
      .title = {"Texts longer than the table", "比位置表还长的文本"},
      .question = {"How is BERT to be used on long texts, and what is lost?", "长文本怎么用 BERT？会丢什么？"},
      .definition =
          {"The document asks the question and claims nothing; judged is whether what is cut is lost and windows keep "
           "it. Texts of the corpus are joined to documents of twice the table. Each becomes a vector by its head, its "
           "tail, a quarter head and three quarters tail, the mean of half-overlapping windows, or one pass over "
           "hierarchical positions (α = 0.4). Content: cosine with the mean of all its sentences, embedded one by one, "
           "each less its mean over documents. Found: of two documents, one with a sentence and one without, how often "
           "the one with it is nearer to the sentence's vector. Vectors have length 1; one mean for each document.",
           "文档只提问题、不作断言；这里判定的是：截去的是否丢失、窗口能否保住。把语料中的文本拼成两倍表长的文档，每篇"
           "以五种办法得到向量：只留开头；只留结尾；开头四分之一加结尾四分之三；半重叠窗口取均值；层次分解位置（α = "
           "0."
           "4）一次读完。内容：与逐句编码的全部句子均值的余弦，两者各减去对全部文档的均值。找对：两篇文档一篇含某句、一"
           "篇不含，含者离该句向量更近的比例。向量长度归一，每篇文档取一个均值。"},
      .source = {"document 001; Su 2020, kexue.fm 7947", "文档 001；苏剑林 2020，kexue.fm 7947"},
      .null = {"documents' vectors exchanged: every document has another one's",
               "文档向量互换：每篇文档配上另一篇的向量"},
      .control = {"documents that fit into the table, read whole; for differences, whole against cut at half the table",
                  "位置表容得下、整篇读完的文档；对差值而言，整篇与按半张表截断之差"},
      .rules =
          {{.claim = "Q10",
            .observation =
                {"holds (what is cut is lost, and windows keep it) if, for sentences behind the head, windows find the "
                 "document more often than the head, by an interval over documents above 0; fails if that interval is "
                 "not above 0 at either end; cannot be told if it covers 0, or if in documents that fit the whole "
                 "finds less than .05 more than its half, or no more than exchanged documents",
                 "对开头之外的句子，若窗口比只留开头更常找对文档，且按文档自助的区间在 0 "
                 "以上，则成立（截去的丢失，窗口能保住）；区间两端都不在 0 以上则不成立；区间含 "
                 "0，或在容得下的文档里整篇比半篇多找对不足 .05、或不多于互换的文档，则无法判断"},
            .inference =
                {"that a long text needs more than a cut follows if windows keep over .01 more of the whole document's "
                 "content than the best of head, tail and both, by the lower end; does not follow if less than .01 by "
                 "the upper end; otherwise, or if halves of documents that fit lose no more than .01, not tested",
                 "“长文本不能只靠截断”：窗口比开头、结尾、首尾兼取中最好者多保住的内容，区间下端超过 .01 "
                 "则可推出；上端不足 .01 则推不出；其余情形，或容得下的文档截半后损失不过 .01，则未检验"},
            .judge = judge_long_texts}},
      .run = run_long_texts,
      .answer = answer_long_texts};
}

}  // namespace summand::lab
