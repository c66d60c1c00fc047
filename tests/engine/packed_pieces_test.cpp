#include "engine/packed_pieces.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <map>
#include <string>
#include <vector>

#include "base/hash.hpp"
#include "engine/engine.hpp"
#include "engine/kernels/set_precisions.hpp"
#include "support/random_model.hpp"

// What the engine packs, kept and used by another engine. Run once for every instruction set.

namespace summand {

namespace {

using engine::Precision;

constexpr std::array kPrecisions{Precision::fp32, Precision::bf16, Precision::fp16, Precision::int8};

bool runs_here(Precision precision) {
  return engine::runs(precision, engine::chosen_kernel_set());
}

/// Weights without a random number library between them and their bits.
model::Weights counted_weights(const model::Config& config) {
  model::Weights weights;
  uint32_t state = 1;
  for (const auto& parameter : model::parameters(config, model::ModelParts{.pooler = model::Pooler::present})) {
    std::vector<float> values(model::elements(parameter));
    for (float& value : values) {
      state = state * 1664525 + 1013904223;
      value = static_cast<float>(static_cast<int32_t>(state >> 8U) - (1 << 23U)) * 0x1p-25F;
    }
    weights.set(parameter.name, model::make_tensor(parameter.shape, values));
  }
  return weights;
}

uint64_t hash_of(const engine::PackedPieces& pieces) {
  Hash hash;
  for (const auto& [name, bytes] : pieces.by_name) {
    hash.add(name);
    hash.add_number(bytes.size());
    hash.add_bytes(bytes);
  }
  return hash.value();
}

/// What decides how weights of a precision are packed.
std::string layout_of(Precision precision) {
  const auto& set = engine::chosen_kernel_set();
  if (precision == Precision::fp32) return "fp32";
  if (precision == Precision::int8) {
    const auto& int8 = *set.int8;
    return fmt::format("int8 {} {} {}", int8.layout.per_step, int8.layout.depth_multiple, int8.weight_bytes);
  }
  const auto& half = *engine::half_kernels(precision, set);
  return fmt::format("{} {} {}", model::name_of(precision), half.layout.per_step, half.layout.depth_multiple);
}

/// By layout, of format 1: hidden 24, intermediate 37, 2 layers. Whoever finds another hash here has changed how
/// weights are packed, and raises kPackedFormat, or files that were kept before would be read as what they are not.
const std::map<std::string, uint64_t> kPacked{{"fp32", 0xd4c339f1f272ee3b},       {"bf16 2 2", 0x8df42820d42d83d4},
                                              {"bf16 4 4", 0x75507b0f9cbe97e3},   {"fp16 1 1", 0x8e2894eda178ce55},
                                              {"int8 2 2 2", 0x6a7145e9d7a698df}, {"int8 4 4 1", 0x2a564c86d11eed0e},
                                              {"int8 8 8 1", 0xa17b1c4b0bbbbe04}};

}  // namespace

TEST_CASE("an engine that is given what another packed has its bits, and takes no other model's") {
  const auto config = test::config_of({.hidden = 24, .heads = 2, .positions = 40});
  const auto weights = test::random_weights(config, model::Pooler::present, 5);
  const auto batch = test::random_batch(config, {1, 7, 40}, 6);
  for (const Precision precision : kPrecisions) {
    if (!runs_here(precision)) continue;
    CAPTURE(std::string(model::name_of(precision)));
    const engine::Engine packing(config, weights, {.threads = 2, .precision = precision});
    const engine::Engine given(config, weights, {.threads = 2, .precision = precision, .packed = packing.packed()});
    const std::array<size_t, 2> layers{1, 2};
    const auto expected = engine::hidden_states(packing, batch, layers);
    const auto got = engine::hidden_states(given, batch, layers);
    for (size_t i = 0; i < layers.size(); ++i) CHECK(std::ranges::equal(got[i].elements(), expected[i].elements()));
    const auto expected_pooled = engine::pooled_output(packing, batch);
    const auto got_pooled = engine::pooled_output(given, batch);
    CHECK(std::ranges::equal(got_pooled.elements(), expected_pooled.elements()));
    for (const auto& [name, bytes] : packing.packed().by_name) {
      CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % engine::kPieceAlignment == 0);
      CHECK(given.packed().by_name.at(name).data() == bytes.data());
    }
    const auto wider = test::config_of({.hidden = 26, .heads = 2, .positions = 40});
    const auto wider_weights = test::random_weights(wider, model::Pooler::present, 5);
    CHECK_THROWS_AS(engine::Engine(wider, wider_weights, {.precision = precision, .packed = packing.packed()}),
                    engine::PackedWeightsMismatch);
    const auto deeper = test::config_of({.hidden = 24, .heads = 2, .layers = 3, .positions = 40});
    const auto deeper_weights = test::random_weights(deeper, model::Pooler::present, 5);
    CHECK_THROWS_AS(engine::Engine(deeper, deeper_weights, {.precision = precision, .packed = packing.packed()}),
                    engine::PackedWeightsMismatch);
  }
}

TEST_CASE("weights are packed as the format says") {
  static_assert(engine::kPackedFormat == 1);
  const auto config = test::config_of({.hidden = 24, .heads = 2, .positions = 40});
  const auto weights = counted_weights(config);
  for (const Precision precision : kPrecisions) {
    if (!runs_here(precision)) continue;
    const engine::Engine engine(config, weights, {.precision = precision});
    const auto found = kPacked.find(layout_of(precision));
    INFO(layout_of(precision), ": ", fmt::format("0x{:016x}", hash_of(engine.packed())));
    // A layout that nobody has run yet is not known.
    WARN(found != kPacked.end());
    if (found != kPacked.end()) CHECK(found->second == hash_of(engine.packed()));
  }
}

}  // namespace summand
