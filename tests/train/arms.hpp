#pragma once

#include <string>
#include <vector>

#include "model/batch.hpp"
#include "model/composition.hpp"
#include "model/config.hpp"
#include "model/position.hpp"
#include "support/attention_settings.hpp"
#include "support/random_model.hpp"

namespace summand::test {

/// A model of a study, and what is special about it.
struct Arm {
  std::string name;
  model::Config config;
};

inline model::Config plain_arm() {
  return config_of(
      {.hidden = 12, .heads = 3, .intermediate = 20, .layers = 2, .positions = 24, .segments = 3, .vocabulary = 29});
}

/// Whether the reader of config.json would take it.
inline bool is_accepted(const model::Config& config) {
  try {
    (void)model::parse_config(model::to_json(config), "arm");
    return true;
  } catch (const ConfigError&) {
    return false;
  }
}

/// Every composition, every table of positions and every encoding inside attention, of positions and of segments, each
/// with fields that fit; and every switch. No pairs.
inline std::vector<Arm> single_arms() {
  std::vector<Arm> arms{{"plain", plain_arm()}};
  const auto add = [&](std::string name, const auto& change) {
    Arm arm{std::move(name), plain_arm()};
    change(arm.config);
    if (std::holds_alternative<model::JointTable>(arm.config.composition)) {
      arm.config.position = model::NoPositions();
      arm.config.segment = model::SegmentKind::none;
    }
    if (is_accepted(arm.config)) arms.push_back(std::move(arm));
  };
  const model::Config plain = plain_arm();
  for (const auto& one : model::typical_compositions(12)) {
    add("composition " + std::string(model::name_of(one)), [&](model::Config& config) { config.composition = one; });
  }
  for (const auto& one : model::typical_positions(plain.position_table_size())) {
    add("positions " + std::string(model::name_of(one)), [&](model::Config& config) { config.position = one; });
  }
  for (const auto& one : attention_settings(plain.positions_in_attention().sizes)) {
    add("position attention " + description(one), [&](model::Config& config) { config.position_attention = one; });
    add("segment attention " + description(one), [&](model::Config& config) { config.segment_attention = one; });
  }
  using model::QueryKeyMaps;
  for (const auto& one : {model::SelfAttention{.query_key = QueryKeyMaps::tied},
                          model::SelfAttention{.query_key = QueryKeyMaps::none}, model::SelfAttention{.value = false},
                          model::SelfAttention{.scale = 0.2}, model::SelfAttention{.causal = true}}) {
    add("a switch of attention", [&](model::Config& config) { config.attention = one; });
  }
  add("parts again",
      [](model::Config& config) { config.per_layer_inputs = {.token = true, .position = true, .segment = true}; });
  add("no normalisation", [](model::Config& config) { config.normalise_input = false; });
  add("no segments", [](model::Config& config) { config.segment = model::SegmentKind::none; });
  for (const auto& [activation, name] : enum_names(model::Activation{})) {
    add("activation " + std::string(name), [&](model::Config& config) { config.hidden_act = activation; });
  }
  return arms;
}

/// Every composition with every table of positions, every table with every encoding inside attention, and every
/// composition with every encoding, of positions and of segments: all pairs that the reader of config.json takes.
/// @param refused  receives the others' names
inline std::vector<Arm> paired_arms(std::vector<std::string>& refused) {
  const model::Config plain = plain_arm();
  const auto compositions = model::typical_compositions(12);
  const auto tables = model::typical_positions(plain.position_table_size());
  const auto of_positions = model::typical_kinds<model::AttentionKind>(plain.positions_in_attention().sizes);
  const auto of_segments = model::typical_kinds<model::AttentionKind>(plain.segments_in_attention().sizes);
  std::vector<Arm> arms;
  const auto add = [&](const model::Composition& composition, const model::Position& table,
                       const model::AttentionKind& position, const model::AttentionKind& segment) {
    Arm arm{std::string(model::name_of(composition)) + ", " + std::string(model::name_of(table)) + ", " +
                std::string(model::name_of(position)) + ", " + std::string(model::name_of(segment)),
            plain};
    arm.config.composition = composition;
    arm.config.position = table;
    arm.config.position_attention = position;
    arm.config.segment_attention = segment;
    if (std::holds_alternative<model::JointTable>(composition)) arm.config.segment = model::SegmentKind::none;
    if (is_accepted(arm.config)) {
      arms.push_back(std::move(arm));
    } else {
      refused.push_back(arm.name);
    }
  };
  const model::AttentionKind none;
  for (const auto& composition : compositions) {
    for (const auto& table : tables) add(composition, table, none, none);
  }
  for (size_t i = 0; i < of_positions.size(); ++i) {
    for (const auto& table : tables) add(model::Sum(), table, of_positions[i], none);
    for (const auto& composition : compositions) {
      const bool joint = std::holds_alternative<model::JointTable>(composition);
      const model::Position table = joint ? model::Position(model::NoPositions()) : model::LearnedPositions();
      add(composition, table, of_positions[i], of_segments[(i + 3) % of_segments.size()]);
    }
    for (const auto& segment : of_segments) add(model::Sum(), model::LearnedPositions(), of_positions[i], segment);
  }
  return arms;
}

/// Texts of 1 to as many tokens as there are positions, all segments.
inline model::Batch arm_batch(const model::Config& config) {
  return random_batch(config, {5, 1, static_cast<size_t>(config.max_position_embeddings), 9}, 77);
}

}  // namespace summand::test
