// Q5 and Q5b: what does self-attention cost over the length, the width and the number of heads?
#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "lab/core/number_builder.hpp"
#include "lab/core/rule_controls.hpp"
#include "lab/experiments/attention_cost/attention_figures.hpp"
#include "lab/experiments/attention_cost/attention_times.hpp"
#include "lab/experiments/attention_cost/counted_attention.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/subject/subject.hpp"

namespace summand::lab {

namespace attention_cost {
namespace {

constexpr double kExact = 0.01;  // of an exponent; counts have no noise
constexpr double kSquare = 2;    // exponents as the claim has them
constexpr double kLinear = 1;
constexpr double kAtAll = 0.5;  // between an exponent of 0 and one of 1
constexpr double kSteps = 3;    // two products of n²·d each, and n² exponentials,
                                // which are no more for any width
constexpr double kFar = 256;    // multiples of the length at which scores and projections cost the
                                // same: what is linear in n has no weight there
constexpr std::array<size_t, 4> kLengths{8, 16, 32, 64};
constexpr std::array<size_t, 4> kWidths{16, 32, 64, 128};

constexpr NumberName kOfLength{"attention_cost", "exponent_of_length"};
constexpr NumberName kOfWidth{"attention_cost", "exponent_of_width"};
constexpr NumberName kSoftmaxOfLength{"attention_cost", "softmax_exponent_of_length"};
constexpr NumberName kStepsOverSquare{"attention_cost", "steps_over_square"};
constexpr NumberName kOfSublayerFar{"attention_cost", "exponent_of_sublayer_far"};
constexpr NumberName kShareOfSublayer{"attention_cost", "share_of_sublayer"};
constexpr NumberName kShareOfLayer{"attention_cost", "share_of_layer"};
constexpr NumberName kCrossingProjections{"attention_cost", "crossing_with_projections"};
constexpr NumberName kCrossingLayer{"attention_cost", "crossing_with_layer"};
constexpr NumberName kOfLayer{"attention_cost", "exponent_of_layer"};
constexpr NumberName kOfHeads{"attention_cost", "exponent_of_heads"};
constexpr NumberName kMostHeads{"attention_cost", "most_heads_over_one"};
constexpr NumberName kSoftmaxOfHeads{"attention_cost", "softmax_exponent_of_heads"};
constexpr NumberName kReshapeDifference{"attention_cost", "reshape_difference"};

/// What the texts say of the constants.
FormatArgs settings() {
  return {{"exact", kExact}, {"square", kSquare}, {"linear", kLinear},  {"at_all", kAtAll},
          {"steps", kSteps}, {"far", kFar},       {"short", kShortText}};
}

/// What a null or a control is.
LocalizedText reference_text(const char* what) {
  return localize(std::string("attention_cost.beside.") + what, settings());
}

template <class Sizes, class Of>
double exponent_over(const Sizes& sizes, const Of& of) {
  std::vector<double> x;
  std::vector<double> y;
  for (const size_t size : sizes) {
    x.push_back(static_cast<double>(size));
    y.push_back(static_cast<double>(of(size)));
  }
  return exponent_of(x, y);
}

void count_over_sizes(const Conditions& conditions, Numbers& numbers) {
  const auto at = [&](size_t length, size_t width) {
    return counts_of({.length = length, .width = width, .heads = 1}, HeadLayout::loop, conditions);
  };
  const LocalizedText of_projection = reference_text("projection");
  const LocalizedText closed = reference_text("products");
  const double by_length = exponent_over(kLengths, [&](size_t n) { return at(n, 32).products(); });
  numbers.add(NumberBuilder(kOfLength, by_length)
                  .null(exponent_over(kLengths, [](size_t n) { return counted_projection(n, 32, 32); }), of_projection)
                  .control(exponent_over(kLengths, [](size_t n) { return n * n * 32; }), closed));
  numbers.add(NumberBuilder(kOfWidth, exponent_over(kWidths, [&](size_t d) { return at(16, d).products(); }))
                  .null(exponent_over(kWidths, [](size_t d) { return counted_projection(16, d, d); }), of_projection)
                  .control(exponent_over(kWidths, [](size_t d) { return 256 * d; }), closed));
  numbers.add(NumberBuilder(kSoftmaxOfLength, exponent_over(kLengths, [&](size_t n) { return at(n, 32).exponentials; }))
                  .null(exponent_over(kLengths, [](size_t n) { return counted_projection(n, 1, 1); }),
                        reference_text("one_for_each_token"))
                  .control(exponent_over(kLengths, [](size_t n) { return n * n; }), reference_text("pairs")));
  // Of what grows more slowly than n²·d the largest share is that of the
  // smallest sizes, and of what grows faster that of the largest.
  const auto largest_over_square = [&](const auto& count) {
    double largest = 0;
    for (const size_t n : kLengths) {
      for (const size_t d : kWidths) {
        largest = std::max(largest, static_cast<double>(count(n, d)) / static_cast<double>(n * n * d));
      }
    }
    return largest;
  };
  const auto steps = [&](size_t n, size_t d) {
    const auto counts = at(n, d);
    return counts.products() + counts.exponentials;
  };
  numbers.add(
      NumberBuilder(kStepsOverSquare, largest_over_square(steps))
          .null(largest_over_square([](size_t n, size_t d) { return counted_projection(n, d, d); }), of_projection)
          .control(2 + 1.0 / kWidths.front(), reference_text("steps")));
}

void share_of_layer(const model::Config& config, Numbers& numbers) {
  const LayerOperations own = layer_operations(config);
  const LayerOperations wider{2 * own.width, 2 * own.inner};
  const auto longest = static_cast<double>(config.max_position_embeddings);
  const double shortest = std::min(longest, static_cast<double>(kShortText));
  const LocalizedText of_short = reference_text("short");
  const LocalizedText of_wider = reference_text("wider");
  const FormatArgs lengths_in_words{{"shortest", shortest}, {"longest", longest}};
  numbers.add(NumberBuilder(kShareOfSublayer, own.share_of_sublayer(longest), lengths_in_words)
                  .null(own.share_of_sublayer(shortest), of_short)
                  .control(own.share_of_sublayer(2 * own.width), reference_text("sublayer_crossing")));
  numbers.add(NumberBuilder(kShareOfLayer, own.share_of_layer(longest))
                  .null(own.share_of_layer(shortest), of_short)
                  .control(own.share_of_layer(2 * own.width + own.inner), reference_text("layer_crossing")));
  numbers.add(NumberBuilder(kCrossingProjections, own.crossing_sublayer())
                  .null(wider.crossing_sublayer(), of_wider)
                  .control(2 * own.width, reference_text("twice_the_width")));
  numbers.add(NumberBuilder(kCrossingLayer, own.crossing_layer())
                  .null(wider.crossing_layer(), of_wider)
                  .control(2 * own.width + own.inner, reference_text("twice_the_width_and_inner")));
  const auto whole = [](const auto& of) { return [&of](size_t n) { return of(static_cast<double>(n)); }; };
  const auto scores = [&](double n) { return own.own(n); };
  const auto projections = [&](double n) { return own.projections(n); };
  const auto sublayer = [&](double n) { return own.own(n) + own.projections(n); };
  const auto far = static_cast<size_t>(kFar * 2 * own.width);
  const std::array<size_t, 2> far_lengths{far, 2 * far};
  numbers.add(NumberBuilder(kOfSublayerFar, exponent_over(far_lengths, whole(sublayer)), {{"far", kFar}})
                  .null(exponent_over(far_lengths, whole(projections)), reference_text("projections"))
                  .control(exponent_over(far_lengths, whole(scores)), reference_text("scores")));
  std::vector<size_t> lengths{static_cast<size_t>(shortest)};
  while (lengths.back() * 2 <= static_cast<size_t>(longest)) lengths.push_back(lengths.back() * 2);
  if (lengths.size() < 2) return;
  const auto layer = [&](double n) { return own.layer(n); };
  const auto feed_forward = [&](double n) { return own.feed_forward(n); };
  numbers.add(NumberBuilder(kOfLayer, exponent_over(lengths, whole(layer)), lengths_in_words)
                  .null(exponent_over(lengths, whole(feed_forward)), reference_text("feed_forward"))
                  .control(exponent_over(lengths, whole(scores)), reference_text("scores")));
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
  double largest = 0;
  for (size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(double{a[i]} - double{b[i]}));
  return largest;
}

/// The largest over all numbers of heads.
double largest_difference(size_t width, HeadLayout one, HeadLayout other, const Conditions& conditions) {
  double largest = 0;
  for (const size_t heads : head_counts(width)) {
    const auto input = input_of({.length = kShortText, .width = width, .heads = heads}, conditions);
    largest = std::max(largest,
                       largest_difference(count_attention(input, one).context, count_attention(input, other).context));
  }
  return largest;
}

void count_over_heads(size_t width, const Conditions& conditions, Numbers& numbers) {
  const auto heads = head_counts(width);
  const auto at = [&](size_t count, HeadLayout layout) {
    return counts_of({.length = kShortText, .width = width, .heads = count}, layout, conditions);
  };
  const auto exponent = [&](HeadLayout layout) {
    return exponent_over(heads, [&](size_t m) { return at(m, layout).products(); });
  };
  const auto ratio = [&](HeadLayout layout) {
    return static_cast<double>(at(heads.back(), layout).products()) / static_cast<double>(at(1, layout).products());
  };
  const LocalizedText of_null = reference_text("full_width");
  const LocalizedText of_control = reference_text("products");
  const FormatArgs most{{"width", width}, {"heads", heads.back()}};
  numbers.add(NumberBuilder(kOfHeads, exponent(HeadLayout::reshaped), most)
                  .null(exponent(HeadLayout::full_width), of_null)
                  .control(exponent_over(heads, [&](size_t) { return kShortText * kShortText * width; }), of_control));
  numbers.add(NumberBuilder(kMostHeads, ratio(HeadLayout::reshaped), most)
                  .null(ratio(HeadLayout::full_width), of_null)
                  .control(1, of_control));
  numbers.add(NumberBuilder(kSoftmaxOfHeads,
                            exponent_over(heads, [&](size_t m) { return at(m, HeadLayout::reshaped).exponentials; }))
                  .null(exponent_over(heads, [&](size_t) { return at(1, HeadLayout::loop).exponentials; }),
                        reference_text("one_softmax"))
                  .control(exponent_over(heads, [](size_t m) { return m; }), reference_text("heads_and_pairs")));
  numbers.add(
      NumberBuilder(kReshapeDifference, largest_difference(width, HeadLayout::loop, HeadLayout::reshaped, conditions))
          .null(largest_difference(width, HeadLayout::loop, HeadLayout::no_transpose, conditions),
                reference_text("no_transpose"))
          .control(largest_difference(width, HeadLayout::loop, HeadLayout::loop, conditions),
                   reference_text("loop_twice")));
}

Findings run_attention_cost(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  if (!subject.model) {
    for (const char* claim : {"Q5", "Q5b"}) findings.gaps[claim] = localize("attention_cost.gaps.no_model");
    return findings;
  }
  const auto& config = subject.model->config();
  const auto width = static_cast<size_t>(config.hidden_size);
  count_over_sizes(conditions, findings.numbers["Q5"]);
  share_of_layer(config, findings.numbers["Q5"]);
  if (head_counts(width).size() > 1) {
    count_over_heads(width, conditions, findings.numbers["Q5b"]);
  } else {
    findings.gaps["Q5b"] = localize("attention_cost.gaps.one_head");
  }
  conditions.progress(0.2);
  const AttentionTimes times = time_attention(subject, conditions);
  if (conditions.quick) {
    findings.left_out.push_back(localize("attention_cost.left_out", {{"few", kQuickTiming.rounds},
                                                                     {"short", kQuickTiming.longest},
                                                                     {"many", kFullTiming.rounds},
                                                                     {"long", kFullTiming.longest}}));
  }
  findings.figures = {operations_figure(config), times_figure(times)};
  if (head_counts(width).size() > 1) findings.figures.push_back(heads_figure(width, times, conditions));
  findings.remarks.push_back(localize("attention_cost.remarks.counts"));
  findings.remarks.push_back(exponents_in_words(times, conditions.seed));
  conditions.progress(1);
  return findings;
}

bool is_near(double value, double expected) {
  return std::abs(value - expected) < kExact;
}

Verdict judge_length(const Numbers& numbers) {
  const double own = numbers.value(kOfLength);
  const double width = numbers.value(kOfWidth);
  Verdict verdict;
  const bool controls_pass = !is_near(numbers.null(kOfLength), kSquare) && is_near(numbers.control(kOfLength), kSquare);
  const bool as_said =
      is_near(own, kSquare) && is_near(width, kLinear) && is_near(numbers.value(kSoftmaxOfLength), kSquare);
  verdict.observation = observation_if(controls_pass, as_said ? Observation::holds : Observation::fails);
  verdict.number = deciding_number({{kOfLength, is_near(own, kSquare)},
                                    {kOfWidth, is_near(width, kLinear)},
                                    {kSoftmaxOfLength, is_near(numbers.value(kSoftmaxOfLength), kSquare)}});
  const bool adds_up = numbers.value(kStepsOverSquare) <= kSteps && is_near(numbers.value(kOfSublayerFar), kSquare);
  verdict.inference =
      verdict.observation == Observation::holds && adds_up ? Inference::follows : Inference::does_not_follow;
  verdict.reason = localize("attention_cost.reason_of_length", {{"length", own},
                                                                {"width", width},
                                                                {"steps", numbers.value(kStepsOverSquare)},
                                                                {"far", numbers.value(kOfSublayerFar)},
                                                                {"sublayer", 100 * numbers.value(kShareOfSublayer)},
                                                                {"layer", 100 * numbers.value(kShareOfLayer)},
                                                                {"crossing", numbers.value(kCrossingProjections)}});
  return verdict;
}

Verdict judge_heads(const Numbers& numbers) {
  const double exponent = numbers.value(kOfHeads);
  const double ratio = numbers.value(kMostHeads);
  Verdict verdict;
  const bool controls_pass =
      numbers.null(kOfHeads) >= kAtAll && numbers.control(kOfHeads) < kAtAll && numbers.null(kReshapeDifference) > 0;
  verdict.observation = observation_if(controls_pass, exponent >= kAtAll ? Observation::holds : Observation::fails);
  verdict.inference = ratio == 1 ? Inference::does_not_follow : Inference::not_tested;
  verdict.reason = localize("attention_cost.reason_of_heads", {{"products", exponent},
                                                               {"ratio", ratio},
                                                               {"softmax", numbers.value(kSoftmaxOfHeads)},
                                                               {"difference", numbers.value(kReshapeDifference)}});
  return verdict;
}

LocalizedText answer_attention_cost(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("Q5")) return gap_answer(findings.gaps.at("Q5"));
  const Numbers& numbers = findings.numbers.at("Q5");
  LocalizedText of_heads;
  if (findings.numbers.contains("Q5b")) {
    const double ratio = findings.numbers.at("Q5b").value(kMostHeads);
    of_heads = ratio == 1 ? localize("attention_cost.answer_heads_cost_nothing")
                          : localize("attention_cost.answer_heads_cost_more", {{"ratio", ratio}});
  }
  const auto observation = verdicts.at("Q5").observation;
  const char* lead = observation == Observation::holds   ? "attention_cost.lead.yes"
                     : observation == Observation::fails ? "attention_cost.lead.no"
                                                         : "attention_cost.lead.not_told";
  return localize("attention_cost.answer", {{"lead", localize(lead)},
                                            {"length", numbers.value(kOfLength)},
                                            {"width", numbers.value(kOfWidth)},
                                            {"sublayer", 100 * numbers.value(kShareOfSublayer)},
                                            {"crossing", numbers.value(kCrossingProjections)},
                                            {"of_heads", of_heads}});
}

}  // namespace
}  // namespace attention_cost

Experiment attention_cost_experiment() {
  using namespace attention_cost;
  Experiment experiment = described_experiment("attention_cost", settings());
  experiment.effort = 3;
  experiment.runs_alone = true;
  experiment.needs_positions = false;
  experiment.rules = {
      described_rule("attention_cost", "Q5", judge_length, settings(), {.kind = Kind::algebra, .claim = "Q5"}),
      described_rule("attention_cost", "Q5b", judge_heads, settings(), {.kind = Kind::algebra, .claim = "Q5b"})};
  experiment.run = run_attention_cost;
  experiment.answer = answer_attention_cost;
  return experiment;
}

}  // namespace summand::lab
