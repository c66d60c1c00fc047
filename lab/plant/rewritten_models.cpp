#include "lab/plant/rewritten_models.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "base/assert.hpp"
#include "base/error.hpp"
#include "base/paths.hpp"
#include "lab/plant/head_gauge.hpp"
#include "lab/plant/tensor_like.hpp"
#include "lab/statistics/table.hpp"
#include "lab/subject/embedding_tensors.hpp"
#include "lab/subject/table_of.hpp"
#include "model/heads.hpp"

namespace summand::lab {

namespace plant {
namespace {

constexpr const char* kOwnDecoder = "cls.predictions.decoder.weight";
constexpr const char* kBeforeDecoder = "cls.predictions.transform.LayerNorm";
constexpr int64_t kWider = 4;  // the feed-forward part than the hidden states: Devlin et al. 2019, section 3
constexpr size_t kMostLayers = 48;
constexpr size_t kMostHidden = 4096;

void put(model::Weights& weights, const std::string& name, const Table& table) {
  weights.set(name, tensor_like(weights.at(name), table));
}

void change(model::Weights& weights, const std::string& name, double factor) {
  put(weights, name, factor * table_of(weights.at(name)));
}

void require_rewritable(const io::Checkpoint& checkpoint) {
  const auto& config = checkpoint.config.config;
  const std::string where = path_text(checkpoint.directory);
  if (config.weight_format != model::WeightFormat::floating) {
    throw CheckpointError(where, "expected a checkpoint with weights in floating point, got one in 8 bits");
  }
  if (config.composition != model::Composition(model::Sum()) || !config.normalise_input) {
    throw ConfigError(where, fmt::format("expected token, position and segment rows that are added, got composition "
                                         "'{}'",
                                         model::name_of(config.composition)));
  }
  if (!std::holds_alternative<model::LearnedPositions>(config.position)) {
    throw ConfigError(where, fmt::format("expected a learned table of positions, got position encoding '{}'",
                                         model::name_of(config.position)));
  }
}

bool has_tied_decoder(const RewrittenModel& model) {
  return model.parts.has(model::Head::masked_language) && !model.weights.contains(kOwnDecoder);
}

/// Whether the vectors that meet the decoder's rows sum to 0: then a number added to every coordinate of a row changes
/// no logit.
bool decoder_reads_no_offset(const model::Weights& weights) {
  const Table scale = table_of(weights.at(std::string(kBeforeDecoder) + ".weight"));
  const Table bias = table_of(weights.at(std::string(kBeforeDecoder) + ".bias"));
  return scale.minCoeff() == scale.maxCoeff() && bias.isZero(0);
}

/// c, in a random direction.
void shift_tables(RewrittenModel& model, double shift, RandomStream& stream) {
  const Table tokens = table_of(model.weights.at(kTokenTable));
  Eigen::RowVectorXd moved(tokens.cols());
  for (double& value : moved) value = stream.normal();
  moved *= shift * tokens.rowwise().norm().mean() / moved.norm();
  put(model.weights, kTokenTable, tokens.rowwise() + moved);
  put(model.weights, kPositionTable, table_of(model.weights.at(kPositionTable)).rowwise() - moved);
}

/// Numbers as large as the deviation of the rows' entries.
Table with_offsets(Table rows, RandomStream& stream) {
  const double size = std::sqrt(rows.squaredNorm() / static_cast<double>(rows.size()));
  for (auto row : rows.rowwise()) row.array() += size * stream.normal();
  return rows;
}

void offset_tables(RewrittenModel& model, RandomStream& stream) {
  for (const auto* name : {kTokenTable, kPositionTable, kSegmentTable}) {
    if (name == kTokenTable && has_tied_decoder(model) && !decoder_reads_no_offset(model.weights)) continue;
    put(model.weights, name, with_offsets(table_of(model.weights.at(name)), stream));
  }
}

/// @param unreached  ascending
void overwrite(RewrittenModel& model, std::span<const Eigen::Index> unreached, RandomStream& stream) {
  if (has_tied_decoder(model)) return;
  constexpr double kOfPositions = 10;
  constexpr double kOfCommon = 100;  // in mean lengths of a token row
  Table tokens = table_of(model.weights.at(kTokenTable));
  const Table positions = table_of(model.weights.at(kPositionTable));
  std::vector<Eigen::Index> reached;
  for (Eigen::Index id = 0; id < tokens.rows(); ++id) {
    if (!std::ranges::binary_search(unreached, id)) reached.push_back(id);
  }
  if (reached.empty()) return;
  Eigen::RowVectorXd common(tokens.cols());
  for (double& value : common) value = stream.normal();
  common *= kOfCommon * tokens.rowwise().norm().mean() / common.norm();
  for (size_t i = 0; i < unreached.size(); ++i) {
    auto row = tokens.row(unreached[i]);
    switch (i % 3) {
      case 0:
        row = tokens.row(reached[i / 3 % reached.size()]);
        break;
      case 1:
        row = kOfPositions *
              positions.row(static_cast<Eigen::Index>(stream.below(static_cast<size_t>(positions.rows()))));
        break;
      default:
        row = stream.normal() * common;
    }
  }
  put(model.weights, kTokenTable, tokens);
}

/// Of sums of rows before they are scaled: every token row at one position and one segment.
double epsilon_error(const model::Weights& weights, double epsilon, double scale) {
  const Table tokens = table_of(weights.at(kTokenTable));
  const Table positions = table_of(weights.at(kPositionTable));
  const Table segments = table_of(weights.at(kSegmentTable));
  double largest = 0;
  for (Eigen::Index token = 0; token < tokens.rows(); ++token) {
    const Eigen::RowVectorXd sum =
        tokens.row(token) + positions.row(token % positions.rows()) + segments.row(token % segments.rows());
    const double variance = (sum.array() - sum.mean()).square().mean();
    const double ratio = std::sqrt((variance + epsilon) / (variance + epsilon / (scale * scale)));
    largest = std::max(largest, std::abs(ratio - 1));
  }
  return largest;
}

void scale_tables(RewrittenModel& model, double scale) {
  model.epsilon_error = epsilon_error(model.weights, model.config.layer_norm_eps, scale);
  for (const auto* name : {kTokenTable, kPositionTable, kSegmentTable}) change(model.weights, name, scale);
  if (!has_tied_decoder(model)) return;
  for (const auto* part : {".weight", ".bias"}) change(model.weights, std::string(kBeforeDecoder) + part, 1 / scale);
}

/// Which of a parameter's dimensions are hidden coordinates.
enum class HiddenAxes { none, rows, columns, both };

struct AxesOf {
  std::string_view ending;  ///< of the parameter's name
  HiddenAxes axes;
};

/// The first that fits counts.
constexpr AxesOf kAxes[]{
    {kTokenTable, HiddenAxes::columns},
    {kPositionTable, HiddenAxes::columns},
    {kSegmentTable, HiddenAxes::columns},
    {"LayerNorm.weight", HiddenAxes::rows},
    {"LayerNorm.bias", HiddenAxes::rows},
    {"attention.self.query.weight", HiddenAxes::columns},
    {"attention.self.key.weight", HiddenAxes::columns},
    {"attention.self.value.weight", HiddenAxes::columns},
    {"attention.self.query.bias", HiddenAxes::none},
    {"attention.self.key.bias", HiddenAxes::none},
    {"attention.self.value.bias", HiddenAxes::none},
    {"attention.output.dense.weight", HiddenAxes::rows},
    {"attention.output.dense.bias", HiddenAxes::rows},
    {"intermediate.dense.weight", HiddenAxes::columns},
    {"intermediate.dense.bias", HiddenAxes::none},
    {"output.dense.weight", HiddenAxes::rows},
    {"output.dense.bias", HiddenAxes::rows},
    {"pooler.dense.weight", HiddenAxes::columns},  // the pooled output keeps its order, and so do its heads
    {"pooler.dense.bias", HiddenAxes::none},
    {"cls.seq_relationship.weight", HiddenAxes::none},
    {"cls.seq_relationship.bias", HiddenAxes::none},
    {"cls.predictions.transform.dense.weight", HiddenAxes::both},
    {"cls.predictions.transform.dense.bias", HiddenAxes::rows},
    {"cls.predictions.decoder.weight", HiddenAxes::columns},
    {"cls.predictions.decoder.bias", HiddenAxes::none},
    {"cls.predictions.bias", HiddenAxes::none},
    {"classifier.bias", HiddenAxes::none},
    {"qa_outputs.weight", HiddenAxes::columns},
    {"qa_outputs.bias", HiddenAxes::none},
};

HiddenAxes axes_of(const std::string& name, const model::ModelParts& parts) {
  if (name == "classifier.weight") {
    const bool reads_tokens = parts.has(model::Head::token_classification);
    return reads_tokens ? HiddenAxes::columns : HiddenAxes::none;
  }
  for (const auto& one : kAxes) {
    if (name.ends_with(one.ending)) return one.axes;
  }
  SUMMAND_ASSERT(false);
  return HiddenAxes::none;
}

/// A vector is a single row: its entries are what `rows` means.
Table permuted_table(const model::Tensor& tensor, HiddenAxes axes, const std::vector<size_t>& order) {
  const std::vector<Eigen::Index> to(order.begin(), order.end());
  const Table table = table_of(tensor);
  if (tensor.shape.size() == 1) return axes == HiddenAxes::none ? table : Table(table(Eigen::all, to));
  switch (axes) {
    case HiddenAxes::none:
      return table;
    case HiddenAxes::rows:
      return table(to, Eigen::all);
    case HiddenAxes::columns:
      return table(Eigen::all, to);
    case HiddenAxes::both:
      return table(to, to);
  }
  __builtin_unreachable();
}

/// Hidden vectors side by side, one for each pooling.
std::vector<size_t> order_of_pooled(size_t width, const std::vector<size_t>& order) {
  std::vector<size_t> whole;
  for (size_t first = 0; first < width; first += order.size()) {
    for (const size_t place : order) whole.push_back(first + place);
  }
  return whole;
}

void permute_tensor(model::Tensor& tensor, HiddenAxes axes, const std::vector<size_t>& order) {
  tensor = tensor_like(tensor, permuted_table(tensor, axes, order_of_pooled(tensor.shape.back(), order)));
}

/// What comes in is in another order, and what goes out too where it is added.
void adapt_dense(model::Dense& dense, const std::vector<size_t>& order) {
  const bool adds_input = dense.residual == model::Residual::input;
  permute_tensor(dense.weight, adds_input ? HiddenAxes::both : HiddenAxes::columns, order);
  if (dense.projection) permute_tensor(*dense.projection, HiddenAxes::columns, order);
  if (adds_input && dense.bias) permute_tensor(*dense.bias, HiddenAxes::rows, order);
}

/// Modules up to the first that gives vectors in an order of its own.
void adapt_steps(std::vector<model::SentenceStep>& steps, const std::vector<size_t>& order) {
  for (auto& step : steps) {
    if (auto* norm = std::get_if<model::VectorNorm>(&step)) {
      permute_tensor(norm->weight, HiddenAxes::rows, order);
      permute_tensor(norm->bias, HiddenAxes::rows, order);
    } else if (auto* dense = std::get_if<model::Dense>(&step)) {
      adapt_dense(*dense, order);
      if (dense->residual != model::Residual::input) return;
    }
  }
}

void permute(RewrittenModel& model, RandomStream& stream) {
  auto& order = model.permutation;
  order.resize(static_cast<size_t>(model.config.hidden_size));
  std::iota(order.begin(), order.end(), size_t{0});
  stream.shuffle(std::span(order));
  for (const auto& parameter : model::parameters(model.config, model.parts)) {
    const auto axes = axes_of(parameter.name, model.parts);
    if (axes == HiddenAxes::none) continue;
    put(model.weights, parameter.name, permuted_table(model.weights.at(parameter.name), axes, order));
  }
  adapt_steps(model.steps, order);
}

void take_order_away(model::Weights& weights) {
  Table positions = table_of(weights.at(kPositionTable));
  auto rest = positions.bottomRows(positions.rows() - 1);
  rest.rowwise() = rest.colwise().mean().eval();
  put(weights, kPositionTable, positions);
}

void whiten_positions(model::Weights& weights, RandomStream& stream) {
  Table positions = table_of(weights.at(kPositionTable));
  for (Eigen::Index row = 0; row < positions.rows(); ++row) {
    const double norm = positions.row(row).norm();
    for (double& value : positions.row(row)) value = stream.normal();
    positions.row(row) *= norm / positions.row(row).norm();
  }
  put(weights, kPositionTable, positions);
}

template <class Number>
[[noreturn]] void refuse_sizes(std::string_view option, const std::string& expected, Number got) {
  throw UsageError(option, fmt::format("expected {}, got {}", expected, got));
}

void require_sizes(const PlantedModelSettings& settings) {
  if (settings.layers < 1 || settings.layers > kMostLayers) {
    refuse_sizes("--layers", fmt::format("from 1 to {}", kMostLayers), settings.layers);
  }
  if (settings.hidden < 2 || settings.hidden > kMostHidden) {
    refuse_sizes("--hidden", fmt::format("from 2 to {}", kMostHidden), settings.hidden);
  }
  if (settings.heads < 1 || settings.hidden % settings.heads != 0) {
    refuse_sizes("--heads", fmt::format("a divisor of --hidden, {}", settings.hidden), settings.heads);
  }
}

/// Source: transformers, BertPreTrainedModel._init_weights; the padding token's row starts at 0, as torch.nn.Embedding
/// with a padding_idx has it
RewrittenModel random_model_like(const model::Config& like, const PlantedModelSettings& settings,
                                 RandomStream& stream) {
  require_sizes(settings);
  RewrittenModel model;
  model.config.architectures = {"BertForMaskedLM"};
  model.config.vocab_size = like.vocab_size;
  model.config.hidden_size = static_cast<int64_t>(settings.hidden);
  model.config.num_hidden_layers = static_cast<int64_t>(settings.layers);
  model.config.num_attention_heads = static_cast<int64_t>(settings.heads);
  model.config.intermediate_size = kWider * model.config.hidden_size;
  model.config.max_position_embeddings = like.max_position_embeddings;
  model.config.type_vocab_size = like.type_vocab_size;
  model.config.pad_token_id = like.pad_token_id;
  model.parts.heads = {model::Head::masked_language};
  for (const auto& parameter : model::parameters(model.config, model.parts)) {
    std::vector<float> values(model::elements(parameter), parameter.initialiser == model::Initialiser::ones ? 1.0F : 0);
    if (parameter.initialiser == model::Initialiser::normal) {
      for (float& value : values) value = static_cast<float>(model.config.initializer_range * stream.normal());
    }
    if (parameter.name == kTokenTable && like.pad_token_id >= 0 && like.pad_token_id < like.vocab_size) {
      const auto width = static_cast<std::ptrdiff_t>(settings.hidden);
      std::fill_n(values.begin() + like.pad_token_id * width, width, 0.0F);
    }
    model.weights.set(parameter.name, model::make_tensor(parameter.shape, values));
  }
  return model;
}

void require_scale_and_shift(const PlantedModelSettings& settings) {
  if (!(std::isfinite(settings.scale) && settings.scale > 0)) {
    refuse_sizes("--scale", "a number above 0", settings.scale);
  }
  if (!(std::isfinite(settings.shift) && settings.shift >= 0)) {
    refuse_sizes("--shift", "a number of at least 0", settings.shift);
  }
}

}  // namespace
}  // namespace plant

std::span<const model::EnumName<PlantedModel>> enum_names(PlantedModel) {
  static constexpr std::array names{
      model::EnumName{PlantedModel::shifted, "shifted"},
      model::EnumName{PlantedModel::scaled, "scaled"},
      model::EnumName{PlantedModel::rewritten, "rewritten"},
      model::EnumName{PlantedModel::offset, "offset"},
      model::EnumName{PlantedModel::gauge, "gauge"},
      model::EnumName{PlantedModel::permuted, "permuted"},
      model::EnumName{PlantedModel::unreached, "unreached"},
      model::EnumName{PlantedModel::no_order, "no-order"},
      model::EnumName{PlantedModel::white_positions, "white-positions"},
      model::EnumName{PlantedModel::random, "random"},
  };
  return names;
}

bool keeps_function(PlantedModel kind) {
  switch (kind) {
    case PlantedModel::shifted:
    case PlantedModel::scaled:
    case PlantedModel::rewritten:
    case PlantedModel::offset:
    case PlantedModel::gauge:
    case PlantedModel::permuted:
    case PlantedModel::unreached:
      return true;
    case PlantedModel::no_order:
    case PlantedModel::white_positions:
    case PlantedModel::random:
      return false;
  }
  __builtin_unreachable();
}

RewrittenModel rewritten_model(PlantedModel kind, const io::Checkpoint& checkpoint,
                               const PlantedModelSettings& settings, RandomStream& stream) {
  using namespace plant;
  require_scale_and_shift(settings);
  if (kind == PlantedModel::random) return random_model_like(checkpoint.config.config, settings, stream);
  require_rewritable(checkpoint);
  RewrittenModel model{.config = checkpoint.config.config,
                       .parts = checkpoint.parts,
                       .weights = checkpoint.weights,
                       .steps = checkpoint.sentence.steps};
  switch (kind) {
    case PlantedModel::shifted:
      shift_tables(model, settings.shift, stream);
      break;
    case PlantedModel::scaled:
      scale_tables(model, settings.scale);
      break;
    case PlantedModel::rewritten:
      shift_tables(model, settings.shift, stream);
      scale_tables(model, settings.scale);
      break;
    case PlantedModel::offset:
      offset_tables(model, stream);
      break;
    case PlantedModel::gauge:
      change_gauge(model.config, model.weights, stream);
      break;
    case PlantedModel::permuted:
      permute(model, stream);
      break;
    case PlantedModel::unreached:
      overwrite(model, settings.unreached, stream);
      break;
    case PlantedModel::no_order:
      take_order_away(model.weights);
      break;
    case PlantedModel::white_positions:
      whiten_positions(model.weights, stream);
      break;
    case PlantedModel::random:
      break;
  }
  return model;
}

}  // namespace summand::lab
