#include "model/attention_kind.hpp"

#include <array>

#include "model/parameters.hpp"

namespace summand::model {

std::span<const EnumName<Projections>> enum_names(Projections) {
  static constexpr std::array names{
      EnumName{Projections::own, "own"},
      EnumName{Projections::tied, "tied"},
  };
  return names;
}

void add_layer_parameters(const AttentionEncoding& encoding, Contract& contract) {
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.add_layer_parameters(contract, encoding.sizes); }) {
          one.add_layer_parameters(contract, encoding.sizes);
        }
      },
      encoding.kind);
}

void add_shared_parameters(const AttentionEncoding& encoding, Contract& contract) {
  std::visit(
      [&](const auto& one) {
        if constexpr (requires { one.add_shared_parameters(contract, encoding.sizes); }) {
          one.add_shared_parameters(contract, encoding.sizes);
        }
      },
      encoding.kind);
}

int counted_terms(const AttentionKind& kind) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.counted_terms(); }) return one.counted_terms();
        return 0;
      },
      kind);
}

MapsRead maps_read(const AttentionKind& kind) {
  return std::visit(
      [](const auto& one) {
        MapsRead maps;
        if constexpr (requires { one.reads_query_map(); }) maps.query = one.reads_query_map();
        if constexpr (requires { one.reads_key_map(); }) maps.key = one.reads_key_map();
        if constexpr (requires { one.reads_value_map(); }) maps.value = one.reads_value_map();
        return maps;
      },
      kind);
}

bool is_by_distance(const AttentionKind& kind) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.kByDistance; }) return one.kByDistance;
        return false;
      },
      kind);
}

bool rotates(const AttentionKind& kind) {
  return std::visit(
      [](const auto& one) {
        return requires(HeadOps<double> & ops, const Matrix<double>& rows, const std::vector<TokenInText>& tokens) {
          one.rotate(ops, rows, tokens, AttentionSizes());
        };
      },
      kind);
}

bool adds_to_context(const AttentionKind& kind) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.adds_to_context(); }) return one.adds_to_context();
        return false;
      },
      kind);
}

bool changes_values(const AttentionKind& kind) {
  return std::visit(
      [](const auto& one) {
        if constexpr (requires { one.changes_values(); }) return one.changes_values();
        return false;
      },
      kind);
}

std::string attention_prefix(size_t layer) {
  return layer_parameter(layer, "attention.self.");
}

std::vector<std::string> attention_kinds::names_of(const AttentionEncoding& encoding,
                                                   void (*add)(const AttentionEncoding&, Contract&)) {
  Contract contract;
  add(encoding, contract);
  std::vector<std::string> names;
  for (auto& parameter : contract.take()) names.push_back(std::move(parameter.name));
  return names;
}

}  // namespace summand::model
