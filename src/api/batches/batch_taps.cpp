#include "api/batches/batch_taps.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace summand::api {

namespace {

/// The public interface counts layers as hidden states, the input first.
size_t public_layer(const model::TapSite& site) {
  return site.point <= TapPoint::input ? 0 : site.layer + 1;
}

}  // namespace

bool BatchTaps::wants(TapPoint point) const {
  return std::ranges::count(taps_.points, point) > 0;
}

void BatchTaps::visit(const model::TapSite& site, MatrixView<float> values) {
  const size_t sequence = site.text;
  const auto next = std::ranges::upper_bound(batch_.sequences, sequence);
  const auto record = static_cast<size_t>(next - batch_.sequences.begin()) - 1;
  const auto& offsets = batch_.batch.offsets;
  taps_.visit({.point = site.point,
               .layer = public_layer(site),
               .head = site.head,
               .text = batch_.first + record,
               .window = sequence - batch_.sequences[record],
               .tokens = {batch_.first_token + offsets[sequence], batch_.first_token + offsets[sequence + 1]}},
              values);
}

void require_runnable(const LoadedModel& model, const summand::Taps& taps) {
  if (taps.empty()) return;
  if (!taps.visit) throw UsageError("taps", "expected a function for the points, got none");
  if (taps.points.empty()) throw UsageError("taps", "expected at least one point for the function, got none");
  if (model.precision() == Precision::fp32) return;
  throw UsageError("taps",
                   fmt::format("expected a model that computes in fp32, got {}", model.precision_description()));
}

}  // namespace summand::api
