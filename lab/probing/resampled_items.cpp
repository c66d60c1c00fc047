#include "lab/probing/resampled_items.hpp"

#include "lab/core/localize.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

std::optional<LocalizedText> too_few(size_t count, const LocalizedText& items) {
  if (count >= kLeastResampled) return {};
  return localize("probing.gaps.few_resampled", {{"least", kLeastResampled}, {"items", items}, {"got", count}});
}

LocalizedText without_interval(const LocalizedText& why) {
  return localize("probing.remarks.without_interval", {{"why", why}});
}

LocalizedText texts_from(size_t tokens) {
  return localize("probing.items.texts_from", {{"tokens", tokens}});
}

LocalizedText texts_with_a_word() {
  return localize("probing.items.texts_with_a_word");
}

}  // namespace summand::lab
