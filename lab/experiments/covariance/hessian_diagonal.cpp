#include "lab/experiments/covariance/hessian_diagonal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/random_stream.hpp"
#include "lab/core/charts.hpp"
#include "lab/core/number_builder.hpp"
#include "lab/probing/input_parts.hpp"
#include "lab/probing/interaction.hpp"
#include "lab/probing/masked_language.hpp"
#include "lab/probing/norm_outputs.hpp"
#include "lab/statistics/moments.hpp"
#include "lab/statistics/resampling.hpp"
#include "lab/statistics/subspaces.hpp"
#include "lab/statistics/surrogates.hpp"
#include "lab/subject/subject.hpp"
#include "lab/subject/table_of.hpp"
#include "model/parameters.hpp"

namespace summand::lab {

namespace covariance {
namespace {

using Eigen::Index;

constexpr size_t kDraws = 5;            // of heads with random weights
constexpr size_t kResamplings = 500;    // of functions, texts and coordinates
constexpr double kControlNoise = 0.05;  // of the diagonal: a twentieth, as the control's name has it

constexpr NumberName kHessianRatio{"covariance", "h_diagonal_over_others"};
constexpr NumberName kFormShare{"covariance", "logit_form_share"};
constexpr NumberName kFormShareBefore{"covariance", "logit_form_share_before_normalisation"};

/// How much of H is derived.
struct HessianSize {
  size_t coordinates = 16;
  size_t texts = 2;
};
constexpr HessianSize kFull{};
constexpr HessianSize kQuick{.coordinates = 8, .texts = 1};

/// Energies of a matrix or of a sampled part of one.
struct Energies {
  double diagonal = 0;
  double others = 0;

  void add(const Table& block) {
    diagonal += block.diagonal().squaredNorm();
    others += block.squaredNorm() - block.diagonal().squaredNorm();
  }
  /// Of a whole matrix `width` wide, of which `sampled` rows and the same columns were seen.
  [[nodiscard]] double share(double width, double sampled) const {
    const double on = diagonal * width / sampled;
    const double off = others * width * (width - 1) / (sampled * (sampled - 1));
    return on + off > 0 ? on / (on + off) : 0;
  }
};

Table sampled_coordinates(size_t count, size_t hidden, RandomStream& stream) {
  std::vector<size_t> order(hidden);
  std::iota(order.begin(), order.end(), size_t{0});
  stream.shuffle(std::span(order));
  Table frame = Table::Zero(static_cast<Index>(count), static_cast<Index>(hidden));
  for (size_t i = 0; i < count; ++i) frame(static_cast<Index>(i), static_cast<Index>(order[i])) = 1;
  return frame;
}

/// H along the rows of a frame, between the two tokens, of every text and function; the functions weigh alike.
std::vector<Table> blocks_of(const Interaction& interaction, const std::vector<ExpandedText>& texts,
                             const Table& frame) {
  std::vector<DirectedText> directed;
  for (const auto& text : texts) {
    directed.push_back(
        {.text = text, .first = steps_along(frame, kPairPlaces[0]), .second = steps_along(frame, kPairPlaces[1])});
  }
  std::vector<Table> blocks;
  for (const auto& of_text : interaction.derivatives(directed)) {
    for (const auto& block : of_text.mixed) {
      const double norm = block.norm();
      if (norm > 0) blocks.push_back(block / norm);
    }
  }
  return blocks;
}

Energies energies_of(const std::vector<Table>& blocks) {
  Energies energies;
  for (const auto& block : blocks) energies.add(block);
  return energies;
}

/// Functions, texts and halves of the coordinates drawn anew.
Interval interval_of_share(const std::vector<Table>& blocks, double width, const Conditions& conditions) {
  const auto count = static_cast<size_t>(blocks.front().rows());
  const Draws draws{.seed = conditions.seed,
                    .name = "hessian diagonal: interval",
                    .count = kResamplings,
                    .threads = conditions.threads};
  return middle_95_percent(drawn(draws, [&](RandomStream& stream) {
    std::vector<Index> half(count);
    std::iota(half.begin(), half.end(), Index{0});
    stream.shuffle(std::span(half));
    half.resize(std::max<size_t>(2, count / 2));
    Energies energies;
    for (size_t i = 0; i < blocks.size(); ++i) energies.add(blocks[stream.below(blocks.size())](half, half));
    return energies.share(width, static_cast<double>(half.size()));
  }));
}

/// Mean |diagonal entry| over mean |other entry|, of all blocks together.
double ratio_of(const std::vector<Table>& blocks) {
  double on = 0;
  double off = 0;
  for (const auto& block : blocks) {
    on += block.diagonal().cwiseAbs().mean();
    const double entries = static_cast<double>(block.size() - block.rows());
    off += (block.cwiseAbs().sum() - block.diagonal().cwiseAbs().sum()) / entries;
  }
  return off > 0 ? on / off : 0;
}

/// Between the first layer's inputs: whether the first normalisation stands between them and the sum.
enum class Input { normalised, before_normalisation };

/// W_Qᵀ W_K of one head, [hidden, hidden]: query · key = xᵀ M y plus what only one of them has.
Table form_of(const Table& query, const Table& key, const FirstNorm& norm, Input input) {
  if (input == Input::normalised) return query.transpose() * key;
  // What the normalisation does besides dividing: each row less its mean, times the weight.
  const auto through = [&](const Table& weight) -> Table {
    const Table scaled = weight * norm.weight.asDiagonal();
    return scaled.colwise() - scaled.rowwise().mean();
  };
  return through(query).transpose() * through(key);
}

struct Heads {
  std::vector<Table> query;  ///< one [head size, hidden] per head
  std::vector<Table> key;
};

Heads first_layer(const Subject& subject) {
  const auto& config = subject.model->config();
  const auto& weights = subject.model->checkpoint().weights;
  const NormOutputs inputs = attention_inputs(weights, 0);
  // What a map does along a direction in which all inputs are alike is the checkpoint's own affair.
  const auto map = [&](const char* name) {
    Table weight = table_of(weights.at(model::layer_parameter(0, name)));
    Vector bias = Vector::Zero(weight.rows());
    inputs.reduce(weight, bias);
    return weight;
  };
  const Table query = map("attention.self.query.weight");
  const Table key = map("attention.self.key.weight");
  const auto size = static_cast<Index>(config.head_size());
  Heads heads;
  for (Index head = 0; head < static_cast<Index>(config.num_attention_heads); ++head) {
    heads.query.push_back(query.middleRows(head * size, size));
    heads.key.push_back(key.middleRows(head * size, size));
  }
  return heads;
}

/// Of every head: which share of its form's energy the diagonal has.
std::vector<double> form_shares(const Heads& heads, const FirstNorm& norm, Input input) {
  std::vector<double> shares;
  for (size_t head = 0; head < heads.query.size(); ++head) {
    Energies energies;
    energies.add(form_of(heads.query[head], heads.key[head], norm, input));
    const double all = energies.diagonal + energies.others;
    shares.push_back(all > 0 ? energies.diagonal / all : 0);
  }
  return shares;
}

/// Heads of the same shape that read coordinates of their own, queries and keys alike.
Heads aligned(const Heads& like) {
  Heads heads = like;
  Index first = 0;
  for (size_t head = 0; head < like.query.size(); ++head) {
    heads.query[head].setZero();
    for (Index i = 0; i < heads.query[head].rows(); ++i) {
      heads.query[head](i, first++ % heads.query[head].cols()) = 1;
    }
    heads.key[head] = heads.query[head];
  }
  return heads;
}

Heads random_heads(const Heads& like, RandomStream& stream) {
  Heads heads = like;
  for (auto* side : {&heads.query, &heads.key}) {
    for (auto& one : *side) {
      one = white_noise({static_cast<size_t>(one.rows()), static_cast<size_t>(one.cols())}, stream);
    }
  }
  return heads;
}

void add_forms(const Subject& subject, const Conditions& conditions, Numbers& numbers) {
  const Heads own = first_layer(subject);
  const FirstNorm norm = first_norm(subject);
  const FirstNorm plain{
      .weight = Vector::Ones(norm.weight.size()), .bias = Vector::Zero(norm.bias.size()), .epsilon = 0};
  for (const auto input : {Input::normalised, Input::before_normalisation}) {
    std::vector<double> drawn;
    for (size_t i = 0; i < kDraws; ++i) {
      RandomStream stream(conditions.seed, fmt::format("hessian diagonal: heads {}", i));
      drawn.push_back(mean(form_shares(random_heads(own, stream), plain, input)));
    }
    const bool normalised = input == Input::normalised;
    numbers.add(
        NumberBuilder(normalised ? kFormShare : kFormShareBefore, mean(form_shares(own, norm, input)))
            .null(median(drawn), localize("covariance.beside.random_heads", {{"draws", kDraws}}))
            .control(mean(form_shares(aligned(own), plain, input)), localize("covariance.beside.own_coordinates")));
  }
}

Figure block_figure(const std::vector<Table>& own, size_t count) {
  Table size = Table::Zero(static_cast<Index>(count), static_cast<Index>(count));
  for (const auto& block : own) size += block.cwiseAbs();
  size /= static_cast<double>(own.size());
  const auto text = [](const char* of_what) {
    return localize(std::string("covariance.figures.hessian-block.") + of_what);
  };
  const double largest = std::max(size.maxCoeff(), 1e-30);
  MatrixData matrix{.rows = count,
                    .columns = count,
                    .values = {},
                    .row_label = text("row"),
                    .column_label = text("column"),
                    .value_label = text("value"),
                    .low = 0,
                    .high = largest,
                    .scale = MatrixData::Scale::sequential};
  for (const double value : elements(size)) matrix.values.push_back(static_cast<float>(value));
  return {.name = "hessian-block",
          .title = text("title"),
          .caption = text("caption"),
          .specification = {},
          .data = std::move(matrix)};
}

}  // namespace
}  // namespace covariance

void measure_hessian_diagonal(const Subject& subject, const Conditions& conditions, Findings& findings) {
  using namespace covariance;
  if (const auto lacking = lacks_interaction(subject, kPairTokens)) {
    findings.remarks.push_back(localize("covariance.remarks.no_hessian", {{"why", *lacking}}));
    return;
  }
  const auto hidden = static_cast<size_t>(subject.positions.cols());
  const HessianSize& size = conditions.quick ? kQuick : kFull;
  const size_t count = std::min(size.coordinates, hidden);
  const Interaction interaction(subject, conditions);
  const auto texts = interaction.texts(size.texts, kPairTokens);
  RandomStream stream(conditions.seed, "hessian diagonal: coordinates");
  const auto own = blocks_of(interaction, texts, sampled_coordinates(count, hidden, stream));
  conditions.progress(0.6);
  const auto turned = blocks_of(interaction, texts, random_frame(count, hidden, stream));
  conditions.progress(0.95);
  if (own.empty() || turned.empty()) return;
  const auto width = static_cast<double>(hidden);
  const auto sampled = static_cast<double>(count);
  // f = Σ c_i x_m,i x_n,i, seen on as many coordinates.
  Table diagonal = Table::Zero(static_cast<Index>(count), static_cast<Index>(count));
  for (double& entry : diagonal.diagonal()) entry = stream.normal();
  Energies planted;
  planted.add(diagonal);
  Numbers& numbers = findings.numbers["4.6"];
  const LocalizedText of_null = localize("covariance.beside.random_directions");
  numbers.add(NumberBuilder(kHessianShare, energies_of(own).share(width, sampled))
                  .interval(interval_of_share(own, width, conditions))
                  .null(energies_of(turned).share(width, sampled), of_null)
                  .control(planted.share(width, sampled), localize("covariance.beside.sum_of_products")));
  const Table identity_like = diagonal + kControlNoise * white_noise({count, count}, stream);
  numbers.add(NumberBuilder(kHessianRatio, ratio_of(own))
                  .null(ratio_of(turned), of_null)
                  .control(ratio_of({identity_like}), localize("covariance.beside.noisy_diagonal")));
  add_forms(subject, conditions, numbers);
  findings.figures.push_back(block_figure(own, count));
  if (conditions.quick) {
    findings.left_out.push_back(localize("covariance.left_out.hessian", {{"few", kQuick.coordinates},
                                                                         {"few_texts", kQuick.texts},
                                                                         {"many", kFull.coordinates},
                                                                         {"many_texts", kFull.texts}}));
  }
  LocalizedText and_loss;
  if (!lacks_masked_language(subject)) and_loss = localize("covariance.remarks.and_loss");
  findings.remarks.push_back(localize("covariance.remarks.hessian", {{"first", kPairPlaces[0]},
                                                                     {"second", kPairPlaces[1]},
                                                                     {"texts", texts.size()},
                                                                     {"tokens", kPairTokens},
                                                                     {"functions", Interaction::kDirections},
                                                                     {"and_loss", and_loss},
                                                                     {"rank", subject.model->config().head_size()},
                                                                     {"hidden", hidden}}));
}

}  // namespace summand::lab
