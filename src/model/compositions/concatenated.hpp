#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "model/compositions/ops.hpp"
#include "model/contract.hpp"

namespace summand::model {

namespace concatenated {

/// The fields of both: how wide the tables are.
template <class Self, class Visitor>
void visit_fields(Self& self, Visitor&& visit) {
  visit("token_width", self.token_width);
  visit("position_width", self.position_width);
  visit("segment_width", self.segment_width);
}

/// "token_width: expected 1 or more, got 0"; empty where nothing is wrong.
template <class Self>
[[nodiscard]] std::string validation_error(const Self& self, int64_t least) {
  const std::array<std::pair<const char*, int64_t>, 3> widths{{{"token_width", self.token_width},
                                                               {"position_width", self.position_width},
                                                               {"segment_width", self.segment_width}}};
  const auto* wrong = std::ranges::find_if(widths, [&](const auto& width) { return width.second < least; });
  if (wrong == widths.end()) return "";
  return fmt::format("{}: expected {} or more, got {}", wrong->first, least, wrong->second);
}

}  // namespace concatenated

/// A·[t; p; s], the tables as wide as hidden_size or narrower. With A = [I I I] and full widths it is the sum.
/// For any A it is a sum of three other tables, A_t·t + A_p·p + A_s·s (fold.hpp): only a decoder that is tied to the
/// token table tells them apart.
struct ConcatenateProject {
  static constexpr std::string_view kName = "concatenate_project";
  static constexpr std::string_view kFormula = "A·[t; p; s]";
  static constexpr bool kSumOfMaps = true;

  int64_t token_width = 0;  ///< 0: hidden_size
  int64_t position_width = 0;
  int64_t segment_width = 0;

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    concatenated::visit_fields(self, visit);
  }
  [[nodiscard]] std::string fault(size_t) const { return concatenated::validation_error(*this, 0); }
  [[nodiscard]] PartWidths widths(size_t hidden) const {
    const auto or_hidden = [&](int64_t width) { return width == 0 ? hidden : static_cast<size_t>(width); };
    return {or_hidden(token_width), or_hidden(position_width), or_hidden(segment_width)};
  }
  void add_parameters(Contract& contract, size_t hidden) const {
    const PartWidths wide = widths(hidden);
    contract.matrix("projection.weight", hidden, wide.token + wide.position + wide.segment);
  }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return ops.linear(concatenation_of(ops, parts), "projection");
  }
  bool operator==(const ConcatenateProject&) const = default;
};

/// [t; p; s] as it is, of hidden_size coordinates: each part has dimensions of its own. Where the three widths share
/// what a sum would have, the parts are disjoint; where hidden_size is three times that, nothing is given up but size.
struct Concatenate {
  static constexpr std::string_view kName = "concatenate";
  static constexpr std::string_view kFormula = "[t; p; s]";
  static constexpr bool kSumOfMaps = true;

  int64_t token_width = 0;  ///< 1 or more; the three make hidden_size
  int64_t position_width = 0;
  int64_t segment_width = 0;

  /// Half of the coordinates for the token, most of the others for the position. @param hidden  4 or more
  [[nodiscard]] static Concatenate typical(size_t hidden) {
    const auto all = static_cast<int64_t>(hidden);
    const int64_t segment = std::max<int64_t>(1, all / 16);
    return {.token_width = all / 2, .position_width = all - all / 2 - segment, .segment_width = segment};
  }

  template <class Self, class Visitor>
  static void visit_fields(Self& self, Visitor&& visit) {
    concatenated::visit_fields(self, visit);
  }
  [[nodiscard]] std::string fault(size_t hidden) const {
    if (auto fault = concatenated::validation_error(*this, 1); !fault.empty()) return fault;
    const int64_t sum = token_width + position_width + segment_width;
    if (sum == static_cast<int64_t>(hidden)) return "";
    return fmt::format("token_width: expected three widths that make hidden_size ({}), got {} + {} + {}", hidden,
                       token_width, position_width, segment_width);
  }
  [[nodiscard]] PartWidths widths(size_t) const {
    return {static_cast<size_t>(token_width), static_cast<size_t>(position_width), static_cast<size_t>(segment_width)};
  }
  template <CompositionOps Ops>
  [[nodiscard]] typename Ops::Value compose(Ops& ops, const InputParts<typename Ops::Value>& parts) const {
    return concatenation_of(ops, parts);
  }
  bool operator==(const Concatenate&) const = default;
};

}  // namespace summand::model
