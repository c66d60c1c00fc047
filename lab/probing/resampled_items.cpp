#include "lab/probing/resampled_items.hpp"

#include "lab/core/wording.hpp"
#include "lab/statistics/resampling.hpp"

namespace summand::lab {

std::optional<Words> too_few(size_t count, const Words& items) {
  if (count >= kLeastResampled) return {};
  return wording("probing.gaps.few_resampled", {{"least", kLeastResampled}, {"items", items}, {"got", count}});
}

Words without_interval(const Words& why) {
  return wording("probing.remarks.without_interval", {{"why", why}});
}

Words texts_from(size_t tokens) {
  return wording("probing.items.texts_from", {{"tokens", tokens}});
}

Words texts_with_a_word() {
  return wording("probing.items.texts_with_a_word");
}

}  // namespace summand::lab
