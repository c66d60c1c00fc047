// 0.2, 0.6 and 0.10: do the three tables share directions, and is the sum a concatenation in disguise?
#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/experiments/charts.hpp"
#include "lab/experiments/experiments.hpp"
#include "lab/experiments/input_parts.hpp"
#include "lab/experiments/measured.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/singular_vectors.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"

namespace summand::lab {

namespace {

using Eigen::Index;

constexpr size_t kComponents = 16;  // of the position table
constexpr Index kOfTokens = 4;      // a quarter of the dimensions stands for the tokens' subspace
constexpr double kMuch = 0.3;       // of s₁ − s₀
constexpr double kLevel = 0.01;
constexpr double kPlantedShare = 0.9;  // of a control
constexpr Index kBins = 16;            // of positions, for the mutual information
constexpr double kSparser = 0.02;      // of Hoyer's measure
constexpr double kKept = 0.1;          // of the planted tokens' coordinates

struct Bases {
  Eigen::MatrixXd gram;  ///< of the centred tokens
  Table directions;      ///< of the tokens, all
  Table positions;       ///< [16, hidden]
  Table tokens;          ///< [hidden / 4, hidden], the first
  Table last_tokens;     ///< the same number, the last
};

Eigen::MatrixXd gram_of(const Table& table) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(table.cols(), table.cols());
  gram.selfadjointView<Eigen::Lower>().rankUpdate(table.transpose());
  return gram.selfadjointView<Eigen::Lower>();
}

/// All directions of a table, the one of most energy first: rows.
Table directions_of(const Eigen::MatrixXd& gram) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(gram);
  return solver.eigenvectors().rowwise().reverse().transpose();
}

double energy_inside(const Eigen::MatrixXd& gram, const Table& basis) {
  return (basis * gram * basis.transpose()).trace() / gram.trace();
}

std::vector<double> frames(const Conditions& conditions, const std::string& name, size_t dimensions, Index hidden,
                           const std::function<double(const Table&)>& of) {
  return drawn({.seed = conditions.seed,
                .name = "subspaces: " + name,
                .count = conditions.quick ? 100U : 1000U,
                .threads = threads_of(conditions)},
               [&](RandomStream& stream) { return of(random_frame(dimensions, static_cast<size_t>(hidden), stream)); });
}

/// I(segment; position) in bits over the corpus' tokens, positions in 16 bins of equal count.
double mutual_information(const std::vector<SumItem>& items, const std::vector<Index>& segment) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return items[i].position; });
  const Index segments = *std::ranges::max_element(segment) + 1;
  Table joint = Table::Zero(kBins, segments);
  for (size_t rank = 0; rank < order.size(); ++rank) {
    const auto bin = static_cast<Index>(rank * static_cast<size_t>(kBins) / order.size());
    joint(bin, segment[order[rank]]) += 1.0 / static_cast<double>(order.size());
  }
  const Vector of_bin = joint.rowwise().sum();
  const Vector of_segment = joint.colwise().sum().transpose();
  double bits = 0;
  for (Index b = 0; b < kBins; ++b) {
    for (Index s = 0; s < segments; ++s) {
      if (joint(b, s) > 0) bits += joint(b, s) * std::log2(joint(b, s) / (of_bin(b) * of_segment(s)));
    }
  }
  return bits;
}

void measure_information(const CorpusItems& corpus, const Conditions& conditions, Numbers& numbers) {
  std::vector<Index> segment;
  std::vector<Index> second_half;
  std::vector<double> places;
  for (const auto& item : corpus.items) places.push_back(static_cast<double>(item.position));
  if (places.size() < 2 * static_cast<size_t>(kBins)) return;
  const double middle = median(places);
  for (const auto& item : corpus.items) {
    segment.push_back(item.segment);
    second_half.push_back(static_cast<double>(item.position) > middle ? 1 : 0);
  }
  std::vector<Index> shuffled = segment;
  RandomStream stream(conditions.seed, "subspaces: segments");
  stream.shuffle(std::span(shuffled));
  numbers.add(
      Measured("information",
               {"mutual information of segment and position in the corpus, bits", "语料中片段与位置的互信息（比特）"},
               mutual_information(corpus.items, segment))
          .null(mutual_information(corpus.items, shuffled), {"segments in random order", "片段次序打乱"})
          .control(mutual_information(corpus.items, second_half),
                   {"the later half of all positions as a segment", "以靠后一半位置为片段"}));
}

void measure_segment(const Subject& subject, const Bases& bases, const CorpusItems& corpus,
                     const Conditions& conditions, Findings& findings) {
  if (subject.segments.rows() < 2) {
    findings.gaps["0.2"] = {"needs two segment rows, this model has one", "需要两个片段行，此模型只有一个"};
    return;
  }
  const Vector difference = (subject.segments.row(1) - subject.segments.row(0)).transpose();
  if (difference.isZero(0)) {
    findings.gaps["0.2"] = {"the two segment rows are equal: there is no difference to look at",
                            "两个片段行相等：没有差可看"};
    return;
  }
  const double share = share_inside(difference, bases.positions);
  const Index hidden = difference.size();
  const auto null = frames(conditions, "segment", 1, hidden,
                           [&](const Table& direction) { return share_inside(direction, bases.positions); });
  const Index half = subject.positions.rows() / 2;
  const Vector planted =
      (subject.positions.topRows(half).colwise().mean() - subject.positions.bottomRows(half).colwise().mean())
          .transpose();
  Numbers& numbers = findings.numbers["0.2"];
  numbers.add(
      Measured("share_inside",
               {"share of s₁ − s₀ inside the first 16 components of the position table",
                "s₁ − s₀ 落在位置表前 16 个主成分内的比例"},
               share)
          .null(mean(null),
                {fmt::format("a random direction, mean of {}", null.size()),
                 fmt::format("随机方向，{} 次平均", null.size())},
                middle_95_percent(null))
          .control(share_inside(planted, bases.positions),
                   {"mean row of the early positions less that of the late ones", "前半位置的均值行减去后半的均值行"}));
  numbers.add(Measured("p", {"p of so large a share", "该比例的 p 值"}, permutation_p(share, null, Tail::greater)));
  numbers.add(Measured(
      "angle", {"angle of s₁ − s₀ to those components, degrees", "s₁ − s₀ 与这些主成分的夹角（度）"},
      principal_angles(Table(difference.normalized().transpose()), bases.positions)(0) * 180 / std::numbers::pi));
  numbers.add(Measured("share_inside_tokens",
                       {"share of s₁ − s₀ inside the tokens' first components (a quarter of the dimensions)",
                        "s₁ − s₀ 落在词元前若干主成分（四分之一维度）内的比例"},
                       share_inside(difference, bases.tokens)));
  numbers.add(
      Measured("chance_tokens", {"the same of a random direction", "随机方向的同一比例"}, chance_share(bases.tokens)));
  measure_information(corpus, conditions, numbers);
}

/// Over coordinates: the energy of a subspace's projector, Σ v², and how sparse it is.
double coordinate_sparsity(const Table& basis) {
  const Vector energy = basis.cwiseAbs2().colwise().sum().transpose();
  return hoyer_sparsity(elements(energy));
}

/// How many coordinates hold half of a subspace's energy.
double coordinates_of_half(const Table& basis) {
  Vector energy = basis.cwiseAbs2().colwise().sum().transpose();
  std::ranges::sort(energy, std::greater<>());
  const double half = energy.sum() / 2;
  double sum = 0;
  Index count = 0;
  while (count < energy.size() && sum < half) sum += energy(count++);
  return static_cast<double>(count);
}

std::vector<double> overlaps_of(const Conditions& conditions, const Table& tokens) {
  return frames(conditions, "positions", kComponents, tokens.cols(),
                [&](const Table& frame) { return energy_overlap(frame, tokens); });
}

void measure_overlap(const InputParts& parts, const Bases& bases, const Conditions& conditions, Findings& findings) {
  const Index hidden = parts.tokens.cols();
  const Table outside = parts.positions - parts.positions * bases.tokens.transpose() * bases.tokens;
  const Table control = leading_subspace(outside, kComponents);
  const auto null = overlaps_of(conditions, bases.tokens);
  const auto null_last = overlaps_of(conditions, bases.last_tokens);
  const auto of_null = [&](size_t count) {
    return Words{fmt::format("positions under {} random rotations", count),
                 fmt::format("位置表经 {} 次随机旋转", count)};
  };
  const Words of_control{"positions with the tokens' components taken out", "去掉词元主成分后的位置表"};
  Numbers& numbers = findings.numbers["0.6"];
  numbers.add(Measured("overlap",
                       {"share of the positions' first 16 directions inside the tokens' first quarter",
                        "位置前 16 个方向落在词元前四分之一主成分内的比例"},
                       energy_overlap(bases.positions, bases.tokens))
                  .null(mean(null), of_null(null.size()), middle_95_percent(null))
                  .control(energy_overlap(control, bases.tokens), of_control));
  numbers.add(Measured("overlap_last", {"the same with the tokens' last quarter", "与词元最后四分之一主成分"},
                       energy_overlap(bases.positions, bases.last_tokens))
                  .null(mean(null_last), of_null(null_last.size()), middle_95_percent(null_last)));
  const auto energy = frames(conditions, "token energy", kComponents, hidden,
                             [&](const Table& frame) { return energy_inside(bases.gram, frame); });
  numbers.add(Measured("token_energy",
                       {"share of the tokens' variance inside the positions' first 16 directions",
                        "词元方差落在位置前 16 个方向内的比例"},
                       energy_inside(bases.gram, bases.positions))
                  .null(mean(energy), of_null(energy.size()), middle_95_percent(energy))
                  .control(energy_inside(bases.gram, control), of_control));
  const Vector angles = principal_angles(bases.positions, bases.tokens);
  numbers.add(Measured("smallest_angle", {"smallest principal angle, degrees", "最小主角（度）"},
                       angles(0) * 180 / std::numbers::pi));
  numbers.add(Measured("median_angle", {"median principal angle, degrees", "主角中位数（度）"},
                       median(elements(angles)) * 180 / std::numbers::pi));
  const auto sparsity = frames(conditions, "sparsity", kComponents, hidden, coordinate_sparsity);
  const Table on_coordinates = Table::Identity(static_cast<Index>(kComponents), hidden);
  numbers.add(Measured("coordinate_sparsity",
                       {"is it a concatenation? Hoyer sparsity over coordinates of the positions' first 16 directions",
                        "是拼接吗？位置前 16 个方向在坐标上的 Hoyer 稀疏度"},
                       coordinate_sparsity(bases.positions))
                  .null(mean(sparsity), of_null(sparsity.size()), middle_95_percent(sparsity))
                  .control(coordinate_sparsity(on_coordinates), {"16 coordinates of their own", "独占 16 个坐标"}));
  const auto halves = frames(conditions, "coordinates", kComponents, hidden, coordinates_of_half);
  numbers.add(Measured("coordinates_of_half",
                       {"coordinates that hold half of those directions", "占这些方向一半能量的坐标数"},
                       coordinates_of_half(bases.positions))
                  .null(mean(halves), of_null(halves.size()), middle_95_percent(halves))
                  .control(coordinates_of_half(on_coordinates), {"16 coordinates of their own", "独占 16 个坐标"}));
}

/// Mean Hoyer sparsity of the vectors, over items.
struct Sparsity {
  double token = 0, sum = 0, concatenation = 0;
  [[nodiscard]] double lost() const { return concatenation - sum; }
};

/// @param rotations  of the three tables' rows; empty: none
Sparsity sparsity_of(const std::vector<std::array<Vector, 3>>& rows, const std::vector<Eigen::MatrixXd>& rotations) {
  Sparsity mean_of;
  const auto count = static_cast<double>(rows.size());
  for (const auto& item : rows) {
    std::array<Vector, 3> parts = item;
    for (size_t k = 0; k < rotations.size(); ++k) parts[k] = rotations[k] * parts[k];
    const Vector sum = parts[0] + parts[1] + parts[2];
    Vector all(3 * sum.size());
    all << parts[0], parts[1], parts[2];
    mean_of.token += hoyer_sparsity(elements(parts[0])) / count;
    mean_of.sum += hoyer_sparsity(elements(sum)) / count;
    mean_of.concatenation += hoyer_sparsity(elements(all)) / count;
  }
  return mean_of;
}

/// All but the largest tenth of each token row's coordinates gone.
std::vector<std::array<Vector, 3>> sparse_tokens(std::vector<std::array<Vector, 3>> rows) {
  for (auto& item : rows) {
    const Vector sizes = item[0].cwiseAbs();
    const double least = quantile(elements(sizes), 1 - kKept);
    item[0] = (sizes.array() >= least).select(item[0].array() / std::sqrt(kKept), 0.0);
  }
  return rows;
}

void measure_sparsity(const Subject& subject, const CorpusItems& corpus, const Conditions& conditions,
                      Findings& findings) {
  RandomStream stream(conditions.seed, "subspaces: items");
  const size_t count = conditions.quick ? 100 : 400;
  std::vector<std::array<Vector, 3>> rows;
  for (const auto& item : drawn_items(corpus, count, stream)) {
    rows.push_back({subject.tokens.row(item.token).transpose(), subject.positions.row(item.position).transpose(),
                    subject.segments.row(item.segment).transpose()});
    if (rows.back()[0].isZero(0) || (rows.back()[0] + rows.back()[1] + rows.back()[2]).isZero(0)) rows.pop_back();
  }
  if (rows.empty()) {
    findings.gaps["0.10"] = {"needs a corpus", "需要语料"};
    return;
  }
  const auto side = static_cast<size_t>(subject.tokens.cols());
  std::vector<Eigen::MatrixXd> rotations;
  for (const char* part : {"token", "position", "segment"}) {
    RandomStream rotation(conditions.seed, std::string("subspaces: rotation of ") + part);
    rotations.emplace_back(random_frame(side, side, rotation));
  }
  const Sparsity own = sparsity_of(rows, {});
  const Sparsity null = sparsity_of(rows, rotations);
  const Sparsity control = sparsity_of(sparse_tokens(rows), {});
  std::vector<double> lost;
  for (const auto& item : rows) lost.push_back(sparsity_of({item}, {}).lost());
  const Words of_null{"each table turned by a rotation of its own: dense rows of the same norms",
                      "各表各自随机旋转：模长相同的稠密行"};
  const Words of_control{"only the largest tenth of each token row kept", "每个词元行只保留最大的十分之一"};
  Numbers& numbers = findings.numbers["0.10"];
  numbers.add(Measured("lost",
                       {"Hoyer sparsity of the concatenated rows less that of their sum, raw rows, corpus",
                        "拼接的 Hoyer 稀疏度减去相加的稀疏度（原始行，按语料）"},
                       own.lost())
                  .interval(bootstrap(lost.size(),
                                      [&](std::span<const size_t> chosen) {
                                        double sum = 0;
                                        for (const size_t i : chosen) sum += lost[i];
                                        return sum / static_cast<double>(chosen.size());
                                      },
                                      {.seed = conditions.seed,
                                       .name = "subspaces: bootstrap",
                                       .count = conditions.quick ? 100U : 1000U,
                                       .threads = threads_of(conditions)}))
                  .null(null.lost(), of_null)
                  .control(control.lost(), of_control));
  const auto add = [&](const char* name, Words label, double Sparsity::*field) {
    numbers.add(
        Measured(name, std::move(label), own.*field).null(null.*field, of_null).control(control.*field, of_control));
  };
  add("sparsity_token", {"Hoyer sparsity of token rows", "词元行的 Hoyer 稀疏度"}, &Sparsity::token);
  add("sparsity_sum", {"of the sums", "相加之后"}, &Sparsity::sum);
  add("sparsity_concatenation", {"of the three rows side by side", "三行并列"}, &Sparsity::concatenation);
}

Figure overlap_figure(const Table& directions, const Table& positions) {
  constexpr Index kGroups = 24;
  MatrixData matrix{
      .rows = kComponents,
      .columns = 0,
      .values = {},
      .row_label = {"component of positions", "位置的主成分"},
      .column_label = {"group of the tokens' components, largest variance first", "词元主成分分组，方差由大到小"},
      .value_label = {"energy over chance", "能量与随机水平之比"},
      .low = 0,
      .high = 3,
      .scale = MatrixData::Scale::sequential};
  const Index groups = std::min(kGroups, directions.rows());
  matrix.columns = static_cast<size_t>(groups);
  const Table squares = (positions * directions.transpose()).cwiseAbs2();
  for (Index p = 0; p < squares.rows(); ++p) {
    for (Index g = 0; g < groups; ++g) {
      const Index first = g * squares.cols() / groups;
      const Index end = (g + 1) * squares.cols() / groups;
      const double chance = static_cast<double>(end - first) / static_cast<double>(positions.cols());
      matrix.values.push_back(static_cast<float>(squares.row(p).segment(first, end - first).sum() / chance));
    }
  }
  return {.name = "subspaces-overlap",
          .title = {"Where the positions' directions lie among the tokens'", "位置方向落在词元的哪些方向上"},
          .caption = {"1 is chance. A concatenation in disguise would put everything where tokens have no variance: at "
                      "the right end.",
                      "1 为随机水平。若是变相的拼接，能量应全部落在词元没有方差之处：最右端。"},
          .specification = {},
          .data = std::move(matrix)};
}

Figure coordinates_figure(const Table& positions) {
  using namespace chart;
  const Vector energy = positions.cwiseAbs2().colwise().sum().transpose();
  std::vector<double> coordinate(static_cast<size_t>(energy.size()));
  std::iota(coordinate.begin(), coordinate.end(), 0.0);
  const double even = static_cast<double>(kComponents) / static_cast<double>(energy.size());
  return {
      .name = "subspaces-coordinates",
      .title = {"Is it a concatenation?", "是拼接吗？"},
      .caption = {"What each coordinate has of the positions' first 16 directions; the most is 1. Dashed: if all had "
                  "the same.",
                  "每个坐标在位置前 16 个方向中的能量，最大为 1。虚线：均匀分布时。"},
      .specification =
          layers({mark({{"type", "bar"}, {"size", 1.5}}, {{"x", whole("coordinate", {"coordinate", "坐标"})},
                                                          {"y", number("energy", {"energy", "能量"})}}),
                  rule("y", even)}),
      .data = FigureData{{{"coordinate", coordinate}, {"energy", std::vector<double>(energy.begin(), energy.end())}}}};
}

std::optional<Words> lacks_subspaces(const Subject& subject) {
  const auto least = static_cast<Index>(2 * kComponents);
  if (subject.positions.rows() < least || subject.positions.cols() < 2 * least || subject.tokens.rows() < 2 * least) {
    return Words{fmt::format("needs {} positions, {} dimensions and {} tokens", least, 2 * least, 2 * least),
                 fmt::format("需要 {} 个位置、{} 个维度和 {} 个词元", least, 2 * least, 2 * least)};
  }
  return {};
}

Findings run(const Subject& subject, const Conditions& conditions) {
  Findings findings;
  auto lacking = lacks_sum(subject);
  if (!lacking) lacking = lacks_subspaces(subject);
  InputParts parts;
  Bases bases;
  if (!lacking) {
    parts = input_parts(subject);
    const Index quarter = std::max<Index>(1, parts.tokens.cols() / kOfTokens);
    const Table positions = parts.positions.isZero(0) ? Table() : singular_vectors(parts.positions, kComponents).right;
    if (positions.rows() < static_cast<Index>(kComponents) || parts.tokens.isZero(0)) {
      lacking = Words{"the position table has fewer than 16 directions, or the tokens are all equal",
                      "位置表不足 16 个方向，或词元全部相等"};
    } else {
      bases.gram = gram_of(parts.tokens);
      bases.directions = directions_of(bases.gram);
      bases.positions = positions;
      bases.tokens = bases.directions.topRows(quarter);
      bases.last_tokens = bases.directions.bottomRows(quarter);
    }
  }
  if (lacking) {
    for (const char* claim : {"0.2", "0.6", "0.10"}) findings.gaps[claim] = *lacking;
    return findings;
  }
  conditions.progress(0.3);
  const CorpusItems corpus = corpus_items(subject);
  if (conditions.quick) {
    findings.left_out.push_back({"100 random rotations instead of 1,000, 100 tokens' sparsity instead of 400",
                                 "随机旋转 100 次而非 1000 次，稀疏度取 100 个词元而非 400 个"});
  }
  measure_segment(subject, bases, corpus, conditions, findings);
  conditions.progress(0.5);
  measure_overlap(parts, bases, conditions, findings);
  conditions.progress(0.9);
  measure_sparsity(subject, corpus, conditions, findings);
  findings.figures.push_back(overlap_figure(bases.directions, bases.positions));
  findings.figures.push_back(coordinates_figure(bases.positions));
  conditions.progress(1);
  return findings;
}

Verdict judge_segment(const Numbers& numbers) {
  const double share = numbers.value("share_inside");
  Verdict verdict;
  if (numbers.control("share_inside") < kPlantedShare) {
    verdict.observation = Observation::cannot_be_told;
  } else if (share >= kMuch && numbers.value("p") < kLevel) {
    verdict.observation = Observation::holds;
  } else if (share <= numbers.at("share_inside").null->interval->high) {
    verdict.observation = Observation::fails;
  } else {
    verdict.observation = Observation::cannot_be_told;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format("{:.2f} of s₁ − s₀ lies in the positions' first 16 components, by chance {:.3f}; whether "
                  "that costs anything, only training tells",
                  share, numbers.null("share_inside")),
      fmt::format("s₁ − s₀ 有 {:.2f} 落在位置前 16 个主成分内，随机水平为 {:.3f}；是否有代价，只有训练能回答", share,
                  numbers.null("share_inside"))};
  return verdict;
}

Verdict judge_overlap(const Numbers& numbers) {
  const double overlap = numbers.value("overlap");
  const Interval chance = *numbers.at("overlap").null->interval;
  Verdict verdict;
  if (numbers.control("overlap") >= chance.low) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = overlap < chance.low    ? Observation::holds
                          : overlap > chance.high ? Observation::fails
                                                  : Observation::cannot_be_told;
  }
  verdict.inference = verdict.observation == Observation::holds ? Inference::not_tested : Inference::does_not_follow;
  verdict.reason = {
      fmt::format(
          "{:.2f} of the positions' first 16 directions lie in the tokens' first quarter, by chance {:.2f} ({:.2f} "
          "to {:.2f}); {:.0f} coordinates hold half of them, by chance {:.0f}",
          overlap, numbers.null("overlap"), chance.low, chance.high, numbers.value("coordinates_of_half"),
          numbers.null("coordinates_of_half")),
      fmt::format("位置前 16 个方向有 {:.2f} 落在词元前四分之一主成分内，随机水平 {:.2f}（{:.2f} 至 {:.2f}）；{:.0f} "
                  "个坐标占其一半能量，"
                  "随机水平 {:.0f} 个",
                  overlap, numbers.null("overlap"), chance.low, chance.high, numbers.value("coordinates_of_half"),
                  numbers.null("coordinates_of_half"))};
  return verdict;
}

Verdict judge_sparsity(const Numbers& numbers) {
  const double beyond = numbers.value("lost") - numbers.null("lost");
  Verdict verdict;
  if (numbers.control("lost") - numbers.null("lost") < kSparser) {
    verdict.observation = Observation::cannot_be_told;
  } else {
    verdict.observation = beyond >= kSparser ? Observation::holds : Observation::fails;
  }
  if (verdict.observation == Observation::fails) verdict.inference = Inference::does_not_follow;
  verdict.reason = {
      fmt::format("side by side the rows have a sparsity of {:.3f}, summed {:.3f}; of dense rows of the same "
                  "norms {:.3f} and {:.3f}",
                  numbers.value("sparsity_concatenation"), numbers.value("sparsity_sum"),
                  numbers.null("sparsity_concatenation"), numbers.null("sparsity_sum")),
      fmt::format("并列时稀疏度为 {:.3f}，相加后为 {:.3f}；模长相同的稠密行为 {:.3f} 与 {:.3f}",
                  numbers.value("sparsity_concatenation"), numbers.value("sparsity_sum"),
                  numbers.null("sparsity_concatenation"), numbers.null("sparsity_sum"))};
  return verdict;
}

Words answer(const Findings& findings, const std::map<std::string, Verdict>& verdicts) {
  if (findings.gaps.contains("0.6")) return findings.gaps.at("0.6");
  const Numbers& numbers = findings.numbers.at("0.6");
  const auto seen = verdicts.at("0.6").observation;
  const Words relation = seen == Observation::holds   ? Words{"less than chance", "低于随机水平"}
                         : seen == Observation::fails ? Words{"more than chance", "高于随机水平"}
                                                      : Words{"no more or less than chance", "与随机水平无异"};
  return {
      fmt::format("Positions and tokens share directions {}: {:.2f} against {:.2f}. Half of the positions' directions "
                  "lies on {:.0f} coordinates, {:.0f} by chance: {}",
                  relation.en, numbers.value("overlap"), numbers.null("overlap"), numbers.value("coordinates_of_half"),
                  numbers.null("coordinates_of_half"),
                  numbers.value("coordinate_sparsity") > numbers.at("coordinate_sparsity").null->interval->high
                      ? "sparser than a random table; a concatenation would need 8."
                      : "nothing of a concatenation."),
      fmt::format("位置与词元共享方向的程度{}：{:.2f} 对 {:.2f}。位置方向的一半能量在 {:.0f} 个坐标上，随机水平为 "
                  "{:.0f} 个：{}",
                  relation.zh, numbers.value("overlap"), numbers.null("overlap"), numbers.value("coordinates_of_half"),
                  numbers.null("coordinates_of_half"),
                  numbers.value("coordinate_sparsity") > numbers.at("coordinate_sparsity").null->interval->high
                      ? "比随机表稀疏，拼接只需 8 个。"
                      : "没有拼接的迹象。")};
}

}  // namespace

Experiment subspaces_experiment() {
  return {
      .name = "subspaces",
      .title = {"Which directions they share", "它们共享哪些方向"},
      .question = {"Do positions, tokens and segments share directions, or keep apart as in a concatenation?",
                   "位置、词元与片段共享方向，还是像拼接那样各占一处？"},
      .definition =
          {"Of the centred tables: the share of s₁ − s₀ in the first 16 components of P; tr(Π_P Π_W)/16 with the "
           "first (and last) quarter of W's components, and the principal angles; Σ v² over coordinates of P's "
           "first 16 directions, its Hoyer sparsity; Hoyer sparsity of rows side by side and summed.",
           "对中心化的表：s₁ − s₀ 在 P 前 16 个主成分内的比例；与 W 前（后）四分之一主成分的 tr(Π_P Π_W)/16 及主角；P "
           "前 "
           "16 个方向在各坐标上的 Σ v² 及其 Hoyer 稀疏度；并列与相加后的 Hoyer 稀疏度。"},
      .source = {"document 000; Björck & Golub 1973; Hoyer 2004; james-simon.github.io 2024 on GPT-2",
                 "文档 000；Björck & Golub 1973；Hoyer 2004；james-simon.github.io 2024（关于 GPT-2）"},
      .null = {"positions turned by random rotations; a random direction; each table turned by its own",
               "位置表随机旋转；随机方向；各表各自旋转"},
      .control =
          {"early less late positions as a segment; positions outside the tokens' components, or on 16 coordinates; "
           "tokens made sparse",
           "以前后位置之差为片段；位于词元主成分之外、或独占 16 个坐标的位置表；变稀疏的词元"},
      .rules =
          {{.claim = "0.2",
            .observation =
                {"holds if at least .3 of s₁ − s₀ lies inside and p < .01; fails if no more than 95 % of "
                 "random directions have; otherwise, or if the control has less than .9, it cannot be told",
                 "s₁ − s₀ 至少有 .3 落在其中且 p < .01 则成立；不超过 95% 的随机方向则不成立；其余情形，或对照不足 "
                 ".9 时，无法判断"},
            .inference = {"that adding brings redundancy or conflict does not follow if they are unrelated; otherwise "
                          "not tested: that needs training",
                          "若两者无关，则“相加带来冗余或冲突”推不出；否则未检验：需要训练"},
            .judge = judge_segment},
           {.claim = "0.6",
            .observation =
                {"holds if positions overlap the tokens' first quarter less than 95 % of random rotations "
                 "do; fails if more; otherwise, or if the control is within that band, it cannot be told",
                 "位置与词元前四分之一的重叠低于 95% 的随机旋转则成立；高于则不成立；其余情形，或对照落在该范围内"
                 "时，无法判断"},
            .inference = {"that training disentangled the parts does not follow if they overlap as random tables do, "
                          "or more; otherwise not tested: that needs the same tables before training",
                          "若重叠与随机表相当或更多，则“训练使之解耦”推不出；否则未检验：需要训练前的同一组表"},
            .judge = judge_overlap},
           {.claim = "0.10",
            .observation =
                {"holds if side by side rows are sparser than summed ones by .02 more than dense rows of "
                 "the same norms; fails otherwise; if the control is not, it cannot be told",
                 "并列比相加更稀疏，且超出同模长稠密行 .02 以上则成立；否则不成立；若对照也达不到，则无法判断"},
            .inference = {"that adding costs sparsity does not follow if there was none to lose; otherwise not tested",
                          "若本无稀疏可失，则“相加降低稀疏性”推不出；否则未检验"},
            .judge = judge_sparsity}},
      .run = run,
      .answer = answer};
}

}  // namespace summand::lab
