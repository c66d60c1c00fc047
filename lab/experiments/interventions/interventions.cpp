// 0.8: what the output loses when the segment or the position is taken out of the sum.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/found.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/interventions/intervention_bench.hpp"
#include "lab/experiments/interventions/intervention_figures.hpp"
#include "lab/experiments/interventions/intervention_list.hpp"
#include "lab/experiments/interventions/text_pairs.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/output_change.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace {

constexpr double kClear = 1;  // of the change that one replaced word makes: what a reader of the output would notice
constexpr double kNothing = 0.1;  // of the same: the null has to stay below
constexpr size_t kLeastTexts = 4;

CompareStates compared(const std::string& name) {
  constexpr std::array kCompared{"position_averaged", "position_permuted", "position_shift_8", "segment_all_0"};
  return std::ranges::find(kCompared, name) != kCompared.end() ? CompareStates::all : CompareStates::skip;
}

const Response& named(const std::vector<Response>& responses, const char* name) {
  return *std::ranges::find(responses, name, &Response::name);
}

std::vector<DoseResponse> doses_of(const Subject& subject, const InterventionBench& bench,
                                   const Conditions& conditions) {
  const InterventionSize size = InterventionSize::of(conditions);
  std::vector<DoseResponse> doses;
  for (const DosedPart part : {DosedPart::position, DosedPart::token, DosedPart::segment}) {
    if (part == DosedPart::segment && subject.segments.rows() < 2) continue;
    for (const double strength : size.strengths) {
      const auto one = dosed(subject, part, strength, bench.texts());
      const auto change = bench.response(one, CompareStates::skip).change;
      doses.push_back({part, strength, mean_over_texts(change.vectors, bench.draws(one.name))});
    }
    doses.push_back({part, 1, {}});
  }
  std::ranges::stable_sort(doses, {}, &DoseResponse::strength);
  return doses;
}

void measure_pairs(const Subject& subject, const InterventionBench& bench, const Conditions& conditions,
                   Findings& findings) {
  Numbers& numbers = findings.numbers["0.8"];
  const ResponseNumbers adder(bench, numbers);
  const size_t longest = longest_of(bench.texts());
  std::vector<Response> responses;
  for (const auto& one : position_interventions(subject, longest, conditions.seed)) {
    responses.push_back(bench.response(one, compared(one.name)));
  }
  conditions.progress(0.3);
  for (const auto& one : segment_interventions(subject)) {
    responses.push_back(bench.response(one, compared(one.name)));
  }
  const auto drawn = [&](const auto& make, CompareStates states) { responses.push_back(bench.drawn(make, states)); };
  drawn([&](RandomStream& stream) { return displaced_positions(subject, longest, stream); }, CompareStates::skip);
  const bool has_segments = subject.segments.rows() > 1;
  if (has_segments) {
    drawn([&](RandomStream& stream) { return displaced_segments(subject, stream); }, CompareStates::skip);
  }
  drawn([&](RandomStream& stream) { return one_word(bench.texts(), stream); }, CompareStates::all);
  for (Response& response : responses) adder.add(response);
  conditions.progress(0.5);
  const Response& word = responses.back();
  const auto compare = [&](const char* part, const Words& words, const Response& removed) {
    adder.ratio(std::string(part) + "_over_word",
                {words.en + " taken out, beside one replaced word", "去掉" + words.zh + "，与换掉一个词相比"}, removed,
                word);
    adder.ratio(std::string(part) + "_over_displaced",
                {words.en + " taken out, beside rows moved as far with nothing lost",
                 "去掉" + words.zh + "，与等距平移而不丢信息相比"},
                removed, named(responses, (std::string(part) + "_displaced").c_str()));
    adder.accuracy(removed);
  };
  compare("position", {"position", "位置"}, named(responses, "position_averaged"));
  if (has_segments) compare("segment", {"segment", "片段"}, named(responses, "segment_all_0"));
  const double of_word = word.vectors.value;
  findings.figures.push_back(doses_figure(doses_of(subject, bench, conditions), of_word));
  std::ranges::stable_sort(responses, std::greater{}, [](const Response& one) { return one.vectors.value; });
  findings.figures.push_back(responses_figure(responses, of_word));
  findings.figures.push_back(layers_figure(responses));
}

/// Texts that are no pairs: all their segment ids are 0.
void measure_singles(const Subject& subject, Texts singles, const Conditions& conditions, Findings& findings) {
  if (singles.batch.texts() < kLeastTexts) return;
  const InterventionBench bench(subject, conditions, std::move(singles), "singles");
  const ResponseNumbers adder(bench, findings.numbers["0.8"], "single_", {"single texts, ", "单个文本，"});
  const auto positions = position_interventions(subject, longest_of(bench.texts()), conditions.seed);
  std::vector<Intervention> list{positions.front()};
  for (auto& one : segment_interventions(subject)) {
    if (one.name == "segment_all_1" || one.name == "segment_averaged") list.push_back(std::move(one));
  }
  for (const auto& one : list) {
    Response response = bench.response(one, CompareStates::skip);
    adder.add(response);
  }
}

void add_remarks(const Subject& subject, const InterventionBench& bench, const Conditions& conditions,
                 Findings& findings) {
  if (conditions.quick) {
    findings.left_out.push_back(
        {"8 texts of at most 40 tokens instead of 32 of at most 80, 2 draws instead of 3, 3 strengths instead of 7, "
         "100 "
         "bootstrap samples instead of 500",
         "8 个不超过 40 词元的文本而非 32 个不超过 80 的，抽样 2 次而非 3 次，强度 3 档而非 7 档，自助样本 100 个而非 "
         "500 个"});
  }
  findings.remarks.push_back(
      {"These weights were trained with all three parts. A model trained without one may do as well: that is another "
       "experiment, and no number here answers it.",
       "这些权重是在三部分齐全时训练的。从头不用某一部分训练的模型可能同样好：那是另一个实验，此处的数字都答不了。"});
  findings.remarks.push_back(
      {"Pairs are the corpus' own and neighbouring texts joined as the tokenizer would join them. Shuffling positions "
       "within a text is shuffling its words: without a mask the encoder treats both alike.",
       "文本对包括语料自带的，以及按分词器方式拼接的相邻文本。在文本内打乱位置等于打乱词序：编码器对两者一视同仁。"});
  findings.remarks.push_back(
      {"Not adding a part at all also takes its mean row away: a constant, of which every token has the same and which "
       "tells nothing apart. Only averaged rows and changed ids take away information alone.",
       "完全不加某一部分，也就去掉了它的均值行：这是每个词元都有的同一常数，分辨不了任何东西。只有取均值与改编号才是仅"
       "仅去掉信"
       "息。"});
  if (!bench.has_loss()) {
    findings.remarks.push_back(
        {"The checkpoint has no masked-language head: performance is judged by the change of "
         "sentence vectors alone, and no loss is measured.",
         "检查点没有掩码语言模型头：只按句向量的变化判断，不测损失。"});
  }
  if (subject.segments.rows() < 2) {
    findings.remarks.push_back(
        {"This model has one segment row: there is no segment to take out.", "此模型只有一个片段行：没有片段可去掉。"});
  }
}

Findings run_interventions(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (const auto lacking = lacks_sum(subject)) {
    findings.gaps["0.8"] = *lacking;
    return findings;
  }
  const InterventionSize size = InterventionSize::of(conditions);
  auto texts = texts_by_kind(
      subject, {.most = size.texts, .longest = std::min(size.longest, static_cast<size_t>(subject.positions.rows()))});
  if (texts.pairs.batch.texts() < kLeastTexts) {
    findings.gaps["0.8"] = {"needs a corpus with at least four pairs of texts, or eight short texts",
                            "需要至少含四个文本对或八个短文本的语料"};
    return findings;
  }
  const InterventionBench bench(subject, conditions, std::move(texts.pairs), "pairs");
  conditions.progress(0.1);
  measure_pairs(subject, bench, conditions, findings);
  conditions.progress(0.9);
  measure_singles(subject, std::move(texts.singles), conditions, findings);
  add_remarks(subject, bench, conditions, findings);
  conditions.progress(1);
  return findings;
}

/// Whether a number lies above a bound, or below it, or its interval holds it.
enum class Side { below, open, above };

Side side_of(const Number& number, double bound) {
  if (number.interval->low > bound) return Side::above;
  return number.interval->high < bound ? Side::below : Side::open;
}

/// Whether taking a part out changes the output clearly, by vectors and, where there is one, by the loss.
Side clearly(const Numbers& numbers, const std::string& part, const std::string& removed) {
  const Side vectors = side_of(numbers.at(part + "_over_word"), kClear);
  const Number* loss = found(numbers, removed + "_loss");
  if (!loss || vectors == Side::below) return vectors;
  return std::min(vectors, side_of(*loss, 0));
}

Verdict judge_interventions(const Numbers& numbers) {
  Verdict verdict;
  const bool has_segments = found(numbers, "segment_over_word") != nullptr;
  const bool told_apart =
      numbers.null("position_over_word") < kNothing && numbers.control("position_over_word") > kClear;
  const Side position = clearly(numbers, "position", "position_averaged");
  const Side segment = has_segments ? clearly(numbers, "segment", "segment_all_0") : Side::open;
  if (!told_apart || !has_segments) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = std::min(position, segment) == Side::above   ? Observation::holds
                          : std::min(position, segment) == Side::below ? Observation::fails
                                                                       : Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  if (verdict.observation == Observation::holds) {
    const bool beyond = side_of(numbers.at("position_over_displaced"), 1) == Side::above &&
                        side_of(numbers.at("segment_over_displaced"), 1) == Side::above;
    verdict.inference = beyond ? Inference::follows : Inference::does_not_follow;
  }
  const double position_ratio = numbers.value("position_over_word");
  if (!has_segments) {
    verdict.reason = {fmt::format("taking out the position changes sentence vectors {:.2g} times as much as one "
                                  "replaced word; there is no segment to take out",
                                  position_ratio),
                      fmt::format("去掉位置对句向量的改变是换掉一个词的 {:.2g} 倍；没有片段可去掉", position_ratio)};
    return verdict;
  }
  verdict.reason = {
      fmt::format("beside one replaced word, taking out the position changes sentence vectors {:.2g} times as much, "
                  "the segment {:.2g} times; beside rows moved as far with nothing lost, {:.2g} and {:.2g} times",
                  position_ratio, numbers.value("segment_over_word"), numbers.value("position_over_displaced"),
                  numbers.value("segment_over_displaced")),
      fmt::format(
          "与换掉一个词相比，去掉位置对句向量的改变为 {:.2g} 倍，去掉片段为 {:.2g} 倍；与等距平移而不丢信息相比，为 "
          "{:.2g} 与 {:.2g} 倍",
          position_ratio, numbers.value("segment_over_word"), numbers.value("position_over_displaced"),
          numbers.value("segment_over_displaced"))};
  return verdict;
}

Words headline(const Numbers& numbers, Observation observation) {
  switch (observation) {
    case Observation::holds:
      return {"Yes: taking out either changes the output clearly.", "是的：去掉任一个都使输出明显改变。"};
    case Observation::fails:
      if (clearly(numbers, "position", "position_averaged") == Side::above) {
        return {"Taking out the position does, taking out the segment does not.", "去掉位置会，去掉片段不会。"};
      }
      if (clearly(numbers, "segment", "segment_all_0") == Side::above) {
        return {"Taking out the segment does, taking out the position does not.", "去掉片段会，去掉位置不会。"};
      }
      return {"Not of both.", "并非两者都如此。"};
    case Observation::cannot_be_told:
    case Observation::not_measured:
      break;
  }
  return {"It cannot be told of both.", "无法对两者都作出判断。"};
}

Words answer_interventions(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.8")) return findings.gaps.at("0.8");
  const Numbers& numbers = findings.numbers.at("0.8");
  Words words = headline(numbers, verdicts.at("0.8").observation);
  words.en += fmt::format(" Without positions sentence vectors move {:.2g} times as far as by one replaced word",
                          numbers.value("position_over_word"));
  words.zh += fmt::format("去掉位置，句向量的改变是换掉一个词的 {:.2g} 倍", numbers.value("position_over_word"));
  if (found(numbers, "segment_over_word")) {
    words.en += fmt::format("; with all segment ids 0, {:.2g} times.", numbers.value("segment_over_word"));
    words.zh += fmt::format("；片段编号全设为 0，是 {:.2g} 倍。", numbers.value("segment_over_word"));
  } else {
    words.en += "; there is one segment row.";
    words.zh += "；片段行只有一个。";
  }
  words.en += " How a model trained without a part would do is another question.";
  words.zh += "从头不用某部分训练会怎样，是另一个问题。";
  return words;
}

}  // namespace

Experiment interventions_experiment() {
  return {
      .name = "interventions",
      .effort = 40,
      .title = {"Taking a part out", "去掉一部分"},
      .question = {"Does the output change clearly when segment or position is taken out, and what does that prove?",
                   "去掉片段或位置，输出会明显改变吗？这又证明了什么？"},
      .definition =
          {"Pairs of texts through the checkpoint, with its weights as they are: segment ids all 0, all 1, flipped; "
           "position rows averaged, left out, permuted, shifted; deviations of each part times 0 to 3. Change of "
           "sentence vectors (1 − cosine), of hidden states (1 − linear CKA), of the masked-language loss where there "
           "is a head.",
           "让文本对通过权重不变的检查点：片段编号全 0、全 1、互换；位置行取均值、不加、打乱、平移；各部分的偏差乘以 0 "
           "至 "
           "3。看句向量（1 − 余弦）、隐状态（1 − 线性 CKA）以及有掩码头时损失的变化。"},
      .source = {"document 000; shifted positions: Sinha et al. 2022, 2210.12574",
                 "文档 000；位置平移：Sinha 等 2022，2210.12574"},
      .null = {"the same model, written with a constant moved from the position rows to the segment rows",
               "同一个模型，只是把一个常数从位置行移到片段行"},
      .control = {"the texts' words dealt anew among all of them", "把各文本的词在所有文本间重分"},
      .rules =
          {{.claim = "0.8",
            .observation =
                {"taken out: position rows averaged; segment ids all 0. Holds if both change sentence vectors more "
                 "than replacing one word of each text does (95 % interval of the ratio above 1) and raise the "
                 "masked-language loss, where there is a head (interval above 0); fails if one of them does not "
                 "(interval below); otherwise, with one segment row, or if the null reaches a tenth of a word or "
                 "the control not one, it cannot be told",
                 "去掉指：位置行取均值，片段编号全 0。若两者对句向量的改变都大于每个文本换掉一个词（比值的 95% "
                 "区间高于 "
                 "1），且有掩码头时都使损失升高（区间高于 "
                 "0），则成立；有一个不然（区间在其下）则不成立；其余情形，或只有"
                 "一个片段行，或零假设达到一个词的十分之一、对照不到一个词，则无法判断"},
            .inference =
                {"that both arrive through the sum follows if it holds and each changes the output more than "
                 "moving its rows as far in a random direction, by which nothing is lost (interval above 1); it "
                 "does not follow otherwise, or if the observation fails. How a model trained without them would "
                 "do is not tested",
                 "若成立，且每一个对输出的改变都大于把其各行沿随机方向移动同样距离（不丢信息；区间高于 "
                 "1），则“两者的贡献"
                 "穿过了相加”推得出；否则或观察不成立时推不出。不用它们训练会怎样，未检验"},
            .judge = judge_interventions}},
      .run = run_interventions,
      .answer = answer_interventions};
}

}  // namespace summand::lab
