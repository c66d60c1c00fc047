#include "model/fold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "model/parameters.hpp"
#include "model/position.hpp"
#include "model/row_ops.hpp"
#include "model/tensor.hpp"

namespace summand::model {

namespace {

constexpr const char* kTokens = "embeddings.word_embeddings.weight";
constexpr const char* kPositions = "embeddings.position_embeddings.weight";
constexpr const char* kSegments = "embeddings.token_type_embeddings.weight";

using Row = std::vector<double>;

Tensor floats_of(const Matrix<double>& rows) {
  std::vector<float> values(rows.elements().begin(), rows.elements().end());
  return tensor_of(DType::f32, {rows.rows(), rows.columns()}, std::move(values));
}

/// Composes a table's rows with zeros for the other two tables.
class Composer {
 public:
  Composer(const Config& config, const Weights& weights)
      : composition_(config.composition),
        widths_(config.part_widths()),
        hidden_(static_cast<size_t>(config.hidden_size)),
        parameters_(composition_parameters<double>(weights)) {}

  [[nodiscard]] Tensor composed(const Matrix<double>& table, Row InputParts<Row>::*part) const {
    RowOps<double> ops(parameters_);
    Matrix<double> rows(table.rows(), hidden_);
    InputParts<Row> parts{Row(widths_.token), Row(widths_.position), Row(widths_.segment)};
    for (size_t row = 0; row < table.rows(); ++row) {
      (parts.*part).assign(table.row(row).begin(), table.row(row).end());
      std::ranges::copy(compose(composition_, ops, parts), rows.row(row).begin());
    }
    return floats_of(rows);
  }

 private:
  const Composition& composition_;
  PartWidths widths_;
  size_t hidden_;
  RowOps<double>::Parameters parameters_;
};

}  // namespace

bool is_sum_of_maps(const Composition& composition) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.kSumOfMaps; }) return one.kSumOfMaps;
        return false;
      },
      composition);
}

std::string fold_error(const Config& config, const ModelParts& parts) {
  if (!is_sum_of_maps(config.composition)) {
    return fmt::format("composition: expected one that is a sum of three maps, got '{}'", name_of(config.composition));
  }
  if (std::holds_alternative<HierarchicalPositions>(config.position)) {
    return "position_kind: expected rows of each position, got 'hierarchical', whose rows depend on sentences";
  }
  if (std::holds_alternative<Sum>(config.composition)) return "";
  if (config.per_layer_inputs.any()) {
    return "parts that are added again before every layer: expected none with a composition other than 'sum', got "
           "some";
  }
  const bool tied = parts.has(Head::masked_language) && parts.decoder == Decoder::tied;
  if (!tied) return "";
  return fmt::format(
      "composition: expected 'sum' with a decoder that is tied to the token table, which a fold would change, got "
      "'{}'",
      name_of(config.composition));
}

Folded fold(const Config& config, const Weights& weights) {
  Folded folded{config, Weights()};
  folded.config.composition = Sum();
  folded.config.position = LearnedPositions();
  folded.config.segment = SegmentKind::learned;
  const Composer composer(config, weights);
  const PartWidths widths = config.part_widths();
  const auto positions = position_table(config.position, config.position_table_size(), weights);
  const Matrix<double> no_segments(static_cast<size_t>(config.type_vocab_size), widths.segment);
  const Matrix<double> no_positions(static_cast<size_t>(config.max_position_embeddings), widths.position);
  for (const auto& [name, tensor] : weights) folded.weights.set(name, tensor);
  for (const auto& parameter : parameters(config, {})) {
    const bool of_input =
        parameter.part == ParameterGroup::token_table || parameter.part == ParameterGroup::position_table ||
        parameter.part == ParameterGroup::segment_table || parameter.part == ParameterGroup::composition;
    if (of_input) folded.weights.erase(parameter.name);
  }
  const bool is_sum = std::holds_alternative<Sum>(config.composition);
  folded.weights.set(kTokens, is_sum
                                  ? weights.at(kTokens)
                                  : composer.composed(to_matrix<double>(weights.at(kTokens)), &InputParts<Row>::token));
  const Tensor* rows = is_sum ? position_rows(config.position, weights) : nullptr;
  folded.weights.set(
      kPositions,
      rows != nullptr ? *rows : composer.composed(positions ? *positions : no_positions, &InputParts<Row>::position));
  const bool has_segments = config.segment == SegmentKind::learned;
  folded.weights.set(kSegments,
                     is_sum && has_segments
                         ? weights.at(kSegments)
                         : composer.composed(has_segments ? to_matrix<double>(weights.at(kSegments)) : no_segments,
                                             &InputParts<Row>::segment));
  return folded;
}

}  // namespace summand::model
