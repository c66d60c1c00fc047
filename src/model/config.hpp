#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/activation.hpp"
#include "model/attention_kind.hpp"
#include "model/composition.hpp"
#include "model/enum_names.hpp"
#include "model/labels.hpp"
#include "model/position.hpp"
#include "model/reading.hpp"
#include "model/segment_kind.hpp"
#include "model/self_attention.hpp"
#include "model/window_encoder.hpp"

namespace summand::model {

/// How a checkpoint holds the weights of the encoder's dense layers: as floating-point numbers, in 8 bits with one
/// scale per row, or so with a factor per column as well (model/quantization.hpp). The last has a name of its own
/// because whoever knows no factors would read other weights.
enum class WeightFormat { floating, summand_int8, summand_int8_calibrated };

[[nodiscard]] std::span<const EnumName<WeightFormat>> enum_names(WeightFormat);

[[nodiscard]] bool is_in_8_bits(WeightFormat format);

/// The sizes and switches of a BERT, named as in Hugging Face's config.json.
struct Config {
  std::string model_type = "bert";
  std::vector<std::string> architectures;
  int64_t vocab_size = 0;
  int64_t hidden_size = 0;
  int64_t num_hidden_layers = 0;
  int64_t num_attention_heads = 0;
  int64_t intermediate_size = 0;
  int64_t max_position_embeddings = 0;
  int64_t type_vocab_size = 0;
  Activation hidden_act = Activation::gelu;
  double layer_norm_eps = 1e-12;
  double initializer_range = 0.02;
  double hidden_dropout_prob = 0.1;
  double attention_probs_dropout_prob = 0.1;
  std::optional<double> classifier_dropout = {};  ///< before a classifier; none: hidden_dropout_prob
  bool tie_word_embeddings = true;
  int64_t pad_token_id = 0;
  Labels labels;  ///< id2label
  ProblemType problem_type = ProblemType::unspecified;
  /// quantization_config: {"format": "summand_int8"} or the like, or absent. Without the key `quant_method`
  /// transformers refuses the directory; a method that it does not know it would pass over, and take the values for
  /// weights.
  WeightFormat weight_format = WeightFormat::floating;
  /// Settings that Hugging Face's keys cannot express; in the file below "summand".
  Composition composition;
  bool normalise_input = true;  ///< layer normalisation of what was composed
  Position position;
  SegmentKind segment = SegmentKind::learned;
  AttentionKind position_attention;  ///< how attention itself is told positions
  AttentionKind segment_attention;
  SelfAttention attention;
  PerLayerInputs per_layer_inputs;  ///< parts of the input that are added before every layer but the first
  /// How training read its texts, if not as every model is read. It has a max_length, and either windows or a
  /// truncation.
  std::optional<Reading> reading = {};
  /// A transformer over windows: with a reading by it, and only then.
  std::optional<WindowEncoder> window_encoder = {};

  [[nodiscard]] int64_t head_size() const { return hidden_size / num_attention_heads; }
  /// How wide the rows of the three tables are.
  [[nodiscard]] PartWidths part_widths() const { return widths_of(composition, static_cast<size_t>(hidden_size)); }
  /// Size of the position table, stored or computed.
  [[nodiscard]] TableSize position_table_size() const {
    return {static_cast<size_t>(max_position_embeddings), part_widths().position};
  }
  /// Rows of the token table: one per token, or per combination of token, position and segment.
  [[nodiscard]] int64_t token_table_rows() const {
    const bool joint = std::holds_alternative<JointTable>(composition);
    return joint ? vocab_size * max_position_embeddings * type_vocab_size : vocab_size;
  }
  /// Leaves out what only classifiers that finetune made have.
  void forget_reading() {
    reading.reset();
    window_encoder.reset();
  }
  [[nodiscard]] AttentionEncoding positions_in_attention() const {
    return {position_attention, attention_sizes(max_position_embeddings), "", EncodedInput::position};
  }
  [[nodiscard]] AttentionEncoding segments_in_attention() const {
    return {segment_attention, attention_sizes(type_vocab_size), "segment_", EncodedInput::segment};
  }
  /// Those of the two that exist, in this order.
  [[nodiscard]] std::vector<AttentionEncoding> encodings_in_attention() const {
    std::vector<AttentionEncoding> all{positions_in_attention(), segments_in_attention()};
    std::erase_if(all, [](const AttentionEncoding& one) { return !one.exists(); });
    return all;
  }
  /// Factor of products of queries and keys.
  [[nodiscard]] double score_scale() const {
    return attention.scale_of(static_cast<size_t>(head_size()),
                              counted_terms(position_attention) + counted_terms(segment_attention));
  }
  bool operator==(const Config&) const = default;

 private:
  [[nodiscard]] AttentionSizes attention_sizes(int64_t count) const {
    return {.positions_or_segments = static_cast<size_t>(count),
            .heads = static_cast<size_t>(num_attention_heads),
            .head_size = static_cast<size_t>(head_size())};
  }
};

/// Whether a key may be absent from a file. An absent one takes the default that Hugging Face gives it; an optional one
/// then says nothing, and is not written.
enum class Presence { required, defaulted, optional };

/// Visits every field as (name in config.json, field, presence). Reading, writing, comparing and the table that
/// `inspect` prints all come from this list. Nested fields are visited by visit_summand_fields.
template <class ConfigType, class Visitor>
void visit_fields(ConfigType& config, Visitor&& visit) {
  visit("model_type", config.model_type, Presence::defaulted);
  visit("architectures", config.architectures, Presence::defaulted);
  visit("vocab_size", config.vocab_size, Presence::required);
  visit("hidden_size", config.hidden_size, Presence::required);
  visit("num_hidden_layers", config.num_hidden_layers, Presence::required);
  visit("num_attention_heads", config.num_attention_heads, Presence::required);
  visit("intermediate_size", config.intermediate_size, Presence::required);
  visit("max_position_embeddings", config.max_position_embeddings, Presence::required);
  visit("type_vocab_size", config.type_vocab_size, Presence::required);
  visit("hidden_act", config.hidden_act, Presence::required);
  visit("layer_norm_eps", config.layer_norm_eps, Presence::defaulted);
  visit("initializer_range", config.initializer_range, Presence::defaulted);
  visit("hidden_dropout_prob", config.hidden_dropout_prob, Presence::defaulted);
  visit("attention_probs_dropout_prob", config.attention_probs_dropout_prob, Presence::defaulted);
  visit("classifier_dropout", config.classifier_dropout, Presence::optional);
  visit("tie_word_embeddings", config.tie_word_embeddings, Presence::defaulted);
  visit("pad_token_id", config.pad_token_id, Presence::defaulted);
  visit("id2label", config.labels, Presence::defaulted);
  visit("problem_type", config.problem_type, Presence::defaulted);
  visit("quantization_config", config.weight_format, Presence::optional);
}

/// Visits the fields below the key "summand" that the configuration honours, as (name, field). Any other key there is
/// an error.
template <class ConfigType, class Visitor>
void visit_summand_fields(ConfigType& config, Visitor&& visit) {
  visit("composition", config.composition);
  visit_kind_fields(config.composition, [&](std::string_view name, auto& field) {
    visit(std::string("composition_") + std::string(name), field);
  });
  visit("normalise_input", config.normalise_input);
  visit("position_kind", config.position);
  visit_kind_fields(config.position, [&](std::string_view name, auto& field) {
    visit(std::string("position_") + std::string(name), field);
  });
  visit("segment_kind", config.segment);
  visit("position_attention", config.position_attention);
  visit_kind_fields(config.position_attention, [&](std::string_view name, auto& field) {
    visit(std::string("position_attention_") + std::string(name), field);
  });
  visit("segment_attention", config.segment_attention);
  visit_kind_fields(config.segment_attention, [&](std::string_view name, auto& field) {
    visit(std::string("segment_attention_") + std::string(name), field);
  });
  visit("attention_query_key", config.attention.query_key);
  visit("attention_value", config.attention.value);
  visit("attention_scale", config.attention.scale);
  visit("attention_causal", config.attention.causal);
  visit("token_again", config.per_layer_inputs.token);
  visit("position_again", config.per_layer_inputs.position);
  visit("segment_again", config.per_layer_inputs.segment);
  visit("reading", config.reading);
  visit("window_encoder", config.window_encoder);
}

/// A key that could not be read and that few need: of a head, or of training.
struct KeyFault {
  std::string key;
  std::string message;  ///< "id2label: label 1: expected …, got null"
};

/// A configuration and which of its fields the file did not give.
struct ParsedConfig {
  Config config;
  std::vector<std::string> defaulted;
  std::vector<KeyFault> faults = {};  ///< their fields have their defaults
  std::string where = {};             ///< the file's name
  bool names_labels = false;          ///< whether id2label is there, and could be read
  std::optional<size_t> num_labels = {};

  /// Null where the key was read, or is not there.
  [[nodiscard]] const KeyFault* fault_for(std::string_view key) const;
};

/// For those who need every key.
/// @throws ConfigError of the first fault
void require_all_read(const ParsedConfig& parsed);

/// Reads a config.json. Keys that describe a head or only matter in training (architectures, id2label, num_labels,
/// problem_type, tie_word_embeddings, pad_token_id, dropout, initializer_range) close no folder: where one cannot be
/// read, it is among the faults.
/// @param where  the file's name, for messages
/// @throws ConfigError naming the key, what was expected and what was got: malformed JSON, a key twice, a required key
///   that is missing, a size below its least value, another model type, a value that this program cannot honour, or a
///   key below "summand" that is not known or that the kinds of composition and of positions do not honour
[[nodiscard]] ParsedConfig parse_config(std::string_view json, std::string_view where);

/// Writes what parse_config reads: Hugging Face's keys, and "summand", with what is honoured, where something differs
/// from BERT. How texts are read stands there alone, if nothing does.
[[nodiscard]] std::string to_json(const Config& config);

/// Whether nothing differs from BERT but what Hugging Face's keys say: other programs run it.
[[nodiscard]] bool is_bert(const Config& config);

/// A config.json with all keys unchanged, except those below "summand" and the kind of positions.
/// @param json  that parse_config reads
[[nodiscard]] std::string with_own_settings(std::string_view json, const Config& config);

/// A config.json with every key as it was, those unknown here among them, for weights in another format.
/// @param json  that parse_config reads
[[nodiscard]] std::string with_weight_format(std::string_view json, WeightFormat format);

/// One field as text, for a table.
struct ConfigRow {
  std::string name;
  std::string value;
  bool defaulted = false;
};
[[nodiscard]] std::vector<ConfigRow> rows_of(const ParsedConfig& parsed);

}  // namespace summand::model
