#pragma once

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "model/attention_kind.hpp"
#include "model/config.hpp"
#include "model/kinds.hpp"

namespace summand::test {

/// Every encoding inside attention as it is by default and with fields that fit the size, and those whose fields switch
/// something in more settings.
inline std::vector<model::AttentionKind> attention_settings(const model::AttentionSizes& sizes) {
  using namespace model;
  std::vector<AttentionKind> all = typical_kinds<AttentionKind>(sizes);
  for_each_kind<AttentionKind>([&](const AttentionKind& kind) {
    if (std::ranges::find(all, kind) == all.end()) all.push_back(kind);
  });
  for (const AttentionKind& kind : {
           AttentionKind(ShawKeys{.values = false}),
           AttentionKind(Rotary{.base = 100, .layout = SinusoidLayout::halves, .values = true}),
           AttentionKind(TupeAbsolute{.untie_first = true}),
           AttentionKind(DietAbsolute{.rank = 2, .per_layer = true}),
           AttentionKind(DietRelative{.per_layer = true}),
           AttentionKind(PairBias{.per_layer = true}),
           AttentionKind(Deberta{.projections = Projections::tied, .position_to_position = true}),
           AttentionKind(Deberta{.position_to_content = false}),
           AttentionKind(Deberta{.content_to_position = false}),
           AttentionKind(Rows{.projections = Projections::own}),
           AttentionKind(Rows{.position_to_content = false, .position_to_position = false, .values = false}),
           AttentionKind(
               Rows{.content_to_position = false, .position_to_content = false, .position_to_position = false}),
       }) {
    all.push_back(kind);
  }
  std::erase_if(all, [&](const AttentionKind& kind) { return !kind_error(kind, sizes).empty(); });
  return all;
}

/// "rotary base=100 layout=halves values=true"
inline std::string description(const model::AttentionKind& kind) {
  std::string text(model::name_of(kind));
  model::visit_kind_fields(kind, [&](std::string_view name, const auto& field) {
    using Field = std::decay_t<decltype(field)>;
    text.append(1, ' ').append(name).append(1, '=');
    if constexpr (std::is_enum_v<Field>) {
      text += model::name_of(field);
    } else {
      text += std::to_string(field);
    }
  });
  return text;
}

}  // namespace summand::test
