#include "model/config.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/json_file.hpp"
#include "base/nearest_name.hpp"
#include "model/checkpoint_config.hpp"
#include "model/reading_json.hpp"

namespace summand::model {

namespace {

using OrderedJson = nlohmann::ordered_json;

template <class Field>
concept Enumeration = std::is_enum_v<Field>;

std::string listed_with_commas(const std::vector<std::string>& names) {
  return fmt::format("{}", fmt::join(names, ", "));
}

/// Takes one value out of an object, field type by field type.
struct FieldReader {
  const JsonObject& object;

  void read(std::string_view key, const Json& value, std::string& field) const {
    if (!value.is_string()) object.refuse(key, "a string", value);
    field = value.get<std::string>();
  }
  void read(std::string_view key, const Json& value, std::vector<std::string>& field) const {
    field.clear();
    if (value.is_null()) return;
    if (!value.is_array()) object.refuse(key, "a list of strings", value);
    for (const auto& item : value) read(key, item, field.emplace_back());
  }
  void read(std::string_view key, const Json& value, int64_t& field) const {
    if (!value.is_number_integer()) object.refuse(key, "an integer", value);
    if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) object.refuse(key, "a 64-bit integer", value);
    field = value.get<int64_t>();
  }
  void read(std::string_view key, const Json& value, std::vector<int64_t>& field) const {
    if (!value.is_array()) object.refuse(key, "a list of integers", value);
    field.clear();
    for (const auto& item : value) read(key, item, field.emplace_back());
  }
  void read(std::string_view key, const Json& value, double& field) const {
    if (!value.is_number()) object.refuse(key, "a number", value);
    field = value.get<double>();
  }
  void read(std::string_view key, const Json& value, std::optional<double>& field) const {
    read(key, value, field.emplace());
  }
  void read(std::string_view key, const Json& value, bool& field) const {
    if (!value.is_boolean()) object.refuse(key, "true or false", value);
    field = value.get<bool>();
  }
  /// {"0": "negative", "1": "positive"}: every number from 0 up once. A number is a label too.
  void read(std::string_view key, const Json& value, Labels& field) const {
    if (!value.is_object()) object.refuse(key, "an object of labels by number", value);
    std::vector<std::string> names;
    for (size_t index = 0; index < value.size(); ++index) {
      const std::string place = fmt::format("{}: label {} of {}", key, index, value.size());
      const auto label = value.find(std::to_string(index));
      if (label == value.end()) {
        throw ConfigError(object.where(), fmt::format("{}: expected a label for every number from 0 to {}, got none",
                                                      place, value.size() - 1));
      }
      if (!label->is_string() && !label->is_number()) object.refuse(place, "a string or a number", *label);
      names.push_back(label->is_string() ? label->get<std::string>() : label->dump());
    }
    field.names = std::move(names);
  }
  void read(std::string_view key, const Json& value, WeightFormat& field) const {
    const JsonObject own = object.below(key, value);
    if (own.has("quant_method")) own.refuse_setting("quant_method");
    const auto format = value_named<WeightFormat>(own.string("format").value_or(""));
    if (!format) {
      own.refuse("format", "\"summand_int8\" or \"summand_int8_calibrated\", which summand quantize writes");
    }
    field = *format;
  }
  void read(std::string_view key, const Json& value, std::optional<Reading>& field) const {
    field = read_reading(object.below(key, value));
  }
  void read(std::string_view key, const Json& value, std::optional<WindowEncoder>& field) const {
    const JsonObject own = object.below(key, value);
    require_known_keys(own, "summand.window_encoder", {"layers", "most_windows"});
    const auto size = [&](const char* name) {
      return static_cast<int64_t>(own.require(name, own.size(name), "an integer of at least 1"));
    };
    field = WindowEncoder{.layers = size("layers"), .most_windows = size("most_windows")};
  }
  template <Enumeration Enum>
  void read(std::string_view key, const Json& value, Enum& field) const {
    const auto named = value.is_string() ? value_named<Enum>(value.get<std::string>()) : std::nullopt;
    if (!named) object.refuse(key, "one of " + known_names<Enum>(), value);
    field = *named;
  }
  template <Kinds Variant>
  void read(std::string_view key, const Json& value, Variant& field) const {
    const auto named = value.is_string() ? kind_named<Variant>(value.get<std::string>()) : std::nullopt;
    if (!named) object.refuse(key, "one of " + listed_with_commas(kind_names<Variant>()), value);
    field = *named;
  }
};

OrderedJson written(const std::string& field) {
  return field;
}
OrderedJson written(const std::vector<std::string>& field) {
  return field;
}
OrderedJson written(const std::vector<int64_t>& field) {
  return field;
}
OrderedJson written(int64_t field) {
  return field;
}
OrderedJson written(const Labels& field) {
  OrderedJson json = OrderedJson::object();
  for (size_t index = 0; index < field.size(); ++index) json[std::to_string(index)] = field[index];
  return json;
}
OrderedJson written(double field) {
  return field;
}
OrderedJson written(const std::optional<double>& field) {
  return field ? OrderedJson(*field) : OrderedJson(nullptr);
}
OrderedJson written(bool field) {
  return field;
}
template <Enumeration Enum>
OrderedJson written(Enum field) {
  return std::string(name_of(field));
}

template <Kinds Variant>
OrderedJson written(const Variant& field) {
  return std::string(name_of(field));
}

OrderedJson written(ProblemType field) {
  return field == ProblemType::unspecified ? OrderedJson(nullptr) : OrderedJson(std::string(name_of(field)));
}

OrderedJson written(const std::optional<Reading>& field) {
  return field ? write_reading(*field) : OrderedJson(nullptr);
}

OrderedJson written(const std::optional<WindowEncoder>& field) {
  if (!field) return nullptr;
  return {{"layers", field->layers}, {"most_windows", field->most_windows}};
}

OrderedJson written(WeightFormat field) {
  if (field == WeightFormat::floating) return nullptr;
  return {{"format", std::string(name_of(field))}};
}

bool says_nothing(const OrderedJson& value, Presence presence) {
  return presence == Presence::optional && value.is_null();
}

struct Range {
  int64_t least = 0;
  int64_t most = 0;
};

void check_range(std::string_view where, std::string_view key, int64_t value, Range range) {
  if (value >= range.least && value <= range.most) return;
  throw ConfigError(where, fmt::format("{}: expected {} to {}, got {}", key, range.least, range.most, value));
}

/// No BERT comes near these. A product of two sizes times eight bytes still fits 64 bits.
constexpr int64_t kLargestSize = int64_t{1} << 28;
constexpr int64_t kMostLayers = 4096;
constexpr size_t kMostLabels = size_t{1} << 18;  // their names are made up: what no file holds is bounded
/// 8192 positions of 768 coordinates: a table that no file holds must not cost what no file could.
constexpr int64_t kLargestComputed = int64_t{8192} * 768;

void check_sizes(const Config& config, std::string_view where) {
  visit_fields(config, [&](std::string_view name, const auto& field, Presence presence) {
    if constexpr (std::is_same_v<std::decay_t<decltype(field)>, int64_t>) {
      if (presence != Presence::required) return;
      const bool layers = name == "num_hidden_layers";
      check_range(where, name, field, layers ? Range{0, kMostLayers} : Range{1, kLargestSize});
    }
  });
  if (config.hidden_size % config.num_attention_heads != 0) {
    throw ConfigError(where, fmt::format("hidden_size: expected a multiple of num_attention_heads ({}), got {}",
                                         config.num_attention_heads, config.hidden_size));
  }
  if (!(config.layer_norm_eps >= 0)) {
    throw ConfigError(where, fmt::format("layer_norm_eps: expected at least 0, got {}", config.layer_norm_eps));
  }
}

/// Keys that change what the model computes and are not supported here. Absent and harmless values pass.
void check_honourable(const JsonObject& object) {
  const Json& json = object.json();
  const auto refuse_true = [&](const char* key, const char* meaning) {
    const auto found = json.find(key);
    if (found == json.end() || found->is_null() || *found == false || *found == 0) return;
    throw ConfigError(object.where(),
                      fmt::format("{}: {} is not supported, expected false, got {}", key, meaning, shown(*found)));
  };
  refuse_true("is_decoder", "a causal decoder");
  refuse_true("add_cross_attention", "cross attention");
  refuse_true("is_encoder_decoder", "an encoder-decoder");
  if (const Json* pruned = object.find("pruned_heads"); pruned && !pruned->empty()) {
    throw ConfigError(object.where(), fmt::format("pruned_heads: pruned heads are not supported, expected none, got {}",
                                                  shown(*pruned)));
  }
  if (const auto embedding = json.find("embedding_size");
      embedding != json.end() && json.contains("hidden_size") && *embedding != json["hidden_size"]) {
    object.refuse("embedding_size", "hidden_size (factorised embeddings are not supported)");
  }
}

/// Reads a key that few need: its fault is kept, not thrown.
template <class Read>
void read_or_keep_fault(ParsedConfig& parsed, std::string_view key, const Read& read) {
  try {
    read();
  } catch (const ConfigError& error) {
    parsed.faults.push_back({std::string(key), std::string(error.message())});
    parsed.defaulted.emplace_back(key);
  }
}

/// num_labels: needed without id2label, allowed with it.
void read_label_count(const JsonObject& object, ParsedConfig& parsed) {
  const auto count = object.size("num_labels");
  if (!count) return;
  if (*count > kMostLabels) object.refuse("num_labels", fmt::format("at most {}", kMostLabels));
  parsed.num_labels = *count;
  if (!object.has("id2label")) parsed.config.labels = numbered_labels(*count);
}

/// The keys that every verb needs: sizes, and what is computed. Other keys of visit_fields describe a head or training.
bool is_needed_by_all(std::string_view key, Presence presence) {
  if (key == "classifier_dropout") return false;
  return presence != Presence::defaulted || key == "model_type" || key == "layer_norm_eps";
}

/// Hugging Face's key for two of the ways to tell attention positions; such a model has no table of them.
constexpr const char* kPositionEmbeddingType = "position_embedding_type";

bool is_hugging_face_kind(const AttentionKind& kind) {
  return std::holds_alternative<RelativeKey>(kind) || std::holds_alternative<RelativeKeyQuery>(kind);
}

std::string position_embedding_type(const Config& config) {
  const bool relative =
      is_hugging_face_kind(config.position_attention) && std::holds_alternative<NoPositions>(config.position);
  return relative ? std::string(name_of(config.position_attention)) : "absolute";
}

void read_position_embedding_type(const JsonObject& object, Config& config) {
  const Json* value = object.find(kPositionEmbeddingType);
  if (value == nullptr || *value == "absolute") return;
  const auto kind = value->is_string() ? kind_named<AttentionKind>(value->get<std::string>()) : std::nullopt;
  if (!kind || !is_hugging_face_kind(*kind)) {
    object.refuse(kPositionEmbeddingType, "one of absolute, relative_key, relative_key_query");
  }
  config.position_attention = *kind;
  config.position = NoPositions();
}

/// The fields below "summand" must agree.
void check_position_embedding_type(const JsonObject& object, const Config& config) {
  const Json* value = object.find(kPositionEmbeddingType);
  if (value == nullptr || *value == "absolute" || *value == position_embedding_type(config)) return;
  object.refuse(
      kPositionEmbeddingType,
      fmt::format("\"{}\" with summand.position_attention '{}' and summand.position_kind '{}'",
                  position_embedding_type(config), name_of(config.position_attention), name_of(config.position)));
}

constexpr std::string_view kOwn = "summand";  ///< the key of what Hugging Face's cannot say

std::vector<std::string> own_keys(const Config& config) {
  std::vector<std::string> keys;
  visit_summand_fields(config, [&](const std::string& name, const auto&) { keys.push_back(name); });
  return keys;
}

OrderedJson own_json(const Config& config) {
  OrderedJson json = OrderedJson::object();
  visit_summand_fields(config, [&](const std::string& name, const auto& field) {
    if (auto value = written(field); !value.is_null()) json[name] = std::move(value);
  });
  return json;
}

/// What stands in a file: nothing that is BERT's, unless something is not.
OrderedJson own_json_of_file(const Config& config) {
  Config bert;
  bert.reading = config.reading;
  OrderedJson own = own_json(config);
  if (own != own_json(bert)) return own;
  own = OrderedJson::object();
  if (config.reading) own["reading"] = written(config.reading);
  return own;
}

/// The kinds of a variant that accept a key.
struct AllowedKinds {
  std::string what;                ///< "position_kind"
  std::vector<std::string> kinds;  ///< empty: no kind accepts the key
  std::string_view own;            ///< the configured kind
};

/// The kinds of one variant of a configuration that accept a key.
template <Kinds Variant>
AllowedKinds kinds_with_key(const std::string& key, const char* what, const Config& own, Variant Config::*field) {
  AllowedKinds found{.what = what, .kinds = {}, .own = name_of(own.*field)};
  for_each_kind<Variant>([&](const Variant& kind) {
    Config config;
    config.*field = kind;
    if (std::ranges::count(own_keys(config), key) > 0) found.kinds.emplace_back(name_of(kind));
  });
  return found;
}

AllowedKinds allowed_kinds(const std::string& key, const Config& own) {
  for (auto found : {kinds_with_key(key, "position_attention", own, &Config::position_attention),
                     kinds_with_key(key, "segment_attention", own, &Config::segment_attention),
                     kinds_with_key(key, "position_kind", own, &Config::position)}) {
    if (!found.kinds.empty()) return found;
  }
  return kinds_with_key(key, "composition", own, &Config::composition);
}

/// A key that changes nothing would be taken for one that holds: of two arms of a study the misspelt one would be the
/// baseline under another name.
void check_own_keys(const JsonObject& own, const Config& config) {
  const auto known = own_keys(config);
  for (const auto& [key, value] : own.json().items()) {
    if (std::ranges::count(known, key) > 0) continue;
    const std::string full = fmt::format("{}.{}", kOwn, printable(key));
    if (const AllowedKinds allowed = allowed_kinds(key, config); !allowed.kinds.empty()) {
      throw ConfigError(own.where(), fmt::format("{}: expected with {} {}, got it with '{}'", full, allowed.what,
                                                 quoted_list(allowed.kinds), allowed.own));
    }
    throw ConfigError(own.where(), fmt::format("{}: expected one of {}, got another key{}", full, quoted_list(known),
                                               did_you_mean(key, known)));
  }
}

/// Unknown keys at the top level are fine, unless one looks like a misspelling of "summand".
void check_own_name(const JsonObject& object) {
  const std::vector<std::string> own{std::string(kOwn)};
  for (const auto& [key, value] : object.json().items()) {
    const bool is_other = key.empty() || (key.front() != 's' && key.front() != 'S');  // "command" is as near
    if (key == kOwn || is_other || !nearest_name(key, own)) continue;
    throw ConfigError(object.where(), fmt::format("{}: expected a key of Hugging Face's or '{}', got one that looks "
                                                  "like a misspelling of it",
                                                  printable(key), kOwn));
  }
}

/// A parser silently takes one value of a duplicate key.
/// @param json  that parse_json has taken
void check_each_key_once(std::string_view json, std::string_view where) {
  std::vector<std::set<std::string>> seen;  // of each object that is open
  const auto visit = [&](int, Json::parse_event_t event, const Json& value) {
    if (event == Json::parse_event_t::object_start) seen.emplace_back();
    if (event == Json::parse_event_t::object_end) seen.pop_back();
    if (event == Json::parse_event_t::key && !seen.back().insert(value.get<std::string>()).second) {
      throw ConfigError(where, fmt::format("{}: expected each key once, got it twice",
                                           printable(value.get_ref<const std::string&>())));
    }
    return event != Json::parse_event_t::value;  // nothing is kept
  };
  [[maybe_unused]] const Json nothing = Json::parse(json, visit);
}

void check_maps(const AttentionKind& kind, const Config& config, const std::string& key, std::string_view where) {
  const MapsRead maps = maps_read(kind);
  const bool queries = (maps.query || maps.key) && config.attention.query_key == QueryKeyMaps::none;
  if (!queries && !(maps.value && !config.attention.value)) return;
  throw ConfigError(
      where, fmt::format("{}_projections: expected 'own' where {}, got 'tied'", key,
                         queries ? "summand.attention_query_key is 'none'" : "summand.attention_value is false"));
}

void check_attention(const Config& config, std::string_view where) {
  const auto check = [&](const std::string& key, const AttentionEncoding& encoding) {
    if (const std::string fault = kind_error(encoding.kind, encoding.sizes); !fault.empty()) {
      const bool of_kind = fault.starts_with("kind: ");
      throw ConfigError(where, of_kind ? key + fault.substr(4) : key + "_" + fault);
    }
    check_maps(encoding.kind, config, key, where);
  };
  check("summand.position_attention", config.positions_in_attention());
  check("summand.segment_attention", config.segments_in_attention());
  if (!std::isfinite(config.attention.scale)) {
    throw ConfigError(where,
                      fmt::format("summand.attention_scale: expected a finite number, got {}", config.attention.scale));
  }
}

void check_joint_table(const Config& config, std::string_view where) {
  if (!std::holds_alternative<JointTable>(config.composition)) return;
  const auto refuse = [&](const char* key, std::string_view got) {
    throw ConfigError(where, fmt::format("summand.{}: expected 'none' with composition 'joint_table', which holds "
                                         "it, got '{}'",
                                         key, got));
  };
  if (!std::holds_alternative<NoPositions>(config.position)) refuse("position_kind", name_of(config.position));
  if (config.segment != SegmentKind::none) refuse("segment_kind", name_of(config.segment));
  if (config.max_position_embeddings * config.type_vocab_size <= kLargestSize / config.vocab_size) return;
  throw ConfigError(
      where, fmt::format("summand.composition: expected at most {} rows of a joint table, got {} tokens · "
                         "{} positions · {} segments",
                         kLargestSize, config.vocab_size, config.max_position_embeddings, config.type_vocab_size));
}

/// A row can be added to a hidden state only if it has the same width.
void check_again(const Config& config, std::string_view where) {
  const PartWidths widths = config.part_widths();
  const auto hidden = static_cast<size_t>(config.hidden_size);
  const auto check = [&](const char* part, bool again, size_t width) {
    if (!again || width == hidden) return;
    throw ConfigError(where, fmt::format("summand.{}_again: expected false with rows {} wide, hidden_size is {}", part,
                                         width, hidden));
  };
  check("token", config.per_layer_inputs.token, widths.token);
  check("position", config.per_layer_inputs.position, widths.position);
  check("segment", config.per_layer_inputs.segment, widths.segment);
  if (config.per_layer_inputs.position && std::holds_alternative<NoPositions>(config.position)) {
    throw ConfigError(where, "summand.position_again: expected false with position_kind 'none', got true");
  }
  if (config.per_layer_inputs.segment && config.segment == SegmentKind::none) {
    throw ConfigError(where, "summand.segment_again: expected false with segment_kind 'none', got true");
  }
}

int64_t computed_rows(const Config& config) {
  const auto* hierarchical = std::get_if<HierarchicalPositions>(&config.position);
  return config.max_position_embeddings * (hierarchical == nullptr ? 1 : hierarchical->sentences);
}

void check_reading(const Config& config, std::string_view where) {
  if (!config.reading) return;
  const std::string fault = reading_error(*config.reading, static_cast<size_t>(config.max_position_embeddings));
  if (!fault.empty()) throw ConfigError(where, "summand.reading." + fault);
}

void check_window_encoder(const Config& config, std::string_view where) {
  const auto windows = config.reading.value_or(Reading()).windows;
  const bool reads_by_it = windows && windows->pooling == WindowPooling::transformer;
  if (reads_by_it != config.window_encoder.has_value()) {
    throw ConfigError(where, fmt::format("summand.window_encoder: expected with summand.reading.windows 'transformer' "
                                         "alone, got {}",
                                         reads_by_it ? "none" : "it with another"));
  }
  if (!config.window_encoder) return;
  check_range(where, "summand.window_encoder.layers", config.window_encoder->layers, {1, kMostWindowLayers});
  check_range(where, "summand.window_encoder.most_windows", config.window_encoder->most_windows, {1, kMostWindows});
}

void check_runnable(const Config& config, std::string_view where) {
  if (const std::string fault = validation_error(config.composition, static_cast<size_t>(config.hidden_size));
      !fault.empty()) {
    throw ConfigError(where, "summand.composition_" + fault);
  }
  if (const std::string fault = validation_error(config.position, config.position_table_size()); !fault.empty()) {
    throw ConfigError(where, "summand.position_" + fault);
  }
  check_joint_table(config, where);
  check_attention(config, where);
  check_again(config, where);
  const bool stored = std::holds_alternative<LearnedPositions>(config.position) ||
                      std::holds_alternative<FixedPositions>(config.position) ||
                      std::holds_alternative<NoPositions>(config.position);
  if (!stored && computed_rows(config) > kLargestComputed / config.hidden_size) {
    throw ConfigError(where, fmt::format("max_position_embeddings: expected a computed table of at most {} numbers, "
                                         "got {} rows of {}",
                                         kLargestComputed, computed_rows(config), config.hidden_size));
  }
}

/// The same model, with BERT's settings wherever they compute the same. The remaining differences are real.
Config in_berts_terms(Config config) {
  const bool plain_attention = !config.positions_in_attention().exists() && !config.segments_in_attention().exists();
  const double berts_scale = SelfAttention().scale_of(static_cast<size_t>(config.head_size()), 0);
  if (std::holds_alternative<FixedPositions>(config.position)) config.position = LearnedPositions();  // the same tensor
  if (config.num_hidden_layers < 2) config.per_layer_inputs = {};  // the first layer gets no parts added
  config.reading.reset();                                          // of texts that it gets
  if (plain_attention && config.attention.scale == berts_scale) config.attention.scale = 0;
  return config;
}

}  // namespace

std::span<const EnumName<WeightFormat>> enum_names(WeightFormat) {
  static constexpr std::array names{
      EnumName{WeightFormat::floating, "floating"},
      EnumName{WeightFormat::summand_int8, "summand_int8"},
      EnumName{WeightFormat::summand_int8_calibrated, "summand_int8_calibrated"},
  };
  return names;
}

bool is_in_8_bits(WeightFormat format) {
  switch (format) {
    case WeightFormat::floating:
      return false;
    case WeightFormat::summand_int8:
    case WeightFormat::summand_int8_calibrated:
      return true;
  }
  __builtin_unreachable();
}

const KeyFault* ParsedConfig::fault_for(std::string_view key) const {
  const auto found = std::ranges::find(faults, key, &KeyFault::key);
  return found == faults.end() ? nullptr : &*found;
}

void require_all_read(const ParsedConfig& parsed) {
  if (!parsed.faults.empty()) throw ConfigError(parsed.where, parsed.faults.front().message);
}

ParsedConfig parse_config(std::string_view text, std::string_view where) {
  const JsonObject object(parse_json(text, where), std::string(where));
  check_each_key_once(text, where);
  check_own_name(object);
  const Json& json = object.json();
  ParsedConfig parsed{.config = {}, .defaulted = {}, .where = std::string(where)};
  if (const auto type = json.find("model_type");
      type != json.end() && *type != "bert" && *type != std::string(kOwnModelType)) {
    throw ConfigError(where,
                      fmt::format("model_type {} is not supported, expected 'bert'",
                                  type->is_string() ? "'" + printable(type->get<std::string>()) + "'" : shown(*type)));
  }
  check_honourable(object);
  const FieldReader reader{object};
  visit_fields(parsed.config, [&](const char* name, auto& field, Presence presence) {
    if (const auto found = json.find(name); found != json.end()) {
      if (found->is_null() && presence != Presence::required) return;
      if (is_needed_by_all(name, presence)) return reader.read(name, *found, field);
      read_or_keep_fault(parsed, name, [&] {
        auto read = field;
        reader.read(name, *found, read);
        field = std::move(read);
      });
    } else if (presence == Presence::required) {
      object.refuse(name, "a value");
    } else if (presence == Presence::defaulted) {
      parsed.defaulted.emplace_back(name);
    }
  });
  for (auto& name : parsed.config.architectures) {
    if (name.starts_with(kOwnArchitecture)) name.erase(0, kOwnArchitecture.size());
  }
  if (!json.contains(kPositionEmbeddingType)) parsed.defaulted.emplace_back(kPositionEmbeddingType);
  read_position_embedding_type(object, parsed.config);
  const auto own_json = json.find(kOwn);
  const JsonObject own = own_json == json.end() ? object.object_or_empty(kOwn) : object.below(kOwn, *own_json);
  const FieldReader own_reader{own};
  visit_summand_fields(parsed.config, [&](const std::string& name, auto& field) {
    if (const auto value = own.json().find(name); value != own.json().end()) {
      own_reader.read(name, *value, field);
    } else if (!written(field).is_null()) {
      parsed.defaulted.push_back(fmt::format("{}.{}", kOwn, name));
    }
  });
  parsed.names_labels = object.has("id2label") && parsed.fault_for("id2label") == nullptr;
  read_or_keep_fault(parsed, "num_labels", [&] { read_label_count(object, parsed); });
  check_sizes(parsed.config, where);
  check_own_keys(own, parsed.config);
  check_position_embedding_type(object, parsed.config);
  check_runnable(parsed.config, where);
  check_reading(parsed.config, where);
  check_window_encoder(parsed.config, where);
  return parsed;
}

std::string to_json(const Config& config) {
  OrderedJson json = OrderedJson::object();
  Config named = config;
  named.model_type = Config().model_type;  // hashes and run.json do not change with a checkpoint's mark
  visit_fields(std::as_const(named), [&](const char* name, const auto& field, Presence presence) {
    if (auto value = written(field); !says_nothing(value, presence)) json[name] = std::move(value);
  });
  json["position_embedding_type"] = position_embedding_type(config);
  if (const OrderedJson own = own_json_of_file(config); !own.empty()) json[kOwn] = own;
  return json.dump(2) + "\n";
}

bool is_bert(const Config& config) {
  const bool others_have_it = config.hidden_act != Activation::half && config.weight_format == WeightFormat::floating;
  return others_have_it && own_json(in_berts_terms(config)) == own_json(Config()) &&
         position_embedding_type(config) == "absolute";
}

std::string with_own_settings(std::string_view json, const Config& config) {
  OrderedJson object = OrderedJson::parse(json);
  object.erase(std::string(kOwn));
  if (object.contains(kPositionEmbeddingType)) object[kPositionEmbeddingType] = position_embedding_type(config);
  if (const OrderedJson own = own_json_of_file(config); !own.empty()) object[std::string(kOwn)] = own;
  return as_checkpoint(object.dump());
}

std::string with_weight_format(std::string_view json, WeightFormat format) {
  OrderedJson object = OrderedJson::parse(json);
  constexpr const char* kKey = "quantization_config";  // as in visit_fields
  object.erase(kKey);
  if (format != WeightFormat::floating) object[kKey] = written(format);
  return as_checkpoint(object.dump());
}

std::vector<ConfigRow> rows_of(const ParsedConfig& parsed) {
  std::vector<ConfigRow> rows;
  const auto add = [&](std::string name, const OrderedJson& value) {
    const bool defaulted = std::ranges::count(parsed.defaulted, name) > 0;
    rows.push_back({std::move(name), value.is_string() ? value.get<std::string>() : value.dump(), defaulted});
  };
  visit_fields(parsed.config, [&](const char* name, const auto& field, Presence presence) {
    if (const auto value = written(field); !says_nothing(value, presence)) add(name, value);
  });
  add("position_embedding_type", position_embedding_type(parsed.config));
  visit_summand_fields(parsed.config, [&](const auto& name, const auto& field) {
    if (const auto value = written(field); !value.is_null()) add(fmt::format("{}.{}", kOwn, name), value);
  });
  return rows;
}

}  // namespace summand::model
